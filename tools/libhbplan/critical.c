// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Critical paths: the transfers that a node has waited for, one after the other.
 * Where a node sends to all children at once, these are the edges that lead to
 * it; where it sends to one child after the other, also those to the children
 * that came before.
 */
#include <stdlib.h>

#include "critical.h"
#include "plan.h"
#include "units.h"
#include "wormhole.h"

/* The edges from the root to a node, in this order. */
static size_t list_edges(const struct hbp_tree *tree, uint32_t node,
			 struct hbp_edge *edges)
{
	size_t n = 0, i, k;
	struct hbp_edge e;

	/* Parents come before their children. */
	for (i = tree->n_edges; i-- > 0;) {
		if (tree->edges[i].child != node)
			continue;
		edges[n++] = tree->edges[i];
		node = tree->edges[i].parent;
	}
	for (i = 0, k = n; i + 1 < k; i++) {
		e = edges[i];
		edges[i] = edges[--k];
		edges[k] = e;
	}
	return n;
}

/* What a transfer consists of: of a message of no length if @bytes is 0. */
static void split(const struct hbp_input *in, const struct hbp_costs *costs,
		  uint64_t bytes, struct hbp_hop *hop)
{
	size_t from = hbp_input_find(in, hop->from);
	size_t to = hbp_input_find(in, hop->to);
	size_t cell;

	if (in->hnow) {
		hop->send_ns = hbp_hnow_send_ns(in->hnow, from, bytes);
		hop->latency_ns = hbp_hnow_trans_ns(in->hnow, from, to, 0);
		hop->transfer_ns = hbp_hnow_trans_ns(in->hnow, from, to, bytes) -
				   hop->latency_ns;
		hop->recv_ns = hbp_hnow_recv_ns(in->hnow, to, bytes);
		return;
	}
	cell = from * costs->n + to;
	hop->send_ns = costs->nodes[from].send_overhead_ns;
	hop->latency_ns = costs->latency_ns[cell];
	if (bytes)
		hop->transfer_ns = hbp_transfer_ns(bytes, costs->bandwidth_bps[cell]);
	hop->recv_ns = costs->nodes[to].recv_overhead_ns;
}

/**
 * hbp_critical_path() - what a node has waited for
 * @plan: a plan that hbp_evaluate() has taken by this model
 * @in: the network; its cost matrix may be made
 * @model: HBP_MODEL_COMPLETION, HBP_MODEL_PATH or HBP_MODEL_HNOW
 * @node: id of the node, none of the sources
 * @path: receives its hops, to be released with free(); they add up to when the
 *	model says that the node is done, but for rounding
 * @err: receives the reason of a failure
 *
 * Return: 0; what hbp_input_costs() returns; -ENOMEM.
 */
int hbp_critical_path(const struct hbp_plan *plan, struct hbp_input *in,
		      enum hbp_model model, uint32_t node,
		      struct hbp_path *path, struct hbp_error *err)
{
	struct hbp_edge *edges = calloc(2 * in->n, sizeof(*edges));
	const struct hbp_costs *costs = NULL;
	struct hbp_hop *hop;
	uint64_t bytes = 0;
	int64_t ns = 0;
	size_t i;
	int ret;

	path->n = 0;
	path->hops = calloc(2 * in->n, sizeof(*path->hops));
	ret = edges && path->hops ? 0 : hbp_nomem(err);
	if (!ret)
		ret = hbp_input_costs(in, &costs, err);
	if (!ret && model == HBP_MODEL_HNOW)
		ret = hbp_wormhole_path(plan, in, node, edges, &path->n, err);
	else if (!ret)
		path->n = list_edges(&plan->trees[0], node, edges);
	if (model != HBP_MODEL_PATH)
		bytes = hbp_wormhole_bytes(plan);
	for (i = 0; !ret && i < path->n; i++) {
		hop = &path->hops[i];
		hop->from = edges[i].parent;
		hop->to = edges[i].child;
		split(in, costs, bytes, hop);
		ns = hbp_ns_add(ns, hop->send_ns);
		ns = hbp_ns_add(ns, hop->latency_ns);
		ns = hbp_ns_add(ns, hop->transfer_ns);
		ns = hbp_ns_add(ns, hop->recv_ns);
		hop->done_ns = ns;
	}
	if (ret) {
		free(path->hops);
		path->hops = NULL;
	}
	free(edges);
	return ret;
}
