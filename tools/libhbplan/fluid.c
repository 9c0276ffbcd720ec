// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fluid model of a plan on a platform. All edges of all trees stream at
 * once. The rates of all edges rise together; when a link is full, the edges
 * whose data or acknowledgements pass it stop rising, and with them everything
 * below them, since nobody can send on faster than it receives. So do the edges
 * of a tree at its planned rate, if there are several trees. This is the max-min
 * fair share of every edge among those that a parent could feed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fluid.h"
#include "node.h"
#include "units.h"
#include "ways.h"

/* Shares of a link that differ by less than this are one level. */
#define SAME_LEVEL	(1 / 1e9)

struct filling {
	const struct hbp_platform *platform;	/* of the ways */
	const struct hbp_plan *plan;
	struct hbp_fluid *fluid;
	size_t *first;		/* of each edge: its links in @passed */
	struct hbp_load *passed;
	size_t room;
	double *load;		/* of each link, by the edges that have stopped */
	size_t *rising;		/* of each link, how many edges still rise */
	double *weight;		/* of each link, how fast its load rises by them */
	bool *full;		/* of each link */
	size_t *active;		/* edges that still rise, parents first */
	size_t n_active;
};

static int keep_way(struct filling *f, const struct hbp_ways *ways, size_t edge,
		    struct hbp_error *err)
{
	size_t i, n = f->first[edge], room, link;
	struct hbp_load *passed;

	if (n + ways->n_loads > f->room) {
		room = 2 * (n + ways->n_loads) + 64;
		passed = realloc(f->passed, room * sizeof(*passed));
		if (!passed)
			return hbp_nomem(err);
		f->passed = passed;
		f->room = room;
	}
	for (i = 0; i < ways->n_loads; i++) {
		link = ways->loads[i].link;
		f->passed[n++] = ways->loads[i];
		f->rising[link]++;
		f->weight[link] += ways->loads[i].part;
		if (i < ways->n_way)
			f->fluid->since_ns[edge] =
				hbp_ns_add(f->fluid->since_ns[edge],
					   f->platform->links[link].latency_ns);
	}
	f->first[edge + 1] = n;
	return 0;
}

/* Edges of one parent stand together, and parents before their children. */
static int find_tree(struct filling *f, struct hbp_ways *ways, size_t t,
		     size_t start, size_t *parents, struct hbp_error *err)
{
	const struct hbp_tree *tree = &f->plan->trees[t];
	size_t i;
	int ret = 0;

	hbp_tree_parents(tree, tree->root, parents);
	for (i = 0; !ret && i < tree->n_edges; i++) {
		f->fluid->tree[start + i] = t;
		f->fluid->above[start + i] = parents[i] ? start + parents[i] - 1 :
						HBP_NONE;
		f->fluid->since_ns[start + i] = parents[i] ?
			f->fluid->since_ns[start + parents[i] - 1] : 0;
		ret = hbp_ways_edge(ways, tree->edges[i].parent, tree->edges[i].child, err);
		if (!ret)
			ret = keep_way(f, ways, start + i, err);
	}
	return ret;
}

static int find_ways(struct filling *f, struct hbp_ways *ways,
		     struct hbp_error *err)
{
	size_t *parents = calloc(f->fluid->n, sizeof(*parents));
	size_t t, start = 0;
	int ret = 0;

	if (!parents)
		return hbp_nomem(err);
	for (t = 0; !ret && t < f->plan->n_trees; t++) {
		ret = find_tree(f, ways, t, start, parents, err);
		start += f->plan->trees[t].n_edges;
	}
	free(parents);
	return ret;
}

/* The rate that an edge must not exceed; 0 for none. */
static double cap_of(const struct filling *f, size_t edge)
{
	const struct hbp_tree *tree = &f->plan->trees[f->fluid->tree[edge]];

	return f->plan->n_trees > 1 ? (double)tree->rate_bps : 0;
}

/* Are all trees planned at rates that no link is too narrow for? Then done. */
static bool all_fit(struct filling *f)
{
	bool fit = true;
	size_t i, p;
	double cap;

	for (i = 0; i < f->fluid->n; i++) {
		cap = cap_of(f, i);
		fit = fit && cap > 0;
		f->fluid->rate[i] = cap;
		for (p = f->first[i]; p < f->first[i + 1]; p++)
			f->load[f->passed[p].link] += cap * f->passed[p].part;
	}
	for (i = 0; i < f->platform->n_links; i++) {
		fit = fit && f->load[i] <=
			     (double)f->platform->links[i].bandwidth_bps;
		f->load[i] = 0;
	}
	for (i = 0; !fit && i < f->fluid->n; i++)
		f->fluid->rate[i] = 0;
	return fit;
}

/* The rate at which the next link is full or the next tree as fast as planned. */
static double next_level(const struct filling *f)
{
	double share, level = -1;
	size_t i;

	for (i = 0; i < f->platform->n_links; i++) {
		if (!f->rising[i])
			continue;
		share = ((double)f->platform->links[i].bandwidth_bps -
			 f->load[i]) / f->weight[i];
		if (level < 0 || share < level)
			level = share;
	}
	for (i = 0; i < f->n_active; i++) {
		share = cap_of(f, f->active[i]);
		if (share > 0 && share < level)
			level = share;
	}
	return level;
}

static bool is_full(const struct filling *f, size_t link, double level)
{
	double free_bps = (double)f->platform->links[link].bandwidth_bps -
			  f->load[link];

	return free_bps <= level * f->weight[link] * (1 + SAME_LEVEL);
}

static bool must_stop(const struct filling *f, size_t edge, double level)
{
	size_t above = f->fluid->above[edge], p;
	double cap = cap_of(f, edge);

	if ((cap > 0 && cap <= level) ||
	    (above != HBP_NONE && f->fluid->rate[above] > 0))
		return true;
	for (p = f->first[edge]; p < f->first[edge + 1]; p++)
		if (f->full[f->passed[p].link])
			return true;
	return false;
}

/* Stops the edges that pass a full link or hang below a stopped edge. */
static void stop_edges(struct filling *f, double level)
{
	size_t i, p, edge, link, kept = 0;

	for (i = 0; i < f->platform->n_links; i++)
		f->full[i] = f->rising[i] && is_full(f, i, level);
	for (i = 0; i < f->n_active; i++) {
		edge = f->active[i];
		if (!must_stop(f, edge, level)) {
			f->active[kept++] = edge;
			continue;
		}
		f->fluid->rate[edge] = level;
		for (p = f->first[edge]; p < f->first[edge + 1]; p++) {
			link = f->passed[p].link;
			f->load[link] += level * f->passed[p].part;
			f->weight[link] -= f->passed[p].part;
			f->rising[link]--;
		}
	}
	f->n_active = kept;
}

static void fill(struct filling *f)
{
	size_t i;

	if (all_fit(f))
		return;
	for (i = 0; i < f->fluid->n; i++)
		f->active[f->n_active++] = i;
	while (f->n_active)
		stop_edges(f, next_level(f));
}

static int filling_alloc(struct filling *f)
{
	size_t m = f->platform->n_links, n = f->fluid->n;

	f->fluid->tree = calloc(n, sizeof(*f->fluid->tree));
	f->fluid->above = calloc(n, sizeof(*f->fluid->above));
	f->fluid->rate = calloc(n, sizeof(*f->fluid->rate));
	f->fluid->since_ns = calloc(n, sizeof(*f->fluid->since_ns));
	f->first = calloc(n + 1, sizeof(*f->first));
	f->load = calloc(m, sizeof(*f->load));
	f->rising = calloc(m, sizeof(*f->rising));
	f->weight = calloc(m, sizeof(*f->weight));
	f->full = calloc(m, sizeof(*f->full));
	f->active = calloc(n, sizeof(*f->active));
	return f->fluid->tree && f->fluid->above && f->fluid->rate &&
	       f->fluid->since_ns && f->first && f->load && f->rising &&
	       f->weight && f->full && f->active ? 0 : -ENOMEM;
}

/**
 * hbp_fluid_find() - how fast every edge of a plan is
 * @ways: the routes of the platform
 * @plan: a plan that hbp_plan_check() has accepted, whose nodes are the hosts
 *	of the platform
 * @fluid: filled, to be cleared with hbp_fluid_clear()
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if an edge has no route; -ENOMEM.
 */
int hbp_fluid_find(struct hbp_ways *ways, const struct hbp_plan *plan,
		   struct hbp_fluid *fluid, struct hbp_error *err)
{
	struct filling f = {
		.platform = ways->platform, .plan = plan, .fluid = fluid
	};
	size_t t;
	int ret;

	*fluid = (struct hbp_fluid){ 0 };
	for (t = 0; t < plan->n_trees; t++)
		fluid->n += plan->trees[t].n_edges;
	ret = filling_alloc(&f) ? hbp_nomem(err) : find_ways(&f, ways, err);
	if (!ret)
		fill(&f);
	else
		hbp_fluid_clear(fluid);
	free(f.first);
	free(f.passed);
	free(f.load);
	free(f.rising);
	free(f.weight);
	free(f.full);
	free(f.active);
	return ret;
}

/**
 * hbp_fluid_clear() - release what hbp_fluid_find() has filled
 * @fluid: it
 */
void hbp_fluid_clear(struct hbp_fluid *fluid)
{
	free(fluid->tree);
	free(fluid->above);
	free(fluid->rate);
	free(fluid->since_ns);
	*fluid = (struct hbp_fluid){ 0 };
}
