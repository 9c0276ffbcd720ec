// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan is rehearsed: all edges of it are used at once, each at its planned rate. An edge
 * does not wait for the one above it, so that each shows what its own way carries.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/rehearsal.h"
#include "node.h"
#include "units.h"
#include "ways.h"
#include "wire.h"

static int compare_edges(const void *a, const void *b)
{
	const struct hbp_rehearsed *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Trees that use the same edge are one flow there. */
static void add_up(struct hbp_rehearsal *r)
{
	struct hbp_rehearsed *edge, *last = r->edges;
	size_t i;

	qsort(r->edges, r->n, sizeof(*r->edges), compare_edges);
	for (i = 1; i < r->n; i++) {
		edge = &r->edges[i];
		if (compare_edges(last, edge))
			*++last = *edge;
		else
			last->planned_mbps += edge->planned_mbps;
	}
	r->n = (size_t)(last - r->edges) + 1;
}

static int add_tree(struct hbp_rehearsal *r, const struct hbp_plan *plan,
		    const struct hbp_tree *tree, struct hbp_error *err)
{
	const struct hbp_edge *edge;
	int64_t bps;

	for (edge = tree->edges; edge < tree->edges + tree->n_edges; edge++) {
		bps = hbp_plan_edge_rate(plan, tree, edge->child);
		if (!bps)
			return hbp_fail(err, -EINVAL,
					"trees: slot %u has no rate_mbps to rehearse: plan with a planner that gives rates",
					tree->slot);
		r->edges[r->n++] = (struct hbp_rehearsed){
			.from = edge->parent, .to = edge->child, .mtu = HBP_MTU,
			.planned_mbps = hbp_mbps_from_bps(bps),
		};
	}
	return 0;
}

/* How large segments are on the way of each edge. */
static int find_mtus(struct hbp_rehearsal *r, const struct hbp_platform *platform,
		     struct hbp_error *err)
{
	struct hbp_ways *ways = hbp_ways_alloc(platform);
	struct hbp_rehearsed *edge;
	int ret = ways ? 0 : hbp_nomem(err);

	for (edge = r->edges; !ret && edge < r->edges + r->n; edge++) {
		ret = hbp_ways_edge(ways, edge->from, edge->to, err);
		edge->mtu = ways->mtu;
	}
	hbp_ways_free(ways);
	return ret;
}

/**
 * hbp_rehearsal_list() - list a plan's edges
 * @plan: a plan that hbp_plan_check() has accepted
 * @platform: has all its nodes; NULL if it is not known
 * @rehearsal: receives them, nothing of which is reached; to be released with
 *	hbp_rehearsal_clear()
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a tree has no rate, or there is no way for one of them; -ENOMEM.
 */
int hbp_rehearsal_list(const struct hbp_plan *plan, const struct hbp_platform *platform,
		       struct hbp_rehearsal *rehearsal, struct hbp_error *err)
{
	size_t t, n = 0;
	int ret = 0;

	for (t = 0; t < plan->n_trees; t++)
		n += plan->trees[t].n_edges;
	rehearsal->n = 0;
	rehearsal->edges = calloc(n, sizeof(*rehearsal->edges));
	if (!rehearsal->edges)
		return hbp_nomem(err);
	for (t = 0; !ret && t < plan->n_trees; t++)
		ret = add_tree(rehearsal, plan, &plan->trees[t], err);
	if (!ret)
		add_up(rehearsal);
	if (!ret && platform)
		ret = find_mtus(rehearsal, platform, err);
	if (ret)
		hbp_rehearsal_clear(rehearsal);
	return ret;
}

/* What is told of frames, of payload; and what two segments are of it. */
static void take_flow(struct hbp_rehearsed *edge, const struct hbp_flow *flow)
{
	double frames = hbp_wire_frames(edge->mtu);
	double grain = HBP_SEGMENTS_PER_ACK * (edge->mtu + HBP_LINK_HEADER) / frames;

	edge->reached_mbps = hbp_flow_mbps(flow) / frames;
	edge->grain_mbps = flow->looked_s > 0 ? grain * 8 / 1e6 / flow->looked_s : 0;
}

/**
 * struct running - a rehearsal that goes on
 * @rehearsal: the edges
 * @flows: what each of them is
 */
struct running {
	struct hbp_rehearsal *rehearsal;
	struct hbp_flow *flows;
};

static void take_flows(const struct running *r)
{
	size_t i;

	for (i = 0; i < r->rehearsal->n; i++)
		take_flow(&r->rehearsal->edges[i], &r->flows[i]);
}

static bool is_good(void *of)
{
	const struct running *r = of;

	take_flows(r);
	return hbp_rehearsal_good(r->rehearsal);
}

/**
 * hbp_rehearsal_run() - use all edges at once
 * @rehearsal: from hbp_rehearsal_list(); what is reached is filled in
 * @ids: of the hosts of @prober, ascending; all nodes of the plan are among them
 * @n: how many
 * @prober: the network
 *
 * Return: 0, also where edges have reached nothing; -ENOMEM; what the prober says.
 */
int hbp_rehearsal_run(struct hbp_rehearsal *rehearsal, const uint32_t *ids, size_t n,
		      const struct hbp_prober *prober)
{
	struct running r = {
		.rehearsal = rehearsal, .flows = calloc(rehearsal->n, sizeof(*r.flows)),
	};
	struct hbp_rehearsed *edge;
	size_t i;
	int ret;

	if (!r.flows)
		return -ENOMEM;
	for (i = 0; i < rehearsal->n; i++) {
		edge = &rehearsal->edges[i];
		r.flows[i] = (struct hbp_flow){
			.from = hbp_node_find(ids, n, sizeof(*ids), edge->from),
			.to = hbp_node_find(ids, n, sizeof(*ids), edge->to),
			.rate_mbps = edge->planned_mbps * hbp_wire_frames(edge->mtu),
		};
	}
	ret = prober->rates(prober->arg, r.flows, rehearsal->n, is_good, &r);
	if (!ret)
		take_flows(&r);
	free(r.flows);
	return ret;
}

/**
 * hbp_rehearsed_short() - whether an edge falls short
 * @edge: the edge
 *
 * A slow edge brings so few segments in a second that one of them is a tenth of its rate.
 *
 * Return: whether it has reached nothing, or less than HBP_REHEARSED of its planned rate,
 * also if the segments that come next are counted.
 */
bool hbp_rehearsed_short(const struct hbp_rehearsed *edge)
{
	return !(edge->reached_mbps > 0) ||
	       edge->reached_mbps + edge->grain_mbps < HBP_REHEARSED * edge->planned_mbps;
}

/**
 * hbp_rehearsal_good() - whether a plan can be trusted
 * @rehearsal: all its edges
 *
 * Return: whether none falls short.
 */
bool hbp_rehearsal_good(const struct hbp_rehearsal *rehearsal)
{
	size_t i;

	for (i = 0; i < rehearsal->n; i++)
		if (hbp_rehearsed_short(&rehearsal->edges[i]))
			return false;
	return true;
}

/**
 * hbp_rehearsal_clear() - release what a rehearsal owns
 * @rehearsal: the rehearsal
 */
void hbp_rehearsal_clear(struct hbp_rehearsal *rehearsal)
{
	free(rehearsal->edges);
	memset(rehearsal, 0, sizeof(*rehearsal));
}
