// SPDX-License-Identifier: GPL-2.0
/* What this node has of messages, as it tells parents. */
#include <linux/bitmap.h>

#include "lane/lane.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/session.h"
#include "store/store.h"

/*
 * Runs of pieces that are here, or with @missing of those that are not: of these the last one may
 * be longer, as to ask for more does no harm. Return: their number.
 */
static unsigned int hbc_have_runs(struct hbc_store *store, bool missing, struct hbc_wire_run *run)
{
	unsigned int n = 0;
	u32 p = 0, end;

	spin_lock_bh(&store->lock);
	for (; n < HBC_HAVE_RUNS; p = end, n++) {
		p = missing ? find_next_zero_bit(store->whole, store->nr, p) :
			      find_next_bit(store->whole, store->nr, p);
		if (p >= store->nr)
			break;
		end = missing ? find_next_bit(store->whole, store->nr, p) :
				find_next_zero_bit(store->whole, store->nr, p);
		if (missing && n == HBC_HAVE_RUNS - 1)
			end = store->nr;
		run[n].first = cpu_to_be32(p);
		run[n].count = cpu_to_be32(end - p);
	}
	spin_unlock_bh(&store->lock);
	return n;
}

unsigned int hbc_have_put(const struct hbc_message *m, struct hbc_wire_have *w, u8 type,
			  unsigned int n)
{
	w->message = cpu_to_be64(hbc_message_number(m));
	return hbc_wire_put_hdr(&w->hdr, type, 0, sizeof(*w) + n * sizeof(w->run[0]));
}

/* HAVE of a message: its length, or 0 if nothing of it is here. session->lock held. */
static unsigned int hbc_have_message(struct hbc_message *m, struct hbc_wire_have *w)
{
	struct hbc_store *store = m->store;
	unsigned int n;

	w->message = cpu_to_be64(hbc_message_number(m));
	/* What does not come for that is as good as thrown away. */
	if (hbc_message_is_useless(m) && !hbc_store_is_whole(store))
		WRITE_ONCE(m->thrown, true);
	if (hbc_message_is_useless(m) || hbc_store_is_whole(store))
		return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_HAVE, HBC_HAVE_ALL, sizeof(*w));
	n = hbc_have_runs(store, false, w->run);
	return n ? hbc_have_put(m, w, HBC_FRAME_HAVE, n) : 0;
}

/* HAVE of the next message of which something is here; then the end. session->lock held. */
unsigned int hbc_have_frame(struct hbc_parent *parent, u8 *frame)
{
	struct hbc_wire_have *w = (struct hbc_wire_have *)frame;
	struct hbc_message *m;
	unsigned int n;

	if (!parent->having || parent->holds)
		return 0;
	list_for_each_entry(m, &parent->s->messages, link) {
		if (hbc_message_number(m) <= parent->have)
			continue;
		parent->have = hbc_message_number(m);
		n = hbc_have_message(m, w);
		if (n)
			return n;
	}
	parent->having = false;
	w->message = 0;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_HAVE, HBC_HAVE_END, sizeof(*w));
}

void hbc_have_want(struct hbc_session *s)
{
	struct hbc_parent *parent = s->parent[HBC_SLOT_ALL];

	lockdep_assert_held(&s->lock);
	if (!parent)
		return;
	parent->wanting = true;
	parent->want = 0;
	hbc_lane_kick(parent->lane);
}

/* WANT of the next message of which data was thrown away, and somebody wants it now. */
unsigned int hbc_have_want_frame(struct hbc_parent *parent, u8 *frame)
{
	struct hbc_wire_have *w = (struct hbc_wire_have *)frame;
	struct hbc_message *m;
	unsigned int n;

	if (!parent->wanting || parent->having)
		return 0;
	list_for_each_entry(m, &parent->s->messages, link) {
		if (hbc_message_number(m) <= parent->want || !m->thrown ||
		    hbc_message_is_useless(m))
			continue;
		parent->want = hbc_message_number(m);
		n = hbc_have_runs(m->store, true, w->run);
		if (n)
			return hbc_have_put(m, w, HBC_FRAME_WANT, n);
	}
	parent->wanting = false;
	return 0;
}
