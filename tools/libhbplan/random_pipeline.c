// SPDX-License-Identifier: GPL-2.0-or-later
/* random-pipeline: the best of 100 random chains (paper 003, section 4). */
#include <errno.h>
#include <stdlib.h>

#include "fluid.h"
#include "planners.h"
#include "random.h"
#include "ways.h"

#define CANDIDATES	100

struct lot {
	const struct hbp_request *rq;
	const struct hbp_costs *costs;	/* of a matrix, or NULL */
	struct hbp_ways *ways;		/* of a platform, or NULL */
	uint64_t luck;
	size_t *line;		/* members that have been placed, in order */
	size_t *rest;		/* members that have not */
	struct hbp_plan *plan;	/* the candidate */
	struct hbp_error *err;
};

static int has_way(const struct lot *lot, size_t from, size_t to)
{
	const struct hbp_platform *platform = lot->rq->in->platform;

	if (lot->costs)
		return lot->costs->bandwidth_bps[from * lot->costs->n + to] ?
		       0 : -ENOENT;
	return hbp_ways_find(lot->ways, platform->hosts[from],
			     platform->hosts[to]);
}

/* Draws the next member; it is joined to the last before it that reaches it. */
static int draw(struct lot *lot, size_t placed)
{
	const struct hbp_input *in = lot->rq->in;
	size_t left = in->n - placed, first, i, at, sender;
	int ret = -ENOENT;

	/* Whoever nobody reaches yet waits for another draw. */
	first = hbp_random_below(&lot->luck, left);
	for (i = 0; ret == -ENOENT && i < left; i++) {
		at = (first + i) % left;
		for (sender = placed; ret == -ENOENT && sender-- > 0;)
			ret = has_way(lot, lot->line[sender], lot->rest[at]);
		if (ret)
			continue;
		lot->line[placed] = lot->rest[at];
		lot->rest[at] = lot->rest[left - 1];
		return hbp_tree_add(&lot->plan->trees[0],
				    in->members[lot->line[sender]],
				    in->members[lot->line[placed]], lot->err);
	}
	return hbp_nomem(lot->err);
}

static int draw_all(struct lot *lot)
{
	const struct hbp_input *in = lot->rq->in;
	size_t i, n = 0;
	int ret = 0;

	lot->line[0] = hbp_input_find(in, lot->rq->root);
	for (i = 0; i < in->n; i++)
		if (i != lot->line[0])
			lot->rest[n++] = i;
	for (i = 1; !ret && i < in->n; i++)
		ret = draw(lot, i);
	return ret ? ret : hbp_plan_check(lot->plan, lot->err);
}

/* What a matrix says: nobody is faster than its parent or than the pair. */
static int add_pairs(const struct lot *lot, double *sum)
{
	const struct hbp_tree *tree = &lot->plan->trees[0];
	size_t *parents = calloc(tree->n_edges, sizeof(*parents));
	int64_t *rate = calloc(tree->n_edges, sizeof(*rate)), above;
	size_t i, from, to;
	int ret = 0;

	if (!parents || !rate) {
		ret = hbp_nomem(lot->err);
		goto out;
	}
	hbp_tree_parents(tree, lot->plan->root, parents);
	for (i = 0; i < tree->n_edges; i++) {
		from = hbp_costs_find(lot->costs, tree->edges[i].parent);
		to = hbp_costs_find(lot->costs, tree->edges[i].child);
		rate[i] = lot->costs->bandwidth_bps[from * lot->costs->n + to];
		above = parents[i] ? rate[parents[i] - 1] : INT64_MAX;
		rate[i] = rate[i] < above ? rate[i] : above;
		*sum += (double)rate[i];
	}
out:
	free(parents);
	free(rate);
	return ret;
}

static int add_rates(const struct lot *lot, double *sum)
{
	struct hbp_fluid fluid;
	size_t i;
	int ret;

	*sum = 0;
	if (lot->costs)
		return add_pairs(lot, sum);
	ret = hbp_fluid_find(lot->ways, lot->plan, &fluid, lot->err);
	if (ret)
		return ret;
	for (i = 0; i < fluid.n; i++)
		*sum += fluid.rate[i];
	hbp_fluid_clear(&fluid);
	return 0;
}

/* The first of the candidates with the largest sum of rates. */
static int choose(struct lot *lot, struct hbp_plan *plan)
{
	struct hbp_tree *best = hbp_plan_add_tree(plan, 0), swap;
	double sum, most = -1;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < CANDIDATES; i++) {
		lot->plan->trees[0].n_edges = 0;
		ret = draw_all(lot);
		if (!ret)
			ret = add_rates(lot, &sum);
		if (ret || sum <= most)
			continue;
		most = sum;
		swap = *best;
		*best = lot->plan->trees[0];
		lot->plan->trees[0] = swap;
	}
	return ret;
}

static int random_make(const struct hbp_request *rq, struct hbp_plan *plan,
		       struct hbp_error *err)
{
	struct lot lot = { .rq = rq, .luck = rq->seed, .err = err };
	int ret = 0;

	if (rq->in->platform)
		lot.ways = hbp_ways_alloc(rq->in->platform);
	else
		ret = hbp_input_costs(rq->in, &lot.costs, err);
	lot.line = calloc(rq->in->n, sizeof(*lot.line));
	lot.rest = calloc(rq->in->n, sizeof(*lot.rest));
	lot.plan = hbp_plan_alloc("", rq->root, rq->message_bytes);
	if (!ret && (!(lot.ways || lot.costs) || !lot.line || !lot.rest ||
		     !lot.plan))
		ret = hbp_nomem(err);
	if (!ret) {
		hbp_plan_add_tree(lot.plan, 0);
		ret = choose(&lot, plan);
	}
	hbp_ways_free(lot.ways);
	free(lot.line);
	free(lot.rest);
	hbp_plan_free(lot.plan);
	return ret;
}

/*
 * Random pipelines.
 *
 * Paper 003, section 4. Of 100 random orders of the nodes, in which each node
 * sends to the next, the one with the largest sum of all nodes' rates is taken:
 * the fluid model's on a platform, the smallest bandwidth of the path on a cost
 * matrix. Where a node has no link or route to the next, the last before it that
 * has one sends. The paper does not say where chance comes from: here the seed.
 */
const struct hbp_planner hbp_random_pipeline = {
	.name = "random-pipeline",
	.paper = "003 section 4",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_SEED,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: the largest sum of rates of 100 random chains",
	.make = random_make,
};
