// SPDX-License-Identifier: GPL-2.0-or-later
/* mtp: the weighted trees that are fastest together, and the proof of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "colgen.h"
#include "node.h"
#include "order.h"
#include "planners.h"
#include "prices.h"
#include "units.h"

/* What a node has before it sends on: what fits into a packet of 1500 bytes. */
#define FRAGMENT_BITS	(1400 * 8)
/* Filling that takes a smaller part of the time is not worth fewer trees. */
#define FILL		0.001
/* What the limit on trees costs is told if it is more than this part. */
#define LEAST_LOSS	(1 / 1e6)
/* What rounding in the program may cost a rate. */
#define ROUNDING	(2 / 1e9)

struct mtp {
	const struct hbp_request *rq;
	struct hbp_steady *steady;
	struct hbp_colgen *cg;
	size_t root;
	bool *chosen;		/* trees that may be used */
	bool *best;		/* those of the best choice so far */
	double least;		/* its time in us */
	size_t *order;		/* trees, the heaviest first */
	size_t n_order;		/* how many have weight */
	bool capped;		/* there are more of these than a plan may have */
	size_t *spare;		/* what @order was, while others are tried */
	size_t *parent;		/* of each node in a tree: its arc */
	size_t *depth;
	struct hbp_error *err;
};

/* The number of arcs on the longest path of a tree. */
static size_t depth_of(struct mtp *m, const uint32_t *tree)
{
	size_t n = m->steady->n, i, at, steps, most = 0;
	struct hbp_arc arc;

	for (i = 0; i < n; i++) {
		m->depth[i] = 0;
		m->parent[i] = HBP_NONE;
	}
	for (i = 0; i < n - 1; i++) {
		arc = hbp_steady_pair(m->steady, tree[i]);
		m->parent[arc.to] = arc.from;
	}
	for (i = 0; i < n; i++) {
		/* Up to a node whose depth is known, and down again. */
		for (at = i, steps = 0; at != m->root && !m->depth[at]; steps++)
			at = m->parent[at];
		steps += m->depth[at];
		most = steps > most ? steps : most;
		for (at = i; at != m->root && !m->depth[at];
		     at = m->parent[at])
			m->depth[at] = steps--;
	}
	return most;
}

/*
 * When the last fragment has come down the deepest tree in use, in us; where the
 * rate alone counts, when it has left the root.
 */
static double time_of(struct mtp *m, double rate)
{
	size_t i, depth, most = 0;

	for (i = 0; i < m->cg->n_trees; i++) {
		if (m->cg->mbps[i] <= 0 || m->rq->objective == HBP_THROUGHPUT)
			continue;
		depth = depth_of(m, m->cg->trees[i]);
		most = depth > most ? depth : most;
	}
	return ((double)m->rq->message_bytes * 8 +
		(double)most * FRAGMENT_BITS) / rate;
}

/* Weighs the first @n trees that are listed, and no others, anew. */
static int choose_first(struct mtp *m, size_t n, double *rate)
{
	size_t i;

	for (i = 0; i < m->cg->n_trees; i++)
		m->chosen[i] = false;
	for (i = 0; i < n; i++)
		m->chosen[m->order[i]] = true;
	return hbp_colgen_choose(m->cg, m->chosen, rate, m->err);
}

/* Weighs the @n heaviest trees only, and keeps that if it is faster. */
static int try_heaviest(struct mtp *m, size_t n)
{
	double rate, us;
	size_t i;
	int ret;

	ret = choose_first(m, n, &rate);
	if (ret || rate <= 0)
		return ret;
	us = time_of(m, rate);
	if (us >= m->least)
		return 0;
	m->least = us;
	for (i = 0; i < m->cg->n_trees; i++)
		m->best[i] = m->chosen[i];
	return 0;
}

/* Of the first @n trees that are listed, those that have weight. */
static void list_trees(struct mtp *m, size_t n)
{
	size_t i;

	m->n_order = 0;
	for (i = 0; i < n; i++)
		if (m->cg->mbps[m->order[i]] > 0)
			m->order[m->n_order++] = m->order[i];
	hbp_order_heaviest(m->order, m->n_order, m->cg->mbps);
}

/*
 * Leaves trees out until a plan may have so many: the lightest few at a time, so
 * that the others, which are weighed anew, take over what they carried.
 */
static int leave_out(struct mtp *m, size_t most, double *rate)
{
	int ret = 0;
	size_t n;

	while (!ret && m->n_order > most) {
		n = m->n_order * 7 / 8;
		n = n < most ? most : n;
		ret = choose_first(m, n, rate);
		/* What is left out may have some weight by rounding. */
		if (!ret)
			list_trees(m, n);
	}
	return ret;
}

/*
 * Trees that are made to be few, if they are faster than what is left of all; but
 * for these, weights and list stay as they are.
 */
static int try_even(struct mtp *m, double *rate)
{
	size_t old = m->cg->n_trees, kept = m->n_order, n;
	double other = 0;
	int ret;

	ret = hbp_colgen_even(m->cg, hbp_trees_max(m->rq), m->err);
	n = m->cg->n_trees - old;
	if (ret || !n)
		return ret ? ret : choose_first(m, kept, rate);
	for (n = 0; old + n < m->cg->n_trees; n++) {
		m->spare[n] = m->order[n];
		m->order[n] = old + n;
	}
	ret = choose_first(m, n, &other);
	if (!ret && other > *rate) {
		*rate = other;
		list_trees(m, n);
		return 0;
	}
	while (n--)
		m->order[n] = m->spare[n];
	return ret ? ret : choose_first(m, kept, rate);
}

/*
 * All trees, if a plan may have so many; where filling them takes long, fewer:
 * half as many, and so on, whichever is fastest.
 */
static int choose(struct mtp *m)
{
	double rate = m->cg->rate, us;
	size_t n;
	int ret;

	for (n = 0; n < m->cg->n_trees; n++)
		m->order[n] = n;
	list_trees(m, n);
	m->capped = m->n_order > hbp_trees_max(m->rq);
	ret = leave_out(m, hbp_trees_max(m->rq), &rate);
	if (!ret && rate < m->cg->bound * (1 - hbp_colgen_gap(m->steady)))
		ret = try_even(m, &rate);
	if (ret)
		return ret;
	us = (double)m->rq->message_bytes * 8 / rate;
	if (time_of(m, rate) < us * (1 + FILL))
		return 0;
	for (n = m->n_order; !ret && n; n /= 2)
		ret = try_heaviest(m, n);
	return ret ? ret : hbp_colgen_choose(m->cg, m->best, &rate, m->err);
}

/* What the limit on trees costs, if the plan has as many as it may. */
static void tell_loss(const struct mtp *m, struct hbp_plan *plan)
{
	double rate = 0;
	size_t t;

	for (t = 0; t < plan->n_trees; t++)
		rate += (double)plan->trees[t].rate_bps / 1e6;
	if (m->capped && rate < m->cg->rate * (1 - LEAST_LOSS))
		plan->uncapped_bps = (int64_t)(m->cg->rate * 1e6 * (1 - ROUNDING));
}

static int add_trees(struct mtp *m, struct hbp_plan *plan)
{
	const uint32_t *ids = m->rq->in->members;
	struct hbp_tree *tree;
	struct hbp_arc arc;
	size_t t, i, j;
	int64_t bps;
	int ret = 0;

	for (t = 0; t < m->n_order; t++) {
		i = m->order[t];
		bps = (int64_t)(m->cg->mbps[i] * 1e6 * (1 - ROUNDING));
		if (bps < 1 && plan->n_trees)
			continue;
		tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
		tree->rate_bps = bps;
		for (j = 0; !ret && j < m->steady->n - 1; j++) {
			arc = hbp_steady_pair(m->steady, m->cg->trees[i][j]);
			ret = hbp_tree_add(tree, ids[arc.from], ids[arc.to],
					   m->err);
		}
		if (ret || plan->n_trees == hbp_trees_max(m->rq))
			break;
	}
	tell_loss(m, plan);
	return ret ? ret : hbp_prices_prove(m->steady, m->rq->in, m->cg->prices,
				      m->cg->bound, plan, m->err);
}

static int run(struct mtp *m, struct hbp_plan *plan)
{
	size_t n = m->steady->n, room;
	int ret;

	ret = hbp_colgen_run(m->steady, m->root, m->rq->like, &m->cg, m->err);
	if (ret)
		return ret;
	m->least = HUGE_VAL;
	room = m->cg->n_trees + HBP_PLAN_TREES_MAX;
	m->chosen = calloc(room, sizeof(*m->chosen));
	m->best = calloc(room, sizeof(*m->best));
	m->order = calloc(room, sizeof(*m->order));
	m->spare = calloc(room, sizeof(*m->spare));
	m->parent = calloc(n, sizeof(*m->parent));
	m->depth = calloc(n, sizeof(*m->depth));
	if (!m->chosen || !m->best || !m->order || !m->spare || !m->parent || !m->depth)
		return hbp_nomem(m->err);
	ret = choose(m);
	return ret ? ret : add_trees(m, plan);
}

static int mtp_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	struct mtp m = { .rq = rq, .err = err };
	int ret;

	m.root = hbp_input_find(rq->in, rq->root);
	ret = hbp_steady_switched(rq->in, rq->ports, &m.steady, err);
	if (!ret)
		ret = run(&m, plan);
	hbp_colgen_free(m.cg);
	hbp_steady_free(m.steady);
	free(m.chosen);
	free(m.best);
	free(m.order);
	free(m.spare);
	free(m.parent);
	free(m.depth);
	return ret;
}

/*
 * The optimal set of trees.
 *
 * Paper 001 calls the problem MTP, multiple trees, pipelined series of messages,
 * and leaves its trees aside. Here they come out of the column generation at
 * once, with weights, and with a bound that no other trees exceed. Models are
 * the paper's one-port and multi-port; without one, links of a platform are all
 * that counts. Of the trees found, all or the heaviest half or quarter and so on
 * are used, whichever has the message down all trees first: depth times a
 * fragment, and size over rate.
 */
const struct hbp_planner hbp_mtp = {
	.name = "mtp",
	.paper = "beyond the papers (problem of 001)",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS | HBP_TAKES_TREES | HBP_TAKES_TOLERANCE,
	.serves = HBP_FOR(HBP_COMPLETION) | HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: as high as any trees together have, proven",
	.make = mtp_make,
};
