// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 000, figure 9: nodes join a Balanced-Path tree and leave it, and each
 * time a strategy looks for a swap that makes up for it.
 */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "network.h"
#include "positions.h"
#include "swap.h"
#include "table.h"

static const struct variant {
	const char *name;
	enum hbp_strategy join;
	enum hbp_strategy leave;
} variants[] = {
	{ "none", HBP_SWAP_NONE, HBP_SWAP_NONE },
	{ "position/path", HBP_SWAP_POSITION, HBP_SWAP_PATH },
	{ "position/position", HBP_SWAP_POSITION, HBP_SWAP_POSITION },
};

/* A tree whose nodes come and go. */
struct crowd {
	const struct hbp_costs *costs;	/* of all that may ever come */
	uint32_t *ids;			/* who is at which position */
	size_t n;
	int64_t cost;			/* what the tree costs */
};

static void put(struct crowd *crowd, enum hbp_strategy strategy, size_t at)
{
	struct hbp_positions p = { };
	struct hbp_error err;
	size_t i;

	if (hbp_positions_init(&p, crowd->costs, crowd->ids, crowd->n, &err))
		die("%s", err.text);
	if (at < crowd->n)
		hbp_swap(&p, strategy, at, at, crowd->cost);
	for (i = 0; i < crowd->n; i++)
		crowd->ids[i] = crowd->costs->nodes[p.node[i]].id;
	crowd->cost = p.cost;
	hbp_positions_free(&p);
}

/* The first @n of a network's nodes as a network of their own. */
static struct hbp_input *first_of(const struct hbp_costs *all, size_t n)
{
	struct hbp_input *in = costs_of(n);
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&in->costs->latency_ns[i * n],
		       &all->latency_ns[i * all->n], n * sizeof(int64_t));
		memcpy(&in->costs->bandwidth_bps[i * n],
		       &all->bandwidth_bps[i * all->n], n * sizeof(int64_t));
	}
	return in;
}

/* What planning from scratch makes of those who are there in the end. */
static double cost_anew(const struct crowd *crowd)
{
	struct hbp_input *in = costs_of(crowd->n);
	struct hbp_request rq = { .in = in, .root = 1, .message_bytes = 1 };
	size_t n = crowd->costs->n, i, k, cell;
	struct hbp_plan *plan;
	double cost;

	for (i = 0; i < crowd->n; i++) {
		for (k = 0; k < crowd->n; k++) {
			cell = (crowd->ids[i] - 1) * n + crowd->ids[k] - 1;
			in->costs->latency_ns[i * crowd->n + k] =
				crowd->costs->latency_ns[cell];
			in->costs->bandwidth_bps[i * crowd->n + k] =
				crowd->costs->bandwidth_bps[cell];
		}
	}
	plan = plan_by("balanced-path", &rq);
	cost = (double)plan->cost_ns / 1000;
	hbp_plan_free(plan);
	hbp_input_free(in);
	return cost;
}

/* The position of a node, or 0. */
static size_t find(const struct crowd *crowd, uint32_t id)
{
	size_t i;

	for (i = crowd->n - 1; i && crowd->ids[i] != id; i--)
		;
	return i;
}

/* The same nodes come and go, whatever the strategy. */
static void come_and_go(struct crowd *crowd, const struct variant *variant,
			size_t changes, uint64_t seed)
{
	uint32_t next = (uint32_t)crowd->n + 1;
	size_t at;

	for (; changes; changes--) {
		if (crowd->n < 3 || draw_between(&seed, 0, 1)) {
			crowd->ids[crowd->n++] = next++;
			put(crowd, variant->join, crowd->n - 1);
			continue;
		}
		do
			at = find(crowd, (uint32_t)draw_between(&seed, 2,
								next - 1));
		while (!at);
		crowd->ids[at] = crowd->ids[--crowd->n];
		put(crowd, variant->leave, at);
	}
}

static void try_tree(struct table *table, size_t nodes, size_t changes,
		     size_t hops, uint64_t *seed)
{
	struct hbp_input *pool = hops_of(nodes + changes, (int64_t)hops, seed);
	struct hbp_input *in = first_of(pool->costs, nodes);
	struct hbp_request rq = { .in = in, .root = 1, .message_bytes = 1 };
	struct hbp_plan *plan = plan_by("balanced-path", &rq);
	struct crowd crowd = { .costs = pool->costs };
	struct hbp_error err;
	size_t i;

	crowd.ids = calloc(nodes + changes, sizeof(*crowd.ids));
	if (!crowd.ids)
		die("out of memory");
	for (i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		crowd.n = nodes;
		crowd.cost = plan->cost_ns;
		if (hbp_positions_read(plan, crowd.ids, &err))
			die("%s", err.text);
		come_and_go(&crowd, &variants[i], changes, *seed);
		table_add_at(table, hops, variants[i].name,
			     (double)crowd.cost / 1000);
	}
	table_add_at(table, hops, "balanced-path anew", cost_anew(&crowd));
	table_add_at(table, hops, "at first", (double)plan->cost_ns / 1000);
	free(crowd.ids);
	hbp_plan_free(plan);
	hbp_input_free(in);
	hbp_input_free(pool);
}

void churn(const struct run *run)
{
	static struct table table = {
		"000-fig9", "000 figure 9: after nodes have come and gone",
		"maximum distance, hops", "cost of the tree, hops", .bars = 1
	};
	static const size_t hops[] = { 10, 30, 50 };
	size_t nodes = pick(run, 32, 1024, 1024);
	size_t changes = pick(run, 40, 1000, 1000);
	size_t trees = pick(run, 5, 100, 100), i, k;
	uint64_t seed = run->seed;

	for (i = 0; i < sizeof(hops) / sizeof(hops[0]); i++)
		for (k = 0; k < trees; k++)
			try_tree(&table, nodes, changes, hops[i], &seed);
	table_write(&table, run->dir);
}
