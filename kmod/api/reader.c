// SPDX-License-Identifier: GPL-2.0
/* The reader: recvmsg() on a receiving socket. */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <net/sock.h>

#include "api/socket.h"
#include "config/group.h"
#include "session/message.h"
#include "session/receiver.h"
#include "session/session.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

/* What the reader is told of a message that ends with @reason. */
static int hbc_reader_end(const struct hbc_delivery *d, u8 reason)
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
	case HBCAST_REASON_FILE:
		return d->sink && d->sink->error ? -d->sink->error : -EIO;
	default:
		return -ECONNRESET;
	}
}

size_t hbc_reader_least(const struct hbc_sock *hs)
{
	int lowat = READ_ONCE(hs->sk.sk_rcvlowat);

	return lowat > 1 ? lowat : SIZE_MAX;
}

/* What somebody waits for: bytes, a message for a file, or the end of one that has it. */
struct hbc_wanted {
	size_t bytes;
	int flags;
	struct hbc_file *file;
	const struct hbcast_sink *s;
	const u64 *has;
	bool sunk;
	struct hbc_delivery *d;
};

/* The socket's error, -ESHUTDOWN, or -EAGAIN. */
static int hbc_reader_state(struct hbc_sock *hs)
{
	int err = sock_error(&hs->sk);

	if (err)
		return err;
	return hs->sk.sk_shutdown & RCV_SHUTDOWN ? -ESHUTDOWN : -EAGAIN;
}

/* 0 if a reader can go on, -EAGAIN, -ENOBUFS, the socket's error. */
static int hbc_reader_look(struct hbc_sock *hs, struct hbc_wanted *w)
{
	/* One that is cut off is ready, too. */
	if (hbc_receiver_ready(&hs->r, w->bytes))
		return hbc_receiver_was_cut(&hs->r, w->flags & MSG_PEEK) ? -ENOBUFS : 0;
	/* Messages that have begun come to their own end before the socket does. */
	if (!skb_queue_empty_lockless(&hs->sk.sk_receive_queue))
		return -EAGAIN;
	return hbc_reader_state(hs);
}

/* Waits as long as *@timeo and @look say. */
static int hbc_reader_wait(struct hbc_sock *hs, long *timeo, struct hbc_wanted *w,
			   int (*look)(struct hbc_sock *hs, struct hbc_wanted *w))
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err;

	add_wait_queue(sk_sleep(&hs->sk), &wait);
	for (;;) {
		err = look(hs, w);
		if (err != -EAGAIN || !*timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(*timeo);
			break;
		}
		release_sock(&hs->sk);
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
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
		.read = d->read, .error = -hbc_reader_end(d, reason), .reason = reason,
	};

	if (hs->notify) {
		hbc_reader_name(m, msg);
		put_cmsg(msg, SOL_HBCAST, HBCAST_FAILURE, sizeof(failure), &failure);
		msg->msg_flags |= HBCAST_MSG_NOTIFICATION | MSG_EOR;
	}
	/* The delivery may go with it. */
	if (!(flags & MSG_PEEK))
		hbc_receiver_read(&hs->r, skb, 0);
	return hs->notify ? 0 : -failure.error;
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
		/* A pipe may not have the page itself: it takes those of files alone. */
		copied = copy_to_iter(skb_frag_address(frag) + from, n, to);
		done += copied;
		if (copied < n)
			break;
		from = 0;
	}
	return done;
}

/* What is behind @skb on the queue, where others may be added at any time, or NULL. */
static struct sk_buff *hbc_reader_next(struct sk_buff_head *queue, struct sk_buff *skb)
{
	spin_lock_irq(&queue->lock);
	skb = skb_peek_next(skb, queue);
	spin_unlock_irq(&queue->lock);
	return skb;
}

/*
 * Copies what lies together of the message at the queue's head, and takes it away unless
 * @flags say that it stays; *@end: the message ends there. Return: bytes or -EFAULT.
 */
static ssize_t hbc_reader_copy(struct hbc_sock *hs, struct msghdr *msg, size_t len, int flags,
			       bool *end)
{
	struct sk_buff_head *queue = &hs->sk.sk_receive_queue;
	struct sk_buff *skb = skb_peek(queue), *next;
	const struct hbc_delivery *d = hbc_skb(skb)->d;
	u64 at = hbc_reader_at(skb);
	size_t done = 0, n, copied;

	for (; skb; skb = next) {
		next = hbc_reader_next(queue, skb);
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
	struct hbc_wanted w = { .bytes = min(len, hbc_reader_least(hs)), .flags = flags };
	long timeo = sock_rcvtimeo(&hs->sk, flags & MSG_DONTWAIT);
	ssize_t ret = hbc_reader_wait(hs, &timeo, &w, hbc_reader_look);

	if (ret)
		return ret == -ESHUTDOWN ? 0 : ret;
	ret = hbc_reader_hand_out(hs, msg, len, flags);
	hbc_receiver_push(&hs->r);
	return ret;
}

/* Files. */

/* A message has got the file, or is found; or has failed without one. */
static int hbc_reader_sink(struct hbc_sock *hs, struct hbc_wanted *w)
{
	if (hbc_receiver_was_cut(&hs->r, false))
		return -ENOBUFS;
	w->d = hbc_receiver_failed(&hs->r);
	if (!w->d) {
		w->d = hbc_receiver_sink(&hs->r, w->file, w->s, w->has);
		w->sunk = !IS_ERR(w->d);
	}
	return w->d == ERR_PTR(-EAGAIN) ? hbc_reader_state(hs) : PTR_ERR_OR_ZERO(w->d);
}

/* The message has come to its end, which is on the queue unless the socket has been closed. */
static int hbc_reader_sunk(struct hbc_sock *hs, struct hbc_wanted *w)
{
	if (READ_ONCE(w->d->ended))
		return -ESHUTDOWN;
	return hbc_receiver_end_of(&hs->r, w->d) ? 0 : -EAGAIN;
}

static void hbc_reader_tell(const struct hbc_delivery *d, struct hbcast_sink *s)
{
	const struct hbc_store *store = d->message->store;
	const struct hbc_message_info *info = &store->info;

	s->message = info->number;
	s->root = d->message->s->root;
	s->total = info->cut.total;
	s->bytes = hbc_delivery_sunk(d);
	s->time_ns = info->time_ns;
	s->resumed = d->sink && d->sink->done == store->filed ? READ_ONCE(store->resumed) : 0;
	s->pieces = hbc_geometry_pieces(&store->info.cut);
	s->piece_bytes = (u32)info->cut.per_piece * info->cut.payload;
	strscpy(s->name, info->name, sizeof(s->name));
}

/* Which pieces are in the file, if somebody asks. */
static int hbc_reader_map(const struct hbc_delivery *d, const struct hbcast_sink *s)
{
	struct hbc_store *store = d->message->store;
	size_t size = DIV_ROUND_UP(store->nr, 64) * sizeof(u64);
	u64 *map;
	int err;

	if (!s->map || !d->sink)
		return 0;
	if (s->pieces != store->nr)
		return -EINVAL;
	map = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!map)
		return -ENOMEM;
	spin_lock_bh(&store->lock);
	bitmap_to_arr64(map, d->sink->done, store->nr);
	spin_unlock_bh(&store->lock);
	err = copy_to_user(u64_to_user_ptr(s->map), map, size) ? -EFAULT : 0;
	kvfree(map);
	return err;
}

int hbc_reader_take(struct hbc_sock *hs, struct hbc_file *file, struct hbcast_sink *s,
		    const u64 *has, bool nonblock)
{
	struct hbc_wanted w = { .file = file, .s = s, .has = has };
	bool look = s->flags & HBCAST_SINK_LOOK;
	struct sk_buff *skb;
	long timeo = sock_rcvtimeo(&hs->sk, nonblock);
	int err = 0, mapped;

	if (file || look) {
		err = hbc_reader_wait(hs, &timeo, &w, hbc_reader_sink);
		if (file && !w.sunk)
			hbc_file_put(file);
	} else {
		w.d = hbc_receiver_sunk(&hs->r, s->root, s->message);
	}
	if (err || IS_ERR(w.d))
		return err ?: PTR_ERR(w.d);
	look &= w.sunk;
	if (!look)
		err = hbc_reader_wait(hs, &timeo, &w, hbc_reader_sunk);
	if (err && err != -ESHUTDOWN)
		err = -EINPROGRESS;
	mapped = hbc_reader_map(w.d, s);
	hbc_reader_tell(w.d, s);
	if (mapped) {
		err = mapped;
	} else if (!err && !look) {
		skb = hbc_receiver_end_of(&hs->r, w.d);
		s->reason = hbc_skb(skb)->reason;
		err = s->reason ? hbc_reader_end(w.d, s->reason) : 0;
		hbc_receiver_read(&hs->r, skb, 0);
	}
	hbc_message_put(w.d->message);
	return err;
}
