// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on plans. */
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "api/netlink.h"
#include "compat/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "root/origin.h"
#include "root/upload.h"
#include "session/child.h"
#include "session/session.h"
#include "session/tree.h"
#include "wire/wire.h"

/* What plan-commit answers. */
struct hbc_nl_commit {
	u32 group;
	u32 epoch;
	bool changed;
};

/* A tree, a reference, of a session; @parent, of each node, is NULL unless edges are asked for. */
struct hbc_nl_tree {
	struct hbc_session *s;
	struct hbc_tree *tree;
	u32 *parent;
	bool ready;
};

/* The socket's upload for the group, or NULL, which is said. */
static struct hbc_upload *hbc_nl_plan_upload(const struct genl_info *info)
{
	u32 group = hbc_nl_group(info)->id;
	struct hbc_upload *plan = hbc_upload_find(hbc_nl_net(info), info->snd_portid, group);

	if (!plan)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_PLAN_GROUP],
				    "no upload for this group has begun on this socket");
	return plan;
}

int hbcast_nl_plan_begin_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *forward = info->attrs[HBCAST_A_PLAN_FORWARD];
	u8 flags = nla_get_flag(info->attrs[HBCAST_A_PLAN_STRICT]) ? HBC_PLAN_STRICT : 0;

	if (forward && nla_get_u32(forward) == HBCAST_FORWARD_MESSAGE)
		flags |= HBC_PLAN_WHOLE;
	return hbc_upload_begin(hbc_nl_net(info), info->snd_portid, hbc_nl_group(info)->id, flags,
				info->extack);
}

static int hbc_nl_plan_edge(const struct genl_info *info, const struct nlattr *attr, u64 rate,
			    u8 slot, struct hbc_upload *plan)
{
	struct nlattr *tb[HBCAST_A_EDGE_MAX + 1];
	struct hbc_upload_edge edge;
	int err;

	err = nla_parse_nested(tb, HBCAST_A_EDGE_RATE, attr, hbcast_edge_nl_policy, info->extack);
	if (err)
		return err;
	if (!tb[HBCAST_A_EDGE_PARENT] || !tb[HBCAST_A_EDGE_CHILD])
		return hbc_nl_refuse(info->extack, attr, -EINVAL,
				     "an edge needs parent and child");
	edge.parent = nla_get_u32(tb[HBCAST_A_EDGE_PARENT]);
	edge.child = nla_get_u32(tb[HBCAST_A_EDGE_CHILD]);
	edge.rate = tb[HBCAST_A_EDGE_RATE] ? nla_get_u64(tb[HBCAST_A_EDGE_RATE]) : rate;
	err = hbc_upload_add(plan, slot, &edge);
	return err != -E2BIG ? err : hbc_nl_refuse(info->extack, attr, err,
						   "a plan has at most 4096 nodes");
}

int hbcast_nl_plan_tree_doit(struct sk_buff *skb, struct genl_info *info)
{
	u8 slot = nla_get_u8(info->attrs[HBCAST_A_PLAN_SLOT]);
	const struct nlattr *rate = info->attrs[HBCAST_A_PLAN_RATE];
	struct hbc_upload *plan = hbc_nl_plan_upload(info);
	const struct nlattr *attr;
	int rem, err = 0;
	u32 had;

	if (!plan)
		return -ENOENT;
	if (slot && plan->flags & HBC_PLAN_WHOLE)
		return hbc_nl_refuse(info->extack, info->attrs[HBCAST_A_PLAN_SLOT], -EINVAL,
			"a plan that forwards whole messages has one tree, in slot 0");
	had = plan->tree[slot].nr;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (!err && nla_type(attr) == HBCAST_A_PLAN_EDGE)
			err = hbc_nl_plan_edge(info, attr, rate ? nla_get_u64(rate) : 0, slot,
					       plan);
	/* All of the request or nothing. */
	if (err)
		plan->tree[slot].nr = had;
	return err;
}

static int hbc_nl_commit_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_nl_commit *commit = of;

	return nla_put_u32(skb, HBCAST_A_PLAN_GROUP, commit->group) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_EPOCH, commit->epoch) ?:
	       hbc_nl_put_flag(skb, HBCAST_A_PLAN_CHANGED, commit->changed);
}

int hbcast_nl_plan_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	bool dry_run = nla_get_flag(info->attrs[HBCAST_A_PLAN_DRY_RUN]);
	struct hbc_upload *plan = hbc_nl_plan_upload(info);
	struct hbc_group *group = hbc_nl_group(info);
	struct hbc_nl_commit commit = { .group = group->id };
	int err;

	if (!plan)
		return -ENOENT;
	err = hbc_upload_commit(plan, group, dry_run, &commit.epoch, info->extack);
	if (err < 0 && plan->why[0])
		hbc_compat_err_msg(skb, info->extack, plan->why);
	commit.changed = !err;
	if (!dry_run)
		hbc_upload_free(group->hn, plan);
	if (err < 0)
		return err;
	return hbc_nl_reply(info, &(struct hbc_nl_kind) { hbc_nl_commit_put }, &commit);
}

static int hbc_nl_no_plan(const struct genl_info *info)
{
	return hbc_refuse(info->extack, -ENOENT, "this node knows no such plan in the group");
}

int hbcast_nl_plan_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_session *s = hbc_session_find(hbc_nl_group(info), hbc_nl_net(info)->id, 0);

	if (!s || !s->origin->epoch)
		return hbc_nl_no_plan(info);
	hbc_session_end(s, HBCAST_REASON_PLAN_GONE);
	return 0;
}

static int hbc_nl_put_edge(struct sk_buff *skb, const struct hbc_wire_node *node, u32 parent)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_EDGE);
	int err;

	err = nla_put_u32(skb, HBCAST_A_EDGE_PARENT, parent) ?:
	      nla_put_u32(skb, HBCAST_A_EDGE_CHILD, be32_to_cpu(node->node)) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_EDGE_RATE, be64_to_cpu(node->rate));
	return hbc_nl_nest_end(skb, nest, err);
}

/* session->lock held. */
static int hbc_nl_put_child(struct sk_buff *skb, const struct hbc_child *child)
{
	const struct hbc_edge *edge = hbc_child_edge(child);
	bool ready = child->up && child->ready == child->tree->epoch &&
		     (child->slot || !hbc_lost_any(child->s, edge->first, edge->size));
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_CHILD);
	int err;

	lockdep_assert_held(&child->s->lock);
	err = nla_put_u32(skb, HBCAST_A_CHILD_NODE, child->lane->peer) ?:
	      nla_put_u32(skb, HBCAST_A_CHILD_NODES, edge->size) ?:
	      hbc_nl_put_flag(skb, HBCAST_A_CHILD_READY, ready) ?:
	      hbc_nl_put_flag(skb, HBCAST_A_CHILD_LOST, child->dead);
	return hbc_nl_nest_end(skb, nest, err);
}

/* Edges, then the children of this node as they are now, and who is not reached. */
static int hbc_nl_tree_put_entries(struct sk_buff *skb, const void *of, u32 *next)
{
	const struct hbc_nl_tree *asked = of;
	const struct hbc_tree *tree = asked->tree;
	struct hbc_session *s = asked->s;
	const struct hbc_child *child;
	u32 i = tree->nr - 1;
	unsigned int p;
	int err = 0;

	for (; !err && *next < i; *next += !err)
		err = hbc_nl_put_edge(skb, &tree->node[*next + 1], asked->parent[*next + 1]);
	spin_lock_bh(&s->lock);
	list_for_each_entry(child, &s->children, link) {
		if (err)
			break;
		if (child->tree != tree || i++ < *next)
			continue;
		err = hbc_nl_put_child(skb, child);
		*next += !err;
	}
	for_each_set_bit(p, s->lost.now, tree == s->tree[HBC_SLOT_ALL] ? tree->nr : 0) {
		if (err)
			break;
		if (i++ < *next)
			continue;
		err = nla_put_u32(skb, HBCAST_A_PLAN_LOST, be32_to_cpu(tree->node[p].node));
		*next += !err;
	}
	spin_unlock_bh(&s->lock);
	return err;
}

static int hbc_nl_tree_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_nl_tree *asked = of;
	const struct hbc_tree *tree = asked->tree;
	u32 forward = hbc_plan_is_whole(tree->plan) ? HBCAST_FORWARD_MESSAGE :
						      HBCAST_FORWARD_PACKET;
	bool strict = tree->plan->wire.flags & HBC_PLAN_STRICT;

	return nla_put_u32(skb, HBCAST_A_PLAN_GROUP, asked->s->group->id) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_ROOT, asked->s->root) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_EPOCH, tree->epoch) ?:
	       nla_put_u8(skb, HBCAST_A_PLAN_SLOT, tree->slot) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_NODES, tree->nr) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_FORWARD, forward) ?:
	       hbc_nl_put_flag(skb, HBCAST_A_PLAN_STRICT, strict) ?:
	       hbc_nl_put_flag(skb, HBCAST_A_PLAN_READY, asked->ready);
}

/* The session's tree of the first slot from @slot on; false if there is none. */
static bool hbc_nl_tree_of(struct hbc_session *s, u64 slot, struct hbc_nl_tree *asked)
{
	*asked = (struct hbc_nl_tree) { .s = s };
	spin_lock_bh(&s->lock);
	while (slot < HBC_MAX_SLOTS && !s->tree[slot])
		slot++;
	if (slot < HBC_MAX_SLOTS) {
		asked->tree = s->tree[slot];
		kref_get(&asked->tree->ref);
		asked->ready = hbc_children_ready(s, asked->tree) &&
			       (slot || !hbc_lost_any(s, 0, HBC_MAX_MEMBERS));
	}
	spin_unlock_bh(&s->lock);
	return asked->tree;
}

int hbcast_nl_plan_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *root = info->attrs[HBCAST_A_PLAN_ROOT];
	struct hbc_group *group = hbc_nl_group(info);
	struct hbc_session *s = NULL;
	struct hbc_nl_tree asked;
	int err;

	if (hbc_nl_may(group))
		s = hbc_session_find(group, root ? nla_get_u32(root) : group->hn->id, 0);
	if (!s || !hbc_nl_tree_of(s, HBC_SLOT_ALL, &asked))
		return hbc_nl_no_plan(info);
	spin_lock_bh(&s->lock);
	if (s->origin)
		asked.ready = hbc_origin_is_ready(s);
	spin_unlock_bh(&s->lock);
	err = hbc_nl_reply(info, &(struct hbc_nl_kind) { hbc_nl_tree_put }, &asked);
	hbc_tree_put(asked.tree);
	return err;
}

/*
 * The parent of every node in preorder; of those that still miss children the
 * last one is the next node's parent. Each parent's place in the array holds
 * the one before it, so no stack is needed.
 */
static u32 *hbc_nl_tree_parents(const struct hbc_tree *tree)
{
	u32 *parent, *left, i, up = 0;

	parent = kvcalloc(tree->nr, 2 * sizeof(*parent), GFP_KERNEL);
	if (!parent)
		return NULL;
	left = parent + tree->nr;
	left[0] = be32_to_cpu(tree->node[0].nr_children);
	for (i = 1; i < tree->nr; i++) {
		while (!left[up] && up)
			up = parent[up];
		left[up]--;
		parent[i] = up;
		left[i] = be32_to_cpu(tree->node[i].nr_children);
		up = i;
	}
	for (i = 1; i < tree->nr; i++)
		parent[i] = be32_to_cpu(tree->node[parent[i]].node);
	return parent;
}

static int hbc_nl_plan_dump(struct sk_buff *skb, struct netlink_callback *cb,
			    struct hbc_session *s, struct hbc_nl_place *at)
{
	static const struct hbc_nl_kind trees = { hbc_nl_tree_put, hbc_nl_tree_put_entries };
	struct hbc_nl_tree asked;
	int err = 0;

	while (!err && hbc_nl_tree_of(s, at->item, &asked)) {
		if (asked.tree->slot != at->item)
			at->next = 0;
		at->item = asked.tree->slot;
		asked.parent = hbc_nl_tree_parents(asked.tree);
		err = asked.parent ? hbc_nl_dump(skb, cb, &trees, &asked, &at->next) : -ENOMEM;
		if (!err)
			at->item++;
		kvfree(asked.parent);
		hbc_tree_put(asked.tree);
	}
	return err;
}

int hbcast_nl_plan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbc_nl_dump_sessions(skb, cb, hbc_nl_plan_dump);
}
