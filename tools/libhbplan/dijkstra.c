// SPDX-License-Identifier: GPL-2.0-or-later
/* dijkstra: the widest pair next (paper 003, sections 2.2 and 4). */
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "planners.h"

struct reach {
	int64_t bps;		/* from @sender, 0 if nobody reaches it yet */
	size_t sender;
	bool placed;
};

static void place(const struct hbp_costs *costs, struct reach *r, size_t node)
{
	int64_t bps;
	size_t i;

	r[node].placed = true;
	for (i = 0; i < costs->n; i++) {
		bps = costs->bandwidth_bps[node * costs->n + i];
		if (i == node || r[i].placed || bps < r[i].bps ||
		    (bps == r[i].bps && (!bps || node > r[i].sender)))
			continue;
		r[i].bps = bps;
		r[i].sender = node;
	}
}

static size_t widest(const struct hbp_costs *costs, const struct reach *r)
{
	size_t best = HBP_NONE, i;

	for (i = 0; i < costs->n; i++)
		if (!r[i].placed && r[i].bps &&
		    (best == HBP_NONE || r[i].bps > r[best].bps))
			best = i;
	return best;
}

static int dijkstra_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	const struct hbp_costs *costs;
	struct reach *r;
	size_t to;
	int ret;

	ret = hbp_input_costs(rq->in, &costs, err);
	if (ret)
		return ret;
	r = calloc(costs->n, sizeof(*r));
	if (!r)
		return hbp_nomem(err);
	place(costs, r, hbp_costs_find(costs, rq->root));
	while (!ret && (to = widest(costs, r)) != HBP_NONE) {
		ret = hbp_tree_add(tree, costs->nodes[r[to].sender].id,
				   costs->nodes[to].id, err);
		place(costs, r, to);
	}
	free(r);
	return ret;
}

/*
 * The greedy tree of wide pairs.
 *
 * Paper 003, sections 2.2 (its reference 8) and 4: of all nodes that the tree
 * does not have yet, the one that some node of the tree reaches with the largest
 * bandwidth comes next, below that node. Bandwidth is the pair's own, as if it
 * were alone; what the sender itself receives does not count, since otherwise
 * all behind a narrow link would be alike.
 */
const struct hbp_planner hbp_dijkstra = {
	.name = "dijkstra",
	.paper = "003 sections 2.2 and 4",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: the widest pair comes next",
	.make = dijkstra_make,
};
