// SPDX-License-Identifier: GPL-2.0-or-later
/* binomial: the binomial tree over positions. */
#include <stdlib.h>

#include "planners.h"

/* The largest power of two that is a step from a position to a child. */
static size_t first_step(size_t position, size_t n)
{
	size_t step = 1;

	if (position)
		return (position & -position) / 2;
	while (step < n - step)
		step *= 2;
	return step;
}

static int add_children(const uint32_t *ids, size_t n, size_t position,
			struct hbp_tree *tree, struct hbp_error *err)
{
	size_t step;
	int ret = 0;

	for (step = first_step(position, n); !ret && step; step /= 2)
		if (position + step < n)
			ret = hbp_tree_add(tree, ids[position],
					   ids[position + step], err);
	return ret;
}

static int binomial_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	size_t n = rq->in->n, i, position = 0;
	uint32_t *ids = calloc(n, sizeof(*ids));
	int ret = 0;

	if (!ids)
		return hbp_nomem(err);
	ids[position++] = rq->root;
	for (i = 0; i < n; i++)
		if (rq->in->members[i] != rq->root)
			ids[position++] = rq->in->members[i];
	for (position = 0; !ret && position < n; position++)
		ret = add_children(ids, n, position, tree, err);
	free(ids);
	return ret;
}

/*
 * The binomial tree.
 *
 * Paper 000, sections 1 and 3 (its position tree, before any adaption). The
 * root has position 0, the others follow in ascending order of id. The parent
 * of position p is p with its lowest set bit cleared. A parent sends first to
 * the child with the largest subtree, that is to p + 2^i with i descending.
 */
const struct hbp_planner hbp_binomial = {
	.name = "binomial",
	.paper = "000 sections 1 and 3",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.objective = "few rounds in a homogeneous network",
	.make = binomial_make,
};
