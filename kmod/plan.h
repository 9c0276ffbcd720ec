/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan while it is uploaded: edges collected over several netlink messages,
 * then checked and applied as a whole.
 */
#ifndef _HBC_PLAN_H
#define _HBC_PLAN_H

#include <linux/list.h>
#include <linux/types.h>

#include "wire.h"

struct hbc_group;
struct hbc_net;
struct netlink_ext_ack;

#define HBC_PLAN_WHY	96	/* bytes of a refusal, its end included */

struct hbc_plan_edge {
	u32 parent;
	u32 child;
	u64 rate;	/* bytes/s, 0 for none */
};

/**
 * struct hbc_plan_tree - one tree of an upload
 * @nr: entries of @edge in use
 * @edge: room for HBC_MAX_MEMBERS - 1; NULL before the first edge
 */
struct hbc_plan_tree {
	u32 nr;
	struct hbc_plan_edge *edge;
};

/**
 * struct hbc_plan - an upload that is not committed
 * @link: hn->plans
 * @portid: netlink socket that it belongs to
 * @group: id of the group
 * @flags: HBC_TREE_FLAGS
 * @tree: by slot
 * @why: why the plan was refused, a sentence; empty where there is nothing to
 *	say beside the error
 *
 * All fields: hn->lock.
 */
struct hbc_plan {
	struct list_head link;
	u32 portid;
	u32 group;
	u8 flags;
	struct hbc_plan_tree tree[HBC_MAX_SLOTS];
	char why[HBC_PLAN_WHY];
};

/* All of these: context process, hn->lock held. */

/*
 * Begin an upload for @group by @portid with some of HBC_TREE_FLAGS. Return: 0; -EEXIST
 * when it has begun; -EBUSY for too many at once; -ENOMEM.
 */
int hbc_plan_begin(struct hbc_net *hn, u32 portid, u32 group, u8 flags,
		   struct netlink_ext_ack *extack);
/* NULL if there is none. */
struct hbc_plan *hbc_plan_find(struct hbc_net *hn, u32 portid, u32 group);
/* Append an edge to the tree of @slot: 0; -E2BIG when it has more than it may; -ENOMEM. */
int hbc_plan_add(struct hbc_plan *plan, u8 slot, const struct hbc_plan_edge *edge);

/**
 * hbc_plan_commit() - check an upload and make it this node's plan
 * @plan: the upload, which stays
 * @group: its group
 * @dry_run: check only
 * @epoch: set to the epoch that holds the plan, or would
 * @extack: why not, unless plan->why is set
 *
 * Return: 0 applied (or would be), 1 nothing to change, -EINVAL with
 * plan->why, or another negative errno.
 */
int hbc_plan_commit(struct hbc_plan *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		    struct netlink_ext_ack *extack);

void hbc_plan_free(struct hbc_net *hn, struct hbc_plan *plan);
/* Drop the uploads by @portid (0: all) for @group (0: all). */
void hbc_plan_flush(struct hbc_net *hn, u32 portid, u32 group);

#endif /* _HBC_PLAN_H */
