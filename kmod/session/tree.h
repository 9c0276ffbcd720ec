/* SPDX-License-Identifier: GPL-2.0 */
/* Plans and trees as a node knows them; nothing in them changes once others have them. */
#ifndef _HBC_TREE_H
#define _HBC_TREE_H

#include <linux/kref.h>
#include <linux/types.h>

#include "store/route.h"
#include "wire/wire.h"

/**
 * struct hbc_plan - the slots of an epoch
 * @ref: references
 * @slots: their rates
 * @wire: PLAN
 */
struct hbc_plan {
	struct kref ref;
	struct hbc_slots slots;
	struct hbc_wire_plan wire;
};

/* A child of this node in a tree. */
struct hbc_edge {
	u32 first;		/* its index in the tree's nodes */
	u32 size;		/* nodes of its subtree, itself included */
	struct hbc_route route;
};

/**
 * struct hbc_tree - this node's part of an epoch and slot
 * @ref: references
 * @plan: a reference
 * @epoch: counts the root's plans from 1
 * @slot: number of the tree in its plan
 * @nr: entries of @node
 * @node: the subtree in preorder, this node first
 * @nr_edges: entries of @edge
 * @edge: the children, in sending order
 */
struct hbc_tree {
	struct kref ref;
	struct hbc_plan *plan;
	u32 epoch;
	u8 slot;
	u32 nr;
	struct hbc_wire_node *node;
	unsigned int nr_edges;
	struct hbc_edge edge[];
};

/* Of a PLAN that is checked, copied; NULL without memory. Context: process. */
struct hbc_plan *hbc_plan_new(const struct hbc_wire_plan *wire);
void hbc_plan_put(struct hbc_plan *plan);

/**
 * hbc_tree_new() - a tree of nodes in preorder
 * @plan: of its epoch; takes a reference
 * @slot: number of the tree
 * @node: kvmalloc()ed, taken over if it succeeds
 * @nr: their number
 * @self: id of the first
 *
 * Context: process. Return: with a reference, or ERR_PTR: what hbc_shape_check() says, -EBADMSG
 * for a slot that the plan has not, -ENOMEM.
 */
struct hbc_tree *hbc_tree_new(struct hbc_plan *plan, u8 slot, struct hbc_wire_node *node, u32 nr,
			      u32 self);
/*
 * The same tree, where the child of @edge is a leaf and its children are this node's own;
 * numbers of nodes stay. Context: process. Return: with a reference, or ERR_PTR: -ENOMEM.
 */
struct hbc_tree *hbc_tree_adopt(const struct hbc_tree *tree, unsigned int edge);
/* NULL is fine. Context: any. */
void hbc_tree_put(struct hbc_tree *tree);

/* Whether messages are handed on when all of them is there. */
static inline bool hbc_plan_is_whole(const struct hbc_plan *plan)
{
	return plan->wire.flags & HBC_PLAN_WHOLE;
}

#endif /* _HBC_TREE_H */
