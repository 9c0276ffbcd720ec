// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on plans. */
#include <linux/err.h>
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "api/netlink.h"
#include "compat/extack.h"
#include "config/group.h"
#include "config/node.h"
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

/* A child as it is now. */
struct hbc_nl_child {
	u32 node;
	u32 size;
	bool ready;
	bool lost;
};

/*
 * What plan-get answers: a tree, a reference, of a session, a reference; @parent and @child,
 * both allocated, are empty unless the edges are asked for.
 */
struct hbc_nl_tree {
	struct hbc_session *s;
	struct hbc_tree *tree;
	u32 *parent;
	struct hbc_nl_child *child;
	unsigned int nr_children;
	bool ready;
};

/* The socket's upload for the group, or NULL, which is said. hn->lock held. */
static struct hbc_upload *hbc_nl_plan_upload(struct hbc_net *hn, const struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HBCAST_A_PLAN_GROUP];
	struct hbc_upload *plan = hbc_upload_find(hn, info->snd_portid, nla_get_u32(attr));

	if (!plan)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no upload for this group has begun on this socket");
	return plan;
}

int hbcast_nl_plan_begin_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *forward = info->attrs[HBCAST_A_PLAN_FORWARD];
	u8 flags = nla_get_flag(info->attrs[HBCAST_A_PLAN_STRICT]) ? HBC_PLAN_STRICT : 0;
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_group *group;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	if (forward && nla_get_u32(forward) == HBCAST_FORWARD_MESSAGE)
		flags |= HBC_PLAN_WHOLE;
	mutex_lock(&hn->lock);
	group = hbc_nl_group(info, HBCAST_A_PLAN_GROUP);
	err = group ? hbc_upload_begin(hn, info->snd_portid, group->id, flags, info->extack) :
		      -ENOENT;
	mutex_unlock(&hn->lock);
	return err;
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
	if (!tb[HBCAST_A_EDGE_PARENT] || !tb[HBCAST_A_EDGE_CHILD]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "an edge needs parent and child");
		return -EINVAL;
	}
	edge.parent = nla_get_u32(tb[HBCAST_A_EDGE_PARENT]);
	edge.child = nla_get_u32(tb[HBCAST_A_EDGE_CHILD]);
	edge.rate = tb[HBCAST_A_EDGE_RATE] ? nla_get_u64(tb[HBCAST_A_EDGE_RATE]) : rate;
	err = hbc_upload_add(plan, slot, &edge);
	if (err == -E2BIG)
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "a plan has at most 4096 nodes");
	return err;
}

static int hbc_nl_plan_edges(const struct genl_info *info, struct hbc_upload *plan)
{
	u8 slot = nla_get_u8(info->attrs[HBCAST_A_PLAN_SLOT]);
	const struct nlattr *rate = info->attrs[HBCAST_A_PLAN_RATE];
	const struct nlattr *attr;
	u32 had = plan->tree[slot].nr;
	int rem, err;

	if (slot && plan->flags & HBC_PLAN_WHOLE) {
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
	struct hbc_upload *plan;
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
	struct hbc_upload *plan = hbc_nl_plan_upload(hn, info);
	struct hbc_group *group;
	int err;

	if (!plan)
		return -ENOENT;
	group = hbc_nl_group(info, HBCAST_A_PLAN_GROUP);
	if (!group)
		return -ENOENT;
	err = hbc_upload_commit(plan, group, dry_run, &commit->epoch, info->extack);
	if (err < 0 && plan->why[0])
		hbc_compat_err_msg(skb, info->extack, plan->why);
	commit->group = group->id;
	commit->changed = !err;
	if (!dry_run)
		hbc_upload_free(hn, plan);
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
	struct hbc_upload *plan;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	plan = hbc_nl_plan_upload(hn, info);
	if (plan)
		hbc_upload_free(hn, plan);
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
	struct hbc_group *group;
	struct hbc_session *s;
	int err = -ENOENT;

	if (hbc_nl_missing(info, HBCAST_A_PLAN_GROUP, "group"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	group = hbc_nl_group(info, HBCAST_A_PLAN_GROUP);
	if (group) {
		s = hbc_session_find(group, hn->id, 0);
		if (s && s->origin->epoch) {
			hbc_session_end(s, HBCAST_REASON_PLAN_GONE);
			err = 0;
		} else {
			err = hbc_nl_no_plan(info);
		}
	}
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_put_edge(struct sk_buff *skb, const struct hbc_wire_node *node, u32 parent)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_EDGE);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_EDGE_PARENT, parent) ?:
	      nla_put_u32(skb, HBCAST_A_EDGE_CHILD, be32_to_cpu(node->node)) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_EDGE_RATE, be64_to_cpu(node->rate),
				HBCAST_A_EDGE_PAD);
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err;
}

static int hbc_nl_put_child(struct sk_buff *skb, const struct hbc_nl_child *child)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_PLAN_CHILD);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_CHILD_NODE, child->node) ?:
	      nla_put_u32(skb, HBCAST_A_CHILD_NODES, child->size);
	if (!err && child->ready)
		err = nla_put_flag(skb, HBCAST_A_CHILD_READY);
	if (!err && child->lost)
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
	return asked->parent ? asked->tree->nr - 1 + asked->nr_children : 0;
}

static int hbc_nl_put_entry(struct sk_buff *skb, const struct hbc_nl_tree *asked, unsigned int i)
{
	unsigned int edges = asked->tree->nr - 1;

	if (i < edges)
		return hbc_nl_put_edge(skb, &asked->tree->node[i + 1], asked->parent[i + 1]);
	return hbc_nl_put_child(skb, &asked->child[i - edges]);
}

static int hbc_nl_tree_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_tree *asked = object;
	const struct hbc_tree *tree = asked->tree;
	unsigned int first = *next, i;
	int err;

	err = nla_put_u32(skb, HBCAST_A_PLAN_GROUP, asked->s->group->id) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_ROOT, asked->s->root) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_EPOCH, tree->epoch) ?:
	      nla_put_u8(skb, HBCAST_A_PLAN_SLOT, tree->slot) ?:
	      nla_put_u32(skb, HBCAST_A_PLAN_NODES, tree->nr);
	if (!err)
		err = nla_put_u32(skb, HBCAST_A_PLAN_FORWARD, hbc_plan_is_whole(tree->plan) ?
				  HBCAST_FORWARD_MESSAGE : HBCAST_FORWARD_PACKET);
	if (!err && tree->plan->wire.flags & HBC_PLAN_STRICT)
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

static void hbc_nl_tree_free(struct hbc_nl_tree *asked)
{
	hbc_tree_put(asked->tree);
	if (asked->s)
		hbc_session_put(asked->s);
	kvfree(asked->parent);
	kvfree(asked->child);
}

/* The session's tree of the first slot from @slot on; false if there is none. */
static bool hbc_nl_tree_of(struct hbc_session *s, unsigned int slot, struct hbc_nl_tree *asked)
{
	spin_lock_bh(&s->lock);
	while (slot < HBC_MAX_SLOTS && !s->tree[slot])
		slot++;
	if (slot < HBC_MAX_SLOTS) {
		asked->tree = s->tree[slot];
		hbc_tree_get(asked->tree);
		asked->ready = hbc_children_ready(s, asked->tree);
	}
	spin_unlock_bh(&s->lock);
	if (!asked->tree)
		return false;
	hbc_session_get(s);
	asked->s = s;
	return true;
}

/* hn->lock held. */
static int hbc_nl_plan_get(struct genl_info *info, struct hbc_net *hn)
{
	const struct nlattr *root = info->attrs[HBCAST_A_PLAN_ROOT];
	struct hbc_nl_tree asked = {};
	struct hbc_session *s = NULL;
	struct hbc_group *group;
	int err;

	group = hbc_nl_group(info, HBCAST_A_PLAN_GROUP);
	if (!group)
		return -ENOENT;
	if (hbc_nl_may(group))
		s = hbc_session_find(group, root ? nla_get_u32(root) : hn->id, 0);
	if (!s || !hbc_nl_tree_of(s, HBC_SLOT_ALL, &asked))
		return hbc_nl_no_plan(info);
	if (s->origin)
		asked.ready = hbc_origin_is_ready(s);
	err = hbc_nl_reply(info, 8 * nla_total_size(sizeof(u32)), hbc_nl_tree_fill, &asked);
	hbc_nl_tree_free(&asked);
	return err;
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
 * Which tree a dump goes on with, or the next in this order, and how many of its entries
 * have been put.
 */
struct hbc_nl_tree_dump {
	u32 group;
	u32 root;
	u32 slot;
	unsigned int next;
};

/* Less than, equal to or more than 0: where a tree lies in the order of a dump. */
static int hbc_nl_tree_compare(u32 group, u32 root, u32 slot, const struct hbc_nl_tree_dump *at)
{
	if (group != at->group)
		return group < at->group ? -1 : 1;
	if (root != at->root)
		return root < at->root ? -1 : 1;
	return slot < at->slot ? -1 : slot > at->slot;
}

/* The first session that is not before @at, of which a tree is put. hn->lock held. */
static bool hbc_nl_tree_find(struct hbc_net *hn, const struct hbc_nl_tree_dump *at,
			     struct hbc_nl_tree *asked)
{
	struct hbc_nl_tree_dump first = { .group = U32_MAX, .root = U32_MAX, .slot = U32_MAX };
	const struct hbc_group *group;
	struct hbc_session *s;

	list_for_each_entry(group, &hn->groups, link) {
		if (!hbc_nl_may(group))
			continue;
		list_for_each_entry(s, &group->sessions, link) {
			struct hbc_nl_tree found = {};
			bool same = group->id == at->group && s->root == at->root;

			if (hbc_nl_tree_compare(group->id, s->root, U32_MAX, at) < 0 ||
			    hbc_nl_tree_compare(group->id, s->root, 0, &first) >= 0 ||
			    !hbc_nl_tree_of(s, same ? at->slot : 0, &found))
				continue;
			first = (struct hbc_nl_tree_dump) { .group = group->id, .root = s->root };
			hbc_nl_tree_free(asked);
			*asked = found;
		}
	}
	return asked->tree;
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

/* The children of the tree as they are now. */
static void hbc_nl_tree_children(struct hbc_nl_tree *asked)
{
	const struct hbc_child *child;

	spin_lock_bh(&asked->s->lock);
	list_for_each_entry(child, &asked->s->children, link) {
		if (child->tree != asked->tree || asked->nr_children == asked->tree->nr_edges)
			continue;
		asked->child[asked->nr_children++] = (struct hbc_nl_child) {
			.node = child->node, .size = asked->tree->edge[child->edge].size,
			.ready = child->up && child->ready == asked->tree->epoch,
			.lost = child->dead,
		};
	}
	spin_unlock_bh(&asked->s->lock);
}

static int hbc_nl_tree_dump(struct sk_buff *skb, struct netlink_callback *cb,
			    struct hbc_nl_tree *asked, unsigned int *next)
{
	int err;

	asked->parent = hbc_nl_tree_parents(asked->tree);
	asked->child = kvcalloc(asked->tree->nr_edges + 1, sizeof(*asked->child), GFP_KERNEL);
	if (!asked->parent || !asked->child)
		return -ENOMEM;
	hbc_nl_tree_children(asked);
	err = hbc_nl_dump(skb, cb, hbc_nl_tree_fill, asked, next);
	if (!err && *next < hbc_nl_tree_entries(asked))
		err = -EMSGSIZE;
	return err;
}

int hbcast_nl_plan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_tree_dump *at = (struct hbc_nl_tree_dump *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	int err;

	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = 1;
	while (!err) {
		struct hbc_nl_tree asked = {};

		if (!hbc_nl_tree_find(hn, at, &asked))
			break;
		if (hbc_nl_tree_compare(asked.s->group->id, asked.s->root, asked.tree->slot, at))
			at->next = 0;
		at->group = asked.s->group->id;
		at->root = asked.s->root;
		at->slot = asked.tree->slot;
		err = hbc_nl_tree_dump(skb, cb, &asked, &at->next);
		hbc_nl_tree_free(&asked);
		if (!err) {
			at->slot++;
			at->next = 0;
		}
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
