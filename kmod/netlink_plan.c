// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on plans. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "compat/extack.h"
#include "group.h"
#include "lane.h"
#include "netlink.h"
#include "node.h"
#include "plan.h"
#include "schedule.h"
#include "tree.h"

/* What plan-commit answers. */
struct hbc_nl_commit {
	u32 group;
	u32 epoch;
	bool changed;
};

/* What plan-get answers; @parent is empty unless the edges are asked for. */
struct hbc_nl_tree {
	const struct hbc_tree *tree;
	u32 *parent;
	bool ready;
};

/* The group that the request is about, or NULL, which is said. hn->lock held. */
static struct hbc_group *hbc_nl_plan_group(struct hbc_net *hn, const struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HBCAST_A_PLAN_GROUP];
	struct hbc_group *group = hbc_group_find(hn, nla_get_u32(attr));

	if (!group)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the node does not take part in this group; add the group first");
	return group;
}

/* The socket's upload for the group, or NULL, which is said. hn->lock held. */
static struct hbc_plan *hbc_nl_plan_upload(struct hbc_net *hn, const struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HBCAST_A_PLAN_GROUP];
	struct hbc_plan *plan = hbc_plan_find(hn, info->snd_portid, nla_get_u32(attr));

	if (!plan)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no upload for this group has begun on this socket");
	return plan;
}

int hbcast_nl_plan_begin_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *forward = info->attrs[HBCAST_A_PLAN_FORWARD];
	u8 flags = nla_get_flag(info->attrs[HBCAST_A_PLAN_STRICT]) ? HBC_TREE_STRICT : 0;
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_group *group;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	if (forward && nla_get_u32(forward) == HBCAST_FORWARD_MESSAGE)
		flags |= HBC_TREE_WHOLE;
	mutex_lock(&hn->lock);
	group = hbc_nl_plan_group(hn, info);
	err = group ? hbc_plan_begin(hn, info->snd_portid, group->id, flags, info->extack) :
		      -ENOENT;
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_plan_edge(const struct genl_info *info, const struct nlattr *attr, u64 rate,
			    u8 slot, struct hbc_plan *plan)
{
	struct nlattr *tb[HBCAST_A_EDGE_MAX + 1];
	struct hbc_plan_edge edge;
	int err;

	err = nla_parse_nested(tb, HBCAST_A_EDGE_RATE, attr, hbcast_edge_nl_policy, info->extack);
	if (err)
		return err;
	if (!tb[HBCAST_A_EDGE_PARENT] || !tb[HBCAST_A_EDGE_CHILD]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "an edge needs parent and child");
		return -EINVAL;
	}
	edge.parent = nla_get_u32(tb[HBCAST_A_EDGE_PARENT]);
	edge.child = nla_get_u32(tb[HBCAST_A_EDGE_CHILD]);
	edge.rate = tb[HBCAST_A_EDGE_RATE] ? nla_get_u64(tb[HBCAST_A_EDGE_RATE]) : rate;
	err = hbc_plan_add(plan, slot, &edge);
	if (err == -E2BIG)
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "a plan has at most 4096 nodes");
	return err;
}

static int hbc_nl_plan_edges(const struct genl_info *info, struct hbc_plan *plan)
{
	u8 slot = nla_get_u8(info->attrs[HBCAST_A_PLAN_SLOT]);
	const struct nlattr *rate = info->attrs[HBCAST_A_PLAN_RATE];
	const struct nlattr *attr;
	u32 had = plan->tree[slot].nr;
	int rem, err;

	if (slot && plan->flags & HBC_TREE_WHOLE) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_PLAN_SLOT],
				    "a plan that forwards whole messages has one tree, in slot 0");
		return -EINVAL;
	}
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != HBCAST_A_PLAN_EDGE)
			continue;
		err = hbc_nl_plan_edge(info, attr, rate ? nla_get_u64(rate) : 0, slot, plan);
		if (err) {
			plan->tree[slot].nr = had;
			return err;
		}
	}
	return 0;
}

int hbcast_nl_plan_tree_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_plan *plan;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group") ||
	    hbc_nl_missing(info, HBCAST_A_PLAN_SLOT, "slot"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	plan = hbc_nl_plan_upload(hn, info);
	err = plan ? hbc_nl_plan_edges(info, plan) : -ENOENT;
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_commit_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_commit *commit = object;

	return nla_put_u32(skb, HBCAST_A_PLAN_GROUP, commit->group) ?:
	       nla_put_u32(skb, HBCAST_A_PLAN_EPOCH, commit->epoch) ?:
	       (commit->changed ? nla_put_flag(skb, HBCAST_A_PLAN_CHANGED) : 0);
}

/* hn->lock held. */
static int hbc_nl_plan_commit(struct sk_buff *skb, struct genl_info *info, struct hbc_net *hn,
			      struct hbc_nl_commit *commit)
{
	bool dry_run = nla_get_flag(info->attrs[HBCAST_A_PLAN_DRY_RUN]);
	struct hbc_plan *plan = hbc_nl_plan_upload(hn, info);
	struct hbc_group *group;
	int err;

	if (!plan)
		return -ENOENT;
	group = hbc_nl_plan_group(hn, info);
	if (!group)
		return -ENOENT;
	err = hbc_plan_commit(plan, group, dry_run, &commit->epoch, info->extack);
	if (err < 0 && plan->why[0])
		hbc_compat_err_msg(skb, info->extack, plan->why);
	commit->group = group->id;
	commit->changed = !err;
	if (!dry_run)
		hbc_plan_free(hn, plan);
	return min(err, 0);
}

int hbcast_nl_plan_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_nl_commit commit;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	err = hbc_nl_plan_commit(skb, info, hn, &commit);
	mutex_unlock(&hn->lock);
	if (err)
		return err;
	return hbc_nl_reply(info, 2 * nla_total_size(sizeof(u32)) + nla_total_size(0),
			    hbc_nl_commit_fill, &commit);
}

int hbcast_nl_plan_abort_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_plan *plan;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	plan = hbc_nl_plan_upload(hn, info);
	if (plan)
		hbc_plan_free(hn, plan);
	mutex_unlock(&hn->lock);
	return plan ? 0 : -ENOENT;
}

static int hbc_nl_no_plan(const struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "this node knows no such plan in the group");
	return -ENOENT;
}

int hbcast_nl_plan_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_schedule *sched;
	struct hbc_group *group;
	int err = -ENOENT;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	group = hbc_nl_plan_group(hn, info);
	if (group) {
		sched = hbc_schedule_find(group, hn->id);
		if (sched && !list_empty(&sched->trees)) {
			hbc_schedule_remove(sched, HBCAST_REASON_PLAN_GONE);
			err = 0;
		} else {
			err = hbc_nl_no_plan(info);
		}
	}
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_put_edge(struct sk_buff *skb, const struct hbc_tree_node *node, u32 parent)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_EDGE);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_EDGE_PARENT, parent) ?:
	      nla_put_u32(skb, HBCAST_A_EDGE_CHILD, node->node) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_EDGE_RATE, node->rate, HBCAST_A_EDGE_PAD);
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err;
}

static int hbc_nl_put_child(struct sk_buff *skb, const struct hbc_tree *tree,
			    const struct hbc_edge *edge)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_CHILD);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_CHILD_NODE, tree->nodes[edge->first].node) ?:
	      nla_put_u32(skb, HBCAST_A_CHILD_NODES, edge->size);
	if (!err && edge->ready)
		err = nla_put_flag(skb, HBCAST_A_CHILD_READY);
	if (!err && edge->lost)
		err = nla_put_flag(skb, HBCAST_A_CHILD_LOST);
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err;
}

/* Edges, then children; how many there are in all. */
static unsigned int hbc_nl_tree_entries(const struct hbc_nl_tree *asked)
{
	return asked->parent ? asked->tree->nr_nodes - 1 + asked->tree->nr_edges : 0;
}

static int hbc_nl_put_entry(struct sk_buff *skb, const struct hbc_nl_tree *asked, unsigned int i)
{
	const struct hbc_tree *tree = asked->tree;
	unsigned int edges = tree->nr_nodes - 1;

	if (i < edges)
		return hbc_nl_put_edge(skb, &tree->nodes[i + 1], asked->parent[i + 1]);
	return hbc_nl_put_child(skb, tree, &tree->edge[i - edges]);
}

static int hbc_nl_tree_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_tree *asked = object;
	const struct hbc_tree *tree = asked->tree;
	unsigned int first = *next, i;
	int err;

	err = nla_put_u32(skb, HBCAST_A_PLAN_GROUP, tree->sched->group->id) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_ROOT, tree->sched->root) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_EPOCH, tree->epoch) ?:
	      nla_put_u8(skb, HBCAST_A_PLAN_SLOT, tree->slot) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_NODES, tree->nr_nodes);
	if (!err)
		err = nla_put_u32(skb, HBCAST_A_PLAN_FORWARD, hbc_tree_whole(tree) ?
				  HBCAST_FORWARD_MESSAGE : HBCAST_FORWARD_PACKET);
	if (!err && tree->nodes[0].flags & HBC_TREE_STRICT)
		err = nla_put_flag(skb, HBCAST_A_PLAN_STRICT);
	if (!err && asked->ready)
		err = nla_put_flag(skb, HBCAST_A_PLAN_READY);
	if (err)
		return err;
	for (i = first; i < hbc_nl_tree_entries(asked); i++) {
		err = hbc_nl_put_entry(skb, asked, i);
		if (err)
			break;
	}
	*next = i;
	return i == first ? err : 0;
}

/* hn->lock held. */
static int hbc_nl_plan_get(struct genl_info *info, struct hbc_net *hn)
{
	const struct nlattr *root = info->attrs[HBCAST_A_PLAN_ROOT];
	struct hbc_nl_tree asked = {};
	struct hbc_schedule *sched;
	struct hbc_group *group;

	group = hbc_nl_plan_group(hn, info);
	if (!group)
		return -ENOENT;
	sched = hbc_schedule_find(group, root ? nla_get_u32(root) : hn->id);
	if (!sched || list_empty(&sched->trees))
		return hbc_nl_no_plan(info);
	asked.tree = list_first_entry(&sched->trees, struct hbc_tree, link);
	asked.ready = hbc_tree_all_ready(sched, asked.tree->epoch);
	return hbc_nl_reply(info, 8 * nla_total_size(sizeof(u32)), hbc_nl_tree_fill, &asked);
}

int hbcast_nl_plan_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	int err;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	err = hbc_nl_plan_get(info, hn);
	mutex_unlock(&hn->lock);
	return err;
}

/*
 * Which tree a dump goes on with, or whichever follows it in this order, and
 * how many of its entries have been put.
 */
struct hbc_nl_tree_dump {
	u32 group;
	u32 root;
	u32 epoch;
	u32 slot;
	unsigned int next;
};

static int hbc_nl_tree_compare(const struct hbc_tree *tree, const struct hbc_nl_tree_dump *at)
{
	const u32 x[] = { tree->sched->group->id, tree->sched->root, tree->epoch, tree->slot };
	const u32 y[] = { at->group, at->root, at->epoch, at->slot };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(x); i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

static void hbc_nl_tree_set(struct hbc_nl_tree_dump *at, const struct hbc_tree *tree)
{
	at->group = tree->sched->group->id;
	at->root = tree->sched->root;
	at->epoch = tree->epoch;
	at->slot = tree->slot;
}

/* The first tree that is not before @at. hn->lock held. */
static const struct hbc_tree *hbc_nl_tree_find(struct hbc_net *hn,
					       const struct hbc_nl_tree_dump *at)
{
	const struct hbc_tree *tree, *found = NULL;
	struct hbc_nl_tree_dump best;
	struct hbc_schedule *sched;
	struct hbc_group *group;

	list_for_each_entry(group, &hn->groups, link) {
		list_for_each_entry(sched, &group->schedules, link) {
			list_for_each_entry(tree, &sched->trees, link) {
				if (tree->adopted || hbc_nl_tree_compare(tree, at) < 0 ||
				    (found && hbc_nl_tree_compare(tree, &best) > 0))
					continue;
				found = tree;
				hbc_nl_tree_set(&best, tree);
			}
		}
		if (found)
			return found;
	}
	return NULL;
}

/*
 * The parent of every node in preorder; of those that still miss children the
 * last one is the next node's parent. Each parent's place in the array holds
 * the one before it, so no stack is needed.
 */
static u32 *hbc_nl_tree_parents(const struct hbc_tree *tree)
{
	u32 *parent, *left, i, up = 0;

	parent = kvcalloc(tree->nr_nodes, 2 * sizeof(*parent), GFP_KERNEL);
	if (!parent)
		return NULL;
	left = parent + tree->nr_nodes;
	left[0] = tree->nodes[0].nr_children;
	for (i = 1; i < tree->nr_nodes; i++) {
		while (!left[up] && up)
			up = parent[up];
		left[up]--;
		parent[i] = up;
		left[i] = tree->nodes[i].nr_children;
		up = i;
	}
	for (i = 1; i < tree->nr_nodes; i++)
		parent[i] = tree->nodes[parent[i]].node;
	return parent;
}

static int hbc_nl_tree_dump(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct hbc_tree *tree, unsigned int *next)
{
	struct hbc_nl_tree asked = {
		.tree = tree, .parent = hbc_nl_tree_parents(tree), .ready = hbc_tree_ready(tree),
	};
	int err;

	if (!asked.parent)
		return -ENOMEM;
	err = hbc_nl_dump(skb, cb, hbc_nl_tree_fill, &asked, next);
	if (!err && *next < hbc_nl_tree_entries(&asked))
		err = -EMSGSIZE;
	kvfree(asked.parent);
	return err;
}

int hbcast_nl_plan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_tree_dump *at = (struct hbc_nl_tree_dump *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	const struct hbc_tree *tree;
	int err;

	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = 1;
	for (;;) {
		tree = hbc_nl_tree_find(hn, at);
		if (!tree)
			break;
		if (hbc_nl_tree_compare(tree, at))
			at->next = 0;
		hbc_nl_tree_set(at, tree);
		err = hbc_nl_tree_dump(skb, cb, tree, &at->next);
		if (err)
			break;
		at->slot++;
		at->next = 0;
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
