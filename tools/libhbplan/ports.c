// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one-port and multi-port models of a plan (paper 001): messages follow each
 * other without end, and what is busiest, a port or a link, sets the pace of all.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "bound.h"
#include "cuts.h"
#include "fluid.h"
#include "node.h"
#include "ports.h"
#include "stages.h"
#include "steady.h"
#include "units.h"

/* What is busy for less than this beyond all the time is not overloaded. */
#define ROUNDING	(1 / 1e8)
/* Rates that differ by less, as a part of them, are the same. */
#define EXACT		(1 / 1e12)

struct pace {
	const struct hbp_plan *plan;
	const struct hbp_input *in;
	const struct hbp_steady *steady;
	struct hbp_fluid *fluid;
	double weight[HBP_PLAN_TREES_MAX];	/* Mbit/s */
	double *load;		/* of each row */
	struct hbp_error *err;
};

/* Adds what one edge keeps busy, and its delay. */
static int add_edge(struct pace *p, size_t t, const struct hbp_edge *edge,
		    size_t at)
{
	const struct hbp_steady *s = p->steady;
	size_t from = hbp_input_find(p->in, edge->parent);
	size_t to = hbp_input_find(p->in, edge->child);
	const struct hbp_platform *platform = p->in->platform;
	size_t arc = hbp_steady_arc(s, from, to), u;
	struct hbp_uses of;
	bool way = true;
	int64_t ns = 0;

	if (arc == HBP_NONE)
		return hbp_fail(p->err, -EINVAL,
				"%s: %s sends from node %u to node %u, which have no link",
				p->in->platform ? "links" : "bandwidth_mbps",
				p->plan->algorithm, edge->parent, edge->child);
	of = hbp_steady_uses(s, arc);
	for (u = 0; u < of.n; u++) {
		p->load[of.rows[u]] += p->weight[t] * of.uses[u];
		/* Behind the ports are links that only acknowledgements pass. */
		way = way && platform && of.rows[u] < platform->n_links;
		if (way)
			ns = hbp_ns_add(ns, platform->links[of.rows[u]].latency_ns);
	}
	if (!platform)
		ns = hbp_costs_delay_ns(p->in->costs, from, to);
	p->fluid->since_ns[at] = hbp_ns_add(p->fluid->since_ns[at], ns);
	return 0;
}

static int add_tree(struct pace *p, size_t t, size_t start)
{
	const struct hbp_tree *tree = &p->plan->trees[t];
	size_t *parents = calloc(tree->n_edges, sizeof(*parents)), i, above;
	int ret = 0;

	if (!parents)
		return hbp_nomem(p->err);
	hbp_tree_parents(tree, tree->root, parents);
	for (i = 0; !ret && i < tree->n_edges; i++) {
		above = parents[i] ? start + parents[i] - 1 : HBP_NONE;
		p->fluid->tree[start + i] = t;
		p->fluid->above[start + i] = above;
		p->fluid->since_ns[start + i] =
			above == HBP_NONE ? 0 : p->fluid->since_ns[above];
		ret = add_edge(p, t, &tree->edges[i], start + i);
	}
	free(parents);
	return ret;
}

/* As fast as planned, or as what is busiest allows. */
static void set_rates(struct pace *p, bool planned)
{
	double most = 0, scale;
	size_t i;

	for (i = 0; i < p->steady->n_rows; i++)
		most = p->load[i] > most ? p->load[i] : most;
	scale = planned && most <= 1 + ROUNDING ? 1 : 1 / most;
	for (i = 0; i < p->fluid->n; i++)
		p->fluid->rate[i] = p->weight[p->fluid->tree[i]] * scale * 1e6;
}

static int fill(struct pace *p)
{
	const struct hbp_plan *plan = p->plan;
	bool planned = plan->n_trees > 1;
	size_t t, start = 0;
	int ret = 0;

	for (t = 0; t < plan->n_trees; t++)
		planned = planned && plan->trees[t].rate_bps;
	for (t = 0; !ret && t < plan->n_trees; t++) {
		p->weight[t] = planned ?
			       hbp_mbps_from_bps(plan->trees[t].rate_bps) : 1;
		ret = add_tree(p, t, start);
		start += plan->trees[t].n_edges;
	}
	if (!ret)
		set_rates(p, planned);
	return ret;
}

/**
 * hbp_ports_run() - the one-port or multi-port model
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the input, whose members are the plan's nodes
 * @ports: which of the models
 * @figures: the nodes but the root, with ids, in any order; filled and put into
 *	ascending order of id
 * @err: receives the reason of a failure
 *
 * A plan of one tree is as fast as its busiest port or link allows. So are
 * several trees, all slowed down alike, if together they are planned too fast.
 * The stages are those of hbp_stages().
 *
 * Return: 0; -EINVAL if a pair has no link; -ENOMEM.
 */
int hbp_ports_run(const struct hbp_plan *plan, struct hbp_input *in,
		  enum hbp_ports ports, struct hbp_figure *figures,
		  struct hbp_error *err)
{
	struct hbp_fluid fluid = { 0 };
	struct pace p = {
		.plan = plan, .in = in, .fluid = &fluid, .err = err
	};
	struct hbp_steady *steady;
	size_t t;
	int ret;

	ret = hbp_steady_switched(in, ports, &steady, err);
	if (ret)
		return ret;
	p.steady = steady;
	for (t = 0; t < plan->n_trees; t++)
		fluid.n += plan->trees[t].n_edges;
	fluid.tree = calloc(fluid.n, sizeof(*fluid.tree));
	fluid.above = calloc(fluid.n, sizeof(*fluid.above));
	fluid.rate = calloc(fluid.n, sizeof(*fluid.rate));
	fluid.since_ns = calloc(fluid.n, sizeof(*fluid.since_ns));
	p.load = calloc(steady->n_rows, sizeof(*p.load));
	if (!fluid.tree || !fluid.above || !fluid.rate || !fluid.since_ns ||
	    !p.load)
		ret = hbp_nomem(err);
	else
		ret = fill(&p);
	if (!ret) {
		hbp_node_sort(figures, plan->trees[0].n_edges, sizeof(*figures));
		ret = hbp_stages(plan, &fluid, figures, err);
	}
	hbp_fluid_clear(&fluid);
	hbp_steady_free(steady);
	free(p.load);
	return ret;
}

/**
 * hbp_ports_bounds() - the earliest that each member can have the message
 * @in: the input
 * @root: id of the root, a member that reaches all others
 * @bytes: message size
 * @ports: which of the models
 * @bounds: receives nanoseconds for each member of @in, 0 for the root
 * @err: receives the reason of a failure
 *
 * The message over what the root can send to all, or over what the member can
 * receive from all, whichever is less, plus the least sum of delays.
 *
 * Return: 0; -EINVAL as hbp_bounds(); -ENOMEM.
 */
int hbp_ports_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
		     enum hbp_ports ports, int64_t *bounds,
		     struct hbp_error *err)
{
	size_t at = hbp_input_find(in, root), i;
	struct hbp_steady *steady;
	double *rates, mbps;
	int64_t ns;
	int ret;

	ret = hbp_distances(in, root, bytes, bounds, err);
	if (!ret)
		ret = hbp_steady_switched(in, ports, &steady, err);
	if (ret)
		return ret;
	rates = calloc(in->n, sizeof(*rates));
	ret = rates ? hbp_cuts_rates(steady, at, rates, err) : hbp_nomem(err);
	for (i = 0; !ret && i < in->n; i++) {
		mbps = rates[i] < rates[at] ? rates[i] : rates[at];
		/* Rounded up, as it must hold; whole ones stay as they are. */
		if (i == at)
			continue;
		ns = hbp_transfer_ns(bytes, (int64_t)ceil(mbps * 1e6 * (1 - EXACT)));
		bounds[i] = hbp_ns_add(bounds[i], ns);
	}
	free(rates);
	hbp_steady_free(steady);
	return ret;
}
