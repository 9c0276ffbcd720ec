// SPDX-License-Identifier: GPL-2.0-or-later
/* flat: the root sends to everybody. */
#include "planners.h"

static int flat_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	size_t i;
	int ret;

	for (i = 0; i < rq->in->n; i++) {
		if (rq->in->members[i] == rq->root)
			continue;
		ret = hbp_tree_add(tree, rq->root, rq->in->members[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * The flat tree.
 *
 * Papers 002 (section 4) and 003 (section 2.1) compare with it. The root sends
 * to all others in ascending order of id.
 */
const struct hbp_planner hbp_flat = {
	.name = "flat",
	.paper = "002 section 4, 003 section 2.1",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.objective = "nothing; for comparison",
	.make = flat_make,
};
