// SPDX-License-Identifier: GPL-2.0
/*
 * A delivery: one message at one receiving socket.
 *
 * Room: the message that an ordered socket is reading has room while its own
 * pieces are below rcvbuf, so that two roots can never block each other there;
 * everything else has room while all of the socket's pieces are and not too
 * many messages wait.
 *
 * The stall clock runs while somebody is denied room. When nothing has moved
 * for the group's stall-interval, whoever holds up the others is cut off: the
 * socket, if there was something for its reader, else the message that the
 * reader waits for.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "burst.h"
#include "delivery.h"
#include "event.h"
#include "group.h"
#include "message.h"
#include "piece.h"
#include "receive.h"
#include "schedule.h"
#include "socket.h"

#define HBC_DELIVERY_SPANS	1024	/* of a message: what comes in more parts is dropped */
#define HBC_DELIVERY_EARLY	64	/* times its room an ordered socket holds behind a gap */

/* Takes as many of @spare as @group has readers of @m: 0, or how many are missing. */
static unsigned int hbc_delivery_match(struct hbc_group *group, struct hbc_message *m,
				       struct list_head *spare, unsigned int have)
{
	struct hbc_delivery *d;
	unsigned int need = 0;
	struct hbc_sock *hs;

	hlist_for_each_entry(hs, &group->socks, group_link)
		need += hs->port == m->port;
	if (need > have)
		return need - have;
	hlist_for_each_entry(hs, &group->socks, group_link) {
		if (hs->port != m->port)
			continue;
		d = list_first_entry(spare, struct hbc_delivery, message_link);
		d->message = m;
		sock_hold(&hs->sk);
		RCU_INIT_POINTER(d->hs, hs);
		list_move_tail(&d->message_link, &m->deliveries);
		m->open++;
	}
	return 0;
}

static int hbc_delivery_alloc(struct list_head *spare)
{
	struct hbc_delivery *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return -ENOMEM;
	INIT_LIST_HEAD(&d->sock_link);
	INIT_LIST_HEAD(&d->queue);
	INIT_LIST_HEAD(&d->reading);
	hbc_spans_init(&d->had);
	list_add_tail(&d->message_link, spare);
	return 0;
}

int hbc_delivery_open(struct hbc_group *group, struct hbc_message *m)
{
	struct hbc_delivery *d, *tmp;
	unsigned int have = 0, missing;
	LIST_HEAD(spare);
	int err = 0;

	for (;;) {
		spin_lock(&group->socks_lock);
		missing = hbc_delivery_match(group, m, &spare, have);
		spin_unlock(&group->socks_lock);
		if (!missing)
			break;
		for (; missing && !err; missing--, have++)
			err = hbc_delivery_alloc(&spare);
		if (err)
			break;
	}
	list_for_each_entry_safe(d, tmp, &spare, message_link)
		kfree(d);
	return err;
}

/* First of the socket's: what an ordered reader reads. queue_lock held. */
static bool hbc_delivery_is_head(const struct hbc_sock *hs, const struct hbc_delivery *d)
{
	return hs->deliveries.next == &d->sock_link;
}

/* Whether the reader has to wait for the message before this one. queue_lock held. */
static bool hbc_delivery_waits(const struct hbc_sock *hs, const struct hbc_delivery *d)
{
	return !hs->unordered && READ_ONCE(d->message->waits) && !d->overdue;
}

/* So much lies at the socket that its reader takes what there is. queue_lock held. */
static bool hbc_delivery_full(const struct hbc_sock *hs)
{
	return hs->charged >= READ_ONCE(hs->sk.sk_rcvbuf) / 2 ||
	       hs->nr_deliveries >= HBC_DELIVERIES_MAX;
}

bool hbc_delivery_ready(const struct hbc_sock *hs, const struct hbc_delivery *d, size_t want)
{
	if (hbc_delivery_waits(hs, d))
		return false;
	if (d->whole || d->reason)
		return true;
	if (hs->unordered)
		return d->arrived > d->read;
	return d->arrived - d->read >= want || (d->arrived > d->read && hbc_delivery_full(hs));
}

/*
 * The reader of an ordered socket has had all that he can have: he waits for more
 * from @sched. Then nothing else may hold that up, or it would never come.
 * queue_lock held.
 */
static bool hbc_delivery_starved(const struct hbc_sock *hs, const struct hbc_schedule *sched)
{
	const struct hbc_delivery *d;

	if (hs->unordered || list_empty(&hs->deliveries))
		return false;
	d = list_first_entry(&hs->deliveries, struct hbc_delivery, sock_link);
	if (d->message->sched != sched)
		return false;
	return hbc_delivery_waits(hs, d) || (!d->whole && !d->reason && d->arrived == d->read);
}

/* queue_lock held. */
static bool hbc_delivery_has_room(const struct hbc_sock *hs, const struct hbc_delivery *d)
{
	unsigned int size = READ_ONCE(hs->sk.sk_rcvbuf);

	if (hbc_delivery_starved(hs, d->message->sched))
		return true;
	if (!hs->unordered && hbc_delivery_is_head(hs, d) && !d->whole)
		return d->queued < size;
	return hs->charged < size && hs->nr_deliveries < HBC_DELIVERIES_MAX;
}

/* A burst is charged with its first piece, which is also read first. queue_lock held. */
static void hbc_delivery_charge(struct hbc_sock *hs, struct hbc_delivery *d,
				struct hbc_piece *p)
{
	if (hs->last != p->burst)
		p->truesize += p->burst->truesize;
	hs->last = p->burst;
	hs->charged += p->truesize;
	d->queued += p->truesize;
}

/*
 * Off the socket's list, without a way back. The caller drops the reference on
 * the socket and, if it was linked, the one on the message. queue_lock held.
 */
static void hbc_delivery_detach(struct hbc_sock *hs, struct hbc_delivery *d)
{
	hs->charged -= d->queued;
	d->queued = 0;
	hs->last = NULL;
	if (d->linked) {
		list_del_init(&d->sock_link);
		hs->nr_deliveries--;
	}
	d->detached = true;
	RCU_INIT_POINTER(d->hs, NULL);
}

static void hbc_delivery_purge(struct list_head *pieces)
{
	struct hbc_piece *p, *tmp;

	list_for_each_entry_safe(p, tmp, pieces, link)
		hbc_piece_free(p);
	INIT_LIST_HEAD(pieces);
}

/* Something has moved. queue_lock held, the socket not closed. */
static void hbc_delivery_restart(struct hbc_sock *hs)
{
	if (hs->clocked)
		hs->deadline = jiffies + msecs_to_jiffies(READ_ONCE(hs->group->config.stall_ms));
}

/* queue_lock held. */
static void hbc_delivery_arm(struct hbc_sock *hs)
{
	if (hs->clocked || hs->closed)
		return;
	hs->clocked = true;
	hbc_delivery_restart(hs);
	mod_delayed_work(system_wq, &hs->stall, hs->deadline - jiffies);
}

/*
 * Behind whom @d belongs: behind all, unless messages of the same root that come
 * later have been faster and nobody has begun to read them. queue_lock held.
 */
static struct list_head *hbc_delivery_place(const struct hbc_sock *hs,
					    const struct hbc_delivery *d)
{
	struct list_head *place = hs->deliveries.prev;
	struct hbc_delivery *other;

	list_for_each_entry_reverse(other, &hs->deliveries, sock_link) {
		if (other->message->sched != d->message->sched)
			continue;
		if (other->message->id < d->message->id || other->busy || other->read)
			break;
		place = other->sock_link.prev;
	}
	return place;
}

void hbc_delivery_link(struct hbc_delivery *d)
{
	/* Nobody else knows it yet. */
	struct hbc_sock *hs = rcu_dereference_protected(d->hs, true);

	spin_lock_bh(&hs->queue_lock);
	if (hs->closed) {
		d->reason = HBCAST_REASON_CLOSED;
	} else if (hs->cut) {
		d->reason = HBCAST_REASON_STALLED;
	} else if (hs->nr_deliveries >= HBC_MESSAGES_MAX) {
		d->reason = HBCAST_REASON_NO_MEMORY;
	} else {
		hbc_message_get(d->message);
		d->linked = true;
		list_add(&d->sock_link, hbc_delivery_place(hs, d));
		hs->nr_deliveries++;
	}
	spin_unlock_bh(&hs->queue_lock);
}

void hbc_delivery_refuse(struct hbc_message *m)
{
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link)
		if (!d->linked)
			hbc_delivery_end(d, d->reason);
	/* With one more of them a reader may have to take what there is. */
	hbc_delivery_wake(m);
}

/* Its piece, behind those of lower offsets. queue_lock held. */
static void hbc_delivery_insert(const struct hbc_sock *hs, struct hbc_delivery *d,
				struct hbc_piece *p)
{
	struct list_head *at = d->queue.prev;

	while (!hs->unordered && at != &d->queue &&
	       list_entry(at, struct hbc_piece, link)->offset > p->offset)
		at = at->prev;
	list_add(&p->link, at);
}

/*
 * What an ordered socket's reader does not wait for, when much more has come than
 * he has room for: what is on the way until he gets what he waits for is kept.
 * queue_lock held.
 */
static bool hbc_delivery_early(const struct hbc_sock *hs, const struct hbc_delivery *d,
			       const struct hbc_piece *p)
{
	return hs->charged >= (u64)READ_ONCE(hs->sk.sk_rcvbuf) * HBC_DELIVERY_EARLY &&
	       hbc_delivery_starved(hs, d->message->sched) &&
	       !(hbc_delivery_is_head(hs, d) && !hbc_delivery_waits(hs, d) &&
		 p->offset <= d->arrived);
}

/*
 * The part of hbc_delivery_put() under queue_lock. Return: 0 if @p is used, which
 * so is the socket's; -EEXIST if some of it has come before; -ENOBUFS, -ENOSPC or
 * -ENOMEM if it has to come once more.
 */
static int hbc_delivery_append(struct hbc_sock *hs, struct hbc_delivery *d, struct hbc_piece *p)
{
	u32 bytes = p->bytes;
	int err = 0;

	if (d->detached || d->reason || d->whole || hbc_delivery_early(hs, d, p))
		return -ENOBUFS;
	if (bytes)
		err = hbc_spans_add(&d->had, p->offset, p->offset + bytes - 1,
				    HBC_DELIVERY_SPANS);
	if (err)
		return err;
	hbc_delivery_charge(hs, d, p);
	hbc_delivery_insert(hs, d, p);
	d->bytes += bytes;
	d->arrived = hs->unordered ? d->bytes : hbc_spans_run(&d->had, 0);
	d->whole = d->bytes == d->message->total;
	if (hbc_delivery_is_head(hs, d))
		hbc_delivery_restart(hs);
	return 0;
}

/* Whether what has come for @d makes the reader go on. queue_lock held. */
static bool hbc_delivery_wakes(const struct hbc_sock *hs, const struct hbc_delivery *d)
{
	const struct hbc_delivery *head;

	if (d->detached || !d->linked)
		return false;
	if (hs->unordered || hbc_delivery_is_head(hs, d))
		return hbc_delivery_ready(hs, d, hs->want);
	/* The socket may be full now. */
	head = list_first_entry(&hs->deliveries, struct hbc_delivery, sock_link);
	return !head->whole && hbc_delivery_ready(hs, head, hs->want);
}

/* Queues @bytes of payload, or none of it: 0, or what hbc_delivery_append() says. */
static int hbc_delivery_put(struct hbc_delivery *d, struct hbc_burst *b, u32 pos, u32 len,
			    u64 offset, u32 bytes)
{
	struct hbc_piece *p = hbc_piece_new(b, pos, len, offset, bytes);
	struct hbc_sock *hs;
	bool wake = false;
	int err = -ENOMEM;

	if (!p)
		return err;
	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		err = hbc_delivery_append(hs, d, p);
		wake = hbc_delivery_wakes(hs, d);
		spin_unlock_bh(&hs->queue_lock);
		if (wake)
			hs->sk.sk_data_ready(&hs->sk);
	}
	rcu_read_unlock();
	if (err)
		hbc_piece_free(p);
	return err;
}

void hbc_delivery_queue(struct hbc_delivery *d, struct hbc_burst *b, const struct hbc_run *run)
{
	u32 payload = run->frame - HBC_FRAGMENT_LEN, at = 0, n;
	u32 pos = run->pos;

	if (hbc_delivery_put(d, b, run->pos, run->len, run->offset, run->bytes) != -EEXIST ||
	    run->bytes <= payload)
		return;
	/* Some of it is new, perhaps. */
	for (; at < run->bytes; at += n) {
		n = min(payload, run->bytes - at);
		hbc_delivery_put(d, b, pos, HBC_FRAGMENT_LEN + n, run->offset + at, n);
		pos += HBC_FRAGMENT_LEN + n;
	}
}

u64 hbc_delivery_have(struct hbc_delivery *d)
{
	u64 have = U64_MAX;
	struct hbc_sock *hs;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		if (!d->detached && !d->reason)
			have = hbc_spans_run(&d->had, 0);
		spin_unlock_bh(&hs->queue_lock);
	}
	rcu_read_unlock();
	return have;
}

bool hbc_delivery_gap(struct hbc_delivery *d, u64 *first, u64 *last, u64 end)
{
	struct hbc_sock *hs;
	bool gap = false;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		if (!d->detached && !d->reason)
			gap = hbc_spans_gap(&d->had, first, last, end);
		spin_unlock_bh(&hs->queue_lock);
	}
	rcu_read_unlock();
	return gap;
}

void hbc_delivery_none(struct hbc_delivery *d)
{
	struct hbc_sock *hs;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		d->whole = d->linked && !d->detached && !d->reason;
		spin_unlock_bh(&hs->queue_lock);
		hs->sk.sk_data_ready(&hs->sk);
	}
	rcu_read_unlock();
}

void hbc_delivery_wake(struct hbc_message *m)
{
	struct hbc_delivery *d;
	struct hbc_sock *hs;

	list_for_each_entry(d, &m->deliveries, message_link) {
		rcu_read_lock();
		hs = rcu_dereference(d->hs);
		if (hs)
			hs->sk.sk_data_ready(&hs->sk);
		rcu_read_unlock();
	}
}

void hbc_delivery_end(struct hbc_delivery *d, u8 reason)
{
	bool refused = false, wake = false;
	struct hbc_sock *hs;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		if (!d->detached && !d->linked) {
			hbc_delivery_detach(hs, d);
			refused = true;
		} else if (!d->detached) {
			if (!d->whole && !d->reason)
				d->reason = reason;
			wake = true;
		}
		spin_unlock_bh(&hs->queue_lock);
		if (wake)
			hs->sk.sk_data_ready(&hs->sk);
		if (refused)
			sock_put(&hs->sk);
	}
	rcu_read_unlock();
	if (refused)
		hbc_message_finish(d->message, reason);
}

bool hbc_delivery_room(struct hbc_delivery *d, bool crowded)
{
	struct hbc_sock *hs;
	bool room = true;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		room = !d->linked || d->detached ||
		       ((!crowded || hbc_delivery_starved(hs, d->message->sched)) &&
			hbc_delivery_has_room(hs, d));
		if (!room) {
			d->denied = true;
			hs->denied = true;
			hbc_delivery_arm(hs);
		}
		spin_unlock_bh(&hs->queue_lock);
	}
	rcu_read_unlock();
	return room;
}

void hbc_delivery_free(struct hbc_delivery *d)
{
	struct hbc_sock *hs = rcu_dereference_protected(d->hs, true);

	hbc_delivery_purge(&d->queue);
	hbc_delivery_purge(&d->reading);
	hbc_spans_free(&d->had);
	if (hs)
		sock_put(&hs->sk);
	kfree(d);
}

/*
 * A message, a reference, of some schedule that was denied room and has it
 * now; all of that schedule's deliveries count as told. queue_lock held.
 */
static struct hbc_message *hbc_delivery_relieved(struct hbc_sock *hs)
{
	struct hbc_message *m = NULL;
	struct hbc_delivery *d;
	bool denied = false;

	list_for_each_entry(d, &hs->deliveries, sock_link) {
		if (!d->denied)
			continue;
		if (!m && hbc_delivery_has_room(hs, d)) {
			m = d->message;
			hbc_message_get(m);
		}
		if (m && d->message->sched == m->sched)
			d->denied = false;
		else
			denied = true;
	}
	hs->denied = denied;
	return m;
}

static void hbc_delivery_resume(struct hbc_sock *hs)
{
	struct hbc_message *m;

	do {
		spin_lock_bh(&hs->queue_lock);
		m = hs->denied ? hbc_delivery_relieved(hs) : NULL;
		spin_unlock_bh(&hs->queue_lock);
		if (m) {
			hbc_schedule_resume(m->sched);
			hbc_message_put(m);
		}
	} while (m);
}

void hbc_delivery_consume(struct hbc_sock *hs, struct hbc_delivery *d, struct hbc_piece *p)
{
	spin_lock_bh(&hs->queue_lock);
	if (!d->detached) {
		d->queued -= p->truesize;
		hs->charged -= p->truesize;
		if (hs->last == p->burst)
			hs->last = NULL;
	}
	spin_unlock_bh(&hs->queue_lock);
	list_del(&p->link);
	hbc_piece_free(p);
}

/* After it was detached and is not busy: what its end means for all others. */
static void hbc_delivery_settle(struct hbc_sock *hs, struct hbc_delivery *d, u8 reason)
{
	struct hbc_message *m = d->message;

	hbc_delivery_purge(&d->queue);
	hbc_delivery_purge(&d->reading);
	hbc_message_finish(m, reason);
	hbc_schedule_resume(m->sched);
	hbc_message_put(m);
	sock_put(&hs->sk);
}

bool hbc_delivery_advance(struct hbc_sock *hs, struct hbc_delivery *d, u64 bytes)
{
	struct hbc_message *m = d->message;
	bool done = false, tell = false, cut;
	u64 read = d->read + bytes;

	spin_lock_bh(&hs->queue_lock);
	d->busy = false;
	cut = d->detached;
	if (!cut) {
		d->read = read;
		done = d->whole && read == m->total;
		if (bytes || done)
			hbc_delivery_restart(hs);
		tell = read - d->told >= max_t(u64, m->total / 32, SZ_1M);
		if (tell)
			d->told = read;
		if (done)
			hbc_delivery_detach(hs, d);
		else if (hs->unordered)
			list_move_tail(&d->sock_link, &hs->deliveries);
	}
	spin_unlock_bh(&hs->queue_lock);
	if (done || cut)
		hbc_delivery_settle(hs, d, done ? 0 : d->reason);
	else if (tell)
		hbc_message_progress(m, read);
	hbc_delivery_resume(hs);
	return done;
}

void hbc_delivery_leave(struct hbc_sock *hs, struct hbc_delivery *d)
{
	bool cut;

	spin_lock_bh(&hs->queue_lock);
	d->busy = false;
	cut = d->detached;
	spin_unlock_bh(&hs->queue_lock);
	if (cut)
		hbc_delivery_settle(hs, d, d->reason);
}

void hbc_delivery_abandon(struct hbc_sock *hs, struct hbc_delivery *d, u8 reason)
{
	spin_lock_bh(&hs->queue_lock);
	d->busy = false;
	hbc_delivery_restart(hs);
	if (d->detached)
		reason = d->reason;
	else
		hbc_delivery_detach(hs, d);
	spin_unlock_bh(&hs->queue_lock);
	hbc_delivery_settle(hs, d, reason);
	hbc_delivery_resume(hs);
}

/*
 * Detach them all, or those that are not whole: onto @gone, but for one that
 * the reader settles. queue_lock held.
 */
static void hbc_delivery_sweep(struct hbc_sock *hs, bool partial, struct list_head *gone)
{
	struct hbc_delivery *d, *tmp;

	list_for_each_entry_safe(d, tmp, &hs->deliveries, sock_link) {
		if (partial && d->whole)
			continue;
		hbc_delivery_detach(hs, d);
		if (d->busy)
			d->reason = HBCAST_REASON_STALLED;
		else
			list_add_tail(&d->sock_link, gone);
	}
}

static void hbc_delivery_settle_all(struct hbc_sock *hs, struct list_head *gone, u8 reason)
{
	struct hbc_delivery *d, *tmp;

	list_for_each_entry_safe(d, tmp, gone, sock_link) {
		list_del_init(&d->sock_link);
		hbc_delivery_settle(hs, d, reason);
	}
}

void hbc_delivery_close(struct hbc_sock *hs, bool partial)
{
	LIST_HEAD(gone);

	spin_lock_bh(&hs->queue_lock);
	hs->closed = true;
	hbc_delivery_sweep(hs, partial, &gone);
	spin_unlock_bh(&hs->queue_lock);
	hbc_delivery_settle_all(hs, &gone, HBCAST_REASON_CLOSED);
	hbc_delivery_resume(hs);
}

/* Whether a reader has something to read. queue_lock held. */
static bool hbc_delivery_readable(const struct hbc_sock *hs)
{
	const struct hbc_delivery *d;

	list_for_each_entry(d, &hs->deliveries, sock_link) {
		if (d->busy || hbc_delivery_ready(hs, d, hs->want))
			return true;
		if (!hs->unordered)
			break;
	}
	return false;
}

/*
 * When the clock has run out: whether it is the socket that is cut off. Else
 * the message that all wait for has ended, if there is one. queue_lock held.
 */
static bool hbc_delivery_expired(struct hbc_sock *hs)
{
	struct hbc_delivery *d;

	if (hbc_delivery_readable(hs)) {
		hs->cut = true;
		return true;
	}
	d = list_first_entry_or_null(&hs->deliveries, struct hbc_delivery, sock_link);
	if (d)
		d->overdue = true;
	if (d && !d->whole && !d->reason)
		d->reason = HBCAST_REASON_LANE_LOST;
	hbc_delivery_arm(hs);
	return false;
}

void hbc_delivery_stall(struct work_struct *work)
{
	struct hbc_sock *hs = container_of(to_delayed_work(work), struct hbc_sock, stall);
	bool cut = false, over;
	LIST_HEAD(gone);

	spin_lock_bh(&hs->queue_lock);
	over = !hs->denied || hs->closed || !time_before(jiffies, hs->deadline);
	if (over)
		hs->clocked = false;
	else
		mod_delayed_work(system_wq, &hs->stall, hs->deadline - jiffies);
	if (over && hs->denied && !hs->closed) {
		cut = hbc_delivery_expired(hs);
		if (cut)
			hbc_delivery_sweep(hs, false, &gone);
	}
	spin_unlock_bh(&hs->queue_lock);
	if (cut) {
		hbc_group_drop(hs->group, HBC_DROP_STALLED);
		hbc_event_stall(hs->group, hs->port);
		hbc_delivery_settle_all(hs, &gone, HBCAST_REASON_STALLED);
		hbc_delivery_resume(hs);
	}
	if (over)
		hs->sk.sk_data_ready(&hs->sk);
}
