// SPDX-License-Identifier: GPL-2.0
/* Stages: in which order members get the whole of a file. */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "cut.h"
#include "outgoing.h"
#include "repair.h"
#include "roster.h"
#include "stage.h"
#include "wire.h"

/* The members that are in one set of slots, and what that is worth. */
struct hbc_stage_set {
	u64 slots;
	u64 rate;
};

static int hbc_stage_compare_slots(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int hbc_stage_compare_rates(const void *a, const void *b)
{
	const struct hbc_stage_set *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->slots < y->slots ? -1 : x->slots > y->slots;
}

static u64 hbc_stage_rate(u64 slots, const u64 *rate)
{
	unsigned int slot;
	u64 sum = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		if (slots & BIT_ULL(slot))
			sum += rate[slot];
	return sum;
}

/* The sets of @sorted but @all, once each, in the order of their stages: how many, or -E2BIG. */
static int hbc_stage_sets(const u64 *sorted, u32 nr, const u64 *rate, u64 all,
			  struct hbc_stage_set *set)
{
	unsigned int n = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (sorted[i] == all || (n && set[n - 1].slots == sorted[i]))
			continue;
		if (n == HBC_STAGES_MAX)
			return -E2BIG;
		set[n].slots = sorted[i];
		set[n++].rate = hbc_stage_rate(sorted[i], rate);
	}
	sort(set, n, sizeof(*set), hbc_stage_compare_rates, NULL);
	return n;
}

static u8 hbc_stage_of(u64 slots, const struct hbc_stage_set *set, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (set[i].slots == slots)
			return i + 1;
	return 0;
}

int hbc_stage_rank(const u64 *slots, u32 nr, const u64 *rate, u64 all, u8 *stage)
{
	struct hbc_stage_set *set = kcalloc(HBC_STAGES_MAX, sizeof(*set), GFP_KERNEL);
	u64 *sorted = kvmalloc_array(nr, sizeof(*sorted), GFP_KERNEL);
	int n = -ENOMEM;
	u32 i;

	if (set && sorted) {
		memcpy(sorted, slots, nr * sizeof(*sorted));
		sort(sorted, nr, sizeof(*sorted), hbc_stage_compare_slots, NULL);
		n = hbc_stage_sets(sorted, nr, rate, all, set);
	}
	for (i = 0; i < nr && n >= 0; i++)
		stage[i] = hbc_stage_of(slots[i], set, n);
	kvfree(sorted);
	kfree(set);
	return min(n, 0);
}

/* Bursts of a message. */
static u64 hbc_stage_bursts(const struct hbc_cut *c)
{
	return div_u64(c->total + hbc_cut_full(c) - 1, hbc_cut_full(c));
}

int hbc_stage_prepare(const struct hbc_cut *c, const struct hbc_roster *roster, u64 **used)
{
	u64 nr = hbc_stage_bursts(c);

	*used = NULL;
	if (!roster->nr_stages || !nr || nr > HBC_STAGE_BURSTS_MAX)
		return 0;
	*used = kvcalloc(nr, sizeof(**used), GFP_KERNEL_ACCOUNT);
	return *used ? 0 : -ENOMEM;
}

u64 hbc_stage_slots(const struct hbc_outgoing *m)
{
	if (!m->used)
		return m->roster->spanning;
	return m->roster->set[m->stage];
}

/* Whether somebody still waits for it. */
static bool hbc_stage_wanted(const struct hbc_outgoing *m, unsigned int stage)
{
	const struct hbc_roster *roster = m->roster;
	u32 i;

	for (i = 0; i < roster->nr; i++)
		if (roster->stage[i] == stage &&
		    hbc_outgoing_pending(m, roster->member[i].node) >= 0)
			return true;
	return false;
}

/* The stage at hand is over: the next one that somebody waits for begins, or none. */
static void hbc_stage_advance(struct hbc_outgoing *m)
{
	m->next = 0;
	m->known = m->failed;
	do {
		m->stage++;
	} while (m->stage <= m->roster->nr_stages && !hbc_stage_wanted(m, m->stage));
	m->whole = m->stage > m->roster->nr_stages;
	hbc_roster_level(m->roster);
	hbc_repair_due(m);
}

/* Whether all who waited for the stage at hand have failed since it was asked last. */
static bool hbc_stage_useless(struct hbc_outgoing *m)
{
	if (!m->stage || m->known == m->failed)
		return false;
	m->known = m->failed;
	return !hbc_stage_wanted(m, m->stage);
}

bool hbc_stage_next(struct hbc_outgoing *m, u64 *number)
{
	u64 nr = hbc_stage_bursts(&m->cut);

	if (hbc_stage_useless(m))
		m->next = nr;
	while (!m->whole) {
		while (m->stage && m->next < nr) {
			*number = m->next++;
			if (!(m->used[*number] & m->roster->set[m->stage]))
				return true;
		}
		/* What has not left yet is not known to be needed again. */
		if (!list_empty(&m->bursts))
			break;
		hbc_stage_advance(m);
	}
	return false;
}

u64 hbc_stage_used(const struct hbc_outgoing *m, u64 offset)
{
	return m->used ? m->used[div_u64(offset, hbc_cut_full(&m->cut))] : 0;
}

void hbc_stage_sent(struct hbc_outgoing *m, u64 offset, u8 slot)
{
	if (m->used)
		m->used[div_u64(offset, hbc_cut_full(&m->cut))] |= BIT_ULL(slot);
}

u16 hbc_stage_over(const struct hbc_outgoing *m)
{
	if (!m->used || m->whole)
		return HBC_STAGE_ALL;
	return m->stage ? m->stage - 1 : 0;
}

/* Whether each member is in the same slots, and has its turn at the same time. */
static bool hbc_stage_same(const struct hbc_roster *a, const struct hbc_roster *b)
{
	u32 i;

	if (a->nr != b->nr || a->nr_stages != b->nr_stages || a->spanning != b->spanning ||
	    memcmp(a->set, b->set, (a->nr_stages + 1) * sizeof(*a->set)) ||
	    memcmp(a->stage, b->stage, a->nr))
		return false;
	for (i = 0; i < a->nr; i++)
		if (a->member[i].node != b->member[i].node)
			return false;
	return true;
}

u64 *hbc_stage_move(struct hbc_outgoing *m, const struct hbc_roster *roster, u64 *used)
{
	const struct hbc_outgoing_entry *e;
	u32 full = hbc_cut_full(&m->cut);

	if (!m->file || hbc_stage_same(m->roster, roster))
		return used;
	/* Who lacks some of what was sent in other slots asks for it at the end. */
	if (used)
		memset64(used, U64_MAX, div_u64(m->offset + full - 1, full));
	list_for_each_entry(e, &m->bursts, link)
		if (used && !e->used)
			used[div_u64(e->offset, full)] = 0;
	swap(m->used, used);
	m->stage = 0;
	m->next = 0;
	m->known = m->failed;
	/* One that has been sent has no stages before it any more. */
	m->whole = m->leaving || (m->offset == m->cut.total && !m->used &&
				  (m->begun || !list_empty(&m->bursts)));
	return used;
}
