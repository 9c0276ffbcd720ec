// SPDX-License-Identifier: GPL-2.0
/* Which nodes below are not reached, as the tree of slot 0 numbers them, and who knows. */
#include <linux/bitmap.h>
#include <linux/hbcast.h>

#include "lane/lane.h"
#include "session/child.h"
#include "session/lost.h"
#include "session/parent.h"
#include "session/session.h"
#include "session/tree.h"

#define HBC_LOST_RUNS \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_lost)) / sizeof(struct hbc_wire_run))

static void hbc_lost_set(struct hbc_session *s, u32 first, u32 count, bool down)
{
	lockdep_assert_held(&s->lock);
	if (down)
		bitmap_set(s->lost.now, first, count);
	else
		bitmap_clear(s->lost.now, first, count);
	if (s->parent[HBC_SLOT_ALL])
		hbc_lane_kick(s->parent[HBC_SLOT_ALL]->lane);
	/* The root's user is told without locks. */
	if (s->origin)
		hbc_session_queue(s);
}

void hbc_lost_child(struct hbc_child *child, u32 count, bool down)
{
	lockdep_assert_held(&child->s->lock);
	if (child->slot == HBC_SLOT_ALL && !list_empty(&child->link))
		hbc_lost_set(child->s, hbc_child_edge(child)->first, count, down);
}

bool hbc_lost_any(const struct hbc_session *s, u32 first, u32 count)
{
	lockdep_assert_held(&s->lock);
	return find_next_bit(s->lost.now, first + count, first) < first + count;
}

void hbc_lost_come(struct hbc_child *child, const struct hbc_wire_lost *w, u8 tag,
		   unsigned int n)
{
	struct hbc_session *s = child->s;
	const struct hbc_edge *edge;
	unsigned int i;

	mutex_lock(&s->plan_lock);
	spin_lock_bh(&s->lock);
	edge = hbc_child_edge(child);
	/* Of another tree it is told again. */
	if (list_empty(&child->link) || be32_to_cpu(w->epoch) != child->tree->epoch)
		n = 0;
	for (i = 0; i < n; i++) {
		u32 first = be32_to_cpu(w->run[i].first), count = be32_to_cpu(w->run[i].count);
		/* HAVE's end tells of the child; those below it may be this node's own by now. */
		u32 end = first < edge->size ? first + min(count, edge->size - first) : 0;

		first = max(first, 1U);
		if (first < end)
			hbc_lost_set(s, edge->first + first, end - first, tag & HBC_LOST_DOWN);
	}
	spin_unlock_bh(&s->lock);
	mutex_unlock(&s->plan_lock);
}

unsigned int hbc_lost_runs(struct hbc_session *s, bool down, struct hbc_wire_run *run,
			   unsigned int max)
{
	const unsigned long *is = down ? s->lost.now : s->lost.told;
	const unsigned long *was = down ? s->lost.told : s->lost.now;
	const struct hbc_tree *tree = s->tree[HBC_SLOT_ALL];
	u32 nr = tree ? tree->nr : 0, p;
	unsigned int n = 0;

	lockdep_assert_held(&s->lock);
	for_each_andnot_bit(p, is, was, nr) {
		if (!hbc_wire_add_run(run, &n, max, p))
			break;
		__assign_bit(p, s->lost.told, down);
	}
	return n;
}

unsigned int hbc_lost_frame(struct hbc_session *s, struct hbc_wire_lost *w)
{
	unsigned int n;
	bool down;

	lockdep_assert_held(&s->lock);
	if (!s->tree[HBC_SLOT_ALL])
		return 0;
	n = hbc_lost_runs(s, true, w->run, HBC_LOST_RUNS);
	down = n;
	n = n ?: hbc_lost_runs(s, false, w->run, HBC_LOST_RUNS);
	if (!n)
		return 0;
	w->epoch = cpu_to_be32(s->tree[HBC_SLOT_ALL]->epoch);
	w->reason = cpu_to_be16(down ? HBCAST_REASON_NODE_DEAD : 0);
	w->reserved = 0;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_LOST, down ? HBC_LOST_DOWN : HBC_LOST_BACK,
				sizeof(*w) + n * sizeof(w->run[0]));
}

void hbc_lost_clear(struct hbc_session *s)
{
	lockdep_assert_held(&s->lock);
	bitmap_zero(s->lost.now, HBC_MAX_MEMBERS);
	bitmap_zero(s->lost.told, HBC_MAX_MEMBERS);
}

void hbc_lost_retell(struct hbc_session *s)
{
	lockdep_assert_held(&s->lock);
	bitmap_complement(s->lost.told, s->lost.now, HBC_MAX_MEMBERS);
}
