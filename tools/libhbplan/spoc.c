// SPDX-License-Identifier: GPL-2.0-or-later
/* spoc: a binomial tree in which fast nodes send more. */
#include <stdlib.h>

#include "binomial.h"
#include "pair.h"
#include "planners.h"
#include "positions.h"

/* A position of the tree and how much is to be sent from there. */
struct place {
	size_t children;
	size_t position;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->children != y->children)
		return x->children > y->children ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

/* The busiest positions get the fastest nodes; the root stays at position 0. */
static int settle(const struct hbp_pairs *pairs, uint32_t root,
		  struct hbp_plan *plan, struct hbp_error *err)
{
	size_t n = pairs->n, *fastest = calloc(n, sizeof(*fastest)), i, at = 0;
	struct place *places = calloc(n, sizeof(*places));
	int64_t *cost = calloc(n, sizeof(*cost));
	uint32_t *ids = calloc(n, sizeof(*ids)), id;
	int ret;

	if (!fastest || !places || !cost || !ids) {
		ret = hbp_nomem(err);
		goto out;
	}
	ret = hbp_pairs_initiation(pairs, cost, fastest, err);
	if (ret)
		goto out;
	for (i = 0; i < n; i++) {
		places[i].position = i;
		places[i].children = hbp_binomial_children(i, n);
	}
	/* Position 0 has the most children, or as many as one further down. */
	qsort(places + 1, n - 1, sizeof(*places), compare_places);
	ids[at++] = root;
	for (i = 0; i < n; i++) {
		id = pairs->costs->nodes[fastest[i]].id;
		if (id != root)
			ids[places[at++].position] = id;
	}
	ret = hbp_positions_plan(ids, n, pairs->costs, plan, err);
out:
	free(fastest);
	free(places);
	free(cost);
	free(ids);
	return ret;
}

static int spoc_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	const struct hbp_costs *costs;
	struct hbp_pairs pairs;
	int ret;

	ret = hbp_input_costs(rq->in, &costs, err);
	if (ret)
		return ret;
	ret = hbp_pairs_init(&pairs, costs, false, rq->message_bytes, err);
	if (!ret)
		ret = settle(&pairs, rq->root, plan, err);
	hbp_pairs_free(&pairs);
	return ret;
}

/*
 * SPOC.
 *
 * Paper 002, section 2.2 and table 1, and paper 004, section 1: it makes a
 * binomial tree and then gives the places that have to send more messages to the
 * faster nodes. Readings chosen:
 *
 * - How fast a node is tells its message initiation cost: the mean of its
 *   completion times, see hbp_pairs_initiation().
 * - Positions with equally many children are filled in ascending order.
 */
const struct hbp_planner hbp_spoc = {
	.name = "spoc",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "few rounds, fast nodes sending more",
	.make = spoc_make,
};
