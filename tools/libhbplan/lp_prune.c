// SPDX-License-Identifier: GPL-2.0-or-later
/* lp-prune: what carries least in the best set of trees goes (paper 001). */
#include <stdlib.h>

#include "messages.h"
#include "prune.h"

static int prune(const struct hbp_request *rq, const struct hbp_steady *steady,
		 int64_t *parts, struct hbp_plan *plan, struct hbp_error *err)
{
	int64_t *weights = calloc(steady->n_arcs, sizeof(*weights));
	struct hbp_prune p = { 0 };
	size_t i;
	int ret;

	if (!weights)
		return hbp_nomem(err);
	for (i = 0; i < steady->n_arcs; i++)
		weights[i] = -parts[i];
	ret = hbp_prune_begin(&p, steady, hbp_input_find(rq->in, rq->root),
			      parts, err);
	if (!ret)
		ret = hbp_prune_heaviest(&p, weights, err);
	if (!ret)
		ret = hbp_prune_tree(&p, rq->in->members, plan, err);
	hbp_prune_end(&p);
	free(weights);
	return ret;
}

static int lp_prune_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	return hbp_messages_plan(rq, prune, plan, err);
}

/*
 * Communication graph pruning.
 *
 * Paper 001, LP-based heuristics. Of the edges that carry messages in the best
 * set of trees, those that carry fewest are deleted first, as in simple-prune.
 * The numbers of messages are those of mtp; other solutions may be as good.
 */
const struct hbp_planner hbp_lp_prune = {
	.name = "lp-prune",
	.paper = "001 LP-based heuristics",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: what the best trees use most",
	.most_work = HBP_PRUNE_WORK_MAX,
	.make = lp_prune_make,
};
