// SPDX-License-Identifier: GPL-2.0-or-later
/* fpfr: several spanning trees at once (paper 003, section 2.3). */
#include "fpfr.h"
#include "planners.h"

/**
 * hbp_fpfr_next() - trace the next spanning tree on what links have left
 * @trace: the trace, on an unused platform at first
 * @tree: receives the edges and the rate, which is not taken yet; that of the
 *	first tree may be 0
 * @err: receives the reason of a failure
 *
 * Return: 1 if the tree spans all hosts; 0 if there is none; -ENOMEM.
 */
int hbp_fpfr_next(struct hbp_trace *trace, struct hbp_tree *tree,
		  struct hbp_error *err)
{
	int ret;

	ret = hbp_trace_visit(trace, err);
	if (ret || trace->n < trace->platform->n_hosts)
		return ret;
	ret = hbp_trace_tree(trace, tree, err);
	if (ret || tree->n_edges < trace->n - 1)
		return ret;
	tree->rate_bps = hbp_trace_rate(trace);
	return 1;
}

static int add_trees(const struct hbp_request *rq, struct hbp_trace *trace,
		     struct hbp_plan *plan, struct hbp_error *err)
{
	struct hbp_tree *tree;
	int ret = 1;

	while (ret == 1 && plan->n_trees < hbp_trees_max(rq)) {
		tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
		ret = hbp_fpfr_next(trace, tree, err);
		hbp_trace_take(trace, tree->rate_bps);
		/* The first tree spans all, however narrow it is. */
		if (plan->n_trees > 1 && !tree->rate_bps) {
			hbp_plan_drop_tree(plan);
			break;
		}
	}
	return ret < 0 ? ret : 0;
}

static int fpfr_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_trace_plan(rq, add_trees, plan, err);
}

/*
 * Fast Parallel File Replication.
 *
 * Paper 003, section 2.3 (its reference 4). As stable, but with trees that span
 * all hosts only: it ends with the first host that nothing is left for.
 */
const struct hbp_planner hbp_fpfr = {
	.name = "fpfr",
	.paper = "003 section 2.3",
	.inputs = HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_TREES,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: several spanning trees on what links have left",
	.make = fpfr_make,
};
