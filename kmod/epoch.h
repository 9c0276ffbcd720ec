/* SPDX-License-Identifier: GPL-2.0 */
/* An epoch: the trees of one plan at its root, which come and go together. */
#ifndef _HBC_EPOCH_H
#define _HBC_EPOCH_H

#include <linux/types.h>

struct hbc_schedule;
struct hbc_tree_node;
struct netlink_ext_ack;

/* One tree of a plan that is checked: @nodes in preorder, the root first. */
struct hbc_tree_shape {
	struct hbc_tree_node *nodes;
	u32 nr;
	u8 slot;
};

/**
 * hbc_epoch_commit() - make a plan the newest epoch of this root
 * @sched: schedule of this very node as root
 * @shape: its trees by ascending slot, that of HBC_SLOT_ALL first; copies are made
 * @nr: entries of @shape
 * @epoch: set to the epoch that holds the plan now
 * @extack: why not
 *
 * The same trees as the newest epoch's change nothing and are no error.
 *
 * Context: process, hn->lock held.
 * Return: 0 applied, 1 nothing to change, or a negative errno.
 */
int hbc_epoch_commit(struct hbc_schedule *sched, const struct hbc_tree_shape *shape,
		     unsigned int nr, u32 *epoch, struct netlink_ext_ack *extack);

/*
 * Whether the newest epoch, to which *@epoch is set (0 for none), has these trees.
 * Context: process, hn->lock held.
 */
bool hbc_epoch_holds(const struct hbc_schedule *sched, const struct hbc_tree_shape *shape,
		     unsigned int nr, u32 *epoch);

/*
 * The root has no message of @epoch left: if a newer epoch is there, the old one
 * ends along its trees. Context: process, hn->lock not held.
 */
void hbc_epoch_retire(struct hbc_schedule *sched, u32 epoch);

#endif /* _HBC_EPOCH_H */
