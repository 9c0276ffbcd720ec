// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans without trees that bring hardly anything. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "again.h"
#include "helper.h"

#define SEED	68

static const char *const planners[] = { "stable", "stable-graph", "mtp" };

#define N_PLANNERS	(sizeof(planners) / sizeof(*planners))

/* Node 1 sends 400 Mbit/s, all others receive what is left open. */
static const char star[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host'},\n"
	"{'id':2,'kind':'host'},{'id':3,'kind':'host'},{'id':4,'kind':'host'},\n"
	"{'id':9,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':9,'bandwidth_mbps':400,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':9,'bandwidth_mbps':%s,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':9,'bandwidth_mbps':%s,'latency_us':1,'symmetric':true},\n"
	"{'from':4,'to':9,'bandwidth_mbps':%s,'latency_us':1,'symmetric':true}]}";

/* Whether the plan's planner, asked for the same, makes the same plan. */
static bool is_made_again(const struct hbp_plan *plan, struct hbp_input *in)
{
	struct hbp_plan *again;
	struct hbp_error err;
	char *a, *b;
	bool same;

	if (hbp_again(plan, in, &again, &err))
		tap_bail_out("%s", err.text);
	a = hbp_plan_text(plan);
	b = hbp_plan_text(again);
	same = !strcmp(a, b);
	free(a);
	free(b);
	hbp_plan_free(again);
	return same;
}

/* Trees of stable, by number and rates: the slowest, then what the faster have more. */
static bool has_rates(const char *two, const char *three, const char *four, double tolerance,
		      size_t n, const int64_t *bps)
{
	struct hbp_request rq = { .root = 1, .message_bytes = 1 << 20, .tolerance = tolerance };
	char text[sizeof(star) + 64];
	struct hbp_plan *plan;
	bool right;
	size_t i;

	snprintf(text, sizeof(text), star, two, three, four);
	rq.in = make_input(text);
	plan = plan_by("stable", &rq);
	right = plan->n_trees == n && plan->asked.tolerance == tolerance &&
		is_made_again(plan, rq.in);
	for (i = 0; right && i < n; i++)
		right = plan->trees[i].rate_bps == bps[i] && plan->trees[i].slot == i;
	for (i = 0; !right && i < plan->n_trees; i++)
		printf("# slot %u: %lld bit/s\n", plan->trees[i].slot,
		       (long long)plan->trees[i].rate_bps);
	hbp_plan_free(plan);
	hbp_input_free(rq.in);
	return right;
}

static void check_star(void)
{
	ok(has_rates("100", "100.2", "100.2", 0, 2, (int64_t[]){ 100000000, 200000 }),
	   "without a tolerance a plan has slivers");
	ok(has_rates("100", "100.2", "100.2", 0.02, 1, (int64_t[]){ 100000000 }),
	   "with one a tree of a fifth of a hundredth is left out");
	ok(has_rates("100", "100.2", "100.2", 0.001, 2, (int64_t[]){ 100000000, 200000 }),
	   "but not if nodes lose more than the tolerance");
	ok(has_rates("100", "103", "103", 0.05, 2, (int64_t[]){ 100000000, 3000000 }),
	   "more than two hundredths stay");
	ok(has_rates("0.2", "100", "100", 0.02, 2, (int64_t[]){ 200000, 99800000 }),
	   "and so does what is little for some nodes and all for another");
	/* Both slivers together are 0.6 of 100.6. */
	ok(has_rates("100", "100.2", "100.6", 0.005, 2, (int64_t[]){ 100000000, 400000 }),
	   "of several the lightest go, as far as the tolerance reaches");
}

struct tally {
	size_t plans, trimmed, first, kept, slivers;
};

/* What every node has lost, at most, of what it had. */
static double lost(const struct hbp_plan *exact, const struct hbp_plan *plan)
{
	const struct hbp_tree *all = exact->trees;
	double most = 0, had;
	size_t i;

	for (i = 0; i < all->n_edges; i++) {
		had = (double)planned_rate(exact, all->edges[i].child);
		had = 1 - (double)planned_rate(plan, all->edges[i].child) / had;
		most = had > most ? had : most;
	}
	return most;
}

/* Trees that bring each of their nodes less than two hundredths, but for the only one of all. */
static size_t count_slivers(const struct hbp_plan *plan)
{
	size_t i, k, n = 0, spanning = 0;
	bool needed;

	for (i = 0; i < plan->n_trees; i++)
		spanning += plan->trees[i].n_edges == plan->trees->n_edges;
	for (i = spanning == 1; i < plan->n_trees; i++) {
		const struct hbp_tree *tree = &plan->trees[i];

		for (k = 0, needed = false; k < tree->n_edges; k++)
			needed = needed || 50 * tree->rate_bps >=
				 planned_rate(plan, tree->edges[k].child);
		n += !needed;
	}
	return n;
}

static bool same_first(const struct hbp_plan *a, const struct hbp_plan *b)
{
	return a->trees->rate_bps == b->trees->rate_bps &&
	       !memcmp(a->trees->edges, b->trees->edges,
		       a->trees->n_edges * sizeof(*a->trees->edges));
}

static void compare(const char *planner, struct hbp_request *rq, struct tally *t)
{
	struct hbp_plan *exact, *plan;

	rq->tolerance = 0;
	exact = plan_by(planner, rq);
	rq->tolerance = 0.5;
	plan = plan_by(planner, rq);
	t->plans++;
	t->trimmed += plan->n_trees < exact->n_trees;
	t->first += !same_first(exact, plan);
	t->kept += plan->trees->n_edges == exact->trees->n_edges &&
		   lost(exact, plan) <= 0.02 * (double)(exact->n_trees - plan->n_trees);
	t->slivers += count_slivers(plan);
	hbp_plan_free(exact);
	hbp_plan_free(plan);
}

/* Every rate is up to a hundredth lower, as if it had been measured. */
static void blur(struct luck *luck, struct hbp_platform *p)
{
	size_t i;

	for (i = 0; i < p->n_links; i++)
		p->links[i].bandwidth_bps -= p->links[i].bandwidth_bps / 1000 *
					     draw_below(luck, 10);
}

static void check_random(const char *planner, struct tally *t)
{
	struct luck luck = { SEED };
	struct hbp_request rq = { .message_bytes = 1 << 24 };
	size_t round;

	for (round = 0; round < 100; round++) {
		rq.in = random_platform(&luck, 3 + draw_below(&luck, 14),
					1 + draw_below(&luck, 5), draw_below(&luck, 6), round & 1);
		blur(&luck, rq.in->platform);
		rq.root = rq.in->members[draw_below(&luck, (uint32_t)rq.in->n)];
		compare(planner, &rq, t);
		hbp_input_free(rq.in);
	}
}

int main(void)
{
	struct tally all = { 0 };
	size_t i;

	check_star();
	printf("# seed %d\n", SEED);
	for (i = 0; i < N_PLANNERS; i++)
		check_random(planners[i], &all);
	ok(all.kept == all.plans && !all.slivers,
	   "random platforms: all is spanned, no sliver is left, none has lost more than slivers");
	ok(all.trimmed > 5 && all.first > 0, "and some plans had slivers, also as the first tree");
	printf("# %zu of %zu plans were trimmed, %zu begin with another tree\n", all.trimmed,
	       all.plans, all.first);
	return tap_done();
}
