/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A delivery: one message at one receiving socket.
 *
 * It is new until the first fragment is queued, then linked to the socket and
 * holds a reference on the message, until the reader has had all of it, or the
 * socket or the clock ends it: then it is detached, and whatever still comes
 * is not for this socket. Its memory belongs to the message: it may be gone
 * when hbc_message_finish() has been called for it, which happens once.
 */
#ifndef _HBC_DELIVERY_H
#define _HBC_DELIVERY_H

#include <linux/list.h>
#include <linux/types.h>

#include "piece.h"

struct hbc_burst;
struct hbc_group;
struct hbc_message;
struct hbc_sock;

#define HBC_DELIVERIES_MAX	256	/* messages at a socket; with as many there is no room */

/**
 * struct hbc_delivery - what of a message waits at a socket
 * @message_link: message->deliveries; sched->lock
 * @sock_link: hs->deliveries in order of the first fragments; the socket's
 *	queue_lock, as all that follows unless told otherwise
 * @message: a reference while linked; set at birth
 * @hs: the socket, a reference until detached; RCU
 * @queue: pieces (struct hbc_piece) that no reader has taken
 * @reading: pieces that the reader has taken; whoever holds the socket's lock
 * @model: what they have in common; as @reading
 * @queued: what the socket is charged for all pieces
 * @arrived: payload bytes that have been queued so far
 * @read: payload bytes that have been read
 * @told: @read when message.c was told last
 * @reason: enum hbcast_reason with which it ends after what is queued; 0
 * @linked: on the socket's list
 * @whole: all of the message has been queued
 * @busy: the reader is at it and will tell message.c if it is detached meanwhile
 * @detached: the socket wants no more of it
 * @denied: somebody was told that there is no room
 */
struct hbc_delivery {
	struct list_head message_link;
	struct list_head sock_link;
	struct hbc_message *message;
	struct hbc_sock __rcu *hs;
	struct list_head queue;
	struct list_head reading;
	struct hbc_piece_model model;
	unsigned int queued;
	u64 arrived;
	u64 read;
	u64 told;
	u8 reason;
	bool linked;
	bool whole;
	bool busy;
	bool detached;
	bool denied;
};

/**
 * hbc_delivery_open() - find the sockets that read a new message
 * @group: of the message
 * @m: the message; its deliveries list is filled, m->open is raised by their number
 *
 * Context: process; nobody else knows @m yet, and no socket calls message.c
 * before the first hbc_delivery_queue().
 * Return: 0, also for no socket at all; -ENOMEM, with the list as it is.
 */
int hbc_delivery_open(struct hbc_group *group, struct hbc_message *m);

/**
 * hbc_delivery_queue() - hand fragments to the socket
 * @d: delivery
 * @b: burst that holds them; references are taken as needed
 * @pos: first byte in the burst, a fragment's header
 * @len: bytes, whole fragments, headers included
 * @offset: of the first payload byte in the message
 * @bytes: payload bytes
 *
 * Wakes the reader. The last byte of the message completes the delivery's
 * queue. A failure of memory ends the delivery with a reason.
 *
 * Context: process, receive work of the lane.
 */
void hbc_delivery_queue(struct hbc_delivery *d, struct hbc_burst *b, u32 pos, u32 len,
			u64 offset, u32 bytes);
/*
 * No more comes: the reader is told @reason after what is queued, unless that
 * is the whole message. Context: process.
 */
void hbc_delivery_end(struct hbc_delivery *d, u8 reason);
/*
 * Whether the socket takes more of this message now. Arms the stall clock if
 * not. With @crowded there are too many messages that wait for readers, so that
 * none has room. Context: process; sched->lock may be held.
 */
bool hbc_delivery_room(struct hbc_delivery *d, bool crowded);
/* All deliveries of the message are finished. Context: process. */
void hbc_delivery_free(struct hbc_delivery *d);

/* Below: for the socket and its reader. */

/* Whether @d has something for a reader that wants @want bytes. queue_lock held. */
bool hbc_delivery_ready(const struct hbc_sock *hs, const struct hbc_delivery *d, size_t want);
/* The reader is through with a piece of @d->reading. Context: process. */
void hbc_delivery_consume(struct hbc_sock *hs, struct hbc_delivery *d, struct hbc_piece *p);
/*
 * How a reader leaves a delivery that it had made busy; who waits for room
 * goes on. It has had @bytes more (returns whether that was the end of the
 * message), nothing at all, or gives it up. Context: process, the socket's
 * lock held.
 */
bool hbc_delivery_advance(struct hbc_sock *hs, struct hbc_delivery *d, u64 bytes);
void hbc_delivery_leave(struct hbc_sock *hs, struct hbc_delivery *d);
void hbc_delivery_abandon(struct hbc_sock *hs, struct hbc_delivery *d, u8 reason);
/*
 * The socket reads nothing any more (or, with @partial, only what is whole).
 * Context: process, the socket's lock held or nobody else left.
 */
void hbc_delivery_close(struct hbc_sock *hs, bool partial);

/* Stall clock: work item of hs->stall. */
void hbc_delivery_stall(struct work_struct *work);

#endif /* _HBC_DELIVERY_H */
