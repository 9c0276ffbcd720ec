// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tps: Two-Phase Scheduling (paper 002, section 4, figures 4 and 5). The nodes
 * that even their best sender reaches late are kept from relaying.
 */
#include <stdlib.h>

#include "growth.h"
#include "node.h"
#include "units.h"

struct tps {
	struct hbp_growth *g;
	const struct hbp_pairs *pairs;
	bool *late;		/* in B, attached in the second phase */
	size_t *via;		/* the best sender of each node not placed */
};

static int64_t pair(const struct tps *t, size_t from, size_t to)
{
	return t->pairs->ns[from * t->g->n + to];
}

/* The least time in which any sender reaches a node. */
static void find_least(const struct tps *t, int64_t *least)
{
	size_t n = t->g->n, from, to;

	for (to = 0; to < n; to++)
		least[to] = HBP_NEVER;
	for (from = 0; from < n; from++)
		for (to = 0; to < n; to++)
			if (pair(t, from, to) < least[to])
				least[to] = pair(t, from, to);
}

/* Marks B: the nodes whose best sender takes longer than is usual. */
static int mark_late(struct tps *t, struct hbp_error *err)
{
	int64_t *least = calloc(t->g->n, sizeof(*least));
	int64_t others = (int64_t)t->g->n - 1, whole = 0, rest = 0;
	size_t i;

	if (!least)
		return hbp_nomem(err);
	find_least(t, least);
	/* The average rounded down, which is exact enough to compare with. */
	least[t->g->root] = 0;
	for (i = 0; i < t->g->n; i++) {
		whole += least[i] / others;
		rest += least[i] % others;
	}
	whole += rest / others;
	for (i = 0; i < t->g->n; i++)
		t->late[i] = least[i] > whole;
	t->late[t->g->root] = false;
	free(least);
	return 0;
}

/* The first phase: earliest completion first among all but B. */
static int phase_one(struct tps *t, struct hbp_error *err)
{
	struct hbp_growth *g = t->g;
	size_t i, to;
	int ret;

	ret = hbp_growth_earliest(g, t->pairs, t->late, false, err);
	/* From now on what a sender sends besides does not count. */
	for (i = 1; !ret && i < g->reached; i++) {
		to = g->order[i];
		g->when[to] = hbp_ns_add(g->when[g->parent[to]],
					 pair(t, g->parent[to], to));
	}
	return ret;
}

/* When a node has the message from a sender. */
static int64_t arrival(const struct tps *t, size_t from, size_t to)
{
	return from == HBP_NONE ? HBP_NEVER :
	       hbp_ns_add(t->g->when[from], pair(t, from, to));
}

/* Is a sender better for a node than another; HBP_NONE is the worst. */
static bool better(const struct tps *t, size_t from, size_t than, size_t to)
{
	int64_t a = arrival(t, from, to), b = arrival(t, than, to);

	return a < b || (a == b && a != HBP_NEVER && from < than);
}

static size_t best_sender(const struct tps *t, size_t n_senders, size_t to)
{
	size_t i, best = HBP_NONE;

	for (i = 0; i < n_senders; i++)
		if (better(t, t->g->order[i], best, to))
			best = t->g->order[i];
	return best;
}

/*
 * The second phase: each node of B below the node of the first tree from which
 * it has the message first.
 */
static void phase_two(struct tps *t)
{
	size_t n_senders = t->g->reached, i, from;

	for (i = 0; i < t->g->n; i++) {
		from = t->late[i] ? best_sender(t, n_senders, i) : HBP_NONE;
		if (from != HBP_NONE)
			hbp_growth_place(t->g, from, i, arrival(t, from, i));
	}
}

/*
 * The paper does not say what becomes of nodes that no link joins to the first
 * tree: they are placed below any node of the tree, the earliest first.
 */
static void place_rest(struct tps *t)
{
	size_t n = t->g->n, i, best;

	for (i = 0; t->g->reached < n && i < n; i++)
		t->via[i] = best_sender(t, t->g->reached, i);
	while (t->g->reached < n) {
		best = HBP_NONE;
		for (i = 0; i < n; i++)
			if (!t->g->placed[i] &&
			    (best == HBP_NONE || arrival(t, t->via[i], i) <
						 arrival(t, t->via[best], best)))
				best = i;
		if (arrival(t, t->via[best], best) == HBP_NEVER)
			return;
		hbp_growth_place(t->g, t->via[best], best,
				 arrival(t, t->via[best], best));
		for (i = 0; i < n; i++)
			if (!t->g->placed[i] && better(t, best, t->via[i], i))
				t->via[i] = best;
	}
}

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	struct tps t = { .g = g, .pairs = pairs };
	int ret;

	t.late = calloc(g->n, sizeof(*t.late));
	t.via = calloc(g->n, sizeof(*t.via));
	ret = t.late && t.via ? mark_late(&t, err) : hbp_nomem(err);
	if (!ret)
		ret = phase_one(&t, err);
	if (!ret) {
		phase_two(&t);
		place_rest(&t);
	}
	free(t.late);
	free(t.via);
	return ret;
}

static int tps_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * Two-Phase Scheduling.
 *
 * Paper 002, section 4, figures 4 and 5. Costs are completion times of pairs,
 * see hbp_costs_pair_ns(); those of a platform come from its routes. Readings
 * chosen where the paper is unclear:
 *
 * - k is the number of nodes other than the root whose least completion time
 *   over all senders is above the average of these least times.
 * - The first phase is ECEF, as the text on figure 5 says (figure 4 names only
 *   the edge): the pair with the smallest ready time of the sender plus
 *   completion time of the pair. A sender is ready again when it has finished
 *   its last message, as in the paper's reference 1.
 * - In the second phase the nodes of B do not relay, and what their senders sent
 *   before does not count: only the sum of completion times from the root does.
 * - Equal sums: the lowest receiver, then the lowest sender.
 */
const struct hbp_planner hbp_tps = {
	.name = "tps",
	.paper = "002 section 4",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, slow nodes as leaves",
	.make = tps_make,
};
