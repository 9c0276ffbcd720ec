// SPDX-License-Identifier: GPL-2.0
/*
 * A message at a member that is not its root: what has arrived, who reads it
 * here, what is missing, and what is reported about it.
 *
 * It is open while some socket reads it. Then it is remembered for a while, so
 * that what has been reported can be reported again, and so that the children
 * that are not so far have somebody who asks for them.
 */
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "burst.h"
#include "delivery.h"
#include "forward.h"
#include "group.h"
#include "lack.h"
#include "lane.h"
#include "message.h"
#include "node.h"
#include "receive.h"
#include "schedule.h"
#include "tally.h"
#include "trace.h"
#include "transmit.h"
#include "tree.h"

/* So many questions are left open while an old epoch's trees are there, which may be for long. */
#define HBC_MESSAGE_HOLD	8

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
	hbc_tally_free(m->tally);
	hbc_spans_free(&m->asked);
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

struct hbc_message *hbc_message_find(struct hbc_schedule *sched, u64 id)
{
	struct hbc_message *m;

	spin_lock_bh(&sched->lock);
	m = hbc_message_search(sched, id);
	if (m)
		hbc_message_get(m);
	spin_unlock_bh(&sched->lock);
	return m;
}

/* What is reported, and has been. */

static void hbc_message_report(struct hbc_message *m, u8 state, u8 reason, u64 bytes)
{
	struct hbc_ack ack = {
		.message = m->id,
		.bytes = bytes,
		.node = READ_ONCE(m->sched->hn->id),
		.epoch = READ_ONCE(m->epoch),
		.state = state,
		.reason = reason,
	};

	hbc_schedule_ack(m->sched, &ack);
}

static void hbc_message_report_final(struct hbc_message *m, u8 reason)
{
	hbc_message_report(m, reason ? HBCAST_FAILED : HBCAST_DELIVERED, reason,
			   reason ? m->reported : m->total);
}

static void hbc_message_report_again(struct hbc_message *m)
{
	bool acked;
	u8 reason;

	spin_lock_bh(&m->sched->lock);
	acked = m->acked;
	reason = m->reason;
	spin_unlock_bh(&m->sched->lock);
	if (acked)
		hbc_message_report_final(m, reason);
}

/* @m waits no more. sched->lock held. */
static void hbc_message_go(struct hbc_message *m)
{
	lockdep_assert_held(&m->sched->lock);
	m->sched->nr_waiting -= m->waits;
	WRITE_ONCE(m->waits, false);
}

/*
 * Nobody reads it any more: it is among those that are remembered, of which the
 * oldest, which is returned, may have to go. sched->lock held.
 */
static struct hbc_message *hbc_message_close(struct hbc_message *m)
{
	struct hbc_schedule *sched = m->sched;
	struct hbc_message *old;

	lockdep_assert_held(&sched->lock);
	sched->nr_messages--;
	hbc_message_go(m);
	if (sched->forgetful) {
		list_del(&m->state_link);
		hlist_del(&m->link);
		return m;
	}
	list_move_tail(&m->state_link, &sched->closed);
	if (sched->nr_closed < HBC_CLOSED_MAX) {
		sched->nr_closed++;
		return NULL;
	}
	old = list_first_entry(&sched->closed, struct hbc_message, state_link);
	list_del(&old->state_link);
	hlist_del(&old->link);
	return old;
}

/* So that it can be reported again when it is forgotten otherwise. sched->lock held. */
static void hbc_message_note_delivered(struct hbc_message *m)
{
	struct hbc_spans *delivered = &m->sched->delivered;

	if (hbc_spans_add(delivered, m->id, m->id, HBC_HISTORY_MAX) == -ENOSPC) {
		hbc_spans_remove_run(delivered);
		hbc_spans_add(delivered, m->id, m->id, HBC_HISTORY_MAX);
	}
}

void hbc_message_finish(struct hbc_message *m, u8 reason)
{
	struct hbc_schedule *sched = m->sched;
	struct hbc_message *old = NULL;
	bool ack, last;

	spin_lock_bh(&sched->lock);
	last = !--m->open;
	if (reason && !m->reason)
		m->reason = reason;
	reason = m->reason;
	ack = !m->acked && (reason || last);
	m->acked |= ack;
	if (ack && !reason)
		hbc_message_note_delivered(m);
	if (last)
		old = hbc_message_close(m);
	spin_unlock_bh(&sched->lock);
	if (ack)
		hbc_message_report_final(m, reason);
	if (last) {
		trace_hbc_message_close(m);
		hbc_lack_trim(m);
	}
	if (old)
		hbc_message_put(old);
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

/* How it begins. */

static struct hbc_message *hbc_message_new(struct hbc_schedule *sched,
					   const struct hbc_fragment *f)
{
	struct hbc_message *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	kref_init(&m->ref);
	kref_get(&sched->ref);
	m->sched = sched;
	m->id = f->message;
	m->after = f->after ? f->message - f->after : 0;
	m->total = f->total;
	m->port = f->port;
	m->since = f->offset ? 0 : f->epoch;
	m->epoch = f->epoch;
	m->heard = jiffies;
	INIT_LIST_HEAD(&m->deliveries);
	hbc_spans_init(&m->asked);
	if (hbc_delivery_open(sched->group, m)) {
		hbc_message_put(m);
		return NULL;
	}
	return m;
}

/* Whether @id begins here for the first time; it has begun now. sched->lock held. */
static bool hbc_message_remember(struct hbc_schedule *sched, u64 id)
{
	int err = hbc_spans_add(&sched->history, id, id, HBC_HISTORY_MAX);

	if (err && err != -EEXIST)
		hbc_spans_force(&sched->history, id);
	return err != -EEXIST;
}

/* sched->lock held. */
static bool hbc_message_begun(const struct hbc_schedule *sched, u64 id)
{
	return hbc_spans_run(&sched->history, id);
}

/* Whether @m has to wait for the one before it. sched->lock held. */
static bool hbc_message_behind(const struct hbc_message *m)
{
	return m->after && !hbc_message_begun(m->sched, m->after);
}

/*
 * Puts a new message among the others, with another reference. One that nobody
 * reads here is closed at once: *@old is to be put then. One that has begun
 * before, and is forgotten, is read by nobody: it is reported as delivered if it
 * is known to have been. sched->lock held.
 */
static void hbc_message_enter(struct hbc_message *m, struct list_head *unused,
			      struct hbc_message **old)
{
	struct hbc_schedule *sched = m->sched;
	struct hbc_delivery *d;

	lockdep_assert_held(&sched->lock);
	hbc_message_get(m);
	hlist_add_head(&m->link, hbc_message_bucket(sched, m->id));
	list_add_tail(&m->state_link, &sched->open);
	sched->nr_messages++;
	if (!hbc_message_remember(sched, m->id)) {
		list_splice_init(&m->deliveries, unused);
		if (!hbc_spans_run(&sched->delivered, m->id))
			m->reason = HBCAST_REASON_NO_MEMORY;
		m->open = 0;
	} else if (list_empty(&m->deliveries)) {
		m->reason = HBCAST_REASON_NO_RECEIVER;
	}
	m->waits = hbc_message_behind(m);
	sched->nr_waiting += m->waits;
	/* Two roots' messages are in the same order at all sockets. */
	spin_lock(&sched->group->socks_lock);
	list_for_each_entry(d, &m->deliveries, message_link)
		hbc_delivery_link(d);
	spin_unlock(&sched->group->socks_lock);
	if (m->open)
		return;
	m->acked = true;
	*old = hbc_message_close(m);
}

/* One that waits for @id to begin, and does not any more, with a reference; or NULL. */
static struct hbc_message *hbc_message_unwait(struct hbc_schedule *sched, u64 id)
{
	struct hbc_message *m, *found = NULL;

	spin_lock_bh(&sched->lock);
	list_for_each_entry(m, &sched->open, state_link)
		if (m->waits && m->after == id)
			found = m;
	if (found) {
		hbc_message_go(found);
		hbc_message_get(found);
	}
	spin_unlock_bh(&sched->lock);
	return found;
}

/* Those that waited for @id to begin wait no more. */
static void hbc_message_follow(struct hbc_schedule *sched, u64 id)
{
	struct hbc_message *m;

	while ((m = hbc_message_unwait(sched, id))) {
		hbc_delivery_wake(m);
		hbc_message_put(m);
	}
}

/* Whoever is read by nobody is told at once. */
static void hbc_message_unread(struct hbc_message *m)
{
	hbc_group_drop(m->sched->group, m->reason == HBCAST_REASON_NO_RECEIVER ?
		       HBC_DROP_NO_RECEIVER : HBC_DROP_STALE);
	hbc_message_report_final(m, m->reason);
}

/* That of @f, opened unless another lane was faster: with a reference, or ERR_PTR. */
static struct hbc_message *hbc_message_open(struct hbc_schedule *sched,
					    const struct hbc_fragment *f)
{
	struct hbc_message *m, *found, *old = NULL;
	LIST_HEAD(unused);
	bool unread = false, follow;

	if (READ_ONCE(sched->nr_messages) >= HBC_MESSAGES_MAX)
		return ERR_PTR(-ENOBUFS);
	m = hbc_message_new(sched, f);
	if (!m)
		return ERR_PTR(-ENOMEM);
	spin_lock_bh(&sched->lock);
	found = hbc_message_search(sched, m->id);
	if (found) {
		hbc_message_get(found);
	} else {
		hbc_message_enter(m, &unused, &old);
		unread = m->acked;
	}
	follow = !found && sched->nr_waiting;
	spin_unlock_bh(&sched->lock);
	hbc_message_free_deliveries(&unused);
	if (old)
		hbc_message_put(old);
	if (found) {
		hbc_message_put(m);
		return found;
	}
	trace_hbc_message_open(m);
	hbc_delivery_refuse(m);
	if (unread)
		hbc_message_unread(m);
	else
		hbc_schedule_expect(sched);
	if (follow)
		hbc_message_follow(sched, m->id);
	return m;
}

/* An end without a beginning: the message is over, and nobody waits for it. */
static void hbc_message_skip(struct hbc_schedule *sched, u64 id)
{
	spin_lock_bh(&sched->lock);
	hbc_message_remember(sched, id);
	spin_unlock_bh(&sched->lock);
	hbc_message_follow(sched, id);
}

/* *@mp becomes the fragment's message, or NULL: 0 or -errno. */
static int hbc_message_turn(struct hbc_schedule *sched, const struct hbc_hdr *h,
			    const struct hbc_fragment *f, struct hbc_message **mp)
{
	struct hbc_message *m = hbc_message_find(sched, f->message);
	bool begun;

	if (!m) {
		spin_lock_bh(&sched->lock);
		begun = hbc_message_begun(sched, f->message);
		spin_unlock_bh(&sched->lock);
		if (!begun && h->flags & HBC_FRAGMENT_ABORT)
			hbc_message_skip(sched, f->message);
		else if (!begun)
			m = hbc_message_open(sched, f);
	}
	/* It will begin when the root tells of it, if there is room then. */
	if (m == ERR_PTR(-ENOBUFS))
		m = NULL;
	if (IS_ERR(m))
		return PTR_ERR(m);
	if (*mp)
		hbc_message_put(*mp);
	*mp = m;
	return 0;
}

int hbc_message_fragment(struct hbc_lane *lane, const struct hbc_hdr *h,
			 const struct hbc_fragment *f, struct hbc_message **mp)
{
	struct hbc_message *m = *mp;
	int err;

	if (!m || m->id != f->message) {
		err = hbc_message_turn(lane->sched, h, f, mp);
		if (err)
			return err;
		m = *mp;
	}
	if (!m)
		hbc_group_drop(lane->sched->group, HBC_DROP_STALE);
	else if (f->total != m->total || f->port != m->port)
		return -EBADMSG;
	return 0;
}

/* What comes. */

void hbc_message_deliver(const struct hbc_run *run, struct hbc_burst *b)
{
	struct hbc_message *m = run->message;
	struct hbc_delivery *d;

	WRITE_ONCE(m->heard, jiffies);
	list_for_each_entry(d, &m->deliveries, message_link) {
		if (run->len)
			hbc_delivery_queue(d, b, run);
		if (run->end)
			hbc_delivery_end(d, run->end);
		else if (!hbc_delivery_room(d, false))
			set_bit(HBC_SCHEDULE_CHOKED, &m->sched->flags);
	}
	if (READ_ONCE(m->end))
		hbc_lack_answer(m);
}

bool hbc_message_room(struct hbc_schedule *sched)
{
	bool room = true, crowded;
	struct hbc_delivery *d;
	struct hbc_message *m;

	crowded = READ_ONCE(sched->nr_messages) >= HBC_MESSAGES_MAX / 2;
	if (!crowded && !test_bit(HBC_SCHEDULE_CHOKED, &sched->flags))
		return true;
	spin_lock_bh(&sched->lock);
	list_for_each_entry(m, &sched->open, state_link)
		list_for_each_entry(d, &m->deliveries, message_link)
			room = hbc_delivery_room(d, crowded) && room;
	if (room)
		clear_bit(HBC_SCHEDULE_CHOKED, &sched->flags);
	spin_unlock_bh(&sched->lock);
	return room;
}

/* What the root says of it. */

/*
 * The round begins, unless one that is not over does still: whoever lags behind in one
 * slot would else never have come to an end of any. sched->lock held.
 */
static void hbc_message_round(struct hbc_message *m, const struct hbc_block_end *f)
{
	if (m->slots || (s32)(f->round - m->round) <= 0)
		return;
	m->round = f->round;
	m->block = f->end;
	m->stage = f->stage;
	hbc_spans_free(&m->asked);
	m->told = 0;
}

/*
 * Whether the round, which has come along @tree too, is over: it has been told in
 * all slots of this node, but for those that are broken above it. sched->lock held.
 */
static bool hbc_message_told(struct hbc_message *m, const struct hbc_tree *tree,
			     const struct hbc_block_end *f)
{
	u64 left;

	if ((s32)(f->round - m->round) < 0)
		return false;
	m->slots |= BIT_ULL(tree->slot);
	left = tree->nodes[0].slots & ~m->slots;
	if (left && left & ~hbc_tree_silent(m->sched, m->epoch))
		return false;
	m->slots = 0;
	if (m->held == HBC_MESSAGE_HOLD || hbc_tree_settled(m->sched, m->since, m->epoch))
		return true;
	m->held++;
	return false;
}

/* @m stops to wait for the one before it, if it may. Return: whether it did. sched->lock held. */
static bool hbc_message_unhold(struct hbc_message *m, const struct hbc_block_end *f)
{
	m->after = f->after ? f->message - f->after : 0;
	if (!m->waits || hbc_message_behind(m))
		return false;
	hbc_message_go(m);
	return true;
}

/*
 * Whether @epoch, of which @m has gone on, means nothing any more. It does if that was the
 * word of somebody who is gone.
 */
static bool hbc_message_stale(struct hbc_message *m, u32 epoch)
{
	u32 newest = READ_ONCE(m->epoch);
	struct hbc_lane *up;

	if (epoch >= newest)
		return false;
	up = hbc_tree_up(m->sched, newest, HBC_SLOT_ALL);
	if (up)
		hbc_lane_put(up);
	return up;
}

/* What the root says of @m, whose epoch was @epoch. Return: whether the round is over. */
static bool hbc_message_renew(struct hbc_message *m, const struct hbc_tree *tree,
			      const struct hbc_block_end *f, u32 epoch)
{
	struct hbc_schedule *sched = m->sched;
	bool go, over;

	spin_lock_bh(&sched->lock);
	/* Another lane may have been faster. */
	if (m->epoch != epoch && f->epoch < m->epoch) {
		spin_unlock_bh(&sched->lock);
		return false;
	}
	if (m->epoch != f->epoch) {
		WRITE_ONCE(m->epoch, f->epoch);
		m->slots = 0;
		m->held = 0;
		/* As far as is known before that is told where all are reached. */
		m->below = true;
	}
	if (tree->slot == HBC_SLOT_ALL)
		m->below = tree->nr_edges;
	WRITE_ONCE(m->heard, jiffies);
	hbc_message_round(m, f);
	over = hbc_message_told(m, tree, f);
	go = hbc_message_unhold(m, f);
	WRITE_ONCE(m->end, max(m->end, f->end));
	spin_unlock_bh(&sched->lock);
	if (go)
		hbc_delivery_wake(m);
	return over;
}

static void hbc_message_end(struct hbc_message *m, u8 reason)
{
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link)
		hbc_delivery_end(d, reason);
}

/* One that is open, not over, and as @fits says, with a reference; it is over now. Or NULL. */
static struct hbc_message *hbc_message_over(struct hbc_schedule *sched,
					    bool (*fits)(const struct hbc_message *m,
							 const void *arg),
					    const void *arg)
{
	struct hbc_message *m, *found = NULL;

	spin_lock_bh(&sched->lock);
	list_for_each_entry(m, &sched->open, state_link)
		if (!m->over && fits(m, arg)) {
			found = m;
			found->over = true;
			hbc_message_go(found);
			hbc_message_get(found);
			break;
		}
	spin_unlock_bh(&sched->lock);
	return found;
}

static bool hbc_message_before(const struct hbc_message *m, const void *arg)
{
	const struct hbc_block_end *f = arg;

	return m->port == f->port && m->id < f->message;
}

/* No message to that port is on its way that began before this one. */
static void hbc_message_end_before(struct hbc_schedule *sched, const struct hbc_block_end *f)
{
	struct hbc_message *m;

	while ((m = hbc_message_over(sched, hbc_message_before, f))) {
		hbc_message_end(m, HBCAST_REASON_ABORTED);
		hbc_message_put(m);
	}
}

/* All that has been told of has come, or does not come, but what later stages bring. */
static void hbc_message_answer(struct hbc_message *m, const struct hbc_tree *tree,
			       const struct hbc_block_end *f, bool known)
{
	if (!f->after)
		hbc_message_end_before(m->sched, f);
	hbc_lack_give_up(m, f);
	if (READ_ONCE(m->stage) >= tree->nodes[0].stage)
		hbc_lack_ask_all(m, READ_ONCE(m->block));
	hbc_lack_answer(m);
	if (known && f->end == f->total)
		hbc_message_report_again(m);
}

int hbc_message_block_end(struct hbc_lane *lane, struct hbc_tree *tree,
			  const struct hbc_block_end *f, const u8 *frame)
{
	struct hbc_fragment like = {
		.message = f->message,
		.total = f->total,
		.epoch = f->epoch,
		/* Whatever was sent before that was not seen here. */
		.offset = f->end,
		.after = f->after,
		.port = f->port,
	};
	struct hbc_message *m = hbc_message_find(lane->sched, f->message);
	bool known = m, stale;
	int err = 0;
	u32 epoch;

	if (!known)
		m = hbc_message_open(lane->sched, &like);
	if (m == ERR_PTR(-ENOBUFS)) {
		hbc_forward_block_end(tree, f, frame);
		hbc_forward_send(tree);
		return 0;
	}
	if (IS_ERR(m))
		return PTR_ERR(m);
	if (f->total != m->total || f->port != m->port)
		err = -EBADMSG;
	epoch = READ_ONCE(m->epoch);
	stale = hbc_message_stale(m, f->epoch);
	if (!err && !stale && tree->slot == HBC_SLOT_ALL)
		err = hbc_lack_count(m, tree);
	if (!err) {
		bool over = !stale && hbc_message_renew(m, tree, f, epoch);

		/* The children's answers belong to this round, too. */
		hbc_forward_block_end(tree, f, frame);
		hbc_forward_send(tree);
		if (over)
			hbc_message_answer(m, tree, f, known);
		else
			hbc_lack_answer(m);
	}
	hbc_message_put(m);
	return err;
}

static bool hbc_message_any(const struct hbc_message *m, const void *arg)
{
	return true;
}

static bool hbc_message_silent(const struct hbc_message *m, const void *arg)
{
	const unsigned long *since = arg;

	return time_before(READ_ONCE(m->heard), *since);
}

void hbc_message_end_all(struct hbc_schedule *sched, u8 reason)
{
	struct hbc_message *m;

	while ((m = hbc_message_over(sched, hbc_message_any, NULL))) {
		hbc_message_end(m, reason);
		hbc_message_put(m);
	}
}

bool hbc_message_expire(struct hbc_schedule *sched, unsigned long since)
{
	struct hbc_message *m;

	while ((m = hbc_message_over(sched, hbc_message_silent, &since))) {
		hbc_message_end(m, HBCAST_REASON_LANE_LOST);
		hbc_message_put(m);
	}
	return READ_ONCE(sched->nr_messages);
}

void hbc_message_forget_all(struct hbc_schedule *sched)
{
	struct hbc_message *m, *next;
	LIST_HEAD(old);

	spin_lock_bh(&sched->lock);
	sched->forgetful = true;
	list_splice_init(&sched->closed, &old);
	sched->nr_closed = 0;
	list_for_each_entry(m, &old, state_link)
		hlist_del(&m->link);
	spin_unlock_bh(&sched->lock);
	hbc_lack_forget(sched, NULL);
	list_for_each_entry_safe(m, next, &old, state_link)
		hbc_message_put(m);
}
