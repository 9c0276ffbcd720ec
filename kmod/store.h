/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Store and forward: in a plan that hands on whole messages, what of one message
 * waits on the lanes to a node's children, each for its turn.
 */
#ifndef _HBC_STORE_H
#define _HBC_STORE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct hbc_block_end;
struct hbc_lane;
struct hbc_schedule;
struct hbc_tree;

/**
 * struct hbc_store - a message that goes along one tree as a whole
 * @ref: references
 * @link: tree->stores while more of it may come, else empty; sched->lock
 * @message: its id
 * @since: jiffies when the first of it came
 * @told: bytes of it that had left the root when it told last, or U64_MAX; sched->lock
 * @whole: all of it has come
 * @loose: it goes on as it comes, to all children at once
 * @left: by edge of the tree, bursts that its lane has not sent
 */
struct hbc_store {
	refcount_t ref;
	struct list_head link;
	u64 message;
	unsigned long since;
	u64 told;
	bool whole;
	bool loose;
	atomic_t left[];
};

/*
 * That of @message in @tree, made if it is not there: a reference, or NULL where a
 * burst goes on at once: the plan does not say otherwise, the tree ends here or has
 * ended, or there is no memory. @message 0: one that is over. Context: process.
 */
struct hbc_store *hbc_store_get(struct hbc_tree *tree, u64 message);
void hbc_store_put(struct hbc_store *store);

/* A burst is queued for the edge @place. Context: any. */
void hbc_store_add(struct hbc_store *store, u32 place);
/* It has been sent, or is not sent any more; @lane's lock of the queue is not held. */
void hbc_store_sent(struct hbc_store *store, u32 place, const struct hbc_lane *lane);

/**
 * hbc_store_open() - whether a burst may be sent
 * @store: its message
 * @place: the lane's edge
 * @lane: where it is the first of the queue
 *
 * All of the message has come, and the children before have been sent it. What does
 * not fit in the queue goes on as it comes, and so does what the lane would be silent
 * for too long for. hbc_store_wake() tells lanes that are HBC_LANE_HELD when that has
 * changed.
 *
 * Context: process, @lane's tx_mutex held.
 */
bool hbc_store_open(struct hbc_store *store, u32 place, struct hbc_lane *lane);

/* No more of the message comes along @tree. Context: process. */
void hbc_store_end(struct hbc_tree *tree, u64 message);
/*
 * The root has told that so much of it has left. Of one that does not go on nothing is
 * held: it may wait for reports before it does. Context: process.
 */
void hbc_store_block_end(struct hbc_tree *tree, const struct hbc_block_end *f);
/* Of no message: the tree has ended. Context: process. */
void hbc_store_end_all(struct hbc_tree *tree);

#endif /* _HBC_STORE_H */
