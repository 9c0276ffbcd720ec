// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links that keep plans from being faster: those with a price in the dual of the
 * linear program whose solution is the fastest set of trees, and those of the least
 * cuts between the root and each host.
 */
#include <errno.h>

#include "input.h"
#include "measure/binding.h"
#include "node.h"
#include "plan.h"
#include "planners.h"

#define BYTES	((uint64_t)1 << 30)	/* of a message: latency hardly counts */

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

/* What the planner's certificate names; nothing if it does not take such a network. */
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
	hbp_plan_free(plan);
	return 0;
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
	struct hbp_request rq = { .root = root, .message_bytes = BYTES };
	struct hbp_platform *platform;
	int ret;

	ret = hbp_inferred_platform(inferred, &platform, err);
	if (ret)
		return ret;
	ret = hbp_input_make("network", NULL, platform, &rq.in, err);
	if (ret)
		return ret;
	ret = mark_by(&hbp_mtp, inferred, &rq, arcs, err);
	if (!ret)
		ret = mark_by(&hbp_stable_graph, inferred, &rq, arcs, err);
	hbp_input_free(rq.in);
	return ret;
}
