/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network as tests show it: a tree of hosts and switches. */
#ifndef HBPLAN_SKETCH_H
#define HBPLAN_SKETCH_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct hbp_capacity - the capacity of one direction of a link
 * @mbps: Mbit/s, headers counted; 0 before anything has crossed it
 * @spread_mbps: by how much tests that should have filled it stay below that
 * @tests: how many tests it follows from; a longer one counts as several
 * @round: in which round the last of them was, from 1
 */
struct hbp_capacity {
	double mbps;
	double spread_mbps;
	unsigned int tests;
	size_t round;
};

/* The two directions of the link between a node and its parent. */
enum hbp_direction { HBP_UP, HBP_DOWN };

/**
 * struct hbp_sketch_node - a host or a switch, and its link to its parent
 * @parent: the next node on the way to node 0, HBP_NONE at node 0
 * @depth: links on the way to node 0
 * @rtt_us: what the link adds to a round trip, not negative
 * @link: its capacity to the parent (HBP_UP) and from it (HBP_DOWN)
 * @hidden: round trips do not show the link
 * @shared: of a host: what it sends and what it receives share one capacity
 * @both: that
 */
struct hbp_sketch_node {
	size_t parent;
	size_t depth;
	double rtt_us;
	struct hbp_capacity link[2];
	bool hidden;
	bool shared;
	struct hbp_capacity both;
};

/**
 * struct hbp_sketch - a tree whose leaves are hosts
 * @n_hosts: nodes 0 to @n_hosts - 1 are hosts, all others switches
 * @n: number of nodes, at most 2 @n_hosts
 * @nodes: room for 2 @n_hosts; node 0 is a host like all others, at which the
 *	tree is held
 */
struct hbp_sketch {
	size_t n_hosts;
	size_t n;
	struct hbp_sketch_node *nodes;
};

/*
 * An arc is one direction of a link: of the link above node i, number 2 i leads
 * up and 2 i + 1 down. What a host sends and receives together has an arc behind those.
 */
static inline size_t hbp_arc(size_t node, enum hbp_direction direction)
{
	return 2 * node + (direction == HBP_DOWN);
}

static inline size_t hbp_arc_both(const struct hbp_sketch *sketch, size_t host)
{
	return 4 * sketch->n_hosts + host;
}

static inline bool hbp_arc_is_both(const struct hbp_sketch *sketch, size_t arc)
{
	return arc >= hbp_arc_both(sketch, 0);
}

/* The lower node of an arc's link, or the host. */
static inline size_t hbp_arc_node(const struct hbp_sketch *sketch, size_t arc)
{
	return hbp_arc_is_both(sketch, arc) ? arc - hbp_arc_both(sketch, 0) : arc / 2;
}

/* The numbers of all arcs are below this. */
static inline size_t hbp_arcs(const struct hbp_sketch *sketch)
{
	return 5 * sketch->n_hosts;
}

struct hbp_sketch *hbp_sketch_alloc(size_t n_hosts);
void hbp_sketch_free(struct hbp_sketch *sketch);
void hbp_sketch_deepen(struct hbp_sketch *sketch);
size_t hbp_sketch_path(const struct hbp_sketch *sketch, size_t from, size_t to,
		       size_t *arcs);
double hbp_sketch_rtt(const struct hbp_sketch *sketch, size_t a, size_t b);
bool hbp_sketch_below(const struct hbp_sketch *sketch, size_t node, size_t at);
bool hbp_sketch_inner(const struct hbp_sketch *sketch, size_t node);
size_t hbp_sketch_degree(const struct hbp_sketch *sketch, size_t node);
size_t hbp_sketch_neighbour(const struct hbp_sketch *sketch, size_t host);
size_t hbp_sketch_host_arc(const struct hbp_sketch *sketch, size_t host, bool sends);
double hbp_sketch_host_mbps(const struct hbp_sketch *sketch, size_t host, bool sends);
struct hbp_capacity *hbp_sketch_capacity(const struct hbp_sketch *sketch, size_t arc);
void hbp_sketch_contract(struct hbp_sketch *sketch, size_t node);
void hbp_sketch_split(struct hbp_sketch *sketch, size_t at, const size_t *side,
		      size_t n);

#endif /* HBPLAN_SKETCH_H */
