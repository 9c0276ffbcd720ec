// SPDX-License-Identifier: GPL-2.0
/* Plans and trees as a node knows them. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "config/group.h"
#include "session/tree.h"
#include "wire/shape.h"

struct hbc_plan *hbc_plan_new(const struct hbc_wire_plan *wire)
{
	unsigned int len = be16_to_cpu(wire->hdr.length);
	struct hbc_plan *plan = kmalloc(offsetof(struct hbc_plan, wire) + len, HBC_GFP_GROUP);

	if (!plan)
		return NULL;
	kref_init(&plan->ref);
	memcpy((u8 *)plan + offsetof(struct hbc_plan, wire), wire, len);
	hbc_slots_fill(&plan->slots, &plan->wire);
	return plan;
}

static void hbc_plan_free(struct kref *ref)
{
	kfree(container_of(ref, struct hbc_plan, ref));
}

void hbc_plan_put(struct hbc_plan *plan)
{
	if (plan)
		kref_put(&plan->ref, hbc_plan_free);
}

static void hbc_tree_link(struct hbc_tree *tree)
{
	struct hbc_edge *edge = tree->edge;
	u32 at = 1, i;

	for (; at < tree->nr; at += edge->size, edge++) {
		edge->first = at;
		edge->size = hbc_shape_size(tree->node, at);
		edge->route.slots = tree->plan->slots;
		edge->route.slot = tree->slot;
		edge->route.child = be64_to_cpu(tree->node[at].slots);
		for (i = at; i < at + edge->size; i++)
			hbc_route_add(&edge->route, be64_to_cpu(tree->node[i].slots));
	}
}

struct hbc_tree *hbc_tree_new(struct hbc_plan *plan, u8 slot, struct hbc_wire_node *node, u32 nr,
			      u32 self)
{
	struct hbc_tree *tree;
	u32 edges, i;
	int err;

	err = hbc_shape_check(node, nr, self);
	if (err)
		return ERR_PTR(err);
	/* Each node is in the tree, and in no slot that the plan lacks. */
	for (i = 0; i < nr; i++)
		if (!(be64_to_cpu(node[i].slots) & BIT_ULL(slot)) ||
		    be64_to_cpu(node[i].slots) & ~plan->slots.set)
			return ERR_PTR(-EBADMSG);
	edges = be32_to_cpu(node[0].nr_children);
	tree = kvzalloc(struct_size(tree, edge, edges), HBC_GFP_GROUP);
	if (!tree)
		return ERR_PTR(-ENOMEM);
	kref_init(&tree->ref);
	kref_get(&plan->ref);
	tree->plan = plan;
	tree->epoch = be32_to_cpu(plan->wire.epoch);
	tree->slot = slot;
	tree->nr = nr;
	tree->node = node;
	tree->nr_edges = edges;
	hbc_tree_link(tree);
	return tree;
}

struct hbc_tree *hbc_tree_adopt(const struct hbc_tree *tree, unsigned int edge)
{
	struct hbc_wire_node *node = kvmalloc_array(tree->nr, sizeof(*node), HBC_GFP_GROUP);
	u32 at = tree->edge[edge].first;
	struct hbc_tree *adopted;

	if (!node)
		return ERR_PTR(-ENOMEM);
	memcpy(node, tree->node, tree->nr * sizeof(*node));
	/* In preorder its children follow it: they do so as its siblings, too. */
	be32_add_cpu(&node[0].nr_children, be32_to_cpu(node[at].nr_children));
	node[at].nr_children = 0;
	adopted = hbc_tree_new(tree->plan, tree->slot, node, tree->nr, be32_to_cpu(node[0].node));
	if (IS_ERR(adopted))
		kvfree(node);
	return adopted;
}

static void hbc_tree_free(struct kref *ref)
{
	struct hbc_tree *tree = container_of(ref, struct hbc_tree, ref);

	hbc_plan_put(tree->plan);
	kvfree(tree->node);
	kvfree(tree);
}

void hbc_tree_put(struct hbc_tree *tree)
{
	if (tree)
		kref_put(&tree->ref, hbc_tree_free);
}
