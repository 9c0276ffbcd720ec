/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A schedule: what one root's plan means at this node. Epochs, trees, and who
 * comes next.
 */
#ifndef _HBC_SCHEDULE_H
#define _HBC_SCHEDULE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "spans.h"
#include "wire.h"

struct hbc_group;
struct hbc_lane;
struct hbc_net;

/**
 * struct hbc_edge - one child of this node in one tree
 * @lane: the connection; a reference
 * @first: index of the child in the tree's nodes
 * @size: nodes in the child's subtree, itself included
 * @nr_slots: sets of slots that they are in, in the tree's slots from @first on
 * @ready: the whole subtree has acknowledged the tree; hn->lock
 * @lost: the child has not been reached for dead-interval; hn->lock
 * @away: it was adopted and has not been reached yet; hn->lock
 * @bereft: its children were adopted; hn->lock
 */
struct hbc_edge {
	struct hbc_lane *lane;
	u32 first;
	u32 size;
	u32 nr_slots;
	bool ready;
	bool lost;
	bool away;
	bool bereft;
};

/* Whether something is sent there, or waits for it. Context: any. */
static inline bool hbc_edge_open(const struct hbc_edge *edge)
{
	return !READ_ONCE(edge->lost) && !READ_ONCE(edge->away);
}

/* Nodes for which the child speaks, itself included. Context: any. */
static inline u32 hbc_edge_size(const struct hbc_edge *edge)
{
	return READ_ONCE(edge->bereft) ? 1 : edge->size;
}

/**
 * struct hbc_tree - this node's part of one epoch and slot
 * @ref: references
 * @free: the end, behind readers of sched->trees
 * @link: sched->trees; written under hn->lock, read under RCU
 * @sched: the schedule; a reference
 * @epoch: counts the root's plans from 1
 * @slot: number of the tree in its plan
 * @announced: TREE_ACK for the whole subtree has been sent; hn->lock
 * @gone: it is off the list; written under hn->lock
 * @heard: jiffies when a fragment or BLOCK_END has come along it
 * @from: lane over which it came last, NULL at the root and when that lane
 *	has broken; changed under hn->lock and sched->lock
 * @former: the one before, NULL when that has broken, or of one that is adopted; hn->lock
 * @alone: jiffies when @from changed last, unless it is adopted; hn->lock
 * @adopted: its edges are those to children of a dead child; it is on the list
 *	behind that child's tree
 * @stores: struct hbc_store, if whole messages are handed on; sched->lock
 * @foster: such a tree, a reference, or NULL; set once, under hn->lock
 * @fostered: nodes of all of them; of the first tree, hn->lock
 * @nr_nodes: entries of @nodes
 * @nodes: the subtree in preorder, this node first
 * @below: the ids of @nodes, each edge's in ascending order
 * @slots: for each edge the different sets of slots of its nodes
 * @nr_edges: entries of @edge
 * @edge: the children in sending order
 *
 * Immutable after it has been put on the list, but for what hn->lock protects.
 */
struct hbc_tree {
	refcount_t ref;
	struct rcu_work free;
	struct list_head link;
	struct hbc_schedule *sched;
	u32 epoch;
	u8 slot;
	bool announced;
	bool gone;
	unsigned long heard;
	struct hbc_lane *from;
	struct hbc_lane *former;
	unsigned long alone;
	bool adopted;
	struct list_head stores;
	struct hbc_tree *foster;
	u32 fostered;
	u32 nr_nodes;
	struct hbc_tree_node *nodes;
	u32 *below;
	u64 *slots;
	u32 nr_edges;
	struct hbc_edge edge[];
};

/* Where the broadcast goes on behind the tree's own edges, or NULL. Context: any. */
static inline struct hbc_tree *hbc_tree_foster(const struct hbc_tree *tree)
{
	/* Pairs with hbc_edge_adopt(). */
	return smp_load_acquire(&tree->foster);
}

/* Whether whole messages are handed on along it. Context: any. */
static inline bool hbc_tree_whole(const struct hbc_tree *tree)
{
	return tree->nodes[0].flags & HBC_TREE_WHOLE;
}

#define HBC_MESSAGE_HASH_BITS	6
/* Bits of struct hbc_schedule's flags. */
enum {
	HBC_SCHEDULE_WAITING,	/* somebody waits for room below */
	HBC_SCHEDULE_CHOKED,	/* a local receiver had no room; look at all of them */
};

#define HBC_SCHEDULES_MAX	1024	/* roots per group */
#define HBC_TREES_MAX		16	/* of one slot at its root that are not over, */
#define HBC_TREES_BELOW		64	/* and at another node, where it takes longer */
#define HBC_PARENTS_MAX		256	/* lanes from parents of one root */

/**
 * struct hbc_assembly - a subtree of which not all TREE frames have come
 * @epoch: its epoch
 * @total: nodes that it will have
 * @have: nodes that have come
 * @nodes: the nodes
 */
struct hbc_assembly {
	u32 epoch;
	u32 total;
	u32 have;
	struct hbc_tree_node nodes[];
};

/**
 * struct hbc_schedule - one root's plans in one group at this node
 * @ref: references
 * @link: group->schedules; hn->lock
 * @hn: the node
 * @group: a reference
 * @root: the root's node id; this node's own if it is the root
 * @trees: struct hbc_tree, newest epoch first, its slots ascending; written under
 *	hn->lock, read under RCU
 * @lock: @children, @parents, all about messages, and the fields that message.h
 *	names
 * @children: lanes to children (struct hbc_lane, sched_link); changed under
 *	hn->lock and @lock
 * @parents: lanes from parents that are READY
 * @messages: messages by id (struct hbc_message)
 * @open: those of them that are open
 * @nr_messages: their number
 * @closed: those that are not, the oldest first
 * @nr_closed: their number
 * @nr_waiting: those that wait for another one to begin
 * @forgetful: what is not open is not remembered any more
 * @history: ids of the messages that have begun here
 * @delivered: of those, which have been reported as delivered, as far as is known
 * @origin: at the root the queue of what is to be sent, else NULL; set once
 * @orphan: some time after a parent was lost: ends the schedule if none has
 *	come back, else the trees that were not told again
 * @expire: while messages are open: ends those that the root is silent about
 * @alone: jiffies when the last parent was lost, or it began; hn->lock
 * @gone: no new trees, lanes or messages; written under hn->lock
 * @flags: HBC_SCHEDULE_* bits
 */
struct hbc_schedule {
	struct kref ref;
	struct list_head link;
	struct hbc_net *hn;
	struct hbc_group *group;
	u32 root;
	struct list_head trees;
	spinlock_t lock; /* lanes and messages */
	struct list_head children;
	struct list_head parents;
	struct hlist_head messages[1 << HBC_MESSAGE_HASH_BITS];
	struct list_head open;
	unsigned int nr_messages;
	struct list_head closed;
	unsigned int nr_closed;
	unsigned int nr_waiting;
	bool forgetful;
	struct hbc_spans history;
	struct hbc_spans delivered;
	struct hbc_origin *origin;
	struct delayed_work orphan;
	struct delayed_work expire;
	unsigned long alone;
	bool gone;
	unsigned long flags;
};

/*
 * The schedule of @root in @group, made if it is not there. hn->lock held.
 * Return: with a reference for the caller, or an ERR_PTR.
 */
struct hbc_schedule *hbc_schedule_get(struct hbc_group *group, u32 root);
/* Whether it has as many lanes from parents as it may. Context: any. */
bool hbc_schedule_crowded(struct hbc_schedule *sched);
void hbc_schedule_put(struct hbc_schedule *sched);
/* hn->lock held; NULL if there is none; no reference taken. */
struct hbc_schedule *hbc_schedule_find(struct hbc_group *group, u32 root);
/* Lanes from parents that are no members of the group end. hn->lock held. */
void hbc_schedule_expel(struct hbc_schedule *sched);
/*
 * Over a lane from a parent no tree comes, yet or any more: in a while such
 * lanes end. hn->lock held.
 */
void hbc_schedule_look(struct hbc_schedule *sched);
/*
 * Ends trees, lanes, messages and the source with @reason (enum
 * hbcast_reason). hn->lock held.
 */
void hbc_schedule_remove(struct hbc_schedule *sched, u8 reason);

/* Whether a broadcast along it goes on here. hn->lock held. */
bool hbc_schedule_busy(const struct hbc_schedule *sched);

/* A reference on the tree, or NULL. @epoch 0: the newest. Context: any. */
struct hbc_tree *hbc_tree_get(struct hbc_schedule *sched, u32 epoch, u8 slot);
void hbc_tree_put(struct hbc_tree *tree);
/* How many children are connected and not lost. Context: any. */
unsigned int hbc_tree_reached(const struct hbc_tree *tree);
/* Bytes of a fragment that fill a segment on every lane of the root in it. Context: any. */
unsigned int hbc_tree_fragment(const struct hbc_tree *tree);

/* Somebody made room: whoever waits goes on. Context: process or softirq. */
void hbc_schedule_resume(struct hbc_schedule *sched);

/*
 * Members below that are lost or back (HBC_LOST_*); @node is of no use afterwards.
 * Context: process, no spinlocks.
 */
void hbc_schedule_tell_lost(struct hbc_schedule *sched, u8 slot, u8 flags,
			    const struct hbc_lost *lost, u32 *node);

/*
 * A report on its way to the root, up the tree that spans all of its message's epoch.
 * Context: process, no spinlocks.
 */
void hbc_schedule_ack(struct hbc_schedule *sched, const struct hbc_ack *ack);
/* The same with what this node and all below have, or lack. */
void hbc_schedule_block_ack(struct hbc_schedule *sched, const struct hbc_block_ack *f);
void hbc_schedule_nack(struct hbc_schedule *sched, const struct hbc_nack *f,
		       const struct hbc_range *range);
/* A message is open: the root will tell of it. Context: process. */
void hbc_schedule_expect(struct hbc_schedule *sched);

/* What lanes tell. Context: process, hn->lock not held. */

/* Part of this node's subtree: 0, or why the lane must end. */
int hbc_schedule_tree(struct hbc_lane *lane, const struct hbc_tree_frame *f,
		      const struct hbc_tree_node *node);
void hbc_schedule_tree_ack(struct hbc_lane *lane, const struct hbc_tree_ack *f);
void hbc_schedule_epoch_end(struct hbc_lane *lane, u32 epoch);
/* Leaves of @node, and counts in @f, what is below the child. */
void hbc_schedule_lost(struct hbc_lane *lane, u8 flags, struct hbc_lost *f, u32 *node);
/* A child's report about a node below it; another is dropped. */
void hbc_schedule_child_ack(struct hbc_lane *lane, const struct hbc_ack *ack);
/* What a child and all below have, or lack; of one who has no part in the tree it is dropped. */
void hbc_schedule_child_block_ack(struct hbc_lane *lane, const struct hbc_block_ack *f);
void hbc_schedule_child_nack(struct hbc_lane *lane, struct hbc_nack *f,
			     const struct hbc_range *range);
/* The lane is about to be READY: 0, or why it must end. */
int hbc_schedule_lane_up(struct hbc_lane *lane);
/* The lane was READY and broke. */
void hbc_schedule_lane_down(struct hbc_lane *lane);
/* The lane to a child has not been READY for dead-interval. */
void hbc_schedule_lane_dead(struct hbc_lane *lane);
/* The child does not want the lane: enum hbc_reject_reason. */
void hbc_schedule_refused(struct hbc_lane *lane, u16 reason);

#endif /* _HBC_SCHEDULE_H */
