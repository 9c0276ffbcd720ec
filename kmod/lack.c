// SPDX-License-Identifier: GPL-2.0
/*
 * What a message lacks at a member that is not its root, and below: BLOCK_ACK
 * tells how far all are, NACK asks for what is missing. Each round begins with a
 * BLOCK_END of the root's; what gets lost of one is made good in the next.
 */
#include <linux/bits.h>
#include <linux/hbcast.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "delivery.h"
#include "lack.h"
#include "lane.h"
#include "message.h"
#include "schedule.h"
#include "tally.h"
#include "tree.h"
#include "wire.h"

#define HBC_ASKED_SPANS	1024	/* of a message, remembered in one round */
#define HBC_ACK_BYTES	(256 * 1024)	/* a BLOCK_ACK tells of so much at least, or of all */

/* What is there. */

/* What is there without a gap at all sockets that want the message. */
static u64 hbc_lack_have(const struct hbc_message *m)
{
	u64 have = m->total;
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link)
		have = min(have, hbc_delivery_have(d));
	return have;
}

void hbc_lack_answer(struct hbc_message *m)
{
	struct hbc_schedule *sched = m->sched;
	struct hbc_block_ack ack = { .message = m->id };
	u64 have;
	bool tell;

	spin_lock_bh(&sched->lock);
	have = min(m->end, hbc_lack_have(m));
	if (m->tally && m->tally->tree->epoch == m->epoch)
		have = min(have, hbc_tally_least(m->tally));
	else if (m->below)
		have = 0;
	tell = have > m->told && (have == m->end || have - m->told >= HBC_ACK_BYTES);
	if (tell)
		m->told = have;
	ack.end = have;
	ack.epoch = m->epoch;
	spin_unlock_bh(&sched->lock);
	if (tell)
		hbc_schedule_block_ack(sched, &ack);
}

/* What the children have. */

void hbc_lack_trim(struct hbc_message *m)
{
	struct hbc_tally *t = NULL;

	spin_lock_bh(&m->sched->lock);
	if (!m->open && m->tally && hbc_tally_least(m->tally) >= m->total)
		swap(m->tally, t);
	spin_unlock_bh(&m->sched->lock);
	hbc_tally_free(t);
}

int hbc_lack_count(struct hbc_message *m, struct hbc_tree *tree)
{
	struct hbc_tally *t = NULL;
	bool same;

	spin_lock_bh(&m->sched->lock);
	same = m->tally ? m->tally->tree == tree && !hbc_tally_stale(m->tally) : !tree->nr_edges;
	spin_unlock_bh(&m->sched->lock);
	if (same)
		return 0;
	if (tree->nr_edges) {
		t = hbc_tally_new(tree);
		if (!t)
			return -ENOMEM;
	}
	spin_lock_bh(&m->sched->lock);
	if (!m->sched->forgetful && !READ_ONCE(tree->gone))
		swap(m->tally, t);
	spin_unlock_bh(&m->sched->lock);
	hbc_tally_free(t);
	return 0;
}

void hbc_lack_forget(struct hbc_schedule *sched, const struct hbc_tree *tree)
{
	struct list_head *const lists[] = { &sched->open, &sched->closed };
	struct hbc_tally *t, *next;
	struct hbc_message *m;
	LIST_HEAD(old);
	unsigned int i;

	spin_lock_bh(&sched->lock);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry(m, lists[i], state_link)
			if (m->tally && (!tree || m->tally->tree == tree)) {
				list_add(&m->tally->link, &old);
				m->tally = NULL;
			}
	spin_unlock_bh(&sched->lock);
	list_for_each_entry_safe(t, next, &old, link)
		hbc_tally_free(t);
}

void hbc_lack_block_ack(struct hbc_lane *lane, const struct hbc_block_ack *f)
{
	struct hbc_message *m = hbc_message_find(lane->sched, f->message);

	if (!m)
		return;
	spin_lock_bh(&m->sched->lock);
	if (m->tally)
		hbc_tally_set(m->tally, lane, f->epoch, f->end);
	spin_unlock_bh(&m->sched->lock);
	hbc_lack_answer(m);
	hbc_lack_trim(m);
	hbc_message_put(m);
}

/* What is missing. */

/*
 * What of the bytes from @first to @last nobody has asked for in this round: @nr
 * ranges and these, of which there are HBC_NACK_MAX_RANGES at the most.
 */
static unsigned int hbc_lack_unasked(struct hbc_message *m, u64 first, u64 last,
				     struct hbc_range *range, unsigned int nr)
{
	u64 to;

	spin_lock_bh(&m->sched->lock);
	while (nr < HBC_NACK_MAX_RANGES &&
	       hbc_spans_gap(&m->asked, &first, &to, last + 1) &&
	       !hbc_spans_add(&m->asked, first, to, HBC_ASKED_SPANS)) {
		range[nr].first = first;
		range[nr++].bytes = to - first + 1;
		first = to + 1;
	}
	spin_unlock_bh(&m->sched->lock);
	return nr;
}

/* Asks for what @d lacks of the first @end bytes. */
static void hbc_lack_ask(struct hbc_message *m, struct hbc_delivery *d, u64 end,
			 struct hbc_range *range)
{
	struct hbc_nack f = { .message = m->id, .epoch = READ_ONCE(m->epoch) };
	u64 first = 0, last;

	while (f.count < HBC_NACK_MAX_RANGES && hbc_delivery_gap(d, &first, &last, end)) {
		f.count = hbc_lack_unasked(m, first, last, range, f.count);
		first = last + 1;
	}
	if (f.count)
		hbc_schedule_nack(m->sched, &f, range);
}

void hbc_lack_ask_all(struct hbc_message *m, u64 end)
{
	struct hbc_range *range = NULL;
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link) {
		if (hbc_delivery_have(d) >= end)
			continue;
		/* Without memory the root tells once more, and we ask then. */
		range = range ?: kmalloc_array(HBC_NACK_MAX_RANGES, sizeof(*range), GFP_KERNEL);
		if (range)
			hbc_lack_ask(m, d, end, range);
	}
	kfree(range);
}

void hbc_lack_reach(struct hbc_message *m, const struct hbc_tree *tree, u64 first, u64 end)
{
	bool lost;

	spin_lock_bh(&m->sched->lock);
	lost = first > m->reached && !tree->nodes[0].stage &&
	       tree->nodes[0].slots == BIT_ULL(tree->slot);
	m->reached = max(m->reached, end);
	if (tree->epoch != m->epoch)
		m->held = 0;
	if (tree->epoch < m->since)
		WRITE_ONCE(m->since, tree->epoch);
	spin_unlock_bh(&m->sched->lock);
	if (lost && hbc_tree_settled(m->sched, READ_ONCE(m->since), tree->epoch))
		hbc_lack_ask_all(m, first);
}

void hbc_lack_nack(struct hbc_lane *lane, struct hbc_nack *f, const struct hbc_range *range)
{
	struct hbc_schedule *sched = lane->sched;
	struct hbc_message *m = hbc_message_find(sched, f->message);
	struct hbc_range *more = NULL;
	u16 nr = 0, i;

	/* The root would not hear it, and it is not to keep anybody else from asking. */
	if (m && f->epoch < READ_ONCE(m->epoch)) {
		hbc_message_put(m);
		return;
	}
	if (m)
		more = kmalloc_array(HBC_NACK_MAX_RANGES, sizeof(*more), GFP_KERNEL);
	for (i = 0; i < f->count && more; i++)
		nr = hbc_lack_unasked(m, range[i].first,
				      range[i].first + range[i].bytes - 1, more, nr);
	if (more)
		f->count = nr;
	if (f->count)
		hbc_schedule_nack(sched, f, more ?: range);
	kfree(more);
	if (m)
		hbc_message_put(m);
}

void hbc_lack_give_up(struct hbc_message *m, const struct hbc_block_end *f)
{
	struct hbc_delivery *d;

	list_for_each_entry(d, &m->deliveries, message_link)
		if (!f->total)
			hbc_delivery_none(d);
		else if (hbc_delivery_have(d) < f->from)
			hbc_delivery_end(d, HBCAST_REASON_LANE_LOST);
}

