// SPDX-License-Identifier: GPL-2.0
/* An epoch: the trees of one plan at its root, which come and go together. */
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "edge.h"
#include "epoch.h"
#include "event.h"
#include "node.h"
#include "origin.h"
#include "roster.h"
#include "schedule.h"
#include "tree.h"

/* Or NULL. */
static const struct hbc_tree *hbc_epoch_newest(const struct hbc_schedule *sched)
{
	lockdep_assert_held(&sched->hn->lock);
	if (list_empty(&sched->trees))
		return NULL;
	return list_first_entry(&sched->trees, const struct hbc_tree, link);
}

bool hbc_epoch_holds(const struct hbc_schedule *sched, const struct hbc_tree_shape *shape,
		     unsigned int nr, u32 *epoch)
{
	const struct hbc_tree *tree = hbc_epoch_newest(sched);
	unsigned int i = 0;

	*epoch = tree ? tree->epoch : 0;
	list_for_each_entry(tree, &sched->trees, link) {
		if (tree->epoch != *epoch)
			break;
		if (i == nr || tree->slot != shape[i].slot ||
		    !hbc_tree_same(tree, shape[i].nodes, shape[i].nr))
			return false;
		i++;
	}
	return i == nr;
}

/* Trees that nobody knows yet: 0, or why there are none. */
static int hbc_epoch_make(struct hbc_schedule *sched, u32 epoch, const struct hbc_tree_shape *shape,
			  unsigned int nr, struct hbc_tree **tree)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		tree[i] = hbc_tree_new(sched, epoch, shape[i].slot, shape[i].nodes, shape[i].nr);
		if (IS_ERR(tree[i]))
			break;
	}
	if (i == nr)
		return 0;
	err = PTR_ERR(tree[i]);
	while (i--)
		hbc_tree_discard(tree[i], false);
	return err;
}

/* The trees, with what is counted of their messages, become known: 0, or they are gone. */
static int hbc_epoch_publish(struct hbc_schedule *sched, struct hbc_tree **tree, unsigned int nr)
{
	/* What others have seen is not taken back: all that may fail comes before. */
	struct hbc_roster *roster = hbc_roster_new(tree, nr);

	if (!roster) {
		while (nr--)
			hbc_tree_discard(tree[nr], false);
		return -ENOMEM;
	}
	hbc_roster_insert(sched->origin, roster);
	/* Who sends looks for the tree of HBC_SLOT_ALL: all the rest is there then. */
	while (nr--)
		hbc_tree_insert(tree[nr]);
	hbc_edge_look(sched);
	hbc_roster_tidy(sched->origin);
	return 0;
}

static void hbc_epoch_end(struct hbc_schedule *sched, u32 epoch)
{
	struct hbc_tree *tree, *next;

	list_for_each_entry_safe(tree, next, &sched->trees, link)
		if (tree->epoch == epoch)
			hbc_tree_end(tree);
}

int hbc_epoch_commit(struct hbc_schedule *sched, const struct hbc_tree_shape *shape,
		     unsigned int nr, u32 *epoch, struct netlink_ext_ack *extack)
{
	struct hbc_tree **tree;
	u32 old;
	int err;

	if (hbc_epoch_holds(sched, shape, nr, epoch))
		return 1;
	if (sched->gone) {
		NL_SET_ERR_MSG(extack, "the group is being removed");
		return -ESHUTDOWN;
	}
	if (hbc_tree_crowded(sched, HBC_SLOT_ALL)) {
		NL_SET_ERR_MSG(extack,
			       "too many plans are still in use; wait until their messages are complete");
		return -EBUSY;
	}
	old = *epoch;
	tree = kcalloc(nr, sizeof(*tree), GFP_KERNEL);
	err = tree ? hbc_epoch_make(sched, old + 1, shape, nr, tree) : -ENOMEM;
	if (!err)
		err = hbc_epoch_publish(sched, tree, nr);
	kfree(tree);
	if (err) {
		NL_SET_ERR_MSG(extack, "no lanes could be made for the plan");
		return err;
	}
	*epoch = old + 1;
	hbc_event_plan(sched, *epoch, false);
	if (old && !hbc_origin_uses(sched->origin, old))
		hbc_epoch_end(sched, old);
	return 0;
}

void hbc_epoch_retire(struct hbc_schedule *sched, u32 epoch)
{
	const struct hbc_tree *newest;

	mutex_lock(&sched->hn->lock);
	newest = hbc_epoch_newest(sched);
	if (newest && newest->epoch != epoch && !hbc_origin_uses(sched->origin, epoch))
		hbc_epoch_end(sched, epoch);
	mutex_unlock(&sched->hn->lock);
}
