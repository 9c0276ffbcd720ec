// SPDX-License-Identifier: GPL-2.0-or-later
/* ttcc: of two trees, what arrives first. */
#include <stdlib.h>
#include <string.h>

#include "growth.h"
#include "units.h"

/* A second tree that shares no edge with the first, as far as it gets. */
static int grow_other(const struct hbp_growth *first,
		      const struct hbp_pairs *pairs, struct hbp_growth *other,
		      struct hbp_error *err)
{
	struct hbp_pairs rest = *pairs;
	size_t n = pairs->n, i, to;
	int ret;

	rest.ns = calloc(n * n, sizeof(*rest.ns));
	if (!rest.ns)
		return hbp_nomem(err);
	memcpy(rest.ns, pairs->ns, n * n * sizeof(*rest.ns));
	for (i = 1; i < first->reached; i++) {
		to = first->order[i];
		rest.ns[first->parent[to] * n + to] = HBP_NEVER;
	}
	ret = hbp_growth_init(other, n, first->root, err);
	if (!ret)
		ret = hbp_growth_earliest(other, &rest, NULL, false, err);
	hbp_pairs_free(&rest);
	return ret;
}

/* One node and when the message arrives there first. */
struct arrival {
	int64_t ns;
	size_t node;
};

static int compare_arrivals(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/*
 * Each node keeps the parent of the tree that reaches it first. This parent has
 * had the message still earlier, in the same tree if not in the other, so that
 * there is no cycle.
 */
static int merge(struct hbp_growth *g, const struct hbp_growth *other,
		 struct hbp_error *err)
{
	struct arrival *arrivals = calloc(g->n, sizeof(*arrivals));
	size_t i, node;

	if (!arrivals)
		return hbp_nomem(err);
	for (i = 0; i < other->reached; i++) {
		node = other->order[i];
		if (g->placed[node] && g->when[node] <= other->when[node])
			continue;
		if (!g->placed[node])
			g->order[g->reached++] = node;
		g->placed[node] = true;
		g->parent[node] = other->parent[node];
		g->when[node] = other->when[node];
	}
	for (i = 0; i < g->reached; i++) {
		arrivals[i].node = g->order[i];
		arrivals[i].ns = g->when[g->order[i]];
	}
	qsort(arrivals, g->reached, sizeof(*arrivals), compare_arrivals);
	for (i = 0; i < g->reached; i++)
		g->order[i] = arrivals[i].node;
	free(arrivals);
	return 0;
}

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	struct hbp_growth other = { };
	int ret;

	ret = hbp_growth_earliest(g, pairs, NULL, false, err);
	if (!ret)
		ret = grow_other(g, pairs, &other, err);
	if (!ret)
		ret = merge(g, &other, err);
	hbp_growth_free(&other);
	return ret;
}

static int ttcc_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * Two-Tree Collective Communication.
 *
 * Paper 002, section 2.2 and table 1: two trees made by ECEF carry all data, and
 * the receiver takes it from the parent that sends first. Readings chosen:
 *
 * - The second tree is ECEF without the edges of the first, counting as if the
 *   first were not there. Nodes that nobody else can reach are only in the first.
 * - hbcast sends nobody the same data twice. The plan is the one tree in which
 *   each node keeps the parent from which it has the message first; of equal ones
 *   that of the first tree. Parents send in the order of arrival.
 */
const struct hbp_planner hbp_ttcc = {
	.name = "ttcc",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, the earlier of two trees",
	.make = ttcc_make,
};
