// SPDX-License-Identifier: GPL-2.0
/*
 * Migration: messages that are on their way take the trees of a newer plan.
 *
 * What has left along the old trees arrives along them: their end is told behind it.
 * All that follows, and what is sent again, goes along the new ones; a member asks for
 * nothing as long as the old ones may still bring it.
 */
#include <linux/hbcast.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "group.h"
#include "migration.h"
#include "origin.h"
#include "outgoing.h"
#include "repair.h"
#include "roster.h"
#include "schedule.h"
#include "source.h"
#include "stage.h"
#include "tally.h"

/*
 * Whether its trees can be used: those above a member that is known to be down never say
 * that they have them.
 */
static bool hbc_migration_ready(const struct hbc_origin *origin, const struct hbc_roster *roster)
{
	const struct hbc_group_config *config = &origin->sched->group->config;
	unsigned long patience = 2 * msecs_to_jiffies(READ_ONCE(config->dead_ms));
	u32 i;

	if (roster->ready || time_before(jiffies, roster->born + patience))
		return roster->ready;
	for (i = 0; i < roster->nr; i++)
		if (roster->member[i].state == HBCAST_FAILED)
			return true;
	return false;
}

/* The newest, or NULL. */
static struct hbc_roster *hbc_migration_newest(struct hbc_origin *origin)
{
	lockdep_assert_held(&origin->lock);
	return list_first_entry_or_null(&origin->rosters, struct hbc_roster, link);
}

bool hbc_migration_due(struct hbc_origin *origin)
{
	struct hbc_roster *newest = hbc_migration_newest(origin);
	bool due = newest && !list_is_singular(&origin->rosters) &&
		   hbc_migration_ready(origin, newest);

	if (due)
		WRITE_ONCE(origin->migrate, true);
	return due;
}

/* The newest, a reference, if messages may take it; or NULL. */
static struct hbc_roster *hbc_migration_target(struct hbc_origin *origin)
{
	struct hbc_roster *to;

	spin_lock(&origin->lock);
	WRITE_ONCE(origin->migrate, false);
	to = hbc_migration_newest(origin);
	if (to && hbc_migration_ready(origin, to))
		hbc_roster_hold(to);
	else
		to = NULL;
	spin_unlock(&origin->lock);
	return to;
}

/* The message with the lowest id above @after that has older trees, a reference; or NULL. */
static struct hbc_outgoing *hbc_migration_next(struct hbc_origin *origin,
					       const struct hbc_roster *to, u64 after)
{
	struct hbc_outgoing *m, *best = NULL;
	struct hbc_source *source;

	spin_lock(&origin->lock);
	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry(m, &source->messages, source_link)
			if (m->cut.message > after && m->roster &&
			    m->roster->tree->epoch < to->tree->epoch &&
			    (!best || m->cut.message < best->cut.message))
				best = m;
	if (best)
		hbc_outgoing_get(best);
	spin_unlock(&origin->lock);
	return best;
}

/* Whether all who wait for it are in those trees. Both are in the order of their ids. */
static bool hbc_migration_fits(const struct hbc_outgoing *m, const struct hbc_roster *to)
{
	u32 i, k = 0;

	for (i = 0; i < m->nr; i++) {
		if (m->member[i].state != HBCAST_PENDING)
			continue;
		while (k < to->nr && to->member[k].node < m->member[i].node)
			k++;
		if (k == to->nr || to->member[k].node != m->member[i].node)
			return false;
	}
	return true;
}

/* Whoever is known to be down there does not get it. */
static void hbc_migration_fail(struct hbc_outgoing *m, const struct hbc_roster *to,
			       struct list_head *finished)
{
	u32 i;

	for (i = 0; i < to->nr; i++)
		if (to->member[i].state == HBCAST_FAILED)
			hbc_outgoing_fail(m, to->member[i].node, to->member[i].reason, finished);
}

/* The roster that it had, the caller's to put, or NULL if it keeps it. */
static struct hbc_roster *hbc_migration_take(struct hbc_outgoing *m, struct hbc_roster *to,
					     u64 **used, struct hbc_tally **tally,
					     struct list_head *finished)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_roster *from = m->roster;

	lockdep_assert_held(&origin->lock);
	/* The trees of one that is not the newest any more may have ended. */
	if (m->complete || m->abort || origin->ended || to != hbc_migration_newest(origin) ||
	    !hbc_migration_fits(m, to))
		return NULL;
	*used = hbc_stage_move(m, to, *used);
	from->users--;
	to->users++;
	hbc_roster_hold(to);
	m->roster = to;
	WRITE_ONCE(m->cut.epoch, to->tree->epoch);
	hbc_repair_move(m, tally);
	hbc_migration_fail(m, to, finished);
	/* What other trees would have sent again is all that was left. */
	if (!m->leaving && !m->abort && m->whole && list_empty(&m->bursts))
		hbc_outgoing_sent(m, finished);
	return from;
}

static void hbc_migration_move(struct hbc_outgoing *m, struct hbc_roster *to,
			       struct list_head *finished)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_tally *tally = NULL;
	struct hbc_roster *from;
	u64 *used = NULL;

	/* Without memory it keeps its trees, until the next look. */
	if (READ_ONCE(m->file) && hbc_stage_prepare(&m->cut, to, &used))
		return;
	spin_lock(&origin->lock);
	from = hbc_migration_take(m, to, &used, &tally, finished);
	spin_unlock(&origin->lock);
	kvfree(used);
	hbc_tally_free(tally);
	if (!from)
		return;
	hbc_roster_retire(origin, from);
	hbc_roster_put(from);
}

void hbc_migration_run(struct hbc_origin *origin, struct list_head *finished)
{
	struct hbc_outgoing *m;
	struct hbc_roster *to;
	u64 after = 0;

	lockdep_assert_held(&origin->pump);
	if (!READ_ONCE(origin->migrate))
		return;
	to = hbc_migration_target(origin);
	while (to && (m = hbc_migration_next(origin, to, after))) {
		after = m->cut.message;
		hbc_migration_move(m, to, finished);
		hbc_outgoing_put(m);
	}
	if (to)
		hbc_roster_put(to);
}
