// SPDX-License-Identifier: GPL-2.0-or-later
/* Objectives: what a plan is to do best. */
#include <string.h>

#include "objective.h"

static const char *const names[HBP_OBJECTIVES] = {
	[HBP_ANY_OBJECTIVE] = "any",
	[HBP_COMPLETION] = "completion",
	[HBP_THROUGHPUT] = "throughput",
	[HBP_MEAN_COMPLETION] = "mean-completion",
};

/**
 * hbp_objective_name() - what files and users call an objective
 * @objective: the objective
 *
 * Return: its name.
 */
const char *hbp_objective_name(enum hbp_objective objective)
{
	return names[objective];
}

/**
 * hbp_objective_find() - find an objective
 * @name: its name; "any" is none
 *
 * Return: the objective, or HBP_OBJECTIVES if there is none of that name.
 */
enum hbp_objective hbp_objective_find(const char *name)
{
	enum hbp_objective objective = HBP_COMPLETION;

	while (objective < HBP_OBJECTIVES && strcmp(names[objective], name))
		objective++;
	return objective;
}

/* Negative if @a is less than @b. */
static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/**
 * hbp_objective_compare() - which of two plans serves an objective better
 * @objective: the objective; HBP_ANY_OBJECTIVE is as HBP_COMPLETION
 * @a: what is predicted for one, with one model
 * @b: what the same model predicts for the other, for the same message
 *
 * Plans that serve it equally are told apart by what else they do: completion,
 * then mean completion, then the rate.
 *
 * Return: negative if @a is better, positive if @b is, 0 if they are equal.
 */
int hbp_objective_compare(enum hbp_objective objective,
			  const struct hbp_evaluation *a,
			  const struct hbp_evaluation *b)
{
	int completion = order(hbp_evaluation_slowest(a)->completion_ns,
			       hbp_evaluation_slowest(b)->completion_ns);
	int mean = order(hbp_evaluation_mean(a), hbp_evaluation_mean(b));
	int rate = order(hbp_evaluation_rate(b), hbp_evaluation_rate(a));

	if (objective == HBP_THROUGHPUT && rate)
		return rate;
	if (objective == HBP_MEAN_COMPLETION && mean)
		return mean;
	return completion ? completion : mean ? mean : rate;
}

/**
 * hbp_objective_other() - what tells plans apart that serve an objective about equally
 * @objective: the objective; HBP_ANY_OBJECTIVE is as HBP_COMPLETION
 *
 * Return: mean completion for completion, and completion for the others.
 */
enum hbp_objective hbp_objective_other(enum hbp_objective objective)
{
	return objective == HBP_ANY_OBJECTIVE || objective == HBP_COMPLETION ?
	       HBP_MEAN_COMPLETION : HBP_COMPLETION;
}

/**
 * hbp_objective_near() - whether a plan serves an objective about as well as the best one
 * @objective: the objective; HBP_ANY_OBJECTIVE is as HBP_COMPLETION
 * @e: what is predicted for it
 * @best: what the same model predicts for the best one
 * @tolerance: the part by which it may be worse, 0 to 1
 *
 * Return: whether it does.
 */
bool hbp_objective_near(enum hbp_objective objective, const struct hbp_evaluation *e,
			const struct hbp_evaluation *best, double tolerance)
{
	if (objective == HBP_THROUGHPUT)
		return (double)hbp_evaluation_rate(e) >=
		       (double)hbp_evaluation_rate(best) * (1 - tolerance);
	if (objective == HBP_MEAN_COMPLETION)
		return (double)hbp_evaluation_mean(e) <=
		       (double)hbp_evaluation_mean(best) * (1 + tolerance);
	return (double)hbp_evaluation_slowest(e)->completion_ns <=
	       (double)hbp_evaluation_slowest(best)->completion_ns * (1 + tolerance);
}
