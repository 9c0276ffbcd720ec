// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates of partial trees that the network's routes can carry. Trees that overload
 * a link are slowed down alike; what links then have left goes to the trees that
 * make the sum of all nodes' rates largest, each as a part of the most that the
 * node could receive, by a linear program.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "packing.h"
#include "units.h"
#include "weighing.h"

/* The part of all rates that a tree gets which spans all and would have none. */
#define LEAD		0.001
/* What rounding in the program may cost a rate. */
#define ROUNDING	(2 / 1e9)
/* The part of trees that is kept while there are too many. */
#define FEWER		(7 / 8.0)
/* Sums that differ by less are alike. */
#define SAME		(1 / 1e7)

struct weighing {
	struct hbp_ways *ways;
	const size_t *nodes;
	const double *flows;
	struct hbp_insertion *ins;
	size_t *first;		/* of each tree: its links in @links */
	struct hbp_load *links;	/* as often as the tree passes them */
	size_t room;
	double *load;		/* of each link, Mbit/s */
	double *mbps;		/* of each tree */
	double *spare;		/* likewise, while others are tried */
	double *first_set;	/* likewise */
	size_t lead;		/* the tree that comes first */
	bool *chosen;		/* likewise: may it be used */
	double *worth;		/* of each tree, of 1 Mbit/s */
	size_t *order;		/* trees, what is of most use first */
	size_t *at;		/* of a row or column being added */
	double *uses;
	size_t *row;		/* of each link, or HBP_NONE */
	struct hbp_error *err;
};

static double width_of(const struct weighing *w, size_t link)
{
	return hbp_mbps_from_bps(w->ways->platform->links[link].bandwidth_bps);
}

/* Appends the links of the way between two nodes of trees. */
static int add_way(struct weighing *w, size_t *n, size_t from, size_t to)
{
	struct hbp_load *links;
	size_t room, i;
	int ret;

	ret = hbp_ways_loads(w->ways, w->nodes[from], w->nodes[to]);
	if (ret == -ENOENT)
		return hbp_fail(w->err, -EINVAL, "links: a tree has an edge without a route");
	if (ret)
		return hbp_nomem(w->err);
	if (*n + w->ways->n_loads > w->room) {
		room = 2 * (*n + w->ways->n_loads) + 256;
		links = realloc(w->links, room * sizeof(*links));
		if (!links)
			return hbp_nomem(w->err);
		w->links = links;
		w->room = room;
	}
	for (i = 0; i < w->ways->n_loads; i++)
		w->links[(*n)++] = w->ways->loads[i];
	return 0;
}

static int find_links(struct weighing *w)
{
	const struct hbp_insertion *ins = w->ins;
	size_t t, v, n = 0;
	int ret = 0;

	for (t = 0; t < ins->n; t++) {
		w->first[t] = n;
		for (v = 0; !ret && v < ins->n_nodes; v++)
			if (v != ins->root && ins->trees[t].parent[v] != HBP_NOBODY)
				ret = add_way(w, &n, ins->trees[t].parent[v], v);
	}
	w->first[ins->n] = n;
	return ret;
}

/* What a node receives counts by its part of what the node could. */
static void find_worth(struct weighing *w)
{
	size_t t, v;

	for (t = 0; t < w->ins->n; t++)
		for (v = 0; v < w->ins->n_nodes; v++)
			if (w->flows[v] > 0 &&
			    w->ins->trees[t].parent[v] != HBP_NOBODY)
				w->worth[t] += 1 / w->flows[v];
}

static int weighing_fill(struct weighing *w)
{
	size_t m = w->ways->platform->n_links, n = w->ins->n, most;

	most = m > n ? m : n;
	w->first = calloc(n + 1, sizeof(*w->first));
	w->load = calloc(m, sizeof(*w->load));
	w->mbps = calloc(n, sizeof(*w->mbps));
	w->spare = calloc(n, sizeof(*w->spare));
	w->first_set = calloc(n, sizeof(*w->first_set));
	w->chosen = calloc(n, sizeof(*w->chosen));
	w->worth = calloc(n, sizeof(*w->worth));
	w->order = calloc(n, sizeof(*w->order));
	w->at = calloc(most, sizeof(*w->at));
	w->uses = calloc(m, sizeof(*w->uses));
	w->row = calloc(m, sizeof(*w->row));
	if (!w->first || !w->load || !w->mbps || !w->spare ||
	    !w->first_set || !w->chosen || !w->worth || !w->order ||
	    !w->at || !w->uses || !w->row)
		return hbp_nomem(w->err);
	find_worth(w);
	return find_links(w);
}

static void weighing_clear(struct weighing *w)
{
	free(w->first);
	free(w->links);
	free(w->load);
	free(w->mbps);
	free(w->spare);
	free(w->first_set);
	free(w->chosen);
	free(w->worth);
	free(w->order);
	free(w->at);
	free(w->uses);
	free(w->row);
}

/* Adds what a tree of some rate loads. */
static void add_load(struct weighing *w, size_t t, double mbps)
{
	size_t i;

	for (i = w->first[t]; i < w->first[t + 1]; i++)
		w->load[w->links[i].link] += mbps * w->links[i].part;
}

static void add_loads(struct weighing *w)
{
	size_t t, i;

	for (i = 0; i < w->ways->platform->n_links; i++)
		w->load[i] = 0;
	for (t = 0; t < w->ins->n; t++)
		add_load(w, t, w->mbps[t]);
}

/* Takes one of two sets of rates; by how much it may be multiplied, at most 1. */
static double load_weights(struct weighing *w, bool second)
{
	double factor = 1;
	size_t t, i;

	for (t = 0; t < w->ins->n; t++)
		w->mbps[t] = hbp_mbps_from_bps(second ? w->ins->trees[t].second :
					       w->ins->trees[t].weight);
	add_loads(w);
	for (i = 0; i < w->ways->platform->n_links; i++)
		if (w->load[i] > width_of(w, i) * (1 + 1 / 1e12) &&
		    width_of(w, i) / w->load[i] < factor)
			factor = width_of(w, i) / w->load[i];
	return factor;
}

/* One column: what a unit of a tree's rate uses of every link. */
static int add_tree(struct weighing *w, struct hbp_packing *packing, size_t t)
{
	size_t i, row, n = 0;

	for (i = w->first[t]; i < w->first[t + 1]; i++) {
		row = w->row[w->links[i].link];
		if (w->uses[row] == 0)
			w->at[n++] = row;
		w->uses[row] += w->links[i].part;
	}
	/* Uses stand by row; the program wants them beside @at. */
	for (i = 0; i < n; i++)
		w->load[i] = w->uses[w->at[i]];
	for (i = 0; i < n; i++)
		w->uses[w->at[i]] = 0;
	return hbp_packing_add_column(packing, w->worth[t], n, w->at, w->load);
}

/* A row for every link that a chosen tree passes, as wide as what is left. */
static int add_rows(struct weighing *w, struct hbp_packing *packing)
{
	size_t i, t, link, n = 0;
	double left;

	for (i = 0; i < w->ways->platform->n_links; i++)
		w->row[i] = HBP_NONE;
	for (t = 0; t < w->ins->n; t++) {
		if (!w->chosen[t])
			continue;
		for (i = w->first[t]; i < w->first[t + 1]; i++) {
			link = w->links[i].link;
			if (w->row[link] != HBP_NONE)
				continue;
			w->row[link] = n++;
			left = width_of(w, link) - w->load[link];
			if (hbp_packing_add_row(packing, left > 0 ? left : 0, 0,
						NULL, NULL))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Adds rates of the chosen trees to what all have; less, if GLPK gives up. */
static int share_rest(struct weighing *w)
{
	struct hbp_packing *packing = hbp_packing_alloc();
	size_t t, n = 0;
	double sum;
	int ret;

	add_loads(w);
	ret = packing ? add_rows(w, packing) : -ENOMEM;
	for (t = 0; !ret && t < w->ins->n; t++)
		if (w->chosen[t])
			ret = add_tree(w, packing, t);
	if (!ret && !hbp_packing_solve(packing, &sum))
		for (t = 0; t < w->ins->n; t++)
			if (w->chosen[t])
				w->mbps[t] += (1 - ROUNDING) *
					      hbp_packing_weight(packing, n++);
	hbp_packing_free(packing);
	return ret ? hbp_nomem(w->err) : 0;
}

static int compare_use(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct weighing *w = arg;
	double u, v;

	/* The tree that leads stays in any case. */
	if (x == w->lead || y == w->lead)
		return (x != w->lead) - (y != w->lead);
	u = w->mbps[x] * w->worth[x];
	v = w->mbps[y] * w->worth[y];
	if (u != v)
		return u > v ? -1 : 1;
	return (x > y) - (x < y);
}

/* What the rates of all nodes are worth. */
static double sum_of(const struct weighing *w)
{
	double sum = 0;
	size_t t;

	for (t = 0; t < w->ins->n; t++)
		sum += w->mbps[t] * w->worth[t];
	return sum;
}

static bool is_near(double a, double b)
{
	return a <= b * (1 + SAME) && b <= a * (1 + SAME);
}

/*
 * A solution of the linear program has no more trees than it fills links. If all
 * nodes have as much together as before, it may take the place of other rates.
 */
static int use_fewer(struct weighing *w)
{
	size_t n = w->ins->n, t;
	double sum = sum_of(w);
	int ret;

	memcpy(w->spare, w->mbps, n * sizeof(*w->mbps));
	for (t = 0; t < n; t++)
		w->mbps[t] = 0;
	ret = share_rest(w);
	if (!ret && !is_near(sum_of(w), sum))
		memcpy(w->mbps, w->spare, n * sizeof(*w->mbps));
	return ret;
}

static size_t count_used(const struct weighing *w)
{
	size_t t, used = 0;

	for (t = 0; t < w->ins->n; t++)
		used += t == w->lead || w->mbps[t] > 0;
	return used;
}

/* The heaviest tree that spans all comes first. */
static void find_lead(struct weighing *w)
{
	size_t t;

	for (w->lead = 0, t = 1; t < w->ins->n; t++)
		if (w->ins->trees[t].members == w->ins->trees[0].members &&
		    w->mbps[t] > w->mbps[w->lead])
			w->lead = t;
}

/*
 * Keeps the trees of most use. A few go at a time, and the others are weighed anew:
 * they take over more of what the lost ones carried than they could at once.
 */
static int keep_few(struct weighing *w, size_t most)
{
	size_t n = w->ins->n, t, keep;
	int ret = 0;

	if (count_used(w) > most)
		ret = use_fewer(w);
	find_lead(w);
	while (!ret && count_used(w) > most) {
		keep = (size_t)((double)count_used(w) * FEWER);
		keep = keep > most ? keep : most;
		for (t = 0; t < n; t++)
			w->order[t] = t;
		qsort_r(w->order, n, sizeof(*w->order), compare_use, w);
		for (t = 0; t < n; t++) {
			w->chosen[w->order[t]] = t < keep;
			w->mbps[w->order[t]] = 0;
		}
		ret = share_rest(w);
	}
	return ret;
}

/*
 * The tree that leads spans all and must have some rate. The others are weighed
 * anew beside it; they are slowed down if nodes would not have as much.
 */
static int give_lead(struct weighing *w)
{
	double most = HUGE_VAL, sum = sum_of(w);
	size_t i, t;
	int ret;

	if (w->mbps[w->lead] > 0)
		return 0;
	for (i = 0; i < w->ways->platform->n_links; i++)
		w->load[i] = 0;
	add_load(w, w->lead, 1);
	for (i = 0; i < w->ways->platform->n_links; i++)
		if (w->load[i] > 0 && width_of(w, i) / w->load[i] < most)
			most = width_of(w, i) / w->load[i];
	memcpy(w->spare, w->mbps, w->ins->n * sizeof(*w->mbps));
	for (t = 0; t < w->ins->n; t++) {
		w->chosen[t] = w->mbps[t] > 0;
		w->mbps[t] = 0;
	}
	w->mbps[w->lead] = most * LEAD;
	ret = share_rest(w);
	if (ret || is_near(sum_of(w), sum))
		return ret;
	for (t = 0; t < w->ins->n; t++)
		w->mbps[t] = w->spare[t] * (1 - LEAD);
	w->mbps[w->lead] = most * LEAD;
	return 0;
}

/* From one of two sets of rates to one that links carry, and that is small. */
static int weigh(struct weighing *w, bool second, size_t most)
{
	double factor = load_weights(w, second);
	size_t t;
	int ret;

	for (t = 0; t < w->ins->n; t++) {
		w->mbps[t] *= factor;
		w->chosen[t] = true;
	}
	find_lead(w);
	ret = share_rest(w);
	if (!ret)
		ret = keep_few(w, most);
	return ret ? ret : give_lead(w);
}

/* Rounds rates down; trees without any go. */
static void round_rates(struct weighing *w)
{
	struct hbp_insertion *ins = w->ins;
	struct hbp_partial lead = ins->trees[w->lead];
	size_t t, n = 1;
	int64_t bps;

	lead.weight = (int64_t)(w->mbps[w->lead] * 1e6 * (1 - ROUNDING));
	if (!lead.weight)
		lead.weight = 1;
	/* Places below the lead's move up by one. */
	for (t = w->lead; t; t--) {
		ins->trees[t] = ins->trees[t - 1];
		w->mbps[t] = w->mbps[t - 1];
	}
	ins->trees[0] = lead;
	for (t = 1; t < ins->n; t++) {
		bps = (int64_t)(w->mbps[t] * 1e6 * (1 - ROUNDING));
		if (!bps) {
			free(ins->trees[t].parent);
			continue;
		}
		ins->trees[n] = ins->trees[t];
		ins->trees[n++].weight = bps;
	}
	ins->n = n;
}

/* The better one of what both sets lead to. */
static int run(struct weighing *w, size_t most)
{
	size_t n = w->ins->n, t, lead;
	bool exact = n <= most, two = false;
	double sum;
	int ret;

	for (t = 0; t < n; t++) {
		exact = exact && w->ins->trees[t].weight;
		two = two || w->ins->trees[t].second;
	}
	if (exact && load_weights(w, false) == 1)
		return 0;
	ret = weigh(w, false, most);
	if (!ret && two) {
		sum = sum_of(w);
		lead = w->lead;
		memcpy(w->first_set, w->mbps, n * sizeof(*w->mbps));
		ret = weigh(w, true, most);
		if (!ret && sum_of(w) < sum) {
			memcpy(w->mbps, w->first_set, n * sizeof(*w->mbps));
			w->lead = lead;
		}
	}
	if (!ret)
		round_rates(w);
	return ret;
}

/**
 * hbp_weighing_fit() - do trees fit onto the network's routes
 * @ways: the routes
 * @nodes: of each node of the trees, its index in the platform
 * @flows: of each node of the trees, the most that it could receive, Mbit/s; 0
 *	if it does not matter
 * @ins: the trees, not changed
 * @factor: receives by how much all rates must be multiplied, at most 1
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if an edge has no route; -ENOMEM.
 */
int hbp_weighing_fit(struct hbp_ways *ways, const size_t *nodes,
		     const double *flows, struct hbp_insertion *ins,
		     double *factor, struct hbp_error *err)
{
	struct weighing w = {
		.ways = ways, .nodes = nodes, .flows = flows, .ins = ins,
		.err = err
	};
	int ret;

	ret = weighing_fill(&w);
	if (!ret)
		*factor = load_weights(&w, false);
	weighing_clear(&w);
	return ret;
}

/**
 * hbp_weighing_run() - give trees rates that routes can carry
 * @ways: the routes
 * @nodes: of each node of the trees, its index in the platform
 * @flows: as for hbp_weighing_fit()
 * @ins: the trees, the first of which spans all nodes; a weight may be 0; trees
 *	that get no rate are released
 * @most: number of trees that may be left, at least 1
 * @err: receives the reason of a failure
 *
 * Weights that fit stay as they are, if there are no more than @most and none
 * is 0. Otherwise they, and the second set if there is one, are made to fit; the
 * one that gives nodes more is taken, each counted by its part of its flow.
 *
 * Return: 0; -EINVAL if an edge has no route; -ENOMEM.
 */
int hbp_weighing_run(struct hbp_ways *ways, const size_t *nodes,
		     const double *flows, struct hbp_insertion *ins, size_t most,
		     struct hbp_error *err)
{
	struct weighing w = {
		.ways = ways, .nodes = nodes, .flows = flows, .ins = ins,
		.err = err
	};
	int ret;

	ret = weighing_fill(&w);
	if (!ret)
		ret = run(&w, most);
	weighing_clear(&w);
	return ret;
}
