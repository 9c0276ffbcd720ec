/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message at a member that is not its root: what has arrived, who reads it
 * here, and what is reported about it.
 */
#ifndef _HBC_MESSAGE_H
#define _HBC_MESSAGE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

struct hbc_hdr;
struct hbc_fragment;
struct hbc_run;
struct hbc_burst;
struct hbc_lane;
struct hbc_schedule;

#define HBC_MESSAGES_MAX	4096	/* open messages per schedule */

/**
 * struct hbc_message - one open message
 * @ref: references; the hash holds one until the message is closed
 * @link: sched->messages; sched->lock
 * @sched: the schedule; a reference
 * @id: unique per root and group
 * @total: bytes
 * @port: of the sockets
 * @epoch: of its fragments
 * @slot: of its fragments
 * @lane: where they come from; only compared
 * @next: offset of the fragment that comes next; the receive work of the lane
 * @last: the header of its end has come; the receive work of the lane
 * @whole: its end has been handed over; the receive work of the lane
 * @deliveries: sockets that read it (struct hbc_delivery); filled before
 *	anybody else knows the message, freed with it
 * @open: deliveries that are not finished, and one for the receive work
 *	until it has handed over the end; sched->lock
 * @reported: bytes in the last progress report; sched->lock
 * @reason: enum hbcast_reason of the first failure, 0; sched->lock
 * @acked: the final report is sent; sched->lock
 */
struct hbc_message {
	struct kref ref;
	struct hlist_node link;
	struct hbc_schedule *sched;
	u64 id;
	u64 total;
	u16 port;
	u32 epoch;
	u8 slot;
	const struct hbc_lane *lane;
	u64 next;
	bool last;
	bool whole;
	struct list_head deliveries;
	unsigned int open;
	u64 reported;
	u8 reason;
	bool acked;
};

void hbc_message_get(struct hbc_message *m);
void hbc_message_put(struct hbc_message *m);

/**
 * hbc_message_fragment() - account for a fragment that arrived
 * @lane: where it arrived
 * @h: the frame's header
 * @f: the fragment's
 * @m: in: the message of the fragment before, or NULL; out: this one's,
 *	with a reference that moves
 *
 * The first fragment opens the message and finds the sockets that read it.
 *
 * Context: process, the receive work of the lane.
 * Return: 0 to forward and deliver it, 1 to drop it (the rest of a message
 * that was cut off), -EBADMSG for a lane that must end, -ENOMEM.
 */
int hbc_message_fragment(struct hbc_lane *lane, const struct hbc_hdr *h,
			 const struct hbc_fragment *f, struct hbc_message **m);

/* Give a run of fragments to the sockets that read its message. Context: process. */
void hbc_message_deliver(const struct hbc_run *run, struct hbc_burst *b);

/* Whether all sockets that read open messages of @sched have room. */
bool hbc_message_room(struct hbc_schedule *sched);

/*
 * The lane from the parent is gone (NULL: all of them): every message that
 * came over it and is not whole ends with @reason, here and, by ABORT, at all
 * nodes below. Context: process.
 */
void hbc_message_abort_all(struct hbc_schedule *sched, struct hbc_lane *lane, u8 reason);

/*
 * What deliveries tell: @bytes have been read so far by one of them; one is
 * finished, well (reason 0) or not. Context: process, no locks.
 */
void hbc_message_progress(struct hbc_message *m, u64 bytes);
void hbc_message_finish(struct hbc_message *m, u8 reason);

#endif /* _HBC_MESSAGE_H */
