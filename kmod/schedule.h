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

#include "wire.h"

struct hbc_group;
struct hbc_lane;
struct hbc_net;
struct netlink_ext_ack;

/**
 * struct hbc_edge - one child of this node in one tree
 * @lane: the connection; a reference
 * @first: index of the child in the tree's nodes
 * @size: nodes in the child's subtree, itself included
 * @ready: the whole subtree has acknowledged the tree; hn->lock
 * @lost: the child has not been reached for dead-interval; hn->lock
 */
struct hbc_edge {
	struct hbc_lane *lane;
	u32 first;
	u32 size;
	bool ready;
	bool lost;
};

/**
 * struct hbc_tree - this node's part of one epoch and slot
 * @ref: references
 * @rcu: defers the end behind readers of sched->trees
 * @link: sched->trees; written under hn->lock, read under RCU
 * @sched: the schedule; a reference
 * @epoch: counts the root's plans from 1
 * @slot: number of the tree in its plan
 * @announced: TREE_ACK for the whole subtree has been sent; hn->lock
 * @nr_nodes: entries of @nodes
 * @nodes: the subtree in preorder, this node first
 * @nr_edges: entries of @edge
 * @edge: the children in sending order
 *
 * Immutable after it has been put on the list, but for what hn->lock protects.
 */
struct hbc_tree {
	refcount_t ref;
	struct rcu_head rcu;
	struct list_head link;
	struct hbc_schedule *sched;
	u32 epoch;
	u8 slot;
	bool announced;
	u32 nr_nodes;
	struct hbc_tree_node *nodes;
	u32 nr_edges;
	struct hbc_edge edge[];
};

#define HBC_MESSAGE_HASH_BITS	6

/**
 * struct hbc_schedule - one root's plans in one group at this node
 * @ref: references
 * @link: group->schedules; hn->lock
 * @hn: the node
 * @group: a reference
 * @root: the root's node id; this node's own if it is the root
 * @trees: struct hbc_tree, newest epoch first; hn->lock, RCU
 * @lanes: lanes to children (struct hbc_lane, sched_link); hn->lock
 * @assembly: a tree of which not all TREE frames have come; hn->lock
 * @lock: @up, @messages, @nr_messages and the fields that message.h names
 * @up: newest lane from a parent that is READY, NULL for none; a reference
 * @messages: open messages by id (struct hbc_message)
 * @nr_messages: their number
 * @source: at the root the queue of what is to be sent, else NULL; set once
 * @gone: group or root is going; no new trees or messages; hn->lock, read
 *	without it by READ_ONCE
 * @paused: a lane from a parent, or the source, waits for room below; bit 0
 */
struct hbc_schedule {
	struct kref ref;
	struct list_head link;
	struct hbc_net *hn;
	struct hbc_group *group;
	u32 root;
	struct list_head trees;
	struct list_head lanes;
	struct hbc_tree *assembly;
	u32 assembled;
	spinlock_t lock;
	struct hbc_lane *up;
	struct hlist_head messages[1 << HBC_MESSAGE_HASH_BITS];
	unsigned int nr_messages;
	struct hbc_origin *origin;
	bool gone;
	unsigned long paused;
};

/*
 * The schedule of @root in @group, made if it is not there. hn->lock held.
 * Return: with a reference for the caller, or ERR_PTR(-ENOMEM).
 */
struct hbc_schedule *hbc_schedule_get(struct hbc_group *group, u32 root);
void hbc_schedule_put(struct hbc_schedule *sched);
/* hn->lock held; NULL if there is none; no reference taken. */
struct hbc_schedule *hbc_schedule_find(struct hbc_group *group, u32 root);
/* Ends trees, lanes, messages and the source with @reason. hn->lock held. */
void hbc_schedule_remove(struct hbc_schedule *sched, u8 reason);

/* A reference on the tree, or NULL. @epoch 0: the newest. Context: any. */
struct hbc_tree *hbc_tree_get(struct hbc_schedule *sched, u32 epoch, u8 slot);
void hbc_tree_put(struct hbc_tree *tree);

/**
 * hbc_schedule_commit() - make a plan the newest epoch of this root
 * @sched: schedule of this very node as root
 * @nodes: the tree of slot 0 in preorder, this node first; the schedule
 *	takes it over (kvfree()) on success
 * @nr: entries of @nodes
 * @epoch: set to the epoch that holds the plan now
 * @extack: why not
 *
 * The same tree as the newest epoch's changes nothing and is no error.
 *
 * Context: process, hn->lock held.
 * Return: 0 applied, 1 nothing to change, or a negative errno.
 */
int hbc_schedule_commit(struct hbc_schedule *sched, struct hbc_tree_node *nodes, u32 nr,
			u32 *epoch, struct netlink_ext_ack *extack);

/* What lanes tell. Context: process, hn->lock not held. */
int hbc_schedule_tree(struct hbc_lane *lane, u8 slot, const struct hbc_tree_frame *f,
		      const struct hbc_tree_node *node);
void hbc_schedule_tree_ack(struct hbc_lane *lane, u8 slot, const struct hbc_tree_ack *f);
void hbc_schedule_epoch_end(struct hbc_lane *lane, u8 slot, u32 epoch);
void hbc_schedule_lost(struct hbc_lane *lane, u8 slot, u8 flags, const struct hbc_lost *f,
		       const u32 *node);
void hbc_schedule_ack(struct hbc_schedule *sched, const struct hbc_ack *ack);
/* A lane became READY, broke, or stayed away for dead-interval. */
void hbc_schedule_lane_up(struct hbc_lane *lane);
void hbc_schedule_lane_down(struct hbc_lane *lane, u8 reason);
void hbc_schedule_lane_dead(struct hbc_lane *lane);

/*
 * The root has no message of @tree's epoch left and a newer epoch is there:
 * ends the old one along its tree. hn->lock not held.
 */
void hbc_schedule_retire(struct hbc_tree *tree);

/* Whether every lane of @tree has room. Context: process. */
bool hbc_tree_room(struct hbc_tree *tree);
/* Somebody below made room: whoever waits goes on. Context: any. */
void hbc_schedule_resume(struct hbc_schedule *sched);

#endif /* _HBC_SCHEDULE_H */
