/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An upload: a plan's edges collected over several netlink messages,
 * then checked and applied as a whole.
 */
#ifndef _HBC_UPLOAD_H
#define _HBC_UPLOAD_H

#include <linux/list.h>
#include <linux/types.h>

#include "wire/wire.h"

struct hbc_group;
struct hbc_net;
struct netlink_ext_ack;

#define HBC_UPLOAD_WHY	96	/* bytes of a refusal, its end included */

struct hbc_upload_edge {
	u32 parent;
	u32 child;
	u64 rate;	/* bytes/s, 0 for none */
};

/**
 * struct hbc_upload_tree - one tree of an upload
 * @nr: entries of @edge in use
 * @edge: room for HBC_MAX_MEMBERS - 1; NULL before the first edge
 * @node: @nr + 1 nodes in preorder, once the plan has been checked; else NULL
 */
struct hbc_upload_tree {
	u32 nr;
	struct hbc_upload_edge *edge;
	struct hbc_wire_node *node;
};

/**
 * struct hbc_upload - an upload that is not committed
 * @link: hn->plans
 * @portid: netlink socket that it belongs to
 * @group: id of the group
 * @flags: HBC_PLAN_*
 * @tree: by slot
 * @why: why the plan was refused, a sentence; empty where there is nothing to
 *	say beside the error
 *
 * All fields: hn->lock.
 */
struct hbc_upload {
	struct list_head link;
	u32 portid;
	u32 group;
	u8 flags;
	struct hbc_upload_tree tree[HBC_MAX_SLOTS];
	char why[HBC_UPLOAD_WHY];
};

/* All of these: context process, hn->lock held. */

/*
 * Begin an upload for @group by @portid with HBC_PLAN_* flags, anew if one has begun. Return: 0;
 * -EBUSY for too many at once; -ENOMEM.
 */
int hbc_upload_begin(struct hbc_net *hn, u32 portid, u32 group, u8 flags,
		     struct netlink_ext_ack *extack);
/* NULL if there is none. */
struct hbc_upload *hbc_upload_find(struct hbc_net *hn, u32 portid, u32 group);
/* Append an edge to the tree of @slot: 0; -E2BIG when it has more than it may; -ENOMEM. */
int hbc_upload_add(struct hbc_upload *plan, u8 slot, const struct hbc_upload_edge *edge);

/**
 * hbc_upload_commit() - check an upload and make it this node's plan
 * @plan: the upload, which stays
 * @group: its group
 * @dry_run: check only
 * @epoch: set to the epoch that holds the plan, or would
 * @extack: why not, unless plan->why is set
 *
 * Return: 0 applied (or would be), 1 nothing to change, -EINVAL with
 * plan->why, or another negative errno.
 */
int hbc_upload_commit(struct hbc_upload *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		      struct netlink_ext_ack *extack);

void hbc_upload_free(struct hbc_net *hn, struct hbc_upload *plan);
/* Drop the uploads by @portid (0: all) for @group (0: all). */
void hbc_upload_flush(struct hbc_net *hn, u32 portid, u32 group);

/* Below: for the files of this folder. */

/* Makes nodes of edges that are trees of the group: 0; -EINVAL with plan->why; -ENOMEM. */
int hbc_check_plan(struct hbc_upload *plan, const struct hbc_group *group);

#endif /* _HBC_UPLOAD_H */
