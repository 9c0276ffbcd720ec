// SPDX-License-Identifier: GPL-2.0
/* The check of an uploaded plan: whether its edges are trees, and trees of the group. */
#include <linux/bsearch.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "config/peer.h"
#include "root/check.h"
#include "root/upload.h"
#include "session/child.h"
#include "wire/shape.h"

#define NOBODY		U32_MAX

/**
 * struct hbc_check_node - a node of the plan while it is checked
 * @id: node id
 * @edge: index of the edge that leads to it, NOBODY for the root
 * @parent: index of its parent, NOBODY for the root
 * @first: index of its first child, or NOBODY
 * @next: index of its parent's next child, or NOBODY
 * @nr_children: number of its children
 * @addr: where it listens
 */
struct hbc_check_node {
	u32 id;
	u32 edge;
	u32 parent;
	u32 first;
	u32 next;
	u32 nr_children;
	const struct sockaddr_storage *addr;
};

/* A check of one tree: @node holds @nr nodes by ascending id, @node[@root] is this node. */
struct hbc_check {
	struct hbc_upload *plan;
	const struct hbc_upload_tree *tree;
	const struct hbc_group *group;
	struct hbc_net *hn;
	struct hbc_check_node *node;
	u32 nr;
	u32 root;
	struct hbc_checked *shape;
};

static __printf(2, 3) int hbc_check_refuse(const struct hbc_check *c, const char *fmt, ...)
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

static int hbc_check_compare(const void *a, const void *b)
{
	const struct hbc_check_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Index of the node @id, or NOBODY. */
static u32 hbc_check_index(const struct hbc_check *c, u32 id)
{
	struct hbc_check_node key = { .id = id };
	const struct hbc_check_node *node;

	node = bsearch(&key, c->node, c->nr, sizeof(key), hbc_check_compare);
	return node ? node - c->node : NOBODY;
}

static int hbc_check_twice(const struct hbc_check *c, const struct hbc_check_node *a,
			   const struct hbc_check_node *b)
{
	const struct hbc_upload_edge *edge = c->tree->edge;

	if (a->edge == NOBODY || b->edge == NOBODY)
		return hbc_check_refuse(c, "this node, %u, is the root and can be nobody's child",
				       a->id);
	return hbc_check_refuse(c, "node %u has two parents, %u and %u", a->id,
			       edge[min(a->edge, b->edge)].parent,
			       edge[max(a->edge, b->edge)].parent);
}

/* Every node once: this one, and the children. */
static int hbc_check_collect(struct hbc_check *c)
{
	const struct hbc_upload_tree *tree = c->tree;
	u32 i;

	if (!tree->nr)
		return hbc_check_refuse(c, "the plan has no edges");
	c->nr = tree->nr + 1;
	if (c->nr > READ_ONCE(c->group->config.max_nodes))
		return hbc_check_refuse(c, "the tree has %u nodes, more than the group's max-nodes",
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
	sort(c->node, c->nr, sizeof(*c->node), hbc_check_compare, NULL);
	for (i = 1; i < c->nr; i++) {
		if (c->node[i - 1].id == c->node[i].id)
			return hbc_check_twice(c, &c->node[i - 1], &c->node[i]);
	}
	c->root = hbc_check_index(c, c->hn->id);
	return 0;
}

/* Parents and children, the children of each in the order of the edges. */
static int hbc_check_link(struct hbc_check *c)
{
	const struct hbc_upload_edge *edge;
	struct hbc_check_node *parent;
	u32 i, to;

	for (i = c->tree->nr; i-- > 0;) {
		edge = &c->tree->edge[i];
		to = hbc_check_index(c, edge->child);
		c->node[to].parent = hbc_check_index(c, edge->parent);
		if (c->node[to].parent == NOBODY)
			return hbc_check_refuse(c, "node %u has a child, %u, but no parent",
					       edge->parent, edge->child);
		parent = &c->node[c->node[to].parent];
		c->node[to].next = parent->first;
		parent->first = to;
		parent->nr_children++;
	}
	if (!c->node[c->root].nr_children)
		return hbc_check_refuse(c, "this node, %u, must be the root, but has no children",
				       c->hn->id);
	return 0;
}

/* Where nodes listen. */
static int hbc_check_reach(struct hbc_check *c)
{
	const struct hbc_peer *peer;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		peer = hbc_peer_find(c->hn, c->node[i].id);
		if (i != c->root && !peer)
			return hbc_check_refuse(c, "node %u is no peer of this node; add it first",
					       c->node[i].id);
		c->node[i].addr = i == c->root ? &c->hn->addr : &peer->addr;
	}
	return 0;
}

/* The tree holds the members and nobody else. */
static int hbc_check_members(const struct hbc_check *c)
{
	const struct hbc_group *group = c->group;
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (!hbc_group_lists(group->members, group->nr_members, c->node[i].id))
			return hbc_check_refuse(c, "node %u is no member of the group",
						c->node[i].id);
	for (i = 0; i < group->nr_members; i++)
		if (hbc_check_index(c, group->members[i]) == NOBODY)
			return hbc_check_refuse(c, "member %u is missing from the tree",
						group->members[i]);
	return 0;
}

static void hbc_check_emit(const struct hbc_check *c, u32 at, struct hbc_wire_node *out)
{
	const struct hbc_check_node *node = &c->node[at];

	out->node = cpu_to_be32(node->id);
	out->nr_children = cpu_to_be32(node->nr_children);
	out->rate = cpu_to_be64(node->edge == NOBODY ? 0 : c->tree->edge[node->edge].rate);
	hbc_addr_put(node->addr, &out->family, &out->port, out->addr);
}

/* A node that the root does not reach: its way up never ends. */
static int hbc_check_cycle(const struct hbc_check *c)
{
	u32 at, i, up;

	for (at = 0;; at++) {
		for (up = at, i = 0; up != c->root && i < c->nr; i++)
			up = c->node[up].parent;
		if (up != c->root)
			break;
	}
	/* After as many steps as there are nodes it goes round. */
	return hbc_check_refuse(c, "the edges into node %u and above it go round in a circle",
			       c->node[up].id);
}

/*
 * The tree in preorder. Every node has one parent, so each that is reached from
 * the root is reached once, and the walk ends.
 */
static int hbc_check_preorder(struct hbc_check *c)
{
	u32 at = c->root, depth = 0, n = 0;

	c->shape->nr = c->nr;
	c->shape->nodes = kvcalloc(c->nr, sizeof(*c->shape->nodes), GFP_KERNEL);
	if (!c->shape->nodes)
		return -ENOMEM;
	for (;;) {
		hbc_check_emit(c, at, &c->shape->nodes[n++]);
		if (depth > HBC_MAX_DEPTH)
			return hbc_check_refuse(c, "node %u is more than %u edges below the root",
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
	return n < c->nr ? hbc_check_cycle(c) : 0;
}

/* The first tree holds the nodes of every other one. */
static int hbc_check_within(const struct hbc_check *c, const struct hbc_check *first)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (hbc_check_index(first, c->node[i].id) == NOBODY)
			return hbc_check_refuse(c, "node %u is not in slot %u, which must have all",
					       c->node[i].id, first->shape->slot);
	return 0;
}

static int hbc_check_one(struct hbc_check *c, const struct hbc_check *first)
{
	int err;

	err = hbc_check_collect(c);
	if (!err)
		err = hbc_check_link(c);
	if (!err)
		err = hbc_check_reach(c);
	if (!err)
		err = hbc_check_preorder(c);
	if (!err)
		err = c == first ? hbc_check_members(c) : hbc_check_within(c, first);
	return err;
}

/* All trees of @plan; @first, with its nodes, is the first of them. */
static int hbc_check_all(struct hbc_upload *plan, const struct hbc_group *group,
			 struct hbc_checked *shape, unsigned int *nr,
			      struct hbc_check *first)
{
	struct hbc_check c;
	unsigned int slot;
	int err = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS && !err; slot++) {
		if (slot != HBC_SLOT_ALL && !plan->tree[slot].nr)
			continue;
		shape[*nr].slot = slot;
		c = (struct hbc_check) {
			.plan = plan, .tree = &plan->tree[slot], .group = group,
			.hn = group->hn, .shape = &shape[*nr],
		};
		++*nr;
		if (slot == HBC_SLOT_ALL) {
			*first = c;
			err = hbc_check_one(first, first);
		} else {
			err = hbc_check_one(&c, first);
			kvfree(c.node);
		}
	}
	return err;
}

/* Each node's set of slots. */
static int hbc_check_slots(const struct hbc_check *first, struct hbc_checked *shape,
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
			slots[hbc_check_index(first, be32_to_cpu(shape[i].nodes[k].node))] |=
				BIT_ULL(shape[i].slot);
	for (i = 0; i < nr; i++)
		for (k = 0; k < shape[i].nr; k++) {
			node = &shape[i].nodes[k];
			node->slots = cpu_to_be64(slots[hbc_check_index(first,
									be32_to_cpu(node->node))]);
		}
	kvfree(slots);
	return 0;
}

/* This node's children in all trees. */
static int hbc_check_children(struct hbc_check *first, const struct hbc_checked *shape,
			      unsigned int nr)
{
	unsigned int i;
	u32 sum = 0;

	for (i = 0; i < nr; i++)
		sum += be32_to_cpu(shape[i].nodes[0].nr_children);
	if (sum <= HBC_CHILDREN_MAX)
		return 0;
	return hbc_check_refuse(first, "this node has %u children in all trees, more than %u",
				sum, HBC_CHILDREN_MAX);
}

int hbc_check_plan(struct hbc_upload *plan, const struct hbc_group *group,
		   struct hbc_checked *tree, unsigned int *nr)
{
	struct hbc_check first = {};
	int err;

	err = hbc_check_all(plan, group, tree, nr, &first) ?:
	      hbc_check_children(&first, tree, *nr) ?: hbc_check_slots(&first, tree, *nr);
	kvfree(first.node);
	return err;
}
