// SPDX-License-Identifier: GPL-2.0-or-later
/* balanced-multicast: spanning trees with the best weights (paper 003, 2.3). */
#include <errno.h>
#include <stdlib.h>

#include "fpfr.h"
#include "node.h"
#include "packing.h"
#include "planners.h"

/* Trees to choose from, besides those of fpfr. */
#define TURNS_MAX	256
/* What rounding in the program may cost a rate. */
#define ROUNDING	(2 / 1e9)

struct balance {
	const struct hbp_request *rq;
	const struct hbp_platform *platform;
	struct hbp_packing *packing;
	size_t *rows;		/* of each link, HBP_NONE if it has none */
	size_t n_rows;
	struct hbp_tree *trees;
	size_t n_trees;
	size_t room;
	double *load;		/* of each link, by the tree being added; else 0 */
	size_t *used;		/* those links */
	size_t *at;		/* rows of a column */
	double *uses;
	struct hbp_error *err;
};

/* What a tree of 1 bit/s takes of links; @n receives of how many. */
static int find_loads(struct balance *b, struct hbp_ways *ways, const struct hbp_tree *tree,
		      size_t *n)
{
	const struct hbp_load *load;
	const struct hbp_edge *edge;
	size_t i;
	int ret;

	*n = 0;
	for (edge = tree->edges; edge < tree->edges + tree->n_edges; edge++) {
		ret = hbp_ways_loads(ways, hbp_platform_find(b->platform, edge->parent),
				     hbp_platform_find(b->platform, edge->child));
		if (ret)
			return ret;
		for (i = 0; i < ways->n_loads; i++) {
			load = &ways->loads[i];
			if (b->load[load->link] == 0)
				b->used[(*n)++] = load->link;
			b->load[load->link] += load->part;
		}
	}
	return 0;
}

/* Takes a spanning tree into the program; its edges change hands. */
static int add_tree(struct balance *b, struct hbp_ways *ways, struct hbp_tree *tree)
{
	struct hbp_tree *trees;
	size_t i, n, link, room;
	double mbps;
	int ret;

	if (b->n_trees == b->room) {
		room = b->room ? 2 * b->room : 64;
		trees = realloc(b->trees, room * sizeof(*trees));
		if (!trees)
			return hbp_nomem(b->err);
		b->trees = trees;
		b->room = room;
	}
	ret = find_loads(b, ways, tree, &n);
	for (i = 0; !ret && i < n; i++) {
		link = b->used[i];
		if (b->rows[link] == HBP_NONE) {
			b->rows[link] = b->n_rows++;
			mbps = (double)b->platform->links[link].bandwidth_bps / 1e6;
			ret = hbp_packing_add_row(b->packing, mbps, 0, NULL,
						  NULL);
		}
		b->at[i] = b->rows[link];
		b->uses[i] = b->load[link];
		b->load[link] = 0;
	}
	if (!ret)
		ret = hbp_packing_add_column(b->packing, 1, n, b->at, b->uses);
	if (ret)
		return hbp_nomem(b->err);
	b->trees[b->n_trees++] = *tree;
	*tree = (struct hbp_tree){ 0 };
	return 0;
}

/* The trees that fpfr would use, so that none of its rate is lost. */
static int add_fpfr(struct balance *b, struct hbp_trace *trace)
{
	struct hbp_tree tree = { 0 };
	int64_t rate;
	int ret;

	while ((ret = hbp_fpfr_next(trace, &tree, b->err)) == 1) {
		rate = tree.rate_bps;
		ret = add_tree(b, trace->ways, &tree);
		hbp_trace_take(trace, rate);
		if (ret || !rate)
			break;
	}
	free(tree.edges);
	return ret;
}

/* The order of the walk turned, so that each host is once next to the root. */
static int add_turns(struct balance *b, struct hbp_trace *trace)
{
	size_t turn, i, first, n = trace->platform->n_hosts;
	struct hbp_tree tree = { 0 };
	int ret;

	ret = hbp_trace_visit(trace, b->err);
	for (turn = 1; !ret && turn < n - 1 && turn <= TURNS_MAX; turn++) {
		first = trace->hosts[1];
		for (i = 1; i < n - 1; i++)
			trace->hosts[i] = trace->hosts[i + 1];
		trace->hosts[n - 1] = first;
		ret = hbp_trace_tree(trace, &tree, b->err);
		if (!ret && tree.n_edges == n - 1)
			ret = add_tree(b, trace->ways, &tree);
		tree.n_edges = 0;
		hbp_trace_take(trace, 0);
	}
	free(tree.edges);
	return ret;
}

static size_t heaviest(const struct balance *b)
{
	size_t best = 0, i;

	for (i = 1; i < b->n_trees; i++)
		if (b->trees[i].rate_bps > b->trees[best].rate_bps)
			best = i;
	return best;
}

static int weigh(struct balance *b, struct hbp_plan *plan)
{
	struct hbp_tree *tree;
	size_t i, best;
	double sum;

	if (hbp_packing_solve(b->packing, &sum))
		return hbp_fail(b->err, -EDOM,
				"links: no weights are found for %zu trees: bandwidths differ too much",
				b->n_trees);
	for (i = 0; i < b->n_trees; i++)
		b->trees[i].rate_bps =
			(int64_t)(hbp_packing_weight(b->packing, i) * 1e6 *
				  (1 - ROUNDING));
	while (plan->n_trees < hbp_trees_max(b->rq)) {
		best = heaviest(b);
		if (plan->n_trees && b->trees[best].rate_bps < 1)
			break;
		tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
		b->trees[best].slot = tree->slot;
		*tree = b->trees[best];
		b->trees[best] = (struct hbp_tree){ .rate_bps = -1 };
	}
	return 0;
}

static int collect(struct balance *b)
{
	struct hbp_trace *trace;
	size_t root = hbp_platform_find(b->platform, b->rq->root);
	int ret;

	trace = hbp_trace_alloc(b->platform, root);
	ret = trace ? add_fpfr(b, trace) : hbp_nomem(b->err);
	hbp_trace_free(trace);
	if (ret)
		return ret;
	trace = hbp_trace_alloc(b->platform, root);
	ret = trace ? add_turns(b, trace) : hbp_nomem(b->err);
	hbp_trace_free(trace);
	return ret;
}

static int balanced_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	struct balance b = {
		.rq = rq, .platform = rq->in->platform, .err = err
	};
	size_t m = b.platform->n_links, i;
	int ret;

	b.packing = hbp_packing_alloc();
	b.rows = calloc(m, sizeof(*b.rows));
	b.load = calloc(m, sizeof(*b.load));
	b.used = calloc(m, sizeof(*b.used));
	b.at = calloc(m, sizeof(*b.at));
	b.uses = calloc(m, sizeof(*b.uses));
	if (!b.packing || !b.rows || !b.load || !b.used || !b.at || !b.uses) {
		ret = hbp_nomem(err);
	} else {
		for (i = 0; i < m; i++)
			b.rows[i] = HBP_NONE;
		ret = collect(&b);
	}
	if (!ret)
		ret = weigh(&b, plan);
	hbp_packing_free(b.packing);
	free(b.rows);
	free(b.load);
	free(b.used);
	free(b.at);
	free(b.uses);
	for (i = 0; i < b.n_trees; i++)
		free(b.trees[i].edges);
	free(b.trees);
	return ret;
}

/*
 * Balanced Multicasting.
 *
 * Paper 003, section 2.3 (its reference 3): fpfr with weights from a linear
 * program, the largest sum for which no link is overloaded. The paper does not
 * say among which trees; here they are those of fpfr, so that it is never
 * slower, and those that the same walk gives when each of the first 256 hosts in
 * its turn comes first.
 */
const struct hbp_planner hbp_balanced_multicast = {
	.name = "balanced-multicast",
	.paper = "003 section 2.3",
	.inputs = HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_TREES,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: spanning trees with weights from a linear program",
	.make = balanced_make,
};
