// SPDX-License-Identifier: GPL-2.0
/* Progress of files: how much of them has come to a node and all below it, told up slot 0. */
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "config/group.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/report.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/cursor.h"

#define HBC_PROGRESS_STEP	65536	/* bytes from one word to the next, at least */
#define HBC_PROGRESS_STEPS	256	/* words on a message, unless they are further apart than */
#define HBC_PROGRESS_MS		100	/* with less than a step between them, */
#define HBC_PROGRESS_LEAST_MS	10	/* and with more */
#define HBC_PROGRESS_LOOKS	64	/* files that are looked at in */
#define HBC_PROGRESS_PAUSE_MS	10
#define HBC_PROGRESS_MARK	XA_MARK_0	/* in session->index: may be to be told */

static u64 hbc_progress_step(const struct hbc_message *m)
{
	return max_t(u64, m->store->info.cut.total / HBC_PROGRESS_STEPS, HBC_PROGRESS_STEP);
}

/* Whether a word is due for which there has been none since then. */
static bool hbc_progress_late(unsigned long since, bool step)
{
	unsigned int ms = step ? HBC_PROGRESS_LEAST_MS : HBC_PROGRESS_MS;

	return time_after_eq(jiffies, since + msecs_to_jiffies(ms));
}

/* Bytes that are here; a node that will not have the message holds up no figure. */
static u64 hbc_progress_here(const struct hbc_message *m)
{
	if (READ_ONCE(m->reported) || READ_ONCE(m->discard))
		return m->store->info.cut.total;
	return hbc_store_bytes(m->store, m->store->whole, READ_ONCE(m->store->nr_whole));
}

/* Bytes that this node and all below have. */
static u64 hbc_progress_least(const struct hbc_message *m)
{
	u64 least = hbc_progress_here(m);
	const struct hbc_cursor *c;
	struct hbc_child *child;

	lockdep_assert_held(&m->s->lock);
	list_for_each_entry(child, &m->s->children, link) {
		if (child->slot != HBC_SLOT_ALL || child->dead)
			continue;
		c = hbc_child_cursor(child, m->store);
		least = min(least, c ? c->arrived : 0);
	}
	return least;
}

static void hbc_progress_mark(struct hbc_message *m)
{
	struct hbc_session *s = m->s;
	u32 low = hbc_message_number(m);

	lockdep_assert_held(&s->lock);
	xa_set_mark(&s->index, low, HBC_PROGRESS_MARK);
	s->progress.again |= low < s->progress.at;
}

/* session->lock held. */
static void hbc_progress_due(struct hbc_message *m)
{
	struct hbc_session *s = m->s;

	lockdep_assert_held(&s->lock);
	hbc_progress_mark(m);
	if (s->parent[HBC_SLOT_ALL])
		hbc_lane_kick(s->parent[HBC_SLOT_ALL]->lane);
}

void hbc_progress_arrived(struct hbc_message *m)
{
	u64 here, total = m->store->info.cut.total;
	struct hbc_session *s = m->s;
	bool step;

	if (s->origin || !hbc_message_is_file(m))
		return;
	here = hbc_progress_here(m);
	step = here >= READ_ONCE(m->look);
	if (!(step && here == total) && !hbc_progress_late(READ_ONCE(m->looked), step))
		return;
	spin_lock_bh(&s->lock);
	WRITE_ONCE(m->look, here < total ? min(here + hbc_progress_step(m), total) : U64_MAX);
	WRITE_ONCE(m->looked, jiffies);
	hbc_progress_due(m);
	spin_unlock_bh(&s->lock);
}

/*
 * The next marked file, or NULL when all have been looked at, or enough for now: what those below
 * say must not cost more than so many looks, each at all children. session->lock held.
 */
static struct hbc_message *hbc_progress_next(struct hbc_session *s)
{
	struct hbc_progress *p = &s->progress;
	struct hbc_message *m;

	lockdep_assert_held(&s->lock);
	if (time_after_eq(jiffies, p->since + msecs_to_jiffies(HBC_PROGRESS_PAUSE_MS))) {
		p->since = jiffies;
		p->left = HBC_PROGRESS_LOOKS;
	}
	if (!p->left) {
		/* Its work lets the lane go on. */
		hbc_report_due(s);
		return NULL;
	}
	m = xa_find(&s->index, &p->at, ULONG_MAX, HBC_PROGRESS_MARK);
	if (!m) {
		p->at = 0;
		if (p->again)
			m = xa_find(&s->index, &p->at, ULONG_MAX, HBC_PROGRESS_MARK);
		p->again = false;
	}
	if (m) {
		p->at++;
		p->left--;
	}
	return m;
}

unsigned int hbc_progress_frame(struct hbc_session *s, u64 known, struct hbc_wire_ack *w)
{
	struct hbc_message *m;
	u64 least;

	lockdep_assert_held(&s->lock);
	if (!xa_marked(&s->index, HBC_PROGRESS_MARK) || !s->tree[HBC_SLOT_ALL])
		return 0;
	while ((m = hbc_progress_next(s))) {
		/* It stays marked until the parent knows of it. */
		if (hbc_message_number(m) > known)
			continue;
		least = hbc_progress_least(m);
		/* What is too little goes with the next word, or with a PONG. */
		if (least > m->told && least != m->store->info.cut.total &&
		    !hbc_progress_late(m->told_at, least - m->told >= hbc_progress_step(m)))
			continue;
		xa_clear_mark(&s->index, (u32)hbc_message_number(m), HBC_PROGRESS_MARK);
		if (least <= m->told)
			continue;
		m->told = least;
		m->told_at = jiffies;
		w->epoch = cpu_to_be32(s->tree[HBC_SLOT_ALL]->epoch);
		w->message = cpu_to_be64(hbc_message_number(m));
		w->bytes = cpu_to_be64(least);
		return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_ACK, HBC_ACK_FILE, sizeof(*w));
	}
	return 0;
}

/* -ESTALE: of another tree. session->lock held. */
static int hbc_progress_note(struct hbc_child *child, struct hbc_message *m, u32 epoch, u64 bytes)
{
	struct hbc_cursor *c;

	lockdep_assert_held(&child->s->lock);
	if (epoch != child->tree->epoch)
		return -ESTALE;
	if (!hbc_message_is_file(m) || bytes > m->store->info.cut.total)
		return -EPROTO;
	c = hbc_child_cursor(child, m->store);
	if (c && bytes > c->arrived) {
		c->arrived = bytes;
		hbc_progress_due(m);
	}
	return 0;
}

int hbc_progress_come(struct hbc_child *child, const struct hbc_wire_ack *w)
{
	u64 number = be64_to_cpu(w->message);
	struct hbc_session *s = child->s;
	struct hbc_message *m = hbc_message_lookup(s, number);
	int err = -ESTALE;

	spin_lock_bh(&s->lock);
	if (number > s->last)
		err = -EPROTO;
	else if (m)
		err = hbc_progress_note(child, m, be32_to_cpu(w->epoch), be64_to_cpu(w->bytes));
	spin_unlock_bh(&s->lock);
	if (m)
		hbc_message_put(m);
	if (err != -ESTALE)
		return err;
	hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
	return 0;
}

void hbc_progress_again(struct hbc_session *s)
{
	struct hbc_message *m;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(m, &s->messages, link) {
		m->told = 0;
		if (hbc_message_is_file(m))
			hbc_progress_mark(m);
	}
}
