// SPDX-License-Identifier: GPL-2.0-or-later
/* ebs: the exchange broadcasting scheme (paper 004, section 3.1). */
#include "node.h"
#include "rotation.h"

/*
 * The child that takes the place of the first of a row: of those at its switch
 * that are faster, the fastest, of several the one with the lowest id. The row is
 * the subtree of its first; @size receives the size of the child's.
 */
static size_t pick_child(const struct hbp_rotation *rotation,
			 const size_t *list, size_t n, size_t *size)
{
	const size_t *at = rotation->in->hnow->at;
	const size_t *type = rotation->type;
	size_t best = HBP_NONE, child;

	for (; n > 1; n = child) {
		child = n / 2;
		if (at[list[child]] != at[list[0]] ||
		    type[list[child]] >= type[list[0]])
			continue;
		if (best != HBP_NONE &&
		    (type[list[child]] > type[list[best]] ||
		     (type[list[child]] == type[list[best]] &&
		      list[child] > list[best])))
			continue;
		best = child;
		*size = n - child;
	}
	return best;
}

/* Moves the first of a row down as long as a child is faster. */
static void move_down(const struct hbp_rotation *rotation, size_t *list, size_t n)
{
	size_t child, size, host;

	for (;;) {
		child = pick_child(rotation, list, n, &size);
		if (child == HBP_NONE)
			return;
		host = list[0];
		list[0] = list[child];
		list[child] = host;
		list += child;
		n = size;
	}
}

/* All below the first of a row, children before their parents. */
static void exchange(const struct hbp_rotation *rotation, size_t *list, size_t n)
{
	size_t child;

	for (; n > 1; n = child) {
		child = n / 2;
		exchange(rotation, &list[child], n - child);
		move_down(rotation, &list[child], n - child);
	}
}

/**
 * hbp_schedule_ebs() - the scheduling tree of the exchange broadcasting scheme
 * @rotation: what the hosts are numbers of
 * @list: hosts, the first of which has the message; exchanged
 * @n: how many
 * @tree: receives the edges
 * @err: receives the reason of a failure
 *
 * That of recursive doubling, in which hosts with a faster child at the same
 * switch have changed places with it; the first stays.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_schedule_ebs(const struct hbp_rotation *rotation, size_t *list, size_t n,
		     struct hbp_tree *tree, struct hbp_error *err)
{
	exchange(rotation, list, n);
	return hbp_schedule_doubling(rotation, list, n, tree, err);
}

static int ebs_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	return hbp_rotation_plan(rq, true, hbp_schedule_ebs, plan, err);
}

/*
 * The exchange broadcasting scheme.
 *
 * Paper 004, section 3.1, algorithm 1, with the sorted list of section 3.1.4, as
 * in figure 4 and table V.
 */
const struct hbp_planner hbp_ebs = {
	.name = "ebs",
	.paper = "004 section 3.1",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, few steps",
	.make = ebs_make,
};
