// SPDX-License-Identifier: GPL-2.0-or-later
/* The binomial tree over positions, and the planner that fills it by id. */
#include <stdlib.h>

#include "binomial.h"
#include "planners.h"
#include "positions.h"

/**
 * hbp_binomial_parent() - the parent of a position
 * @position: the position, not 0
 *
 * Return: its parent's position.
 */
size_t hbp_binomial_parent(size_t position)
{
	return position & (position - 1);
}

/**
 * hbp_binomial_end() - where a subtree ends
 * @position: its topmost position
 * @n: number of positions
 *
 * Return: the position behind its last one.
 */
size_t hbp_binomial_end(size_t position, size_t n)
{
	size_t step = position & -position;

	return position && step < n - position ? position + step : n;
}

/**
 * hbp_binomial_step() - the way to the first child
 * @position: the position
 * @n: number of positions
 *
 * The first child has the largest subtree; the steps to the others are half,
 * a quarter, and so on down to 1.
 *
 * Return: what to add to @position, a power of two; 0 if it is a leaf.
 */
size_t hbp_binomial_step(size_t position, size_t n)
{
	size_t size = hbp_binomial_end(position, n) - position, step = 1;

	if (size < 2)
		return 0;
	while (step < size - step)
		step *= 2;
	return step;
}

/**
 * hbp_binomial_children() - how many children a position has
 * @position: the position
 * @n: number of positions
 *
 * Return: their number.
 */
size_t hbp_binomial_children(size_t position, size_t n)
{
	size_t step, children = 0;

	for (step = hbp_binomial_step(position, n); step; step /= 2)
		children++;
	return children;
}

static int binomial_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	size_t n = rq->in->n, i, position = 0;
	uint32_t *ids = calloc(n, sizeof(*ids));
	int ret;

	if (!ids)
		return hbp_nomem(err);
	ids[position++] = rq->root;
	for (i = 0; i < n; i++)
		if (rq->in->members[i] != rq->root)
			ids[position++] = rq->in->members[i];
	/* Without need no matrix is made from a platform. */
	ret = hbp_positions_plan(ids, n, rq->in->costs, plan, err);
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
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "few rounds in a homogeneous network",
	.make = binomial_make,
};
