/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All arborescences of small graphs. */
#ifndef HBC_SELFTESTS_PLAN_ARBORESCENCES_H
#define HBC_SELFTESTS_PLAN_ARBORESCENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "arborescence.h"

/* Of up to 40 nodes. */
struct graph {
	size_t n, m;
	struct hbp_arc arcs[1600];
	double costs[1600];
};

bool is_arborescence(const struct graph *g, size_t root, const size_t *into);
double least_cost(const struct graph *g, const double *costs, size_t root,
		  size_t node, size_t *into);

#endif /* HBC_SELFTESTS_PLAN_ARBORESCENCES_H */
