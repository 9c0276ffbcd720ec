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
#include "schedule.h"
#include "socket.h"

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

bool hbc_delivery_ready(const struct hbc_sock *hs, const struct hbc_delivery *d, size_t want)
{
	if (d->whole || d->reason)
		return true;
	if (hs->unordered)
		return d->arrived > d->read;
	return d->arrived - d->read >= want || d->queued >= READ_ONCE(hs->sk.sk_rcvbuf) / 2;
}

/* queue_lock held. */
static bool hbc_delivery_has_room(const struct hbc_sock *hs, const struct hbc_delivery *d)
{
	unsigned int size = READ_ONCE(hs->sk.sk_rcvbuf);

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

/* 0, or the enum hbcast_reason why the socket does not take @d. queue_lock held. */
static u8 hbc_delivery_link(struct hbc_sock *hs, struct hbc_delivery *d)
{
	u8 reason = 0;

	if (hs->closed)
		reason = HBCAST_REASON_CLOSED;
	else if (hs->cut)
		reason = HBCAST_REASON_STALLED;
	else if (hs->nr_deliveries >= HBC_MESSAGES_MAX)
		reason = HBCAST_REASON_NO_MEMORY;
	if (reason) {
		hbc_delivery_detach(hs, d);
		return reason;
	}
	hbc_message_get(d->message);
	d->linked = true;
	list_add_tail(&d->sock_link, &hs->deliveries);
	hs->nr_deliveries++;
	return 0;
}

/*
 * The part of hbc_delivery_queue() under queue_lock. *@p is cleared if it is
 * used. Return: why the socket refused the message, or 0.
 */
static u8 hbc_delivery_append(struct hbc_sock *hs, struct hbc_delivery *d, struct hbc_piece **p,
			      u32 bytes)
{
	u8 reason;

	if (!d->linked) {
		reason = hbc_delivery_link(hs, d);
		if (reason)
			return reason;
	}
	if (d->reason)
		return 0;
	if (!*p) {
		d->reason = HBCAST_REASON_NO_MEMORY;
		return 0;
	}
	hbc_delivery_charge(hs, d, *p);
	list_add_tail(&(*p)->link, &d->queue);
	*p = NULL;
	d->arrived += bytes;
	d->whole = d->arrived == d->message->total;
	if (hbc_delivery_is_head(hs, d))
		hbc_delivery_restart(hs);
	return 0;
}

void hbc_delivery_queue(struct hbc_delivery *d, struct hbc_burst *b, u32 pos, u32 len,
			u64 offset, u32 bytes)
{
	struct hbc_piece *p = hbc_piece_new(b, pos, len, offset, bytes);
	struct hbc_sock *hs;
	bool wake = false;
	u8 refused = 0;

	rcu_read_lock();
	hs = rcu_dereference(d->hs);
	if (hs) {
		spin_lock_bh(&hs->queue_lock);
		if (!d->detached)
			refused = hbc_delivery_append(hs, d, &p, bytes);
		if (!d->detached && (hs->unordered || hbc_delivery_is_head(hs, d)))
			wake = hbc_delivery_ready(hs, d, hs->want);
		spin_unlock_bh(&hs->queue_lock);
		if (wake)
			hs->sk.sk_data_ready(&hs->sk);
		/* The reference was the delivery's; RCU keeps the memory until here. */
		if (refused)
			sock_put(&hs->sk);
	}
	rcu_read_unlock();
	if (p)
		hbc_piece_free(p);
	if (refused)
		hbc_message_finish(d->message, refused);
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
		} else if (!d->detached && !d->whole && !d->reason) {
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
		       (!crowded && hbc_delivery_has_room(hs, d));
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
