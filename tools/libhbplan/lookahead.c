// SPDX-License-Identifier: GPL-2.0-or-later
/* lookahead: earliest completing edge first, with an eye on what comes next. */
#include "growth.h"

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	return hbp_growth_earliest(g, pairs, NULL, true, err);
}

static int lookahead_make(const struct hbp_request *rq, struct hbp_plan *plan,
			  struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * ECEF with look-ahead.
 *
 * Paper 002, table 1: the next pair is that with the smallest ready time of the
 * sender + completion time of the pair + look-ahead value of the receiver. The
 * table does not define the value. Taken is the least completion time from the
 * receiver to a node that is still to be reached after it: how useful it will be
 * as a sender. Receivers that reach none of these come last, by their completion
 * alone.
 */
const struct hbp_planner hbp_lookahead = {
	.name = "lookahead",
	.paper = "002 table 1",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, useful receivers first",
	.make = lookahead_make,
};
