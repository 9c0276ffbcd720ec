// SPDX-License-Identifier: GPL-2.0
/* What a child gets: its part of the trees, messages, and those pieces that it lacks. */
#include <linux/hbcast.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "config/group.h"
#include "lane/burst.h"
#include "lane/lane.h"
#include "session/child.h"
#include "session/message.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/cursor.h"
#include "store/give.h"
#include "store/store.h"

#define HBC_SERVE_PIECES	4096	/* had or wanted, between two holds of the lock */
#define HBC_SERVE_NOW		8	/* lanes that send one after the other; others by work */

/* What it has, and asks for. */

static void hbc_serve_runs(struct hbc_child *child, struct hbc_message *m,
			   const struct hbc_wire_run *run, unsigned int n,
			   enum hbc_cursor_word word)
{
	struct hbc_cursor *c;
	u32 first, end, last;

	for (; n--; run++) {
		first = be32_to_cpu(run->first);
		last = min(m->store->nr, first + be32_to_cpu(run->count));
		for (; first < last; first = end) {
			end = min(last, first + HBC_SERVE_PIECES);
			/* The child's cursor may go at any time but under the lock. */
			spin_lock_bh(&child->s->lock);
			c = hbc_child_cursor(child, m->store);
			if (c)
				hbc_cursor_told(c, first, end, word);
			spin_unlock_bh(&child->s->lock);
			cond_resched();
		}
	}
}

int hbc_child_have(struct hbc_child *child, const struct hbc_wire_have *w,
		   const struct hbc_hdr *h)
{
	struct hbc_wire_run all = { .count = cpu_to_be32(U32_MAX) };
	bool want = h->type == HBC_FRAME_WANT;
	u8 word = want ? HBC_WORD_WANT : h->tag & HBC_HAVE_SLOTS ? HBC_WORD_SLOTS : HBC_WORD_HAVE;
	struct hbc_session *s = child->s;
	struct hbc_message *m = hbc_message_lookup(s, be64_to_cpu(w->message));
	int err = 0;

	if (!m && want)
		hbc_group_drop(s->group, HBCAST_A_DROPS_STALE);
	if (m) {
		err = want ? 0 : hbc_child_begin_message(child, m);
		if (!err && h->tag & HBC_HAVE_ALL)
			hbc_serve_runs(child, m, &all, 1, word);
		else if (!err)
			hbc_serve_runs(child, m, w->run, h->n, word);
		hbc_message_put(m);
	}
	if (!err && h->tag & HBC_HAVE_END) {
		spin_lock_bh(&s->lock);
		child->agreed = !test_bit(HBC_LANE_OVER, &child->lane->flags);
		/* One that was another's may be lost by its word. It tells of those below. */
		hbc_lost_child(child, 1, false);
		child->dead = false;
		spin_unlock_bh(&s->lock);
		set_bit(HBC_LANE_SETTLED, &child->lane->flags);
	}
	hbc_lane_kick(child->lane);
	return err;
}

/* Control frames, in the order in which they have to go. */

/* PLAN, or part of the child's tree, if it has not been told. session->lock held. */
static unsigned int hbc_serve_tree(struct hbc_child *child, void *frame)
{
	const struct hbc_edge *edge = hbc_child_edge(child);
	struct hbc_wire_tree *w = frame;
	const struct hbc_tree *tree = child->tree;
	u32 n;

	lockdep_assert_held(&child->s->lock);
	if (!child->plan_told) {
		child->plan_told = true;
		n = be16_to_cpu(tree->plan->wire.hdr.length);
		memcpy(frame, &tree->plan->wire, n);
		return n;
	}
	n = min_t(u32, edge->size - child->tree_told, HBC_TREE_NODES);
	if (!n)
		return 0;
	w->epoch = cpu_to_be32(tree->epoch);
	w->total = cpu_to_be32(edge->size);
	w->first = cpu_to_be32(child->tree_told);
	memcpy(w->node, &tree->node[edge->first + child->tree_told], n * sizeof(w->node[0]));
	child->tree_told += n;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_TREE, 0, sizeof(*w) + n * sizeof(w->node[0]));
}

/* MESSAGE of one, whose reference it takes over. */
static unsigned int hbc_serve_message(struct hbc_child *child, struct hbc_message *m,
				      struct hbc_wire_message *w)
{
	unsigned int len = 0;

	if (hbc_child_begin_message(child, m)) {
		hbc_lane_fail(child->lane, ENOMEM);
	} else {
		spin_lock_bh(&child->s->lock);
		child->told = hbc_message_number(m);
		spin_unlock_bh(&child->s->lock);
		len = hbc_message_frame(m, w);
	}
	hbc_message_put(m);
	return len;
}

/* Whether no piece of the slot comes any more that is not here. */
static bool hbc_serve_ended(const struct hbc_child *child, const struct hbc_message *m)
{
	const struct hbc_store *store = m->store;

	return child->s->origin ? READ_ONCE(store->given) == store->nr :
				  !m->discard && m->lasts & BIT_ULL(child->slot) &&
				  !READ_ONCE(store->untold);
}

/* LAST of a message whose pieces of the slot have all gone. session->lock held. */
static unsigned int hbc_serve_last(struct hbc_child *child, struct hbc_wire_last *w)
{
	struct hbc_message *m;
	struct hbc_cursor *c;

	lockdep_assert_held(&child->s->lock);
	list_for_each_entry(c, &child->cursors, child_link) {
		if (c->last)
			continue;
		m = xa_load(&child->s->index, (u32)c->store->info.number);
		if (!m || !hbc_serve_ended(child, m) || !hbc_cursor_own_sent(c))
			continue;
		c->last = true;
		w->message = cpu_to_be64(c->store->info.number);
		return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_LAST, 0, sizeof(*w));
	}
	return 0;
}

unsigned int hbc_child_control(struct hbc_child *child, void *frame)
{
	struct hbc_session *s = child->s;
	struct hbc_message *m;
	unsigned int len = 0;
	bool mute;

	spin_lock_bh(&s->lock);
	/* Nothing that the other side could do is of use before it. */
	if (child->stop || (s->ended && !test_bit(HBC_LANE_OVER, &child->lane->flags))) {
		child->stop = false;
		child->agreed = false;
		set_bit(HBC_LANE_OVER, &child->lane->flags);
		len = hbc_wire_put_hdr(frame, HBC_FRAME_OVER, READ_ONCE(s->over), HBC_HDR_LEN);
	}
	/* A node without a parent may be a leaf by now: another one serves its children. */
	mute = test_bit(HBC_LANE_OVER, &child->lane->flags) || list_empty(&child->link) ||
	       (!child->plan_told && !s->origin && !s->parent[child->slot]);
	if (mute)
		set_bit(HBC_LANE_SETTLED, &child->lane->flags);
	else if (!len)
		len = hbc_serve_tree(child, frame);
	/* All of them: those below report about each, or say that it is over. */
	m = len || mute ? NULL : hbc_message_after(s, child->told);
	if (!len && !mute && !m && child->done != s->done) {
		child->done = s->done;
		len = hbc_message_done_frame(s, frame);
	} else if (!len && !mute && !m && child->agreed) {
		len = hbc_serve_last(child, frame);
	}
	spin_unlock_bh(&s->lock);
	return m ? hbc_serve_message(child, m, frame) : len;
}

/* Data. */

/* Whether the child before, in the order of sending, has all of it, or cannot. */
static bool hbc_serve_turn(const struct hbc_child *child, const struct hbc_store *store)
{
	struct hbc_child *before;
	struct hbc_cursor *c;

	if (!hbc_store_is_whole(store))
		return false;
	list_for_each_entry(before, &child->s->children, link) {
		if (before->tree != child->tree || before->edge + 1 != child->edge || before->dead)
			continue;
		c = hbc_child_cursor(before, store);
		return !before->up || !c ? before->told >= store->info.number && !c :
					   c->nr_sent == store->nr;
	}
	return true;
}

/* What the child gets next of messages of a kind; files take turns. session->lock held. */
static bool hbc_serve_kind(struct hbc_child *child, u8 kind, bool own, u32 most,
			   struct hbc_held *part)
{
	bool whole = hbc_plan_is_whole(child->tree->plan);
	struct hbc_cursor *c;

	lockdep_assert_held(&child->s->lock);
	list_for_each_entry(c, &child->cursors, child_link) {
		if (c->store->info.kind != kind || (whole && !hbc_serve_turn(child, c->store)) ||
		    !hbc_cursor_next(c, own, most, part))
			continue;
		if (kind == HBC_MESSAGE_FILE)
			list_move_tail(&c->child_link, &child->cursors);
		return true;
	}
	return false;
}

/*
 * A reference on the first file above @after with pieces without slots: those of short messages
 * get one slot from their sender. session->lock held.
 */
static struct hbc_message *hbc_serve_ungiven(struct hbc_child *child, u64 after)
{
	struct hbc_message *m;

	lockdep_assert_held(&child->s->lock);
	list_for_each_entry(m, &child->s->messages, link) {
		/* A lane that has not told of it cannot bring it yet. */
		if (hbc_message_number(m) > child->told)
			break;
		if (hbc_message_is_file(m) && READ_ONCE(m->store->given) < m->store->nr &&
		    hbc_message_number(m) > after) {
			kref_get(&m->ref);
			return m;
		}
	}
	return NULL;
}

/*
 * Whether the child has the message's next piece, which says nothing of how fast the slot is: then
 * the piece gets *@slot by the planned rates, and need not be read. session->lock held.
 */
static bool hbc_serve_had(struct hbc_child *child, struct hbc_message *m, u8 *slot)
{
	const struct hbc_slots *slots = &child->tree->plan->slots;
	const struct hbc_cursor *c = hbc_child_cursor(child, m->store);
	u32 next = READ_ONCE(m->store->given);
	bool had;

	lockdep_assert_held(&child->s->lock);
	spin_lock(&m->store->lock);
	had = c && (test_bit(next, c->sent) || test_bit(next, c->stub));
	spin_unlock(&m->store->lock);
	*slot = had ? hbc_choice(slots, slots->set, next) : child->slot;
	return had;
}

/*
 * At the root: some message's next piece gets a slot. Return: whether one did. session->lock held,
 * but not meanwhile.
 */
static bool hbc_serve_give(struct hbc_child *child)
{
	struct hbc_session *s = child->s;
	bool given = false, had;
	struct hbc_message *m;
	u64 after = 0;
	u8 slot;

	lockdep_assert_held(&s->lock);
	while (s->origin && !given && (m = hbc_serve_ungiven(child, after))) {
		had = hbc_serve_had(child, m, &slot);
		spin_unlock_bh(&s->lock);
		after = hbc_message_number(m);
		given = hbc_store_give(m->store, slot, had);
		hbc_message_put(m);
		cond_resched();
		spin_lock_bh(&s->lock);
	}
	return given;
}

/* Short messages first: those who wait for them wait for each other. session->lock held. */
static bool hbc_serve_try(struct hbc_child *child, bool own, u32 most, struct hbc_held *part)
{
	lockdep_assert_held(&child->s->lock);
	return child->agreed && (hbc_serve_kind(child, HBC_MESSAGE_SHORT, false, most, part) ||
				 hbc_serve_kind(child, HBC_MESSAGE_FILE, own, most, part));
}

bool hbc_owner_next(struct hbc_lane *lane, u32 most, struct hbc_held *part)
{
	struct hbc_child *child = lane->owner;
	struct hbc_session *s = child->s;
	bool found, turns;

	spin_lock_bh(&s->lock);
	/* Pieces get slots by the newest plan. */
	do
		found = hbc_serve_try(child, true, most, part);
	while (!found && child->agreed && !list_empty(&child->link) && hbc_serve_give(child));
	found = found || hbc_serve_try(child, false, most, part);
	turns = hbc_plan_is_whole(child->tree->plan);
	spin_unlock_bh(&s->lock);
	/* The next child's may have come. */
	if (found && turns)
		hbc_session_kick(s);
	return found;
}

void hbc_children_send(struct hbc_session *s)
{
	struct hbc_lane *lane[HBC_SERVE_NOW];
	struct hbc_child *child;
	unsigned int nr = 0, i;

	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link) {
		if (!test_and_clear_bit(HBC_LANE_DUE, &child->lane->flags))
			continue;
		if (nr == HBC_SERVE_NOW) {
			hbc_lane_kick(child->lane);
			continue;
		}
		kref_get(&child->lane->ref);
		lane[nr++] = child->lane;
	}
	spin_unlock_bh(&s->lock);
	for (i = 0; i < nr; i++) {
		hbc_lane_send(lane[i]);
		hbc_lane_put(lane[i]);
	}
}
