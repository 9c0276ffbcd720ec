// SPDX-License-Identifier: GPL-2.0
/*
 * A node that is not reached, or does not keep a message: its parent serves its children.
 *
 * They keep their numbers in the tree, so reports need no others. When the child hears it, or
 * comes back, it is told of a tree in which it is alone, and ends its own lanes.
 */
#include <linux/err.h>
#include <linux/list.h>

#include "session/adopt.h"
#include "session/child.h"
#include "session/parent.h"
#include "session/session.h"
#include "session/tree.h"

int hbc_adopt(struct hbc_child *child)
{
	struct hbc_session *s = child->s;
	struct hbc_tree *old = child->tree, *tree;
	struct hbc_child *each;
	LIST_HEAD(fresh);
	int err;

	lockdep_assert_held(&s->plan_lock);
	if (hbc_child_edge(child)->size == 1)
		return 0;
	tree = hbc_tree_adopt(old, child->edge);
	if (IS_ERR(tree))
		return PTR_ERR(tree);
	err = hbc_children_fit(s, tree) ? hbc_children_prepare(s, tree, &fresh) : -E2BIG;
	if (err) {
		hbc_tree_put(tree);
		return err;
	}
	list_for_each_entry(each, &fresh, link)
		each->row = child->row + 1;
	/* The session's reference goes over to the new one. */
	spin_lock_bh(&s->lock);
	s->tree[tree->slot] = tree;
	spin_unlock_bh(&s->lock);
	hbc_children_install(s, tree, &fresh);
	hbc_tree_put(old);
	return 1;
}

void hbc_adopt_ask(struct hbc_session *s)
{
	unsigned int slot;

	mutex_lock(&s->plan_lock);
	for (slot = 0; slot < HBC_MAX_SLOTS && READ_ONCE(s->unkept); slot++)
		if (s->tree[slot] && s->tree[slot]->nr_edges)
			hbc_parent_tree_ack(s, slot, s->tree[slot]->epoch, 0, 0);
	mutex_unlock(&s->plan_lock);
}
