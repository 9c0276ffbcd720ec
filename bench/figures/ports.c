// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 001, simulations: how near single trees come to the MTP optimum, on
 * random platforms and on hierarchies, with one port and with several.
 */
#include <stdlib.h>

#include "binomial.h"
#include "figures.h"
#include "network.h"
#include "steady.h"
#include "table.h"

#define BYTES		((uint64_t)1 << 40)	/* filling trees takes no time */
#define MBYTE_BPS	8000000			/* a megabyte a second */
#define ROUTED		"binomial"

static const char *const planners[] = {
	"simple-prune", "refined-prune", "grow", "multiport-grow", "lp-prune",
	"lp-grow", "mtp", "auto",
};

/* What the nodes of a hierarchy are. */
enum level { WAN, MAN, LAN, LEVELS };

/* Means of link bandwidths in MB/s; the deviation is a fifth. */
static const int64_t widths[LEVELS] = { [WAN] = 10, [MAN] = 50, [LAN] = 100 };

static void widen(struct hbp_costs *costs, size_t from, size_t to, int64_t mean,
		  uint64_t *seed)
{
	int64_t bps = draw_normal(seed, mean * MBYTE_BPS, mean / 5 * MBYTE_BPS);

	costs->bandwidth_bps[from * costs->n + to] = bps > 1 ? bps : 1;
	costs->latency_ns[from * costs->n + to] = 0;
}

static void join(struct hbp_costs *costs, size_t a, size_t b, int64_t mean,
		 uint64_t *seed)
{
	widen(costs, a, b, mean, seed);
	widen(costs, b, a, mean, seed);
}

static bool are_joined(const struct hbp_costs *costs, size_t a, size_t b)
{
	return costs->bandwidth_bps[a * costs->n + b];
}

/* A random tree, and each other pair with a probability of @percent. */
static struct hbp_input *random_platform(size_t n, int64_t percent,
					 uint64_t *seed)
{
	struct hbp_input *in = costs_of(n);
	size_t a, b;

	for (a = 1; a < n; a++)
		join(in->costs, (size_t)draw_between(seed, 0, (int64_t)a - 1), a,
		     100, seed);
	for (a = 0; a < n; a++)
		for (b = a + 1; b < n; b++)
			if (!are_joined(in->costs, a, b) &&
			    draw_between(seed, 1, 100) <= percent)
				join(in->costs, a, b, 100, seed);
	return in;
}

/*
 * A hierarchy as Tiers makes them: a seventh of the nodes are wide-area, a
 * quarter metropolitan, the others hang from these in stars. Then links between
 * those of the upper levels until as many pairs are joined as were drawn.
 */
static struct hbp_input *hierarchy(size_t n, uint64_t *seed)
{
	size_t wan = n / 7, upper = wan + n / 4, a, b, links;
	struct hbp_input *in = costs_of(n);
	struct hbp_costs *costs = in->costs;

	links = n * (n - 1) * (size_t)draw_between(seed, 50, 150) / 2000;
	for (a = 1; a < n; a++) {
		enum level level = a < wan ? WAN : a < upper ? MAN : LAN;
		size_t first = level == LAN ? wan : 0;
		size_t end = level == WAN ? a : level == MAN ? wan : upper;

		join(costs, first + (size_t)draw_between(seed, 0,
							 (int64_t)(end - first) - 1),
		     a, widths[level], seed);
	}
	for (; links > n - 1; links--) {
		do {
			a = (size_t)draw_between(seed, 0, (int64_t)upper - 2);
			b = (size_t)draw_between(seed, (int64_t)a + 1,
						 (int64_t)upper - 1);
		} while (are_joined(costs, a, b));
		join(costs, a, b, widths[b < wan ? WAN : MAN], seed);
	}
	return in;
}

/* The arcs of shortest ways: next[a * n + b] is where a sends what is for b. */
static size_t *shortest_ways(const struct hbp_steady *steady)
{
	size_t n = steady->n, a, b, via, i;
	double *far = calloc(n * n, sizeof(*far));
	size_t *next = calloc(n * n, sizeof(*next));

	if (!far || !next)
		die("out of memory");
	for (i = 0; i < n * n; i++)
		far[i] = 1e300;
	for (i = 0; i < steady->n_arcs; i++) {
		a = steady->arcs[i].from * n + steady->arcs[i].to;
		far[a] = 1 / steady->mbps[i];
		next[a] = steady->arcs[i].to;
	}
	for (via = 0; via < n; via++) {
		for (a = 0; a < n; a++) {
			for (b = 0; b < n; b++) {
				double way = far[a * n + via] + far[via * n + b];

				if (way >= far[a * n + b])
					continue;
				far[a * n + b] = way;
				next[a * n + b] = next[a * n + via];
			}
		}
	}
	free(far);
	return next;
}

/*
 * The rate in Mbit/s of a binomial tree by number, whose edges take the shortest
 * ways through the platform: what is busiest with all of them sets the pace.
 */
static double routed_rate(struct hbp_input *in, enum hbp_ports ports)
{
	struct hbp_steady *steady;
	double *busy, most = 0;
	struct hbp_error err;
	size_t *next, p, at, arc, i;

	if (hbp_steady_alloc(in, ports, &steady, &err))
		die("%s", err.text);
	next = shortest_ways(steady);
	busy = calloc(steady->n_rows, sizeof(*busy));
	if (!busy)
		die("out of memory");
	for (p = 1; p < in->n; p++) {
		for (at = hbp_binomial_parent(p); at != p;
		     at = next[at * in->n + p]) {
			arc = hbp_steady_arc(steady, at, next[at * in->n + p]);
			for (i = steady->first[arc]; i < steady->first[arc + 1]; i++)
				busy[steady->rows[i]] += steady->uses[i];
		}
	}
	for (i = 0; i < steady->n_rows; i++)
		most = busy[i] > most ? busy[i] : most;
	free(busy);
	free(next);
	hbp_steady_free(steady);
	return 1 / most;
}

/* Adds all planners on one platform to rows of one or two tables. */
static void compare(struct hbp_input *in, enum hbp_ports ports,
		    struct table *first, size_t first_row,
		    struct table *second, size_t second_row)
{
	struct hbp_request rq = {
		.in = in, .root = 1, .message_bytes = BYTES, .ports = ports,
		.objective = HBP_THROUGHPUT
	};
	struct hbp_plan *plan = plan_by("mtp", &rq);
	double optimum = hbp_mbps_from_bps(plan->bound_bps), rate;
	size_t i;

	hbp_plan_free(plan);
	rate = routed_rate(in, ports) / optimum;
	table_add_at(first, first_row, ROUTED, rate);
	if (second)
		table_add_at(second, second_row, ROUTED, rate);
	for (i = 0; i < sizeof(planners) / sizeof(planners[0]); i++) {
		plan = plan_by(planners[i], &rq);
		rate = hbp_mbps_from_bps(hbp_evaluation_rate(plan->predicted)) /
		       optimum;
		table_add_at(first, first_row, planners[i], rate);
		if (second)
			table_add_at(second, second_row, planners[i], rate);
		hbp_plan_free(plan);
	}
}

static void try_random(const struct run *run, enum hbp_ports ports,
		       struct table *by_nodes, struct table *by_density)
{
	size_t most = pick(run, 20, 50, 50), times = pick(run, 1, 10, 10);
	uint64_t seed = run->seed;
	struct hbp_input *in;
	size_t n, percent, i;

	for (n = 10; n <= most; n += 10) {
		for (percent = 4; percent <= 20; percent += 4) {
			for (i = 0; i < times; i++) {
				in = random_platform(n, (int64_t)percent, &seed);
				compare(in, ports, by_nodes, n, by_density,
					percent);
				hbp_input_free(in);
			}
		}
	}
	table_write(by_nodes, run->dir);
	table_write(by_density, run->dir);
}

static void try_hierarchies(const struct run *run, enum hbp_ports ports,
			    struct table *table)
{
	static const size_t sizes[] = { 30, 65 };
	size_t times = pick(run, 2, 100, 100), i, k;
	uint64_t seed = run->seed;
	struct hbp_input *in;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (k = 0; k < times; k++) {
			in = hierarchy(sizes[i], &seed);
			compare(in, ports, table, sizes[i], NULL, 0);
			hbp_input_free(in);
		}
	}
	table_write(table, run->dir);
}

void ports(const struct run *run)
{
	static const char y[] = "rate / MTP optimum";
	static struct table tables[] = {
		{ "001-one-port-nodes", "001 one port, random platforms",
		  "nodes", y, .n = 0 },
		{ "001-one-port-density", "001 one port, random platforms",
		  "density, %", y, .n = 0 },
		{ "001-multi-port-nodes", "001 several ports, random platforms",
		  "nodes", y, .n = 0 },
		{ "001-multi-port-density", "001 several ports, random platforms",
		  "density, %", y, .n = 0 },
		{ "001-one-port-tiers", "001 one port, hierarchies", "nodes", y,
		  .bars = 1 },
		{ "001-multi-port-tiers", "001 several ports, hierarchies",
		  "nodes", y, .bars = 1 },
	};

	try_random(run, HBP_ONE_PORT, &tables[0], &tables[1]);
	try_random(run, HBP_MULTI_PORT, &tables[2], &tables[3]);
	try_hierarchies(run, HBP_ONE_PORT, &tables[4]);
	try_hierarchies(run, HBP_MULTI_PORT, &tables[5]);
}
