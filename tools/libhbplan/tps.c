// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tps: Two-Phase Scheduling (paper 002, section 4, figures 4 and 5). The nodes
 * that even their best sender reaches late are kept from relaying.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "planners.h"
#include "units.h"

/* A receiver and what it costs a sender to reach it. */
struct reach {
	int64_t ns;
	size_t to;
};

struct tps {
	const struct hbp_costs *costs;
	uint64_t bytes;
	size_t root;
	struct hbp_tree *tree;
	struct hbp_error *err;
	bool *late;		/* in B, attached in the second phase */
	bool *placed;		/* in the tree */
	int64_t *have;		/* when it has the message: sum from the root */
	int64_t *ready;		/* when it has finished sending, in phase one */
	size_t *senders;	/* nodes of the tree, as they came */
	size_t n_senders;
	struct reach **lists;	/* of each sender: whom it may reach, nearest first */
	size_t *ends;		/* of each sender: length of its list */
	size_t *nexts;		/* of each sender: first of its list not placed */
};

static int compare_reach(const void *a, const void *b)
{
	const struct reach *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int64_t pair(const struct tps *t, size_t from, size_t to)
{
	return hbp_costs_pair_ns(t->costs, from, to, t->bytes);
}

/* The least time in which any sender reaches a node. */
static int64_t least(const struct tps *t, size_t to)
{
	int64_t ns, best = HBP_NEVER;
	size_t i;

	for (i = 0; i < t->costs->n; i++) {
		ns = i == to ? HBP_NEVER : pair(t, i, to);
		if (ns < best)
			best = ns;
	}
	return best;
}

/* Marks B: the nodes whose best sender takes longer than is usual. */
static void mark_late(struct tps *t)
{
	int64_t others = (int64_t)t->costs->n - 1, whole = 0, rest = 0, ns;
	size_t i;

	/* The average rounded down, which is exact enough to compare with. */
	for (i = 0; i < t->costs->n; i++) {
		t->have[i] = least(t, i);
		ns = i == t->root ? 0 : t->have[i];
		whole += ns / others;
		rest += ns % others;
	}
	whole += rest / others;
	for (i = 0; i < t->costs->n; i++)
		t->late[i] = i != t->root && t->have[i] > whole;
}

/* Lists whom a new sender may reach in phase one. */
static int list_reach(struct tps *t, size_t from)
{
	size_t i, n = 0;
	int64_t ns;

	t->lists[from] = calloc(t->costs->n, sizeof(**t->lists));
	if (!t->lists[from])
		return hbp_nomem(t->err);
	for (i = 0; i < t->costs->n; i++) {
		if (t->placed[i] || t->late[i])
			continue;
		ns = pair(t, from, i);
		if (ns == HBP_NEVER)
			continue;
		t->lists[from][n].ns = ns;
		t->lists[from][n++].to = i;
	}
	qsort(t->lists[from], n, sizeof(**t->lists), compare_reach);
	t->ends[from] = n;
	return 0;
}

static int place(struct tps *t, size_t from, size_t to)
{
	t->placed[to] = true;
	t->have[to] = hbp_ns_add(t->have[from], pair(t, from, to));
	t->senders[t->n_senders++] = to;
	return hbp_tree_add(t->tree, t->costs->nodes[from].id,
			    t->costs->nodes[to].id, t->err);
}

/*
 * The sender whose next message would arrive first; of several, the one with
 * the lowest receiver, then the lowest sender.
 */
static size_t earliest(struct tps *t, int64_t *when)
{
	const struct reach *r, *best = NULL;
	size_t s, i, found = HBP_NONE;
	int64_t ns;

	for (i = 0; i < t->n_senders; i++) {
		s = t->senders[i];
		while (t->nexts[s] < t->ends[s] &&
		       t->placed[t->lists[s][t->nexts[s]].to])
			t->nexts[s]++;
		if (t->nexts[s] == t->ends[s])
			continue;
		r = &t->lists[s][t->nexts[s]];
		ns = hbp_ns_add(t->ready[s], r->ns);
		if (!best || ns < *when ||
		    (ns == *when && (r->to < best->to ||
				     (r->to == best->to && s < found)))) {
			best = r;
			found = s;
			*when = ns;
		}
	}
	return found;
}

/* The first phase: earliest completion first among all but B. */
static int phase_one(struct tps *t)
{
	size_t from, to;
	int64_t when = 0;
	int ret;

	ret = list_reach(t, t->root);
	while (!ret) {
		from = earliest(t, &when);
		if (from == HBP_NONE)
			break;
		to = t->lists[from][t->nexts[from]].to;
		t->ready[from] = when;
		t->ready[to] = when;
		ret = place(t, from, to);
		if (!ret)
			ret = list_reach(t, to);
	}
	return ret;
}

/* When a node has the message from a sender. */
static int64_t arrival(const struct tps *t, size_t from, size_t to)
{
	return from == HBP_NONE ? HBP_NEVER :
	       hbp_ns_add(t->have[from], pair(t, from, to));
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
		if (better(t, t->senders[i], best, to))
			best = t->senders[i];
	return best;
}

/*
 * The second phase: each node of B below the node of the first tree from which
 * it has the message first.
 */
static int phase_two(struct tps *t)
{
	size_t n_senders = t->n_senders, i, from;
	int ret = 0;

	for (i = 0; !ret && i < t->costs->n; i++) {
		if (!t->late[i])
			continue;
		from = best_sender(t, n_senders, i);
		if (from != HBP_NONE)
			ret = place(t, from, i);
	}
	return ret;
}

/*
 * The paper does not say what becomes of nodes that no link joins to the first
 * tree: they are placed below any node of the tree, the earliest first.
 */
static int place_rest(struct tps *t)
{
	size_t *via = t->nexts, n = t->costs->n, i, best;
	int ret = 0;

	for (i = 0; i < n; i++)
		via[i] = best_sender(t, t->n_senders, i);
	while (!ret && t->n_senders < n) {
		best = HBP_NONE;
		for (i = 0; i < n; i++)
			if (!t->placed[i] &&
			    (best == HBP_NONE || arrival(t, via[i], i) <
						 arrival(t, via[best], best)))
				best = i;
		if (arrival(t, via[best], best) == HBP_NEVER)
			return hbp_fail(t->err, -ERANGE,
					"tps: a sum of completion times exceeds 285 years");
		ret = place(t, via[best], best);
		for (i = 0; i < n; i++)
			if (!t->placed[i] && better(t, best, via[i], i))
				via[i] = best;
	}
	return ret;
}

static int tps_alloc(struct tps *t)
{
	size_t n = t->costs->n;

	t->late = calloc(n, sizeof(*t->late));
	t->placed = calloc(n, sizeof(*t->placed));
	t->have = calloc(n, sizeof(*t->have));
	t->ready = calloc(n, sizeof(*t->ready));
	t->senders = calloc(n, sizeof(*t->senders));
	t->lists = calloc(n, sizeof(*t->lists));
	t->ends = calloc(n, sizeof(*t->ends));
	t->nexts = calloc(n, sizeof(*t->nexts));
	return t->late && t->placed && t->have && t->ready && t->senders &&
	       t->lists && t->ends && t->nexts ? 0 : hbp_nomem(t->err);
}

static void tps_free(struct tps *t)
{
	size_t i;

	for (i = 0; t->lists && i < t->costs->n; i++)
		free(t->lists[i]);
	free(t->late);
	free(t->placed);
	free(t->have);
	free(t->ready);
	free(t->senders);
	free(t->lists);
	free(t->ends);
	free(t->nexts);
}

static int tps_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	struct tps t = { .bytes = rq->message_bytes, .err = err };
	int ret;

	ret = hbp_input_costs(rq->in, &t.costs, err);
	if (ret)
		return ret;
	t.root = hbp_costs_find(t.costs, rq->root);
	t.tree = hbp_plan_add_tree(plan, 0);
	ret = tps_alloc(&t);
	if (ret)
		goto out;
	mark_late(&t);
	t.have[t.root] = 0;
	t.placed[t.root] = true;
	t.senders[t.n_senders++] = t.root;
	ret = phase_one(&t);
	if (!ret)
		ret = phase_two(&t);
	if (!ret)
		ret = place_rest(&t);
out:
	tps_free(&t);
	return ret;
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
	.objective = "completion time, slow nodes as leaves",
	.make = tps_make,
};
