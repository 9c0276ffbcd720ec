// SPDX-License-Identifier: GPL-2.0
/* The check of an uploaded plan: whether its edges are trees, and trees of the group. */
#include <linux/bsearch.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "config/addr.h"
#include "config/group.h"
#include "config/node.h"
#include "config/peer.h"
#include "root/upload.h"
#include "session/child.h"
#include "wire/shape.h"

#define NOBODY		U32_MAX

/**
 * struct hbc_check_node - a node of the plan while it is checked
 * @id: node id; the first, for hbc_shape_compare()
 * @nr_children: number of its children; in the tree that is looked at, as all that follows
 * @slots: set of slots that it is in; in all trees
 * @rate: of the edge that leads to it, 0 for the root
 * @parent: index of its parent, NOBODY for the root
 * @first: index of its first child, or NOBODY
 * @next: index of its parent's next child, or NOBODY
 */
struct hbc_check_node {
	u32 id;
	u32 nr_children;
	u64 slots;
	u64 rate;
	u32 parent;
	u32 first;
	u32 next;
};

/*
 * A check of @plan, whose tree of @slot is looked at: @node holds @nr nodes, those of slot 0, by
 * ascending id, @node[@root] is this node, which has @children in all trees.
 */
struct hbc_check {
	struct hbc_upload *plan;
	const struct hbc_group *group;
	struct hbc_check_node *node;
	u32 nr;
	u32 root;
	u32 children;
	u8 slot;
};

static __printf(2, 3) int hbc_check_refuse(const struct hbc_check *c, const char *fmt, ...)
{
	va_list args;
	int n = 0;

	if (c->slot != HBC_SLOT_ALL)
		n = scnprintf(c->plan->why, sizeof(c->plan->why), "slot %u: ", c->slot);
	va_start(args, fmt);
	vscnprintf(c->plan->why + n, sizeof(c->plan->why) - n, fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Index of the node @id, or NOBODY. */
static u32 hbc_check_index(const struct hbc_check *c, u32 id)
{
	const struct hbc_check_node *node;

	node = bsearch(&id, c->node, c->nr, sizeof(*node), hbc_shape_compare);
	return node ? node - c->node : NOBODY;
}

/* Whether the node is in the tree that is looked at. */
static bool hbc_check_has(const struct hbc_check *c, u32 at)
{
	return at != NOBODY && c->node[at].slots & BIT_ULL(c->slot);
}

/* This node, and the children of slot 0; some of them twice, if that is wrong. */
static int hbc_check_collect(struct hbc_check *c)
{
	const struct hbc_upload_tree *tree = &c->plan->tree[HBC_SLOT_ALL];
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
	c->node[tree->nr].id = c->group->hn->id;
	for (i = 0; i < tree->nr; i++)
		c->node[i].id = tree->edge[i].child;
	sort(c->node, c->nr, sizeof(*c->node), hbc_shape_compare, NULL);
	c->root = hbc_check_index(c, c->group->hn->id);
	return 0;
}

static int hbc_check_twice(const struct hbc_check *c, const struct hbc_upload_edge *edge)
{
	const struct hbc_upload_edge *before = c->plan->tree[c->slot].edge;

	while (before->child != edge->child)
		before++;
	return hbc_check_refuse(c, "node %u has two parents, %u and %u", edge->child,
				before->parent, edge->parent);
}

/* Which nodes are in the tree: this one, and each child once, as far as slot 0 has it. */
static int hbc_check_mark(struct hbc_check *c)
{
	const struct hbc_upload_tree *tree = &c->plan->tree[c->slot];
	const struct hbc_upload_edge *edge;
	u32 at;

	c->node[c->root].slots |= BIT_ULL(c->slot);
	for (edge = tree->edge; edge < tree->edge + tree->nr; edge++) {
		at = hbc_check_index(c, edge->child);
		if (at == NOBODY)
			continue;
		if (at == c->root)
			return hbc_check_refuse(c, "this node, %u, is the root and nobody's child",
						edge->child);
		if (hbc_check_has(c, at))
			return hbc_check_twice(c, edge);
		c->node[at].slots |= BIT_ULL(c->slot);
	}
	return 0;
}

/* Parents and children, the children of each in the order of the edges. */
static int hbc_check_link(struct hbc_check *c)
{
	const struct hbc_upload_tree *tree = &c->plan->tree[c->slot];
	const struct hbc_upload_edge *edge;
	struct hbc_check_node *node;
	u32 i, at, up;

	for (i = 0; i < c->nr; i++) {
		c->node[i].nr_children = 0;
		c->node[i].first = NOBODY;
	}
	for (i = tree->nr; i-- > 0;) {
		edge = &tree->edge[i];
		at = hbc_check_index(c, edge->child);
		if (at == NOBODY)
			return hbc_check_refuse(c, "node %u is not in slot %u, which must have all",
						edge->child, HBC_SLOT_ALL);
		up = hbc_check_index(c, edge->parent);
		if (!hbc_check_has(c, up))
			return hbc_check_refuse(c, "node %u has a child, %u, but no parent",
						edge->parent, edge->child);
		node = &c->node[at];
		node->rate = edge->rate;
		node->parent = up;
		node->next = c->node[up].first;
		c->node[up].first = at;
		c->node[up].nr_children++;
	}
	if (!c->node[c->root].nr_children)
		return hbc_check_refuse(c, "this node, %u, must be the root, but has no children",
					c->node[c->root].id);
	c->children += c->node[c->root].nr_children;
	return 0;
}

static int hbc_check_emit(const struct hbc_check *c, u32 at, struct hbc_wire_node *out)
{
	const struct hbc_check_node *node = &c->node[at];
	struct hbc_net *hn = c->group->hn;
	const struct hbc_peer *peer = hbc_peer_find(hn, node->id);

	if (at != c->root && !peer)
		return hbc_check_refuse(c, "node %u is no peer of this node; add it first",
					node->id);
	out->node = cpu_to_be32(node->id);
	out->nr_children = cpu_to_be32(node->nr_children);
	out->rate = cpu_to_be64(node->rate);
	out->slots = cpu_to_be64(node->slots);
	hbc_addr_put(at == c->root ? &hn->addr : &peer->addr, &out->family, &out->port, out->addr);
	return 0;
}

/* A node that the root does not reach: its way up never ends. */
static int hbc_check_cycle(const struct hbc_check *c)
{
	u32 at, i, up;

	for (at = 0;; at++) {
		if (!hbc_check_has(c, at))
			continue;
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
	struct hbc_upload_tree *tree = &c->plan->tree[c->slot];
	u32 at = c->root, depth = 0, n = 0;
	int err;

	tree->node = kvcalloc(tree->nr + 1, sizeof(*tree->node), GFP_KERNEL);
	if (!tree->node)
		return -ENOMEM;
	for (;;) {
		err = hbc_check_emit(c, at, &tree->node[n++]);
		if (err)
			return err;
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
	return n <= tree->nr ? hbc_check_cycle(c) : 0;
}

/* Slot 0 holds the members and nobody else. */
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

/* Does @step for each tree; then slot 0 is looked at again. */
static int hbc_check_each(struct hbc_check *c, int (*step)(struct hbc_check *c))
{
	unsigned int slot;
	int err = 0;

	for (slot = 0; slot < HBC_MAX_SLOTS && !err; slot++) {
		c->slot = slot;
		if (c->plan->tree[slot].nr)
			err = step(c);
	}
	c->slot = HBC_SLOT_ALL;
	return err;
}

static int hbc_check_tree(struct hbc_check *c)
{
	int err = hbc_check_link(c) ?: hbc_check_preorder(c);

	return err || c->slot != HBC_SLOT_ALL ? err : hbc_check_members(c);
}

int hbc_check_plan(struct hbc_upload *plan, const struct hbc_group *group)
{
	struct hbc_check c = { .plan = plan, .group = group };
	int err;

	err = hbc_check_collect(&c) ?: hbc_check_each(&c, hbc_check_mark) ?:
	      hbc_check_each(&c, hbc_check_tree);
	kvfree(c.node);
	if (err || c.children <= HBC_CHILDREN_MAX)
		return err;
	return hbc_check_refuse(&c, "this node has %u children in all trees, more than %u",
				c.children, HBC_CHILDREN_MAX);
}
