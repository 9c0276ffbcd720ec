// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 002, figure 7: broadcasts among some of 220 nodes of a transit-stub
 * network, by number of nodes and by size of the message.
 */
#include <stdlib.h>

#include "figures.h"
#include "network.h"
#include "table.h"

#define DOMAINS		4	/* transit domains */
#define TRANSIT		5	/* nodes of each */
#define STUBS		2	/* stub domains at each of these */
#define STUB		5	/* nodes of each */
#define ROUTERS		(DOMAINS * TRANSIT * (1 + STUBS * STUB))
#define ACCESS_BPS	10000000000	/* from a router to its host */
#define HOSTS		30	/* for different sizes */
#define BYTES		(256 << 10)	/* for different numbers of nodes */

static const char *const planners[] = {
	"tps", "ecef", "hlot", "flat", "fef", "lookahead", "chain", "stable",
	"mtp", "stable-graph", "auto",
};

/* A link between routers: 10 kbit/s to 10 Mbit/s, 10 ms to 1 s. */
static void join(struct sketch *sketch, size_t a, size_t b, uint64_t *seed)
{
	int64_t bps = draw_between(seed, 10000, 10000000);
	int64_t ns = draw_between(seed, 10, 1000) * 1000000;

	sketch_link(sketch, a, b, bps, ns);
	sketch_link(sketch, b, a, bps, ns);
}

/* A random tree of @n routers, and a third of all other pairs. */
static void draw_domain(struct sketch *sketch, size_t first, size_t n,
			uint64_t *seed)
{
	size_t a, b, parent;

	for (a = 1; a < n; a++) {
		parent = (size_t)draw_between(seed, 0, (int64_t)a - 1);
		for (b = 0; b < a; b++)
			if (b == parent || !draw_between(seed, 0, 2))
				join(sketch, first + a, first + b, seed);
	}
}

/* Transit domains in a ring; each of their nodes has stub domains. */
static void draw_routers(struct sketch *sketch, uint64_t *seed)
{
	size_t next = DOMAINS * TRANSIT, i, k;

	for (i = 0; i < DOMAINS; i++) {
		draw_domain(sketch, i * TRANSIT, TRANSIT, seed);
		join(sketch, i * TRANSIT, (i + 1) % DOMAINS * TRANSIT + 1, seed);
	}
	for (i = 0; i < DOMAINS * TRANSIT; i++) {
		for (k = 0; k < STUBS; k++) {
			draw_domain(sketch, next, STUB, seed);
			join(sketch, i, next, seed);
			next += STUB;
		}
	}
}

/* Hosts at the first @n of the routers in @at, the root at the very first. */
static struct hbp_input *with_hosts(struct sketch *sketch, const size_t *at,
				    size_t n)
{
	size_t routers = sketch->n, i;
	struct hbp_input *in;

	for (i = 0; i < n; i++) {
		sketch_link(sketch, at[i], ROUTERS + i, ACCESS_BPS, 0);
		sketch_link(sketch, ROUTERS + i, at[i], ACCESS_BPS, 0);
	}
	in = sketch_input(sketch, ROUTERS, n);
	sketch->n = routers;
	return in;
}

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

/* The last node's time by a model, and the bound on it. */
static double time_of(const struct hbp_plan *plan, struct hbp_input *in,
		      enum hbp_model model, double *bound)
{
	struct hbp_evaluation *evaluation = evaluate_by(model, plan, in);
	double last;

	last = seconds(hbp_evaluation_slowest(evaluation)->completion_ns);
	*bound = seconds(hbp_evaluation_bound(evaluation));
	hbp_evaluation_free(evaluation);
	return last;
}

/* The formula knows single trees only. */
static bool has_formula(const char *planner)
{
	return !(hbp_planner_find(planner)->takes & HBP_TAKES_TREES);
}

/* @formula may be NULL. */
static void compare(struct hbp_input *in, size_t bytes, size_t row,
		    struct table *fluid, struct table *formula)
{
	struct hbp_request rq = {
		.in = in, .root = in->members[0], .message_bytes = bytes
	};
	struct hbp_plan *plan;
	double last, bound;
	size_t i;

	for (i = 0; i < sizeof(planners) / sizeof(planners[0]); i++) {
		plan = plan_by(planners[i], &rq);
		last = time_of(plan, in, HBP_MODEL_FLUID, &bound);
		table_add_at(fluid, row, planners[i], last);
		if (formula && has_formula(planners[i]))
			table_add_at(formula, row, planners[i],
				     time_of(plan, in, HBP_MODEL_COMPLETION,
					     &last));
		hbp_plan_free(plan);
	}
	table_add_at(fluid, row, "bound", bound);
}

void wan(const struct run *run)
{
	static struct table nodes = {
		"002-fig7a", "002 figure 7(a): 256 KiB, links shared",
		"nodes", "seconds", .n = 0
	};
	static struct table formula = {
		"002-fig7a-formula", "002 figure 7(a): 256 KiB, by the paper's formula",
		"nodes", "seconds", .n = 0
	};
	static struct table sizes = {
		"002-fig7b", "002 figure 7(b): 30 nodes, links shared",
		"KiB", "seconds", .bars = 1
	};
	static const size_t kib[] = { 1, 4, 16, 256 };
	size_t times = pick(run, 1, 15, 15), most = pick(run, 20, 60, 60);
	size_t at[ROUTERS] = { }, i, k;
	struct sketch sketch = { };
	uint64_t seed = run->seed;
	struct hbp_input *in;

	for (i = 0; i < times; i++) {
		sketch.n = 0;
		draw_routers(&sketch, &seed);
		shuffle(at, ROUTERS, &seed);
		for (k = 10; k <= most; k += 10) {
			in = with_hosts(&sketch, at, k);
			compare(in, BYTES, k, &nodes, &formula);
			hbp_input_free(in);
		}
		in = with_hosts(&sketch, at, HOSTS);
		for (k = 0; k < sizeof(kib) / sizeof(kib[0]); k++)
			compare(in, kib[k] << 10, kib[k], &sizes, NULL);
		hbp_input_free(in);
	}
	free(sketch.links);
	table_write(&nodes, run->dir);
	table_write(&formula, run->dir);
	table_write(&sizes, run->dir);
}
