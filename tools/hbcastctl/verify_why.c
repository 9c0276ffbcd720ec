// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: why auto says that it has taken a plan. */
#include <math.h>
#include <string.h>

#include "verify.h"

/* What is told of a planner, in the order in which plans are told apart. */
static const char *const keys[] = {
	"completion_us", "mean_completion_us", "rate_mbps"
};

#define KEYS	(sizeof(keys) / sizeof(keys[0]))

static int fail_key(struct hbverify *v, const char *key, const char *why)
{
	return hbverify_fail(v, "%s: why.%s: %s", v->plan.file, key, why);
}

static double value_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* What the plan itself does, by the nodes that have been checked. */
static void find_figures(const json_t *predicted, double *figures, double *bounds)
{
	json_t *nodes = json_object_get(predicted, "nodes"), *node;
	size_t i, n = json_array_size(nodes);

	memset(bounds, 0, 2 * sizeof(*bounds));
	memset(figures, 0, KEYS * sizeof(*figures));
	figures[2] = HUGE_VAL;
	json_array_foreach(nodes, i, node) {
		figures[0] = fmax(figures[0], value_of(node, "completion_us"));
		figures[1] += value_of(node, "completion_us") / (double)n;
		figures[2] = fmin(figures[2], value_of(node, "rate_mbps"));
		bounds[0] = fmax(bounds[0], value_of(node, "bound_us"));
		bounds[1] += value_of(node, "bound_us") / (double)n;
	}
}

/* Does a planner's plan serve the objective better than what is told of another's? */
static bool is_better(const json_t *a, const json_t *b, size_t objective)
{
	size_t order[KEYS + 1] = { objective, 0, 1, 2 }, i;
	double x, y;

	for (i = 0; i < KEYS + 1; i++) {
		x = value_of(a, keys[order[i]]);
		y = value_of(b, keys[order[i]]);
		if (x != y)
			return order[i] == 2 ? x > y : x < y;
		if (order[i] != 2 && x >= HBVERIFY_EXACT_US)
			return false;
	}
	return false;
}

/* Has it planned, and is that about as good as the best plan, which may be better by a part? */
static bool is_near(const json_t *row, const json_t *best, size_t objective, double tolerance)
{
	double value = value_of(row, keys[objective]), least = value_of(best, keys[objective]);

	if (!json_is_true(json_object_get(row, "planned")))
		return false;
	return objective == 2 ? value >= least * (1 - tolerance) * (1 - HBVERIFY_SLACK) :
				value <= least * (1 + tolerance) * (1 + HBVERIFY_SLACK) + 0.002;
}

/*
 * The plan that was taken must be about as good as the best one, and of those that clearly
 * are it must be the best at what the objective leaves open.
 */
static int check_taken(struct hbverify *v, const json_t *planners, const json_t *taken,
		       size_t objective, double tolerance)
{
	const char *name = json_string_value(json_object_get(taken, "algorithm"));
	const json_t *best = taken, *better = NULL;
	size_t other = objective == 0, i;
	json_t *row;

	json_array_foreach(planners, i, row)
		if (json_is_true(json_object_get(row, "planned")) &&
		    is_better(row, best, objective))
			best = row;
	if (!is_near(taken, best, objective, tolerance))
		better = best;
	json_array_foreach(planners, i, row)
		if (is_near(row, best, objective, tolerance - 2 * HBVERIFY_SLACK) &&
		    is_better(row, taken, other))
			better = row;
	if (!better)
		return 0;
	return hbverify_fail(v, "%s: why.algorithm is %s, but %s serves the objective better",
			     v->plan.file, name,
			     json_string_value(json_object_get(better, "algorithm")));
}

/* What is told of one planner must be possible. */
static int check_planner(struct hbverify *v, const json_t *row, const double *bounds)
{
	const char *name = json_string_value(json_object_get(row, "algorithm"));
	size_t i;

	if (!name || !json_is_boolean(json_object_get(row, "planned")))
		return fail_key(v, "planners",
				"each must have an algorithm, and tell whether it has planned");
	if (!json_is_true(json_object_get(row, "planned")))
		return 0;
	for (i = 0; i < 2; i++)
		if (value_of(row, keys[i]) < bounds[i] * (1 - HBVERIFY_SLACK) - 0.002)
			return hbverify_fail(v,
					     "%s: why.planners: %s of %s is below what bounds allow",
					     v->plan.file, keys[i], name);
	if (value_of(row, keys[1]) > value_of(row, keys[0]))
		return hbverify_fail(v,
				     "%s: why.planners: mean_completion_us of %s is above its completion_us",
				     v->plan.file, name);
	return 0;
}

/* What is told of the planner whose plan it is. */
static int find_taken(struct hbverify *v, const json_t *why, const json_t **taken)
{
	const json_t *name = json_object_get(why, "algorithm");
	json_t *planners = json_object_get(why, "planners"), *row;
	size_t i, n = 0;

	if (!json_is_string(name) ||
	    !json_equal((json_t *)name, json_object_get(v->json, "algorithm")))
		return fail_key(v, "algorithm", "it is not the algorithm of the plan");
	json_array_foreach(planners, i, row) {
		if (!json_equal(json_object_get(row, "algorithm"), (json_t *)name))
			continue;
		*taken = row;
		n++;
	}
	if (n != 1 || !json_is_true(json_object_get(*taken, "planned")))
		return fail_key(v, "planners",
				"the algorithm of the plan must be there once, and have planned");
	return 0;
}

static int find_objective(struct hbverify *v, const json_t *why, size_t *objective)
{
	static const char *const names[] = {
		"completion", "mean-completion", "throughput"
	};
	const char *name = json_string_value(json_object_get(why, "objective"));

	for (*objective = 0; name && *objective < KEYS; ++*objective)
		if (!strcmp(name, names[*objective]))
			return 0;
	return fail_key(v, "objective", "it must be completion, throughput or mean-completion");
}

/**
 * hbverify_why() - check why auto says that it has taken a plan
 * @v: the plan's predictions are right
 *
 * What other planners would do cannot be known without them; but it must be
 * possible, and not better.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_why(struct hbverify *v)
{
	const json_t *why = json_object_get(v->json, "why"), *taken = NULL;
	const json_t *predicted = json_object_get(v->json, "predicted");
	json_t *planners = json_object_get(why, "planners"), *row;
	double figures[KEYS], bounds[2];
	size_t i, objective;

	if (!why)
		return 0;
	if (!predicted || !json_equal(json_object_get(why, "model"),
				      json_object_get(predicted, "model")))
		return fail_key(v, "model", "it is not the one by which the plan is predicted");
	if (find_objective(v, why, &objective) || find_taken(v, why, &taken))
		return -1;
	find_figures(predicted, figures, bounds);
	for (i = 0; i < KEYS; i++)
		if (!hbverify_near(value_of(taken, keys[i]), figures[i], 0.002))
			return hbverify_fail(v,
					     "%s: why.planners: %s of %s is %.2f, but the plan has %.2f",
					     v->plan.file, keys[i],
					     json_string_value(json_object_get(taken, "algorithm")),
					     value_of(taken, keys[i]), figures[i]);
	json_array_foreach(planners, i, row)
		if (check_planner(v, row, bounds))
			return -1;
	return check_taken(v, planners, taken, objective, value_of(why, "tolerance"));
}
