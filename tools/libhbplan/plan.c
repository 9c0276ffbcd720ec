// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans: what one root uses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "plan.h"
#include "units.h"

/**
 * hbp_plan_alloc() - a plan without trees
 * @algorithm: name of the planner; copied
 * @root: id of the root
 * @message_bytes: message size, 1 to HBP_MESSAGE_MAX
 *
 * Return: the plan, to be released with hbp_plan_free(), or NULL if memory has
 * run out.
 */
struct hbp_plan *hbp_plan_alloc(const char *algorithm, uint32_t root,
				uint64_t message_bytes)
{
	struct hbp_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->algorithm = strdup(algorithm);
	plan->root = root;
	plan->message_bytes = message_bytes;
	plan->cost_ns = HBP_NEVER;
	plan->trees = calloc(HBP_PLAN_TREES_MAX, sizeof(*plan->trees));
	if (!plan->algorithm || !plan->trees) {
		hbp_plan_free(plan);
		return NULL;
	}
	return plan;
}

/**
 * hbp_why_alloc() - room for the planners that are tried
 * @n: the most that will be
 *
 * Return: with none tried, to be released with hbp_why_free(); NULL if memory
 * has run out.
 */
struct hbp_why *hbp_why_alloc(size_t n)
{
	struct hbp_why *why = calloc(1, sizeof(*why));

	if (!why)
		return NULL;
	why->tried = calloc(n, sizeof(*why->tried));
	if (!why->tried) {
		free(why);
		return NULL;
	}
	return why;
}

/**
 * hbp_why_free() - release what hbp_why_alloc() made
 * @why: it, or NULL
 */
void hbp_why_free(struct hbp_why *why)
{
	if (why)
		free(why->tried);
	free(why);
}

/**
 * hbp_plan_free() - release a plan
 * @plan: the plan or NULL
 */
void hbp_plan_free(struct hbp_plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->n_trees; i++)
		free(plan->trees[i].edges);
	free(plan->trees);
	free(plan->algorithm);
	hbp_certificate_free(plan->certificate);
	hbp_evaluation_free(plan->predicted);
	hbp_why_free(plan->why);
	free(plan);
}

/**
 * hbp_plan_add_tree() - add a tree without edges
 * @plan: the plan, with fewer than HBP_PLAN_TREES_MAX trees
 * @slot: the tree's slot, 0 to HBP_PLAN_TREES_MAX - 1
 *
 * Return: the tree, owned by @plan, to be filled with hbp_tree_add(); it begins
 * at the plan's root unless the caller changes that.
 */
struct hbp_tree *hbp_plan_add_tree(struct hbp_plan *plan, unsigned int slot)
{
	struct hbp_tree *tree = &plan->trees[plan->n_trees++];

	tree->slot = slot;
	tree->root = plan->root;
	return tree;
}

/**
 * hbp_plan_drop_tree() - take away the tree that was added last
 * @plan: the plan
 */
void hbp_plan_drop_tree(struct hbp_plan *plan)
{
	struct hbp_tree *tree = &plan->trees[--plan->n_trees];

	free(tree->edges);
	*tree = (struct hbp_tree){ 0 };
}

static int compare_slots(const void *a, const void *b)
{
	const struct hbp_tree *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* All nodes of a plan in ascending order, to be released with free(). */
static uint32_t *sorted_members(const struct hbp_plan *plan, size_t *n)
{
	const struct hbp_tree *tree = &plan->trees[0];
	uint32_t *ids;
	size_t i;

	*n = tree->n_edges + 1 + plan->n_replicas;
	ids = calloc(*n, sizeof(*ids));
	if (!ids)
		return NULL;
	for (i = 0; i < tree->n_edges; i++)
		ids[i] = tree->edges[i].child;
	ids[i++] = plan->root;
	memcpy(ids + i, plan->replicas, plan->n_replicas * sizeof(*ids));
	hbp_node_sort(ids, *n, sizeof(*ids));
	return ids;
}

/**
 * hbp_plan_is_source() - does a node have the message to begin with
 * @plan: the plan
 * @id: the node
 *
 * Return: true for the root and the replicas.
 */
bool hbp_plan_is_source(const struct hbp_plan *plan, uint32_t id)
{
	return id == plan->root ||
	       hbp_node_find(plan->replicas, plan->n_replicas,
			     sizeof(*plan->replicas), id) != HBP_NONE;
}

/* Trees begin at sources, and sources receive nothing. */
static int check_sources(const struct hbp_plan *plan,
			 const struct hbp_tree *tree, struct hbp_error *err)
{
	size_t i;

	if (!hbp_plan_is_source(plan, tree->root))
		return hbp_fail(err, -EINVAL,
				"it begins at node %u, which is neither the root nor a replica",
				tree->root);
	if (!tree->slot && tree->root != plan->root)
		return hbp_fail(err, -EINVAL, "it begins at replica %u and must begin at the root",
				tree->root);
	for (i = 0; i < tree->n_edges; i++)
		if (hbp_plan_is_source(plan, tree->edges[i].child))
			return hbp_fail(err, -EINVAL,
					"it sends to node %u, which has the message to begin with",
					tree->edges[i].child);
	return 0;
}

static int check_within(const struct hbp_plan *plan, const uint32_t *members,
			size_t n, struct hbp_error *err)
{
	const struct hbp_tree *tree;
	size_t t, i;

	for (t = 1; t < plan->n_trees; t++) {
		tree = &plan->trees[t];
		for (i = 0; i < tree->n_edges; i++)
			if (hbp_node_find(members, n, sizeof(*members),
					  tree->edges[i].child) == HBP_NONE)
				return hbp_fail(err, -EINVAL,
						"the tree of slot %u has node %u, which the tree of slot 0 lacks",
						tree->slot,
						tree->edges[i].child);
	}
	return 0;
}

/**
 * hbp_plan_check() - check a plan and put it in order
 * @plan: trees in any order of slots, edges as hbp_tree_order() wants them
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a tree is none, if slot 0 is missing or does not span
 * the nodes of the others, if two trees have one slot, if a tree begins at a node
 * that has nothing, or one that has the message receives it, or if whole messages are
 * handed on along several trees; -ENOMEM.
 */
int hbp_plan_check(struct hbp_plan *plan, struct hbp_error *err)
{
	uint32_t *members;
	size_t i, n;
	int ret;

	qsort(plan->trees, plan->n_trees, sizeof(*plan->trees), compare_slots);
	if (!plan->n_trees || plan->trees[0].slot)
		return hbp_fail(err, -EINVAL, "no tree has slot 0");
	if (plan->whole && plan->n_trees > 1)
		return hbp_fail(err, -EINVAL,
				"whole messages go along one tree, not %zu: forward packets, or plan one tree",
				plan->n_trees);
	for (i = 0; i < plan->n_trees; i++) {
		if (i && plan->trees[i].slot == plan->trees[i - 1].slot)
			return hbp_fail(err, -EINVAL,
					"slot %u is given to two trees",
					plan->trees[i].slot);
		ret = hbp_tree_order(&plan->trees[i], plan->trees[i].root, err);
		if (!ret)
			ret = check_sources(plan, &plan->trees[i], err);
		if (ret) {
			hbp_error_prefix(err, "the tree of slot %u",
					 plan->trees[i].slot);
			return ret;
		}
	}
	members = sorted_members(plan, &n);
	if (!members)
		return hbp_nomem(err);
	ret = check_within(plan, members, n, err);
	free(members);
	return ret;
}

/**
 * hbp_plan_edge_rate() - what an edge of a plan has to carry
 * @plan: a plan that hbp_plan_check() has accepted
 * @tree: one of its trees
 * @child: the edge's lower end
 *
 * A node of a plan with one tree receives all it does over one edge; what is
 * predicted for it may be more than what the whole tree can keep.
 *
 * Return: bit/s, at least the tree's rate; 0 if the plan tells none.
 */
int64_t hbp_plan_edge_rate(const struct hbp_plan *plan,
			   const struct hbp_tree *tree, uint32_t child)
{
	const struct hbp_evaluation *predicted = plan->predicted;
	size_t i;

	if (plan->n_trees > 1 || !predicted)
		return tree->rate_bps;
	i = hbp_node_find(&predicted->nodes->id, predicted->n,
			  sizeof(*predicted->nodes), child);
	if (i == HBP_NONE || predicted->nodes[i].rate_bps < tree->rate_bps)
		return tree->rate_bps;
	return predicted->nodes[i].rate_bps;
}

/**
 * hbp_plan_kept_part() - how far a plan's rates are kept
 * @plan: a plan of several trees with rates
 * @evaluation: what a model predicts for it
 *
 * Return: the least part of its planned rates that a node receives, at most 1.
 */
double hbp_plan_kept_part(const struct hbp_plan *plan,
			  const struct hbp_evaluation *evaluation)
{
	const struct hbp_figure *node = evaluation->nodes;
	const struct hbp_tree *tree;
	double least = 1, planned;
	size_t i, t, k;

	for (i = 0; i < evaluation->n; i++, node++) {
		planned = 0;
		for (t = 0; t < plan->n_trees; t++) {
			tree = &plan->trees[t];
			for (k = 0; k < tree->n_edges; k++)
				if (tree->edges[k].child == node->id)
					planned += (double)tree->rate_bps;
		}
		if ((double)node->rate_bps < least * planned)
			least = (double)node->rate_bps / planned;
	}
	return least;
}

/**
 * hbp_plan_check_members() - check that a plan fits a group or an input
 * @plan: a plan that hbp_plan_check() has accepted
 * @members: ids in ascending order
 * @n: how many
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a member is missing in slot 0 or a node is no member;
 * -ENOMEM.
 */
int hbp_plan_check_members(const struct hbp_plan *plan, const uint32_t *members,
			   size_t n, struct hbp_error *err)
{
	size_t i, n_ids;
	uint32_t *ids;
	int ret = 0;

	ids = sorted_members(plan, &n_ids);
	if (!ids)
		return hbp_nomem(err);
	for (i = 0; !ret && i < n_ids; i++)
		if (hbp_node_find(members, n, sizeof(*members), ids[i]) ==
		    HBP_NONE)
			ret = hbp_fail(err, -EINVAL,
				       "the plan has node %u, which is not a member",
				       ids[i]);
	for (i = 0; !ret && i < n; i++)
		if (hbp_node_find(ids, n_ids, sizeof(*ids), members[i]) ==
		    HBP_NONE)
			ret = hbp_fail(err, -EINVAL,
				       "the plan does not reach member %u",
				       members[i]);
	free(ids);
	return ret;
}
