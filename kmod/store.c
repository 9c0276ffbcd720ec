// SPDX-License-Identifier: GPL-2.0
/*
 * Store and forward: the conventional way, which packets along the same tree are
 * compared with.
 *
 * The bursts of a message are queued as ever. A lane does not send the first of its
 * queue before all of the message has come and the children before have had it.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "group.h"
#include "lane.h"
#include "schedule.h"
#include "store.h"
#include "transmit.h"

void hbc_store_put(struct hbc_store *store)
{
	if (refcount_dec_and_test(&store->ref))
		kvfree(store);
}

/* Lanes that are held look again. */
static void hbc_store_wake(struct hbc_schedule *sched)
{
	struct hbc_lane *lane;

	smp_mb(); /* what has changed comes before; pairs with hbc_transmit_due() */
	spin_lock_bh(&sched->lock);
	list_for_each_entry(lane, &sched->children, sched_link)
		if (test_and_clear_bit(HBC_LANE_HELD, &lane->flags))
			hbc_lane_kick(lane);
	spin_unlock_bh(&sched->lock);
}

/* With a reference, or NULL. */
static struct hbc_store *hbc_store_find(const struct hbc_tree *tree, u64 message)
{
	struct hbc_store *store;

	lockdep_assert_held(&tree->sched->lock);
	list_for_each_entry(store, &tree->stores, link) {
		if (store->message == message) {
			refcount_inc(&store->ref);
			return store;
		}
	}
	return NULL;
}

static struct hbc_store *hbc_store_new(const struct hbc_tree *tree, u64 message)
{
	struct hbc_store *store = kvzalloc(struct_size(store, left, tree->nr_edges), GFP_KERNEL);

	if (!store)
		return NULL;
	refcount_set(&store->ref, 1);
	store->message = message;
	store->since = jiffies;
	store->told = U64_MAX;
	return store;
}

struct hbc_store *hbc_store_get(struct hbc_tree *tree, u64 message)
{
	struct hbc_schedule *sched = tree->sched;
	struct hbc_store *store, *made;

	if (!message || !tree->nr_edges || !hbc_tree_whole(tree))
		return NULL;
	spin_lock_bh(&sched->lock);
	store = hbc_store_find(tree, message);
	spin_unlock_bh(&sched->lock);
	if (store)
		return store;
	made = hbc_store_new(tree, message);
	if (!made)
		return NULL;
	spin_lock_bh(&sched->lock);
	store = hbc_store_find(tree, message);
	if (!store && !READ_ONCE(tree->gone)) {
		list_add_tail(&made->link, &tree->stores);
		refcount_inc(&made->ref);
		swap(store, made);
	}
	spin_unlock_bh(&sched->lock);
	if (made)
		hbc_store_put(made);
	return store;
}

void hbc_store_add(struct hbc_store *store, u32 place)
{
	refcount_inc(&store->ref);
	atomic_inc(&store->left[place]);
}

void hbc_store_sent(struct hbc_store *store, u32 place, const struct hbc_lane *lane)
{
	if (atomic_dec_and_test(&store->left[place]))
		hbc_store_wake(lane->sched);
	hbc_store_put(store);
}

/* It is off the tree's list. */
static void hbc_store_unlink(struct hbc_store *store)
{
	if (list_empty(&store->link))
		return;
	list_del_init(&store->link);
	hbc_store_put(store);
}

static void hbc_store_let_go(struct hbc_store *store, struct hbc_schedule *sched)
{
	WRITE_ONCE(store->loose, true);
	hbc_store_wake(sched);
}

/* The child hears of this node in time. */
static bool hbc_store_overdue(const struct hbc_store *store, const struct hbc_lane *lane)
{
	unsigned long interval = hbc_lane_interval(lane);

	return time_after_eq(jiffies, READ_ONCE(lane->last_tx) + interval) &&
	       time_after_eq(jiffies, store->since + interval);
}

bool hbc_store_open(struct hbc_store *store, u32 place, struct hbc_lane *lane)
{
	bool whole = READ_ONCE(store->whole);
	u32 i;

	lockdep_assert_held(&lane->tx_mutex);
	if (READ_ONCE(store->loose))
		return true;
	if ((!whole && !hbc_transmit_room(lane)) || hbc_store_overdue(store, lane)) {
		hbc_store_let_go(store, lane->sched);
		return true;
	}
	for (i = 0; whole && i < place; i++)
		whole = !atomic_read(&store->left[i]);
	return whole;
}

void hbc_store_end(struct hbc_tree *tree, u64 message)
{
	struct hbc_schedule *sched = tree->sched;
	struct hbc_store *store;

	if (!hbc_tree_whole(tree))
		return;
	spin_lock_bh(&sched->lock);
	store = hbc_store_find(tree, message);
	if (store) {
		WRITE_ONCE(store->whole, true);
		hbc_store_unlink(store);
	}
	spin_unlock_bh(&sched->lock);
	if (!store)
		return;
	hbc_store_put(store);
	hbc_store_wake(sched);
}

void hbc_store_block_end(struct hbc_tree *tree, const struct hbc_block_end *f)
{
	struct hbc_schedule *sched = tree->sched;
	struct hbc_store *store;
	bool stands = false;

	if (!hbc_tree_whole(tree))
		return;
	/* What of all of it has not come is sent again. */
	if (f->end == f->total) {
		hbc_store_end(tree, f->message);
		return;
	}
	spin_lock_bh(&sched->lock);
	store = hbc_store_find(tree, f->message);
	if (store) {
		stands = store->told == f->end;
		store->told = f->end;
	}
	spin_unlock_bh(&sched->lock);
	if (stands)
		hbc_store_let_go(store, sched);
	if (store)
		hbc_store_put(store);
}

void hbc_store_end_all(struct hbc_tree *tree)
{
	struct hbc_schedule *sched = tree->sched;
	struct hbc_store *store, *next;
	bool any = false;

	spin_lock_bh(&sched->lock);
	list_for_each_entry_safe(store, next, &tree->stores, link) {
		WRITE_ONCE(store->whole, true);
		hbc_store_unlink(store);
		any = true;
	}
	spin_unlock_bh(&sched->lock);
	if (any)
		hbc_store_wake(sched);
}
