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
#include <net/sock.h>

#include "api/reader.h"
#include "api/socket.h"
#include "config/group.h"
#include "session/message.h"
#include "session/receiver.h"
#include "session/session.h"

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

size_t hbc_reader_least(const struct hbc_sock *hs)
{
	int lowat = READ_ONCE(hs->sk.sk_rcvlowat);

	return lowat > 1 ? lowat : SIZE_MAX;
}

/* 0 if a reader that wants @want bytes can go on, -EAGAIN, -ENOBUFS, the socket's error. */
static int hbc_reader_look(struct hbc_sock *hs, size_t want, int flags)
{
	struct sock *sk = &hs->sk;
	int err;

	if (hbc_receiver_was_cut(&hs->r, flags & MSG_PEEK))
		return -ENOBUFS;
	if (hbc_receiver_ready(&hs->r, want))
		return 0;
	/* Messages that have begun come to their own end before the socket does. */
	if (!skb_queue_empty(&sk->sk_receive_queue))
		return -EAGAIN;
	err = sock_error(sk);
	if (err)
		return err;
	return sk->sk_shutdown & RCV_SHUTDOWN ? -ESHUTDOWN : -EAGAIN;
}

/* Waits as long as the socket and @flags allow. */
static int hbc_reader_wait(struct hbc_sock *hs, size_t want, int flags)
{
	long timeo = sock_rcvtimeo(&hs->sk, flags & MSG_DONTWAIT);
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err;

	want = min(want, hbc_reader_least(hs));
	add_wait_queue(sk_sleep(&hs->sk), &wait);
	for (;;) {
		err = hbc_reader_look(hs, want, flags);
		if (err != -EAGAIN || !timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(timeo);
			break;
		}
		release_sock(&hs->sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(&hs->sk);
	}
	remove_wait_queue(sk_sleep(&hs->sk), &wait);
	return err;
}

static void hbc_reader_name(const struct hbc_message *m, struct msghdr *msg)
{
	DECLARE_SOCKADDR(struct sockaddr_hbcast *, name, msg->msg_name);

	if (!name)
		return;
	memset(name, 0, sizeof(*name));
	name->shb_family = AF_HBCAST;
	name->shb_port = m->store->info.port;
	name->shb_group = m->s->group->id;
	name->shb_node = m->s->root;
	msg->msg_namelen = sizeof(*name);
}

static void hbc_reader_describe(const struct hbc_sock *hs, const struct sk_buff *skb,
				struct msghdr *msg)
{
	const struct hbc_message *m = hbc_skb(skb)->d->message;
	struct hbcast_piece piece = {
		.message = hbc_message_number(m), .total = m->store->info.cut.total,
		.offset = hbc_skb(skb)->offset + hbc_skb(skb)->used,
	};

	hbc_reader_name(m, msg);
	if (hs->r.unordered)
		put_cmsg(msg, SOL_HBCAST, HBCAST_PIECE, sizeof(piece), &piece);
}

/* The message at the queue's head ends with @reason: what recvmsg() says. */
static ssize_t hbc_reader_fail(struct hbc_sock *hs, struct sk_buff *skb, struct msghdr *msg,
			       int flags)
{
	const struct hbc_delivery *d = hbc_skb(skb)->d;
	const struct hbc_message *m = d->message;
	u8 reason = hbc_skb(skb)->reason;
	struct hbcast_failure failure = {
		.message = hbc_message_number(m), .total = m->store->info.cut.total,
		.read = d->read, .error = -hbc_reader_errno(reason), .reason = reason,
	};

	if (hs->notify) {
		hbc_reader_name(m, msg);
		put_cmsg(msg, SOL_HBCAST, HBCAST_FAILURE, sizeof(failure), &failure);
		msg->msg_flags |= HBCAST_MSG_NOTIFICATION | MSG_EOR;
	}
	if (!(flags & MSG_PEEK))
		hbc_receiver_read(&hs->r, skb, 0);
	return hs->notify ? 0 : hbc_reader_errno(reason);
}

/* Where the skb's next byte belongs. */
static u64 hbc_reader_at(const struct sk_buff *skb)
{
	return hbc_skb(skb)->offset + hbc_skb(skb)->used;
}

/* Bytes of the skb, all of which lie in its fragments: how many could be copied. */
static size_t hbc_reader_skb(const struct sk_buff *skb, u32 from, struct iov_iter *to, size_t len)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	size_t done = 0, n, copied;

	for (; done < len; frag++) {
		if (from >= skb_frag_size(frag)) {
			from -= skb_frag_size(frag);
			continue;
		}
		n = min_t(size_t, len - done, skb_frag_size(frag) - from);
		copied = copy_page_to_iter(skb_frag_page(frag), skb_frag_off(frag) + from, n, to);
		done += copied;
		if (copied < n)
			break;
		from = 0;
	}
	return done;
}

/*
 * Copies what lies together of the message at the queue's head, and takes it away unless
 * @flags say that it stays; *@end: the message ends there. Return: bytes or -EFAULT.
 */
static ssize_t hbc_reader_copy(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags,
			       bool *end)
{
	struct sk_buff_head *queue = &hs->sk.sk_receive_queue;
	const struct hbc_delivery *d = hbc_skb(skb_peek(queue))->d;
	struct sk_buff *skb, *next;
	u64 at = hbc_reader_at(skb_peek(queue));
	size_t done = 0, n, copied;

	skb_queue_walk_safe(queue, skb, next) {
		if (*end || hbc_skb(skb)->d != d || hbc_skb(skb)->reason ||
		    hbc_reader_at(skb) != at + done)
			break;
		n = min_t(size_t, skb->len - hbc_skb(skb)->used, len - done);
		copied = hbc_reader_skb(skb, hbc_skb(skb)->used, &msg->msg_iter, n);
		done += copied;
		if (copied < n && !done)
			return -EFAULT;
		*end = hbc_skb(skb)->end && hbc_skb(skb)->used + copied == skb->len;
		if (!(flags & MSG_PEEK))
			hbc_receiver_read(&hs->r, skb, copied);
		if (copied < n || (done == len && !*end))
			break;
	}
	return done;
}

static ssize_t hbc_reader_hand_out(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags)
{
	struct sk_buff *skb = skb_peek(&hs->sk.sk_receive_queue);
	struct hbc_message *m = hbc_skb(skb)->d->message;
	u64 left = m->store->info.cut.total - hbc_skb(skb)->d->read;
	bool end = false;
	ssize_t ret;

	if (hbc_skb(skb)->reason)
		return hbc_reader_fail(hs, skb, msg, flags);
	hbc_reader_describe(hs, skb, msg);
	ret = hbc_reader_copy(hs, msg, len, flags, &end);
	if (ret < 0)
		return ret;
	if (end)
		msg->msg_flags |= MSG_EOR;
	return flags & MSG_TRUNC ? min_t(u64, left, INT_MAX) : ret;
}

ssize_t hbc_reader_recv(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags)
{
	ssize_t ret = hbc_reader_wait(hs, len, flags);

	if (ret)
		return ret == -ESHUTDOWN ? 0 : ret;
	ret = hbc_reader_hand_out(hs, msg, len, flags);
	hbc_receiver_push(&hs->r);
	return ret;
}
