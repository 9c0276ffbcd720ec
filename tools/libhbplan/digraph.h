/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: small directed graphs that change, and largest flows in them. */
#ifndef HBPLAN_DIGRAPH_H
#define HBPLAN_DIGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct hbp_digraph - a directed graph with capacities
 * @n: number of nodes
 * @root: where all flows begin
 * @cap: capacity of the arc from u to v at [u * @n + v], 0 if there is none
 * @near: row u holds the neighbours of u, in either direction
 * @n_near: of each node, how many
 * @joined: is v among those of u
 * @left: used while a flow is sought: what arcs have left
 * @from: likewise, by which node each one was reached
 * @queue: likewise
 */
struct hbp_digraph {
	size_t n;
	size_t root;
	int64_t *cap;
	uint32_t *near;
	size_t *n_near;
	bool *joined;
	int64_t *left;
	uint32_t *from;
	uint32_t *queue;
};

int hbp_digraph_init(struct hbp_digraph *g, size_t n, size_t root);
void hbp_digraph_clear(struct hbp_digraph *g);
void hbp_digraph_add(struct hbp_digraph *g, size_t from, size_t to,
		     int64_t amount);
void hbp_digraph_isolate(struct hbp_digraph *g, size_t node);
int64_t hbp_digraph_flow(struct hbp_digraph *g, size_t sink, int64_t enough);

#endif /* HBPLAN_DIGRAPH_H */
