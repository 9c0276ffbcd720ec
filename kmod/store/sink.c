// SPDX-License-Identifier: GPL-2.0
/* A sink: a file that a receiver gives for all of a message. */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "lane/burst.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

#define HBC_SINK_STUCK	HZ	/* one piece takes so long */
#define HBC_SINK_PAUSE_MS	100	/* at most: a file that never answers holds up no end */

/* Of the store's file, which has pieces already. */
static void hbc_sink_resume(struct hbc_store *store, struct hbc_sink *sink, const u64 *has)
{
	u32 p;

	for (p = 0; p < store->nr; p++) {
		if (!(p % 64))
			cond_resched();
		if (!(has[p / 64] >> p % 64 & 1))
			continue;
		spin_lock_bh(&store->lock);
		if (!test_bit(p, store->begun)) {
			hbc_store_resume(store, p);
			WRITE_ONCE(sink->nr_done, sink->nr_done + 1);
		}
		spin_unlock_bh(&store->lock);
	}
}

struct hbc_sink *hbc_sink_add(struct hbc_store *store, struct hbc_file *file, const u64 *has)
{
	struct hbc_sink *sink = kzalloc(sizeof(*sink), GFP_KERNEL_ACCOUNT);
	unsigned long *done = kvcalloc(BITS_TO_LONGS(store->nr) + 1, sizeof(long),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	u32 *sum = kvcalloc(store->nr + 1, sizeof(*sum), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!sink || !done || !sum) {
		kfree(sink);
		kvfree(done);
		kvfree(sum);
		return NULL;
	}
	sink->file = file;
	spin_lock_bh(&store->lock);
	if (!store->file) {
		store->file = file;
		WRITE_ONCE(store->drains, true);
		sink->done = store->filed;
		swap(store->sum, sum);
	} else {
		swap(sink->done, done);
	}
	list_add_tail(&sink->link, &store->sinks);
	/* Of what is here already, too. */
	hbc_file_kick(store);
	spin_unlock_bh(&store->lock);
	kvfree(done);
	kvfree(sum);
	if (has && sink->done == store->filed)
		hbc_sink_resume(store, sink, has);
	return sink;
}

/* No more is written to it. store->lock held. */
static void hbc_sink_end(struct hbc_store *store, struct hbc_sink *sink)
{
	lockdep_assert_held(&store->lock);
	WRITE_ONCE(sink->stopped, true);
	if (sink->file != store->file)
		return;
	WRITE_ONCE(store->drains, false);
	wake_up_var(&store->drains);
}

void hbc_sink_stop(struct hbc_store *store, struct hbc_sink *sink)
{
	spin_lock_bh(&store->lock);
	if (!sink->stopped && sink->nr_done < store->nr)
		hbc_sink_end(store, sink);
	spin_unlock_bh(&store->lock);
}

bool hbc_sink_is_over(const struct hbc_store *store, const struct hbc_sink *sink)
{
	return READ_ONCE(sink->stopped) || READ_ONCE(sink->nr_done) == store->nr;
}

void hbc_sinks_free(struct hbc_store *store)
{
	struct hbc_sink *sink, *next;

	list_for_each_entry_safe(sink, next, &store->sinks, link) {
		if (sink->done != store->filed)
			kvfree(sink->done);
		if (sink->file != store->file)
			hbc_file_put(sink->file);
		kfree(sink);
	}
}

u64 hbc_store_backlog(const struct hbc_store *store)
{
	u64 cached = READ_ONCE(store->cached), memory = READ_ONCE(store->memory);

	return memory > cached ? memory - cached : 0;
}

bool hbc_store_drains(const struct hbc_store *store)
{
	return READ_ONCE(store->drains) && hbc_store_backlog(store) <= HBC_SINK_BACKLOG_MAX;
}

bool hbc_store_pauses(const struct hbc_store *store)
{
	/* One that never answers holds up nothing else. */
	return READ_ONCE(store->drains) && hbc_store_backlog(store) > HBC_SINK_BACKLOG &&
	       !hbc_file_is_stuck(store, HBC_SINK_STUCK);
}

void hbc_store_pause(struct hbc_store *store)
{
	wait_var_event_timeout(&store->drains, !hbc_store_pauses(store),
			       msecs_to_jiffies(HBC_SINK_PAUSE_MS));
}

/* The parts of a piece, with references. store->lock held. */
static void hbc_sink_hold(const struct hbc_store *store, const struct hbc_piece *p,
			  struct hbc_write *w)
{
	unsigned int i;

	lockdep_assert_held(&store->lock);
	w->held = kmemdup(p->held, p->nr * sizeof(*p->held), GFP_ATOMIC | __GFP_NOWARN);
	if (!w->held) {
		w->held = ERR_PTR(-ENOMEM);
		return;
	}
	w->nr = p->nr;
	for (i = 0; i < p->nr; i++)
		hbc_burst_get(w->held[i].burst);
}

struct hbc_sink *hbc_sinks_first(const struct hbc_store *store, u32 *piece)
{
	struct hbc_sink *sink;

	lockdep_assert_held(&store->lock);
	list_for_each_entry(sink, &store->sinks, link) {
		if (sink->stopped || store->closed)
			continue;
		sink->next = find_next_zero_bit(sink->done, store->nr, sink->next);
		*piece = find_next_andnot_bit(store->whole, sink->done, store->nr, sink->next);
		if (*piece < store->nr)
			return sink;
	}
	return NULL;
}

bool hbc_sink_next(struct hbc_store *store, struct hbc_write *w)
{
	const struct hbc_piece *p;

	memset(w, 0, sizeof(*w));
	spin_lock_bh(&store->lock);
	w->sink = hbc_sinks_first(store, &w->piece);
	if (w->sink) {
		p = hbc_store_piece(store, w->piece);
		/* They take turns, and find what another one has had in memory. */
		list_move_tail(&w->sink->link, &store->sinks);
		if (p)
			hbc_sink_hold(store, p, w);
	}
	spin_unlock_bh(&store->lock);
	return w->sink;
}

bool hbc_sink_wrote(struct hbc_store *store, struct hbc_write *w, int err)
{
	struct hbc_sink *sink = w->sink;
	struct hbc_piece *p;

	spin_lock_bh(&store->lock);
	if (err) {
		WRITE_ONCE(sink->error, -err);
		hbc_sink_end(store, sink);
	} else {
		__set_bit(w->piece, sink->done);
		WRITE_ONCE(sink->nr_done, sink->nr_done + 1);
		p = hbc_store_piece(store, w->piece);
		if (sink->file == store->file)
			store->sum[w->piece] = w->sum;
		if (p && sink->file == store->file)
			hbc_store_cache(store, p);
	}
	spin_unlock_bh(&store->lock);
	wake_up_var(&store->drains);
	return hbc_sink_is_over(store, sink);
}
