/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HNOWs: heterogeneous networks of workstations, joined by wormhole switches. */
#ifndef HBPLAN_HNOW_H
#define HBPLAN_HNOW_H

#include <stddef.h>
#include <stdint.h>

#include "costs.h"
#include "error.h"
#include "platform.h"

struct hbp_spanning;

/**
 * struct hbp_speed - how long a host is busy with a message (paper 004, S and R)
 * @send_const_ns: to send one, whatever its size
 * @send_byte_ps: to send each of its bytes, picoseconds
 * @recv_const_ns: to receive one
 * @recv_byte_ps: to receive each of its bytes
 */
struct hbp_speed {
	int64_t send_const_ns;
	int64_t send_byte_ps;
	int64_t recv_const_ns;
	int64_t recv_byte_ps;
};

/**
 * struct hbp_hnow - hosts of different speeds, each at one wormhole switch
 * @platform: hosts, switches and links; owned
 * @speeds: of each host, in ascending order of id; owned
 * @const_ns: what the network takes for a message (paper 004, X_c)
 * @byte_ps: what it takes for each byte and each link on the way (X_m),
 *	picoseconds
 * @at: index of each host's switch in @platform; owned
 * @tree: the spanning tree of the switches; owned
 * @home: of each host, where its switch stands in @links; owned
 * @n_homes: number of switches that have hosts
 * @links: number of links between any two of these switches, on the shortest
 *	way that goes up before it goes down; owned
 */
struct hbp_hnow {
	struct hbp_platform *platform;
	struct hbp_speed *speeds;
	int64_t const_ns;
	int64_t byte_ps;
	size_t *at;
	struct hbp_spanning *tree;
	size_t *home;
	size_t n_homes;
	uint32_t *links;
};

int hbp_hnow_parse(const char *text, size_t len, const char *name,
		   const struct hbp_warn *warn, struct hbp_hnow **out,
		   struct hbp_error *err);
void hbp_hnow_free(struct hbp_hnow *hnow);
void hbp_hnow_drop(struct hbp_hnow *hnow, size_t host);
char *hbp_hnow_text(const struct hbp_hnow *hnow);
int hbp_hnow_save(const struct hbp_hnow *hnow, const char *path,
		  struct hbp_error *err);
int hbp_costs_from_hnow(const struct hbp_hnow *hnow, struct hbp_costs **out,
			struct hbp_error *err);
size_t hbp_hnow_path(const struct hbp_hnow *hnow, size_t from, size_t to);
int64_t hbp_hnow_send_ns(const struct hbp_hnow *hnow, size_t host,
			 uint64_t bytes);
int64_t hbp_hnow_recv_ns(const struct hbp_hnow *hnow, size_t host,
			 uint64_t bytes);
int64_t hbp_hnow_trans_ns(const struct hbp_hnow *hnow, size_t from, size_t to,
			  uint64_t bytes);
int64_t hbp_hnow_pair_ns(const struct hbp_hnow *hnow, size_t from, size_t to,
			 uint64_t bytes);

#endif /* HBPLAN_HNOW_H */
