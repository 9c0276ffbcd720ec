/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outcomes: what became of a message at the nodes of a tree, as ranges of its preorder, so
 * that "all below me" is one entry. Pure but for memory.
 */
#ifndef _HBC_OUTCOME_H
#define _HBC_OUTCOME_H

#include "wire/wire.h"

/* Nodes with one outcome. */
struct hbc_outcome {
	u32 first;		/* in preorder */
	u32 count;		/* at least 1 */
	u8 reason;		/* enum hbcast_reason; NONE: delivered */
};

/**
 * struct hbc_outcomes - a set of them
 * @of: in ascending order; they do not overlap; neighbours differ
 * @nr: entries in use
 * @room: entries of @of
 * @nodes: nodes in all entries
 *
 * Protected by its user's lock. All zero is an empty set.
 */
struct hbc_outcomes {
	struct hbc_outcome *of;
	unsigned int nr;
	unsigned int room;
	u32 nodes;
};

/* Context: any. */
void hbc_outcomes_clear(struct hbc_outcomes *o);

/**
 * hbc_outcomes_add() - nodes have an outcome
 * @o: the set
 * @add: theirs; nodes that have one keep it
 * @fresh: another set that those are added to that had none, or NULL
 *
 * Context: any. Return: how many had none, or -ENOMEM; both sets are as they were then, or
 * have some of them.
 */
int hbc_outcomes_add(struct hbc_outcomes *o, const struct hbc_outcome *add,
		     struct hbc_outcomes *fresh);

/* The outcome of a node, or NULL. */
const struct hbc_outcome *hbc_outcomes_find(const struct hbc_outcomes *o, u32 node);

#endif /* _HBC_OUTCOME_H */
