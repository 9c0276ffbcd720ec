// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links that keep plans from being faster: those with a price in the dual of the
 * linear program whose solution is the fastest set of trees, those of the least cuts
 * between the root and each host, and those that plans fill although only one test has
 * shown what they carry.
 */
#include <errno.h>
#include <stdlib.h>

#include "input.h"
#include "measure/binding.h"
#include "node.h"
#include "plan.h"
#include "planners.h"
#include "units.h"

#define BYTES	((uint64_t)1 << 30)	/* of a message: latency hardly counts */

#define FULL	0.95	/* of what a link carries: a plan fills it */
#define CERTAIN	2	/* tests that have shown it: one of them may have been lucky */

/* The platform's node of an id: hosts and switches have theirs in ascending order. */
static size_t node_of(const struct hbp_inferred *inferred, uint32_t id)
{
	size_t low = 0, high = inferred->sketch->n_hosts * (1 + HBP_INFERRED_SWITCHES), middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (hbp_inferred_id(inferred, middle) <= id)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void mark(const struct hbp_inferred *inferred, uint32_t from, uint32_t to,
		 bool *arcs)
{
	arcs[hbp_inferred_arc(inferred, node_of(inferred, from), node_of(inferred, to))] = true;
}

/* What the plan sends over each arc, in Mbit/s; @path has room for the longest way. */
static void add_loads(const struct hbp_inferred *inferred, const struct hbp_plan *plan,
		      size_t *path, double *mbps)
{
	const struct hbp_edge *edge;
	const struct hbp_tree *tree;
	double rate;
	size_t n;

	for (tree = plan->trees; tree < plan->trees + plan->n_trees; tree++)
		for (edge = tree->edges; edge < tree->edges + tree->n_edges; edge++) {
			n = hbp_sketch_path(inferred->sketch, node_of(inferred, edge->parent),
					    node_of(inferred, edge->child), path);
			rate = hbp_mbps_from_bps(hbp_plan_edge_rate(plan, tree, edge->child));
			while (n--)
				mbps[path[n]] += rate;
		}
}

/* A link that carries less than is known would hold up the whole of a tree. */
static int mark_full(const struct hbp_inferred *inferred, const struct hbp_plan *plan,
		     bool *arcs)
{
	const struct hbp_sketch *sketch = inferred->sketch;
	double *mbps = calloc(hbp_arcs(sketch), sizeof(*mbps));
	size_t *path = calloc(sketch->n + 2, sizeof(*path)), i;
	int ret = mbps && path ? 0 : -ENOMEM;
	const struct hbp_capacity *c;

	if (!ret)
		add_loads(inferred, plan, path, mbps);
	for (i = 2; !ret && i < 2 * sketch->n; i++) {
		c = hbp_sketch_capacity(sketch, i);
		if (c->tests < CERTAIN && mbps[i] >= FULL * c->mbps)
			arcs[i] = true;
	}
	free(path);
	free(mbps);
	return ret;
}

/*
 * What the planner's certificate names, and what its plan fills; nothing if it does not take
 * such a network.
 */
static int mark_by(const struct hbp_planner *planner,
		   const struct hbp_inferred *inferred, const struct hbp_request *rq,
		   bool *arcs, struct hbp_error *err)
{
	const struct hbp_certificate *c;
	struct hbp_plan *plan;
	int ret = hbp_plan_make(planner, rq, &plan, err);
	size_t i, k;

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	c = plan->certificate;
	for (i = 0; c && i < c->n_prices; i++)
		if (c->prices[i].what == HBP_PRICED_LINK)
			mark(inferred, c->prices[i].from, c->prices[i].to, arcs);
	for (i = 0; c && i < c->n_cuts; i++)
		for (k = 0; k < c->cuts[i].n_links; k++)
			mark(inferred, c->cuts[i].links[k].parent,
			     c->cuts[i].links[k].child, arcs);
	ret = mark_full(inferred, plan, arcs);
	hbp_plan_free(plan);
	return ret;
}

/**
 * hbp_binding_find() - find the links that keep plans from being faster
 * @inferred: a network, of two hosts or more, with capacities
 * @root: id of the host that sends
 * @arcs: hbp_arcs() entries; those of the links become true
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_binding_find(const struct hbp_inferred *inferred, uint32_t root, bool *arcs,
		     struct hbp_error *err)
{
	static const struct hbp_planner *const planners[] = {
		&hbp_mtp, &hbp_stable_graph, &hbp_stable
	};
	struct hbp_request rq = { .root = root, .message_bytes = BYTES };
	struct hbp_platform *platform;
	size_t i;
	int ret;

	ret = hbp_inferred_platform(inferred, &platform, err);
	if (ret)
		return ret;
	ret = hbp_input_make("network", NULL, platform, &rq.in, err);
	if (ret)
		return ret;
	for (i = 0; !ret && i < sizeof(planners) / sizeof(planners[0]); i++)
		ret = mark_by(planners[i], inferred, &rq, arcs, err);
	hbp_input_free(rq.in);
	return ret;
}
