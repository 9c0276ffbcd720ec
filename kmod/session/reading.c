// SPDX-License-Identifier: GPL-2.0
/* Receivers: what the socket and its reader do with them. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <net/sock.h>

#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "session/message.h"
#include "session/progress.h"
#include "session/receiver.h"
#include "session/session.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

int hbc_receiver_bind(struct hbc_receiver *r, struct hbc_group *group, u16 port)
{
	lockdep_assert_held(&group->hn->lock);
	if (READ_ONCE(group->nr_socks) >= HBC_RECEIVERS_MAX)
		return -EADDRINUSE;
	kref_get(&group->ref);
	r->port = port;
	r->group = group;
	mutex_lock(&group->socks_lock);
	hlist_add_head(&r->link, &group->socks);
	WRITE_ONCE(group->nr_socks, group->nr_socks + 1);
	mutex_unlock(&group->socks_lock);
	return 0;
}

void hbc_receiver_unbind(struct hbc_receiver *r)
{
	if (!r->group)
		return;
	mutex_lock(&r->group->socks_lock);
	WRITE_ONCE(r->group->nr_socks, r->group->nr_socks - !hlist_unhashed(&r->link));
	hlist_del_init(&r->link);
	mutex_unlock(&r->group->socks_lock);
}

/* Ends. */

static void hbc_receiver_sweep_one(struct hbc_delivery *d, struct list_head *gone)
{
	if (hbc_delivery_end(d))
		list_add_tail(&d->link, gone);
}

/* Deliveries end, but with @partial those that are whole on the queue: they go to @gone. */
static void hbc_receiver_sweep(struct hbc_receiver *r, bool partial, struct list_head *gone)
{
	struct hbc_delivery *d, *next;
	struct sk_buff *skb;

	lockdep_assert_held(&r->lock);
	list_for_each_entry_safe(d, next, &r->deliveries, link)
		hbc_receiver_sweep_one(d, gone);
	/* A reader would take them for the rest of the file. */
	skb_queue_walk(&r->behind, skb)
		hbc_receiver_sweep_one(hbc_skb(skb)->d, gone);
	if (!partial)
		list_for_each_entry_safe(d, next, &r->queued, link)
			hbc_receiver_sweep_one(d, gone);
	r->begun = NULL;
	hbc_receiver_join(r);
	WRITE_ONCE(r->waiting, HBC_WAITING_NOTHING);
}

/* An skb leaves the queue. */
static void hbc_receiver_drop(struct hbc_receiver *r, struct sk_buff *skb)
{
	struct hbc_message *m = hbc_skb(skb)->d->message;

	spin_lock_bh(&r->lock);
	r->ends -= hbc_skb(skb)->end;
	spin_unlock_bh(&r->lock);
	skb_unlink(skb, &r->sk->sk_receive_queue);
	kfree_skb(skb);
	hbc_message_put(m);
}

/* What is on the queue of deliveries that have ended goes. The socket's lock held. */
static void hbc_receiver_purge(struct hbc_receiver *r)
{
	struct sk_buff *skb, *next;

	sock_owned_by_me(r->sk);
	skb_queue_walk_safe(&r->sk->sk_receive_queue, skb, next)
		if (READ_ONCE(hbc_skb(skb)->d->ended))
			hbc_receiver_drop(r, skb);
}

static void hbc_receiver_settle(struct list_head *gone, u8 reason)
{
	struct hbc_delivery *d, *next;

	list_for_each_entry_safe(d, next, gone, link) {
		list_del_init(&d->link);
		hbc_delivery_settle(d, reason);
	}
}

void hbc_receiver_close(struct hbc_receiver *r, bool partial)
{
	LIST_HEAD(gone);

	spin_lock_bh(&r->lock);
	r->closed = true;
	hbc_receiver_sweep(r, partial, &gone);
	spin_unlock_bh(&r->lock);
	hbc_receiver_purge(r);
	hbc_receiver_settle(&gone, HBCAST_REASON_CLOSED);
}

void hbc_receiver_free(struct hbc_receiver *r)
{
	if (cancel_delayed_work_sync(&r->work))
		sock_put(r->sk);
	if (r->group)
		hbc_group_put(r->group);
}

/*
 * A reader that does not read for too long is cut off, if others wait. Its memory may keep it back
 * for ever, so nothing here waits for the socket's lock.
 */
static void hbc_receiver_cut(struct hbc_receiver *r)
{
	unsigned long stall = msecs_to_jiffies(READ_ONCE(r->group->config.stall_ms));
	struct hbc_event e;
	LIST_HEAD(gone);

	spin_lock_bh(&r->lock);
	if (r->waiting && time_after_eq(jiffies, r->moved + stall)) {
		r->cut = true;
		hbc_receiver_sweep(r, false, &gone);
	}
	spin_unlock_bh(&r->lock);
	if (list_empty(&gone))
		return;
	hbc_group_drop(r->group, HBCAST_A_DROPS_STALLED);
	if (hbc_event_begin(&e, r->group->hn, HBCAST_EVENT_RECEIVER_STALLED, 0)) {
		hbc_event_u32(&e, HBCAST_A_EVENT_GROUP, r->group->id);
		e.err = e.err ?: nla_put_u16(e.skb, HBCAST_A_EVENT_PORT, r->port);
		hbc_event_send(&e);
	}
	hbc_receiver_settle(&gone, HBCAST_REASON_STALLED);
	r->sk->sk_data_ready(r->sk);
}

static void hbc_receiver_work(struct work_struct *work)
{
	struct hbc_receiver *r = container_of(to_delayed_work(work), struct hbc_receiver, work);

	hbc_receiver_cut(r);
	hbc_receiver_push(r);
	sock_put(r->sk);
}

void hbc_receiver_init(struct hbc_receiver *r, struct sock *sk)
{
	r->sk = sk;
	INIT_HLIST_NODE(&r->link);
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->deliveries);
	INIT_LIST_HEAD(&r->queued);
	__skb_queue_head_init(&r->behind);
	INIT_DELAYED_WORK(&r->work, hbc_receiver_work);
}

void hbc_receiver_shut(struct sock *sk, u8 how)
{
	write_lock_bh(&sk->sk_callback_lock);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	write_unlock_bh(&sk->sk_callback_lock);
}

void hbc_receiver_hang_up(struct sock *sk, u8 how)
{
	if (sk->sk_state != TCP_ESTABLISHED)
		how |= SEND_SHUTDOWN;
	if (!(sk->sk_userlocks & SOCK_BINDPORT_LOCK))
		how |= RCV_SHUTDOWN;
	hbc_receiver_shut(sk, how);
	WRITE_ONCE(sk->sk_err, ENODEV);
	sk_error_report(sk);
	sk->sk_state_change(sk);
}

void hbc_receivers_gone(struct hbc_group *group)
{
	struct hbc_receiver *r;
	struct hlist_node *next;

	mutex_lock(&group->socks_lock);
	hlist_for_each_entry_safe(r, next, &group->socks, link) {
		hlist_del_init(&r->link);
		hbc_receiver_hang_up(r->sk, RCV_SHUTDOWN);
	}
	mutex_unlock(&group->socks_lock);
}

/* Reading. */

/* Bytes of the queue's first message that can be read, and whether that is all of it. */
static bool hbc_receiver_head(const struct hbc_receiver *r, u64 *bytes)
{
	const struct hbc_delivery *d = NULL;
	const struct sk_buff *skb;
	bool end = false;

	*bytes = 0;
	skb_queue_walk(&r->sk->sk_receive_queue, skb) {
		if (d && hbc_skb(skb)->d != d)
			break;
		d = hbc_skb(skb)->d;
		*bytes += skb->len - hbc_skb(skb)->used;
		end = hbc_skb(skb)->end;
		if (end)
			break;
	}
	return end;
}

bool hbc_receiver_ready(struct hbc_receiver *r, size_t want)
{
	bool ready, full;
	u64 bytes;

	spin_lock_bh(&r->lock);
	/* Room in bytes is looked at below, before it is used up. */
	full = r->ends >= HBC_RECEIVER_MESSAGES;
	ready = r->cut;
	spin_unlock_bh(&r->lock);
	spin_lock_irq(&r->sk->sk_receive_queue.lock);
	if (!ready && !skb_queue_empty(&r->sk->sk_receive_queue))
		ready = hbc_receiver_head(r, &bytes) || bytes >= want || full || r->unordered ||
			atomic_read(&r->sk->sk_rmem_alloc) >= READ_ONCE(r->sk->sk_rcvbuf) / 2;
	spin_unlock_irq(&r->sk->sk_receive_queue.lock);
	return ready;
}

u64 hbc_receiver_avail(struct hbc_receiver *r)
{
	u64 bytes;

	spin_lock_irq(&r->sk->sk_receive_queue.lock);
	hbc_receiver_head(r, &bytes);
	spin_unlock_irq(&r->sk->sk_receive_queue.lock);
	return bytes;
}

bool hbc_receiver_was_cut(struct hbc_receiver *r, bool peek)
{
	bool cut;

	spin_lock_bh(&r->lock);
	cut = r->cut;
	if (!peek)
		r->cut = false;
	spin_unlock_bh(&r->lock);
	if (cut)
		hbc_receiver_purge(r);
	return cut;
}

void hbc_receiver_read(struct hbc_receiver *r, struct sk_buff *skb, u32 bytes)
{
	struct hbc_delivery *d = hbc_skb(skb)->d;
	u8 reason = hbc_skb(skb)->reason;
	bool ended = false;

	WRITE_ONCE(d->read, d->read + bytes);
	/* A short message waits for room, whatever is read. */
	if (READ_ONCE(r->waiting) == HBC_WAITING_FILE)
		WRITE_ONCE(r->moved, jiffies);
	hbc_skb(skb)->used += bytes;
	if (hbc_skb(skb)->used < skb->len)
		return;
	if (hbc_skb(skb)->end) {
		spin_lock_bh(&r->lock);
		ended = hbc_delivery_end(d);
		spin_unlock_bh(&r->lock);
	}
	if (ended)
		hbc_delivery_settle(d, reason);
	hbc_receiver_drop(r, skb);
}

/* Files. */

bool hbc_receiver_wants(struct hbc_receiver *r)
{
	const struct hbc_delivery *d;
	bool wants = false;

	if (!r->sinks)
		return false;
	spin_lock_bh(&r->lock);
	list_for_each_entry(d, &r->deliveries, link)
		wants |= hbc_delivery_sinks(r, d) && !d->sink && !d->reason;
	spin_unlock_bh(&r->lock);
	return wants;
}

/*
 * Of @list, that of root @root's message @number, or with 0 the first, that @waits for a file, or
 * has its own, with a reference on its message; or NULL. r->lock held.
 */
static struct hbc_delivery *hbc_receiver_pick(struct hbc_receiver *r, struct list_head *list,
					      u32 root, u64 number, bool waits)
{
	struct hbc_delivery *d;

	lockdep_assert_held(&r->lock);
	list_for_each_entry(d, list, link) {
		const struct hbc_message *m = d->message;

		if (!hbc_delivery_sinks(r, d) || (waits ? d->sink || d->reason : !d->sink))
			continue;
		if (number && (hbc_message_number(m) != number || m->s->root != root))
			continue;
		kref_get(&d->message->ref);
		return d;
	}
	return NULL;
}

struct hbc_delivery *hbc_receiver_sink(struct hbc_receiver *r, struct hbc_file *file,
				       const struct hbcast_sink *s, const u64 *has)
{
	struct hbc_delivery *d;
	struct hbc_sink *sink = NULL;
	int err = -ENOMEM;
	bool ended;

	spin_lock_bh(&r->lock);
	d = hbc_receiver_pick(r, &r->deliveries, s->root, s->message, true);
	spin_unlock_bh(&r->lock);
	if (!d)
		return ERR_PTR(s->message ? -ENOENT : -EAGAIN);
	if (!file)
		return d;
	if (has && s->pieces != d->message->store->nr)
		err = -EINVAL;
	else if (d->message->store->info.cut.total > LLONG_MAX - file->pos)
		err = -EOVERFLOW;
	else
		sink = hbc_sink_add(d->message->store, file, has);
	if (!sink) {
		hbc_message_put(d->message);
		return ERR_PTR(err);
	}
	spin_lock_bh(&r->lock);
	d->sink = sink;
	ended = d->ended;
	spin_unlock_bh(&r->lock);
	/* The socket has been cut off meanwhile. */
	if (ended)
		hbc_sink_stop(d->message->store, sink);
	if (READ_ONCE(d->message->store->resumed)) {
		hbc_message_again(d->message);
		hbc_progress_arrived(d->message);
	}
	/* One of no bytes is all there. */
	hbc_receiver_push(r);
	return d;
}

struct hbc_delivery *hbc_receiver_sunk(struct hbc_receiver *r, u32 root, u64 number)
{
	struct hbc_delivery *d;

	spin_lock_bh(&r->lock);
	d = hbc_receiver_pick(r, &r->deliveries, root, number, false) ?:
	    hbc_receiver_pick(r, &r->queued, root, number, false);
	spin_unlock_bh(&r->lock);
	return d ?: ERR_PTR(-ENOENT);
}

struct hbc_delivery *hbc_receiver_failed(struct hbc_receiver *r)
{
	struct hbc_delivery *d, *found = NULL;

	spin_lock_bh(&r->lock);
	list_for_each_entry(d, &r->queued, link)
		if (!found && hbc_delivery_sinks(r, d) && !d->sink)
			found = d;
	if (found)
		kref_get(&found->message->ref);
	spin_unlock_bh(&r->lock);
	return found;
}

struct sk_buff *hbc_receiver_end_of(struct hbc_receiver *r, const struct hbc_delivery *d)
{
	struct sk_buff *skb, *found = NULL;

	spin_lock_irq(&r->sk->sk_receive_queue.lock);
	skb_queue_walk(&r->sk->sk_receive_queue, skb)
		if (hbc_skb(skb)->d == d)
			found = skb;
	spin_unlock_irq(&r->sk->sk_receive_queue.lock);
	return found;
}

u64 hbc_delivery_sunk(const struct hbc_delivery *d)
{
	return d->sink ? hbc_store_bytes(d->message->store, d->sink->done,
					 READ_ONCE(d->sink->nr_done)) : 0;
}
