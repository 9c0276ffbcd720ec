/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A source: the sending side of one socket, which outlives the socket until all that it
 * accepted has arrived or failed.
 */
#ifndef _HBC_SOURCE_H
#define _HBC_SOURCE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "store/cut.h"

struct hbc_sent;
struct hbc_session;
struct hbcast_completion;
struct hbcast_file;
struct hbcast_wait;
struct msghdr;
struct sock;

#define HBC_SOURCE_MESSAGES	512	/* of a socket that are not complete */
#define HBC_SOURCES_MAX		1024	/* of a session: each is told of room in the window */
#define HBC_SNDBUF_DEFAULT	(5 * 1024 * 1024)	/* for a window, and its headers */
#define HBC_SOURCE_KEEP		64	/* complete messages that can be asked for */
#define HBC_SOURCE_KEEP_BYTES	(256 * 1024)	/* and their memory, if that is fewer */

/**
 * struct hbc_source - what one socket sends
 * @ref: references: the socket, origin->sources, and every message
 * @link: origin->sources; origin->lock
 * @s: this node's own session in the group, a reference
 * @port: that the messages go to
 * @sk: the socket, no reference; NULL after it was closed; RCU, and origin->lock for that
 * @wait: for room, or for the end of a message
 * @writer: makes messages, one after the other; outermost
 * @pages: what messages are cut from; @writer
 * @messages: struct hbc_sent that are not complete, in order of their numbers; origin->lock, as
 *	all that follows
 * @nr_messages: their number; read without the lock
 * @nr_acked: those of them that are short and that all have
 * @charged: bytes of short messages that not all have; read without the lock
 * @outstanding: bytes of messages that are not complete; read without the lock
 * @done: the last that are complete
 * @nr_done: their number
 * @done_bytes: and their memory
 * @last: number of the message that was accepted last, 0 for none; read without the lock
 * @need: bytes of the send buffer without which the socket does not count as writable
 * @notify: completions go to the socket's error queue
 */
struct hbc_source {
	struct kref ref;
	struct list_head link;
	struct hbc_session *s;
	u16 port;
	struct sock __rcu *sk;
	wait_queue_head_t wait;
	struct mutex writer;	/* sendmsg() */
	struct hbc_pages pages;
	struct list_head messages;
	unsigned int nr_messages;
	unsigned int nr_acked;
	u64 charged;
	u64 outstanding;
	struct list_head done;
	unsigned int nr_done;
	size_t done_bytes;
	u64 last;
	u64 need;
	bool notify;
};

/*
 * A source for @sk, to @port. Takes over the reference on @s in any case. Context: process.
 * Return: with a reference; ERR_PTR: -ENOMEM, -EAGAIN for too many, -ENODEV
 * when the session has ended.
 */
struct hbc_source *hbc_source_new(struct hbc_session *s, u16 port, struct sock *sk);

/**
 * hbc_source_close() - the socket goes
 * @source: its reference is dropped
 * @linger: longest time to wait for the messages, in jiffies; -1: do not wait, 0: give up all
 *	that are not complete
 *
 * Context: process, nothing uses the socket.
 */
void hbc_source_close(struct hbc_source *source, long linger);

/* Context: process, no spinlocks. */
void hbc_source_put(struct hbc_source *source);

/**
 * hbc_source_send() - send one short message
 * @source: of the socket
 * @msg: the message's bytes
 * @len: their number
 * @timeo: longest time to wait in jiffies, 0: not at all
 *
 * Context: process, no locks.
 * Return: @len; -EAGAIN, -EMSGSIZE (longer than the window or the send buffer), -ENETUNREACH
 * (no plan), -ENODEV (the group was removed), -EFAULT, -ENOMEM, a signal's: nothing has been
 * accepted then.
 */
ssize_t hbc_source_send(struct hbc_source *source, struct msghdr *msg, size_t len, long timeo);

/*
 * Accept a file; @f->message is set. Context, errors: as above, and what hbc_file_new() says.
 */
int hbc_source_send_file(struct hbc_source *source, struct hbcast_file *f, long timeo);

/* Wait for a message's end, as HBCIOCWAIT says. Context: process. */
int hbc_source_wait(struct hbc_source *source, struct hbcast_wait *w);

/*
 * What hbc_sent_completion() says of message @number, 0 for the last one: for kvfree(), or ERR_PTR:
 * -ENOENT, -ENOMEM. Context: process.
 */
struct hbcast_completion *hbc_source_completion(struct hbc_source *source, u64 number, u32 max);

/* Whether the socket takes more; else its sk_write_space() is called once it does. */
bool hbc_source_poll(struct hbc_source *source);

/* Below: for the files of this folder; process context, no spinlocks. */

/* What a short message of @len bytes takes of the send buffer: its headers, too. */
static inline u64 hbc_source_charge(u64 len)
{
	return len + len / 64 + 512;
}

/* Bytes of the send buffer, 0 without a socket. */
u64 hbc_source_sndbuf(struct hbc_source *source);
/* Whether a short message that takes @bytes, or with 0 a file, may be accepted. Context: any. */
bool hbc_source_room(struct hbc_source *source, u64 bytes);
/* Waits until it may: 0 or -errno. */
int hbc_source_wait_room(struct hbc_source *source, u64 bytes, long *timeo);

/* A message is complete: who wants to know is told. */
void hbc_source_completed(struct hbc_source *source, struct hbc_sent *sent);
/* The session has ended: nothing more can be sent. origin->lock held. */
void hbc_source_ended(struct hbc_source *source);

#endif /* _HBC_SOURCE_H */
