/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: weighted trees into which nodes are put back. */
#ifndef HBPLAN_INSERTION_H
#define HBPLAN_INSERTION_H

#include <stddef.h>
#include <stdint.h>

#include "splitting.h"

/* The parent of a node that is not in a tree. */
#define HBP_NOBODY	UINT32_MAX

/**
 * struct hbp_partial - a tree through some nodes
 * @weight: its rate, 0 if it is only offered
 * @second: its rate in another set of rates
 * @members: number of nodes in it
 * @parent: of each node its parent, HBP_NOBODY if it is not in the tree; the
 *	root is its own
 */
struct hbp_partial {
	int64_t weight;
	int64_t second;
	size_t members;
	uint32_t *parent;
};

/**
 * struct hbp_insertion - trees that use the arcs of a graph
 * @n_nodes: nodes that trees may have
 * @root: which all of them have
 * @n: number of trees
 * @room: how many fit
 * @trees: the trees
 * @in_left: used while a node is put back: what is left of each arc into it
 */
struct hbp_insertion {
	size_t n_nodes;
	size_t root;
	size_t n;
	size_t room;
	struct hbp_partial *trees;
	int64_t *in_left;
};

int hbp_insertion_init(struct hbp_insertion *ins, size_t n_nodes, size_t root,
		       int64_t weight);
void hbp_insertion_clear(struct hbp_insertion *ins);
int hbp_insertion_add(struct hbp_insertion *ins, const struct hbp_split *split);
int hbp_insertion_before(struct hbp_insertion *ins, size_t node, size_t next,
			 int64_t demand);
void hbp_insertion_merge(struct hbp_insertion *ins);
int hbp_insertion_append(struct hbp_insertion *ins, const uint32_t *parent,
			 int64_t second);
int hbp_insertion_span(struct hbp_insertion *ins, size_t members);

#endif /* HBPLAN_INSERTION_H */
