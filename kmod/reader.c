// SPDX-License-Identifier: GPL-2.0
/* The reader: recvmsg() on a receiving socket. */
#include <linux/errno.h>
#include <linux/hbcast.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "delivery.h"
#include "group.h"
#include "message.h"
#include "piece.h"
#include "reader.h"
#include "schedule.h"
#include "socket.h"

static int hbc_reader_errno(u8 reason)
{
	switch (reason) {
	case HBCAST_REASON_ABORTED:
		return -ECONNABORTED;
	case HBCAST_REASON_CHECKSUM:
		return -EBADMSG;
	case HBCAST_REASON_STALLED:
		return -ENOBUFS;
	case HBCAST_REASON_NO_MEMORY:
		return -ENOMEM;
	default:
		return -ECONNRESET;
	}
}

/* What somebody who wants @want bytes reads next. queue_lock held. */
static struct hbc_delivery *hbc_reader_next(const struct hbc_sock *hs, size_t want)
{
	struct hbc_delivery *d;

	list_for_each_entry(d, &hs->deliveries, sock_link) {
		if (hbc_delivery_ready(hs, d, want))
			return d;
		if (!hs->unordered)
			break;
	}
	return NULL;
}

bool hbc_reader_ready(struct hbc_sock *hs)
{
	bool ready;

	spin_lock_bh(&hs->queue_lock);
	ready = hs->cut || hbc_reader_next(hs, SIZE_MAX);
	spin_unlock_bh(&hs->queue_lock);
	return ready;
}

u64 hbc_reader_avail(struct hbc_sock *hs)
{
	struct hbc_delivery *d;
	u64 avail = 0;

	spin_lock_bh(&hs->queue_lock);
	d = hbc_reader_next(hs, 1);
	if (d)
		avail = d->arrived - d->read;
	spin_unlock_bh(&hs->queue_lock);
	return avail;
}

/* Move what can be read to the reader's own list. queue_lock held. */
static void hbc_reader_gather(const struct hbc_sock *hs, struct hbc_delivery *d)
{
	bool all = hs->unordered || d->arrived == d->bytes;
	struct list_head *at = d->queue.prev;
	LIST_HEAD(ready);

	/* What came early is at the end. */
	while (!all && at != &d->queue &&
	       list_entry(at, struct hbc_piece, link)->offset >= d->arrived)
		at = at->prev;
	list_cut_position(&ready, &d->queue, at);
	list_splice_tail(&ready, &d->reading);
}

/*
 * 1: *@d can be read, and is busy, with a reference on its message; 2: the
 * same, but only @d->reason is left of it; 0: nothing will come any more;
 * -EAGAIN, -ENOBUFS, or the socket's error.
 */
static int hbc_reader_take(struct hbc_sock *hs, size_t want, int flags, struct hbc_delivery **d)
{
	int ret = -EAGAIN;
	bool open;

	spin_lock_bh(&hs->queue_lock);
	*d = hbc_reader_next(hs, want);
	open = !list_empty(&hs->deliveries);
	if (hs->cut) {
		ret = -ENOBUFS;
		hs->cut = flags & MSG_PEEK;
	} else if (*d) {
		hbc_message_get((*d)->message);
		hbc_reader_gather(hs, *d);
		(*d)->busy = true;
		ret = (*d)->reason && list_empty(&(*d)->reading) ? 2 : 1;
	} else {
		hs->want = min(hs->want, want);
	}
	spin_unlock_bh(&hs->queue_lock);
	/* Those that are open come to their own end before the socket does. */
	if (ret != -EAGAIN || open)
		return ret;
	ret = sock_error(&hs->sk);
	if (ret)
		return ret;
	return hs->sk.sk_shutdown & RCV_SHUTDOWN ? 0 : -EAGAIN;
}

static void hbc_reader_waits(struct hbc_sock *hs, int more)
{
	spin_lock_bh(&hs->queue_lock);
	hs->waiters += more;
	if (!hs->waiters)
		hs->want = SIZE_MAX;
	spin_unlock_bh(&hs->queue_lock);
}

/* As hbc_reader_take(), but waits as long as the socket and @flags allow. */
static int hbc_reader_wait(struct hbc_sock *hs, size_t want, int flags, struct hbc_delivery **d)
{
	long timeo = sock_rcvtimeo(&hs->sk, flags & MSG_DONTWAIT);
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int ret;

	hbc_reader_waits(hs, 1);
	add_wait_queue(sk_sleep(&hs->sk), &wait);
	for (;;) {
		ret = hbc_reader_take(hs, want, flags, d);
		if (ret != -EAGAIN || !timeo)
			break;
		if (signal_pending(current)) {
			ret = sock_intr_errno(timeo);
			break;
		}
		release_sock(&hs->sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(&hs->sk);
	}
	remove_wait_queue(sk_sleep(&hs->sk), &wait);
	hbc_reader_waits(hs, -1);
	return ret;
}

/* More may have come while the reader copied. */
static bool hbc_reader_refill(struct hbc_sock *hs, struct hbc_delivery *d)
{
	spin_lock_bh(&hs->queue_lock);
	hbc_reader_gather(hs, d);
	spin_unlock_bh(&hs->queue_lock);
	return !list_empty(&d->reading);
}

/*
 * Copies one contiguous run; *@offset is where it starts in the message.
 * Return: bytes, or -EFAULT or -EBADMSG if there are none.
 */
static ssize_t hbc_reader_copy(struct hbc_sock *hs, struct hbc_delivery *d, struct iov_iter *to,
			       size_t len, u64 *offset)
{
	size_t done = 0;

	do {
		struct hbc_piece *p;
		ssize_t n;

		if (list_empty(&d->reading) && !hbc_reader_refill(hs, d))
			break;
		p = list_first_entry(&d->reading, struct hbc_piece, link);
		if (!done)
			*offset = p->offset;
		else if (p->offset != *offset + done)
			break;
		n = hbc_piece_read(p, d->message, &d->model, to, len - done);
		if (n < 0)
			return done ?: n;
		done += n;
		if (p->bytes)
			break;
		hbc_delivery_consume(hs, d, p);
	} while (done < len);
	return done;
}

/* The same without taking anything away. */
static ssize_t hbc_reader_peek(const struct hbc_delivery *d, struct iov_iter *to, size_t len,
			       u64 *offset)
{
	struct hbc_piece_model model = d->model;
	const struct hbc_piece *p;
	size_t done = 0;

	list_for_each_entry(p, &d->reading, link) {
		struct hbc_piece copy = *p;
		ssize_t n;

		if (!done)
			*offset = p->offset;
		else if (p->offset != *offset + done)
			break;
		n = hbc_piece_read(&copy, d->message, &model, to, len - done);
		if (n < 0)
			return done ?: n;
		done += n;
		if (done == len || copy.bytes)
			break;
	}
	return done;
}

static void hbc_reader_name(const struct hbc_message *m, struct msghdr *msg)
{
	DECLARE_SOCKADDR(struct sockaddr_hbcast *, name, msg->msg_name);

	if (!name)
		return;
	memset(name, 0, sizeof(*name));
	name->shb_family = AF_HBCAST;
	name->shb_port = m->port;
	name->shb_group = m->sched->group->id;
	name->shb_node = m->sched->root;
	msg->msg_namelen = sizeof(*name);
}

static void hbc_reader_describe(const struct hbc_sock *hs, const struct hbc_message *m,
				struct msghdr *msg, u64 offset)
{
	struct hbcast_piece piece = { .message = m->id, .offset = offset, .total = m->total };

	hbc_reader_name(m, msg);
	if (hs->unordered)
		put_cmsg(msg, SOL_HBCAST, HBCAST_PIECE, sizeof(piece), &piece);
}

static void hbc_reader_tell(const struct hbc_delivery *d, struct msghdr *msg, u8 reason)
{
	const struct hbc_message *m = d->message;
	struct hbcast_failure failure = {
		.message = m->id,
		.total = m->total,
		.read = d->read,
		.error = -hbc_reader_errno(reason),
		.reason = reason,
	};

	hbc_reader_name(m, msg);
	put_cmsg(msg, SOL_HBCAST, HBCAST_FAILURE, sizeof(failure), &failure);
	msg->msg_flags |= HBCAST_MSG_NOTIFICATION | MSG_EOR;
}

/* Nothing is left of a message that did not end well. */
static ssize_t hbc_reader_end(struct hbc_sock *hs, struct hbc_delivery *d, struct msghdr *msg,
			      u8 reason, int flags)
{
	if (hs->notify)
		hbc_reader_tell(d, msg, reason);
	if (flags & MSG_PEEK) {
		hbc_delivery_leave(hs, d);
	} else {
		if (reason == HBCAST_REASON_CHECKSUM)
			hbc_group_drop(hs->group, HBC_DROP_CHECKSUM);
		hbc_delivery_abandon(hs, d, reason);
	}
	return hs->notify ? 0 : hbc_reader_errno(reason);
}

/* What could be read has been: sets MSG_EOR at the end of the message. */
static void hbc_reader_done(struct hbc_sock *hs, struct hbc_delivery *d, struct msghdr *msg,
			    size_t bytes, int flags)
{
	bool end;

	if (flags & MSG_PEEK) {
		end = d->read + bytes == d->message->total;
		hbc_delivery_leave(hs, d);
	} else {
		end = hbc_delivery_advance(hs, d, bytes);
	}
	if (end)
		msg->msg_flags |= MSG_EOR;
}

/* Hands out of @d, which is busy. */
static ssize_t hbc_reader_hand_out(struct hbc_sock *hs, struct hbc_delivery *d,
				   struct msghdr *msg, size_t len, int flags)
{
	u64 left = d->message->total - d->read, offset = 0;
	ssize_t ret;

	if (flags & MSG_PEEK)
		ret = hbc_reader_peek(d, &msg->msg_iter, len, &offset);
	else
		ret = hbc_reader_copy(hs, d, &msg->msg_iter, len, &offset);
	if (ret == -EBADMSG)
		return hbc_reader_end(hs, d, msg, HBCAST_REASON_CHECKSUM, flags);
	if (ret < 0) {
		hbc_delivery_leave(hs, d);
		return ret;
	}
	hbc_reader_describe(hs, d->message, msg, offset);
	hbc_reader_done(hs, d, msg, ret, flags);
	return flags & MSG_TRUNC ? min_t(u64, left, INT_MAX) : ret;
}

ssize_t hbc_reader_recv(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags)
{
	struct hbc_delivery *d;
	struct hbc_message *m;
	ssize_t ret;

	ret = hbc_reader_wait(hs, len, flags, &d);
	if (ret <= 0)
		return ret;
	m = d->message;
	if (ret == 2)
		ret = hbc_reader_end(hs, d, msg, d->reason, flags);
	else
		ret = hbc_reader_hand_out(hs, d, msg, len, flags);
	hbc_message_put(m);
	return ret;
}
