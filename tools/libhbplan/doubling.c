// SPDX-License-Identifier: GPL-2.0-or-later
/* doubling: postorder recursive doubling (paper 004, section 2.2.2). */
#include "rotation.h"

/**
 * hbp_schedule_doubling() - the scheduling tree of recursive doubling
 * @rotation: what the hosts are numbers of
 * @list: hosts, the first of which has the message
 * @n: how many
 * @tree: receives the edges
 * @err: receives the reason of a failure
 *
 * The first sends to the one in the middle, which goes on with the second half
 * while the first goes on with the rest. The middle is at n / 2, rounded down.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_schedule_doubling(const struct hbp_rotation *rotation, size_t *list,
			  size_t n, struct hbp_tree *tree, struct hbp_error *err)
{
	const uint32_t *ids = rotation->in->members;
	size_t middle;
	int ret = 0;

	for (; !ret && n > 1; n = middle) {
		middle = n / 2;
		ret = hbp_tree_add(tree, ids[list[0]], ids[list[middle]], err);
		if (!ret)
			ret = hbp_schedule_doubling(rotation, &list[middle],
						    n - middle, tree, err);
	}
	return ret;
}

static int doubling_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	return hbp_rotation_plan(rq, false, hbp_schedule_doubling, plan, err);
}

/*
 * Postorder recursive doubling.
 *
 * Paper 004, section 2.2.2 (its reference 8). The hosts in postorder of the
 * spanning tree, those of a switch in ascending order of id, turned so that the
 * root comes first. The text has the middle at the ceiling of half the size; all
 * examples need the floor.
 */
const struct hbp_planner hbp_doubling = {
	.name = "doubling",
	.paper = "004 section 2.2.2",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "few steps without contention",
	.make = doubling_make,
};
