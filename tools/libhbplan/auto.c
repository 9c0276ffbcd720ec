// SPDX-License-Identifier: GPL-2.0-or-later
/* auto: all other planners, and the best of their plans. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "planners.h"

/* What rounding makes of rates. */
#define ROUNDING	(1 / 1e6)

/**
 * struct entry - a plan that may be taken
 * @plan: the plan
 * @tried: whose it is, an index of struct hbp_why's
 */
struct entry {
	struct hbp_plan *plan;
	size_t tried;
};

struct contest {
	const struct hbp_request *rq;
	enum hbp_model model;
	struct hbp_why *why;
	struct entry *entries;	/* all that are about as good as the best one */
	size_t n;
	int64_t bound_bps;	/* the least of all plans' */
	struct hbp_certificate *certificate;	/* what proves it */
	struct hbp_error *why_not;	/* of the planner that failed last */
};

/* Predicts by the model that judges all. */
static int judge(const struct contest *c, struct hbp_plan *plan)
{
	struct hbp_evaluation *evaluation;
	int ret;

	ret = hbp_evaluate(plan, c->rq->in, c->model, &evaluation, c->why_not);
	if (ret)
		return ret;
	hbp_evaluation_free(plan->predicted);
	plan->predicted = evaluation;
	return 0;
}

/*
 * Judges a plan by another model than its planner has made it for. Rates of
 * several trees are made small enough for ports that the planner did not know.
 */
static int judge_anew(const struct contest *c, struct hbp_plan *plan)
{
	double part;
	size_t t;
	int ret;

	ret = judge(c, plan);
	if (ret || plan->n_trees == 1)
		return ret;
	part = hbp_plan_kept_part(plan, plan->predicted);
	if (part > 1 - ROUNDING)
		return 0;
	for (t = 0; t < plan->n_trees; t++)
		plan->trees[t].rate_bps =
			(int64_t)((double)plan->trees[t].rate_bps * part);
	return judge(c, plan);
}

/* Makes one planner's plan, judged as all are. */
static int enter(const struct contest *c, const struct hbp_planner *planner,
		 struct hbp_plan **out)
{
	struct hbp_plan *plan;
	int ret;

	ret = hbp_plan_make(planner, c->rq, &plan, c->why_not);
	if (ret)
		return ret;
	if (plan->predicted->model != c->model)
		ret = judge_anew(c, plan);
	if (!ret && plan->n_trees > hbp_trees_max(c->rq))
		ret = hbp_fail(c->why_not, -EINVAL,
			       "%s: %s plans %zu trees, more than are allowed",
			       c->rq->in->name, planner->name, plan->n_trees);
	if (ret)
		hbp_plan_free(plan);
	else
		*out = plan;
	return ret;
}

/* Of plans that do equally well the one with fewer trees, then the first. */
static const struct entry *best_of(const struct contest *c, enum hbp_objective objective)
{
	const struct entry *e, *best = c->entries;
	int order;

	for (e = c->entries; e < c->entries + c->n; e++) {
		order = hbp_objective_compare(objective, e->plan->predicted,
					      best->plan->predicted);
		if (order < 0 || (!order && e->plan->n_trees < best->plan->n_trees))
			best = e;
	}
	return best;
}

/* Drops those that are not about as good as the best one. */
static void drop_far(struct contest *c)
{
	const struct hbp_evaluation *best = best_of(c, c->why->objective)->plan->predicted;
	size_t i, n = 0;

	for (i = 0; i < c->n; i++)
		if (hbp_objective_near(c->why->objective, c->entries[i].plan->predicted, best,
				       c->rq->tolerance))
			c->entries[n++] = c->entries[i];
		else
			hbp_plan_free(c->entries[i].plan);
	c->n = n;
}

/* Takes a lower bound, and its proof, out of a plan; both by the model of all. */
static void keep_bound(struct contest *c, struct hbp_plan *plan)
{
	if (!plan->certificate || plan->certificate->model != c->model ||
	    !plan->bound_bps ||
	    (c->bound_bps && plan->bound_bps >= c->bound_bps))
		return;
	c->bound_bps = plan->bound_bps;
	hbp_certificate_free(c->certificate);
	c->certificate = plan->certificate;
	plan->certificate = NULL;
}

static int try_planner(struct contest *c, const struct hbp_planner *planner)
{
	struct hbp_tried *tried = &c->why->tried[c->why->n++];
	const struct hbp_evaluation *e;
	struct hbp_plan *plan;
	int ret;

	tried->algorithm = planner->name;
	ret = enter(c, planner, &plan);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return 0;
	e = plan->predicted;
	tried->made = true;
	tried->completion_ns = hbp_evaluation_slowest(e)->completion_ns;
	tried->mean_ns = hbp_evaluation_mean(e);
	tried->rate_bps = hbp_evaluation_rate(e);
	keep_bound(c, plan);
	c->entries[c->n++] = (struct entry){ .plan = plan, .tried = c->why->n - 1 };
	drop_far(c);
	return 0;
}

/*
 * The plan becomes the best one, but for what is predicted, which comes anew. Of those that
 * are about as good it is the one that is best at what the objective leaves open.
 */
static void take_best(struct contest *c, struct hbp_plan *plan)
{
	const struct entry *best = best_of(c, hbp_objective_other(c->why->objective));
	struct hbp_plan swap = *plan;

	c->why->chosen = best->tried;
	*plan = *best->plan;
	*best->plan = swap;
	hbp_evaluation_free(plan->predicted);
	plan->predicted = NULL;
	plan->bound_bps = c->bound_bps;
	if (c->certificate || (plan->certificate &&
			       plan->certificate->model != c->model)) {
		hbp_certificate_free(plan->certificate);
		plan->certificate = c->certificate;
		c->certificate = NULL;
	}
	plan->why = c->why;
	c->why = NULL;
}

static bool takes_part(const struct hbp_planner *planner,
		       const struct hbp_input *in)
{
	const struct hbp_platform *p = in->platform;
	size_t links = p ? p->n_links : in->n * (in->n - 1);

	return planner != &hbp_auto && planner->inputs & in->kind &&
	       !(planner->most_work && in->n * links > planner->most_work);
}

/* Nobody has planned: tells why the last one has not. */
static int nobody(const struct contest *c, struct hbp_error *err)
{
	const struct hbp_why *why = c->why;
	const char *text = c->why_not->text, *name = c->rq->in->name;
	size_t len = strlen(name);

	if (!why->n)
		return hbp_fail(err, -EINVAL, "no planner can plan from it");
	/* What is told of this planner has the input's name, too. */
	if (!strncmp(text, name, len) && !strncmp(text + len, ": ", 2))
		text += len + 2;
	return hbp_fail(err, -EINVAL, "no planner can plan from it, and %s says why: %s",
			why->tried[why->n - 1].algorithm, text);
}

static int auto_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	const struct hbp_planner *const *planners;
	struct hbp_error why_not;
	struct contest c = {
		.rq = rq, .model = hbp_request_model(rq), .why_not = &why_not
	};
	size_t n, i;
	int ret = 0;

	planners = hbp_planners(&n);
	c.why = hbp_why_alloc(n);
	c.entries = calloc(n, sizeof(*c.entries));
	if (!c.why || !c.entries) {
		hbp_why_free(c.why);
		free(c.entries);
		return hbp_nomem(err);
	}
	c.why->model = c.model;
	c.why->tolerance = rq->tolerance;
	c.why->objective = rq->objective ? rq->objective : HBP_COMPLETION;
	for (i = 0; !ret && i < n; i++)
		if (takes_part(planners[i], rq->in))
			ret = try_planner(&c, planners[i]);
	if (ret)
		ret = hbp_nomem(err);
	if (!ret && !c.n)
		ret = nobody(&c, err);
	if (!ret)
		take_best(&c, plan);
	for (i = 0; i < c.n; i++)
		hbp_plan_free(c.entries[i].plan);
	free(c.entries);
	hbp_certificate_free(c.certificate);
	hbp_why_free(c.why);
	return ret;
}

/*
 * The best plan of all planners.
 *
 * Every planner that takes the input plans for the message, the ports and the
 * objective of the request; one model judges all plans, and the one that serves
 * the objective best is taken. It is never worse than any of them by that model; with a
 * tolerance, of those that are worse by no more than that part it is the one that is best
 * at what the objective leaves open, see hbp_objective_other().
 * Planners that would take longer than all others together are left out.
 */
const struct hbp_planner hbp_auto = {
	.name = "auto",
	.paper = "all of them",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM | HBP_INPUT_HNOW,
	.takes = HBP_TAKES_PORTS | HBP_TAKES_SEED | HBP_TAKES_TREES | HBP_TAKES_TOLERANCE,
	.serves = HBP_FOR(HBP_COMPLETION) | HBP_FOR(HBP_THROUGHPUT) |
		  HBP_FOR(HBP_MEAN_COMPLETION),
	.objective = "the best of all planners' plans",
	.make = auto_make,
};
