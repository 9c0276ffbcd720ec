// SPDX-License-Identifier: GPL-2.0
/* An upload of a plan, and whether it is one. */
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

#include "config/group.h"
#include "config/node.h"
#include "config/peer.h"
#include "root/origin.h"
#include "root/upload.h"
#include "session/session.h"
#include "session/tree.h"
#include "wire/shape.h"

#define HBC_UPLOAD_EDGES	(HBC_MAX_MEMBERS - 1)
#define NOBODY		U32_MAX

/**
 * struct hbc_upload_node - a node of the plan while it is checked
 * @id: node id
 * @edge: index of the edge that leads to it, NOBODY for the root
 * @parent: index of its parent, NOBODY for the root
 * @first: index of its first child, or NOBODY
 * @next: index of its parent's next child, or NOBODY
 * @nr_children: number of its children
 * @addr: where it listens
 */
struct hbc_upload_node {
	u32 id;
	u32 edge;
	u32 parent;
	u32 first;
	u32 next;
	u32 nr_children;
	const struct sockaddr_storage *addr;
};

/* A check of one tree: @node holds @nr nodes by ascending id, @node[@root] is this node. */
struct hbc_upload_check {
	struct hbc_upload *plan;
	const struct hbc_upload_tree *tree;
	const struct hbc_group *group;
	struct hbc_net *hn;
	struct hbc_upload_node *node;
	u32 nr;
	u32 root;
	struct hbc_upload_shape *shape;
};

/* A tree that has been checked: kvmalloc()ed nodes in preorder. */
struct hbc_upload_shape {
	u8 slot;
	u32 nr;
	struct hbc_wire_node *nodes;
};

int hbc_upload_begin(struct hbc_net *hn, u32 portid, u32 group, u8 flags,
		   struct netlink_ext_ack *extack)
{
	struct hbc_upload *plan;

	lockdep_assert_held(&hn->lock);
	if (hbc_upload_find(hn, portid, group)) {
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

struct hbc_upload *hbc_upload_find(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_upload *plan;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(plan, &hn->plans, link) {
		if (plan->portid == portid && plan->group == group)
			return plan;
	}
	return NULL;
}

void hbc_upload_free(struct hbc_net *hn, struct hbc_upload *plan)
{
	unsigned int slot;

	lockdep_assert_held(&hn->lock);
	list_del(&plan->link);
	hn->nr_plans--;
	for (slot = 0; slot < HBC_MAX_SLOTS; slot++)
		kvfree(plan->tree[slot].edge);
	kfree(plan);
}

void hbc_upload_flush(struct hbc_net *hn, u32 portid, u32 group)
{
	struct hbc_upload *plan, *next;

	list_for_each_entry_safe(plan, next, &hn->plans, link) {
		if ((!portid || plan->portid == portid) && (!group || plan->group == group))
			hbc_upload_free(hn, plan);
	}
}

int hbc_upload_add(struct hbc_upload *plan, u8 slot, const struct hbc_upload_edge *edge)
{
	struct hbc_upload_tree *tree = &plan->tree[slot];

	if (tree->nr >= HBC_UPLOAD_EDGES)
		return -E2BIG;
	if (!tree->edge)
		tree->edge = kvmalloc_array(HBC_UPLOAD_EDGES, sizeof(*edge), GFP_KERNEL_ACCOUNT);
	if (!tree->edge)
		return -ENOMEM;
	tree->edge[tree->nr++] = *edge;
	return 0;
}

static __printf(2, 3) int hbc_upload_refuse(const struct hbc_upload_check *c, const char *fmt, ...)
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

static int hbc_upload_compare(const void *a, const void *b)
{
	const struct hbc_upload_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Index of the node @id, or NOBODY. */
static u32 hbc_upload_index(const struct hbc_upload_check *c, u32 id)
{
	struct hbc_upload_node key = { .id = id };
	const struct hbc_upload_node *node;

	node = bsearch(&key, c->node, c->nr, sizeof(key), hbc_upload_compare);
	return node ? node - c->node : NOBODY;
}

static int hbc_upload_twice(const struct hbc_upload_check *c, const struct hbc_upload_node *a,
			  const struct hbc_upload_node *b)
{
	const struct hbc_upload_edge *edge = c->tree->edge;

	if (a->edge == NOBODY || b->edge == NOBODY)
		return hbc_upload_refuse(c, "this node, %u, is the root and can be nobody's child",
				       a->id);
	return hbc_upload_refuse(c, "node %u has two parents, %u and %u", a->id,
			       edge[min(a->edge, b->edge)].parent,
			       edge[max(a->edge, b->edge)].parent);
}

/* Every node once: this one, and the children. */
static int hbc_upload_collect(struct hbc_upload_check *c)
{
	const struct hbc_upload_tree *tree = c->tree;
	u32 i;

	if (!tree->nr)
		return hbc_upload_refuse(c, "the plan has no edges");
	c->nr = tree->nr + 1;
	if (c->nr > READ_ONCE(c->group->config.max_nodes))
		return hbc_upload_refuse(c, "the tree has %u nodes, more than the group's max-nodes",
					 c->nr);
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
	sort(c->node, c->nr, sizeof(*c->node), hbc_upload_compare, NULL);
	for (i = 1; i < c->nr; i++) {
		if (c->node[i - 1].id == c->node[i].id)
			return hbc_upload_twice(c, &c->node[i - 1], &c->node[i]);
	}
	c->root = hbc_upload_index(c, c->hn->id);
	return 0;
}

/* Parents and children, the children of each in the order of the edges. */
static int hbc_upload_link(struct hbc_upload_check *c)
{
	const struct hbc_upload_edge *edge;
	struct hbc_upload_node *parent;
	u32 i, to;

	for (i = c->tree->nr; i-- > 0;) {
		edge = &c->tree->edge[i];
		to = hbc_upload_index(c, edge->child);
		c->node[to].parent = hbc_upload_index(c, edge->parent);
		if (c->node[to].parent == NOBODY)
			return hbc_upload_refuse(c, "node %u has a child, %u, but no parent",
					       edge->parent, edge->child);
		parent = &c->node[c->node[to].parent];
		c->node[to].next = parent->first;
		parent->first = to;
		parent->nr_children++;
	}
	if (!c->node[c->root].nr_children)
		return hbc_upload_refuse(c, "this node, %u, must be the root, but has no children",
				       c->hn->id);
	return 0;
}

/* Addresses: this node's own, and its peers', which are by ascending id too. */
static int hbc_upload_reach(struct hbc_upload_check *c)
{
	struct list_head *head = &c->hn->peers, *at = head->next;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		struct hbc_upload_node *node = &c->node[i];

		if (i == c->root) {
			node->addr = &c->hn->addr;
			continue;
		}
		while (at != head && list_entry(at, struct hbc_peer, link)->id < node->id)
			at = at->next;
		if (at == head || list_entry(at, struct hbc_peer, link)->id != node->id)
			return hbc_upload_refuse(c, "node %u is no peer of this node; add it first",
					       node->id);
		node->addr = &list_entry(at, struct hbc_peer, link)->addr;
	}
	return 0;
}

/* The tree holds the members and nobody else. */
static int hbc_upload_members(const struct hbc_upload_check *c)
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
			return hbc_upload_refuse(c, "node %u is no member of the group", id);
		m++;
	}
	if (m < group->nr_members)
		return hbc_upload_refuse(c, "member %u is missing from the tree",
				       group->members[m]);
	return 0;
}

static void hbc_upload_emit(const struct hbc_upload_check *c, u32 at, struct hbc_wire_node *out)
{
	const struct hbc_upload_node *node = &c->node[at];
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)node->addr;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)node->addr;

	out->node = cpu_to_be32(node->id);
	out->nr_children = cpu_to_be32(node->nr_children);
	out->rate = cpu_to_be64(node->edge == NOBODY ? 0 : c->tree->edge[node->edge].rate);
	if (node->addr->ss_family == AF_INET6) {
		out->family = 6;
		out->port = sin6->sin6_port;
		memcpy(out->addr, &sin6->sin6_addr, sizeof(out->addr));
	} else {
		out->family = 4;
		out->port = sin->sin_port;
		memcpy(out->addr, &sin->sin_addr, sizeof(sin->sin_addr));
	}
}

/* A node that the root does not reach: its way up never ends. */
static int hbc_upload_cycle(const struct hbc_upload_check *c)
{
	u32 at, i, up;

	for (at = 0;; at++) {
		for (up = at, i = 0; up != c->root && i < c->nr; i++)
			up = c->node[up].parent;
		if (up != c->root)
			break;
	}
	/* After as many steps as there are nodes it goes round. */
	return hbc_upload_refuse(c, "the edges into node %u and above it go round in a circle",
			       c->node[up].id);
}

/*
 * The tree in preorder. Every node has one parent, so each that is reached from
 * the root is reached once, and the walk ends.
 */
static int hbc_upload_preorder(struct hbc_upload_check *c)
{
	u32 at = c->root, depth = 0, n = 0;

	c->shape->nr = c->nr;
	c->shape->nodes = kvcalloc(c->nr, sizeof(*c->shape->nodes), GFP_KERNEL);
	if (!c->shape->nodes)
		return -ENOMEM;
	for (;;) {
		hbc_upload_emit(c, at, &c->shape->nodes[n++]);
		if (depth > HBC_MAX_DEPTH)
			return hbc_upload_refuse(c, "node %u is more than %u edges below the root",
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
	return n < c->nr ? hbc_upload_cycle(c) : 0;
}

/* The first tree holds the nodes of every other one. */
static int hbc_upload_within(const struct hbc_upload_check *c, const struct hbc_upload_check *first)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (hbc_upload_index(first, c->node[i].id) == NOBODY)
			return hbc_upload_refuse(c, "node %u is not in slot %u, which must have all",
					       c->node[i].id, first->shape->slot);
	return 0;
}

static int hbc_upload_check(struct hbc_upload_check *c, const struct hbc_upload_check *first)
{
	int err;

	err = hbc_upload_collect(c);
	if (!err)
		err = hbc_upload_link(c);
	if (!err)
		err = hbc_upload_reach(c);
	if (!err)
		err = hbc_upload_preorder(c);
	if (!err)
		err = c == first ? hbc_upload_members(c) : hbc_upload_within(c, first);
	return err;
}

/* All trees of @plan: 0, -EINVAL with plan->why, or -ENOMEM; @shape holds those checked. */
static int hbc_upload_check_all(struct hbc_upload *plan, const struct hbc_group *group,
			      struct hbc_upload_shape *shape, unsigned int *nr,
			      struct hbc_upload_check *first)
{
	struct hbc_upload_check c;
	unsigned int slot;
	int err = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS && !err; slot++) {
		if (slot != HBC_SLOT_ALL && !plan->tree[slot].nr)
			continue;
		shape[*nr].slot = slot;
		c = (struct hbc_upload_check) {
			.plan = plan, .tree = &plan->tree[slot], .group = group,
			.hn = group->hn, .shape = &shape[*nr],
		};
		++*nr;
		if (slot == HBC_SLOT_ALL) {
			*first = c;
			err = hbc_upload_check(first, first);
		} else {
			err = hbc_upload_check(&c, first);
			kvfree(c.node);
		}
	}
	return err;
}

/* Each node's set of slots. */
static int hbc_upload_slots(const struct hbc_upload_check *first, struct hbc_upload_shape *shape,
			    unsigned int nr)
{
	u64 *slots = kvcalloc(first->nr, sizeof(*slots), GFP_KERNEL);
	struct hbc_wire_node *node;
	unsigned int i;
	u32 k;

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		for (k = 0; k < shape[i].nr; k++)
			slots[hbc_upload_index(first, be32_to_cpu(shape[i].nodes[k].node))] |=
				BIT_ULL(shape[i].slot);
	for (i = 0; i < nr; i++)
		for (k = 0; k < shape[i].nr; k++) {
			node = &shape[i].nodes[k];
			node->slots = cpu_to_be64(slots[hbc_upload_index(first,
							be32_to_cpu(node->node))]);
		}
	kvfree(slots);
	return 0;
}

/* Multipliers: powers of the inverse of x, where x^(nr + 1) = x + 1, as fractions of 2^64. */

#define HBC_UPLOAD_FRACTION	60	/* bits */
#define HBC_UPLOAD_ONE		BIT_ULL(HBC_UPLOAD_FRACTION)

static u64 hbc_upload_mul(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, HBC_UPLOAD_FRACTION);
}

/* x^@n, or four if that is more. */
static u64 hbc_upload_power(u64 x, unsigned int n)
{
	u64 power = HBC_UPLOAD_ONE;

	while (n-- && power < 4 * HBC_UPLOAD_ONE)
		power = hbc_upload_mul(power, x);
	return power;
}

static void hbc_upload_steps(u64 *step, unsigned int nr)
{
	u64 low = HBC_UPLOAD_ONE, high = 2 * HBC_UPLOAD_ONE, x, inverse, power = HBC_UPLOAD_ONE;
	unsigned int i;

	while (high - low > 1) {
		x = low + (high - low) / 2;
		if (hbc_upload_power(x, nr + 1) > x + HBC_UPLOAD_ONE)
			high = x;
		else
			low = x;
	}
	/* x^nr = 1 + 1 / x. */
	inverse = hbc_upload_power(low, nr) - HBC_UPLOAD_ONE;
	for (i = 0; i < nr; i++) {
		power = hbc_upload_mul(power, inverse);
		step[i] = power << (64 - HBC_UPLOAD_FRACTION);
	}
}

/* PLAN of an epoch of these trees: with a reference, or NULL. */
static struct hbc_plan *hbc_upload_plan(const struct hbc_upload_shape *shape, unsigned int nr,
					u32 epoch, u8 flags)
{
	unsigned int len = sizeof(struct hbc_wire_plan) + nr * sizeof(struct hbc_wire_slot), i;
	struct hbc_wire_plan *w = kzalloc(len, GFP_KERNEL);
	u64 step[HBC_MAX_SLOTS], slots = 0;
	struct hbc_plan *plan;
	bool rates = true;

	if (!w)
		return NULL;
	hbc_upload_steps(step, nr);
	for (i = 0; i < nr; i++) {
		u64 rate = hbc_shape_rate(shape[i].nodes);

		rates = rates && rate;
		slots |= BIT_ULL(shape[i].slot);
		w->slot[i].rate = cpu_to_be64(rate);
		w->slot[i].step = cpu_to_be64(step[i]);
	}
	for (i = 0; i < nr && !rates; i++)
		w->slot[i].rate = cpu_to_be64(1);
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PLAN, 0, len);
	w->epoch = cpu_to_be32(epoch);
	w->slots = cpu_to_be64(slots);
	w->flags = flags;
	plan = hbc_plan_new(w, len);
	kfree(w);
	return plan;
}

/* Trees of the shapes, whose nodes they take over: 0 or -errno; @tree holds those made. */
static int hbc_upload_trees(struct hbc_upload_shape *shape, unsigned int nr, struct hbc_plan *plan,
			    u32 self, struct hbc_tree **tree)
{
	struct hbc_tree *made;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		made = hbc_tree_new(plan, shape[i].slot, shape[i].nodes, shape[i].nr, self);
		if (IS_ERR(made))
			return PTR_ERR(made);
		shape[i].nodes = NULL;
		tree[i] = made;
	}
	return 0;
}

/* Whether the session's newest plan is this one. hn->lock held. */
static bool hbc_upload_same(struct hbc_session *s, const struct hbc_upload_shape *shape,
			    unsigned int nr, u8 flags)
{
	const struct hbc_tree *tree;
	unsigned int slot, i = 0;
	bool same = true;

	if (!s || !s->origin->epoch)
		return false;
	spin_lock_bh(&s->lock);
	for (slot = 0; slot < HBC_MAX_SLOTS && same; slot++) {
		tree = s->tree[slot];
		if (!tree)
			continue;
		same = i < nr && shape[i].slot == slot && shape[i].nr == tree->nr &&
		       tree->plan->wire.flags == flags &&
		       !memcmp(shape[i].nodes, tree->node, tree->nr * sizeof(tree->node[0]));
		i++;
	}
	spin_unlock_bh(&s->lock);
	return same && i == nr;
}

static int hbc_upload_apply(struct hbc_group *group, struct hbc_upload_shape *shape,
			    unsigned int nr, u8 flags, u32 epoch, struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_origin_session(group);
	struct hbc_plan *plan = NULL;
	struct hbc_tree **tree;
	unsigned int i;
	int err = -ENOMEM;

	if (IS_ERR(s)) {
		NL_SET_ERR_MSG(extack, "the group can take no more plans now");
		return PTR_ERR(s);
	}
	tree = kcalloc(nr, sizeof(*tree), GFP_KERNEL);
	if (tree)
		plan = hbc_upload_plan(shape, nr, epoch, flags);
	if (plan)
		err = hbc_upload_trees(shape, nr, plan, group->hn->id, tree) ?:
		      hbc_origin_apply(s, tree, nr);
	for (i = 0; tree && i < nr; i++)
		hbc_tree_put(tree[i]);
	kfree(tree);
	hbc_plan_put(plan);
	hbc_session_put(s);
	return err;
}

int hbc_upload_commit(struct hbc_upload *plan, struct hbc_group *group, bool dry_run, u32 *epoch,
		      struct netlink_ext_ack *extack)
{
	struct hbc_session *s = hbc_session_find(group, group->hn->id, 0);
	struct hbc_upload_check first = {};
	struct hbc_upload_shape *shape;
	unsigned int nr = 0;
	int err;

	lockdep_assert_held(&group->hn->lock);
	plan->why[0] = 0;
	*epoch = s ? s->origin->epoch : 0;
	shape = kcalloc(HBC_MAX_SLOTS, sizeof(*shape), GFP_KERNEL);
	if (!shape)
		return -ENOMEM;
	err = hbc_upload_check_all(plan, group, shape, &nr, &first) ?:
	      hbc_upload_slots(&first, shape, nr);
	if (!err && hbc_upload_same(s, shape, nr, plan->flags)) {
		err = 1;
	} else if (!err) {
		++*epoch;
		if (!dry_run)
			err = hbc_upload_apply(group, shape, nr, plan->flags, *epoch, extack);
	}
	while (nr--)
		kvfree(shape[nr].nodes);
	kfree(shape);
	kvfree(first.node);
	return err;
}
