// SPDX-License-Identifier: GPL-2.0-or-later
/* lp-grow: what carries most in the best set of trees comes next (paper 001). */
#include "grow.h"
#include "messages.h"

static int64_t fewest(const struct hbp_grow *g, size_t arc)
{
	return -g->parts[arc];
}

static int grow(const struct hbp_request *rq, const struct hbp_steady *steady,
		int64_t *parts, struct hbp_plan *plan, struct hbp_error *err)
{
	return hbp_grow_tree(rq, steady, parts, fewest, plan, err);
}

static int lp_grow_make(const struct hbp_request *rq, struct hbp_plan *plan,
			struct hbp_error *err)
{
	return hbp_messages_plan(rq, grow, plan, err);
}

/*
 * Growing a spanning tree over the communication graph.
 *
 * Paper 001, LP-based heuristics. The edge out of the tree that carries most
 * messages in the best set of trees comes next. The numbers of messages are
 * those of mtp; other solutions may be as good.
 */
const struct hbp_planner hbp_lp_grow = {
	.name = "lp-grow",
	.paper = "001 LP-based heuristics",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: what the best trees use most",
	.most_work = HBP_PRUNE_WORK_MAX,
	.make = lp_grow_make,
};
