// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fluid model of one tree on a platform. All edges of the tree stream at
 * once. The rates of all edges rise together; when a link is full, the edges
 * that pass it stop rising, and with them everything below them, since nobody
 * can send on faster than it receives. This is the max-min fair share of every
 * edge among those that a parent could feed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fluid.h"
#include "node.h"
#include "route.h"
#include "units.h"

/* Shares of a link that differ by less than this are one level. */
#define SAME_LEVEL	(1 / 1e9)

struct fluid {
	const struct hbp_platform *platform;
	const struct hbp_tree *tree;
	const size_t *parents;
	size_t *first;		/* of each edge: its links in @passed */
	size_t *passed;		/* indices of links */
	size_t room;
	int64_t *latency_ns;	/* of each edge's route */
	double *rate;		/* of each edge once it has stopped rising, else 0 */
	double *load;		/* of each link, by the edges that have stopped */
	size_t *rising;		/* of each link, how many edges still rise */
	struct hbp_routes *routes;
};

static int add_route(struct fluid *f, size_t edge, size_t to,
		     struct hbp_error *err)
{
	size_t link, at = to, n = f->first[edge], room, *passed;

	while (at != f->routes->source) {
		link = f->routes->last[at];
		if (n == f->room) {
			room = f->room ? 2 * f->room : 64;
			passed = realloc(f->passed, room * sizeof(*passed));
			if (!passed)
				return hbp_nomem(err);
			f->passed = passed;
			f->room = room;
		}
		f->passed[n++] = link;
		f->rising[link]++;
		at = f->platform->links[link].from;
	}
	f->first[edge + 1] = n;
	f->latency_ns[edge] = f->routes->latency_ns[to];
	return 0;
}

/* Edges of one parent stand together, so routes are found once a parent. */
static int find_routes(struct fluid *f, struct hbp_error *err)
{
	const struct hbp_edge *edge;
	size_t i, from, to;
	int ret = 0;

	for (i = 0; !ret && i < f->tree->n_edges; i++) {
		edge = &f->tree->edges[i];
		from = hbp_platform_find(f->platform, edge->parent);
		to = hbp_platform_find(f->platform, edge->child);
		if (!i || edge->parent != edge[-1].parent)
			hbp_routes_find(f->platform, from, false, f->routes);
		if (f->routes->last[to] == HBP_NONE)
			return hbp_fail(err, -EINVAL,
					"links: no route leads from node %u to node %u without passing another host",
					edge->parent, edge->child);
		ret = add_route(f, i, to, err);
	}
	return ret;
}

/* The share at which the next link is full. */
static double next_level(const struct fluid *f)
{
	double share, level = -1;
	size_t i;

	for (i = 0; i < f->platform->n_links; i++) {
		if (!f->rising[i])
			continue;
		share = ((double)f->platform->links[i].bandwidth_bps -
			 f->load[i]) / (double)f->rising[i];
		if (level < 0 || share < level)
			level = share;
	}
	return level;
}

static bool is_full(const struct fluid *f, size_t link, double level)
{
	double free_bps = (double)f->platform->links[link].bandwidth_bps -
			  f->load[link];

	return free_bps <= level * (double)f->rising[link] * (1 + SAME_LEVEL);
}

/* Stops the edges that pass a full link or hang below a stopped edge. */
static void stop_edges(struct fluid *f, double level, bool *full)
{
	size_t i, p;

	for (i = 0; i < f->platform->n_links; i++)
		full[i] = f->rising[i] && is_full(f, i, level);
	for (i = 0; i < f->tree->n_edges; i++) {
		bool stop = f->parents[i] && f->rate[f->parents[i] - 1] > 0;

		if (f->rate[i] > 0)
			continue;
		for (p = f->first[i]; !stop && p < f->first[i + 1]; p++)
			stop = full[f->passed[p]];
		if (!stop)
			continue;
		f->rate[i] = level;
		for (p = f->first[i]; p < f->first[i + 1]; p++) {
			f->load[f->passed[p]] += level;
			f->rising[f->passed[p]]--;
		}
	}
}

static void fill_figures(const struct fluid *f, uint64_t bytes,
			 struct hbp_figure *figures)
{
	int64_t *since = f->latency_ns, ns;
	size_t i;

	for (i = 0; i < f->tree->n_edges; i++) {
		/* From here on the latency of the whole path. */
		if (f->parents[i])
			since[i] = hbp_ns_add(since[i], since[f->parents[i] - 1]);
		/* Rounded down, as bounds are whole; forgiving what 2/3 costs. */
		figures[i].rate_bps = (int64_t)(f->rate[i] + 0.001);
		if (figures[i].rate_bps < 1)
			figures[i].rate_bps = 1;
		ns = hbp_transfer_ns(bytes, figures[i].rate_bps);
		figures[i].completion_ns = hbp_ns_add(since[i], ns);
	}
}

static int fluid_alloc(struct fluid *f)
{
	size_t m = f->platform->n_links, n = f->tree->n_edges;

	f->first = calloc(n + 1, sizeof(*f->first));
	f->latency_ns = calloc(n, sizeof(*f->latency_ns));
	f->rate = calloc(n, sizeof(*f->rate));
	f->load = calloc(m, sizeof(*f->load));
	f->rising = calloc(m, sizeof(*f->rising));
	f->routes = hbp_routes_alloc(f->platform);
	return f->first && f->latency_ns && f->rate && f->load && f->rising &&
	       f->routes ? 0 : -ENOMEM;
}

/**
 * hbp_fluid() - the fluid model
 * @platform: the platform
 * @tree: a tree in order that spans the hosts of @platform
 * @parents: from hbp_tree_parents()
 * @bytes: message size
 * @figures: receives rate and completion of the child of every edge
 * @err: receives the reason of a failure
 *
 * A node completes after the latencies of all routes on its way from the root,
 * plus the message over the smallest rate on this way, which is the last.
 * Slower branches do not slow the faster ones: what a real relay whose queues
 * are bounded does to a message far longer than the queues is that all nodes
 * receive at the smallest of these rates.
 *
 * Return: 0; -EINVAL if an edge has no route; -ENOMEM.
 */
int hbp_fluid(const struct hbp_platform *platform, const struct hbp_tree *tree,
	      const size_t *parents, uint64_t bytes, struct hbp_figure *figures,
	      struct hbp_error *err)
{
	struct fluid f = {
		.platform = platform, .tree = tree, .parents = parents
	};
	bool *full = calloc(platform->n_links, sizeof(*full));
	double level;
	int ret;

	ret = full && !fluid_alloc(&f) ? find_routes(&f, err) : hbp_nomem(err);
	if (!ret) {
		while ((level = next_level(&f)) >= 0)
			stop_edges(&f, level, full);
		fill_figures(&f, bytes, figures);
	}
	hbp_routes_free(f.routes);
	free(f.first);
	free(f.passed);
	free(f.latency_ns);
	free(f.rate);
	free(f.load);
	free(f.rising);
	free(full);
	return ret;
}
