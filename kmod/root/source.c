// SPDX-License-Identifier: GPL-2.0
/* A source: the sending side of one socket. */
#include <linux/err.h>
#include <linux/errqueue.h>
#include <linux/hbcast.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "config/group.h"
#include "root/origin.h"
#include "root/sent.h"
#include "root/source.h"
#include "session/message.h"
#include "session/receiver.h"
#include "session/session.h"

static void hbc_source_free(struct kref *ref)
{
	struct hbc_source *source = container_of(ref, struct hbc_source, ref);

	hbc_pages_free(&source->pages);
	hbc_session_put(source->s);
	mutex_destroy(&source->writer);
	kfree(source);
}

void hbc_source_put(struct hbc_source *source)
{
	kref_put(&source->ref, hbc_source_free);
}

/* The send buffer. */

u64 hbc_source_sndbuf(struct hbc_source *source)
{
	const struct sock *sk;
	u64 size;

	rcu_read_lock();
	sk = rcu_dereference(source->sk);
	size = sk ? READ_ONCE(sk->sk_sndbuf) : 0;
	rcu_read_unlock();
	return size;
}

bool hbc_source_room(struct hbc_source *source, u64 bytes)
{
	struct hbc_session *s = source->s;

	if (READ_ONCE(source->nr_messages) >= HBC_SOURCE_MESSAGES ||
	    READ_ONCE(s->nr_messages) >= HBC_MESSAGES_MAX / 2 ||
	    READ_ONCE(s->maps) >= HBC_MAPS_MAX / 2)
		return false;
	/* One that is alone may be as long as the window. */
	return !bytes || ((READ_ONCE(source->charged) + bytes <= hbc_source_sndbuf(source)) &&
			  (!READ_ONCE(s->kept) ||
			   READ_ONCE(s->kept) + bytes <= READ_ONCE(s->group->config.window)));
}

/* Whether there is room for @bytes; else the socket is told when there is for @need. */
static bool hbc_source_ask(struct hbc_source *source, u64 bytes, u64 need)
{
	struct hbc_origin *origin = source->s->origin;

	if (hbc_source_room(source, bytes))
		return true;
	/* Pairs with the lock in hbc_source_tell(). */
	spin_lock_bh(&origin->lock);
	WRITE_ONCE(source->need, need);
	spin_unlock_bh(&origin->lock);
	return hbc_source_room(source, bytes);
}

bool hbc_source_poll(struct hbc_source *source)
{
	u64 sndbuf = hbc_source_sndbuf(source);
	u64 need = min(READ_ONCE(source->need), sndbuf) ?: max(sndbuf / 3, 1ULL);

	return hbc_source_ask(source, need, need);
}

/* The socket, which is not freed meanwhile, or NULL. origin->lock held. */
static struct sock *hbc_source_sock(struct hbc_source *source)
{
	return rcu_dereference_protected(source->sk,
					 lockdep_is_held(&source->s->origin->lock));
}

/* There may be room. origin->lock held. */
static void hbc_source_tell(struct hbc_source *source)
{
	struct sock *sk = hbc_source_sock(source);

	wake_up_all(&source->wait);
	if (sk && source->need && hbc_source_room(source, source->need)) {
		WRITE_ONCE(source->need, 0);
		sk->sk_write_space(sk);
	}
}

/* It does not count in the send buffer any more. */
static void hbc_source_uncharge(struct hbc_sent *sent)
{
	struct hbc_source *source = sent->source;
	struct hbc_origin *origin = source->s->origin;

	spin_lock_bh(&origin->lock);
	WRITE_ONCE(source->charged, source->charged - sent->charged);
	sent->charged = 0;
	/* All sources share the window. */
	list_for_each_entry(source, &origin->sources, link)
		hbc_source_tell(source);
	spin_unlock_bh(&origin->lock);
}

/*
 * All have the short message on their sockets. There is room for HBC_RECEIVER_MESSAGES: if more
 * than these are not complete, somebody does not report, and the first one ends.
 */
void hbc_root_released(struct hbc_message *m)
{
	struct hbc_sent *late = NULL, *each, *sent = m->sent;
	struct hbc_source *source = sent->source;
	struct hbc_origin *origin = source->s->origin;

	hbc_source_uncharge(sent);
	spin_lock_bh(&origin->lock);
	/* Two children's acknowledgements may release it at once. */
	if (sent->message && !sent->acked) {
		sent->acked = true;
		source->nr_acked++;
	}
	if (source->nr_acked > HBC_RECEIVER_MESSAGES)
		list_for_each_entry(each, &source->messages, link)
			if (each->acked) {
				kref_get(&each->ref);
				late = each;
				break;
			}
	spin_unlock_bh(&origin->lock);
	if (late) {
		hbc_sent_fail(late, NULL, 0, HBCAST_REASON_STALLED);
		hbc_sent_put(late);
	}
}

int hbc_source_wait_room(struct hbc_source *source, u64 bytes, long *timeo)
{
	long left;

	if (!*timeo)
		return hbc_source_ask(source, bytes, bytes ?: 1) ? 0 : -EAGAIN;
	if (hbc_source_room(source, bytes))
		return 0;
	left = wait_event_interruptible_timeout(source->wait, hbc_source_room(source, bytes) ||
						READ_ONCE(source->s->ended), *timeo);
	if (left < 0)
		return sock_intr_errno(*timeo);
	*timeo = left;
	return left ? 0 : -EAGAIN;
}

/* What has become of messages. */

static size_t hbc_source_size(const struct hbc_sent *sent)
{
	return struct_size(sent, member, sent->nr);
}

/* Forget what nothing can ask for any more; the last of a closed one goes. */
static void hbc_source_trim(struct hbc_source *source)
{
	struct hbc_origin *origin = source->s->origin;
	struct hbc_sent *sent, *next;
	bool closed, unlinked = false;
	LIST_HEAD(old);

	spin_lock_bh(&origin->lock);
	closed = !rcu_access_pointer(source->sk);
	list_for_each_entry_safe(sent, next, &source->done, link) {
		if (!closed && source->nr_done <= HBC_SOURCE_KEEP &&
		    (source->done_bytes <= HBC_SOURCE_KEEP_BYTES || source->nr_done == 1))
			break;
		/* What has no number asks for the last one. */
		if (!closed && sent->number == source->last)
			continue;
		list_move_tail(&sent->link, &old);
		source->nr_done--;
		source->done_bytes -= hbc_source_size(sent);
	}
	if (closed && list_empty(&source->messages) && !list_empty(&source->link)) {
		list_del_init(&source->link);
		source->s->origin->nr_sources--;
		unlinked = true;
	}
	spin_unlock_bh(&origin->lock);
	list_for_each_entry_safe(sent, next, &old, link) {
		list_del_init(&sent->link);
		hbc_sent_put(sent);
	}
	if (unlinked)
		hbc_source_put(source);
}

/* With a reference, or NULL. @number 0: the last one. */
static struct hbc_sent *hbc_source_find(struct hbc_source *source, u64 number)
{
	struct hbc_origin *origin = source->s->origin;
	struct hbc_sent *sent, *found = NULL;

	spin_lock_bh(&origin->lock);
	number = number ?: source->last;
	list_for_each_entry(sent, &source->messages, link)
		if (sent->number == number)
			found = sent;
	list_for_each_entry(sent, &source->done, link)
		if (sent->number == number)
			found = sent;
	if (found)
		kref_get(&found->ref);
	spin_unlock_bh(&origin->lock);
	return found;
}

int hbc_source_wait(struct hbc_source *source, struct hbcast_wait *w)
{
	long timeo = w->timeout_ms ? msecs_to_jiffies(w->timeout_ms) : MAX_SCHEDULE_TIMEOUT;
	struct hbc_sent *sent = hbc_source_find(source, w->message);
	int err = 0;
	long left;

	if (!sent)
		return -ENOENT;
	left = wait_event_interruptible_timeout(source->wait, !READ_ONCE(sent->message), timeo);
	w->message = sent->number;
	w->failed = READ_ONCE(sent->failed);
	if (left < 0)
		err = sock_intr_errno(timeo);
	else if (!left)
		err = -ETIMEDOUT;
	hbc_sent_put(sent);
	return err;
}

struct hbcast_completion *hbc_source_completion(struct hbc_source *source, u64 number, u32 max)
{
	struct hbc_sent *sent = hbc_source_find(source, number);
	struct hbcast_completion *c;

	if (!sent)
		return ERR_PTR(-ENOENT);
	c = hbc_sent_completion(sent, max);
	hbc_sent_put(sent);
	return c ?: ERR_PTR(-ENOMEM);
}

/* An entry for the error queue; without memory there is still getsockopt(). */
static void hbc_source_notify(struct sock *sk, const struct hbc_sent *sent)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct hbcast_completion), GFP_KERNEL);
	struct sock_extended_err *ee;

	if (!skb)
		return;
	hbc_sent_describe(sent, skb_put(skb, sizeof(struct hbcast_completion)));
	ee = &SKB_EXT_ERR(skb)->ee;
	memset(ee, 0, sizeof(*ee));
	ee->ee_errno = sent->failed ? EIO : 0;
	ee->ee_origin = SO_EE_ORIGIN_HBCAST;
	ee->ee_info = sent->failed;
	ee->ee_data = (u32)sent->number;
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

void hbc_source_completed(struct hbc_source *source, struct hbc_sent *sent)
{
	struct hbc_origin *origin = source->s->origin;
	struct sock *sk;

	spin_lock_bh(&origin->lock);
	sk = hbc_source_sock(source);
	if (sk)
		sock_hold(sk);
	if (!list_empty(&sent->link)) {
		list_move_tail(&sent->link, &source->done);
		source->nr_acked -= sent->acked;
		source->nr_done++;
		source->done_bytes += hbc_source_size(sent);
		WRITE_ONCE(source->nr_messages, source->nr_messages - 1);
		WRITE_ONCE(source->outstanding, source->outstanding - sent->total);
	}
	spin_unlock_bh(&origin->lock);
	hbc_source_uncharge(sent);
	if (sk) {
		if (READ_ONCE(source->notify))
			hbc_source_notify(sk, sent);
		sock_put(sk);
	}
	hbc_source_trim(source);
}

/* Birth and end. */

struct hbc_source *hbc_source_new(struct hbc_session *s, u16 port, struct sock *sk)
{
	struct hbc_source *source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);
	struct hbc_origin *origin = s->origin;
	int err = 0;

	if (!source) {
		hbc_session_put(s);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&source->ref);
	INIT_LIST_HEAD(&source->link);
	source->s = s;
	source->port = port;
	RCU_INIT_POINTER(source->sk, sk);
	init_waitqueue_head(&source->wait);
	mutex_init(&source->writer);
	INIT_LIST_HEAD(&source->messages);
	INIT_LIST_HEAD(&source->done);
	spin_lock_bh(&origin->lock);
	/* Who ends the session says so before it tells the sources of it. */
	if (READ_ONCE(s->ended))
		err = -ENODEV;
	else if (origin->nr_sources >= HBC_SOURCES_MAX)
		err = -EAGAIN;
	if (!err) {
		kref_get(&source->ref);
		list_add_tail(&source->link, &origin->sources);
		origin->nr_sources++;
	}
	spin_unlock_bh(&origin->lock);
	if (!err)
		return source;
	hbc_source_put(source);
	return ERR_PTR(err);
}

/* All that is not complete is given up. */
static void hbc_source_abort_all(struct hbc_source *source)
{
	struct hbc_origin *origin = source->s->origin;
	struct hbc_sent *sent;

	do {
		spin_lock_bh(&origin->lock);
		sent = list_first_entry_or_null(&source->messages, struct hbc_sent, link);
		if (sent)
			kref_get(&sent->ref);
		spin_unlock_bh(&origin->lock);
		if (sent) {
			hbc_sent_fail(sent, NULL, 0, HBCAST_REASON_ABORTED);
			hbc_sent_put(sent);
		}
	} while (sent);
}

void hbc_source_close(struct hbc_source *source, long linger)
{
	if (linger > 0)
		wait_event_interruptible_timeout(source->wait,
						 !READ_ONCE(source->nr_messages), linger);
	else if (!linger)
		hbc_source_abort_all(source);
	spin_lock_bh(&source->s->origin->lock);
	RCU_INIT_POINTER(source->sk, NULL);
	spin_unlock_bh(&source->s->origin->lock);
	hbc_source_trim(source);
	hbc_source_put(source);
}

void hbc_source_ended(struct hbc_source *source)
{
	struct sock *sk = hbc_source_sock(source);

	wake_up_all(&source->wait);
	if (sk)
		hbc_receiver_hang_up(sk, SEND_SHUTDOWN);
}
