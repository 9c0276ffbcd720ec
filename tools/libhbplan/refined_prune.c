// SPDX-License-Identifier: GPL-2.0-or-later
/* refined-prune: who has most to send loses its slowest child (paper 001). */
#include <stdlib.h>

#include "node.h"
#include "prune.h"
#include "units.h"

struct refine {
	struct hbp_prune prune;
	int64_t *ns;
	int64_t *sum_ns;	/* of each node: its weighted out-degree */
	bool *kept;		/* arcs that cannot go */
};

/* A node's slowest arc that may still go, of several the lowest receiver. */
static size_t slowest(const struct refine *r, size_t node)
{
	size_t best = HBP_NONE, i;

	for (i = r->prune.first[node]; i < r->prune.first[node + 1]; i++)
		if (r->prune.there[i] && !r->kept[i] &&
		    (best == HBP_NONE || r->ns[i] > r->ns[best]))
			best = i;
	return best;
}

/* Of the nodes with such an arc, that of the largest out-degree, then lowest id. */
static size_t next_arc(const struct refine *r, const size_t *arcs)
{
	size_t best = HBP_NONE, node;

	for (node = 0; node < r->prune.steady->n; node++)
		if (arcs[node] != HBP_NONE &&
		    (best == HBP_NONE || r->sum_ns[node] > r->sum_ns[best]))
			best = node;
	return best;
}

static void refine(struct refine *r, size_t *arcs)
{
	size_t node, arc;

	for (node = 0; node < r->prune.steady->n; node++)
		arcs[node] = slowest(r, node);
	while ((node = next_arc(r, arcs)) != HBP_NONE) {
		arc = arcs[node];
		/* What cannot go now never can, so it need not be tried again. */
		if (hbp_prune_arc(&r->prune, arc))
			r->sum_ns[node] -= r->ns[arc];
		else
			r->kept[arc] = true;
		arcs[node] = slowest(r, node);
	}
}

static int run(struct refine *r, const struct hbp_request *rq,
	       struct hbp_plan *plan, struct hbp_error *err)
{
	const struct hbp_steady *s = r->prune.steady;
	size_t *arcs = calloc(s->n, sizeof(*arcs)), i, from;

	if (!arcs)
		return hbp_nomem(err);
	for (i = 0; i < s->n_arcs; i++) {
		from = s->arcs[i].from;
		/* So that no sum is too large, each is at most a part of it. */
		if (r->ns[i] > HBP_NS_MAX / (int64_t)s->n)
			r->ns[i] = HBP_NS_MAX / (int64_t)s->n;
		r->sum_ns[from] += r->ns[i];
	}
	refine(r, arcs);
	free(arcs);
	return hbp_prune_tree(&r->prune, rq->in->members, plan, err);
}

static int refined_make(const struct hbp_request *rq, struct hbp_plan *plan,
			struct hbp_error *err)
{
	struct hbp_steady *steady;
	struct refine r = { 0 };
	int ret;

	ret = hbp_steady_alloc(rq->in, rq->ports, &steady, err);
	if (ret)
		return ret;
	r.ns = hbp_steady_times(steady);
	r.sum_ns = calloc(steady->n, sizeof(*r.sum_ns));
	r.kept = calloc(steady->n_arcs, sizeof(*r.kept));
	if (!r.ns || !r.sum_ns || !r.kept)
		ret = hbp_nomem(err);
	else
		ret = hbp_prune_begin(&r.prune, steady,
				      hbp_input_find(rq->in, rq->root), NULL,
				      err);
	if (!ret)
		ret = run(&r, rq, plan, err);
	hbp_prune_end(&r.prune);
	hbp_steady_free(steady);
	free(r.ns);
	free(r.sum_ns);
	free(r.kept);
	return ret;
}

/*
 * Refined platform pruning.
 *
 * Paper 001, platform-based heuristics, one-port. Of the node with the largest
 * weighted out-degree the slowest edge goes that can; if none can, of the node
 * with the next largest; and so on until a tree is left.
 */
const struct hbp_planner hbp_refined_prune = {
	.name = "refined-prune",
	.paper = "001 one-port heuristics",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: nobody has much to send",
	.most_work = HBP_PRUNE_WORK_MAX,
	.make = refined_make,
};
