// SPDX-License-Identifier: GPL-2.0-or-later
/* How many messages each pair carries in the best set of trees. */
#include <math.h>
#include <stdlib.h>

#include "colgen.h"
#include "messages.h"
#include "prices.h"

/* Messages are counted in these parts of all, so that equal ones are equal. */
#define PARTS		1e6

/*
 * For each arc which part of all messages passes it, in millionths; at least 1
 * if any does: 0, with *@parts for free(), or what hbp_colgen_run() returns.
 */
static int count(const struct hbp_request *rq, const struct hbp_steady *steady,
		 int64_t **parts, struct hbp_plan *plan, struct hbp_error *err)
{
	double *sum = calloc(steady->n_arcs, sizeof(*sum));
	struct hbp_colgen *cg = NULL;
	size_t t, i;
	int ret;

	*parts = calloc(steady->n_arcs, sizeof(**parts));
	if (!sum || !*parts)
		ret = hbp_nomem(err);
	else
		ret = hbp_colgen_run(steady, hbp_input_find(rq->in, rq->root),
				     NULL, &cg, err);
	if (ret) {
		free(*parts);
		*parts = NULL;
		goto out;
	}
	for (t = 0; t < cg->n_trees; t++)
		for (i = 0; i < steady->n - 1; i++)
			sum[cg->trees[t][i]] += cg->mbps[t];
	for (i = 0; i < steady->n_arcs; i++) {
		(*parts)[i] = llround(sum[i] / cg->rate * PARTS);
		if (sum[i] > 0 && !(*parts)[i])
			(*parts)[i] = 1;
	}
	ret = hbp_prices_prove(steady, rq->in, cg->prices, cg->bound, plan, err);
out:
	hbp_colgen_free(cg);
	free(sum);
	return ret;
}

/**
 * hbp_messages_plan() - make a tree of what the best set of trees carries
 * @rq: the request
 * @make: makes the tree; gets for each arc which part of all messages passes
 *	it, in millionths
 * @plan: receives the bound, and the tree
 * @err: receives the reason of a failure
 *
 * Return: 0, or what hbp_steady_alloc(), hbp_colgen_run() or @make returns.
 */
int hbp_messages_plan(const struct hbp_request *rq, hbp_messages_make make,
		      struct hbp_plan *plan, struct hbp_error *err)
{
	struct hbp_steady *steady;
	int64_t *parts;
	int ret;

	ret = hbp_steady_alloc(rq->in, rq->ports, &steady, err);
	if (ret)
		return ret;
	ret = count(rq, steady, &parts, plan, err);
	if (!ret)
		ret = make(rq, steady, parts, plan, err);
	free(parts);
	hbp_steady_free(steady);
	return ret;
}
