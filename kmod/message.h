/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message at a member that is not its root: what has arrived, who reads it
 * here, what is missing, and what is reported about it.
 */
#ifndef _HBC_MESSAGE_H
#define _HBC_MESSAGE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

#include "spans.h"

struct hbc_block_end;
struct hbc_burst;
struct hbc_fragment;
struct hbc_hdr;
struct hbc_lane;
struct hbc_run;
struct hbc_schedule;
struct hbc_tally;
struct hbc_tree;

#define HBC_MESSAGES_MAX	4096	/* open messages per schedule */
#define HBC_CLOSED_MAX		1024	/* and closed ones that are remembered */
#define HBC_HISTORY_MAX		4096	/* spans of ids that have begun */

/**
 * struct hbc_message - one message
 * @ref: references; the hash holds one until the message is forgotten
 * @link: sched->messages; sched->lock
 * @state_link: sched->open, then sched->closed; sched->lock
 * @sched: the schedule; a reference
 * @id: unique per root and group
 * @after: id of the message that goes before it to its port, or 0; sched->lock
 * @total: bytes
 * @port: of the sockets
 * @since: in no epoch before that anything of it was sent here, as far as is known;
 *	written under sched->lock
 * @epoch: of the tree that its reports go up; written under sched->lock
 * @waits: the message before it has not begun here; written under sched->lock
 * @heard: jiffies when something of it, or about it, has come last
 * @deliveries: sockets that read it (struct hbc_delivery); filled before
 *	anybody else knows the message, freed with it
 * @open: deliveries that are not finished; sched->lock, as all that follows
 * @reported: bytes in the last progress report
 * @reason: enum hbcast_reason of the first failure, 0
 * @over: no more of it comes
 * @acked: the final report is sent
 * @round: which is told by BLOCK_END, in one slot after the other
 * @slots: where it has been told
 * @held: rounds in which nobody asked, because some of it may still come along the
 *	trees of an older epoch, since that has happened last
 * @block: bytes that it tells of
 * @stage: which it tells to be over
 * @asked: bytes that the parent was asked for in this round
 * @reached: end of the bytes that have come in their turn
 * @end: bytes of which a BLOCK_END has told
 * @told: bytes that the last BLOCK_ACK was about
 * @below: there are children who answer, or may be
 * @tally: what they have; NULL before the first BLOCK_END, and when it is not
 *	needed any more
 */
struct hbc_message {
	struct kref ref;
	struct hlist_node link;
	struct list_head state_link;
	struct hbc_schedule *sched;
	u64 id;
	u64 after;
	u64 total;
	u16 port;
	u32 since;
	u32 epoch;
	bool waits;
	unsigned long heard;
	struct list_head deliveries;
	unsigned int open;
	u64 reported;
	u8 reason;
	bool over;
	bool acked;
	u32 round;
	u64 slots;
	unsigned int held;
	u64 block;
	u16 stage;
	struct hbc_spans asked;
	u64 reached;
	u64 end;
	u64 told;
	bool below;
	struct hbc_tally *tally;
};

void hbc_message_get(struct hbc_message *m);
void hbc_message_put(struct hbc_message *m);
/* With a reference, or NULL. Context: any but hard interrupts. */
struct hbc_message *hbc_message_find(struct hbc_schedule *sched, u64 id);

/**
 * hbc_message_fragment() - find the message of a fragment that arrived
 * @lane: where it arrived
 * @h: the frame's header
 * @f: the fragment's
 * @m: in: the message of the fragment before, or NULL; out: this one's, with a
 *	reference that moves; NULL if nobody here has to do with it
 *
 * The first fragment opens the message and finds the sockets that read it.
 *
 * Context: process, the receive work of the lane.
 * Return: 0 to forward it, -EBADMSG for a lane that must end, -ENOMEM.
 */
int hbc_message_fragment(struct hbc_lane *lane, const struct hbc_hdr *h,
			 const struct hbc_fragment *f, struct hbc_message **m);

/* Give a run of fragments to the sockets that read its message. Context: process. */
void hbc_message_deliver(const struct hbc_run *run, struct hbc_burst *b);

/* Whether all sockets that read open messages of @sched have room. */
bool hbc_message_room(struct hbc_schedule *sched);

/*
 * The end of blocks, from the parent along @tree: @frame goes on to the children.
 * When it has come along all of this node's trees, so that nothing is on its way any
 * more, what is missing is asked for, and what has been reported once is reported
 * again. Context: process. Return: 0, or why the lane must end.
 */
int hbc_message_block_end(struct hbc_lane *lane, struct hbc_tree *tree,
			  const struct hbc_block_end *f, const u8 *frame);
/*
 * Every message that is open ends with @reason here; those below may get it from somebody
 * else. Context: process, no spinlocks.
 */
void hbc_message_end_all(struct hbc_schedule *sched, u8 reason);
/*
 * Those end of which the root has not told since @since (in jiffies). Context:
 * process, no spinlocks. Return: whether any are open.
 */
bool hbc_message_expire(struct hbc_schedule *sched, unsigned long since);
/* All that is remembered of messages goes; none comes any more. Context: process. */
void hbc_message_forget_all(struct hbc_schedule *sched);

/* Below: for deliveries. Context: process, no spinlocks. */

/* A socket has read @bytes of the message in all. */
void hbc_message_progress(struct hbc_message *m, u64 bytes);
/* A socket is finished with the message: has read all, or failed with @reason. */
void hbc_message_finish(struct hbc_message *m, u8 reason);

#endif /* _HBC_MESSAGE_H */
