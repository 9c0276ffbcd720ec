// SPDX-License-Identifier: GPL-2.0
/*
 * Repair, at the root.
 *
 * BLOCK_END tells the members how much of a message has been sent. Whoever has
 * it all says so, and what all have of a message in memory need not be kept any
 * more. Whoever lacks something asks, and gets it along the tree from those
 * bursts that were kept, or from the file. Then it is told again: so nothing
 * that gets lost on the way, up or down, matters for long.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "burst.h"
#include "forward.h"
#include "migration.h"
#include "origin.h"
#include "outgoing.h"
#include "receive.h"
#include "repair.h"
#include "roster.h"
#include "schedule.h"
#include "source.h"
#include "stage.h"
#include "tally.h"
#include "wire.h"

#define HBC_REPAIR_MS		250U	/* between two looks */
#define HBC_REPAIR_MAX_MS	1000U	/* a message is told of so often at least, or, */
#define HBC_REPAIR_IDLE_MS	4000U	/* if all of it was told or none answers, so often, */
#define HBC_REPAIR_ASKED	32	/* unless so many have not been answered */
#define HBC_REPAIR_LOST_MS	8000U	/* after which an answer has got lost */
#define HBC_REPAIR_SPANS	4096	/* of bursts that are missing */

/* When. */

void hbc_repair_due(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;

	if (list_empty(&m->due_link) && m->roster && !m->complete && !m->abort)
		list_add_tail(&m->due_link, &origin->due);
}

/* A look in @ms; one that is on its way comes then instead. origin->lock held. */
static void hbc_repair_look_in(struct hbc_origin *origin, unsigned int ms)
{
	lockdep_assert_held(&origin->lock);
	if (origin->ended)
		return;
	origin->ticking = true;
	kref_get(&origin->ref);
	if (!hbc_source_work_after(&origin->tick, msecs_to_jiffies(ms)))
		hbc_origin_put(origin);
}

/* So many children are to answer a question about @m. origin->lock held. */
static void hbc_repair_expect(struct hbc_outgoing *m, unsigned int answers)
{
	m->source->origin->asked += !!answers - !!m->answers;
	if (!m->answers)
		m->told_at = jiffies;
	m->answers = answers;
}

void hbc_repair_settle(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;

	hbc_repair_expect(m, 0);
	if (!origin->bounded || origin->asked > HBC_REPAIR_ASKED / 2)
		return;
	origin->bounded = false;
	hbc_repair_look_in(origin, 0);
}

/* A child has answered. origin->lock held. */
static void hbc_repair_answer(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;
	unsigned int ms;

	if (m->answers > 1) {
		m->answers--;
	} else if (m->answers) {
		ms = min(jiffies_to_msecs(jiffies - m->told_at), HBC_REPAIR_LOST_MS);
		origin->latency = (3 * origin->latency + ms) / 4;
		hbc_repair_settle(m);
	}
}

/*
 * How long, in ms, the next answer may take: on a busy machine what was sent is still
 * being read after a while, and questions would only add to that. origin->lock held.
 */
static unsigned int hbc_repair_base(const struct hbc_origin *origin)
{
	return clamp(2 * origin->latency, HBC_REPAIR_MS, HBC_REPAIR_IDLE_MS);
}

void hbc_repair_begin(struct hbc_outgoing *m)
{
	m->patience = hbc_repair_base(m->source->origin);
	m->next_end = jiffies + msecs_to_jiffies(m->patience);
}

void hbc_repair_move(struct hbc_outgoing *m, struct hbc_tally **tally)
{
	swap(m->tally, *tally);
	/* Nobody in those trees has asked for it. */
	hbc_spans_free(&m->missing);
	list_del_init(&m->due_link);
	hbc_repair_settle(m);
	hbc_repair_begin(m);
}

/* Whether members are to be told of it now. origin->lock held. */
static bool hbc_repair_ripe(const struct hbc_outgoing *m)
{
	/* It is told again when what lies ready has gone. */
	return m->begun && !m->abort && !time_before(jiffies, m->next_end) &&
	       list_empty(&m->again_link) && !(m->missing.nr && m->budget);
}

/* origin->lock held. */
static void hbc_repair_ask(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;
	unsigned int most = m->told == m->cut.total || m->answers ? HBC_REPAIR_IDLE_MS :
								    HBC_REPAIR_MAX_MS;

	if (!m->answers) {
		hbc_repair_expect(m, 1);
		origin->turn = m->cut.message;
	}
	m->patience = min(2 * m->patience, max(most, hbc_repair_base(origin)));
	m->next_end = jiffies + msecs_to_jiffies(m->patience);
	hbc_repair_due(m);
}

/*
 * Of those from @first on whose time has come, the one with the lowest id, or NULL. Members
 * are not asked more than they answer: on machines that are too slow for it they would do
 * nothing else. origin->lock held.
 */
static struct hbc_outgoing *hbc_repair_pick(struct hbc_origin *origin, u64 first)
{
	struct hbc_outgoing *m, *best = NULL;
	struct hbc_source *source;

	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry(m, &source->messages, source_link)
			if (m->cut.message >= first &&
			    (!best || m->cut.message < best->cut.message) &&
			    (m->answers || origin->asked < HBC_REPAIR_ASKED) &&
			    hbc_repair_ripe(m))
				best = m;
	return best;
}

/* All whose time has come, as far as they may be asked about. origin->lock held. */
static void hbc_repair_look(struct hbc_origin *origin)
{
	struct hbc_outgoing *m;
	u64 turn = origin->turn, first = turn + 1;

	while ((m = hbc_repair_pick(origin, first))) {
		first = m->cut.message + 1;
		hbc_repair_ask(m);
	}
	first = 0;
	while ((m = hbc_repair_pick(origin, first)) && m->cut.message <= turn) {
		first = m->cut.message + 1;
		hbc_repair_ask(m);
	}
	origin->bounded = origin->asked >= HBC_REPAIR_ASKED;
}

/* What was not answered in that time keeps nobody else from being asked. origin->lock held. */
static void hbc_repair_give_up(struct hbc_origin *origin)
{
	unsigned long since = jiffies - msecs_to_jiffies(HBC_REPAIR_LOST_MS);
	struct hbc_source *source;
	struct hbc_outgoing *m;

	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry(m, &source->messages, source_link)
			if (m->answers && time_before(m->told_at, since)) {
				hbc_repair_expect(m, 0);
				m->next_end = jiffies + msecs_to_jiffies(m->patience);
			}
}

/* As if no question had been asked in that epoch. origin->lock held. */
static void hbc_repair_renew(struct hbc_origin *origin)
{
	struct hbc_source *source;
	struct hbc_outgoing *m;

	list_for_each_entry(source, &origin->sources, link)
		list_for_each_entry(m, &source->messages, source_link)
			if (m->begun && m->cut.epoch == origin->renew) {
				hbc_repair_expect(m, 0);
				m->patience = hbc_repair_base(origin);
				m->next_end = jiffies;
			}
	origin->renew = 0;
	origin->renewed = jiffies;
}

void hbc_repair_watch(struct hbc_origin *origin)
{
	if (!origin->ticking)
		hbc_repair_look_in(origin, HBC_REPAIR_MS);
}

void hbc_repair_tick(struct work_struct *work)
{
	struct hbc_origin *origin = container_of(to_delayed_work(work), struct hbc_origin, tick);
	struct hbc_source *source;
	unsigned int total = 0;
	unsigned long pause;
	bool due;

	spin_lock(&origin->lock);
	list_for_each_entry(source, &origin->sources, link)
		total += source->nr_messages;
	/* However often members come and go, what was asked has time to be answered. */
	pause = msecs_to_jiffies(hbc_repair_base(origin));
	if (origin->renew && !time_before(jiffies, origin->renewed + pause))
		hbc_repair_renew(origin);
	hbc_repair_give_up(origin);
	hbc_repair_look(origin);
	origin->ticking = false;
	if (total)
		hbc_repair_watch(origin);
	due = hbc_migration_due(origin) || !list_empty(&origin->due);
	spin_unlock(&origin->lock);
	if (due)
		hbc_origin_kick(origin);
	hbc_origin_put(origin);
}

void hbc_repair_restart(struct hbc_origin *origin, u32 epoch)
{
	spin_lock(&origin->lock);
	if (origin->renew && origin->renew != epoch)
		hbc_repair_renew(origin);
	origin->renew = epoch;
	if (origin->ticking)
		hbc_repair_look_in(origin, 0);
	spin_unlock(&origin->lock);
}

void hbc_repair_sent(struct hbc_outgoing *m)
{
	u64 quantum;

	if (m->file || m->leaving)
		return;
	quantum = max_t(u64, hbc_source_sndbuf(m->source) / 8, HBC_BURST_BYTES);
	if (m->sent_bytes - m->told >= quantum)
		hbc_repair_due(m);
}

void hbc_repair_press(struct hbc_source *source)
{
	struct hbc_origin *origin = source->origin;
	struct hbc_outgoing *m;
	bool kick;

	spin_lock(&origin->lock);
	list_for_each_entry(m, &source->messages, source_link)
		if (!list_empty(&m->kept) && (!m->round || m->told < m->sent_bytes))
			hbc_repair_due(m);
	kick = !list_empty(&origin->due);
	spin_unlock(&origin->lock);
	if (kick)
		hbc_origin_kick(origin);
}

/* References on @m and its tree. origin->lock held. */
static struct hbc_tree *hbc_repair_hold(struct hbc_outgoing *m)
{
	struct hbc_tree *tree = m->roster->tree;

	hbc_outgoing_get(m);
	refcount_inc(&tree->ref);
	return tree;
}

/* What is told. */

/* The first that is due, with references, or NULL. */
static struct hbc_outgoing *hbc_repair_next_due(struct hbc_origin *origin,
						struct hbc_roster **roster)
{
	struct hbc_outgoing *m;

	spin_lock(&origin->lock);
	do {
		m = list_first_entry_or_null(&origin->due, struct hbc_outgoing, due_link);
		if (m)
			list_del_init(&m->due_link);
	} while (m && (!m->roster || m->complete));
	if (m) {
		hbc_outgoing_get(m);
		hbc_roster_hold(m->roster);
		*roster = m->roster;
	}
	spin_unlock(&origin->lock);
	return m;
}

/* In every slot, behind all that has been sent there. */
static void hbc_repair_queue_end(const struct hbc_roster *roster, const struct hbc_block_end *f)
{
	u8 frame[HBC_BLOCK_END_LEN];
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++) {
		struct hbc_tree *tree = roster->share[i].tree;

		hbc_wire_put_block_end(frame, tree->slot, f);
		hbc_forward_block_end(tree, f, frame);
	}
}

static void hbc_repair_tell(struct hbc_origin *origin, struct hbc_outgoing *m,
			    const struct hbc_roster *roster)
{
	struct hbc_tally *tally = NULL;
	struct hbc_block_end f = {
		.message = m->cut.message,
		.total = m->cut.total,
		.epoch = roster->tree->epoch,
		.port = m->cut.port,
	};
	bool more, counted;

	spin_lock(&origin->lock);
	counted = m->file || (m->tally && !hbc_tally_stale(m->tally));
	spin_unlock(&origin->lock);
	if (!counted)
		tally = hbc_tally_new(roster->tree);
	spin_lock(&origin->lock);
	if (tally && !m->complete)
		swap(m->tally, tally);
	f.end = m->sent_bytes;
	f.from = hbc_outgoing_from(m);
	f.round = ++m->round;
	f.after = hbc_outgoing_after(m);
	f.stage = hbc_stage_over(m);
	m->told = m->sent_bytes;
	m->budget = HBC_REPAIR_BURSTS;
	/* Nobody has anything to say of nothing, or before his stage has come. */
	if (!m->complete)
		hbc_repair_expect(m, f.total && f.stage == HBC_STAGE_ALL ?
				  hbc_tree_reached(roster->tree) : 0);
	m->next_end = jiffies + msecs_to_jiffies(m->patience);
	/* It was asked for when there was no budget left. */
	more = m->missing.nr;
	spin_unlock(&origin->lock);
	if (more)
		hbc_source_read_on(m->source);
	hbc_tally_free(tally);
	hbc_repair_queue_end(roster, &f);
}

/* Another epoch has its turn, or none: what was told along the last one's trees is sent. */
static void hbc_repair_turn(struct hbc_roster **last, struct hbc_roster *roster)
{
	if (*last && *last != roster)
		hbc_roster_send(*last);
	if (*last)
		hbc_roster_put(*last);
	*last = roster;
}

void hbc_repair_tell_all(struct hbc_origin *origin)
{
	struct hbc_roster *roster, *last = NULL;
	struct hbc_outgoing *m;

	while ((m = hbc_repair_next_due(origin, &roster))) {
		hbc_repair_tell(origin, m, roster);
		hbc_outgoing_put(m);
		hbc_repair_turn(&last, roster);
	}
	hbc_repair_turn(&last, NULL);
}

/* What is sent again. */

/* The first that has something, with references, or NULL. */
static struct hbc_outgoing *hbc_repair_next_again(struct hbc_origin *origin,
						  struct hbc_tree **tree)
{
	struct hbc_outgoing *m;

	spin_lock(&origin->lock);
	m = list_first_entry_or_null(&origin->again, struct hbc_outgoing, again_link);
	if (m)
		*tree = hbc_repair_hold(m);
	spin_unlock(&origin->lock);
	return m;
}

static void hbc_repair_send(struct hbc_origin *origin, struct hbc_outgoing *m,
			    struct hbc_tree *tree)
{
	struct hbc_outgoing_entry *e;
	struct hbc_run run = { .id = m->cut.message };
	bool more;

	spin_lock(&origin->lock);
	e = m->again;
	m->again = NULL;
	list_del_init(&m->again_link);
	more = m->missing.nr && m->budget;
	if (!more) {
		hbc_spans_free(&m->missing);
		hbc_repair_due(m);
	}
	spin_unlock(&origin->lock);
	if (e) {
		run.offset = e->offset;
		run.bytes = e->bytes;
		if (e->epoch != tree->epoch)
			hbc_cut_move(&m->cut, e->burst, tree->epoch, HBC_SLOT_ALL);
		hbc_forward_repair(tree, e->burst, &run, 1);
		hbc_forward_send(tree);
		hbc_outgoing_entry_free(e);
	}
	if (more)
		hbc_source_read_on(m->source);
}

struct hbc_tree *hbc_repair_round(struct hbc_origin *origin)
{
	struct hbc_outgoing *m;
	struct hbc_tree *tree;

	while ((m = hbc_repair_next_again(origin, &tree))) {
		bool room = hbc_forward_room(tree);

		if (room)
			hbc_repair_send(origin, m, tree);
		hbc_outgoing_put(m);
		if (!room)
			return tree;
		hbc_tree_put(tree);
	}
	return NULL;
}

/* Where it comes from. */

/* The burst that was kept and holds @offset, or NULL. origin->lock held. */
static struct hbc_burst *hbc_repair_kept(const struct hbc_outgoing *m, u64 offset)
{
	const struct hbc_outgoing_entry *e;

	list_for_each_entry(e, &m->kept, link)
		if (e->offset == offset)
			return e->burst;
	return NULL;
}

/* The number of the next missing burst, which is not missing any more then. */
static u64 hbc_repair_take(struct hbc_spans *missing)
{
	u64 number = missing->span[0].first;

	hbc_spans_remove_first(missing);
	return number;
}

/*
 * A message that lacks a burst of which the place, and the bytes in memory or
 * the file, are set; with references; or NULL.
 */
static struct hbc_outgoing *hbc_repair_next(struct hbc_source *source, u64 *offset,
					    struct hbc_burst **kept, struct file **file)
{
	struct hbc_outgoing *m, *found = NULL;

	*kept = NULL;
	*file = NULL;
	spin_lock(&source->origin->lock);
	list_for_each_entry(m, &source->messages, source_link) {
		while (!found && m->missing.nr && m->budget && list_empty(&m->again_link) &&
		       m->roster) {
			*offset = hbc_repair_take(&m->missing) * hbc_cut_full(&m->cut);
			*kept = m->file ? NULL : hbc_repair_kept(m, *offset);
			if (m->file || *kept)
				found = m;
		}
		if (found)
			break;
	}
	if (found) {
		found->budget--;
		hbc_outgoing_get(found);
		if (*kept)
			hbc_burst_get(*kept);
		else
			*file = get_file(found->file);
	}
	spin_unlock(&source->origin->lock);
	return found;
}

static struct hbc_outgoing_entry *hbc_repair_cut(struct hbc_outgoing *m, u64 offset,
						 const struct hbc_burst *kept, struct file *file)
{
	struct hbc_burst *b;
	struct hbc_cut c;

	spin_lock(&m->source->origin->lock);
	c = m->cut;
	spin_unlock(&m->source->origin->lock);
	c.flags = HBC_FRAGMENT_REPAIR;
	if (kept)
		b = hbc_cut_again(&c, offset, kept);
	else
		b = hbc_cut(&c, offset, NULL, file, m->pos + offset);
	if (IS_ERR(b))
		return ERR_CAST(b);
	return hbc_outgoing_entry(m, b, &c, offset);
}

/* Puts @e among what is sent again, unless nobody needs it any more. */
static void hbc_repair_ready(struct hbc_outgoing *m, struct hbc_outgoing_entry *e)
{
	struct hbc_origin *origin = m->source->origin;
	bool wanted;

	spin_lock(&origin->lock);
	wanted = !m->complete && m->roster && list_empty(&m->again_link) && !origin->ended;
	if (wanted) {
		m->again = e;
		list_add_tail(&m->again_link, &origin->again);
	}
	spin_unlock(&origin->lock);
	if (!wanted)
		hbc_outgoing_entry_free(e);
}

bool hbc_repair_read(struct hbc_source *source)
{
	struct hbc_outgoing_entry *e;
	struct hbc_outgoing *m;
	struct hbc_burst *kept;
	struct file *file;
	u64 offset;

	m = hbc_repair_next(source, &offset, &kept, &file);
	if (!m)
		return false;
	e = hbc_repair_cut(m, offset, kept, file);
	if (!IS_ERR(e))
		hbc_repair_ready(m, e);
	else if (file && PTR_ERR(e) != -ENOMEM)
		hbc_outgoing_give_up(m, HBCAST_REASON_ABORTED);
	if (file)
		fput(file);
	if (kept)
		hbc_burst_put(kept);
	hbc_outgoing_put(m);
	hbc_origin_pump(source->origin);
	return true;
}

/* What is heard. */

/* What all have goes from what was kept to @old. origin->lock held. */
static void hbc_repair_release(struct hbc_outgoing *m, u64 least, struct list_head *old)
{
	struct hbc_outgoing_entry *e, *tmp;

	list_for_each_entry_safe(e, tmp, &m->kept, link) {
		if (e->offset + e->bytes > least)
			break;
		list_move_tail(&e->link, old);
	}
}

/* The message of which the children of @epoch's trees were told; or NULL. origin->lock held. */
static struct hbc_outgoing *hbc_repair_asker(struct hbc_origin *origin, u64 id, u32 epoch)
{
	struct hbc_outgoing *m = hbc_origin_find(origin, id);

	return m && m->roster && m->cut.epoch == epoch ? m : NULL;
}

void hbc_repair_ack(struct hbc_origin *origin, const struct hbc_lane *lane,
		    const struct hbc_block_ack *f)
{
	struct hbc_outgoing *m;
	LIST_HEAD(old);

	spin_lock(&origin->lock);
	m = hbc_repair_asker(origin, f->message, f->epoch);
	if (m)
		hbc_repair_answer(m);
	if (m && m->tally) {
		hbc_tally_set(m->tally, lane, f->epoch, f->end);
		hbc_repair_release(m, hbc_tally_least(m->tally), &old);
	}
	spin_unlock(&origin->lock);
	hbc_outgoing_purge(&old);
}

/* The bursts that hold @range, as far as they have been sent, are missing. origin->lock held. */
static void hbc_repair_miss(struct hbc_outgoing *m, const struct hbc_range *range)
{
	u64 begin = max(hbc_outgoing_from(m), range->first);
	u64 end = min(m->sent_bytes, range->first + range->bytes);
	u32 full = hbc_cut_full(&m->cut);
	u64 first = div_u64(begin, full), last, to;

	if (begin >= end)
		return;
	last = div_u64(end - 1, full);
	while (hbc_spans_gap(&m->missing, &first, &to, last + 1) &&
	       !hbc_spans_add(&m->missing, first, to, HBC_REPAIR_SPANS))
		first = to + 1;
}

void hbc_repair_nack(struct hbc_origin *origin, const struct hbc_nack *f,
		     const struct hbc_range *range)
{
	struct hbc_source *source = NULL;
	struct hbc_outgoing *m;
	unsigned int i;

	spin_lock(&origin->lock);
	m = hbc_repair_asker(origin, f->message, f->epoch);
	if (m)
		hbc_repair_answer(m);
	if (m && !m->abort) {
		for (i = 0; i < f->count; i++)
			hbc_repair_miss(m, &range[i]);
		/* It goes on; should that get lost, nobody waits for long. */
		if (m->missing.nr)
			m->patience = hbc_repair_base(origin);
		source = m->source;
		hbc_source_get(source);
	}
	spin_unlock(&origin->lock);
	if (!source)
		return;
	hbc_source_read_on(source);
	hbc_source_put(source);
}
