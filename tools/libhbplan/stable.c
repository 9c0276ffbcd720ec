// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stable: every node receives as fast as it could alone (paper 003, sections
 * 3.2 to 3.5, algorithm 1).
 */
#include <errno.h>
#include <stdlib.h>

#include "levels.h"
#include "planners.h"
#include "route.h"
#include "trace.h"

/* The bandwidth of the only way to each host. */
static int find_widths(struct hbp_trace *trace, int64_t *widths,
		       struct hbp_error *err)
{
	struct hbp_routes *routes = hbp_routes_alloc(trace->platform);
	size_t i;

	if (!routes)
		return hbp_nomem(err);
	hbp_routes_find(trace->platform, trace->root, true, routes);
	for (i = 0; i < trace->n; i++)
		widths[i] = routes->bandwidth_bps[trace->hosts[i]];
	hbp_routes_free(routes);
	return 0;
}

/* One tree for each level, through all hosts that can have as much. */
static int add_levels(struct hbp_trace *trace, struct hbp_plan *plan,
		      int64_t *widths, const int64_t *levels, size_t n_levels,
		      struct hbp_error *err)
{
	struct hbp_tree *tree;
	size_t k, i, n;
	int ret = 0;

	for (k = 0; !ret && k < n_levels; k++) {
		for (i = 0, n = 0; i < trace->n; i++) {
			if (widths[i] < levels[k])
				continue;
			widths[n] = widths[i];
			trace->hosts[n++] = trace->hosts[i];
		}
		trace->n = n;
		tree = hbp_plan_add_tree(plan, (unsigned int)k);
		tree->rate_bps = levels[k] - (k ? levels[k - 1] : 0);
		ret = hbp_trace_tree(trace, tree, err);
		hbp_trace_take(trace, 0);
	}
	return ret;
}

/*
 * Where every two hosts are joined by one way of links that are as wide in both
 * directions, the trees of algorithm 1 are known: tree k leads through all hosts
 * whose way is at least as wide as its level, in the order of the walk.
 */
static int plan_levels(struct hbp_trace *trace, size_t most,
		       struct hbp_plan *plan, struct hbp_error *err)
{
	int64_t *widths = calloc(trace->n, sizeof(*widths));
	int64_t *levels = calloc(trace->n, sizeof(*levels));
	size_t i, n_levels;
	int ret;

	if (!widths || !levels)
		ret = hbp_nomem(err);
	else
		ret = find_widths(trace, widths, err);
	if (ret)
		goto out;
	/* The root, first of the hosts, has it all. */
	for (i = 1; i < trace->n; i++)
		levels[i - 1] = widths[i];
	if (hbp_levels_pick(levels, trace->n - 1, most, &n_levels))
		ret = hbp_nomem(err);
	else
		ret = add_levels(trace, plan, widths, levels, n_levels, err);
out:
	free(widths);
	free(levels);
	return ret;
}

/* Where the walk leads; a source never receives. */
static int visit(struct hbp_trace *trace, const struct hbp_plan *plan,
		 struct hbp_error *err)
{
	const struct hbp_platform_node *nodes = trace->platform->nodes;
	size_t i, n = 1;
	int ret;

	ret = hbp_trace_visit(trace, err);
	if (ret)
		return ret;
	for (i = 1; i < trace->n; i++)
		if (!hbp_plan_is_source(plan, nodes[trace->hosts[i]].id))
			trace->hosts[n++] = trace->hosts[i];
	trace->n = n;
	return 0;
}

/* Trees are traced from a source as long as links have something left. */
static int plan_traces(struct hbp_trace *trace, size_t most,
		       struct hbp_plan *plan, struct hbp_error *err)
{
	struct hbp_tree *tree;
	int ret;

	ret = visit(trace, plan, err);
	while (!ret && trace->n > 1 && plan->n_trees < most) {
		tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
		ret = hbp_trace_tree(trace, tree, err);
		if (tree->n_edges)
			tree->rate_bps = hbp_trace_take(trace,
							hbp_trace_rate(trace));
		/* The first tree spans all, however narrow it is. */
		if (!tree->rate_bps && plan->n_trees > 1) {
			hbp_plan_drop_tree(plan);
			break;
		}
		if (!ret)
			ret = visit(trace, plan, err);
	}
	return ret;
}

/* Replicas receive nothing, so that the root's tree cannot pass them. */
static int check_span(const struct hbp_request *rq, const struct hbp_plan *plan,
		      struct hbp_error *err)
{
	size_t edges = plan->n_trees ? plan->trees[0].n_edges : 0, i, k;
	uint32_t id = plan->root;

	if (edges + 1 + rq->n_replicas == rq->in->n)
		return 0;
	for (i = 0; i < rq->in->n; i++) {
		id = rq->in->members[i];
		for (k = 0; k < edges && plan->trees[0].edges[k].child != id;)
			k++;
		if (k == edges && !hbp_plan_is_source(plan, id))
			break;
	}
	return hbp_fail(err, -EINVAL,
			"links: only replicas lead from root %u to node %u, and they receive nothing that they could pass on: leave one of them out",
			plan->root, id);
}

/* A set of trees from each source, one by one, on what those before have left. */
static int plan_sources(const struct hbp_request *rq, struct hbp_trace *trace,
			struct hbp_plan *plan, struct hbp_error *err)
{
	size_t i;
	int ret;

	ret = plan_traces(trace, hbp_trees_max(rq), plan, err);
	if (!ret && rq->n_replicas)
		ret = check_span(rq, plan, err);
	for (i = 0; !ret && i < rq->n_replicas; i++) {
		trace->root = hbp_platform_find(trace->platform,
						rq->replicas[i]);
		ret = plan_traces(trace, hbp_trees_max(rq), plan, err);
	}
	return ret;
}

static int add_trees(const struct hbp_request *rq, struct hbp_trace *trace,
		     struct hbp_plan *plan, struct hbp_error *err)
{
	int ret;

	if (!trace->ways->even || rq->n_replicas)
		return plan_sources(rq, trace, plan, err);
	ret = hbp_trace_visit(trace, err);
	return ret ? ret : plan_levels(trace, hbp_trees_max(rq), plan, err);
}

static int stable_make(const struct hbp_request *rq, struct hbp_plan *plan,
		       struct hbp_error *err)
{
	return hbp_trace_plan(rq, add_trees, plan, err);
}

/*
 * The stable broadcast.
 *
 * Paper 003, sections 3.2 to 3.5, algorithm 1; its stages (algorithm 2) are the
 * module's and the fluid model's. On a tree of links that are as wide in both
 * directions every host receives at the bandwidth of its way from the root, and
 * no host that is added lowers another's. There the k-th tree of algorithm 1
 * leads through the hosts whose way is wider than the trees before it together,
 * so it is made so at once. Elsewhere the algorithm runs as it is written. If it
 * has more trees than a plan may have, the sum of all rates decides which stay,
 * on such a tree of links; elsewhere the first do. Replicas (section 3.2, last
 * paragraph) get a set of trees each, after those of the root.
 */
const struct hbp_planner hbp_stable = {
	.name = "stable",
	.paper = "003 sections 3.2 to 3.5",
	.inputs = HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_TREES | HBP_TAKES_REPLICAS | HBP_TAKES_TOLERANCE,
	.serves = HBP_FOR(HBP_COMPLETION) | HBP_FOR(HBP_THROUGHPUT) |
		  HBP_FOR(HBP_MEAN_COMPLETION),
	.objective = "throughput of each node, whatever the others can do",
	.make = stable_make,
};
