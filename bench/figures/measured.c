// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What planners reach on measured networks: the directory DATA, with
 *
 *	cloud-aws.costs.json		20 regions, all pairs
 *	planetlab-490.rtt-ms.tsv	round-trip times of 490 nodes
 *	seattle-99/N.rtt-s.tsv		those of 99 nodes, one file for each time
 */
#include <stdio.h>
#include <stdlib.h>

#include "binomial.h"
#include "figures.h"
#include "positions.h"
#include "swap.h"
#include "table.h"

#define GIB		((uint64_t)1 << 30)
#define MIB		((uint64_t)1 << 20)
#define BOUND		"bound"
#define SLICES		30
#define ASSUMED_BPS	100000000	/* where only times were measured */

static char *path_of(const struct run *run, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", run->data, name) < 0)
		die("out of memory");
	return path;
}

/* What was not measured in a network is as bad as the worst that was. */
static void fill_holes(struct hbp_costs *costs)
{
	int64_t worst = 0;
	size_t n = costs->n, i;

	for (i = 0; i < n * n; i++)
		if (costs->bandwidth_bps[i] && costs->latency_ns[i] > worst)
			worst = costs->latency_ns[i];
	for (i = 0; i < n * n; i++) {
		if (costs->bandwidth_bps[i] || !(i % (n + 1)))
			continue;
		costs->latency_ns[i] = worst;
		costs->bandwidth_bps[i] = ASSUMED_BPS;
	}
}

static struct hbp_input *read_times(const struct run *run, const char *name,
				    const char *holds)
{
	struct hbp_foreign foreign = {
		.path = path_of(run, name), .holds = holds,
		.assumed = { .latency_ns = -1, .bandwidth_bps = ASSUMED_BPS }
	};
	struct hbp_input *in;
	struct hbp_error err;

	if (hbp_import(&foreign, NULL, &in, &err))
		die("%s", err.text);
	free((char *)foreign.path);
	fill_holes(in->costs);
	return in;
}

/* Planners that take a matrix; with @rates also those for ports. */
static bool takes_part(const struct hbp_planner *planner, bool rates)
{
	return planner->inputs & HBP_INPUT_COSTS &&
	       (rates || !(planner->takes & HBP_TAKES_PORTS));
}

/* Mbit/s of the slowest node, each model's plans for themselves. */
static void add_rates(struct table *table, const struct hbp_request *rq,
		      const char *column)
{
	enum hbp_model model = rq->ports == HBP_ONE_PORT ?
			       HBP_MODEL_ONE_PORT : HBP_MODEL_MULTI_PORT;
	const struct hbp_planner *const *planners;
	struct hbp_evaluation *e;
	struct hbp_plan *plan;
	size_t count, i;

	planners = hbp_planners(&count);
	for (i = 0; i < count; i++) {
		if (!takes_part(planners[i], true))
			continue;
		plan = plan_by(planners[i]->name, rq);
		e = evaluate_by(model, plan, rq->in);
		table_add(table, planners[i]->name, column,
			  hbp_mbps_from_bps(hbp_evaluation_rate(e)));
		hbp_evaluation_free(e);
		hbp_plan_free(plan);
	}
	plan = plan_by("mtp", rq);
	table_add(table, BOUND, column, hbp_mbps_from_bps(plan->bound_bps));
	hbp_plan_free(plan);
}

/* Seconds or milliseconds, of @unit nanoseconds, of the last node. */
static void add_times(struct table *table, const struct hbp_request *rq,
		      enum hbp_model model, const char *column, double unit)
{
	const struct hbp_planner *const *planners;
	struct hbp_evaluation *e = NULL;
	struct hbp_plan *plan;
	size_t count, i;

	planners = hbp_planners(&count);
	for (i = 0; i < count; i++) {
		if (!takes_part(planners[i], false))
			continue;
		hbp_evaluation_free(e);
		plan = plan_by(planners[i]->name, rq);
		e = evaluate_by(model, plan, rq->in);
		table_add(table, planners[i]->name, column, (double)
			  hbp_evaluation_slowest(e)->completion_ns / unit);
		hbp_plan_free(plan);
	}
	table_add(table, BOUND, column, (double)hbp_evaluation_bound(e) / unit);
	hbp_evaluation_free(e);
}

/* Each region in turn is the root. */
static void try_cloud(const struct run *run)
{
	static struct table rates = {
		"data-cloud-rate", "20 cloud regions: rate of the slowest",
		"planner", "Mbit/s", .bars = 1
	};
	static struct table times = {
		"data-cloud-time", "20 cloud regions: whole messages passed on",
		"planner", "seconds", .bars = 1
	};
	char *path = path_of(run, "cloud-aws.costs.json");
	struct hbp_request rq = { .message_bytes = GIB };
	struct hbp_input *in;
	struct hbp_error err;
	size_t i, most;

	if (hbp_input_load(path, NULL, &in, &err))
		die("%s", err.text);
	free(path);
	rq.in = in;
	most = pick(run, 2, in->n, in->n);
	for (i = 0; i < most; i++) {
		rq.root = in->members[i];
		rq.message_bytes = GIB;
		rq.objective = HBP_THROUGHPUT;
		rq.ports = HBP_ONE_PORT;
		add_rates(&rates, &rq, "one port");
		rq.ports = HBP_MULTI_PORT;
		add_rates(&rates, &rq, "several ports");
		add_times(&times, &rq, HBP_MODEL_COMPLETION, "1 GiB", 1e9);
		rq.message_bytes = MIB;
		add_times(&times, &rq, HBP_MODEL_COMPLETION, "1 MiB", 1e9);
	}
	hbp_input_free(in);
	table_write(&rates, run->dir);
	table_write(&times, run->dir);
}

/* Every fiftieth node in turn is the root. */
static void try_planetlab(const struct run *run)
{
	static struct table paths = {
		"data-planetlab", "490 PlanetLab nodes: the longest path",
		"planner", "milliseconds", .bars = 1
	};
	struct hbp_input *in = read_times(run, "planetlab-490.rtt-ms.tsv",
					  "rtt_ms");
	struct hbp_request rq = { .in = in, .message_bytes = 1 };
	size_t i, step = pick(run, in->n, 50, 50);

	for (i = 0; i < in->n; i += step) {
		rq.root = in->members[i];
		add_times(&paths, &rq, HBP_MODEL_PATH, "longest path", 1e6);
	}
	hbp_input_free(in);
	table_write(&paths, run->dir);
}

/* The link that has got dearest since @before, as the position below it. */
static size_t find_dearest(const struct hbp_positions *p,
			   const struct hbp_costs *before)
{
	int64_t more, most = INT64_MIN;
	size_t i, a, b, at = 1;

	for (i = 1; i < p->n; i++) {
		a = p->node[hbp_binomial_parent(i)];
		b = p->node[i];
		more = hbp_costs_delay_ns(p->costs, a, b) -
		       hbp_costs_delay_ns(before, a, b);
		if (more > most) {
			most = more;
			at = i;
		}
	}
	return at;
}

/* Takes a tree from one slice to the next with one swap; what it then costs. */
static double step(const struct hbp_costs *before, const struct hbp_costs *now,
		   uint32_t *ids, enum hbp_strategy strategy)
{
	struct hbp_positions old = { }, p = { };
	struct hbp_error err;
	size_t at, i;
	double cost;

	if (hbp_positions_init(&old, before, ids, before->n, &err) ||
	    hbp_positions_init(&p, now, ids, now->n, &err))
		die("%s", err.text);
	at = find_dearest(&p, before);
	hbp_swap(&p, strategy, hbp_binomial_parent(at), at, old.cost);
	for (i = 0; i < p.n; i++)
		ids[i] = now->nodes[p.node[i]].id;
	cost = (double)p.cost / 1e6;
	hbp_positions_free(&old);
	hbp_positions_free(&p);
	return cost;
}

/* Each node in turn is the root, and its tree lives through all slices. */
static void follow(struct table *table, struct hbp_input **in, size_t slices,
		   uint32_t root)
{
	struct hbp_request rq = { .in = in[0], .root = root, .message_bytes = 1 };
	struct hbp_plan *plan = plan_by("balanced-path", &rq);
	uint32_t *ids = calloc(in[0]->n, sizeof(*ids));
	enum hbp_strategy each;
	struct hbp_evaluation *e;
	struct hbp_error err;
	size_t s;

	if (!ids)
		die("out of memory");
	for (each = HBP_SWAP_NONE; each < HBP_STRATEGIES; each++) {
		if (hbp_positions_read(plan, ids, &err))
			die("%s", err.text);
		for (s = 1; s < slices; s++)
			table_add_at(table, s + 1, each == HBP_SWAP_NONE ?
				     "unchanged" : hbp_strategy_name(each),
				     step(in[s - 1]->costs, in[s]->costs, ids,
					  each));
	}
	free(ids);
	hbp_plan_free(plan);
	for (s = 1; s < slices; s++) {
		rq.in = in[s];
		plan = plan_by("balanced-path", &rq);
		e = evaluate_by(HBP_MODEL_PATH, plan, in[s]);
		table_add_at(table, s + 1, "balanced-path anew",
			     (double)plan->cost_ns / 1e6);
		table_add_at(table, s + 1, BOUND,
			     (double)hbp_evaluation_bound(e) / 1e6);
		hbp_evaluation_free(e);
		hbp_plan_free(plan);
	}
}

static void try_seattle(const struct run *run)
{
	static struct table table = {
		"data-seattle", "99 Seattle nodes: a Balanced-Path tree as time goes by",
		"slice", "longest path, milliseconds", .n = 0
	};
	size_t slices = pick(run, 3, SLICES, SLICES), s, i, most;
	struct hbp_input *in[SLICES];
	char name[64];

	for (s = 0; s < slices; s++) {
		snprintf(name, sizeof(name), "seattle-99/%zu.rtt-s.tsv", s + 1);
		in[s] = read_times(run, name, "rtt_s");
	}
	most = pick(run, 2, in[0]->n, in[0]->n);
	for (i = 0; i < most; i++)
		follow(&table, in, slices, in[0]->members[i]);
	for (s = 0; s < slices; s++)
		hbp_input_free(in[s]);
	table_write(&table, run->dir);
}

/* Nothing without DATA. */
void measured(const struct run *run)
{
	if (!run->data)
		return;
	try_cloud(run);
	try_planetlab(run);
	try_seattle(run);
}
