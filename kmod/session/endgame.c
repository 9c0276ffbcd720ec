// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a file at a node: lanes that have nothing left are asked for a part of what the
 * latest one owes.
 *
 * It begins when LAST has come in all slots of the node: what has not begun to come is of
 * slots that the node is not in, and the choice says which lane brings it. A node in all slots
 * knows sooner: what is missing when one slot is left comes by that one. Each piece is asked
 * for once, from the end of the latest lane's list. The lane that owes it is told HAVE when the
 * piece begins to come on the other, and not before: the parent that was asked may wait for
 * the piece by way of this node.
 */
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "config/group.h"
#include "lane/lane.h"
#include "lane/rx.h"
#include "session/endgame.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/session.h"
#include "session/tree.h"
#include "store/store.h"

#define HBC_ENDGAME_ASK	64	/* pieces that a lane is asked for at a time */
#define HBC_ENDGAME_DEAL 4096	/* pieces that are dealt before others may run */

static struct hbc_endgame *hbc_endgame_new(u32 nr)
{
	unsigned int longs = BITS_TO_LONGS(nr), slot;
	struct hbc_endgame *eg = kvzalloc(struct_size(eg, ask, 2 * longs) + 2 * (size_t)nr,
					  HBC_GFP_GROUP);

	if (!eg)
		return NULL;
	eg->nr = nr;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		eg->tail[slot] = nr;
	eg->tell = eg->ask + longs;
	eg->slot = (u8 *)(eg->tell + longs);
	eg->from = eg->slot + nr;
	memset(eg->from, HBC_TAG_NONE, nr);
	return eg;
}

void hbc_endgame_end(struct hbc_message *m)
{
	struct hbc_endgame *eg;

	spin_lock_bh(&m->s->lock);
	eg = m->endgame;
	WRITE_ONCE(m->endgame, NULL);
	m->s->endgames -= eg ? 1 : 0;
	spin_unlock_bh(&m->s->lock);
	kvfree(eg);
}

/* Slots. */

/* The node's slots, and a reference on the plan, or NULL. */
static struct hbc_plan *hbc_endgame_plan(struct hbc_session *s, u64 *slots)
{
	struct hbc_plan *plan = NULL;

	spin_lock_bh(&s->lock);
	if (s->tree[HBC_SLOT_ALL]) {
		plan = s->tree[HBC_SLOT_ALL]->plan;
		kref_get(&plan->ref);
		*slots = be64_to_cpu(s->tree[HBC_SLOT_ALL]->node[0].slots);
	}
	spin_unlock_bh(&s->lock);
	return plan;
}

/*
 * Which slot brings each piece that is not @there, and what each slot owes; @ask keeps what was
 * there. Context: process, no spinlocks.
 */
static void hbc_endgame_deal(struct hbc_endgame *eg, const unsigned long *there,
			     const struct hbc_slots *slots, u64 set, u64 open)
{
	u32 p;

	for (p = 0; p < eg->nr; p++) {
		if (!(p % HBC_ENDGAME_DEAL))
			cond_resched();
		if (!(p % BITS_PER_LONG))
			eg->ask[BIT_WORD(p)] = READ_ONCE(there[BIT_WORD(p)]);
		if (test_bit(p, eg->ask)) {
			eg->slot[p] = HBC_TAG_NONE;
		} else {
			eg->slot[p] = open ? __ffs64(open) : hbc_choice(slots, set, p);
			eg->owed[eg->slot[p]]++;
		}
	}
}

/* Pieces of a word that have come since they were dealt: once there, they stay so. */
static void hbc_endgame_drop(struct hbc_endgame *eg, u32 base, unsigned long come)
{
	unsigned long i;

	for_each_set_bit(i, &come, BITS_PER_LONG) {
		eg->owed[eg->slot[base + i]]--;
		eg->slot[base + i] = HBC_TAG_NONE;
	}
}

/*
 * What has begun to come on a lane that is lost, perhaps, is asked for: the lane that is to bring
 * it may have been told that it is here. By words, as pieces are many. session->lock held.
 */
static void hbc_endgame_count(struct hbc_endgame *eg, const struct hbc_store *store,
			      const unsigned long *there)
{
	unsigned long now;
	u32 base, p;

	for (base = 0; base < eg->nr; base += BITS_PER_LONG) {
		unsigned long *ask = &eg->ask[BIT_WORD(base)];

		now = READ_ONCE(there[BIT_WORD(base)]);
		hbc_endgame_drop(eg, base, now & ~*ask);
		*ask = READ_ONCE(store->begun[BIT_WORD(base)]) & ~now;
	}
	for_each_set_bit(p, eg->ask, eg->nr) {
		eg->from[p] = eg->slot[p];
		eg->asking[eg->slot[p]]++;
	}
}

/* Asking. session->lock held. */

/* The slot of @set that needs most time for what it owes, or HBC_MAX_SLOTS. */
static unsigned int hbc_endgame_latest(const struct hbc_endgame *eg, const struct hbc_slots *slots,
				       u64 set)
{
	unsigned int slot, latest = HBC_MAX_SLOTS;
	u64 most = 0, t;

	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		if (!(set >> slot & 1) || eg->owed[slot] < 2)
			continue;
		t = div_u64((u64)eg->owed[slot] << 32, slots->weight[slot]);
		if (t > most) {
			most = t;
			latest = slot;
		}
	}
	return latest;
}

/* The last piece that the slot owes and that has not been asked for, or nr. */
static u32 hbc_endgame_last(struct hbc_endgame *eg, u8 slot)
{
	while (eg->tail[slot]) {
		u32 p = --eg->tail[slot];

		if (eg->slot[p] == slot && eg->from[p] == HBC_TAG_NONE)
			return p;
	}
	return eg->nr;
}

/* The lane of @idle is to be asked for its part of what @latest owes. */
static void hbc_endgame_move(struct hbc_endgame *eg, const struct hbc_slots *slots, u8 latest,
			     u8 idle)
{
	u64 part = (u64)eg->owed[latest] * slots->weight[idle];
	u32 n, p;

	n = div64_u64(part, (u64)slots->weight[idle] + slots->weight[latest]);
	n = clamp_t(u32, n, 1, HBC_ENDGAME_ASK);
	while (n--) {
		p = hbc_endgame_last(eg, latest);
		if (p == eg->nr)
			return;
		eg->from[p] = latest;
		eg->slot[p] = idle;
		eg->owed[latest]--;
		eg->owed[idle]++;
		__set_bit(p, eg->ask);
		eg->asking[idle]++;
	}
}

static void hbc_endgame_ask(struct hbc_message *m)
{
	struct hbc_session *s = m->s;
	struct hbc_endgame *eg = m->endgame;
	const struct hbc_tree *tree = s->tree[HBC_SLOT_ALL];
	unsigned int slot, latest;
	u64 set;

	lockdep_assert_held(&s->lock);
	if (!tree)
		return;
	set = be64_to_cpu(tree->node[0].slots);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++) {
		if (!(m->lasts & set & BIT_ULL(slot)) || eg->owed[slot] || !s->parent[slot])
			continue;
		latest = hbc_endgame_latest(eg, &tree->plan->slots, set);
		if (latest == HBC_MAX_SLOTS)
			return;
		hbc_endgame_move(eg, &tree->plan->slots, latest, slot);
	}
}

/* Lanes that have something to say. session->lock held. */
static void hbc_endgame_kick(struct hbc_session *s, const struct hbc_endgame *eg)
{
	unsigned int slot;

	lockdep_assert_held(&s->lock);
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if ((eg->asking[slot] || eg->telling[slot]) && s->parent[slot])
			hbc_lane_kick(s->parent[slot]->lane);
}

/* What happens. */

void hbc_endgame_begin(struct hbc_message *m, bool again)
{
	const unsigned long *there = again ? m->store->whole : m->store->begun;
	struct hbc_session *s = m->s;
	struct hbc_endgame *eg = NULL;
	struct hbc_plan *plan;
	u64 set, open;

	if (!hbc_message_is_file(m) || READ_ONCE(m->endgame) || hbc_message_is_useless(m) ||
	    hbc_store_is_whole(m->store))
		return;
	plan = hbc_endgame_plan(s, &set);
	open = plan ? set & ~READ_ONCE(m->lasts) : 0;
	/* With one slot there is nobody else to ask; of the slots without LAST one may be open. */
	if (plan && hweight64(set) > 1 &&
	    (!open || (set == plan->slots.set && hweight64(open) == 1)))
		eg = hbc_endgame_new(m->store->nr);
	if (eg) {
		hbc_endgame_deal(eg, there, &plan->slots, set, open);
		spin_lock_bh(&s->lock);
		if (!m->endgame && !list_empty(&m->link) && s->tree[HBC_SLOT_ALL] &&
		    s->tree[HBC_SLOT_ALL]->plan == plan) {
			WRITE_ONCE(m->endgame, eg);
			s->endgames++;
			hbc_endgame_count(eg, m->store, there);
			hbc_endgame_ask(m);
			hbc_endgame_kick(s, eg);
			eg = NULL;
		}
		spin_unlock_bh(&s->lock);
		kvfree(eg);
	}
	hbc_plan_put(plan);
}

void hbc_endgame_again(struct hbc_message *m)
{
	bool again = READ_ONCE(m->endgame);

	hbc_endgame_end(m);
	hbc_endgame_begin(m, again);
}

/* The piece has begun to come. Return: whether a slot owes nothing any more. */
static bool hbc_endgame_piece(struct hbc_endgame *eg, u32 p, u8 slot)
{
	u8 owner = eg->slot[p], from = eg->from[p];

	if (owner == HBC_TAG_NONE)
		return false;
	if (__test_and_clear_bit(p, eg->ask))
		eg->asking[owner]--;
	eg->slot[p] = HBC_TAG_NONE;
	if (from != HBC_TAG_NONE) {
		eg->from[p] = slot == owner ? from : owner;
		if (eg->from[p] != slot) {
			__set_bit(p, eg->tell);
			eg->telling[eg->from[p]]++;
		}
	}
	return !--eg->owed[owner];
}

void hbc_endgame_begun(struct hbc_message *m, const struct hbc_run *run, u8 slot)
{
	struct hbc_session *s = m->s;
	u32 per = m->store->info.cut.per_piece, p;
	struct hbc_endgame *eg;
	bool idle = false;

	spin_lock_bh(&s->lock);
	eg = m->endgame;
	for (p = run->first / per; eg && p <= (run->first + run->nr - 1) / per; p++)
		idle |= hbc_endgame_piece(eg, p, slot);
	if (idle)
		hbc_endgame_ask(m);
	if (eg)
		hbc_endgame_kick(s, eg);
	spin_unlock_bh(&s->lock);
}

/* Frames. session->lock held. */

/* Pieces of @set that are @slot's by @of, off the set, as runs. Return: their number. */
static unsigned int hbc_endgame_runs(const struct hbc_endgame *eg, unsigned long *set,
				     const u8 *of, u8 slot, struct hbc_wire_run *run, u32 *left)
{
	unsigned int n = 0;
	u32 p;

	for_each_set_bit(p, set, eg->nr) {
		if (of[p] != slot)
			continue;
		if (!hbc_wire_add_run(run, &n, HBC_HAVE_RUNS, p))
			break;
		__clear_bit(p, set);
		--*left;
	}
	return n;
}

static unsigned int hbc_endgame_message(struct hbc_message *m, u8 slot, struct hbc_wire_have *w)
{
	struct hbc_endgame *eg = m->endgame;
	unsigned int n = 0;

	if (eg->telling[slot])
		n = hbc_endgame_runs(eg, eg->tell, eg->from, slot, w->run, &eg->telling[slot]);
	if (n)
		return hbc_have_put(m, w, HBC_FRAME_HAVE, 0, n);
	if (eg->asking[slot])
		n = hbc_endgame_runs(eg, eg->ask, eg->slot, slot, w->run, &eg->asking[slot]);
	return n ? hbc_have_put(m, w, HBC_FRAME_WANT, 0, n) : 0;
}

unsigned int hbc_endgame_frame(struct hbc_parent *parent, struct hbc_wire_have *w)
{
	struct hbc_session *s = parent->s;
	u8 slot = parent->lane->slot;
	struct hbc_message *m;
	unsigned int len = 0;

	lockdep_assert_held(&s->lock);
	if (!s->endgames || s->parent[slot] != parent || parent->having)
		return 0;
	list_for_each_entry(m, &s->messages, link) {
		if (m->endgame)
			len = hbc_endgame_message(m, slot, w);
		if (len)
			break;
	}
	return len;
}
