// SPDX-License-Identifier: GPL-2.0-or-later
/* balanced-path: a binomial tree with short distances on long paths. */
#include <stdbool.h>
#include <stdlib.h>

#include "binomial.h"
#include "node.h"
#include "pair.h"
#include "planners.h"
#include "positions.h"
#include "units.h"

/* A position that has a node. */
struct parent {
	size_t node;
	size_t position;
	size_t step;		/* to its next child, 0 if it has all */
	size_t undefined;	/* how many children it has not got yet */
	size_t depth;
};

struct balance {
	const struct hbp_pairs *distances;
	struct parent *parents;	/* as they were placed */
	size_t n_parents;
	bool *placed;
};

/* Most undefined children, then the longer path from the root, then lower id. */
static bool goes_first(const struct parent *a, const struct parent *b)
{
	if (a->undefined != b->undefined)
		return a->undefined > b->undefined;
	if (a->depth != b->depth)
		return a->depth > b->depth;
	return a->node < b->node;
}

static struct parent *next_parent(const struct balance *b)
{
	struct parent *next = b->parents;
	size_t i;

	for (i = 1; i < b->n_parents; i++)
		if (goes_first(&b->parents[i], next))
			next = &b->parents[i];
	return next;
}

/* The node not placed that is closest; what has no link is the farthest. */
static size_t closest(const struct balance *b, size_t from)
{
	const int64_t *row = &b->distances->ns[from * b->distances->n];
	size_t i, best = HBP_NONE;

	for (i = 0; i < b->distances->n; i++)
		if (!b->placed[i] && (best == HBP_NONE || row[i] < row[best]))
			best = i;
	return best;
}

static void place(struct balance *b, size_t node, size_t position, size_t depth)
{
	struct parent *p = &b->parents[b->n_parents++];
	size_t n = b->distances->n;

	b->placed[node] = true;
	p->node = node;
	p->position = position;
	p->step = hbp_binomial_step(position, n);
	p->undefined = hbp_binomial_children(position, n);
	p->depth = depth;
}

static int balance(const struct hbp_pairs *distances, size_t root,
		   struct hbp_plan *plan, struct hbp_error *err)
{
	struct balance b = { .distances = distances };
	size_t n = distances->n, i, position;
	uint32_t *ids = calloc(n, sizeof(*ids));
	struct parent *p;
	int ret;

	b.parents = calloc(n, sizeof(*b.parents));
	b.placed = calloc(n, sizeof(*b.placed));
	if (!ids || !b.parents || !b.placed) {
		ret = hbp_nomem(err);
		goto out;
	}
	place(&b, root, 0, 0);
	while (b.n_parents < n) {
		p = next_parent(&b);
		position = p->position + p->step;
		p->step /= 2;
		p->undefined--;
		place(&b, closest(&b, p->node), position, p->depth + 1);
	}
	for (i = 0; i < n; i++)
		ids[b.parents[i].position] =
			distances->costs->nodes[b.parents[i].node].id;
	ret = hbp_positions_plan(ids, n, distances->costs, plan, err);
out:
	free(ids);
	free(b.parents);
	free(b.placed);
	return ret;
}

static int balanced_path_make(const struct hbp_request *rq,
			      struct hbp_plan *plan, struct hbp_error *err)
{
	const struct hbp_costs *costs;
	struct hbp_pairs distances;
	int ret;

	ret = hbp_input_costs(rq->in, &costs, err);
	if (ret)
		return ret;
	ret = hbp_pairs_init(&distances, costs, true, 0, err);
	if (!ret)
		ret = balance(&distances, hbp_costs_find(costs, rq->root), plan,
			      err);
	hbp_pairs_free(&distances);
	return ret;
}

/*
 * Balanced-Path.
 *
 * Paper 000, section 2. The positions of a binomial tree are filled one after
 * the other: served next is the node with the most undefined children, of those
 * the one at the end of the longer path, of those the one with the lowest id; it
 * gets the node not placed that is closest to it, of those the one with the
 * lowest id. Readings chosen:
 *
 * - A child is defined beginning with the one that has the largest subtree.
 * - The longer path is that of more edges.
 * - The distance of a pair is what a message of no length costs: latency and
 *   overheads, see hbp_costs_delay_ns().
 */
const struct hbp_planner hbp_balanced_path = {
	.name = "balanced-path",
	.paper = "000 section 2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "path sum of a binomial tree",
	.make = balanced_path_make,
};
