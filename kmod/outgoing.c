// SPDX-License-Identifier: GPL-2.0
/* An outgoing message: its bursts, and what became of it at each member. */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "account.h"
#include "burst.h"
#include "forward.h"
#include "group.h"
#include "origin.h"
#include "outgoing.h"
#include "repair.h"
#include "roster.h"
#include "schedule.h"
#include "source.h"
#include "stage.h"
#include "tally.h"
#include "wire.h"

struct hbc_outgoing *hbc_outgoing_new(struct hbc_source *source, u64 total, struct file *file,
				      loff_t pos)
{
	struct hbc_outgoing *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);

	if (!m)
		return NULL;
	kref_init(&m->ref);
	INIT_LIST_HEAD(&m->source_link);
	INIT_LIST_HEAD(&m->queue_link);
	INIT_LIST_HEAD(&m->finished_link);
	INIT_LIST_HEAD(&m->bursts);
	INIT_LIST_HEAD(&m->kept);
	INIT_LIST_HEAD(&m->due_link);
	INIT_LIST_HEAD(&m->again_link);
	hbc_spans_init(&m->missing);
	m->budget = HBC_REPAIR_BURSTS;
	hbc_source_get(source);
	m->source = source;
	m->cut.total = total;
	m->cut.port = source->port;
	m->file = file;
	m->pos = pos;
	return m;
}

void hbc_outgoing_get(struct hbc_outgoing *m)
{
	kref_get(&m->ref);
}

/* The references of a message that was planned, or none. */
static void hbc_outgoing_forget(struct hbc_roster *roster, struct hbc_roster *members)
{
	if (!roster)
		return;
	hbc_roster_put(roster);
	hbc_roster_put(members);
}

static void hbc_outgoing_free(struct kref *ref)
{
	struct hbc_outgoing *m = container_of(ref, struct hbc_outgoing, ref);

	hbc_outgoing_purge(&m->bursts);
	hbc_outgoing_purge(&m->kept);
	if (m->again)
		hbc_outgoing_entry_free(m->again);
	hbc_spans_free(&m->missing);
	hbc_tally_free(m->tally);
	hbc_outgoing_forget(m->roster, m->members);
	if (m->file)
		fput(m->file);
	kvfree(m->member);
	kvfree(m->used);
	hbc_source_put(m->source);
	kfree(m);
}

void hbc_outgoing_put(struct hbc_outgoing *m)
{
	kref_put(&m->ref, hbc_outgoing_free);
}

struct hbc_outgoing_entry *hbc_outgoing_entry(struct hbc_outgoing *m, struct hbc_burst *b,
					      const struct hbc_cut *c, u64 offset)
{
	struct hbc_outgoing_entry *e = kmalloc(sizeof(*e), GFP_KERNEL);

	if (!e) {
		hbc_burst_put(b);
		return ERR_PTR(-ENOMEM);
	}
	e->burst = b;
	e->offset = offset;
	e->bytes = hbc_cut_bytes(c, offset);
	e->epoch = c->epoch;
	e->used = c->used;
	hbc_source_get(m->source);
	hbc_source_charge(m->source, b->truesize);
	b->owner = m->source;
	return e;
}

void hbc_outgoing_entry_free(struct hbc_outgoing_entry *e)
{
	hbc_burst_put(e->burst);
	kfree(e);
}

void hbc_outgoing_purge(struct list_head *bursts)
{
	struct hbc_outgoing_entry *e, *tmp;

	list_for_each_entry_safe(e, tmp, bursts, link) {
		list_del(&e->link);
		hbc_outgoing_entry_free(e);
	}
}

/* What a plan means for a message: references and memory. */
struct hbc_outgoing_choice {
	struct hbc_roster *roster;
	struct hbcast_member *member;
	u64 *used;
	u32 fragment;
};

static void hbc_outgoing_unchoose(struct hbc_outgoing_choice *c)
{
	if (c->roster)
		hbc_roster_put(c->roster);
	kvfree(c->member);
	kvfree(c->used);
}

/* The newest plan's: 0 or -errno. */
static int hbc_outgoing_choose(const struct hbc_outgoing *m, struct hbc_outgoing_choice *c)
{
	struct hbc_roster *roster = hbc_roster_get(m->source->origin);
	struct hbc_cut cut = m->cut;
	int err;

	*c = (struct hbc_outgoing_choice) {};
	if (IS_ERR(roster))
		return PTR_ERR(roster);
	c->roster = roster;
	c->fragment = hbc_roster_fragment(roster);
	c->member = kvmalloc_array(max_t(u32, roster->nr, 1), sizeof(*c->member),
				   GFP_KERNEL_ACCOUNT);
	cut.fragment = c->fragment;
	err = c->member ? 0 : -ENOMEM;
	if (!err && m->file)
		err = hbc_stage_prepare(&cut, roster, &c->used);
	if (err)
		hbc_outgoing_unchoose(c);
	return err;
}

static void hbc_outgoing_install(struct hbc_outgoing *m, const struct hbc_outgoing_choice *c)
{
	hbc_roster_hold(c->roster);
	m->roster = c->roster;
	m->members = c->roster;
	m->member = c->member;
	m->used = c->used;
	m->nr = c->roster->nr;
	m->cut.epoch = c->roster->tree->epoch;
	m->cut.fragment = c->fragment;
}

int hbc_outgoing_prepare(struct hbc_outgoing *m)
{
	struct hbc_outgoing_choice c;
	int err = hbc_outgoing_choose(m, &c);

	if (err)
		return err;
	hbc_outgoing_forget(m->roster, m->members);
	kvfree(m->member);
	hbc_outgoing_install(m, &c);
	return 0;
}

/*
 * Whether @roster is of the newest tree: 0, -EAGAIN, -ENODEV; *@newest is the
 * caller's to put. A new tree is published before hbc_origin_uses() is asked
 * about the old one: it sees the message, or this sees the new tree.
 * origin->lock held.
 */
static int hbc_outgoing_newest(const struct hbc_outgoing *m, const struct hbc_roster *roster,
			       struct hbc_tree **newest)
{
	if (m->source->origin->ended || m->complete)
		return -ENODEV;
	*newest = hbc_tree_get(m->source->sched, 0, HBC_SLOT_ALL);
	return *newest == roster->tree ? 0 : -EAGAIN;
}

/* The members as they are now; the message counts with its roster. origin->lock held. */
static void hbc_outgoing_enlist(struct hbc_outgoing *m)
{
	u32 i;

	m->roster->users++;
	memcpy(m->member, m->roster->member, m->nr * sizeof(m->member[0]));
	for (i = 0; i < m->nr; i++) {
		hbc_account_accept(m->roster->account[i]);
		if (m->member[i].state != HBCAST_FAILED)
			continue;
		hbc_account_settle(m->roster->account[i], m->member[i].reason);
		m->failed++;
	}
	m->pending = m->nr - m->failed;
}

/* The last message of @source before @id that is not complete; 0 if there is none. */
static u64 hbc_outgoing_last_before(const struct hbc_source *source, u64 id)
{
	const struct hbc_outgoing *m;

	list_for_each_entry_reverse(m, &source->messages, source_link)
		if (m->cut.message < id)
			return m->cut.message;
	return 0;
}

u64 hbc_outgoing_from(const struct hbc_outgoing *m)
{
	if (m->file)
		return 0;
	if (list_empty(&m->kept))
		return m->sent_bytes;
	return list_first_entry(&m->kept, const struct hbc_outgoing_entry, link)->offset;
}

u32 hbc_outgoing_after(const struct hbc_outgoing *m)
{
	u64 id = m->cut.message, last = 0;
	const struct hbc_source *source;

	list_for_each_entry(source, &m->source->origin->sources, link)
		if (source->port == m->source->port)
			last = max(last, hbc_outgoing_last_before(source, id));
	return last && id - last <= U32_MAX ? id - last : 0;
}

/* On all lists, the source's with a reference. origin->lock held. */
static void hbc_outgoing_enter(struct hbc_outgoing *m)
{
	struct hbc_source *source = m->source;

	m->cut.message = source->origin->next++;
	m->cut.after = hbc_outgoing_after(m);
	m->accepted = ktime_get_ns();
	hbc_repair_watch(source->origin);
	hbc_outgoing_get(m);
	hlist_add_head(&m->id_link, hbc_origin_bucket(source->origin, m->cut.message));
	list_add_tail(&m->source_link, &source->messages);
	list_add_tail(&m->queue_link, &source->queue);
	WRITE_ONCE(source->nr_messages, source->nr_messages + 1);
}

int hbc_outgoing_accept(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_tree *newest;
	int err;

	do {
		newest = NULL;
		spin_lock(&origin->lock);
		if (m->roster)
			err = hbc_outgoing_newest(m, m->roster, &newest);
		else
			err = origin->ended ? -ENODEV : 0;
		if (!err && m->roster)
			hbc_outgoing_enlist(m);
		if (!err)
			hbc_outgoing_enter(m);
		spin_unlock(&origin->lock);
		if (newest)
			hbc_tree_put(newest);
		if (err != -EAGAIN)
			return err;
		err = hbc_outgoing_prepare(m);
	} while (!err);
	return err;
}

/* One try of hbc_outgoing_plan(): -EAGAIN when another tree has come. */
static int hbc_outgoing_try_plan(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_tree *newest = NULL;
	struct hbc_outgoing_choice c;
	int err = hbc_outgoing_choose(m, &c);

	if (err)
		return err;
	spin_lock(&origin->lock);
	err = hbc_outgoing_newest(m, c.roster, &newest);
	if (!err) {
		hbc_outgoing_install(m, &c);
		hbc_outgoing_enlist(m);
	}
	spin_unlock(&origin->lock);
	if (newest)
		hbc_tree_put(newest);
	if (err)
		hbc_outgoing_unchoose(&c);
	return err;
}

int hbc_outgoing_plan(struct hbc_outgoing *m)
{
	int err;

	do {
		err = hbc_outgoing_try_plan(m);
	} while (err == -EAGAIN);
	return err;
}

int hbc_outgoing_cut(struct hbc_outgoing *m, u64 offset, struct iov_iter *from, struct file *file)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_outgoing_entry *e;
	struct hbc_burst *b;
	struct hbc_cut c;
	bool wanted;

	spin_lock(&origin->lock);
	c = m->cut;
	c.used = hbc_stage_used(m, offset);
	spin_unlock(&origin->lock);
	b = hbc_cut(&c, offset, from, file, m->pos + offset);
	if (IS_ERR(b))
		return PTR_ERR(b);
	e = hbc_outgoing_entry(m, b, &c, offset);
	if (IS_ERR(e))
		return PTR_ERR(e);
	spin_lock(&origin->lock);
	if (offset == m->offset)
		m->offset += e->bytes;
	wanted = !m->abort && !m->complete && !m->leaving;
	if (wanted) {
		list_add_tail(&e->link, &m->bursts);
		/* In stages it will be sent again. */
		m->whole = m->offset == m->cut.total && !m->used;
	}
	spin_unlock(&origin->lock);
	if (!wanted)
		hbc_outgoing_entry_free(e);
	return 0;
}

size_t hbc_outgoing_size(const struct hbc_outgoing *m)
{
	return sizeof(*m) + m->nr * sizeof(m->member[0]);
}

/* Not among the source's messages any more. origin->lock held. */
static void hbc_outgoing_close(struct hbc_outgoing *m)
{
	m->complete = true;
	hbc_repair_settle(m);
	list_del_init(&m->due_link);
	list_del_init(&m->again_link);
	hlist_del_init(&m->id_link);
	list_del_init(&m->source_link);
	WRITE_ONCE(m->source->nr_messages, m->source->nr_messages - 1);
	if (m->roster)
		m->roster->users--;
}

/* origin->lock held. */
static void hbc_outgoing_check(struct hbc_outgoing *m, struct list_head *finished)
{
	struct hbc_source *source = m->source;

	if (m->complete || !m->sent || m->pending)
		return;
	hbc_outgoing_close(m);
	list_add_tail(&m->source_link, &source->done);
	source->nr_done++;
	source->done_bytes += hbc_outgoing_size(m);
	hbc_outgoing_get(m);
	list_add_tail(&m->finished_link, finished);
}

/* A member's part becomes final. origin->lock held. */
static void hbc_outgoing_settle(struct hbc_outgoing *m, struct hbcast_member *member, u8 reason)
{
	member->state = reason ? HBCAST_FAILED : HBCAST_DELIVERED;
	member->reason = reason;
	member->time_ns = ktime_get_ns() - m->accepted;
	hbc_account_settle(m->members->account[member - m->member], reason);
	if (reason) {
		m->failed++;
	} else {
		member->bytes = m->cut.total;
		m->delivered++;
	}
	m->pending--;
}

int hbc_outgoing_pending(const struct hbc_outgoing *m, u32 node)
{
	int i = m->roster && !m->complete ? hbc_roster_index(m->members, node) : -1;

	return i >= 0 && m->member[i].state == HBCAST_PENDING ? i : -1;
}

/* After a member's part has become final. */
static bool hbc_outgoing_useless(struct hbc_outgoing *m, struct list_head *finished)
{
	if (!m->pending && !m->leaving && !m->abort) {
		m->abort = HBCAST_REASON_ABORTED;
		return true;
	}
	hbc_outgoing_check(m, finished);
	return false;
}

bool hbc_outgoing_ack(struct hbc_outgoing *m, const struct hbc_ack *ack,
		      struct list_head *finished)
{
	int i = hbc_outgoing_pending(m, ack->node);
	struct hbcast_member *member;

	if (i < 0)
		return false;
	member = &m->member[i];
	member->bytes = clamp_t(u64, ack->bytes, member->bytes, m->cut.total);
	if (ack->state == HBCAST_PENDING)
		return false;
	hbc_outgoing_settle(m, member, ack->reason);
	return hbc_outgoing_useless(m, finished);
}

bool hbc_outgoing_fail(struct hbc_outgoing *m, u32 node, u8 reason, struct list_head *finished)
{
	int i = hbc_outgoing_pending(m, node);

	if (i < 0)
		return false;
	hbc_outgoing_settle(m, &m->member[i], reason);
	return hbc_outgoing_useless(m, finished);
}

/* origin->lock held. */
static void hbc_outgoing_fail_all(struct hbc_outgoing *m, u8 reason)
{
	u32 i;

	for (i = 0; i < m->nr && m->pending; i++)
		if (m->member[i].state == HBCAST_PENDING)
			hbc_outgoing_settle(m, &m->member[i], reason);
}

void hbc_outgoing_sent(struct hbc_outgoing *m, struct list_head *finished)
{
	m->leaving = true;
	m->sent = true;
	list_del_init(&m->queue_link);
	hbc_outgoing_check(m, finished);
}

void hbc_outgoing_end(struct hbc_outgoing *m, u8 reason, struct list_head *bursts,
		      struct list_head *finished)
{
	hbc_outgoing_fail_all(m, reason);
	m->abort = reason;
	m->cut_short = m->begun;
	list_splice_tail_init(&m->bursts, bursts);
	hbc_outgoing_sent(m, finished);
}

/* Nobody is to have it. origin->lock held. */
static void hbc_outgoing_retract(struct hbc_outgoing *m)
{
	u32 i;

	for (i = 0; i < m->nr && m->pending; i++) {
		if (m->member[i].state != HBCAST_PENDING)
			continue;
		hbc_account_retract(m->members->account[i]);
		m->pending--;
	}
}

void hbc_outgoing_abort(struct hbc_outgoing *m, u8 reason, bool forget)
{
	struct hbc_origin *origin = m->source->origin;
	bool kick = false;

	spin_lock(&origin->lock);
	forget = forget && !m->begun && !m->complete;
	if (forget) {
		hbc_outgoing_retract(m);
		hbc_outgoing_close(m);
		list_del_init(&m->queue_link);
	} else if (!m->leaving && !m->complete) {
		hbc_outgoing_fail_all(m, reason);
		m->abort = m->abort ?: reason;
		kick = true;
	}
	spin_unlock(&origin->lock);
	if (kick)
		hbc_origin_kick(origin);
	if (!forget)
		return;
	if (m->roster)
		hbc_roster_retire(origin, m->roster);
	hbc_source_tell_room(m->source);
	hbc_outgoing_put(m);
}

void hbc_outgoing_tell_abort(const struct hbc_outgoing *m, struct hbc_tree *tree, u8 reason)
{
	struct hbc_fragment f;

	hbc_cut_header(&m->cut, &f);
	f.epoch = tree->epoch;
	f.reason = reason;
	hbc_forward_abort(tree, &f);
}

void hbc_outgoing_give_up(struct hbc_outgoing *m, u8 reason)
{
	struct hbc_tree *tree = NULL;

	spin_lock(&m->source->origin->lock);
	if (m->leaving && !m->complete) {
		tree = m->roster->tree;
		refcount_inc(&tree->ref);
	}
	spin_unlock(&m->source->origin->lock);
	if (!tree) {
		hbc_outgoing_abort(m, reason, false);
		return;
	}
	/* Those who have it all will not mind; the others say that they have not. */
	hbc_outgoing_tell_abort(m, tree, reason);
	hbc_tree_put(tree);
}

void hbc_outgoing_describe(const struct hbc_outgoing *m, struct hbcast_completion *c)
{
	memset(c, 0, sizeof(*c));
	c->message = m->cut.message;
	c->total = m->cut.total;
	c->sent = m->sent_bytes;
	c->members = m->nr;
	c->delivered = m->delivered;
	c->failed = m->failed;
}

/* What a complete message needs no more. */
static void hbc_outgoing_drop(struct hbc_outgoing *m)
{
	struct hbc_origin *origin = m->source->origin;
	struct hbc_roster *roster, *members;
	struct file *file;
	struct hbc_outgoing_entry *again;
	struct hbc_tally *tally;
	LIST_HEAD(kept);
	bool others;
	u64 *used;

	spin_lock(&origin->lock);
	others = !list_empty(&origin->rosters) && !list_is_singular(&origin->rosters);
	roster = m->roster;
	m->roster = NULL;
	members = m->members;
	file = m->file;
	m->file = NULL;
	list_splice_init(&m->kept, &kept);
	tally = m->tally;
	m->tally = NULL;
	again = m->again;
	m->again = NULL;
	used = m->used;
	m->used = NULL;
	hbc_spans_free(&m->missing);
	spin_unlock(&origin->lock);
	hbc_outgoing_purge(&kept);
	if (again)
		hbc_outgoing_entry_free(again);
	hbc_tally_free(tally);
	kvfree(used);
	if (file)
		fput(file);
	/* One on another tree may have waited for this one's end. */
	if (others)
		hbc_origin_kick(origin);
	if (!roster)
		return;
	hbc_roster_retire(origin, roster);
	hbc_outgoing_forget(roster, members);
}

void hbc_outgoing_finish(struct list_head *finished)
{
	struct hbc_outgoing *m, *tmp;

	list_for_each_entry_safe(m, tmp, finished, finished_link) {
		list_del_init(&m->finished_link);
		if (m->cut_short)
			hbc_outgoing_tell_abort(m, m->roster->tree, m->abort);
		hbc_outgoing_drop(m);
		hbc_source_completed(m->source, m);
		hbc_outgoing_put(m);
	}
}
