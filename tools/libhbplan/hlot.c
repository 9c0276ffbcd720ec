// SPDX-License-Identifier: GPL-2.0-or-later
/* hlot: near pairs, unless the root itself is as near. */
#include "growth.h"

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	return hbp_growth_nearest(g, pairs, true, err);
}

static int hlot_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_growth_plan(rq, true, grow, plan, err);
}

/*
 * HLOT.
 *
 * Paper 002, section 2.2 and table 1, which tell of it that it goes by latency
 * and compares the weight of a selected edge with that of the flat tree before
 * it uses it. Readings chosen, as that is all they tell:
 *
 * - The selected edge is that of least distance between a node of the tree and
 *   one that is not in it, where distance is latency with overheads.
 * - Its weight is the sum of the distances on the path from the root by way of
 *   it. The distance of the edge alone is never above that of the flat tree's,
 *   which is among those that were selected from.
 * - If the flat tree's edge weighs as much or less, the root sends itself.
 */
const struct hbp_planner hbp_hlot = {
	.name = "hlot",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "path sum, by near pairs, never above the flat tree's",
	.make = hlot_make,
};
