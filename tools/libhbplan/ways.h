/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the links that a host's data passes on its way to another host. */
#ifndef HBPLAN_WAYS_H
#define HBPLAN_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"
#include "route.h"

/**
 * struct hbp_load - what an edge takes of a link
 * @link: index of the link
 * @part: of the link's bandwidth, bit/s for each bit/s of the edge
 */
struct hbp_load {
	size_t link;
	double part;
};

/**
 * struct hbp_ways - routes between the hosts of a platform, found when needed
 * @platform: the platform
 * @forest: is there at most one way between any two nodes
 * @even: a forest in which every link is as wide in the other direction
 * @above: in a forest, each node's neighbour towards the first of its tree
 * @up: likewise, the link to @above, HBP_NONE if it leads down only
 * @down: likewise, the link from @above, HBP_NONE if it leads up only
 * @depth: likewise, how many links from the first
 * @queue: nodes of a forest, those nearer to the first before the others
 * @routes: elsewhere, the routes of @source
 * @source: likewise, whose routes @routes holds, or HBP_NONE
 * @kept: likewise, each source's last links, as far as they are kept
 * @n_kept: likewise, of how many sources
 * @path: links of the way asked for last, those nearer to its end before the others
 * @n_path: how many
 * @room: how many fit
 * @loads: what the edge asked for last takes: of the links of its way, in the order of
 *	@path, then of others that its acknowledgements pass
 * @n_loads: how many
 * @n_way: how many of them are those of the way
 * @mtu: the least of the links of its way; HBP_MTU where headers do not count
 * @width_bps: what the way carries if nothing else passes it, acknowledgements left out
 * @load_room: how many fit
 * @place: where headers count, of each link: its place in @loads, counted from 1, while
 *	they are made; else 0
 */
struct hbp_ways {
	const struct hbp_platform *platform;
	bool forest;
	bool even;
	size_t *above;
	size_t *up;
	size_t *down;
	size_t *depth;
	size_t *queue;
	struct hbp_routes *routes;
	size_t source;
	uint32_t **kept;
	size_t n_kept;
	size_t *path;
	size_t n_path;
	size_t room;
	struct hbp_load *loads;
	size_t n_loads;
	size_t n_way;
	unsigned int mtu;
	int64_t width_bps;
	size_t load_room;
	size_t *place;
};

/* What a link of the way carries of an edge, if nothing else passes it, bit/s. */
static inline int64_t hbp_load_bps(const struct hbp_link *link, const struct hbp_load *load)
{
	return (int64_t)((double)link->bandwidth_bps / load->part);
}

struct hbp_ways *hbp_ways_alloc(const struct hbp_platform *platform);
void hbp_ways_free(struct hbp_ways *ways);
bool hbp_ways_direct(const struct hbp_ways *ways, size_t at);
int hbp_ways_find(struct hbp_ways *ways, size_t from, size_t to);
int hbp_ways_loads(struct hbp_ways *ways, size_t from, size_t to);
int hbp_ways_edge(struct hbp_ways *ways, uint32_t from, uint32_t to, struct hbp_error *err);

#endif /* HBPLAN_WAYS_H */
