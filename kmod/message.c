// SPDX-License-Identifier: GPL-2.0
/*
 * A message at a member that is not its root: what has arrived, who reads it
 * here, and what is reported about it.
 */
#include <linux/hash.h>
#include <linux/hbcast.h>
#include <linux/slab.h>

#include "burst.h"
#include "delivery.h"
#include "forward.h"
#include "group.h"
#include "lane.h"
#include "message.h"
#include "node.h"
#include "receive.h"
#include "schedule.h"
#include "trace.h"
#include "transmit.h"

void hbc_message_get(struct hbc_message *m)
{
	kref_get(&m->ref);
}

static void hbc_message_free_deliveries(struct list_head *deliveries)
{
	struct hbc_delivery *d, *next;

	list_for_each_entry_safe(d, next, deliveries, message_link) {
		list_del(&d->message_link);
		hbc_delivery_free(d);
	}
}

static void hbc_message_free(struct kref *ref)
{
	struct hbc_message *m = container_of(ref, struct hbc_message, ref);

	hbc_message_free_deliveries(&m->deliveries);
	hbc_schedule_put(m->sched);
	kfree(m);
}

void hbc_message_put(struct hbc_message *m)
{
	kref_put(&m->ref, hbc_message_free);
}

static struct hlist_head *hbc_message_bucket(struct hbc_schedule *sched, u64 id)
{
	return &sched->messages[hash_64(id, HBC_MESSAGE_HASH_BITS)];
}

/* sched->lock held. */
static struct hbc_message *hbc_message_search(struct hbc_schedule *sched, u64 id)
{
	struct hbc_message *m;

	hlist_for_each_entry(m, hbc_message_bucket(sched, id), link)
		if (m->id == id)
			return m;
	return NULL;
}

/* With a reference, or NULL. */
static struct hbc_message *hbc_message_find(struct hbc_schedule *sched, u64 id)
{
	struct hbc_message *m;

	spin_lock_bh(&sched->lock);
	m = hbc_message_search(sched, id);
	if (m)
		hbc_message_get(m);
	spin_unlock_bh(&sched->lock);
	return m;
}

static void hbc_message_report(struct hbc_message *m, u8 state, u8 reason, u64 bytes)
{
	struct hbc_ack ack = {
		.message = m->id,
		.bytes = bytes,
		.node = READ_ONCE(m->sched->hn->id),
		.epoch = m->epoch,
		.state = state,
		.reason = reason,
	};

	hbc_schedule_ack(m->sched, m->slot, &ack);
}

void hbc_message_finish(struct hbc_message *m, u8 reason)
{
	struct hbc_schedule *sched = m->sched;
	bool ack, last;

	spin_lock_bh(&sched->lock);
	last = !--m->open;
	if (reason && !m->reason)
		m->reason = reason;
	reason = m->reason;
	ack = !m->acked && (reason || last);
	m->acked |= ack;
	if (last) {
		hlist_del(&m->link);
		sched->nr_messages--;
	}
	spin_unlock_bh(&sched->lock);
	if (ack)
		hbc_message_report(m, reason ? HBCAST_FAILED : HBCAST_DELIVERED, reason,
				   reason ? m->reported : m->total);
	if (last) {
		trace_hbc_message_close(m);
		hbc_message_put(m);
	}
}

void hbc_message_progress(struct hbc_message *m, u64 bytes)
{
	bool more;

	spin_lock_bh(&m->sched->lock);
	more = bytes > m->reported && !m->acked;
	if (more)
		m->reported = bytes;
	spin_unlock_bh(&m->sched->lock);
	if (more)
		hbc_message_report(m, HBCAST_PENDING, 0, bytes);
}

static struct hbc_message *hbc_message_new(struct hbc_lane *lane, const struct hbc_hdr *h,
					   const struct hbc_fragment *f)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_message *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	kref_init(&m->ref);
	kref_get(&sched->ref);
	m->sched = sched;
	m->id = f->message;
	m->total = f->total;
	m->port = f->port;
	m->epoch = f->epoch;
	m->slot = h->slot;
	m->lane = lane;
	m->open = 1;
	INIT_LIST_HEAD(&m->deliveries);
	if (hbc_delivery_open(sched->group, m)) {
		hbc_message_put(m);
		return NULL;
	}
	return m;
}

/*
 * Puts a new message among those that are open, with another reference: whether
 * it goes to receivers here, or -EEXIST if another lane has begun it just now.
 * One that has begun before only goes on to the nodes below, which may lack it.
 */
static int hbc_message_enter(struct hbc_message *m)
{
	struct hbc_schedule *sched = m->sched;
	LIST_HEAD(unused);
	int ret = -EEXIST;

	spin_lock_bh(&sched->lock);
	if (!hbc_message_search(sched, m->id)) {
		hbc_message_get(m);
		hlist_add_head(&m->link, hbc_message_bucket(sched, m->id));
		sched->nr_messages++;
		ret = hbc_history_add(&sched->history, m->id);
	}
	if (!ret) {
		list_splice_init(&m->deliveries, &unused);
		m->open = 1;
	}
	spin_unlock_bh(&sched->lock);
	hbc_message_free_deliveries(&unused);
	return ret;
}

/* Nobody here reads @m, which is told at once. */
static void hbc_message_unread(struct hbc_message *m, u8 reason, enum hbc_drop drop)
{
	hbc_group_drop(m->sched->group, drop);
	m->acked = true;
	m->reason = reason;
	hbc_message_report(m, HBCAST_FAILED, reason, 0);
}

/* The first fragment of a message: with a reference for the caller, or ERR_PTR. */
static struct hbc_message *hbc_message_open(struct hbc_lane *lane, const struct hbc_hdr *h,
					    const struct hbc_fragment *f)
{
	struct hbc_message *m;
	int ret;

	if (READ_ONCE(lane->sched->nr_messages) >= HBC_MESSAGES_MAX)
		return ERR_PTR(-ENOBUFS);
	m = hbc_message_new(lane, h, f);
	if (!m)
		return ERR_PTR(-ENOMEM);
	ret = hbc_message_enter(m);
	if (ret < 0) {
		hbc_message_put(m);
		return ERR_PTR(ret);
	}
	trace_hbc_message_open(m);
	/* The root knows what became of one that it has sent once. */
	if (!ret)
		hbc_message_unread(m, HBCAST_REASON_NO_MEMORY, HBC_DROP_STALE);
	else if (list_empty(&m->deliveries))
		hbc_message_unread(m, HBCAST_REASON_NO_RECEIVER, HBC_DROP_NO_RECEIVER);
	return m;
}

/* *@mp becomes the fragment's message: 0, 1 if it is unknown and stays so, -errno. */
static int hbc_message_turn(struct hbc_lane *lane, const struct hbc_hdr *h,
			    const struct hbc_fragment *f, struct hbc_message **mp)
{
	struct hbc_message *m = hbc_message_find(lane->sched, f->message);

	if (!m) {
		if (f->offset || h->flags & HBC_FRAGMENT_ABORT)
			return 1;
		m = hbc_message_open(lane, h, f);
		if (IS_ERR(m))
			return PTR_ERR(m) == -EEXIST ? 1 : PTR_ERR(m);
	}
	if (*mp)
		hbc_message_put(*mp);
	*mp = m;
	return 0;
}

int hbc_message_fragment(struct hbc_lane *lane, const struct hbc_hdr *h,
			 const struct hbc_fragment *f, struct hbc_message **mp)
{
	u32 bytes = h->length - HBC_FRAGMENT_LEN;
	struct hbc_message *m = *mp;
	int err;

	if (!m || m->id != f->message) {
		err = hbc_message_turn(lane, h, f, mp);
		if (err < 0)
			return err;
		if (err)
			goto stale;
		m = *mp;
	}
	/* What the connection before this one began has ended, or will. */
	if (m->lane != lane)
		goto stale;
	if (m->last || f->total != m->total || f->port != m->port || f->epoch != m->epoch)
		return -EBADMSG;
	m->last = h->flags & HBC_FRAGMENT_ABORT;
	if (m->last)
		return 0;
	if (f->offset != m->next)
		return -EBADMSG;
	m->next += bytes;
	m->last = m->next == m->total;
	return 0;
stale:
	hbc_group_drop(lane->sched->group, HBC_DROP_STALE);
	return 1;
}

void hbc_message_deliver(const struct hbc_run *run, struct hbc_burst *b)
{
	struct hbc_message *m = run->message;
	struct hbc_delivery *d;

	/* The receive work's share of m->open keeps the list as it is. */
	list_for_each_entry(d, &m->deliveries, message_link) {
		if (run->len)
			hbc_delivery_queue(d, b, run->pos, run->len, run->offset, run->bytes);
		if (run->end)
			hbc_delivery_end(d, run->end);
		else if (!hbc_delivery_room(d, false))
			set_bit(HBC_SCHEDULE_CHOKED, &m->sched->flags);
	}
	if (run->end || run->offset + run->bytes == m->total) {
		m->whole = true;
		hbc_message_finish(m, run->end);
	}
}

bool hbc_message_room(struct hbc_schedule *sched)
{
	bool room = true, crowded;
	struct hbc_delivery *d;
	struct hbc_message *m;
	unsigned int left;
	int i;

	crowded = READ_ONCE(sched->nr_messages) >= HBC_MESSAGES_MAX / 2;
	if (!crowded && !test_bit(HBC_SCHEDULE_CHOKED, &sched->flags))
		return true;
	spin_lock_bh(&sched->lock);
	left = sched->nr_messages;
	for (i = 0; left; i++)
		hlist_for_each_entry(m, &sched->messages[i], link) {
			list_for_each_entry(d, &m->deliveries, message_link)
				room = hbc_delivery_room(d, crowded) && room;
			left--;
		}
	if (room)
		clear_bit(HBC_SCHEDULE_CHOKED, &sched->flags);
	spin_unlock_bh(&sched->lock);
	return room;
}

/* Tells the nodes below that no more of @m comes. */
static void hbc_message_abort_below(struct hbc_message *m, u8 reason)
{
	struct hbc_fragment f = {
		.epoch = m->epoch,
		.message = m->id,
		.total = m->total,
		.port = m->port,
		.reason = reason,
	};
	struct hbc_tree *tree = hbc_tree_get(m->sched, m->epoch, m->slot);

	if (!tree)
		return;
	hbc_forward_abort(tree, &f);
	hbc_tree_put(tree);
}

static void hbc_message_abort(struct hbc_message *m, u8 reason)
{
	struct hbc_delivery *d;

	m->whole = true;
	hbc_message_abort_below(m, reason);
	list_for_each_entry(d, &m->deliveries, message_link)
		hbc_delivery_end(d, reason);
	hbc_message_finish(m, reason);
}

/* One message of @lane that is not whole, with a reference, or NULL. */
static struct hbc_message *hbc_message_torn(struct hbc_schedule *sched,
					    const struct hbc_lane *lane)
{
	struct hbc_message *m, *found = NULL;
	int i;

	spin_lock_bh(&sched->lock);
	for (i = 0; i < ARRAY_SIZE(sched->messages) && !found; i++)
		hlist_for_each_entry(m, &sched->messages[i], link)
			if (m->lane == lane && !m->whole)
				found = m;
	if (found)
		hbc_message_get(found);
	spin_unlock_bh(&sched->lock);
	return found;
}

void hbc_message_abort_all(struct hbc_schedule *sched, struct hbc_lane *lane, u8 reason)
{
	struct hbc_message *m;

	while ((m = hbc_message_torn(sched, lane))) {
		hbc_message_abort(m, reason);
		hbc_message_put(m);
	}
}
