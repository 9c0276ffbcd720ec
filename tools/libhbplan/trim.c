// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans without trees that bring hardly anything. */
#include <stdlib.h>

#include "node.h"
#include "trim.h"

/* A tree that brings each of its nodes a smaller part of what the node receives. */
#define SLIVER	0.02

/**
 * struct share - what a node receives
 * @id: the node
 * @bps: by all trees that the plan has had
 * @lost_bps: by those that are left out
 */
struct share {
	uint32_t id;
	double bps;
	double lost_bps;
};

struct trim {
	struct hbp_plan *plan;
	double loss;		/* what part of @bps may be lost */
	struct share *shares;	/* of all nodes but the root, in ascending order */
	size_t n;
};

/* Of a node that the plan's first tree does not span, a replica, there is none. */
static struct share *share_of(const struct trim *t, uint32_t id)
{
	size_t i = hbp_node_find(&t->shares->id, t->n, sizeof(*t->shares), id);

	return i == HBP_NONE ? NULL : &t->shares[i];
}

static void fill_shares(struct trim *t)
{
	const struct hbp_tree *tree = t->plan->trees;
	struct share *share;
	size_t i, k;

	for (i = 0; i < t->n; i++)
		t->shares[i].id = tree->edges[i].child;
	hbp_node_sort(t->shares, t->n, sizeof(*t->shares));
	for (i = 0; i < t->plan->n_trees; i++, tree++)
		for (k = 0; k < tree->n_edges; k++) {
			share = share_of(t, tree->edges[k].child);
			if (share)
				share->bps += (double)tree->rate_bps;
		}
}

/* Another tree that spans all and may be the first one, or HBP_NONE. */
static size_t find_first(const struct hbp_plan *plan)
{
	size_t i;

	for (i = 1; i < plan->n_trees; i++)
		if (plan->trees[i].n_edges == plan->trees->n_edges &&
		    plan->trees[i].root == plan->root)
			return i;
	return HBP_NONE;
}

/* Whether none of its nodes needs a tree, nor the plan. */
static bool is_sliver(const struct trim *t, size_t i)
{
	const struct hbp_tree *tree = &t->plan->trees[i];
	double bps = (double)tree->rate_bps;
	const struct share *share;
	size_t k;

	for (k = 0; k < tree->n_edges; k++) {
		share = share_of(t, tree->edges[k].child);
		if (share && (bps >= SLIVER * share->bps ||
			      share->lost_bps + bps > t->loss * share->bps))
			return false;
	}
	return i || find_first(t->plan) != HBP_NONE;
}

/* The lightest of all slivers, or HBP_NONE. */
static size_t find_sliver(const struct trim *t)
{
	const struct hbp_tree *trees = t->plan->trees;
	size_t i, best = HBP_NONE;

	for (i = 0; i < t->plan->n_trees; i++)
		if ((best == HBP_NONE || trees[i].rate_bps < trees[best].rate_bps) &&
		    is_sliver(t, i))
			best = i;
	return best;
}

/* The others keep their order, but that the first one spans all. */
static void leave_out(struct trim *t, size_t i)
{
	struct hbp_plan *plan = t->plan;
	struct hbp_tree tree = plan->trees[i];
	struct share *share;
	size_t k;

	for (k = 0; k < tree.n_edges; k++) {
		share = share_of(t, tree.edges[k].child);
		if (share)
			share->lost_bps += (double)tree.rate_bps;
	}
	if (!i) {
		i = find_first(plan);
		plan->trees[0] = plan->trees[i];
	}
	for (; i + 1 < plan->n_trees; i++)
		plan->trees[i] = plan->trees[i + 1];
	plan->trees[i] = tree;
	hbp_plan_drop_tree(plan);
	for (k = 0; k < plan->n_trees; k++)
		plan->trees[k].slot = (unsigned int)k;
}

/**
 * hbp_trim() - leave out trees that bring hardly anything
 * @plan: a plan of which nothing is predicted yet; its trees are in ascending order of slot,
 *	the first spans all
 * @loss: what part of its rate each node may lose, 0 to 1
 * @err: receives the reason of a failure
 *
 * What is sent over a tree of little rate takes as long as the rest of a message over all
 * others: it costs lanes, and a little more than planned makes it late.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_trim(struct hbp_plan *plan, double loss, struct hbp_error *err)
{
	struct trim t = { .plan = plan, .loss = loss, .n = plan->trees->n_edges };
	size_t i;

	if (plan->n_trees < 2 || !loss)
		return 0;
	t.shares = calloc(t.n, sizeof(*t.shares));
	if (!t.shares)
		return hbp_nomem(err);
	fill_shares(&t);
	while ((i = find_sliver(&t)) != HBP_NONE)
		leave_out(&t, i);
	free(t.shares);
	return 0;
}
