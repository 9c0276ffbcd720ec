/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees: who sends to whom, and in which order. */
#ifndef HBPLAN_TREE_H
#define HBPLAN_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

/**
 * struct hbp_edge - a parent sends to a child
 * @parent: id of the sending node
 * @child: id of the receiving node
 */
struct hbp_edge {
	uint32_t parent;
	uint32_t child;
};

/**
 * struct hbp_tree - a broadcast tree
 * @slot: its number in the plan, 0 to HBP_PLAN_TREES_MAX - 1
 * @root: id of the node that it begins at
 * @rate_bps: planned rate of the data through the tree, bit/s; 0 if the plan
 *	does not say
 * @n_edges: number of edges; the nodes are @root and the child of each edge
 * @edges: breadth-first from the root, so that every parent but the root is the
 *	child of an earlier edge; edges of one parent stand together, in the
 *	order in which it sends
 * @room: number of edges that fit into @edges
 */
struct hbp_tree {
	unsigned int slot;
	uint32_t root;
	int64_t rate_bps;
	size_t n_edges;
	struct hbp_edge *edges;
	size_t room;
};

int hbp_tree_add(struct hbp_tree *tree, uint32_t parent, uint32_t child,
		 struct hbp_error *err);
int hbp_tree_order(struct hbp_tree *tree, uint32_t root, struct hbp_error *err);
void hbp_tree_parents(const struct hbp_tree *tree, uint32_t root,
		      size_t *parents);

#endif /* HBPLAN_TREE_H */
