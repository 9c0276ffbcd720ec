/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: all pairs of hosts behind switches, without a list of them. */
#ifndef HBPLAN_SWITCHED_H
#define HBPLAN_SWITCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"

/**
 * struct hbp_switched - hosts, by the places where their routes part and meet
 * @platform: the platform
 * @n: number of hosts
 * @n_places: number of places: switches of hosts that have one link there and
 *	one back, and all other hosts
 * @place: of each host
 * @up: of each host, the link to its place; HBP_NONE if it is the place
 * @down: of each host, the link from its place; likewise
 * @first: of each place, its first host in @hosts; @n_places + 1 entries
 * @hosts: hosts by place, in ascending order
 * @n_core: number of nodes that are places or switches
 * @core: of each of them, the node of the platform; places come first
 * @number: of each node of the platform, its place in @core
 * @before: of each link of the platform, the place in @core of the node it comes from
 * @last: of each pair of a place and such a node, the last link of the route;
 *	UINT32_MAX where none leads, and of the place itself
 * @passed: of each link of the platform, does a route of two hosts pass it
 * @width_bps: of each pair of places, the least bandwidth of the route's links; NULL
 *	before hbp_switched_widths()
 */
struct hbp_switched {
	const struct hbp_platform *platform;
	size_t n;
	size_t n_places;
	uint32_t *place;
	size_t *up;
	size_t *down;
	size_t *first;
	uint32_t *hosts;
	size_t n_core;
	size_t *core;
	uint32_t *number;
	uint32_t *before;
	uint32_t *last;
	bool *passed;
	int64_t *width_bps;
};

int hbp_switched_alloc(const struct hbp_platform *platform,
		       struct hbp_switched **out);
void hbp_switched_free(struct hbp_switched *switched);
double hbp_switched_acks(const struct hbp_switched *switched);
bool hbp_switched_joins(const struct hbp_switched *switched, size_t from, size_t to);
int hbp_switched_costs(const struct hbp_switched *switched, const double *costs,
		       double *sums);
int hbp_switched_widths(struct hbp_switched *switched);
int64_t hbp_switched_bps(const struct hbp_switched *switched, size_t from, size_t to);
size_t hbp_switched_path(const struct hbp_switched *switched, size_t from,
			 size_t to, uint32_t *links);

#endif /* HBPLAN_SWITCHED_H */
