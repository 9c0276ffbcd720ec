// SPDX-License-Identifier: GPL-2.0
/* Receivers: sockets that are bound to a group's port, and what of messages goes to them. */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "config/group.h"
#include "lane/burst.h"
#include "session/message.h"
#include "session/receiver.h"
#include "session/report.h"
#include "session/session.h"
#include "store/cut.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

#define HBC_RECEIVER_LOOK_MS	100	/* at a reader that others wait for */

/* Deliveries of a new message. */

static int hbc_receivers_add(struct hbc_message *m, struct hbc_receiver *r)
{
	unsigned int longs = BITS_TO_LONGS(m->store->nr) + 1;
	struct hbc_delivery *d = kvzalloc(struct_size(d, done, longs), HBC_GFP_GROUP);

	if (!d)
		return -ENOMEM;
	INIT_LIST_HEAD(&d->link);
	sock_hold(r->sk);
	d->r = r;
	d->message = m;
	list_add_tail(&d->message_link, &m->deliveries);
	m->receivers++;
	m->open++;
	return 0;
}

int hbc_receivers_open(struct hbc_message *m)
{
	struct hbc_group *group = m->s->group;
	struct hbc_receiver *r;
	int err = 0;

	mutex_lock(&group->socks_lock);
	hlist_for_each_entry(r, &group->socks, link)
		if (r->port == m->store->info.port && !err)
			err = hbc_receivers_add(m, r);
	mutex_unlock(&group->socks_lock);
	return err;
}

void hbc_receivers_free(struct hbc_message *m)
{
	struct hbc_delivery *d, *next;

	list_for_each_entry_safe(d, next, &m->deliveries, message_link) {
		list_del(&d->message_link);
		if (!d->ended)
			sock_put(d->r->sk);
		kvfree(d);
	}
}

/* Ends. */

/* All of it is on the queue, and if it is @over, what it is for its message is known. */
static void hbc_delivery_report(struct hbc_delivery *d, bool over, u8 reason)
{
	struct hbc_message *m = d->message;
	struct hbc_session *s = m->s;
	bool finish = false;

	spin_lock_bh(&s->lock);
	if (over && !d->reported) {
		d->reported = true;
		WRITE_ONCE(m->reason, m->reason ?: reason);
		/* What one receiver of the port has failed to get others may get. */
		finish = !--m->open;
	}
	if (!d->queued) {
		WRITE_ONCE(d->queued, true);
		m->queued++;
	}
	spin_unlock_bh(&s->lock);
	if (finish)
		hbc_message_finish(m, 0);
	hbc_report_ack(s);
}

void hbc_delivery_settle(struct hbc_delivery *d, u8 reason)
{
	hbc_delivery_report(d, true, reason);
	if (d->sink)
		hbc_sink_stop(d->message->store, d->sink);
	/* A message that others wait for keeps no namespace. */
	sock_put(d->r->sk);
	hbc_message_put(d->message);
}

bool hbc_delivery_end(struct hbc_delivery *d)
{
	lockdep_assert_held(&d->r->lock);
	if (d->ended)
		return false;
	WRITE_ONCE(d->ended, true);
	list_del_init(&d->link);
	return true;
}

/* Of the deliveries behind @d the session's first of a short message, or NULL. r->lock held. */
static struct hbc_delivery *hbc_receiver_first(struct hbc_receiver *r,
					       const struct hbc_session *s, struct hbc_delivery *d)
{
	lockdep_assert_held(&r->lock);
	list_for_each_entry_continue(d, &r->deliveries, link)
		if (d->message->s == s && !hbc_message_is_file(d->message))
			return d;
	return NULL;
}

/* The receiver of a delivery that has not ended, with a reference on its socket; or NULL. */
static struct hbc_receiver *hbc_delivery_receiver(const struct hbc_delivery *d)
{
	struct hbc_receiver *r = NULL;

	rcu_read_lock();
	/* What has not ended has a reference, and sockets are freed after a grace period. */
	if (!READ_ONCE(d->ended) && refcount_inc_not_zero(&d->r->sk->sk_refcnt))
		r = d->r;
	rcu_read_unlock();
	return r;
}

void hbc_receivers_link(struct hbc_message *m, struct list_head *gone)
{
	struct hbc_delivery *d;

	lockdep_assert_held(&m->s->lock);
	list_for_each_entry(d, &m->deliveries, message_link) {
		kref_get(&m->ref);
		spin_lock(&d->r->lock);
		d->reason = d->r->closed ? HBCAST_REASON_CLOSED :
			    d->r->cut ? HBCAST_REASON_STALLED : 0;
		WRITE_ONCE(d->ended, d->reason);
		d->first = !hbc_receiver_first(d->r, m->s, list_entry(&d->r->deliveries,
								      struct hbc_delivery, link));
		list_add_tail(&d->link, d->ended ? gone : &d->r->deliveries);
		spin_unlock(&d->r->lock);
	}
}

void hbc_receivers_linked(struct hbc_message *m, struct list_head *gone)
{
	struct hbc_delivery *d, *next;
	struct hbc_receiver *r;

	list_for_each_entry_safe(d, next, gone, link) {
		list_del_init(&d->link);
		hbc_delivery_settle(d, d->reason);
	}
	list_for_each_entry(d, &m->deliveries, message_link) {
		r = hbc_delivery_receiver(d);
		if (!r)
			continue;
		if (hbc_delivery_sinks(r, d))
			r->sk->sk_data_ready(r->sk);
		sock_put(r->sk);
	}
}

/* From stores to the queue. */

bool hbc_delivery_sinks(const struct hbc_receiver *r, const struct hbc_delivery *d)
{
	return r->sinks && hbc_message_is_file(d->message);
}

/* The piece that goes next, or store->nr. store->lock held. */
static u32 hbc_delivery_piece(const struct hbc_receiver *r, const struct hbc_delivery *d)
{
	const struct hbc_store *store = d->message->store;
	u32 p = d->next;

	lockdep_assert_held(&store->lock);
	if (!r->unordered || d->off || d->part)
		return p < store->nr && test_bit(p, store->whole) ? p : store->nr;
	return find_next_andnot_bit(store->whole, d->done, store->nr, 0);
}

/* As many of @len bytes at @pos as find place become fragments of the skb: their number. */
static u32 hbc_delivery_take(struct sk_buff *skb, const struct hbc_burst *b, u32 pos, u32 len,
			     unsigned int at, u32 skip)
{
	int nr = skb_shinfo(skb)->nr_frags;
	u32 done = 0, n;
	void *from;

	for (; done < len && nr < MAX_SKB_FRAGS; done += n) {
		n = len - done;
		from = hbc_burst_walk(b, &pos, &n, &at, &skip);
		get_page(virt_to_page(from));
		skb_fill_page_desc(skb, nr++, virt_to_page(from), offset_in_page(from), n);
	}
	skb->len += done;
	skb->data_len += done;
	return done;
}

/*
 * Fragments of @held go to the skb, from byte *@part of the first one's payload on, as long as
 * there is place. Return: bytes of those that have gone whole, or -EBADMSG; *@part: bytes of
 * the payload of the next one that have gone.
 */
static int hbc_delivery_fill(struct sk_buff *skb, const struct hbc_held *held, u32 *part)
{
	struct hbc_wire_data w;
	u32 done = 0, payload, pos, skip = 0;
	unsigned int at = 0;

	while (done < held->len && skb_shinfo(skb)->nr_frags < MAX_SKB_FRAGS) {
		pos = held->pos + done;
		hbc_burst_copy_on(held->burst, pos, &w, sizeof(w), &at, &skip);
		payload = be16_to_cpu(w.hdr.length) - HBC_DATA_LEN;
		if (!*part && !hbc_cut_good(held->burst, pos, &w, at, skip))
			return -EBADMSG;
		*part += hbc_delivery_take(skb, held->burst, pos + HBC_DATA_LEN + *part,
					   payload - *part, at, skip);
		if (*part < payload)
			break;
		*part = 0;
		done += HBC_DATA_LEN + payload;
	}
	return done;
}

/* What of the piece goes next, with a reference on its burst; no burst: nothing does now. */
static struct hbc_held hbc_delivery_part(const struct hbc_receiver *r, struct hbc_delivery *d,
					 u32 *piece)
{
	struct hbc_store *store = d->message->store;
	struct hbc_held held = {};
	struct hbc_piece *p;

	spin_lock_bh(&store->lock);
	*piece = hbc_delivery_piece(r, d);
	if (*piece < store->nr) {
		p = hbc_store_piece(store, *piece);
		if (p)
			held = hbc_store_part(store, p, d->off);
		else
			hbc_store_want(store, *piece);
	}
	spin_unlock_bh(&store->lock);
	return held;
}

/* All of it has been put on the queue, or is in a file, or it has failed. */
static void hbc_delivery_last(struct hbc_delivery *d, struct sk_buff *skb, u8 reason, bool sunk)
{
	hbc_skb(skb)->offset = d->message->store->info.cut.total;
	hbc_skb(skb)->reason = reason;
	hbc_skb(skb)->end = true;
	if (sunk)
		WRITE_ONCE(d->read, hbc_delivery_sunk(d));
}

/*
 * The next skb of a delivery; NULL if nothing is there, ERR_PTR: -ENOMEM, -EBADMSG. Of the
 * delivery that is being put on the queue, without locks.
 */
static struct sk_buff *hbc_delivery_skb(const struct hbc_receiver *r, struct hbc_delivery *d)
{
	const struct hbc_geometry *cut = &d->message->store->info.cut;
	struct hbc_store *store = d->message->store;
	struct sk_buff *skb;
	bool sunk = hbc_delivery_sinks(r, d);
	u8 reason = READ_ONCE(d->reason);
	struct hbc_held held = {};
	u32 piece, first;
	int n;

	if (!reason && sunk && READ_ONCE(d->sink->error))
		reason = HBCAST_REASON_FILE;
	/* It may come to its end at any time. */
	if (!reason && store->nr && !sunk) {
		held = hbc_delivery_part(r, d, &piece);
		if (!held.burst)
			return NULL;
	}
	skb = alloc_skb(0, GFP_KERNEL | __GFP_NOWARN);
	if (!skb) {
		if (held.burst)
			hbc_burst_put(held.burst);
		return ERR_PTR(-ENOMEM);
	}
	memset(skb->cb, 0, sizeof(skb->cb));
	hbc_skb(skb)->d = d;
	if (!held.burst) {
		hbc_delivery_last(d, skb, reason, sunk);
		return skb;
	}
	first = piece * cut->per_piece;
	hbc_skb(skb)->offset = hbc_geometry_offset(cut, first) + d->part +
			       d->off / (HBC_DATA_LEN + cut->payload) * cut->payload;
	n = hbc_delivery_fill(skb, &held, &d->part);
	skb->truesize += skb->len;
	hbc_burst_put(held.burst);
	if (n < 0) {
		kfree_skb(skb);
		return ERR_PTR(n);
	}
	d->next = piece;
	d->off += n;
	if (d->off == hbc_geometry_length(cut, first, hbc_geometry_count(cut, piece))) {
		__set_bit(piece, d->done);
		d->next = piece + 1;
		d->off = 0;
		WRITE_ONCE(d->nr, d->nr + 1);
	}
	hbc_skb(skb)->end = d->nr == store->nr;
	return skb;
}

/* Whether something of it can go on the queue. */
static bool hbc_delivery_goes(const struct hbc_receiver *r, const struct hbc_delivery *d)
{
	const struct hbc_store *store = d->message->store;

	if (d->reason)
		return true;
	/* A stub is about to be given up. */
	if (!store->nr && store->info.cut.total)
		return false;
	if (hbc_delivery_sinks(r, d))
		return d->sink && hbc_sink_is_over(store, d->sink);
	if (hbc_store_is_whole(store))
		return true;
	/* One that has begun holds up the others, so a short message begins when it is whole. */
	if (r->unordered)
		return READ_ONCE(store->nr_whole) > d->nr;
	return hbc_message_is_file(d->message) && test_bit(d->next, store->whole);
}

/*
 * Whose turn it is, or NULL; without @files of short messages alone. What follows a file that has
 * begun are short messages. r->lock held.
 */
static struct hbc_delivery *hbc_receiver_turn(struct hbc_receiver *r, bool files)
{
	struct hbc_delivery *d;

	lockdep_assert_held(&r->lock);
	if (r->begun)
		return hbc_delivery_goes(r, r->begun) ? r->begun : NULL;
	/* A file takes all the room there is, and is not waited for. */
	d = r->unordered && files ? hbc_receiver_turn(r, false) : NULL;
	if (d)
		return d;
	list_for_each_entry(d, &r->deliveries, link) {
		bool turn = hbc_message_is_file(d->message) ? files && !r->file :
							      r->unordered || d->first;

		if (turn && hbc_delivery_goes(r, d))
			return d;
	}
	return files && r->file && hbc_delivery_goes(r, r->file) ? r->file : NULL;
}

void hbc_receiver_join(struct hbc_receiver *r)
{
	struct sk_buff *skb;

	lockdep_assert_held(&r->lock);
	r->file = NULL;
	while ((skb = __skb_dequeue(&r->behind)))
		skb_queue_tail(&r->sk->sk_receive_queue, skb);
}

/* Its message is not given up, and it goes on the queue: whether all of it is there now. */
static bool hbc_receiver_queue(struct hbc_receiver *r, struct hbc_delivery *d, struct sk_buff *skb)
{
	bool end = hbc_skb(skb)->end, file = hbc_message_is_file(d->message);
	struct hbc_delivery *next = NULL;

	lockdep_assert_held(&r->lock);
	kref_get(&d->message->ref);	/* the skb's */
	r->ends += end;
	d->end = end;
	if (end && d->first && !file)
		next = hbc_receiver_first(r, d->message->s, d);
	if (next)
		next->first = true;
	if (end)
		list_move_tail(&d->link, &r->queued);
	skb_set_owner_r(skb, r->sk);
	if (r->file && !file)
		__skb_queue_tail(&r->behind, skb);
	else
		skb_queue_tail(&r->sk->sk_receive_queue, skb);
	d = end || r->unordered ? NULL : d;
	if (!file)
		r->begun = d;
	else if (d)
		r->file = d;
	else
		hbc_receiver_join(r);
	return end;
}

/* It is looked at again soon: whether the reader reads, or there is memory. */
static void hbc_receiver_watch(struct hbc_receiver *r)
{
	sock_hold(r->sk);
	if (!queue_delayed_work(hbc_slow_wq, &r->work, msecs_to_jiffies(HBC_RECEIVER_LOOK_MS)))
		sock_put(r->sk);
}

/* One skb of the delivery goes on the queue. Return: whether there may be more. */
static bool hbc_receiver_push_one(struct hbc_receiver *r, struct hbc_delivery *d)
{
	struct hbc_session *s = d->message->s;
	struct sk_buff *skb = hbc_delivery_skb(r, d);
	bool end = false, dropped, bad = PTR_ERR(skb) == -EBADMSG;
	u8 reason;

	if (IS_ERR(skb)) {
		spin_lock_bh(&r->lock);
		d->reason = bad ? HBCAST_REASON_CHECKSUM : HBCAST_REASON_NO_MEMORY;
		if (!bad && !r->closed)
			hbc_receiver_watch(r);
		spin_unlock_bh(&r->lock);
		if (bad)
			hbc_group_drop(s->group, HBCAST_A_DROPS_CHECKSUM);
		return bad;
	}
	if (!skb)
		return false;
	reason = hbc_skb(skb)->reason;
	spin_lock_bh(&r->lock);
	/* It may have failed meanwhile, of which the next one tells. */
	dropped = d->ended || (d->reason && !reason);
	if (!dropped)
		end = hbc_receiver_queue(r, d, skb);
	spin_unlock_bh(&r->lock);
	if (dropped) {
		kfree_skb(skb);
		return true;
	}
	/* What is in its file has arrived, whether somebody looks or not. */
	if (end)
		hbc_delivery_report(d, hbc_delivery_sinks(r, d), reason);
	r->sk->sk_data_ready(r->sk);
	return true;
}

/* Whose turn it is, with a reference on its message; NULL: nothing goes now. */
static struct hbc_delivery *hbc_receiver_next(struct hbc_receiver *r)
{
	struct hbc_delivery *d = r->closed || r->cut ? NULL : hbc_receiver_turn(r, true);
	enum hbc_waiting waiting = HBC_WAITING_NOTHING;

	lockdep_assert_held(&r->lock);
	if (d && (atomic_read(&r->sk->sk_rmem_alloc) >= READ_ONCE(r->sk->sk_rcvbuf) ||
		  r->ends >= HBC_RECEIVER_MESSAGES))
		waiting = hbc_receiver_turn(r, false) ? HBC_WAITING_SHORT : HBC_WAITING_FILE;
	if (r->waiting != waiting)
		WRITE_ONCE(r->moved, jiffies);
	WRITE_ONCE(r->waiting, waiting);
	if (waiting) {
		hbc_receiver_watch(r);
		/* A reader in the middle of a file can go on, whatever waits behind it. */
		d = skb_queue_empty_lockless(&r->sk->sk_receive_queue) && r->file &&
		    hbc_delivery_goes(r, r->file) ? r->file : NULL;
	}
	if (d)
		kref_get(&d->message->ref);
	return d;
}

void hbc_receiver_push(struct hbc_receiver *r)
{
	struct hbc_delivery *d;
	struct hbc_message *m;
	bool more;

	spin_lock_bh(&r->lock);
	r->again = true;
	if (r->pushing) {
		spin_unlock_bh(&r->lock);
		return;
	}
	r->pushing = true;
	while (r->again) {
		r->again = false;
		while ((d = hbc_receiver_next(r))) {
			spin_unlock_bh(&r->lock);
			m = d->message;
			more = hbc_receiver_push_one(r, d);
			hbc_message_put(m);
			spin_lock_bh(&r->lock);
			if (!more)
				break;
		}
	}
	r->pushing = false;
	spin_unlock_bh(&r->lock);
}

void hbc_receivers_push(struct hbc_message *m, u8 reason)
{
	struct hbc_delivery *d;
	struct hbc_receiver *r;
	bool fails;

	list_for_each_entry(d, &m->deliveries, message_link) {
		r = hbc_delivery_receiver(d);
		if (!r)
			continue;
		spin_lock_bh(&r->lock);
		fails = reason && !d->ended && !d->end && !d->reason;
		if (fails)
			WRITE_ONCE(d->reason, reason);
		spin_unlock_bh(&r->lock);
		/* Whether somebody reads as far or not. */
		if (fails)
			hbc_delivery_report(d, true, reason);
		hbc_receiver_push(r);
		sock_put(r->sk);
	}
}

u64 hbc_receivers_queued(struct hbc_message *m)
{
	const struct hbc_geometry *cut = &m->store->info.cut;
	u64 least = cut->total;
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link)
		if (!READ_ONCE(d->queued))
			least = min(least, (u64)READ_ONCE(d->nr) * cut->per_piece * cut->payload);
	return least;
}
