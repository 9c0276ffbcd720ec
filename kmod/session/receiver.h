/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receivers: sockets that are bound to a group's port, and what of messages goes to them.
 *
 * A delivery is a cursor over a store, too: its pieces go, by reference and in order, to the
 * socket's receive queue as long as that has room.
 */
#ifndef _HBC_RECEIVER_H
#define _HBC_RECEIVER_H

#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hbc_file;
struct hbc_group;
struct hbc_message;
struct hbc_sink;
struct hbcast_sink;
struct sock;

/* Messages on a socket's queue: a reader that does not read is cut off before it blocks a root. */
#define HBC_RECEIVER_MESSAGES	256
#define HBC_RECEIVERS_MAX	256	/* sockets that are bound to a group */

/* What waits for room on a socket's queue. */
enum hbc_waiting {
	HBC_WAITING_NOTHING,
	HBC_WAITING_FILE,	/* for a reader that reads, however slowly */
	HBC_WAITING_SHORT,	/* for room, since the root waits, too */
};

/**
 * struct hbc_receiver - the receiving side of a socket
 * @group: that it is bound to, a reference; set once, as @sk, @port, @unordered, @sinks
 * @link: group->socks; group->socks_lock
 * @sk: the socket
 * @port: that it is bound to
 * @unordered: pieces are handed out as they come
 * @sinks: messages that are files go to files
 * @lock: all that follows, and the deliveries' fields
 * @deliveries: struct hbc_delivery that are not all on the queue, those of one root in the
 *	order of their numbers
 * @queued: those that are, and have not come to an end
 * @begun: the short message of which a part is on the queue, of one that is not unordered, or NULL
 * @file: the file of which a part is, likewise
 * @behind: short messages that are to be on the queue behind all of @file, in the same room
 * @ends: ends of messages on the queue that have not been read
 * @waiting: for room
 * @closed: no new messages
 * @cut: it was cut off, and no reader has been told yet
 * @moved: jiffies since when it waits, or if that is a file, when the reader read last
 * @pushing: something goes to the queue
 * @again: then it is to be looked at once more
 * @work: pushes, and looks whether the reader reads
 */
struct hbc_receiver {
	struct hbc_group *group;
	struct hlist_node link;
	struct sock *sk;
	u16 port;
	bool unordered;
	bool sinks;
	spinlock_t lock; /* deliveries */
	struct list_head deliveries;
	struct list_head queued;
	struct hbc_delivery *begun;
	struct hbc_delivery *file;
	struct sk_buff_head behind;
	unsigned int ends;
	bool pushing;
	bool again;
	enum hbc_waiting waiting;
	bool closed;
	bool cut;
	unsigned long moved;
	struct delayed_work work;
};

/**
 * struct hbc_delivery - a message at a receiver
 * @message_link: message->deliveries; session->lock
 * @link: receiver->deliveries or receiver->queued; empty when it has come to an end
 * @message: a reference
 * @r: the receiver; until it has come to an end a reference on its socket
 * @first: of a short message: none of its session waits before it on receiver->deliveries
 * @next: pieces before it are on the queue; of one that is not unordered
 * @nr: pieces that are
 * @off: bytes of the piece at hand, with headers, of fragments that are whole
 * @part: bytes of the payload of the next fragment that are
 * @read: bytes that have been read
 * @sink: the file that it goes to instead of the queue, all but its end; set once
 * @reason: enum hbcast_reason with which it is to end, 0
 * @queued: all of it, or its end, is on the queue
 * @end: the same, and nothing can be told of it any more
 * @reported: what became of it counts for its message
 * @ended: it has come to an end
 * @done: pieces that are on the queue; of one that is unordered
 */
struct hbc_delivery {
	struct list_head message_link;
	struct list_head link;
	struct hbc_message *message;
	struct hbc_receiver *r;
	bool first;
	u32 next;
	u32 nr;
	u32 off;
	u32 part;
	u64 read;
	struct hbc_sink *sink;
	u8 reason;
	bool queued;
	bool end;
	bool reported;
	bool ended;
	unsigned long done[];
};

/* What a skb on the queue is, with a reference on its delivery's message; in its cb. */
struct hbc_skb {
	struct hbc_delivery *d;
	u64 offset;		/* of its first byte in the message */
	u32 used;		/* bytes that have been read */
	u8 reason;		/* enum hbcast_reason: no data, the message ends with it */
	bool end;		/* the message ends behind it */
};

static inline struct hbc_skb *hbc_skb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct hbc_skb) > sizeof_field(struct sk_buff, cb));
	return (struct hbc_skb *)skb->cb;
}

void hbc_receiver_init(struct hbc_receiver *r, struct sock *sk);
/*
 * It is bound: messages find it from now on. Context: process; hn->lock held. Return: 0, or
 * -EADDRINUSE if as many are bound as may be.
 */
int hbc_receiver_bind(struct hbc_receiver *r, struct hbc_group *group, u16 port);
/* No message finds it any more. Context: process. */
void hbc_receiver_unbind(struct hbc_receiver *r);
/*
 * Nothing is read any more (or with @partial, only messages that are whole on the queue): the
 * others fail. Context: process, the socket's lock held.
 */
void hbc_receiver_close(struct hbc_receiver *r, bool partial);
/* The last of the socket. Context: process. */
void hbc_receiver_free(struct hbc_receiver *r);

/*
 * The sockets that read a new message get deliveries, on no receiver's list yet. Context:
 * process; nothing else knows @m. Return: 0, or -ENOMEM.
 */
int hbc_receivers_open(struct hbc_message *m);
/*
 * The message is known: the deliveries take their places, but for those of receivers that take
 * none, which go to @gone, and to hbc_receivers_linked() without locks. session->lock held.
 */
void hbc_receivers_link(struct hbc_message *m, struct list_head *gone);
void hbc_receivers_linked(struct hbc_message *m, struct list_head *gone);
/*
 * More of the message is here; or with a @reason, no more of it comes, and those who have not all
 * end with that. Context: process, no spinlocks.
 */
void hbc_receivers_push(struct hbc_message *m, u8 reason);
/* Frees the deliveries of a message that is freed. Context: process. */
void hbc_receivers_free(struct hbc_message *m);
/* Directions @how of @sk are shut; not all who do that have its lock. Context: any. */
void hbc_receiver_shut(struct sock *sk, u8 how);
/*
 * Direction @how (RCV_SHUTDOWN or SEND_SHUTDOWN) of @sk has lost its group: the socket fails with
 * ENODEV, and hangs up if its other direction is not used. Context: any.
 */
void hbc_receiver_hang_up(struct sock *sk, u8 how);
/* All receivers of a group are told that it goes. hn->lock held. */
void hbc_receivers_gone(struct hbc_group *group);
/* Bytes that all of a message's receivers have read, or have on their queues, at least. */
u64 hbc_receivers_queued(struct hbc_message *m);

/* Below: for the reader; process context, the socket's lock held. */

/* Whether a reader that wants @want bytes need not wait. */
bool hbc_receiver_ready(struct hbc_receiver *r, size_t want);
/* @bytes of @skb, the queue's first, have been read, which goes if that was all. */
void hbc_receiver_read(struct hbc_receiver *r, struct sk_buff *skb, u32 bytes);
/* Bytes of the queue's first message that can be read. */
u64 hbc_receiver_avail(struct hbc_receiver *r);
/* Whether it was cut off and no reader has been told, which it counts as now unless @peek. */
bool hbc_receiver_was_cut(struct hbc_receiver *r, bool peek);

/* Below: of a receiver with @sinks; context as above. */

/* Whether a message waits for a file. */
bool hbc_receiver_wants(struct hbc_receiver *r);
/*
 * The message that @s names, or the first, that waits for a file gets @file, which @has pieces of
 * it, unless NULL; the reference is taken over. Without @file it is found alone. Return: with a
 * reference on its message, or ERR_PTR: -EAGAIN if there is none, or -ENOENT if it has a name;
 * -EOVERFLOW, -EINVAL for another number of pieces, -ENOMEM.
 */
struct hbc_delivery *hbc_receiver_sink(struct hbc_receiver *r, struct hbc_file *file,
				       const struct hbcast_sink *s, const u64 *has);
/* That of a message that has its file, with a reference on the message, or ERR_PTR(-ENOENT). */
struct hbc_delivery *hbc_receiver_sunk(struct hbc_receiver *r, u32 root, u64 number);
/* One that has failed before it got a file, and nobody has been told, likewise; or NULL. */
struct hbc_delivery *hbc_receiver_failed(struct hbc_receiver *r);
/* The end of a delivery on the queue, or NULL; for hbc_receiver_read(). */
struct sk_buff *hbc_receiver_end_of(struct hbc_receiver *r, const struct hbc_delivery *d);
/* Bytes of it that are in its file. */
u64 hbc_delivery_sunk(const struct hbc_delivery *d);

/* Below: between receiver.c and reading.c. */

/* Whether it goes to a file, which it may wait for. */
bool hbc_delivery_sinks(const struct hbc_receiver *r, const struct hbc_delivery *d);

/* As much as there is goes on the queue. Context: process, no spinlocks. */
void hbc_receiver_push(struct hbc_receiver *r);
/* The file at hand is all on the queue, or is to end: those behind it follow. r->lock held. */
void hbc_receiver_join(struct hbc_receiver *r);
/* It comes to its end, if it had not: then hbc_delivery_settle() has to follow. r->lock held. */
bool hbc_delivery_end(struct hbc_delivery *d);
/* It has come to its end: what that means for its message. Context: process, no spinlocks. */
void hbc_delivery_settle(struct hbc_delivery *d, u8 reason);

#endif /* _HBC_RECEIVER_H */
