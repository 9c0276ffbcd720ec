/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cost matrices: what every pair of nodes costs. */
#ifndef HBPLAN_COSTS_H
#define HBPLAN_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define HBP_COSTS_NODES_MAX	4096

/**
 * struct hbp_cost_node - a row and column of the matrix
 * @id: the node
 * @port: listening port, 0 if the file does not say
 * @name: or NULL; owned
 * @address: or NULL; owned; as it stands in the file
 * @send_overhead_ns: time that the node is busy with sending a message (LogGP o_s)
 * @recv_overhead_ns: time that the node is busy with receiving one (LogGP o_r)
 */
struct hbp_cost_node {
	uint32_t id;
	uint16_t port;
	char *name;
	char *address;
	int64_t send_overhead_ns;
	int64_t recv_overhead_ns;
};

/**
 * struct hbp_costs - a cost matrix
 * @n: number of nodes, 2 to HBP_COSTS_NODES_MAX
 * @nodes: in ascending order of id, whatever the order in the file
 * @latency_ns: one way, [from * @n + to]; HBP_NEVER where there is no link
 * @bandwidth_bps: likewise; 0 where there is no link, and from a node to itself
 * @bare: its file says that bandwidths are of payload alone, so that no headers count
 */
struct hbp_costs {
	size_t n;
	struct hbp_cost_node *nodes;
	int64_t *latency_ns;
	int64_t *bandwidth_bps;
	bool bare;
};

struct hbp_costs *hbp_costs_alloc(size_t n);
void hbp_costs_free(struct hbp_costs *costs);
int hbp_costs_load(const char *path, const struct hbp_warn *warn,
		   struct hbp_costs **out, struct hbp_error *err);
int hbp_costs_parse(const char *text, size_t len, const char *name,
		    const struct hbp_warn *warn, struct hbp_costs **out,
		    struct hbp_error *err);
char *hbp_costs_text(const struct hbp_costs *costs);
int hbp_costs_save(const struct hbp_costs *costs, const char *path,
		   struct hbp_error *err);
void hbp_costs_count(struct hbp_costs *costs);
void hbp_costs_drop(struct hbp_costs *costs, size_t at);
size_t hbp_costs_find(const struct hbp_costs *costs, uint32_t id);
int64_t hbp_costs_delay_ns(const struct hbp_costs *costs, size_t from, size_t to);
int64_t hbp_costs_pair_ns(const struct hbp_costs *costs, size_t from, size_t to,
			  uint64_t bytes);

#endif /* HBPLAN_COSTS_H */
