// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees that grow from the root, one node after the other. */
#include <errno.h>
#include <stdlib.h>

#include "growth.h"
#include "node.h"
#include "units.h"

/**
 * hbp_growth_init() - a tree of the root alone
 * @g: filled; to be released with hbp_growth_free(), also after a failure
 * @n: number of nodes
 * @root: the root
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_growth_init(struct hbp_growth *g, size_t n, size_t root,
		    struct hbp_error *err)
{
	g->n = n;
	g->root = root;
	g->order = calloc(n, sizeof(*g->order));
	g->placed = calloc(n, sizeof(*g->placed));
	g->parent = calloc(n, sizeof(*g->parent));
	g->when = calloc(n, sizeof(*g->when));
	if (!g->order || !g->placed || !g->parent || !g->when)
		return hbp_nomem(err);
	g->order[0] = root;
	g->reached = 1;
	g->placed[root] = true;
	return 0;
}

/**
 * hbp_growth_free() - release a tree
 * @g: filled, or zeroed
 */
void hbp_growth_free(struct hbp_growth *g)
{
	free(g->order);
	free(g->placed);
	free(g->parent);
	free(g->when);
}

/**
 * hbp_growth_place() - add a node
 * @g: the tree
 * @from: its parent, a node of the tree
 * @to: the node, not yet in the tree
 * @when: when it has the message
 */
void hbp_growth_place(struct hbp_growth *g, size_t from, size_t to, int64_t when)
{
	g->placed[to] = true;
	g->parent[to] = from;
	g->when[to] = when;
	g->order[g->reached++] = to;
}

/* The edges as they came, which is each parent's sending order. */
static int add_edges(const struct hbp_growth *g, const struct hbp_costs *costs,
		     struct hbp_tree *tree, struct hbp_error *err)
{
	size_t i, to;
	int ret = 0;

	if (g->reached < g->n)
		return hbp_fail(err, -ERANGE,
				"a sum of completion times exceeds 285 years");
	for (i = 1; !ret && i < g->n; i++) {
		to = g->order[i];
		ret = hbp_tree_add(tree, costs->nodes[g->parent[to]].id,
				   costs->nodes[to].id, err);
	}
	return ret;
}

/**
 * hbp_growth_plan() - plan one tree that grows from the root
 * @rq: the request
 * @distances: grow by distances of pairs, not by completion times
 * @grow: how
 * @plan: receives the tree
 * @err: receives the reason of a failure
 *
 * Return: 0; -ERANGE if a node has been left out, which only sums above
 * HBP_NS_MAX can bring about when all can be reached; what hbp_input_costs() or
 * @grow return; -ENOMEM.
 */
int hbp_growth_plan(const struct hbp_request *rq, bool distances,
		    hbp_grow_fn grow, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	const struct hbp_costs *costs;
	struct hbp_pairs pairs = { };
	struct hbp_growth g = { };
	int ret;

	ret = hbp_input_costs(rq->in, &costs, err);
	if (ret)
		return ret;
	ret = hbp_pairs_init(&pairs, costs, distances, rq->message_bytes, err);
	if (!ret)
		ret = hbp_growth_init(&g, costs->n,
				      hbp_costs_find(costs, rq->root), err);
	if (!ret)
		ret = grow(&g, &pairs, err);
	if (!ret)
		ret = add_edges(&g, costs, tree, err);
	hbp_growth_free(&g);
	hbp_pairs_free(&pairs);
	return ret;
}

/* The node not placed that costs least, of several the one with the lowest id. */
static size_t cheapest(const struct hbp_growth *g, const int64_t *least)
{
	size_t i, best = HBP_NONE;

	for (i = 0; i < g->n; i++)
		if (!g->placed[i] && least[i] != HBP_NEVER &&
		    (best == HBP_NONE || least[i] < least[best]))
			best = i;
	return best;
}

/* A new sender: whom does it reach for less than those before? */
static void offer(const struct hbp_growth *g, const struct hbp_pairs *pairs,
		  size_t from, int64_t *least, size_t *via)
{
	const int64_t *row = &pairs->ns[from * g->n];
	size_t i;

	for (i = 0; i < g->n; i++) {
		if (g->placed[i] || row[i] > least[i])
			continue;
		if (row[i] < least[i] || from < via[i])
			via[i] = from;
		least[i] = row[i];
	}
}

/**
 * hbp_growth_nearest() - grow by the cheapest pair of a node in the tree and one
 *	that is not
 * @g: a tree of the root alone
 * @pairs: what pairs cost
 * @or_flat: take the pair of the root and the node instead if the path by way
 *	of the cheapest pair is not shorter
 * @err: receives the reason of a failure
 *
 * Equal costs go to the lower receiver, then to the lower sender. A node has
 * the message after the sum of the costs on its path. What cannot be reached is
 * left out.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_growth_nearest(struct hbp_growth *g, const struct hbp_pairs *pairs,
		       bool or_flat, struct hbp_error *err)
{
	int64_t *least = calloc(g->n, sizeof(*least)), when, flat;
	size_t *via = calloc(g->n, sizeof(*via)), to, i;
	int ret = 0;

	if (!least || !via) {
		ret = hbp_nomem(err);
		goto out;
	}
	for (i = 0; i < g->n; i++) {
		least[i] = HBP_NEVER;
		via[i] = HBP_NONE;
	}
	offer(g, pairs, g->root, least, via);
	while ((to = cheapest(g, least)) != HBP_NONE) {
		when = hbp_ns_add(g->when[via[to]], least[to]);
		flat = or_flat ? pairs->ns[g->root * g->n + to] : HBP_NEVER;
		if (flat != HBP_NEVER && flat <= when)
			hbp_growth_place(g, g->root, to, flat);
		else
			hbp_growth_place(g, via[to], to, when);
		offer(g, pairs, to, least, via);
	}
out:
	free(least);
	free(via);
	return ret;
}
