// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 003, figure 6: what all destinations of a tree of 400 nodes receive
 * together, compared with the flat tree. And section 3.5: on other graphs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "figures.h"
#include "network.h"
#include "table.h"

#define NODES		400
#define SWITCHES	40	/* of these */
#define MBIT		1000000
#define LATENCY		10000
#define MEMBERS		21	/* of graphs: the root and 20 destinations */

/* All planners plan, some of them slowly: not for all sizes. */
static const char contest_name[] = "auto";
/* These join any two hosts, so that they need a route between all. */
static const char flat_name[] = "flat";
static const char chain_name[] = "chain";

static const char *const planners[] = {
	"stable", "fpfr", "dijkstra", "random-pipeline", "balanced-multicast",
	flat_name, chain_name, "mtp", "stable-graph", contest_name,
};

enum widths { LOW, HIGH, MIXED, CLUSTERS, WIDTHS };

static const struct {
	const char *name;
	const char *title;
} widths[WIDTHS] = {
	[LOW] = { "low", "500 to 1000 Mbit/s" },
	[HIGH] = { "high", "100 to 1000 Mbit/s" },
	[MIXED] = { "mixed", "a fifth of 100, the rest of 1000 Mbit/s" },
	[CLUSTERS] = { "clusters", "100 to 1000 Mbit/s between switches, else 1000" },
};

/* A tree: the root's switch is 0, hosts come after the switches. */
struct wires {
	size_t above[NODES];	/* the switch that each node hangs from */
	int64_t up[NODES];	/* bandwidth of the link there */
	int64_t down[NODES];	/* and back */
};

static int64_t draw_width(enum widths kind, bool inside, uint64_t *seed)
{
	if (kind == CLUSTERS && !inside)
		return MBIT * 1000LL;
	switch (kind) {
	case LOW:
		return MBIT * draw_between(seed, 500, 1000);
	case HIGH:
	case CLUSTERS:
		return MBIT * draw_between(seed, 100, 1000);
	case MIXED:
		return MBIT * (draw_between(seed, 1, 5) == 1 ? 100LL : 1000LL);
	case WIDTHS:
		break;
	}
	die("there are no such widths");
}

static void draw_wires(struct wires *w, enum widths kind, bool even,
		       uint64_t *seed)
{
	size_t i;

	for (i = 1; i < NODES; i++) {
		bool inside = i < SWITCHES;

		w->above[i] = (size_t)draw_between(seed, 0, (int64_t)
						   (inside ? i : SWITCHES) - 1);
		w->up[i] = draw_width(kind, inside, seed);
		w->down[i] = even ? w->up[i] : draw_width(kind, inside, seed);
	}
}

/* As many links as wide both ways, between pairs of @n nodes not joined yet. */
static void add_loops(struct sketch *sketch, const size_t *above, size_t n,
		      size_t loops, uint64_t *seed)
{
	bool joined[SWITCHES][SWITCHES] = { };
	int64_t width;
	size_t a, b;

	for (a = 1; a < n; a++)
		joined[a][above[a]] = true;
	while (loops) {
		a = (size_t)draw_between(seed, 1, (int64_t)n - 1);
		b = (size_t)draw_between(seed, 0, (int64_t)a - 1);
		if (joined[a][b])
			continue;
		joined[a][b] = true;
		width = draw_width(HIGH, true, seed);
		sketch_link(sketch, a, b, width, LATENCY);
		sketch_link(sketch, b, a, width, LATENCY);
		loops--;
	}
}

/* The switches, the root, and the first @n of the other hosts in @order. */
static struct hbp_input *with_hosts(const struct wires *w, const size_t *order,
				    size_t n, size_t loops, uint64_t *seed)
{
	struct sketch sketch = { };
	struct hbp_input *in;
	size_t i, host;

	add_loops(&sketch, w->above, SWITCHES, loops, seed);
	for (i = 1; i < SWITCHES + 1 + n; i++) {
		host = i < SWITCHES ? i : SWITCHES + order[i - SWITCHES];
		sketch_link(&sketch, i, w->above[host], w->up[host], LATENCY);
		sketch_link(&sketch, w->above[host], i, w->down[host], LATENCY);
	}
	in = sketch_input(&sketch, SWITCHES, n + 1);
	free(sketch.links);
	return in;
}

/* What all nodes receive by a planner's plan, in Mbit/s. */
static double rates_by(const char *planner, const struct hbp_request *rq)
{
	struct hbp_plan *plan = plan_by(planner, rq);
	double sum = 0;
	size_t i;

	for (i = 0; i < plan->predicted->n; i++)
		sum += hbp_mbps_from_bps(plan->predicted->nodes[i].rate_bps);
	hbp_plan_free(plan);
	return sum;
}

/* What each node could receive if it were alone, summed up. */
static double alone(const struct hbp_input *in)
{
	const struct hbp_platform *p = in->platform;
	struct hbp_flow *flow = hbp_flow_alloc(p);
	double sum = 0;
	size_t i;

	if (!flow)
		die("out of memory");
	for (i = 1; i < p->n_hosts; i++)
		sum += hbp_mbps_from_bps(hbp_flow_max(flow, p->hosts[0],
						      p->hosts[i]));
	hbp_flow_free(flow);
	return sum;
}

/* All rates over those of the flat tree, or over those of each host alone. */
static void compare(struct table *table, const char *row, struct hbp_input *in,
		    bool to_flat, bool contest)
{
	struct hbp_request rq = {
		.in = in, .root = in->members[0],
		.message_bytes = (uint64_t)1 << 40, .seed = 1,
		.objective = HBP_MEAN_COMPLETION
	};
	double unit = to_flat ? rates_by(flat_name, &rq) : alone(in);
	size_t i;

	for (i = 0; i < sizeof(planners) / sizeof(planners[0]); i++)
		if ((contest || planners[i] != contest_name) &&
		    (to_flat || (planners[i] != flat_name &&
				 planners[i] != chain_name)))
			table_add(table, row, planners[i],
				  rates_by(planners[i], &rq) / unit);
	table_add(table, row, "bound", alone(in) / unit);
}

static void try_widths(const struct run *run, enum widths kind, bool even)
{
	static const size_t numbers[] = { 10, 50, 100, 200, NODES - SWITCHES - 1 };
	size_t times = pick(run, 1, 10, 10), sizes = pick(run, 1, 5, 5), i, k;
	size_t contests = pick(run, 10, 100, NODES);
	size_t order[NODES - SWITCHES] = { };
	struct table table = { .x = "destinations", .y = "all rates / flat tree's" };
	char name[64], title[128], row[24];
	uint64_t seed = run->seed;
	struct hbp_input *in;
	struct wires w = { };

	snprintf(name, sizeof(name), "003-fig6-%s-%ssymmetric", widths[kind].name,
		 even ? "" : "a");
	snprintf(title, sizeof(title), "003 figure 6: %s, %ssymmetric",
		 widths[kind].title, even ? "" : "a");
	table.name = name;
	table.title = title;
	for (i = 0; i < times; i++) {
		draw_wires(&w, kind, even, &seed);
		shuffle(order, NODES - SWITCHES, &seed);
		for (k = 0; k < sizes; k++) {
			in = with_hosts(&w, order, numbers[k], 0, &seed);
			snprintf(row, sizeof(row), "%zu", numbers[k]);
			compare(&table, row, in, true, numbers[k] <= contests);
			hbp_input_free(in);
		}
	}
	table_write(&table, run->dir);
}

/* Hosts that are switches themselves: the upper part of a tree, with loops. */
static struct hbp_input *hosts_only(const struct wires *w, size_t loops,
				    uint64_t *seed)
{
	struct sketch sketch = { };
	struct hbp_input *in;
	size_t i;

	add_loops(&sketch, w->above, MEMBERS, loops, seed);
	for (i = 1; i < MEMBERS; i++) {
		sketch_link(&sketch, i, w->above[i], w->up[i], LATENCY);
		sketch_link(&sketch, w->above[i], i, w->down[i], LATENCY);
	}
	in = sketch_input(&sketch, 0, MEMBERS);
	free(sketch.links);
	return in;
}

/* A tree with more and more loops, symmetric links. */
static void try_graphs(const struct run *run, struct table *table, bool switches)
{
	static const size_t loops[] = { 0, 10, 20, 40, 80 };
	size_t times = pick(run, 1, 10, 10), i, k;
	size_t order[NODES - SWITCHES] = { };
	uint64_t seed = run->seed;
	struct hbp_input *in;
	struct wires w = { };
	char row[24];

	for (i = 0; i < times; i++) {
		draw_wires(&w, HIGH, true, &seed);
		shuffle(order, NODES - SWITCHES, &seed);
		for (k = 0; k < sizeof(loops) / sizeof(loops[0]); k++) {
			in = switches ? with_hosts(&w, order, MEMBERS - 1,
						   loops[k], &seed) :
					hosts_only(&w, loops[k], &seed);
			snprintf(row, sizeof(row), "%zu", loops[k]);
			compare(table, row, in, false, true);
			hbp_input_free(in);
		}
	}
	table_write(table, run->dir);
}

void stable(const struct run *run)
{
	static const char x[] = "links beyond a tree", y[] = "all rates / bound";
	static struct table switches = {
		"003-graph-switches", "003 section 3.5: 20 destinations, 40 switches with loops",
		x, y, .n = 0
	};
	static struct table hosts = {
		"003-graph-hosts", "003 section 3.5: 20 destinations with loops between them",
		x, y, .n = 0
	};
	enum widths kind;

	for (kind = LOW; kind < WIDTHS; kind++) {
		try_widths(run, kind, true);
		try_widths(run, kind, false);
	}
	try_graphs(run, &switches, true);
	try_graphs(run, &hosts, false);
}
