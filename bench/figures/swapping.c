// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 000, figures 7 and 8: a link of a Balanced-Path tree gets dearer, and
 * each strategy looks for a swap that mends it.
 */
#include <stdlib.h>

#include "binomial.h"
#include "figures.h"
#include "network.h"
#include "positions.h"
#include "swap.h"
#include "table.h"

#define HOPS	10
#define STEP	5
#define MOST	40
#define ANEW	"balanced-path anew"

/* One topology, its tree, and the tables that it adds to. */
struct trial {
	struct hbp_input *in;
	uint32_t *ids;
	int64_t before;		/* what the tree costs */
	size_t child;		/* position below the link that gets dearer */
	struct table *gain;
	struct table *steps;
	struct table *benefit;
};

static void add_hops(struct trial *t, int64_t hops)
{
	struct hbp_costs *costs = t->in->costs;
	size_t a = t->ids[hbp_binomial_parent(t->child)] - 1;
	size_t b = t->ids[t->child] - 1;

	costs->latency_ns[a * costs->n + b] += 1000 * hops;
	costs->latency_ns[b * costs->n + a] += 1000 * hops;
}

static double gain(int64_t increased, int64_t now)
{
	return increased ? (double)(increased - now) / (double)increased : 0;
}

static void try_strategy(struct trial *t, enum hbp_strategy strategy,
			 size_t factor)
{
	const char *name = hbp_strategy_name(strategy);
	struct hbp_positions p = { };
	int64_t increased;
	struct hbp_error err;
	size_t steps;

	if (hbp_positions_init(&p, t->in->costs, t->ids, t->in->n, &err))
		die("%s", err.text);
	increased = p.cost;
	steps = hbp_swap(&p, strategy, hbp_binomial_parent(t->child), t->child,
			 t->before);
	table_add_at(t->gain, factor, name, gain(increased, p.cost));
	table_add_at(t->steps, factor, name, (double)steps);
	hbp_positions_free(&p);
}

/* The gain of a tree planned from scratch, for comparison. */
static void try_anew(struct trial *t, size_t factor)
{
	struct hbp_request rq = { .in = t->in, .root = 1, .message_bytes = 1 };
	struct hbp_plan *plan = plan_by("balanced-path", &rq);
	struct hbp_positions p = { };
	struct hbp_error err;

	if (hbp_positions_init(&p, t->in->costs, t->ids, t->in->n, &err))
		die("%s", err.text);
	table_add_at(t->gain, factor, ANEW, gain(p.cost, plan->cost_ns));
	hbp_positions_free(&p);
	hbp_plan_free(plan);
}

static void try_topology(struct trial *t, uint64_t *seed, bool anew)
{
	struct hbp_request rq = { .in = t->in, .root = 1, .message_bytes = 1 };
	struct hbp_plan *plan = plan_by("balanced-path", &rq);
	enum hbp_strategy strategy;
	struct hbp_error err;
	size_t factor;

	if (hbp_positions_read(plan, t->ids, &err))
		die("%s", err.text);
	t->before = plan->cost_ns;
	hbp_plan_free(plan);
	t->child = (size_t)draw_between(seed, 1, (int64_t)t->in->n - 1);
	for (factor = STEP; factor <= MOST; factor += STEP) {
		add_hops(t, (int64_t)factor);
		for (strategy = HBP_SWAP_FAMILY; strategy < HBP_STRATEGIES;
		     strategy++)
			try_strategy(t, strategy, factor);
		if (anew)
			try_anew(t, factor);
		add_hops(t, -(int64_t)factor);
	}
}

/* The paper's benefit: the mean gain over the mean number of steps. */
static void find_benefit(struct trial *t)
{
	size_t r, c;

	for (r = 0; r < t->steps->n; r++) {
		for (c = 0; t->steps->columns[c]; c++)
			table_add(t->benefit, t->steps->rows[r],
				  t->steps->columns[c],
				  t->gain->sum[r][c] / t->steps->sum[r][c]);
	}
}

void swapping(const struct run *run)
{
	static struct table gain = {
		"000-fig7-gain", "000 figure 7: what a swap gains",
		"cost factor", "gain", .n = 0
	};
	static struct table steps = {
		"000-fig7-steps", "000 figure 7: swaps tried",
		"cost factor", "steps", .n = 0
	};
	static struct table benefit = {
		"000-fig8-benefit", "000 figure 8: gain for each step",
		"cost factor", "gain / steps", .n = 0
	};
	struct trial t = {
		.gain = &gain, .steps = &steps, .benefit = &benefit
	};
	size_t nodes = pick(run, 32, 1024, 1024), i;
	size_t topologies = pick(run, 20, 1000, 1000);
	uint64_t seed = run->seed;

	t.ids = calloc(nodes, sizeof(*t.ids));
	if (!t.ids)
		die("out of memory");
	for (i = 0; i < topologies; i++) {
		t.in = hops_of(nodes, HOPS, &seed);
		try_topology(&t, &seed, i % 10 == 0);
		hbp_input_free(t.in);
	}
	free(t.ids);
	find_benefit(&t);
	table_write(&gain, run->dir);
	table_write(&steps, run->dir);
	table_write(&benefit, run->dir);
}
