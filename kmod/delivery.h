/* SPDX-License-Identifier: GPL-2.0 */
/* A delivery: one message at one receiving socket. */
#ifndef _HBC_DELIVERY_H
#define _HBC_DELIVERY_H

#include <linux/list.h>
#include <linux/types.h>

struct hbc_burst;
struct hbc_group;
struct hbc_message;
struct hbc_sock;

/**
 * struct hbc_delivery - what of a message waits at a socket
 * @message_link: message->deliveries; sched->lock
 * @sock_link: hbc_sock deliveries in order of their first fragment; the
 *	socket's queue lock, as all that follows
 * @message: a reference
 * @sk: the socket, a reference
 * @queue: pieces that have not been read
 * @queued: their truesize
 * @arrived: payload bytes that have been queued so far
 * @read: payload bytes that have been read
 * @reason: enum hbcast_reason with which it ends; 0
 * @detached: the socket wants no more of it
 */
struct hbc_delivery {
	struct list_head message_link;
	struct list_head sock_link;
	struct hbc_message *message;
	struct hbc_sock *sk;
	struct list_head queue;
	unsigned int queued;
	u64 arrived;
	u64 read;
	u8 reason;
	bool detached;
};

/**
 * hbc_delivery_open() - find the sockets that read a new message
 * @group: of the message
 * @m: the message; its deliveries list is filled, m->unread counts them
 *
 * Context: process; nobody else knows @m yet.
 * Return: 0, also for no socket at all; -ENOMEM.
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
/* No more comes; the reader is told @reason after what is queued. Context: process. */
void hbc_delivery_end(struct hbc_delivery *d, u8 reason);
/* Whether the socket takes more of this message now. Arms the stall clock if not. */
bool hbc_delivery_room(struct hbc_delivery *d);
/* Last reference of the message's list goes. Context: process. */
void hbc_delivery_free(struct hbc_delivery *d);

#endif /* _HBC_DELIVERY_H */
