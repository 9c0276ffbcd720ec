// SPDX-License-Identifier: GPL-2.0
/* A plan while it is uploaded, and whether it is a tree. */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/hbcast_netlink.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "epoch.h"
#include "group.h"
#include "node.h"
#include "peer.h"
#include "plan.h"
#include "schedule.h"
#include "shape.h"
#include "stage.h"
#include "wire.h"

#define HBC_PLAN_EDGES	(HBC_MAX_MEMBERS - 1)
#define NOBODY		U32_MAX

/**
 * struct hbc_plan_node - a node of the plan while it is checked
 * @id: node id
 * @edge: index of the edge that leads to it, NOBODY for the root
 * @parent: index of its parent, NOBODY for the root
 * @first: index of its first child, or NOBODY
 * @next: index of its parent's next child, or NOBODY
 * @nr_children: number of its children
 * @addr: where it listens
 */
struct hbc_plan_node {
	u32 id;
	u32 edge;
	u32 parent;
	u32 first;
	u32 next;
	u32 nr_children;
	const struct sockaddr_storage *addr;
};

/* A check of one tree: @node holds @nr nodes by ascending id, @node[@root] is this node. */
struct hbc_plan_check {
	struct hbc_plan *plan;
	const struct hbc_plan_tree *tree;
	const struct hbc_group *group;
	struct hbc_net *hn;
	struct hbc_plan_node *node;
	u32 nr;
	u32 root;
	struct hbc_tree_shape *shape;
};

int hbc_plan_begin(struct hbc_net *hn, u32 portid, u32 group, u8 flags,
		   struct netlink_ext_ack *extack)
{
	struct hbc_plan *plan;

	lockdep_assert_held(&hn->lock);
	if (hbc_plan_find(hn, portid, group)) {
		NL_SET_ERR_MSG(extack, "this socket's upload for the group has begun already");
		return -EEXIST;
	}
	if (hn->nr_plans >= HBCAST_UPLOADS_MAX) {
		NL_SET_ERR_MSG(extack, "too many uploads at once; try again when one is over");
		return -EBUSY;
	}
	plan = kzalloc(sizeof(*plan), GFP_KERNEL_ACCOUNT);
	if (!plan)
		return -ENOMEM;
	plan->portid = portid;
	plan->group = group;
	plan->flags = flags;
	list_add_tail(&plan->link, &hn->plans);
	hn->nr_plans++;
	return 0;
}

struct hbc_plan *hbc_plan_find(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_plan *plan;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(plan, &hn->plans, link) {
		if (plan->portid == portid && plan->group == group)
			return plan;
	}
	return NULL;
}

void hbc_plan_free(struct hbc_net *hn, struct hbc_plan *plan)
{
	unsigned int slot;

	lockdep_assert_held(&hn->lock);
	list_del(&plan->link);
	hn->nr_plans--;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		kvfree(plan->tree[slot].edge);
	kfree(plan);
}

void hbc_plan_flush(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_plan *plan, *next;

	list_for_each_entry_safe(plan, next, &hn->plans, link) {
		if ((!portid || plan->portid == portid) && (!group || plan->group == group))
			hbc_plan_free(hn, plan);
	}
}

int hbc_plan_add(struct hbc_plan *plan, u8 slot, const struct hbc_plan_edge *edge)
{
	struct hbc_plan_tree *tree = &plan->tree[slot];

	if (tree->nr >= HBC_PLAN_EDGES)
		return -E2BIG;
	if (!tree->edge)
		tree->edge = kvmalloc_array(HBC_PLAN_EDGES, sizeof(*edge), GFP_KERNEL_ACCOUNT);
	if (!tree->edge)
		return -ENOMEM;
	tree->edge[tree->nr++] = *edge;
	return 0;
}

static __printf(2, 3) int hbc_plan_refuse(const struct hbc_plan_check *c, const char *fmt, ...)
{
	u8 slot = c->shape->slot;
	va_list args;
	int n = 0;

	if (slot != HBC_SLOT_ALL)
		n = scnprintf(c->plan->why, sizeof(c->plan->why), "slot %u: ", slot);
	va_start(args, fmt);
	vscnprintf(c->plan->why + n, sizeof(c->plan->why) - n, fmt, args);
	va_end(args);
	return -EINVAL;
}

static int hbc_plan_compare(const void *a, const void *b)
{
	const struct hbc_plan_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Index of the node @id, or NOBODY. */
static u32 hbc_plan_index(const struct hbc_plan_check *c, u32 id)
{
	struct hbc_plan_node key = { .id = id };
	const struct hbc_plan_node *node;

	node = bsearch(&key, c->node, c->nr, sizeof(key), hbc_plan_compare);
	return node ? node - c->node : NOBODY;
}

static int hbc_plan_twice(const struct hbc_plan_check *c, const struct hbc_plan_node *a,
			  const struct hbc_plan_node *b)
{
	const struct hbc_plan_edge *edge = c->tree->edge;

	if (a->edge == NOBODY || b->edge == NOBODY)
		return hbc_plan_refuse(c, "this node, %u, is the root and can be nobody's child",
				       a->id);
	return hbc_plan_refuse(c, "node %u has two parents, %u and %u", a->id,
			       edge[min(a->edge, b->edge)].parent,
			       edge[max(a->edge, b->edge)].parent);
}

/* Every node once: this one, and whoever is a child. */
static int hbc_plan_collect(struct hbc_plan_check *c)
{
	const struct hbc_plan_tree *tree = c->tree;
	u32 i;

	if (!tree->nr)
		return hbc_plan_refuse(c, "the plan has no edges");
	c->nr = tree->nr + 1;
	c->node = kvcalloc(c->nr, sizeof(*c->node), GFP_KERNEL);
	if (!c->node)
		return -ENOMEM;
	for (i = 0; i < c->nr; i++) {
		bool child = i < tree->nr;

		c->node[i].id = child ? tree->edge[i].child : c->hn->id;
		c->node[i].edge = child ? i : NOBODY;
		c->node[i].parent = NOBODY;
		c->node[i].first = NOBODY;
		c->node[i].next = NOBODY;
	}
	sort(c->node, c->nr, sizeof(*c->node), hbc_plan_compare, NULL);
	for (i = 1; i < c->nr; i++) {
		if (c->node[i - 1].id == c->node[i].id)
			return hbc_plan_twice(c, &c->node[i - 1], &c->node[i]);
	}
	c->root = hbc_plan_index(c, c->hn->id);
	return 0;
}

/* Parents and children, the children of each in the order of the edges. */
static int hbc_plan_link(struct hbc_plan_check *c)
{
	const struct hbc_plan_edge *edge;
	struct hbc_plan_node *parent;
	u32 i, to;

	for (i = c->tree->nr; i-- > 0;) {
		edge = &c->tree->edge[i];
		to = hbc_plan_index(c, edge->child);
		c->node[to].parent = hbc_plan_index(c, edge->parent);
		if (c->node[to].parent == NOBODY)
			return hbc_plan_refuse(c, "node %u has a child, %u, but no parent",
					       edge->parent, edge->child);
		parent = &c->node[c->node[to].parent];
		c->node[to].next = parent->first;
		parent->first = to;
		parent->nr_children++;
	}
	if (!c->node[c->root].nr_children)
		return hbc_plan_refuse(c, "this node, %u, must be the root, but has no children",
				       c->hn->id);
	return 0;
}

/* Addresses: this node's own, and its peers', which are by ascending id too. */
static int hbc_plan_reach(struct hbc_plan_check *c)
{
	struct list_head *head = &c->hn->peers, *at = head->next;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		struct hbc_plan_node *node = &c->node[i];

		if (i == c->root) {
			node->addr = &c->hn->addr;
			continue;
		}
		while (at != head && list_entry(at, struct hbc_peer, link)->id < node->id)
			at = at->next;
		if (at == head || list_entry(at, struct hbc_peer, link)->id != node->id)
			return hbc_plan_refuse(c, "node %u is no peer of this node; add it first",
					       node->id);
		node->addr = &list_entry(at, struct hbc_peer, link)->addr;
	}
	return 0;
}

/* The tree holds the members and nobody else. */
static int hbc_plan_members(const struct hbc_plan_check *c)
{
	const struct hbc_group *group = c->group;
	u32 i, m = 0;

	if (!group->nr_members)
		return 0;
	for (i = 0; i < c->nr; i++) {
		u32 id = c->node[i].id;

		if (m < group->nr_members && group->members[m] < id)
			break;
		if (m == group->nr_members || group->members[m] != id)
			return hbc_plan_refuse(c, "node %u is no member of the group", id);
		m++;
	}
	if (m < group->nr_members)
		return hbc_plan_refuse(c, "member %u is missing from the tree",
				       group->members[m]);
	return 0;
}

static void hbc_plan_emit(const struct hbc_plan_check *c, u32 at, struct hbc_tree_node *out)
{
	const struct hbc_plan_node *node = &c->node[at];

	out->node = node->id;
	out->nr_children = node->nr_children;
	out->rate = node->edge == NOBODY ? 0 : c->tree->edge[node->edge].rate;
	out->flags = c->plan->flags;
	if (node->addr->ss_family == AF_INET6) {
		const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)node->addr;

		out->family = 6;
		out->port = ntohs(sin6->sin6_port);
		memcpy(out->addr, &sin6->sin6_addr, sizeof(out->addr));
	} else {
		const struct sockaddr_in *sin = (const struct sockaddr_in *)node->addr;

		out->family = 4;
		out->port = ntohs(sin->sin_port);
		memcpy(out->addr, &sin->sin_addr, sizeof(sin->sin_addr));
	}
}

/* A node that the root does not reach: its way up never ends. */
static int hbc_plan_cycle(const struct hbc_plan_check *c)
{
	u32 at, i, up;

	for (at = 0;; at++) {
		for (up = at, i = 0; up != c->root && i < c->nr; i++)
			up = c->node[up].parent;
		if (up != c->root)
			break;
	}
	/* After as many steps as there are nodes it goes round. */
	return hbc_plan_refuse(c, "the edges into node %u and above it go round in a circle",
			       c->node[up].id);
}

/*
 * The tree in preorder. Every node has one parent, so whoever is reached from
 * the root is reached once, and the walk ends.
 */
static int hbc_plan_preorder(struct hbc_plan_check *c)
{
	u32 at = c->root, depth = 0, n = 0;

	c->shape->nr = c->nr;
	c->shape->nodes = kvcalloc(c->nr, sizeof(*c->shape->nodes), GFP_KERNEL);
	if (!c->shape->nodes)
		return -ENOMEM;
	for (;;) {
		hbc_plan_emit(c, at, &c->shape->nodes[n++]);
		if (depth > HBC_MAX_DEPTH)
			return hbc_plan_refuse(c, "node %u is more than %u edges below the root",
					       c->node[at].id, HBC_MAX_DEPTH);
		if (c->node[at].first != NOBODY) {
			at = c->node[at].first;
			depth++;
			continue;
		}
		while (at != c->root && c->node[at].next == NOBODY) {
			at = c->node[at].parent;
			depth--;
		}
		if (at == c->root)
			break;
		at = c->node[at].next;
	}
	return n < c->nr ? hbc_plan_cycle(c) : 0;
}

/* The first tree holds the nodes of every other one. */
static int hbc_plan_within(const struct hbc_plan_check *c, const struct hbc_plan_check *first)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (hbc_plan_index(first, c->node[i].id) == NOBODY)
			return hbc_plan_refuse(c, "node %u is not in slot %u, which must have all",
					       c->node[i].id, first->shape->slot);
	return 0;
}

static int hbc_plan_check(struct hbc_plan_check *c, const struct hbc_plan_check *first)
{
	int err;

	err = hbc_plan_collect(c);
	if (!err)
		err = hbc_plan_link(c);
	if (!err)
		err = hbc_plan_reach(c);
	if (!err)
		err = hbc_plan_preorder(c);
	if (!err)
		err = c == first ? hbc_plan_members(c) : hbc_plan_within(c, first);
	return err;
}

/* All trees of @plan: 0, -EINVAL with plan->why, or -ENOMEM; @shape holds those checked. */
static int hbc_plan_check_all(struct hbc_plan *plan, const struct hbc_group *group,
			      struct hbc_tree_shape *shape, unsigned int *nr,
			      struct hbc_plan_check *first)
{
	struct hbc_plan_check c;
	unsigned int slot;
	int err = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS && !err; slot++) {
		if (slot != HBC_SLOT_ALL && !plan->tree[slot].nr)
			continue;
		shape[*nr].slot = slot;
		c = (struct hbc_plan_check) {
			.plan = plan, .tree = &plan->tree[slot], .group = group,
			.hn = group->hn, .shape = &shape[*nr],
		};
		++*nr;
		if (slot == HBC_SLOT_ALL) {
			*first = c;
			err = hbc_plan_check(first, first);
		} else {
			err = hbc_plan_check(&c, first);
			kvfree(c.node);
		}
	}
	return err;
}

/* The planned rate of each slot, or the same for all if one of them has none. */
static void hbc_plan_rates(const struct hbc_tree_shape *shape, unsigned int nr, u64 *rate)
{
	bool rates = true;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		rate[shape[i].slot] = hbc_shape_rate(shape[i].nodes);
		rates = rates && rate[shape[i].slot];
	}
	for (i = 0; i < nr && !rates; i++)
		rate[shape[i].slot] = 1;
}

/* Each node's set of slots, and when it has all of a message: 0, -EINVAL, -ENOMEM. */
static int hbc_plan_stages(const struct hbc_plan_check *first, struct hbc_tree_shape *shape,
			   unsigned int nr)
{
	u64 *slots = kvcalloc(first->nr, sizeof(*slots), GFP_KERNEL);
	u8 *stage = kvcalloc(first->nr, sizeof(*stage), GFP_KERNEL);
	u64 rate[HBC_MAX_SLOTS] = {};
	struct hbc_tree_node *node;
	unsigned int i;
	int err = -ENOMEM;
	u32 k, at;

	for (i = 0; i < nr && slots; i++)
		for (k = 0; k < shape[i].nr; k++)
			slots[hbc_plan_index(first, shape[i].nodes[k].node)] |=
				BIT_ULL(shape[i].slot);
	hbc_plan_rates(shape, nr, rate);
	/* The root is in all of them. */
	if (slots && stage)
		err = hbc_stage_rank(slots, first->nr, rate, slots[first->root], stage);
	for (i = 0; i < nr && !err; i++)
		for (k = 0; k < shape[i].nr; k++) {
			node = &shape[i].nodes[k];
			at = hbc_plan_index(first, node->node);
			node->slots = slots[at];
			node->stage = stage[at];
		}
	kvfree(stage);
	kvfree(slots);
	if (err == -E2BIG)
		return hbc_plan_refuse(first, "nodes are in more than %u different sets of trees",
				       HBC_STAGES_MAX);
	return err;
}

static int hbc_plan_apply(struct hbc_group *group, const struct hbc_tree_shape *shape,
			  unsigned int nr, u32 *epoch, struct netlink_ext_ack *extack)
{
	struct hbc_schedule *sched = hbc_schedule_get(group, group->hn->id);
	int err;

	if (IS_ERR(sched)) {
		NL_SET_ERR_MSG(extack, "the group can take no more plans now");
		return PTR_ERR(sched);
	}
	err = hbc_epoch_commit(sched, shape, nr, epoch, extack);
	hbc_schedule_put(sched);
	return err;
}

/* What hbc_plan_apply() would say. */
static int hbc_plan_foresee(struct hbc_group *group, const struct hbc_tree_shape *shape,
			    unsigned int nr, u32 *epoch)
{
	struct hbc_schedule *sched = hbc_schedule_find(group, group->hn->id);

	*epoch = 0;
	if (sched && hbc_epoch_holds(sched, shape, nr, epoch))
		return 1;
	++*epoch;
	return 0;
}

int hbc_plan_commit(struct hbc_plan *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		    struct netlink_ext_ack *extack)
{
	struct hbc_plan_check first = {};
	struct hbc_tree_shape *shape;
	unsigned int nr = 0;
	int err;

	lockdep_assert_held(&group->hn->lock);
	plan->why[0] = 0;
	shape = kcalloc(HBC_MAX_SLOTS, sizeof(*shape), GFP_KERNEL);
	if (!shape)
		return -ENOMEM;
	err = hbc_plan_check_all(plan, group, shape, &nr, &first);
	if (!err)
		err = hbc_plan_stages(&first, shape, nr);
	if (!err)
		err = dry_run ? hbc_plan_foresee(group, shape, nr, epoch) :
				hbc_plan_apply(group, shape, nr, epoch, extack);
	while (nr--)
		kvfree(shape[nr].nodes);
	kfree(shape);
	kvfree(first.node);
	return err;
}
