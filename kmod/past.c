// SPDX-License-Identifier: GPL-2.0
/* The past: how far roots had come when their schedules here ended. */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "group.h"
#include "node.h"
#include "past.h"
#include "schedule.h"

/**
 * struct hbc_past - one root's
 * @link: group->pasts, the one that was noted last at the end; hn->lock
 * @root: its node id
 * @id: of the last message that has begun
 */
struct hbc_past {
	struct list_head link;
	u32 root;
	u64 id;
};

static struct hbc_past *hbc_past_find(const struct hbc_group *group, u32 root)
{
	struct hbc_past *past;

	lockdep_assert_held(&group->hn->lock);
	list_for_each_entry(past, &group->pasts, link)
		if (past->root == root)
			return past;
	return NULL;
}

/* One for another root: new, or the oldest. NULL without memory. */
static struct hbc_past *hbc_past_take(struct hbc_group *group)
{
	struct hbc_past *past;

	if (group->nr_pasts == HBC_SCHEDULES_MAX) {
		past = list_first_entry(&group->pasts, struct hbc_past, link);
		list_del(&past->link);
	} else {
		past = kmalloc(sizeof(*past), GFP_KERNEL);
		group->nr_pasts += !!past;
	}
	if (past)
		list_add_tail(&past->link, &group->pasts);
	return past;
}

void hbc_past_note(struct hbc_group *group, u32 root, u64 id)
{
	struct hbc_past *past = hbc_past_find(group, root);

	if (past) {
		past->id = max(past->id, id);
		list_move_tail(&past->link, &group->pasts);
		return;
	}
	past = hbc_past_take(group);
	if (!past)
		return;
	past->root = root;
	past->id = id;
}

u64 hbc_past_of(const struct hbc_group *group, u32 root)
{
	const struct hbc_past *past = hbc_past_find(group, root);

	return past ? past->id : 0;
}

void hbc_past_free(struct hbc_group *group)
{
	struct hbc_past *past, *next;

	list_for_each_entry_safe(past, next, &group->pasts, link)
		kfree(past);
}
