/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree: one epoch and slot of a schedule at this node. Building it, spreading
 * it to the children, and its end.
 */
#ifndef _HBC_TREE_H
#define _HBC_TREE_H

#include <linux/types.h>

struct hbc_edge;
struct hbc_lane;
struct hbc_schedule;
struct hbc_tree;
struct hbc_tree_node;
struct list_head;

/* Whether @node is below the child at the other end of @lane. Context: any. */
bool hbc_tree_below(const struct hbc_lane *lane, u32 epoch, u32 node);
/*
 * The lane over which the tree of @epoch and @slot comes, with a reference, or NULL.
 * Context: any but under sched->lock.
 */
struct hbc_lane *hbc_tree_up(struct hbc_schedule *sched, u32 epoch, u8 slot);

/*
 * The slots of the epoch along which nothing has come for dead-interval though there
 * was no lack of reading. Context: any, sched->lock held.
 */
u64 hbc_tree_silent(struct hbc_schedule *sched, u32 epoch);
/* Whether trees of epochs from @since on, but before @epoch, bring nothing more. Context: any. */
bool hbc_tree_settled(struct hbc_schedule *sched, u32 since, u32 epoch);
/* Whether the tree is this one, addresses and rates included. Context: any. */
bool hbc_tree_same(const struct hbc_tree *tree, const struct hbc_tree_node *nodes, u32 nr);

/* All of these: context process, hn->lock held. */

/* A tree that nobody knows yet, of a copy of @nodes, or ERR_PTR. */
struct hbc_tree *hbc_tree_new(struct hbc_schedule *sched, u32 epoch, u8 slot,
			      const struct hbc_tree_node *nodes, u32 nr);
/* Its lanes, which are drained if that is asked for, and itself. */
void hbc_tree_discard(struct hbc_tree *tree, bool drain);
/* Whether the schedule has as many trees of the slot as it may. */
bool hbc_tree_crowded(const struct hbc_schedule *sched, u8 slot);
/* The tree is there for all, and the children learn of it. */
void hbc_tree_insert(struct hbc_tree *tree);
/* No more fragments of the tree come: the children are told, then it goes. */
void hbc_tree_end(struct hbc_tree *tree);
/* Whether all nodes below this one are connected: in the tree, or in all of an epoch. */
bool hbc_tree_ready(const struct hbc_tree *tree);
bool hbc_tree_all_ready(const struct hbc_schedule *sched, u32 epoch);

/* That to which it was adopted, or itself. */
struct hbc_tree *hbc_tree_main(struct hbc_tree *tree);
/* Its parent learns who below is reached and who is not, and that all are, if so. */
void hbc_tree_retell(struct hbc_tree *tree);
/* Where the tree, and what this node has adopted in it, comes from now; or NULL. */
void hbc_tree_set_from(struct hbc_tree *tree, struct hbc_lane *lane);
/* The edge of the lane, or NULL. Context: any. */
struct hbc_edge *hbc_tree_edge(struct hbc_tree *tree, const struct hbc_lane *lane);
/* A child's part as TREE frames on @entries, to be sent or discarded: 0 or -ENOMEM. */
int hbc_tree_describe(const struct hbc_tree *tree, const struct hbc_edge *edge,
		      struct list_head *entries);
/* The members of the edge are lost or back (HBC_LOST_*): as many frames as it takes. */
void hbc_tree_tell(struct hbc_tree *tree, const struct hbc_edge *edge, u8 flags, u8 reason);
/*
 * Trees that no parent has told again for so long, in jiffies, since theirs was lost go.
 * Return: whether some wait for that still.
 */
bool hbc_tree_forget(struct hbc_schedule *sched, unsigned long patience);
/* Every tree of the schedule ends; at the root, what is queued still goes. */
void hbc_tree_end_all(struct hbc_schedule *sched);

#endif /* _HBC_TREE_H */
