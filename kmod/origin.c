// SPDX-License-Identifier: GPL-2.0
/* The root: whose turn it is to send down the tree, and who has what. */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "burst.h"
#include "forward.h"
#include "migration.h"
#include "origin.h"
#include "outgoing.h"
#include "repair.h"
#include "roster.h"
#include "schedule.h"
#include "source.h"
#include "stage.h"
#include "wire.h"

static void hbc_origin_release(struct kref *ref)
{
	struct hbc_origin *origin = container_of(ref, struct hbc_origin, ref);

	mutex_destroy(&origin->pump);
	kfree(origin);
}

void hbc_origin_put(struct hbc_origin *origin)
{
	kref_put(&origin->ref, hbc_origin_release);
}

/* Bursts, taken off a message. */

/* One to the same port that was accepted before has not left as a whole. origin->lock held. */
static bool hbc_origin_port_busy(struct hbc_origin *origin, const struct hbc_outgoing *m)
{
	struct hbc_source *source;

	list_for_each_entry(source, &origin->sources, link) {
		const struct hbc_outgoing *other =
			list_first_entry_or_null(&source->queue, struct hbc_outgoing, queue_link);

		if (other && other->cut.message < m->cut.message && other->cut.port == m->cut.port)
			return true;
	}
	return false;
}

/*
 * An earlier message to the same port is on its way along another epoch's trees,
 * where this one could overtake it. origin->lock held.
 */
static bool hbc_origin_overtakes(struct hbc_origin *origin, const struct hbc_outgoing *m)
{
	const struct hbc_outgoing *other;
	struct hbc_source *source;

	if (list_is_singular(&origin->rosters))
		return false;
	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry(other, &source->messages, source_link)
			if (other->begun && other->cut.port == m->cut.port &&
			    other->cut.epoch != m->cut.epoch)
				return true;
	return false;
}

/* An epoch, a reference, and those of its slots that have no room. */
struct hbc_full {
	struct hbc_roster *roster;
	u64 slots;
};

/* origin->lock held. */
static bool hbc_origin_sendable(struct hbc_origin *origin, const struct hbc_outgoing *m,
				const struct hbc_full *full)
{
	if (m->abort)
		return true;
	if (list_empty(&m->bursts) ||
	    (m->roster == full->roster && !(hbc_stage_slots(m) & ~full->slots)))
		return false;
	return m->begun || (!hbc_origin_port_busy(origin, m) && !hbc_origin_overtakes(origin, m));
}

/**
 * struct hbc_turn - who sends next, and where
 * @m: the message; a reference, as all that follows
 * @roster: its trees and members; NULL for one that was never planned
 * @tree: the one that carries the next burst; NULL if none has room
 * @slots: those that may carry it
 */
struct hbc_turn {
	struct hbc_outgoing *m;
	struct hbc_roster *roster;
	struct hbc_tree *tree;
	u64 slots;
};

static void hbc_turn_end(struct hbc_turn *turn)
{
	if (turn->tree)
		hbc_tree_put(turn->tree);
	if (turn->roster)
		hbc_roster_put(turn->roster);
	hbc_outgoing_put(turn->m);
}

/* Takes the references of a turn of @m. origin->lock held. */
static void hbc_turn_begin(struct hbc_turn *turn, struct hbc_outgoing *m)
{
	const struct hbc_outgoing_entry *e;

	hbc_outgoing_get(m);
	turn->m = m;
	turn->roster = m->roster;
	turn->tree = NULL;
	if (m->roster)
		hbc_roster_hold(m->roster);
	if (m->abort)
		return;
	e = list_first_entry(&m->bursts, const struct hbc_outgoing_entry, link);
	turn->slots = hbc_stage_slots(m);
	turn->tree = hbc_roster_turn(m->roster, turn->slots, e->bytes);
	if (turn->tree)
		refcount_inc(&turn->tree->ref);
}

/* Whose turn it is; nobody's whose slots are all @full. Return: whether it is somebody's. */
static bool hbc_origin_pick(struct hbc_origin *origin, const struct hbc_full *full,
			    struct hbc_turn *turn)
{
	struct hbc_outgoing *m = NULL;
	unsigned int i;

	spin_lock(&origin->lock);
	for (i = 0; i < origin->nr_sources && !m; i++) {
		struct hbc_source *source = list_first_entry(&origin->sources, struct hbc_source,
							     link);

		list_move_tail(&source->link, &origin->sources);
		m = list_first_entry_or_null(&source->queue, struct hbc_outgoing, queue_link);
		if (m && !hbc_origin_sendable(origin, m, full))
			m = NULL;
	}
	if (m)
		hbc_turn_begin(turn, m);
	spin_unlock(&origin->lock);
	return m;
}

/* Ends the message below, if it has begun there. */
static void hbc_origin_abort(struct hbc_origin *origin, const struct hbc_turn *turn,
			     struct list_head *finished)
{
	struct hbc_outgoing *m = turn->m;
	LIST_HEAD(bursts);
	bool starved;
	u8 reason;

	spin_lock(&origin->lock);
	list_splice_init(&m->bursts, &bursts);
	reason = m->begun ? m->abort : 0;
	m->leaving = true;
	spin_unlock(&origin->lock);
	hbc_outgoing_purge(&bursts);
	if (reason)
		hbc_outgoing_tell_abort(m, turn->roster->tree, reason);
	spin_lock(&origin->lock);
	hbc_outgoing_sent(m, finished);
	starved = hbc_source_starved(m->source);
	spin_unlock(&origin->lock);
	if (starved)
		hbc_source_read_on(m->source);
}

/* Where whole messages are handed on, one that the send buffer holds is. */
static struct hbc_part hbc_origin_part(const struct hbc_turn *turn)
{
	const struct hbc_outgoing *m = turn->m;
	struct hbc_part part = {};

	if (hbc_tree_whole(turn->tree) &&
	    hbc_cut_truesize(&m->cut) <= hbc_source_sndbuf(m->source))
		part.message = m->cut.message;
	return part;
}

/* Queue the next burst at the lanes. */
static void hbc_origin_burst(struct hbc_origin *origin, const struct hbc_turn *turn,
			     struct list_head *finished)
{
	struct hbc_outgoing *m = turn->m;
	struct hbc_part part = hbc_origin_part(turn);
	struct hbc_outgoing_entry *e;
	bool starved;

	spin_lock(&origin->lock);
	e = list_first_entry_or_null(&m->bursts, struct hbc_outgoing_entry, link);
	if (e) {
		list_del(&e->link);
		if (!m->begun)
			hbc_repair_begin(m);
		m->begun = true;
		/* Later ones are of bytes that have left before. */
		m->sent_bytes = max(m->sent_bytes, e->offset + e->bytes);
		hbc_stage_sent(m, e->offset, turn->tree->slot);
		m->leaving = m->whole && list_empty(&m->bursts);
	}
	spin_unlock(&origin->lock);
	if (!e)
		return;
	if (turn->tree->slot != HBC_SLOT_ALL || turn->tree->epoch != e->epoch)
		hbc_cut_move(&m->cut, e->burst, turn->tree->epoch, turn->tree->slot);
	part.last = e->offset + e->bytes == m->cut.total;
	hbc_forward_queue(turn->tree, e->burst, 0, e->used, &part);
	spin_lock(&origin->lock);
	if (!m->file && !m->complete) {
		list_add_tail(&e->link, &m->kept);
		e = NULL;
	}
	hbc_repair_sent(m);
	if (m->leaving)
		hbc_outgoing_sent(m, finished);
	starved = hbc_source_starved(m->source);
	spin_unlock(&origin->lock);
	if (e)
		hbc_outgoing_entry_free(e);
	if (starved)
		hbc_source_read_on(m->source);
}

/* Slots without room are noted; those of one epoch. Return: whether they could be. */
static bool hbc_origin_note_full(struct hbc_full *full, struct hbc_turn *turn)
{
	if (full->roster && full->roster != turn->roster)
		return false;
	if (!full->roster)
		swap(full->roster, turn->roster);
	full->slots |= turn->slots;
	return true;
}

/*
 * Queue bursts in turn while the lanes have room, then send. @full is set to slots
 * for whose lanes somebody still waits, if there are any. origin->pump held.
 */
static void hbc_origin_round(struct hbc_origin *origin, struct hbc_full *full,
			     struct list_head *finished)
{
	struct hbc_tree *last = NULL;
	struct hbc_turn turn;
	bool more = true;

	while (more && hbc_origin_pick(origin, full, &turn)) {
		if (turn.m->abort)
			hbc_origin_abort(origin, &turn, finished);
		else if (turn.tree)
			hbc_origin_burst(origin, &turn, finished);
		else
			more = hbc_origin_note_full(full, &turn);
		if (turn.tree) {
			refcount_inc(&turn.tree->ref);
			hbc_forward_turn(&last, turn.tree);
		}
		hbc_turn_end(&turn);
	}
	hbc_forward_turn(&last, NULL);
}

/* origin->pump held. */
static void hbc_origin_run(struct hbc_origin *origin, struct list_head *finished)
{
	struct hbc_tree *other;
	bool again = true;

	while (again && !READ_ONCE(origin->ended)) {
		struct hbc_full full = {};

		hbc_migration_run(origin, finished);
		/* First, or new data would leave no room for it. */
		other = hbc_repair_round(origin);
		hbc_origin_round(origin, &full, finished);
		hbc_repair_tell_all(origin);
		if (!full.roster && !other)
			break;
		set_bit(HBC_SCHEDULE_WAITING, &origin->sched->flags);
		smp_mb__after_atomic(); /* pairs with hbc_schedule_resume() */
		again = (full.roster && hbc_roster_room(full.roster, full.slots)) ||
			(other && hbc_forward_room(other));
		if (full.roster)
			hbc_roster_put(full.roster);
		if (other)
			hbc_tree_put(other);
	}
}

void hbc_origin_pump(struct hbc_origin *origin)
{
	LIST_HEAD(finished);

	if (!mutex_trylock(&origin->pump)) {
		hbc_origin_kick(origin);
		return;
	}
	hbc_origin_run(origin, &finished);
	mutex_unlock(&origin->pump);
	hbc_outgoing_finish(&finished);
}

static void hbc_origin_work(struct work_struct *work)
{
	struct hbc_origin *origin = container_of(work, struct hbc_origin, work);
	LIST_HEAD(finished);

	mutex_lock(&origin->pump);
	hbc_origin_run(origin, &finished);
	mutex_unlock(&origin->pump);
	hbc_outgoing_finish(&finished);
	hbc_origin_put(origin);
}

void hbc_origin_kick(struct hbc_origin *origin)
{
	kref_get(&origin->ref);
	if (!hbc_source_work(&origin->work))
		hbc_origin_put(origin);
}

/* Birth and end. */

struct hbc_origin *hbc_origin_new(struct hbc_schedule *sched)
{
	struct hbc_origin *origin = kzalloc(sizeof(*origin), GFP_KERNEL);

	if (!origin)
		return NULL;
	kref_init(&origin->ref);
	origin->sched = sched;
	mutex_init(&origin->pump);
	INIT_WORK(&origin->work, hbc_origin_work);
	INIT_WORK(&origin->retire, hbc_roster_retire_work);
	INIT_DELAYED_WORK(&origin->tick, hbc_repair_tick);
	spin_lock_init(&origin->lock);
	INIT_LIST_HEAD(&origin->sources);
	INIT_LIST_HEAD(&origin->rosters);
	INIT_LIST_HEAD(&origin->due);
	INIT_LIST_HEAD(&origin->again);
	/* Ids of a root that was started anew are not taken for those before. */
	origin->next = ktime_get_real_ns();
	return origin;
}

void hbc_origin_free(struct hbc_origin *origin)
{
	hbc_origin_put(origin);
}

/* The first source that has not been told of the end, with a reference, or NULL. */
static struct hbc_source *hbc_origin_untold(struct hbc_origin *origin)
{
	struct hbc_source *source;

	spin_lock(&origin->lock);
	list_for_each_entry(source, &origin->sources, link)
		if (!source->ended) {
			source->ended = true;
			hbc_source_get(source);
			spin_unlock(&origin->lock);
			return source;
		}
	spin_unlock(&origin->lock);
	return NULL;
}

void hbc_origin_end(struct hbc_origin *origin, u8 reason)
{
	struct hbc_outgoing *m, *tmp;
	struct hbc_source *source;
	LIST_HEAD(finished);
	LIST_HEAD(bursts);

	mutex_lock(&origin->pump);
	spin_lock(&origin->lock);
	WRITE_ONCE(origin->ended, true);
	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry_safe(m, tmp, &source->messages, source_link)
			hbc_outgoing_end(m, reason, &bursts, &finished);
	spin_unlock(&origin->lock);
	mutex_unlock(&origin->pump);
	if (cancel_delayed_work(&origin->tick))
		hbc_origin_put(origin);
	hbc_outgoing_purge(&bursts);
	hbc_outgoing_finish(&finished);
	while ((source = hbc_origin_untold(origin))) {
		hbc_source_ended(source);
		hbc_source_put(source);
	}
	hbc_roster_forget(origin);
}

/* What members report. */

struct hlist_head *hbc_origin_bucket(struct hbc_origin *origin, u64 id)
{
	return &origin->ids[hash_64(id, HBC_ORIGIN_HASH_BITS)];
}

struct hbc_outgoing *hbc_origin_find(struct hbc_origin *origin, u64 id)
{
	struct hbc_outgoing *m;

	hlist_for_each_entry(m, hbc_origin_bucket(origin, id), id_link)
		if (m->cut.message == id)
			return m;
	return NULL;
}

void hbc_origin_ack(struct hbc_origin *origin, const struct hbc_ack *ack)
{
	struct hbc_outgoing *m;
	LIST_HEAD(finished);
	bool useless = false;

	spin_lock(&origin->lock);
	m = hbc_origin_find(origin, ack->message);
	if (m)
		useless = hbc_outgoing_ack(m, ack, &finished);
	spin_unlock(&origin->lock);
	if (useless)
		hbc_origin_kick(origin);
	hbc_outgoing_finish(&finished);
}

/* origin->lock held. Return: whether some message is of no use to anybody now. */
static bool hbc_origin_fail(struct hbc_origin *origin, struct hbc_outgoing *m, u8 reason,
			    const u32 *node, unsigned int count, struct list_head *finished)
{
	bool useless = false;
	unsigned int i;

	for (i = 0; i < count; i++)
		useless |= hbc_outgoing_fail(m, node[i], reason, finished);
	return useless;
}

/* What later messages of the epoch will find: whether it is news. origin->lock held. */
static bool hbc_origin_mark(struct hbc_origin *origin, u32 epoch, u8 reason, u32 node)
{
	struct hbc_roster *roster;
	bool news = false;

	list_for_each_entry(roster, &origin->rosters, link)
		if (roster->tree->epoch == epoch)
			news |= hbc_roster_mark(roster, node, reason);
	return news;
}

void hbc_origin_lost(struct hbc_origin *origin, u8 flags, u8 reason, u32 epoch, const u32 *node,
		     unsigned int count)
{
	struct hbc_outgoing *m, *tmp;
	struct hbc_source *source;
	bool useless = false;
	LIST_HEAD(finished);
	unsigned int i;

	spin_lock(&origin->lock);
	for (i = 0; i < count && flags & HBC_LOST_DOWN; i++)
		hbc_origin_mark(origin, epoch, reason, node[i]);
	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry_safe(m, tmp, &source->messages, source_link) {
			if (!m->roster || m->cut.epoch != epoch ||
			    !(m->begun || flags & HBC_LOST_DOWN))
				continue;
			useless |= hbc_origin_fail(origin, m, reason, node, count, &finished);
		}
	spin_unlock(&origin->lock);
	if (useless)
		hbc_origin_kick(origin);
	hbc_outgoing_finish(&finished);
	/* Whoever waited for them does not any more. */
	if (flags & HBC_LOST_DOWN)
		hbc_repair_restart(origin, epoch);
}

unsigned int hbc_origin_back(struct hbc_origin *origin, u32 epoch, u32 *node,
			     unsigned int count)
{
	unsigned int i, nr = 0;

	spin_lock(&origin->lock);
	for (i = 0; i < count; i++)
		if (hbc_origin_mark(origin, epoch, HBCAST_REASON_NONE, node[i]))
			node[nr++] = node[i];
	spin_unlock(&origin->lock);
	hbc_repair_restart(origin, epoch);
	return nr;
}

bool hbc_origin_uses(struct hbc_origin *origin, u32 epoch)
{
	struct hbc_roster *roster;
	bool uses = false;

	spin_lock(&origin->lock);
	list_for_each_entry(roster, &origin->rosters, link)
		uses |= roster->users && roster->tree->epoch == epoch;
	spin_unlock(&origin->lock);
	return uses;
}

bool hbc_origin_busy(struct hbc_origin *origin)
{
	struct hbc_source *source;
	bool busy = false;

	spin_lock(&origin->lock);
	list_for_each_entry(source, &origin->sources, link)
		busy |= source->nr_messages;
	spin_unlock(&origin->lock);
	return busy;
}

/* For those who look. */

/* Of @list, the message with the lowest id above @after that is below @best. */
static const struct hbc_outgoing *hbc_origin_lowest(const struct list_head *list, u64 after,
						    const struct hbc_outgoing *best)
{
	const struct hbc_outgoing *m;

	list_for_each_entry(m, list, source_link)
		if (m->cut.message > after && (!best || m->cut.message < best->cut.message))
			best = m;
	return best;
}

/* The message with the lowest id above @after, or NULL. origin->lock held. */
static const struct hbc_outgoing *hbc_origin_after(const struct hbc_origin *origin, u64 after)
{
	const struct hbc_outgoing *best = NULL;
	const struct hbc_source *source;

	list_for_each_entry(source, &origin->sources, link) {
		best = hbc_origin_lowest(&source->done, after, best);
		best = hbc_origin_lowest(&source->messages, after, best);
	}
	return best;
}

int hbc_origin_next(struct hbc_origin *origin, u64 after, struct hbcast_completion *c, u16 *port)
{
	const struct hbc_outgoing *m;

	spin_lock(&origin->lock);
	m = hbc_origin_after(origin, after);
	if (m) {
		hbc_outgoing_describe(m, c);
		*port = m->cut.port;
	}
	spin_unlock(&origin->lock);
	return m ? 0 : -ENOENT;
}

int hbc_origin_members(struct hbc_origin *origin, u64 id, u32 first,
		       struct hbcast_member *member, u32 max)
{
	const struct hbc_outgoing *m;
	int ret = -ENOENT;

	spin_lock(&origin->lock);
	m = id ? hbc_origin_after(origin, id - 1) : NULL;
	if (m && m->cut.message == id) {
		ret = first < m->nr ? min(m->nr - first, max) : 0;
		memcpy(member, m->member + first, ret * sizeof(*member));
	}
	spin_unlock(&origin->lock);
	return ret;
}
