// SPDX-License-Identifier: GPL-2.0
/* A roster: the members of a tree, as the root's messages count them. */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "origin.h"
#include "roster.h"
#include "schedule.h"
#include "source.h"

static int hbc_roster_compare(const void *a, const void *b)
{
	const struct hbcast_member *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

struct hbc_roster *hbc_roster_new(struct hbc_tree *tree)
{
	u32 nr = tree->nr_nodes - 1, i;
	struct hbc_roster *roster;

	roster = kvzalloc(struct_size(roster, member, nr), GFP_KERNEL);
	if (!roster)
		return NULL;
	kref_init(&roster->ref);
	refcount_inc(&tree->ref);
	roster->tree = tree;
	roster->nr = nr;
	for (i = 0; i < nr; i++)
		roster->member[i].node = tree->nodes[i + 1].node;
	sort(roster->member, nr, sizeof(roster->member[0]), hbc_roster_compare, NULL);
	return roster;
}

static void hbc_roster_release(struct kref *ref)
{
	struct hbc_roster *roster = container_of(ref, struct hbc_roster, ref);

	hbc_tree_put(roster->tree);
	kvfree(roster);
}

void hbc_roster_put(struct hbc_roster *roster)
{
	kref_put(&roster->ref, hbc_roster_release);
}

/* origin->lock held. */
static struct hbc_roster *hbc_roster_find(struct hbc_origin *origin, const struct hbc_tree *tree)
{
	struct hbc_roster *roster;

	list_for_each_entry(roster, &origin->rosters, link)
		if (roster->tree == tree) {
			kref_get(&roster->ref);
			return roster;
		}
	return NULL;
}

/* Whoever the root itself does not reach is down from the beginning. */
static void hbc_roster_mark_lost(struct hbc_roster *roster)
{
	const struct hbc_tree *tree = roster->tree;
	u32 i, k;

	for (i = 0; i < tree->nr_edges; i++) {
		const struct hbc_edge *edge = &tree->edge[i];

		for (k = 0; k < edge->size && READ_ONCE(edge->lost); k++)
			hbc_roster_mark(roster, tree->nodes[edge->first + k].node,
					HBCAST_REASON_NODE_DEAD);
	}
}

static void hbc_roster_retire_soon(struct hbc_origin *origin)
{
	kref_get(&origin->sched->ref);
	if (!hbc_source_work(&origin->retire))
		hbc_schedule_put(origin->sched);
}

struct hbc_roster *hbc_roster_insert(struct hbc_origin *origin, struct hbc_roster *made)
{
	struct hbc_roster *roster = NULL;
	bool more = false;

	spin_lock(&origin->lock);
	if (!origin->ended) {
		roster = hbc_roster_find(origin, made->tree);
		if (!roster) {
			more = !list_empty(&origin->rosters);
			/* What is lost later will find the roster on the list. */
			hbc_roster_mark_lost(made);
			list_add(&made->link, &origin->rosters);
			kref_get(&made->ref);
			roster = made;
		}
	}
	spin_unlock(&origin->lock);
	if (more)
		hbc_roster_retire_soon(origin);
	if (roster != made)
		hbc_roster_put(made);
	return roster ?: ERR_PTR(-ENODEV);
}

struct hbc_roster *hbc_roster_get(struct hbc_origin *origin)
{
	struct hbc_tree *tree = hbc_tree_get(origin->sched, 0, 0);
	struct hbc_roster *roster;

	if (!tree)
		return ERR_PTR(-ENETUNREACH);
	spin_lock(&origin->lock);
	roster = hbc_roster_find(origin, tree);
	spin_unlock(&origin->lock);
	if (!roster) {
		roster = hbc_roster_new(tree);
		roster = roster ? hbc_roster_insert(origin, roster) : ERR_PTR(-ENOMEM);
	}
	hbc_tree_put(tree);
	return roster;
}

int hbc_roster_index(const struct hbc_roster *roster, u32 node)
{
	u32 low = 0, high = roster->nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (roster->member[mid].node < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low < roster->nr && roster->member[low].node == node ? (int)low : -1;
}

bool hbc_roster_mark(struct hbc_roster *roster, u32 node, u8 reason)
{
	u16 state = reason ? HBCAST_FAILED : HBCAST_PENDING;
	int i = hbc_roster_index(roster, node);
	bool news;

	if (i < 0)
		return false;
	news = roster->member[i].state != state;
	roster->member[i].state = state;
	roster->member[i].reason = reason;
	return news;
}

/* The first that nobody uses and that is not @newest's, off the list; or NULL. */
static struct hbc_roster *hbc_roster_idle(struct hbc_origin *origin,
					  const struct hbc_tree *newest)
{
	struct hbc_roster *roster, *idle = NULL;

	spin_lock(&origin->lock);
	list_for_each_entry(roster, &origin->rosters, link)
		if (!roster->users && roster->tree != newest) {
			list_del(&roster->link);
			idle = roster;
			break;
		}
	spin_unlock(&origin->lock);
	return idle;
}

void hbc_roster_retire_work(struct work_struct *work)
{
	struct hbc_origin *origin = container_of(work, struct hbc_origin, retire);
	struct hbc_schedule *sched = origin->sched;
	struct hbc_tree *newest = hbc_tree_get(sched, 0, 0);
	struct hbc_roster *roster;

	while ((roster = hbc_roster_idle(origin, newest))) {
		hbc_schedule_retire(roster->tree);
		hbc_roster_put(roster);
	}
	if (newest)
		hbc_tree_put(newest);
	hbc_schedule_put(sched);
}

void hbc_roster_retire(struct hbc_origin *origin, const struct hbc_roster *roster)
{
	struct hbc_tree *newest;

	if (READ_ONCE(roster->users))
		return;
	newest = hbc_tree_get(origin->sched, 0, 0);
	if (newest && newest != roster->tree)
		hbc_roster_retire_soon(origin);
	if (newest)
		hbc_tree_put(newest);
}

void hbc_roster_forget(struct hbc_origin *origin)
{
	struct hbc_roster *roster, *tmp;
	LIST_HEAD(list);

	spin_lock(&origin->lock);
	list_splice_init(&origin->rosters, &list);
	spin_unlock(&origin->lock);
	list_for_each_entry_safe(roster, tmp, &list, link) {
		list_del_init(&roster->link);
		hbc_roster_put(roster);
	}
}
