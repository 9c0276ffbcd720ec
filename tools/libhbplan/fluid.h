/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the fluid model of a plan on a platform. */
#ifndef HBPLAN_FLUID_H
#define HBPLAN_FLUID_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "plan.h"
#include "ways.h"

/**
 * struct hbp_fluid - how data flows while all trees of a plan are used
 * @n: number of edges of all trees
 * @tree: of each edge the place of its tree in the plan; edges stand tree by
 *	tree, in the order of the tree
 * @above: of each edge the place of its parent's edge, HBP_NONE below the root
 * @rate: of each edge in bit/s, positive
 * @since_ns: of each edge the sum of latencies from the root to its child
 */
struct hbp_fluid {
	size_t n;
	size_t *tree;
	size_t *above;
	double *rate;
	int64_t *since_ns;
};

int hbp_fluid_find(struct hbp_ways *ways, const struct hbp_plan *plan,
		   struct hbp_fluid *fluid, struct hbp_error *err);
void hbp_fluid_clear(struct hbp_fluid *fluid);

#endif /* HBPLAN_FLUID_H */
