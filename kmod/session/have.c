// SPDX-License-Identifier: GPL-2.0
/* What this node has of messages, as it tells parents. */

#include "lane/lane.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/session.h"
#include "store/store.h"

/*
 * Runs of pieces from *@from on that are here, or with @missing of those that are not. Return:
 * their number; *@from: where there may be more, or 0.
 */
static unsigned int hbc_have_runs(struct hbc_store *store, bool missing, u32 *from,
				  struct hbc_wire_run *run)
{
	u32 p = *from, end;
	unsigned int n = 0;

	spin_lock_bh(&store->lock);
	for (; n < HBC_HAVE_RUNS; p = end, n++) {
		p = missing ? find_next_zero_bit(store->whole, store->nr, p) :
			      find_next_bit(store->whole, store->nr, p);
		if (p >= store->nr)
			break;
		end = missing ? find_next_bit(store->whole, store->nr, p) :
				find_next_zero_bit(store->whole, store->nr, p);
		run[n].first = cpu_to_be32(p);
		run[n].count = cpu_to_be32(end - p);
	}
	spin_unlock_bh(&store->lock);
	*from = p < store->nr ? p : 0;
	return n;
}

unsigned int hbc_have_put(const struct hbc_message *m, struct hbc_wire_have *w, u8 type, u8 tag,
			  unsigned int n)
{
	w->message = cpu_to_be64(hbc_message_number(m));
	return hbc_wire_put_hdr(&w->hdr, type, tag, sizeof(*w) + n * sizeof(w->run[0]));
}

/* HAVE of a message from piece *@from on: its length, or 0 for nothing. session->lock held. */
static unsigned int hbc_have_message(struct hbc_message *m, u32 *from, struct hbc_wire_have *w)
{
	struct hbc_store *store = m->store;
	/* Children cannot get what they lack before its slot is known. */
	u8 slots = !m->discard && READ_ONCE(store->untold) && !list_empty(&m->s->children) ?
		   HBC_HAVE_SLOTS : 0;
	unsigned int n;

	lockdep_assert_held(&m->s->lock);
	/* What does not come for that is as good as thrown away. */
	if (hbc_message_is_useless(m) && !hbc_store_is_whole(store))
		WRITE_ONCE(m->thrown, true);
	if (hbc_message_is_useless(m) || hbc_store_is_whole(store)) {
		*from = 0;
		return hbc_have_put(m, w, HBC_FRAME_HAVE, HBC_HAVE_ALL | slots, 0);
	}
	n = hbc_have_runs(store, false, from, w->run);
	return n ? hbc_have_put(m, w, HBC_FRAME_HAVE, slots, n) : 0;
}

unsigned int hbc_have_frame(struct hbc_parent *parent, struct hbc_wire_have *w)
{
	struct hbc_message *m;
	unsigned int n;

	lockdep_assert_held(&parent->s->lock);
	if (!parent->having || parent->holds)
		return 0;
	list_for_each_entry(m, &parent->s->messages, link) {
		if (hbc_message_number(m) <= parent->have)
			continue;
		/* The one that it is of may be over. */
		if (hbc_message_number(m) != parent->have + 1)
			parent->have_piece = 0;
		n = hbc_have_message(m, &parent->have_piece, w);
		parent->have = hbc_message_number(m) - !!parent->have_piece;
		if (n)
			return n;
	}
	parent->having = false;
	w->message = 0;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_HAVE, HBC_HAVE_END, sizeof(*w));
}

void hbc_have_again(struct hbc_parent *parent, u64 number)
{
	lockdep_assert_held(&parent->s->lock);
	if (parent->s->parent[parent->lane->slot] != parent)
		return;
	parent->having = true;
	parent->have = min(parent->have, number - 1);
	parent->have_piece = 0;
	hbc_lane_kick(parent->lane);
}

void hbc_have_want(struct hbc_session *s)
{
	struct hbc_parent *parent = s->parent[HBC_SLOT_ALL];

	lockdep_assert_held(&s->lock);
	if (!parent)
		return;
	parent->wanting = true;
	parent->want = 0;
	parent->want_piece = 0;
	hbc_lane_kick(parent->lane);
}

unsigned int hbc_have_want_frame(struct hbc_parent *parent, struct hbc_wire_have *w)
{
	struct hbc_message *m;
	unsigned int n;

	lockdep_assert_held(&parent->s->lock);
	if (!parent->wanting || parent->having)
		return 0;
	list_for_each_entry(m, &parent->s->messages, link) {
		if (hbc_message_number(m) <= parent->want)
			continue;
		if (hbc_message_number(m) != parent->want + 1)
			parent->want_piece = 0;
		n = READ_ONCE(m->thrown) && !hbc_message_is_useless(m) ?
		    hbc_have_runs(m->store, true, &parent->want_piece, w->run) : 0;
		parent->want_piece = n ? parent->want_piece : 0;
		parent->want = hbc_message_number(m) - !!parent->want_piece;
		if (n)
			return hbc_have_put(m, w, HBC_FRAME_WANT, 0, n);
	}
	parent->wanting = false;
	return 0;
}
