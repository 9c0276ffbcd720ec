// SPDX-License-Identifier: GPL-2.0
/* A tally: how far each child of a tree is with one message. */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "schedule.h"
#include "tally.h"

/* Of the tree, and of what was adopted in it. */
static unsigned int hbc_tally_count(const struct hbc_tree *tree)
{
	unsigned int nr = 0;

	for (; tree; tree = hbc_tree_foster(tree))
		nr += tree->nr_edges;
	return nr;
}

struct hbc_tally *hbc_tally_new(struct hbc_tree *tree)
{
	unsigned int nr = hbc_tally_count(tree);
	struct hbc_tally *t = kzalloc(struct_size(t, end, nr), GFP_KERNEL);

	if (!t)
		return NULL;
	t->nr = nr;
	refcount_inc(&tree->ref);
	t->tree = tree;
	return t;
}

void hbc_tally_free(struct hbc_tally *t)
{
	if (!t)
		return;
	hbc_tree_put(t->tree);
	kfree(t);
}

void hbc_tally_set(struct hbc_tally *t, const struct hbc_lane *lane, u32 epoch, u64 end)
{
	const struct hbc_tree *tree;
	unsigned int at = 0, i;

	/* In another epoch the child speaks for others. */
	if (t->tree->epoch != epoch)
		return;
	for (tree = t->tree; tree && at < t->nr; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++, at++)
			if (tree->edge[i].lane == lane)
				t->end[at] = max(t->end[at], end);
}

bool hbc_tally_stale(const struct hbc_tally *t)
{
	return t->nr != hbc_tally_count(t->tree);
}

u64 hbc_tally_least(const struct hbc_tally *t)
{
	const struct hbc_tree *tree;
	u64 least = U64_MAX;
	unsigned int at = 0, i;

	for (tree = t->tree; tree && at < t->nr; tree = hbc_tree_foster(tree))
		for (i = 0; i < tree->nr_edges; i++, at++)
			if (!READ_ONCE(tree->edge[i].lost))
				least = min(least, t->end[at]);
	smp_rmb(); /* pairs with hbc_edge_lose() */
	return hbc_tally_stale(t) ? 0 : least;
}
