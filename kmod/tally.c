// SPDX-License-Identifier: GPL-2.0
/* A tally: how far each child of a tree is with one message. */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "schedule.h"
#include "tally.h"

struct hbc_tally *hbc_tally_new(struct hbc_tree *tree)
{
	struct hbc_tally *t = kzalloc(struct_size(t, end, tree->nr_edges), GFP_KERNEL);

	if (!t)
		return NULL;
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

void hbc_tally_set(struct hbc_tally *t, const struct hbc_lane *lane, u64 end)
{
	unsigned int i;

	for (i = 0; i < t->tree->nr_edges; i++)
		if (t->tree->edge[i].lane == lane)
			t->end[i] = max(t->end[i], end);
}

u64 hbc_tally_least(const struct hbc_tally *t)
{
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < t->tree->nr_edges; i++)
		if (!READ_ONCE(t->tree->edge[i].lost))
			least = min(least, t->end[i]);
	return least;
}
