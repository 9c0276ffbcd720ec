// SPDX-License-Identifier: GPL-2.0
/* A roster: the trees of an epoch at its root, and their members as messages count them. */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/time64.h>

#include "account.h"
#include "epoch.h"
#include "forward.h"
#include "migration.h"
#include "node.h"
#include "origin.h"
#include "roster.h"
#include "schedule.h"
#include "shape.h"
#include "source.h"
#include "stage.h"

#define HBC_ROSTER_RATE	1000000	/* bytes/s of trees without rates: any */

static int hbc_roster_compare(const void *a, const void *b)
{
	const struct hbcast_member *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static void hbc_roster_share(struct hbc_roster *roster, struct hbc_tree *const *tree)
{
	bool rates = true;
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++) {
		refcount_inc(&tree[i]->ref);
		roster->share[i].tree = tree[i];
		roster->share[i].rate = hbc_shape_rate(tree[i]->nodes);
		rates = rates && roster->share[i].rate;
	}
	for (i = 0; i < roster->nr_shares && !rates; i++)
		roster->share[i].rate = HBC_ROSTER_RATE;
}

/* Who is in which slots, and so has all of a file after which stage. */
static void hbc_roster_stages(struct hbc_roster *roster)
{
	const struct hbc_tree *all = roster->tree;
	unsigned int i;
	u32 k;

	for (i = 0; i < roster->nr_shares; i++) {
		const struct hbc_tree *tree = roster->share[i].tree;

		roster->set[0] |= BIT_ULL(tree->slot);
		if (tree->nr_nodes == all->nr_nodes)
			roster->spanning |= BIT_ULL(tree->slot);
	}
	for (k = 1; k < all->nr_nodes; k++) {
		const struct hbc_tree_node *node = &all->nodes[k];

		roster->stage[hbc_roster_index(roster, node->node)] = node->stage;
		roster->set[node->stage] = node->slots;
		roster->nr_stages = max_t(unsigned int, roster->nr_stages, node->stage);
	}
}

static void hbc_roster_free(struct hbc_roster *roster)
{
	kvfree(roster->account);
	kvfree(roster->stage);
	kfree(roster->set);
	kfree(roster->share);
	kvfree(roster);
}

/* With nothing in it, but room for all; NULL without memory. */
static struct hbc_roster *hbc_roster_alloc(u32 members, unsigned int trees)
{
	struct hbc_roster *roster = kvzalloc(struct_size(roster, member, members), GFP_KERNEL);

	if (!roster)
		return NULL;
	roster->share = kcalloc(trees, sizeof(*roster->share), GFP_KERNEL);
	roster->set = kcalloc(HBC_STAGES_MAX + 1, sizeof(*roster->set), GFP_KERNEL);
	roster->stage = kvzalloc(members, GFP_KERNEL);
	roster->account = kvcalloc(members, sizeof(*roster->account), GFP_KERNEL);
	if (roster->share && roster->set && roster->stage && roster->account)
		return roster;
	hbc_roster_free(roster);
	return NULL;
}

static bool hbc_roster_accounts(struct hbc_roster *roster, struct hbc_group *group)
{
	u32 i;

	for (i = 0; i < roster->nr; i++) {
		roster->account[i] = hbc_account_get(group, roster->member[i].node);
		if (!roster->account[i])
			return false;
	}
	return true;
}

struct hbc_roster *hbc_roster_new(struct hbc_tree *const *tree, unsigned int nr)
{
	u32 members = tree[0]->nr_nodes - 1, i;
	struct hbc_roster *roster = hbc_roster_alloc(members, nr);

	if (!roster)
		return NULL;
	roster->nr = members;
	for (i = 0; i < members; i++)
		roster->member[i].node = tree[0]->nodes[i + 1].node;
	sort(roster->member, members, sizeof(roster->member[0]), hbc_roster_compare, NULL);
	if (!hbc_roster_accounts(roster, tree[0]->sched->group)) {
		hbc_roster_free(roster);
		return NULL;
	}
	kref_init(&roster->ref);
	roster->born = jiffies;
	roster->tree = tree[0];
	roster->nr_shares = nr;
	hbc_roster_share(roster, tree);
	hbc_roster_stages(roster);
	return roster;
}

static void hbc_roster_release(struct kref *ref)
{
	struct hbc_roster *roster = container_of(ref, struct hbc_roster, ref);
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++)
		hbc_tree_put(roster->share[i].tree);
	hbc_roster_free(roster);
}

void hbc_roster_hold(struct hbc_roster *roster)
{
	kref_get(&roster->ref);
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

void hbc_roster_tidy(struct hbc_origin *origin)
{
	kref_get(&origin->sched->ref);
	if (!hbc_source_work(&origin->retire))
		hbc_schedule_put(origin->sched);
}

void hbc_roster_insert(struct hbc_origin *origin, struct hbc_roster *roster)
{
	bool ended;

	lockdep_assert_held(&origin->sched->hn->lock);
	spin_lock(&origin->lock);
	ended = origin->ended;
	/* Whoever is lost will find the roster on the list. */
	if (!ended)
		list_add(&roster->link, &origin->rosters);
	spin_unlock(&origin->lock);
	if (ended)
		hbc_roster_put(roster);
}

struct hbc_roster *hbc_roster_get(struct hbc_origin *origin)
{
	struct hbc_roster *roster;
	struct hbc_tree *tree;
	bool ended;

	/* A tree without a roster is not the newest one any more. */
	do {
		tree = hbc_tree_get(origin->sched, 0, HBC_SLOT_ALL);
		if (!tree)
			return ERR_PTR(-ENETUNREACH);
		spin_lock(&origin->lock);
		roster = hbc_roster_find(origin, tree);
		ended = origin->ended;
		spin_unlock(&origin->lock);
		hbc_tree_put(tree);
	} while (!roster && !ended);
	return roster ?: ERR_PTR(-ENODEV);
}

void hbc_roster_ready(struct hbc_origin *origin, u32 epoch)
{
	struct hbc_roster *roster;
	bool due;

	spin_lock(&origin->lock);
	list_for_each_entry(roster, &origin->rosters, link)
		if (roster->tree->epoch == epoch)
			roster->ready = true;
	due = hbc_migration_due(origin);
	spin_unlock(&origin->lock);
	if (due)
		hbc_origin_kick(origin);
}

/* Whose turn. */

unsigned int hbc_roster_fragment(const struct hbc_roster *roster)
{
	unsigned int size = UINT_MAX, i;

	for (i = 0; i < roster->nr_shares; i++)
		size = min(size, hbc_tree_fragment(roster->share[i].tree));
	return size;
}

/* What a tree does not reach here would all have to be sent again. */
static bool hbc_roster_whole(const struct hbc_tree *tree)
{
	u32 i;

	for (; tree; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++)
			if (READ_ONCE(tree->edge[i].away) ||
			    (READ_ONCE(tree->edge[i].lost) && hbc_edge_size(&tree->edge[i]) > 1))
				return false;
	return true;
}

static bool hbc_roster_open(struct hbc_tree *tree)
{
	return hbc_forward_room(tree) && (tree->slot == HBC_SLOT_ALL || hbc_roster_whole(tree));
}

bool hbc_roster_room(const struct hbc_roster *roster, u64 slots)
{
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++) {
		struct hbc_tree *tree = roster->share[i].tree;

		if (slots & BIT_ULL(tree->slot) && hbc_roster_open(tree))
			return true;
	}
	return false;
}

struct hbc_tree *hbc_roster_turn(struct hbc_roster *roster, u64 slots, u32 bytes)
{
	struct hbc_share *share, *best = NULL;
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++) {
		share = &roster->share[i];
		if (slots & BIT_ULL(share->tree->slot) && (!best || share->given < best->given) &&
		    hbc_roster_open(share->tree))
			best = share;
	}
	if (!best)
		return NULL;
	best->given += div64_u64((u64)bytes * NSEC_PER_SEC, best->rate);
	return best->tree;
}

void hbc_roster_level(struct hbc_roster *roster)
{
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++)
		roster->share[i].given = 0;
}

void hbc_roster_send(const struct hbc_roster *roster)
{
	unsigned int i;

	for (i = 0; i < roster->nr_shares; i++)
		hbc_forward_send(roster->share[i].tree);
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

/* The first that nobody uses, of an epoch before @newest's, off the list; or NULL. */
static struct hbc_roster *hbc_roster_idle(struct hbc_origin *origin,
					  const struct hbc_tree *newest)
{
	struct hbc_roster *roster, *idle = NULL;

	spin_lock(&origin->lock);
	list_for_each_entry(roster, &origin->rosters, link)
		if (!roster->users && newest && roster->tree->epoch < newest->epoch) {
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
	struct hbc_tree *newest = hbc_tree_get(sched, 0, HBC_SLOT_ALL);
	struct hbc_roster *roster;

	while ((roster = hbc_roster_idle(origin, newest))) {
		hbc_epoch_retire(sched, roster->tree->epoch);
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
	newest = hbc_tree_get(origin->sched, 0, HBC_SLOT_ALL);
	if (newest && newest != roster->tree)
		hbc_roster_tidy(origin);
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
