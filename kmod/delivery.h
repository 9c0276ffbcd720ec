/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A delivery: one message at one receiving socket.
 *
 * As soon as its message is known to anybody it is linked to the socket and
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
#include "spans.h"

struct hbc_burst;
struct hbc_group;
struct hbc_message;
struct hbc_run;
struct hbc_sock;

#define HBC_DELIVERIES_MAX	256	/* messages at a socket; with as many there is no room */

/**
 * struct hbc_delivery - what of a message waits at a socket
 * @message_link: message->deliveries; sched->lock
 * @sock_link: hs->deliveries in the order in which they became known, those of one root
 *	in the order of their ids; the socket's queue_lock, as all that follows
 *	unless told otherwise
 * @message: a reference while linked; set at birth
 * @hs: the socket, a reference until detached; RCU
 * @queue: pieces (struct hbc_piece) that no reader has taken; an ordered
 *	socket's by their offsets
 * @reading: pieces that the reader has taken; whoever holds the socket's lock
 * @model: what they have in common; as @reading
 * @queued: what the socket is charged for all pieces
 * @had: bytes of the message that have been queued
 * @bytes: their number
 * @arrived: those of them that can be read: of an ordered socket's what has come
 *	without a gap
 * @read: payload bytes that have been read
 * @told: @read when message.c was told last
 * @reason: enum hbcast_reason with which it ends after what is queued; 0
 * @linked: on the socket's list
 * @whole: all of the message has been queued
 * @busy: the reader is at it and will tell message.c if it is detached meanwhile
 * @detached: the socket wants no more of it
 * @denied: somebody was told that there is no room
 * @overdue: it has been waited long enough for the message before it
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
	struct hbc_spans had;
	u64 bytes;
	u64 arrived;
	u64 read;
	u64 told;
	u8 reason;
	bool linked;
	bool whole;
	bool busy;
	bool detached;
	bool denied;
	bool overdue;
};

/**
 * hbc_delivery_open() - find the sockets that read a new message
 * @group: of the message
 * @m: the message; its deliveries list is filled, m->open is raised by their number
 *
 * Context: process; nobody else knows @m yet.
 * Return: 0, also for no socket at all; -ENOMEM, with the list as it is.
 */
int hbc_delivery_open(struct hbc_group *group, struct hbc_message *m);

/*
 * The message becomes known: the socket takes it, or will be told by
 * hbc_delivery_refuse() that it does not. Context: sched->lock held.
 */
void hbc_delivery_link(struct hbc_delivery *d);
/* Those that do not take it are finished with it, the others know. Context: process. */
void hbc_delivery_refuse(struct hbc_message *m);

/**
 * hbc_delivery_queue() - hand fragments to the socket
 * @d: delivery
 * @b: burst that holds them; references are taken as needed
 * @run: which; what has come before is dropped, and so is what comes too early
 *	for the socket's buffer: it will be sent again
 *
 * Wakes the reader. The last byte of the message completes the delivery's
 * queue. What there is no memory for is dropped, too.
 *
 * Context: process, receive work of a lane.
 */
void hbc_delivery_queue(struct hbc_delivery *d, struct hbc_burst *b, const struct hbc_run *run);
/* Bytes from the beginning on that have come, or that nobody wants. Context: any. */
u64 hbc_delivery_have(struct hbc_delivery *d);
/* The first gap from *@first on, as hbc_spans_gap(); none if nobody wants it. Context: any. */
bool hbc_delivery_gap(struct hbc_delivery *d, u64 *first, u64 *last, u64 end);
/* It has no bytes, so all of it is there. Context: process. */
void hbc_delivery_none(struct hbc_delivery *d);
/* The message before @m will not come any more: readers may go on. Context: process. */
void hbc_delivery_wake(struct hbc_message *m);
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
