// SPDX-License-Identifier: GPL-2.0-or-later
/* Objectives, and auto: never worse than any planner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define SEED	61

/* What an objective is about, less being better. */
static int64_t merit(enum hbp_objective objective, const struct hbp_evaluation *e)
{
	if (objective == HBP_THROUGHPUT)
		return -hbp_evaluation_rate(e);
	return objective == HBP_MEAN_COMPLETION ? hbp_evaluation_mean(e) :
	       hbp_evaluation_slowest(e)->completion_ns;
}

/* False if the model cannot judge the plan, as that of HNOWs not all trees. */
static bool judge(const struct hbp_plan *plan, const struct hbp_request *rq,
		  int64_t *value)
{
	struct hbp_evaluation *e;
	struct hbp_error err;

	if (hbp_evaluate(plan, rq->in, hbp_request_model(rq), &e, &err))
		return false;
	*value = merit(rq->objective, e);
	hbp_evaluation_free(e);
	return true;
}

/* Rates that are fitted to ports are rounded: 2 bit/s of 40000. */
static bool is_worse(int64_t a, int64_t b)
{
	return (double)a > (double)b + fabs((double)b) / 20000;
}

static bool is_equal(int64_t a, int64_t b)
{
	return !is_worse(a, b) && !is_worse(b, a);
}

struct tally {
	size_t tried, met, others, worse, equal;
	size_t told, bounds, silent;
};

static const struct hbp_tried *find_tried(const struct hbp_why *why,
					  const char *name)
{
	size_t i;

	for (i = 0; i < why->n; i++)
		if (!strcmp(why->tried[i].algorithm, name))
			return &why->tried[i];
	return NULL;
}

/* What the plan says of a planner is what that planner's plan does. */
static bool is_told(const struct hbp_plan *plan, const struct hbp_planner *planner,
		    const struct hbp_request *rq, bool made, int64_t value)
{
	const struct hbp_tried *t = find_tried(plan->why, planner->name);

	if (!t || t->made != made)
		return false;
	return !made ||
	       is_equal(rq->objective == HBP_THROUGHPUT ? -t->rate_bps :
			rq->objective == HBP_MEAN_COMPLETION ? t->mean_ns :
			t->completion_ns, value);
}

/* No other plan has a lower bound by the model of all. */
static bool is_bounded(const struct hbp_plan *best, const struct hbp_plan *plan)
{
	return !plan->certificate ||
	       plan->certificate->model != best->predicted->model ||
	       !plan->bound_bps || best->bound_bps <= plan->bound_bps;
}

static void meet_others(const struct hbp_request *rq, const struct hbp_plan *best,
			struct tally *t)
{
	const struct hbp_planner *const *planners;
	bool equal = false, judged;
	int64_t own, value = 0;
	struct hbp_plan *plan;
	struct hbp_error err;
	size_t n, i;

	if (!judge(best, rq, &own))
		tap_bail_out("the plan of auto cannot be judged");
	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		if (!(planners[i]->inputs & rq->in->kind) ||
		    planners[i] == &hbp_auto)
			continue;
		t->others++;
		if (hbp_plan_make(planners[i], rq, &plan, &err))
			plan = NULL;
		judged = plan && judge(plan, rq, &value);
		t->bounds += !plan || is_bounded(best, plan);
		t->worse += judged && is_worse(own, value);
		t->told += is_told(best, planners[i], rq, judged, value);
		if (judged && is_equal(value, own) &&
		    !strcmp(planners[i]->name, best->algorithm))
			equal = true;
		hbp_plan_free(plan);
	}
	t->equal += equal;
}

static void try_input(struct luck *luck, struct hbp_input *in, struct tally *t)
{
	struct hbp_request rq = {
		.in = in,
		.root = in->members[draw_below(luck, (uint32_t)in->n)],
		.message_bytes = 1ull << draw_below(luck, 31),
		.ports = draw_below(luck, 3),
		.objective = HBP_COMPLETION + draw_below(luck, 3),
		.seed = draw_below(luck, 100)
	};
	struct hbp_error err = { "nothing was said" };
	struct hbp_plan *plan;

	t->tried++;
	if (hbp_plan_make(&hbp_auto, &rq, &plan, &err)) {
		printf("# %s\n", err.text);
		return;
	}
	/* Planners fail on the way, of which nobody is told. */
	t->silent += !strcmp(err.text, "nothing was said");
	t->met += (!plan->certificate || plan->certificate->model ==
		   plan->predicted->model) &&
		  !plan->bound_bps == !plan->certificate &&
		  plan->predicted->model == hbp_request_model(&rq) &&
		  plan->why->objective == rq.objective &&
		  !strcmp(plan->algorithm,
			  plan->why->tried[plan->why->chosen].algorithm);
	meet_others(&rq, plan, t);
	hbp_plan_free(plan);
}

/* What the others do, by the figures that are told, which are checked elsewhere. */
static int64_t told_of(const struct hbp_tried *t, enum hbp_objective objective)
{
	if (objective == HBP_THROUGHPUT)
		return -t->rate_bps;
	return objective == HBP_MEAN_COMPLETION ? t->mean_ns : t->completion_ns;
}

/*
 * Whether of all plans that are worse than the best by the tolerance at most the one is
 * taken that is best at what the objective leaves open.
 */
static bool is_balanced(const struct hbp_why *why)
{
	enum hbp_objective own = why->objective;
	enum hbp_objective other = own == HBP_COMPLETION ? HBP_MEAN_COMPLETION : HBP_COMPLETION;
	const struct hbp_tried *t = why->tried, *taken = &why->tried[why->chosen];
	double best = INFINITY, least = INFINITY, limit;

	for (; t < why->tried + why->n; t++)
		if (t->made)
			best = fmin(best, (double)told_of(t, own));
	limit = best + fabs(best) * why->tolerance;
	for (t = why->tried; t < why->tried + why->n; t++)
		if (t->made && (double)told_of(t, own) <= limit)
			least = fmin(least, (double)told_of(t, other));
	return taken->made && (double)told_of(taken, own) <= limit &&
	       (double)told_of(taken, other) == least;
}

static void check_tolerance(void)
{
	struct luck luck = { SEED };
	struct hbp_request rq = { .message_bytes = 1 << 24 };
	size_t round, balanced = 0, other = 0;
	struct hbp_plan *exact, *plan;

	for (round = 0; round < 60; round++) {
		rq.in = random_platform(&luck, 3 + draw_below(&luck, 12),
					1 + draw_below(&luck, 5), draw_below(&luck, 4), true);
		rq.root = rq.in->members[0];
		rq.objective = HBP_COMPLETION + round % 3;
		rq.tolerance = 0;
		exact = plan_by("auto", &rq);
		rq.tolerance = 0.05;
		plan = plan_by("auto", &rq);
		balanced += is_balanced(plan->why) && is_balanced(exact->why) &&
			    plan->why->tolerance == 0.05;
		other += plan->why->chosen != exact->why->chosen;
		hbp_plan_free(plan);
		hbp_plan_free(exact);
		hbp_input_free(rq.in);
	}
	ok(balanced == 60,
	   "of plans within 5 %% of the best the one that is best otherwise is taken");
	ok(other > 5, "which is often not the best one");
}

/* 98 hosts times 2 x (98 + 60) directions are too many for stable-graph. */
static void check_size(size_t hosts, bool asked)
{
	struct luck luck = { SEED };
	struct hbp_input *in = random_platform(&luck, hosts, 60, 0, true);
	struct hbp_plan *plan = make_plan(in, "auto", 1, 1000);

	ok(!find_tried(plan->why, "stable-graph") == !asked,
	   "auto %s what takes long, for %zu hosts", asked ? "asks" : "leaves out",
	   hosts);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void check_tally(const char *what, const struct tally *t)
{
	ok(t->tried == 60 && t->met == 60 && t->silent == 60,
	   "%s: auto plans as it is asked", what);
	if (!ok(t->others > 60 * 10 && !t->worse && t->equal == 60,
		"%s: auto is no worse than any planner, and as good as one", what))
		printf("# %zu of %zu are better, %zu of 60 are as good\n",
		       t->worse, t->others, t->equal);
	ok(t->told == t->others && t->bounds == t->others,
	   "%s: what auto tells of the others is so, and no bound is lower", what);
}

static void check_best(void)
{
	struct tally costs = { 0 }, platforms = { 0 }, hnows = { 0 };
	struct luck luck = { SEED };
	struct hbp_input *in;
	size_t round;

	printf("# seed %d\n", SEED);
	for (round = 0; round < 60; round++) {
		in = random_costs(&luck, 2 + draw_below(&luck, 14), round & 1);
		try_input(&luck, in, &costs);
		hbp_input_free(in);
		in = random_platform(&luck, 2 + draw_below(&luck, 14),
				     1 + draw_below(&luck, 5),
				     draw_below(&luck, 4), round & 1);
		try_input(&luck, in, &platforms);
		hbp_input_free(in);
		in = random_hnow(&luck, 2 + draw_below(&luck, 9),
				 1 + draw_below(&luck, 4), draw_below(&luck, 3));
		try_input(&luck, in, &hnows);
		hbp_input_free(in);
	}
	check_tally("costs", &costs);
	check_tally("platforms", &platforms);
	check_tally("HNOWs", &hnows);
}

/*
 * Two links from the root, 3 and 2 wide, and one from each host to the other, 2
 * and 1 wide. One tree has 2 at most. What enters host 2 is 3 + 1, host 3 2 + 2:
 * 4, which 2 over 1-2-3, 1 over 1-2 1-3 and 1 over 1-3-2 reach.
 */
static const char *const triangle =
	"{'hbcast':'platform','version':1,\n"
	" 'nodes':[{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}],\n"
	" 'links':[{'from':1,'to':2,'bandwidth_mbps':3,'latency_us':1000},\n"
	"  {'from':1,'to':3,'bandwidth_mbps':2,'latency_us':1000},\n"
	"  {'from':2,'to':3,'bandwidth_mbps':2,'latency_us':1000},\n"
	"  {'from':3,'to':2,'bandwidth_mbps':1,'latency_us':1000}]}";

static void check_triangle(void)
{
	struct hbp_request rq = {
		.in = make_input(triangle), .root = 1, .message_bytes = 1000000
	};
	struct hbp_plan *plan;

	rq.objective = HBP_THROUGHPUT;
	plan = plan_by("auto", &rq);
	ok(plan->n_trees > 1 &&
	   hbp_evaluation_rate(plan->predicted) > 3999990 &&
	   hbp_evaluation_rate(plan->predicted) <= 4000000 &&
	   plan->bound_bps >= 4000000 && plan->bound_bps <= 4000001,
	   "a large message takes several trees");
	hbp_plan_free(plan);
	/* One tree: over the narrow links at 2 at most, and 2 ms the longer way. */
	rq.trees = 1;
	plan = plan_by("auto", &rq);
	ok(plan->n_trees == 1 && plan->trees[0].rate_bps == 2000000,
	   "no more trees than are allowed");
	hbp_plan_free(plan);
	/* One byte: 1 ms of latency, 8 bits at 3 and at 2 Mbit/s. */
	rq.message_bytes = 1;
	rq.trees = 0;
	rq.objective = HBP_COMPLETION;
	plan = plan_by("auto", &rq);
	ok(plan->n_trees == 1 && edges_are(plan, "1-2 1-3") &&
	   hbp_evaluation_slowest(plan->predicted)->completion_ns == 1004000,
	   "a short message takes the short way");
	hbp_plan_free(plan);
	hbp_input_free(rq.in);
}

static void put(struct hbp_evaluation *e, size_t i, uint32_t id, int64_t bps,
		int64_t ns)
{
	e->nodes[i].id = id;
	e->nodes[i].rate_bps = bps;
	e->nodes[i].completion_ns = ns;
}

static void check_objectives(void)
{
	struct hbp_evaluation *a = hbp_evaluation_alloc(2);
	struct hbp_evaluation *b = hbp_evaluation_alloc(2);
	enum hbp_objective each;
	size_t named = 0;

	/* a: last after 10, 9 on average, rate 5; b: last after 12, 7, rate 6. */
	put(a, 0, 1, 5, 8);
	put(a, 1, 2, 7, 10);
	put(b, 0, 1, 6, 12);
	put(b, 1, 2, 6, 2);
	ok(hbp_objective_compare(HBP_COMPLETION, a, b) < 0 &&
	   hbp_objective_compare(HBP_COMPLETION, b, a) > 0 &&
	   hbp_objective_compare(HBP_ANY_OBJECTIVE, a, b) < 0,
	   "completion: the earlier last node is better");
	ok(hbp_objective_compare(HBP_THROUGHPUT, a, b) > 0 &&
	   hbp_objective_compare(HBP_THROUGHPUT, b, a) < 0,
	   "throughput: the faster slowest node is better");
	ok(hbp_objective_compare(HBP_MEAN_COMPLETION, a, b) > 0 &&
	   !hbp_objective_compare(HBP_MEAN_COMPLETION, a, a),
	   "mean completion: the earlier mean is better");
	put(b, 0, 1, 5, 10);
	put(b, 1, 2, 5, 10);
	ok(hbp_objective_compare(HBP_THROUGHPUT, a, b) < 0 &&
	   hbp_objective_compare(HBP_COMPLETION, a, b) < 0,
	   "what is equal in one is told apart by the others");
	for (each = HBP_COMPLETION; each < HBP_OBJECTIVES; each++)
		named += hbp_objective_find(hbp_objective_name(each)) == each;
	ok(named == 3 && hbp_objective_find("any") == HBP_OBJECTIVES &&
	   hbp_objective_find("") == HBP_OBJECTIVES, "objectives have names");
	hbp_evaluation_free(a);
	hbp_evaluation_free(b);
}

/* Many trees are filled late, which a short message feels. */
static void check_mtp(void)
{
	struct luck luck = { SEED };
	size_t round, more = 0, differ = 0;

	for (round = 0; round < 30; round++) {
		struct hbp_input *in = random_costs(&luck, 12, false);
		struct hbp_request rq = {
			.in = in, .root = 10, .message_bytes = 20000,
			.objective = HBP_THROUGHPUT
		};
		struct hbp_plan *fast = plan_by("mtp", &rq), *soon;

		rq.objective = HBP_COMPLETION;
		soon = plan_by("mtp", &rq);
		more += hbp_evaluation_rate(fast->predicted) * 1.000001 >=
			hbp_evaluation_rate(soon->predicted) &&
			fast->bound_bps <= 1.000001 *
			hbp_evaluation_rate(fast->predicted);
		differ += fast->n_trees > soon->n_trees;
		hbp_plan_free(fast);
		hbp_plan_free(soon);
		hbp_input_free(in);
	}
	ok(more == 30, "mtp for throughput reaches its bound, however short the message");
	ok(differ > 0, "mtp for completion uses fewer trees for a short message");
}

int main(void)
{
	check_objectives();
	check_triangle();
	check_mtp();
	check_best();
	check_tolerance();
	check_size(50, true);
	check_size(98, false);
	return tap_done();
}
