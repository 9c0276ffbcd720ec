/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A source: the sending side of one socket, which outlives the socket until
 * all that it accepted has arrived or failed.
 */
#ifndef _HBC_SOURCE_H
#define _HBC_SOURCE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "origin.h"

struct file;
struct hbc_outgoing;
struct hbc_schedule;
struct hbcast_completion;
struct hbcast_file;
struct hbcast_wait;
struct msghdr;
struct sock;

/*
 * Messages that are not complete. A receiver has no room when half as many
 * wait for it, so that one that never reads is cut off before it blocks a root.
 */
#define HBC_SOURCE_MESSAGES	512
#define HBC_SNDBUF_DEFAULT	(4 * 1024 * 1024)	/* what is sent is kept until all have it */
#define HBC_SOURCE_KEEP		64		/* complete messages that can be asked for */
#define HBC_SOURCE_KEEP_BYTES	(256 * 1024)	/* and their memory, if that is fewer */

/**
 * struct hbc_source - what one socket sends
 * @ref: references: the socket, origin->sources, every message and every burst
 * @link: origin->sources; origin->lock
 * @sched: this node's own schedule in the group, a reference
 * @origin: of @sched
 * @port: that the messages go to
 * @sk: the socket, no reference; NULL after it was closed; RCU
 * @sndbuf: its sk_sndbuf when it was closed
 * @charged: truesize of bursts that wait here or on some lane
 * @need: free bytes of the send buffer without which the socket does not
 *	count as writable
 * @nospace: somebody polls for it
 * @wait: for room, or for the end of a message
 * @writer: makes messages, one after the other; outermost
 * @messages: struct hbc_outgoing that are not complete, in order of their ids;
 *	origin->lock, as all that follows
 * @nr_messages: their number; read without the lock
 * @queue: those of them that have not left for the lanes as a whole
 * @done: the last that are complete
 * @nr_done: their number
 * @done_bytes: and their memory
 * @last: id of the message that was accepted last
 * @closed: there is no socket
 * @ended: the socket has been told that the schedule has
 * @reading: file-backed messages wait for room
 * @read: reads files
 * @free: the end
 */
struct hbc_source {
	struct kref ref;
	struct list_head link;
	struct hbc_schedule *sched;
	struct hbc_origin *origin;
	u16 port;
	struct sock __rcu *sk;
	int sndbuf;
	atomic_t charged;
	u32 need;
	bool nospace;
	wait_queue_head_t wait;
	struct mutex writer;	/* sendmsg() */
	struct list_head messages;
	unsigned int nr_messages;
	struct list_head queue;
	struct list_head done;
	unsigned int nr_done;
	size_t done_bytes;
	u64 last;
	bool closed;
	bool ended;
	bool reading;
	struct work_struct read;
	struct work_struct free;
};

/*
 * A source for @sk, to @port. Takes over the reference on @sched in any case.
 * Context: process. Return: with a reference; ERR_PTR: -ENOMEM, -ENODEV when
 * the schedule has ended.
 */
struct hbc_source *hbc_source_new(struct hbc_schedule *sched, u16 port, struct sock *sk);

/**
 * hbc_source_close() - the socket goes
 * @source: its reference is dropped
 * @linger: longest time to wait for the messages, in jiffies; -1: do not wait,
 *	0: abort those that have not left as a whole
 *
 * Context: process, nobody uses the socket.
 */
void hbc_source_close(struct hbc_source *source, long linger);

void hbc_source_get(struct hbc_source *source);
/* Context: any but hard irq. */
void hbc_source_put(struct hbc_source *source);

/* The burst's last reference is gone: its truesize goes back. Context: any but hard irq. */
void hbc_source_uncharge(struct hbc_source *source, unsigned int truesize);

/**
 * hbc_source_send() - send one message
 * @source: of the socket
 * @msg: the message's bytes
 * @len: their number
 * @timeo: longest time to wait in jiffies, 0: not at all
 *
 * Context: process, no locks.
 * Return: @len; -EAGAIN, -EMSGSIZE (never fits without waiting), -ENETUNREACH
 * (no plan), -ENODEV (the group was removed), -EFAULT, -ENOMEM, a signal's. A
 * message that was begun is aborted then.
 */
ssize_t hbc_source_send(struct hbc_source *source, struct msghdr *msg, size_t len, long timeo);

/*
 * Accept a file-backed message; @f->message is set. Context, errors: as above,
 * and -EBADF, -EINVAL for a file that cannot be read so, -EOVERFLOW, -ENODATA
 * for one that is too short.
 */
int hbc_source_send_file(struct hbc_source *source, struct hbcast_file *f, long timeo);

/*
 * Wait for a message's end, as HBCIOCWAIT says. -ECONNABORTED when it was
 * aborted before it had members. Context: process.
 */
int hbc_source_wait(struct hbc_source *source, struct hbcast_wait *w);

/**
 * hbc_source_completion() - how far a message is
 * @source: of the socket
 * @id: of the message, 0 for the last one
 * @max: members that the caller has room for
 * @c: set to memory with the answer and as many members as there are, @max at
 *	the most; for kvfree()
 *
 * Context: process. Return: members at @c, -ENOENT, -ENOMEM.
 */
int hbc_source_completion(struct hbc_source *source, u64 id, u32 max,
			  struct hbcast_completion **c);

/* Bytes of messages that are not complete. Context: process. */
u64 hbc_source_outstanding(struct hbc_source *source);
/* Id of the message that was accepted last, 0 for none. Context: process. */
u64 hbc_source_last(struct hbc_source *source);
/* Whether the socket takes more. Context: any. */
bool hbc_source_writable(struct hbc_source *source);
/* The same; if not, the socket's sk_write_space() is called once it does. */
bool hbc_source_poll(struct hbc_source *source);

/* Below: for outgoing.c, origin.c and roster.c. */

/* Size of the send buffer. Context: any. */
unsigned int hbc_source_sndbuf(struct hbc_source *source);
/* A burst's truesize; its reference on @source is the caller's. Context: any. */
void hbc_source_charge(struct hbc_source *source, unsigned int truesize);
/* Whoever waits for room goes on if there is any. Context: any but hard irq. */
void hbc_source_tell_room(struct hbc_source *source);
/* A file-backed message is first in the queue and nothing of it is there. origin->lock held. */
bool hbc_source_starved(struct hbc_source *source);
/* Then files are read on, soon. Context: any but hard irq. */
void hbc_source_read_on(struct hbc_source *source);
/* On the sources' work queue: false if it is there already. Context: any. */
bool hbc_source_work(struct work_struct *work);
/* The same after @delay jiffies, and not when it was to come if it is there already. */
bool hbc_source_work_after(struct delayed_work *work, unsigned long delay);
/* A message is complete: tells who wants to know. Context: process, no spinlocks. */
void hbc_source_completed(struct hbc_source *source, struct hbc_outgoing *m);
/* The schedule has ended: nothing more can be sent. Context: process. */
void hbc_source_ended(struct hbc_source *source);

int hbc_source_init(void);
/* After all namespaces are gone: waits for what is still under way. */
void hbc_source_exit(void);

#endif /* _HBC_SOURCE_H */
