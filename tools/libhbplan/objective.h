/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objectives: what a plan is to do best. */
#ifndef HBPLAN_OBJECTIVE_H
#define HBPLAN_OBJECTIVE_H

#include <stdbool.h>

#include "evaluate.h"

/**
 * enum hbp_objective - what a plan is to do best
 * @HBP_ANY_OBJECTIVE: whatever its planner tries
 * @HBP_COMPLETION: the last node has the message early
 * @HBP_THROUGHPUT: the slowest node receives at a high rate
 * @HBP_MEAN_COMPLETION: nodes have the message early on average
 * @HBP_OBJECTIVES: how many there are
 */
enum hbp_objective {
	HBP_ANY_OBJECTIVE,
	HBP_COMPLETION,
	HBP_THROUGHPUT,
	HBP_MEAN_COMPLETION,
	HBP_OBJECTIVES
};

/* An objective in a set of them. */
#define HBP_FOR(objective)	(1u << (objective))

const char *hbp_objective_name(enum hbp_objective objective);
enum hbp_objective hbp_objective_find(const char *name);
enum hbp_objective hbp_objective_other(enum hbp_objective objective);
bool hbp_objective_near(enum hbp_objective objective, const struct hbp_evaluation *e,
			const struct hbp_evaluation *best, double tolerance);
int hbp_objective_compare(enum hbp_objective objective,
			  const struct hbp_evaluation *a,
			  const struct hbp_evaluation *b);

#endif /* HBPLAN_OBJECTIVE_H */
