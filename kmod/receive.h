/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving: bytes off a lane's socket to bursts of whole frames. */
#ifndef _HBC_RECEIVE_H
#define _HBC_RECEIVE_H

#include <linux/types.h>

#include "wire.h"

struct hbc_burst;
struct hbc_lane;
struct hbc_message;
struct hbc_tree;

/**
 * struct hbc_run - fragments of one message, one behind the other in a burst
 * @message: a reference; NULL at the root
 * @id: the message's
 * @pos: first byte in the burst
 * @len: bytes in the burst, headers included
 * @offset: of the first payload byte in the message
 * @bytes: payload bytes
 * @frame: bytes of each fragment but the last, header included
 * @end: enum hbcast_reason with which the message ends here, 0 if it does not
 *	end or ends well
 */
struct hbc_run {
	struct hbc_message *message;
	u64 id;
	u32 pos;
	u32 len;
	u64 offset;
	u32 bytes;
	u32 frame;
	u8 end;
};

#define HBC_RUNS	32

/* One burst on its way from the lane to children and sockets. */
struct hbc_inflow {
	struct hbc_burst *burst;
	struct hbc_tree *tree;
	u64 ahead;	/* edges of the tree that it was sent to already */
	u64 used;	/* slots that it was sent through before */
	bool repair;	/* for the children that lack what its runs tell of */
	unsigned int nr_runs;
	struct hbc_run run[HBC_RUNS];
};

/* Lets go of all that @in holds. */
void hbc_inflow_clear(struct hbc_inflow *in);

#define HBC_INFLOWS	8	/* bursts per turn of the receive work */

/**
 * struct hbc_receive - where a lane is in its stream
 * @hdr: the common header of the frame that is being read
 * @next: where in its message a fragment goes on that continues the one before
 * @frag: the header of the fragment at hand, or of one before it like it
 * @head: first bytes of the frame; whole for control frames
 * @have: bytes of @head
 * @left: bytes of a fragment's payload that have not come
 * @whole: bytes of the last inflow's burst up to the last whole frame
 * @judged: the fragment at hand has been accounted for
 * @placed: it has a burst to go to
 * @skip: it is dropped: its bytes are not kept
 * @alike: @head still holds the header of the fragment before, which was kept
 * @control: @head holds a whole control frame that waits to be handled
 * @message: message of the fragment before, a reference, or NULL
 * @tree: tree of the fragment before, a reference, or NULL
 * @inflow: bursts that wait to be forwarded; the last one is being filled
 * @nr: entries of @inflow in use
 * @sent: edges of @tree to which the fragment at hand was sent ahead
 * @ahead: edges of @ahead_tree to which the next fragment was sent ahead; set in
 *	softirq by hbc_shortcut() while no turn is under way
 * @ahead_tree: a reference if there are any
 *
 * All of it belongs to the lane's receive work.
 */
struct hbc_receive {
	struct hbc_hdr hdr;
	struct hbc_fragment frag;
	u64 next;
	u8 *head;
	u32 have;
	u32 left;
	u32 whole;
	bool judged;
	bool placed;
	bool skip;
	bool alike;
	bool control;
	struct hbc_message *message;
	struct hbc_tree *tree;
	struct hbc_inflow *inflow;
	unsigned int nr;
	u64 sent;
	u64 ahead;
	struct hbc_tree *ahead_tree;
};

/* Memory for a lane: 0 or -ENOMEM. Context: process. */
int hbc_receive_alloc(struct hbc_receive *rx);
/* Forget what was half read, before another connection. Context: process. */
void hbc_receive_reset(struct hbc_receive *rx);
void hbc_receive_free(struct hbc_receive *rx);

/*
 * One turn: read what is there, forward and deliver it. Context: the lane's
 * receive work. Return: 0 when the socket is empty, 1 when there is more,
 * -EAGAIN when somebody below has no room, or why the lane must end.
 */
int hbc_receive_turn(struct hbc_lane *lane);

#endif /* _HBC_RECEIVE_H */
