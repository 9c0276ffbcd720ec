// SPDX-License-Identifier: GPL-2.0
/* A message of a session at this node. */
#include <linux/hbcast.h>
#include <linux/slab.h>

#include "config/group.h"
#include "config/node.h"
#include "session/adopt.h"
#include "session/child.h"
#include "session/endgame.h"
#include "session/have.h"
#include "session/message.h"
#include "session/parent.h"
#include "session/progress.h"
#include "session/receiver.h"
#include "session/report.h"
#include "session/session.h"
#include "store/sink.h"
#include "trace.h"

static void hbc_message_free(struct kref *ref)
{
	struct hbc_message *m = container_of(ref, struct hbc_message, ref);

	hbc_receivers_free(m);
	hbc_endgame_end(m);
	if (m->sent)
		hbc_root_forget(m);
	hbc_outcomes_clear(&m->outcomes);
	hbc_outcomes_clear(&m->fresh);
	hbc_store_close(m->store);
	hbc_store_put(m->store);
	hbc_session_put(m->s);
	/* The file's work may be about to tell of it: see hbc_message_filed(). */
	kfree_rcu(m, rcu);
}

void hbc_message_put(struct hbc_message *m)
{
	kref_put(&m->ref, hbc_message_free);
}

void hbc_message_filed(struct hbc_message *m, bool tell)
{
	/* The message goes with its session at the latest, after a grace period. */
	spin_lock_bh(&m->s->lock);
	hbc_message_recount(m);
	spin_unlock_bh(&m->s->lock);
	if (tell)
		hbc_session_queue(m->s);
}

struct hbc_message *hbc_message_new(struct hbc_session *s, const struct hbc_message_info *info,
				    bool stub)
{
	struct hbc_message *m = kzalloc(sizeof(*m), HBC_GFP_GROUP);

	if (!m)
		return NULL;
	m->store = hbc_store_new(info, s->hn->files, m, stub);
	if (!m->store) {
		kfree(m);
		return NULL;
	}
	kref_init(&m->ref);
	INIT_LIST_HEAD(&m->link);
	INIT_LIST_HEAD(&m->deliveries);
	kref_get(&s->ref);
	m->s = s;
	return m;
}

/*
 * What its pieces take beside data: a file's have their places in maps; others lie in memory,
 * each by itself, and with the headers of its fragments.
 */
static u64 hbc_message_maps(const struct hbc_message_info *info)
{
	u64 pieces = hbc_geometry_pieces(&info->cut);

	if (info->kind == HBC_MESSAGE_FILE)
		return 4 * pieces;
	return pieces * sizeof(struct hbc_piece) +
	       hbc_geometry_fragments(&info->cut) * (u64)HBC_DATA_LEN;
}

int hbc_message_insert(struct hbc_message *m)
{
	u64 number = hbc_message_number(m), maps = hbc_message_maps(&m->store->info);
	struct hbc_session *s = m->s;

	lockdep_assert_held(&s->lock);
	if (s->maps + maps > HBC_MAPS_MAX)
		return -ENOBUFS;
	if (xa_is_err(xa_store(&s->index, (u32)number, m, GFP_ATOMIC | __GFP_NOWARN)))
		return -ENOMEM;
	list_add_tail(&m->link, &s->messages);
	WRITE_ONCE(s->nr_messages, s->nr_messages + 1);
	WRITE_ONCE(s->maps, s->maps + maps);
	WRITE_ONCE(s->last, number);
	if (!hbc_message_is_file(m)) {
		m->kept = true;
		WRITE_ONCE(s->kept, s->kept + m->store->info.cut.total);
	}
	return 0;
}

struct hbc_message *hbc_message_find(struct hbc_session *s, u32 low)
{
	struct hbc_message *m;

	spin_lock_bh(&s->lock);
	m = xa_load(&s->index, low);
	if (m)
		kref_get(&m->ref);
	spin_unlock_bh(&s->lock);
	return m;
}

struct hbc_message *hbc_message_lookup(struct hbc_session *s, u64 number)
{
	struct hbc_message *m = hbc_message_find(s, (u32)number);

	if (!m || hbc_message_number(m) == number)
		return m;
	hbc_message_put(m);
	return NULL;
}

struct hbc_message *hbc_message_after(struct hbc_session *s, u64 after)
{
	struct hbc_message *m, *found = NULL;

	lockdep_assert_held(&s->lock);
	/* Most look for the newest. */
	list_for_each_entry_reverse(m, &s->messages, link) {
		if (hbc_message_number(m) <= after)
			break;
		found = m;
	}
	if (found)
		kref_get(&found->ref);
	return found;
}

struct hbc_message *hbc_message_next(struct hbc_session *s, struct hbc_message *before)
{
	struct hbc_message *m = before, *found = NULL;
	u64 after = before ? hbc_message_number(before) : 0;

	spin_lock_bh(&s->lock);
	/* Where one was that is off the list has to be looked for. */
	if (!before || list_empty(&before->link))
		m = list_entry(&s->messages, struct hbc_message, link);
	list_for_each_entry_continue(m, &s->messages, link)
		if (hbc_message_number(m) > after) {
			kref_get(&m->ref);
			found = m;
			break;
		}
	spin_unlock_bh(&s->lock);
	if (before)
		hbc_message_put(before);
	return found;
}

/* MESSAGE. */

static void hbc_message_read(const struct hbc_wire_message *w, const struct hbc_hdr *h,
			     struct hbc_message_info *info)
{
	memset(info, 0, sizeof(*info));
	info->number = be64_to_cpu(w->message);
	info->cut.total = be64_to_cpu(w->total);
	info->cut.payload = be16_to_cpu(w->payload);
	info->cut.per_piece = be16_to_cpu(w->fragments);
	info->port = be16_to_cpu(w->port);
	info->kind = w->kind;
	info->hashed = w->hashed;
	info->time_ns = be64_to_cpu(w->time);
	memcpy(info->hash, w->hash, sizeof(info->hash));
	memcpy(info->name, w->name, h->n);
}

unsigned int hbc_message_frame(const struct hbc_message *m, struct hbc_wire_message *w)
{
	const struct hbc_message_info *info = &m->store->info;
	size_t name = strlen(info->name);

	memset(w, 0, sizeof(*w));
	w->message = cpu_to_be64(info->number);
	w->total = cpu_to_be64(info->cut.total);
	w->payload = cpu_to_be16(info->cut.payload);
	w->fragments = cpu_to_be16(info->cut.per_piece);
	w->port = cpu_to_be16(info->port);
	w->kind = info->kind;
	w->hashed = info->hashed;
	w->time = cpu_to_be64(info->time_ns);
	memcpy(w->hash, info->hash, sizeof(w->hash));
	memcpy(w->name, info->name, name);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_MESSAGE, 0, sizeof(*w) + name);
}

static bool hbc_message_same(const struct hbc_message_info *a, const struct hbc_message_info *b)
{
	return a->number == b->number && a->cut.total == b->cut.total &&
	       a->cut.payload == b->cut.payload && a->cut.per_piece == b->cut.per_piece &&
	       a->port == b->port && a->kind == b->kind;
}

/* Whether a session may have one more, as its root keeps to what it may. */
static int hbc_message_bounds(struct hbc_session *s, const struct hbc_message_info *info)
{
	u64 window = READ_ONCE(s->group->config.window);

	/* Nobody would end it. */
	if (s->ended)
		return -ESHUTDOWN;
	if (s->nr_messages >= HBC_MESSAGES_MAX)
		return -ENOBUFS;
	/* Windows may differ for a while. */
	if (info->kind == HBC_MESSAGE_SHORT && s->kept + info->cut.total > 2 * window)
		return -ENOBUFS;
	return 0;
}

/* One that others will know, with deliveries to those who read it; NULL without memory. */
static struct hbc_message *hbc_message_prepare(struct hbc_session *s,
					       const struct hbc_message_info *info, bool stub)
{
	struct hbc_message *m = hbc_message_new(s, info, stub);

	if (m && hbc_receivers_open(m)) {
		hbc_message_put(m);
		m = NULL;
	}
	return m;
}

/* A message that is new here: what is to become of it. */
static int hbc_message_open(struct hbc_session *s, const struct hbc_message_info *info)
{
	struct hbc_message *m = hbc_message_prepare(s, info, false);
	/* Without memory over another connection, too, it fails here, and others go on. */
	bool stub = !m && READ_ONCE(s->starved) == info->number;
	LIST_HEAD(gone);
	int err;

	if (stub)
		m = hbc_message_prepare(s, info, true);
	if (!m) {
		WRITE_ONCE(s->starved, info->number);
		return -ENOMEM;
	}
	spin_lock_bh(&s->lock);
	/* Another lane may have been faster. */
	err = info->number <= s->last ? 1 : hbc_message_bounds(s, info) ?: hbc_message_insert(m);
	if (!err) {
		/* The list has one; the message may end at once. */
		kref_get(&m->ref);
		/* The next one, from another lane, must not be there before it. */
		hbc_receivers_link(m, &gone);
	}
	spin_unlock_bh(&s->lock);
	if (err) {
		hbc_message_put(m);
		return min(err, 0);
	}
	trace_hbc_message_open(s->group->id, s->root, hbc_message_number(m),
			       m->store->info.cut.total, m->reason);
	hbc_receivers_linked(m, &gone);
	if (!m->receivers) {
		hbc_group_drop(s->group, HBCAST_A_DROPS_NO_RECEIVER);
		hbc_message_finish(m, HBCAST_REASON_NO_RECEIVER);
	}
	hbc_session_due(s);
	if (stub)
		hbc_message_give_up(m, HBCAST_REASON_NO_MEMORY);
	/* One of no bytes is all there. */
	hbc_receivers_push(m, 0);
	hbc_message_put(m);
	return 0;
}

int hbc_message_told(struct hbc_session *s, const struct hbc_wire_message *w,
		     const struct hbc_hdr *h)
{
	struct hbc_message_info info;
	struct hbc_message *m;
	int err = 0;

	hbc_message_read(w, h, &info);
	if (hbc_geometry_pieces(&info.cut) > HBC_PIECES_MAX)
		return -EPROTO;
	if (info.number > READ_ONCE(s->last))
		return hbc_message_open(s, &info);
	m = hbc_message_find(s, (u32)info.number);
	/* Else it is over. */
	if (m) {
		err = hbc_message_same(&m->store->info, &info) ? 0 : -EPROTO;
		hbc_message_put(m);
	}
	return err;
}

bool hbc_message_is_useless(const struct hbc_message *m)
{
	return READ_ONCE(m->discard) ||
	       (READ_ONCE(m->reported) && READ_ONCE(m->reason) && list_empty(&m->s->children));
}

void hbc_message_again(struct hbc_message *m)
{
	struct hbc_parent *parent;

	spin_lock_bh(&m->s->lock);
	list_for_each_entry(parent, &m->s->parents, link)
		if (READ_ONCE(m->store->untold))
			hbc_have_again(parent, hbc_message_number(m));
	spin_unlock_bh(&m->s->lock);
	hbc_endgame_again(m);
}

/* Ends. */

void hbc_message_finish(struct hbc_message *m, u8 reason)
{
	struct hbc_session *s = m->s;
	bool first;

	spin_lock_bh(&s->lock);
	first = !m->reported && !list_empty(&m->link);
	if (first) {
		WRITE_ONCE(m->reason, m->reason ?: reason);
		WRITE_ONCE(m->reported, true);
		hbc_report_own(m);
	}
	spin_unlock_bh(&s->lock);
	if (!first)
		return;
	trace_hbc_message_close(s->group->id, s->root, hbc_message_number(m),
				m->store->info.cut.total, m->reason);
	/* It holds up no figure any more. */
	hbc_progress_arrived(m);
	hbc_report_due(s);
	hbc_report_ack(s);
}

/* So much of it lies in memory alone, as far as it counts. session->lock held. */
static void hbc_message_spool(struct hbc_message *m, u64 charge)
{
	lockdep_assert_held(&m->s->lock);
	m->s->spooled += charge - m->spooled;
	m->s->spooled_files += hbc_message_is_file(m) ? charge - m->spooled : 0;
	atomic64_add(charge - m->spooled, &m->s->group->spooled);
	m->spooled = charge;
}

void hbc_message_recount(struct hbc_message *m)
{
	lockdep_assert_held(&m->s->lock);
	if (!list_empty(&m->link) && !m->discard)
		hbc_message_spool(m, hbc_store_backlog(m->store));
}

void hbc_message_give_up(struct hbc_message *m, u8 reason)
{
	struct hbc_session *s = m->s;
	bool first;

	spin_lock_bh(&s->lock);
	first = !m->discard && !list_empty(&m->link);
	WRITE_ONCE(m->discard, true);
	WRITE_ONCE(s->unkept, s->unkept + first);
	hbc_message_spool(m, 0);
	spin_unlock_bh(&s->lock);
	if (!first)
		return;
	if (reason == HBCAST_REASON_SPOOL)
		hbc_group_drop(s->group, HBCAST_A_DROPS_SPOOL);
	else if (reason == HBCAST_REASON_NO_MEMORY)
		hbc_group_drop(s->group, HBCAST_A_DROPS_NO_MEMORY);
	else if (reason == HBCAST_REASON_CHECKSUM)
		hbc_group_drop(s->group, HBCAST_A_DROPS_CHECKSUM);
	hbc_store_close(m->store);
	hbc_receivers_push(m, reason);
	if (list_empty(&m->deliveries))
		hbc_message_finish(m, reason);
	hbc_adopt_ask(s);
}

/* It is not kept any more. session->lock held. */
static void hbc_message_unkeep(struct hbc_message *m)
{
	lockdep_assert_held(&m->s->lock);
	if (!m->kept)
		return;
	m->kept = false;
	WRITE_ONCE(m->s->kept, m->s->kept - m->store->info.cut.total);
}

void hbc_message_end(struct hbc_message *m)
{
	struct hbc_session *s = m->s;
	bool first;

	spin_lock_bh(&s->lock);
	first = !list_empty(&m->link);
	if (first) {
		list_del_init(&m->link);
		xa_erase(&s->index, (u32)hbc_message_number(m));
		WRITE_ONCE(s->nr_messages, s->nr_messages - 1);
		WRITE_ONCE(s->maps, s->maps - hbc_message_maps(&m->store->info));
		s->done++;
		WRITE_ONCE(s->unkept, s->unkept - m->discard);
		hbc_message_unkeep(m);
		hbc_message_spool(m, 0);
	}
	spin_unlock_bh(&s->lock);
	if (!first)
		return;
	hbc_children_forget(m);
	/* Those who have not read all of it by now are told so. */
	hbc_receivers_push(m, HBCAST_REASON_ABORTED);
	hbc_message_put(m);
	hbc_report_ack(s);
	hbc_session_kick(s);
}

/* All have the short message: its data goes. */
static void hbc_message_release(struct hbc_message *m)
{
	spin_lock_bh(&m->s->lock);
	hbc_message_unkeep(m);
	hbc_message_spool(m, 0);
	spin_unlock_bh(&m->s->lock);
	hbc_children_forget(m);
	hbc_store_close(m->store);
	/* Of a node that was not in the tree, or not reached, when the others got it. */
	hbc_receivers_push(m, HBCAST_REASON_NODE_DEAD);
	if (m->sent)
		hbc_root_released(m);
}

/* Whether DONE says that it is over. */
static bool hbc_message_in(u64 number, const struct hbc_wire_numbers *numbers, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (number - be64_to_cpu(numbers[i].first) < be64_to_cpu(numbers[i].count))
			return true;
	return false;
}

/* The next one that is over, or of which data need not be kept, with a reference, or NULL. */
static struct hbc_message *hbc_message_next_done(struct hbc_session *s, u64 *after, u64 before,
						 const struct hbc_wire_numbers *numbers,
						 unsigned int n, bool *over)
{
	struct hbc_message *m, *found = NULL;

	spin_lock_bh(&s->lock);
	list_for_each_entry(m, &s->messages, link) {
		u64 number = hbc_message_number(m);

		if (number <= *after)
			continue;
		*after = number;
		*over = hbc_message_in(number, numbers, n);
		if (*over || (m->kept && number < before)) {
			kref_get(&m->ref);
			found = m;
			break;
		}
	}
	spin_unlock_bh(&s->lock);
	return found;
}

void hbc_message_done(struct hbc_session *s, u64 before, const struct hbc_wire_numbers *numbers,
		      unsigned int n)
{
	struct hbc_message *m;
	u64 after = 0, last;
	bool over, news;

	/* What is over, and was never told here, is not told any more. */
	last = n ? be64_to_cpu(numbers[n - 1].first) + be64_to_cpu(numbers[n - 1].count) - 1 : 0;
	spin_lock_bh(&s->lock);
	news = before > s->keep || last > s->last;
	s->keep = max(s->keep, before);
	WRITE_ONCE(s->last, max(s->last, last));
	s->done += news;
	spin_unlock_bh(&s->lock);
	while ((m = hbc_message_next_done(s, &after, before, numbers, n, &over))) {
		if (over)
			hbc_message_end(m);
		else
			hbc_message_release(m);
		hbc_message_put(m);
	}
	hbc_session_kick(s);
}

#define HBC_DONE_NUMBERS \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_done)) / sizeof(struct hbc_wire_numbers))

unsigned int hbc_message_done_frame(struct hbc_session *s, struct hbc_wire_done *w)
{
	const struct hbc_message *m;
	unsigned int n = 0;
	u64 next = 1;

	lockdep_assert_held(&s->lock);
	w->before = cpu_to_be64(s->keep);
	/* All that were told and are not on the list. */
	list_for_each_entry(m, &s->messages, link) {
		if (hbc_message_number(m) > next && n < HBC_DONE_NUMBERS) {
			w->numbers[n].first = cpu_to_be64(next);
			w->numbers[n++].count = cpu_to_be64(hbc_message_number(m) - next);
		}
		next = hbc_message_number(m) + 1;
	}
	if (next <= s->last && n < HBC_DONE_NUMBERS) {
		w->numbers[n].first = cpu_to_be64(next);
		w->numbers[n++].count = cpu_to_be64(s->last - next + 1);
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_DONE, 0,
				sizeof(*w) + n * sizeof(w->numbers[0]));
}
