// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes at the positions of a binomial tree, and what its paths cost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binomial.h"
#include "node.h"
#include "positions.h"
#include "units.h"

static void exchange_nodes(struct hbp_positions *p, size_t a, size_t b)
{
	size_t node = p->node[a];

	p->node[a] = p->node[b];
	p->node[b] = node;
}

/* Adds up the paths to a position and all that are below it. */
static void add_up(struct hbp_positions *p, size_t top)
{
	size_t end = hbp_binomial_end(top, p->n), i, above;

	for (i = top; i < end; i++) {
		if (!hbp_binomial_step(i, p->n))
			p->computed++;
		if (!i) {
			p->sum[i] = 0;
			continue;
		}
		above = hbp_binomial_parent(i);
		p->sum[i] = hbp_ns_add(p->sum[above],
				       hbp_costs_delay_ns(p->costs,
							  p->node[above],
							  p->node[i]));
	}
}

/* That of some leaf, as no position has a larger sum than those below it. */
static int64_t largest(const struct hbp_positions *p)
{
	int64_t cost = 0;
	size_t i;

	for (i = 1; i < p->n; i++)
		if (p->sum[i] > cost)
			cost = p->sum[i];
	return cost;
}

/**
 * hbp_positions_init() - put nodes at positions
 * @p: filled; to be released with hbp_positions_free(), also after a failure
 * @costs: what distances are taken from, see hbp_costs_delay_ns(); must stay
 * @ids: the node at each position
 * @n: number of positions
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a node is not in the matrix; -ENOMEM.
 */
int hbp_positions_init(struct hbp_positions *p, const struct hbp_costs *costs,
		       const uint32_t *ids, size_t n, struct hbp_error *err)
{
	size_t i;

	p->costs = costs;
	p->n = n;
	p->computed = 0;
	p->node = calloc(n, sizeof(*p->node));
	p->sum = calloc(n, sizeof(*p->sum));
	p->before = calloc(n, sizeof(*p->before));
	if (!p->node || !p->sum || !p->before)
		return hbp_nomem(err);
	for (i = 0; i < n; i++) {
		p->node[i] = hbp_costs_find(costs, ids[i]);
		if (p->node[i] == HBP_NONE)
			return hbp_fail(err, -EINVAL,
					"nodes: node %u of the plan is missing",
					ids[i]);
	}
	add_up(p, 0);
	p->cost = largest(p);
	return 0;
}

/**
 * hbp_positions_free() - release positions
 * @p: filled, or zeroed
 */
void hbp_positions_free(struct hbp_positions *p)
{
	free(p->node);
	free(p->sum);
	free(p->before);
}

/**
 * hbp_positions_plan() - a plan of one binomial tree
 * @ids: the nodes at positions 0 to @n - 1
 * @n: number of positions
 * @costs: what distances are taken from for the plan's cost, or NULL for none
 * @plan: receives the tree; each parent sends first to the child with the largest
 *	subtree
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a node is not in @costs; -ENOMEM.
 */
int hbp_positions_plan(const uint32_t *ids, size_t n,
		       const struct hbp_costs *costs, struct hbp_plan *plan,
		       struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	struct hbp_positions p = { };
	size_t position, step;
	int ret = 0;

	for (position = 0; position < n; position++) {
		step = hbp_binomial_step(position, n);
		for (; !ret && step; step /= 2)
			ret = hbp_tree_add(tree, ids[position],
					   ids[position + step], err);
	}
	if (!ret && costs) {
		ret = hbp_positions_init(&p, costs, ids, n, err);
		plan->cost_ns = p.cost;
		hbp_positions_free(&p);
	}
	return ret;
}

/**
 * hbp_positions_read() - tell from a plan who is at which position
 * @plan: a plan of one tree
 * @ids: receives the node at each position, one more than the tree has edges
 * @err: receives the reason of a failure
 *
 * The k-th child of a node is at the k-th largest step from its position.
 *
 * Return: 0; -EINVAL if the tree is not binomial; -ENOMEM.
 */
int hbp_positions_read(const struct hbp_plan *plan, uint32_t *ids,
		       struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	size_t n = tree->n_edges + 1, i, place;
	size_t *parents = calloc(n, sizeof(*parents));
	size_t *at = calloc(n, sizeof(*at)), *step = calloc(n, sizeof(*step));
	int ret = 0;

	if (!parents || !at || !step) {
		ret = hbp_nomem(err);
		goto out;
	}
	hbp_tree_parents(tree, plan->root, parents);
	ids[0] = plan->root;
	step[0] = hbp_binomial_step(0, n);
	for (i = 0; i < n - 1; i++) {
		place = parents[i];
		if (!step[place]) {
			ret = hbp_fail(err, -EINVAL,
				       "the plan's tree of %zu nodes is not binomial, as node %u has too many children: plan with binomial or balanced-path",
				       n, tree->edges[i].parent);
			break;
		}
		at[i + 1] = at[place] + step[place];
		step[place] /= 2;
		step[i + 1] = hbp_binomial_step(at[i + 1], n);
		ids[at[i + 1]] = tree->edges[i].child;
	}
out:
	free(parents);
	free(at);
	free(step);
	return ret;
}

/* The positions whose sums an exchange changes, as at most two runs. */
static size_t runs(const struct hbp_positions *p, size_t a, size_t b,
		   size_t *tops)
{
	size_t high = a < b ? a : b, low = a < b ? b : a;

	tops[0] = high;
	tops[1] = low;
	return low < hbp_binomial_end(high, p->n) ? 1 : 2;
}

/**
 * hbp_positions_exchange() - exchange the nodes at two positions
 * @p: the positions
 * @a: one of them, not 0
 * @b: the other, not 0
 *
 * Adds up again the paths to those leaves only that are below one of them.
 */
void hbp_positions_exchange(struct hbp_positions *p, size_t a, size_t b)
{
	size_t tops[2], n = runs(p, a, b, tops), i, end;

	p->cost_before = p->cost;
	exchange_nodes(p, a, b);
	for (i = 0; i < n; i++) {
		end = hbp_binomial_end(tops[i], p->n);
		memcpy(&p->before[tops[i]], &p->sum[tops[i]],
		       (end - tops[i]) * sizeof(*p->sum));
		add_up(p, tops[i]);
	}
	p->cost = largest(p);
}

/**
 * hbp_positions_undo() - undo the last exchange
 * @p: the positions
 * @a: as it was exchanged
 * @b: as it was exchanged
 */
void hbp_positions_undo(struct hbp_positions *p, size_t a, size_t b)
{
	size_t tops[2], n = runs(p, a, b, tops), i, end;

	exchange_nodes(p, a, b);
	for (i = 0; i < n; i++) {
		end = hbp_binomial_end(tops[i], p->n);
		memcpy(&p->sum[tops[i]], &p->before[tops[i]],
		       (end - tops[i]) * sizeof(*p->sum));
	}
	p->cost = p->cost_before;
}
