/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: nodes taken out of a graph such that flows to the others stay. */
#ifndef HBPLAN_SPLITTING_H
#define HBPLAN_SPLITTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digraph.h"

/**
 * struct hbp_piece - an arc, or a part of one
 * @from: its tail
 * @to: its head
 * @amount: capacity, positive
 * @beside: capacity of an arc with the same ends that is not part of it
 */
struct hbp_piece {
	uint32_t from;
	uint32_t to;
	int64_t amount;
	int64_t beside;
};

/**
 * struct hbp_split - a node that has been taken out
 * @node: the node
 * @demand: what it should receive
 * @n_in: number of arcs that entered it
 * @in: those arcs
 * @n_via: number of arcs that took its place
 * @via: those arcs, each from one that entered it to one that left it
 * @room: how many fit into @via
 */
struct hbp_split {
	size_t node;
	int64_t demand;
	size_t n_in;
	struct hbp_piece *in;
	size_t n_via;
	struct hbp_piece *via;
	size_t room;
};

/**
 * struct hbp_splitting - nodes that are taken out, one after the other
 * @g: the graph of those that are left
 * @demand: of each node, the flow to it that must stay; lowered where it cannot
 * @gone: of each node, whether it has been taken out
 * @order: nodes that are left and have a demand, the largest demand first
 * @n_order: how many
 * @sure: used while flows are checked
 * @suspect: the node that has been in the way last
 */
struct hbp_splitting {
	struct hbp_digraph *g;
	int64_t *demand;
	bool *gone;
	size_t *order;
	size_t n_order;
	bool *sure;
	size_t suspect;
};

int hbp_splitting_init(struct hbp_splitting *s, struct hbp_digraph *g);
void hbp_splitting_clear(struct hbp_splitting *s);
void hbp_splitting_sort(struct hbp_splitting *s);
int hbp_splitting_take(struct hbp_splitting *s, size_t node,
		       struct hbp_split *split);
void hbp_split_clear(struct hbp_split *split);

#endif /* HBPLAN_SPLITTING_H */
