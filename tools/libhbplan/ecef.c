// SPDX-License-Identifier: GPL-2.0-or-later
/* ecef: earliest completing edge first. */
#include "growth.h"

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	return hbp_growth_earliest(g, pairs, NULL, false, err);
}

static int ecef_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * Earliest Completing Edge First.
 *
 * Paper 002, section 2.2 and table 1: the next pair is that with the smallest
 * ready time of the sender + completion time of the pair. A sender is ready when
 * it has the message and has finished what it sent before.
 */
const struct hbp_planner hbp_ecef = {
	.name = "ecef",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, a sender serving one after the other",
	.make = ecef_make,
};
