// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates of trees that links can carry. The rates of all trees rise together, each in
 * proportion to what it is planned for; when a link is full, the trees that load it
 * stop. So a tree loses no more than the fullest of its links asks for, and nobody
 * loses anything where all fits.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fitting.h"
#include "ways.h"

/* Parts that differ by less are the same. */
#define SAME		(1 / 1e9)
/* What rounding may cost a rate that is lowered. */
#define ROUNDING	(2 / 1e9)

struct fitting {
	const struct hbp_platform *platform;
	struct hbp_plan *plan;
	size_t first[HBP_PLAN_TREES_MAX + 1];	/* of each tree: its loads in @loads */
	struct hbp_load *loads;
	size_t room;
	double part[HBP_PLAN_TREES_MAX];	/* of each tree's rate that it keeps */
	bool rises[HBP_PLAN_TREES_MAX];
	double *load;		/* of each link, by trees that have stopped */
	double *rising;		/* of each link, by the others at their whole rates */
	bool *full;		/* of each link */
};

static int keep_loads(struct fitting *f, const struct hbp_ways *ways, size_t *n,
		      struct hbp_error *err)
{
	size_t room = 2 * (*n + ways->n_loads) + 64, i;
	struct hbp_load *loads;

	if (*n + ways->n_loads > f->room) {
		loads = realloc(f->loads, room * sizeof(*loads));
		if (!loads)
			return hbp_nomem(err);
		f->loads = loads;
		f->room = room;
	}
	for (i = 0; i < ways->n_loads; i++)
		f->loads[(*n)++] = ways->loads[i];
	return 0;
}

/* What each tree loads. */
static int find_loads(struct fitting *f, struct hbp_ways *ways, struct hbp_error *err)
{
	const struct hbp_edge *edge;
	size_t t, i, n = 0;
	int ret = 0;

	for (t = 0; t < f->plan->n_trees; t++) {
		f->rises[t] = f->plan->trees[t].rate_bps > 0;
		for (i = 0; !ret && i < f->plan->trees[t].n_edges; i++) {
			edge = &f->plan->trees[t].edges[i];
			ret = hbp_ways_edge(ways, edge->parent, edge->child, err);
			if (!ret)
				ret = keep_loads(f, ways, &n, err);
		}
		f->first[t + 1] = n;
	}
	return ret;
}

/* Adds what a tree loads with some part of its rate. */
static void add(const struct fitting *f, size_t t, double part, double *load)
{
	double bps = part * (double)f->plan->trees[t].rate_bps;
	size_t i;

	for (i = f->first[t]; i < f->first[t + 1]; i++)
		load[f->loads[i].link] += bps * f->loads[i].part;
}

/* The part of all rates at which the next link is full, at most all of them. */
static double next_part(struct fitting *f)
{
	double part = 1, left;
	size_t t, i;

	for (i = 0; i < f->platform->n_links; i++)
		f->rising[i] = 0;
	for (t = 0; t < f->plan->n_trees; t++)
		if (f->rises[t])
			add(f, t, 1, f->rising);
	for (i = 0; i < f->platform->n_links; i++) {
		left = (double)f->platform->links[i].bandwidth_bps - f->load[i];
		/* Trees that have stopped may fill a link by rounding. */
		if (f->rising[i] > 0 && f->rising[i] * part > left)
			part = left / f->rising[i];
	}
	for (i = 0; i < f->platform->n_links; i++) {
		left = (double)f->platform->links[i].bandwidth_bps - f->load[i];
		f->full[i] = f->rising[i] > 0 && left <= f->rising[i] * part * (1 + SAME);
	}
	return part;
}

static bool must_stop(const struct fitting *f, size_t t)
{
	size_t i;

	for (i = f->first[t]; i < f->first[t + 1]; i++)
		if (f->full[f->loads[i].link])
			return true;
	return false;
}

static void fit(struct fitting *f)
{
	double part;
	size_t t;

	for (t = 0; t < f->plan->n_trees; t++)
		f->part[t] = 1;
	for (part = next_part(f); part < 1; part = next_part(f)) {
		for (t = 0; t < f->plan->n_trees; t++) {
			if (!f->rises[t] || !must_stop(f, t))
				continue;
			f->rises[t] = false;
			f->part[t] = part;
			add(f, t, part, f->load);
		}
	}
}

static void lower(struct fitting *f)
{
	struct hbp_tree *tree;
	int64_t bps;
	size_t t;

	for (t = 0; t < f->plan->n_trees; t++) {
		tree = &f->plan->trees[t];
		if (f->part[t] >= 1)
			continue;
		bps = (int64_t)((double)tree->rate_bps * f->part[t] * (1 - ROUNDING));
		tree->rate_bps = bps > 1 ? bps : 1;
	}
}

/**
 * hbp_fitting_run() - lower rates that links cannot carry
 * @platform: the platform
 * @plan: a plan that hbp_plan_check() has accepted, whose nodes are the hosts of the
 *	platform; rates of trees become lower, or stay
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if an edge has no route; -ENOMEM.
 */
int hbp_fitting_run(const struct hbp_platform *platform, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	struct hbp_ways *ways = hbp_ways_alloc(platform);
	struct fitting f = {
		.platform = platform, .plan = plan,
		.load = calloc(platform->n_links, sizeof(double)),
		.rising = calloc(platform->n_links, sizeof(double)),
		.full = calloc(platform->n_links, sizeof(bool))
	};
	int ret = 0;

	if (!ways || !f.load || !f.rising || !f.full)
		ret = hbp_nomem(err);
	else
		ret = find_loads(&f, ways, err);
	if (!ret) {
		fit(&f);
		lower(&f);
	}
	hbp_ways_free(ways);
	free(f.loads);
	free(f.load);
	free(f.rising);
	free(f.full);
	return ret;
}
