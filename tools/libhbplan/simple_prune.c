// SPDX-License-Identifier: GPL-2.0-or-later
/* simple-prune: slow pairs go until a tree is left (paper 001). */
#include <stdlib.h>

#include "prune.h"

static int simple_make(const struct hbp_request *rq, struct hbp_plan *plan,
		       struct hbp_error *err)
{
	struct hbp_prune prune = { 0 };
	struct hbp_steady *steady;
	int64_t *ns;
	int ret;

	ret = hbp_steady_alloc(rq->in, rq->ports, &steady, err);
	if (ret)
		return ret;
	ns = hbp_steady_times(steady);
	ret = ns ? hbp_prune_begin(&prune, steady,
				   hbp_input_find(rq->in, rq->root), NULL, err) :
	      hbp_nomem(err);
	if (!ret)
		ret = hbp_prune_heaviest(&prune, ns, err);
	if (!ret)
		ret = hbp_prune_tree(&prune, rq->in->members, plan, err);
	hbp_prune_end(&prune);
	hbp_steady_free(steady);
	free(ns);
	return ret;
}

/*
 * Simple platform pruning.
 *
 * Paper 001, platform-based heuristics, one-port. Edges are deleted, the one of
 * the largest transfer time first, unless the root would not reach all nodes
 * without it. "Connected" is read so, as the graph is directed.
 */
const struct hbp_planner hbp_simple_prune = {
	.name = "simple-prune",
	.paper = "001 one-port heuristics",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: no slow pairs",
	.most_work = HBP_PRUNE_WORK_MAX,
	.make = simple_make,
};
