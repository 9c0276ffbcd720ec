// SPDX-License-Identifier: GPL-2.0-or-later
/* fef: fastest edge first. */
#include "growth.h"

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	return hbp_growth_nearest(g, pairs, false, err);
}

static int fef_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * Fastest Edge First.
 *
 * Paper 002, section 2.2 and table 1. The next pair is that with the smallest
 * completion time of all that join a node of the tree to one that is not in it,
 * whenever the sender has the message. (The text has "from a root"; with the
 * root as the only sender the flat tree would come out.) What is left is a
 * spanning tree of least sum of completion times if they are symmetric.
 */
const struct hbp_planner hbp_fef = {
	.name = "fef",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, by fast pairs",
	.make = fef_make,
};
