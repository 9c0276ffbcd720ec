/* SPDX-License-Identifier: GPL-2.0 */
/* The check of an uploaded plan: whether its edges are trees, and trees of the group. */
#ifndef _HBC_CHECK_H
#define _HBC_CHECK_H

#include <linux/types.h>

struct hbc_group;
struct hbc_upload;
struct hbc_wire_node;

/* A tree that has been checked: kvmalloc()ed nodes in preorder, with their slots. */
struct hbc_checked {
	u8 slot;
	u32 nr;
	struct hbc_wire_node *nodes;
};

/**
 * hbc_check_plan() - check the trees of an upload
 * @plan: the upload
 * @group: its group
 * @tree: room for HBC_MAX_SLOTS trees, cleared
 * @nr: 0; set to how many of @tree are in use, whose nodes are the caller's, also on failure
 *
 * Context: process, hn->lock held.
 * Return: 0, -EINVAL with plan->why, or -ENOMEM.
 */
int hbc_check_plan(struct hbc_upload *plan, const struct hbc_group *group,
		   struct hbc_checked *tree, unsigned int *nr);

#endif /* _HBC_CHECK_H */
