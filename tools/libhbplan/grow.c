// SPDX-License-Identifier: GPL-2.0-or-later
/* grow: the smallest weighted out-degree next (paper 001). */
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "node.h"
#include "units.h"

static int grow_alloc(struct hbp_grow *g)
{
	const struct hbp_steady *s = g->steady;
	size_t i;

	g->ns = hbp_steady_times(s);
	g->placed = calloc(s->n, sizeof(*g->placed));
	g->sum_ns = calloc(s->n, sizeof(*g->sum_ns));
	g->literal_ns = calloc(s->n, sizeof(*g->literal_ns));
	g->most_ns = calloc(s->n, sizeof(*g->most_ns));
	g->n_children = calloc(s->n, sizeof(*g->n_children));
	g->least_ns = calloc(s->n, sizeof(*g->least_ns));
	if (!g->ns || !g->placed || !g->sum_ns || !g->literal_ns ||
	    !g->most_ns || !g->n_children || !g->least_ns)
		return -ENOMEM;
	for (i = 0; i < s->n; i++)
		g->least_ns[i] = HBP_NEVER;
	for (i = 0; i < s->n_arcs; i++)
		if (g->ns[i] < g->least_ns[s->arcs[i].from])
			g->least_ns[s->arcs[i].from] = g->ns[i];
	return 0;
}

static void grow_clear(struct hbp_grow *g)
{
	free(g->ns);
	free(g->placed);
	free(g->sum_ns);
	free(g->literal_ns);
	free(g->most_ns);
	free(g->n_children);
	free(g->least_ns);
}

/* The arc out of the tree with the smallest key; of several the lowest receiver. */
static size_t next_arc(const struct hbp_grow *g, hbp_grow_key key)
{
	const struct hbp_arc *arcs = g->steady->arcs;
	size_t best = HBP_NONE, i;
	int64_t least = 0, mine;

	for (i = 0; i < g->steady->n_arcs; i++) {
		if (!g->placed[arcs[i].from] || g->placed[arcs[i].to] ||
		    (g->parts && !g->parts[i]))
			continue;
		mine = key(g, i);
		/* Arcs ascend by sender. */
		if (best != HBP_NONE &&
		    (mine > least || (mine == least &&
				      arcs[i].to >= arcs[best].to)))
			continue;
		best = i;
		least = mine;
	}
	return best;
}

static int grow(struct hbp_grow *g, const uint32_t *ids, hbp_grow_key key,
		struct hbp_tree *tree, struct hbp_error *err)
{
	const struct hbp_arc *arc;
	size_t next;
	int ret = 0;

	while (!ret && (next = next_arc(g, key)) != HBP_NONE) {
		arc = &g->steady->arcs[next];
		g->placed[arc->to] = true;
		g->n_children[arc->from]++;
		g->sum_ns[arc->from] = hbp_ns_add(g->sum_ns[arc->from],
						  g->ns[next]);
		/* What it cost already is in what this arc has cost, too. */
		g->literal_ns[arc->from] =
			hbp_ns_add(g->literal_ns[arc->from],
				   hbp_ns_add(g->literal_ns[arc->from],
					      g->ns[next]));
		if (g->ns[next] > g->most_ns[arc->from])
			g->most_ns[arc->from] = g->ns[next];
		ret = hbp_tree_add(tree, ids[arc->from], ids[arc->to], err);
	}
	return ret;
}

/**
 * hbp_grow_tree() - grow a tree from the root, by one arc after the other
 * @rq: the request
 * @steady: who can send to whom
 * @parts: of each arc, 0 if it is not to be used; NULL if all may be
 * @key: what an arc would cost as the next
 * @plan: receives the tree
 * @err: receives the reason of a failure
 *
 * Of equal arcs the one with the lower receiver comes first, then the one with
 * the lower sender.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_grow_tree(const struct hbp_request *rq, const struct hbp_steady *steady,
		  int64_t *parts, hbp_grow_key key, struct hbp_plan *plan,
		  struct hbp_error *err)
{
	struct hbp_grow g = { .steady = steady, .parts = parts };
	int ret;

	if (grow_alloc(&g)) {
		ret = hbp_nomem(err);
	} else {
		g.placed[hbp_input_find(rq->in, rq->root)] = true;
		ret = grow(&g, rq->in->members, key, hbp_plan_add_tree(plan, 0),
			   err);
	}
	grow_clear(&g);
	return ret;
}

/**
 * hbp_grow_plan() - grow a tree over all who can send to each other
 * @rq: the request
 * @key: what an arc would cost as the next
 * @plan: receives the tree
 * @err: receives the reason of a failure
 *
 * Return: 0, or what hbp_steady_alloc() or hbp_grow_tree() returns.
 */
int hbp_grow_plan(const struct hbp_request *rq, hbp_grow_key key,
		  struct hbp_plan *plan, struct hbp_error *err)
{
	struct hbp_steady *steady;
	int ret;

	ret = hbp_steady_alloc(rq->in, rq->ports, &steady, err);
	if (ret)
		return ret;
	ret = hbp_grow_tree(rq, steady, NULL, key, plan, err);
	hbp_steady_free(steady);
	return ret;
}

/* The sender's out-degree with this arc. */
static int64_t out_degree(const struct hbp_grow *g, size_t arc)
{
	return hbp_ns_add(g->sum_ns[g->steady->arcs[arc].from], g->ns[arc]);
}

/* What the slides' pseudocode has come to. */
static int64_t literal_cost(const struct hbp_grow *g, size_t arc)
{
	return hbp_ns_add(g->literal_ns[g->steady->arcs[arc].from], g->ns[arc]);
}

static int grow_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_grow_plan(rq, rq->update == HBP_UPDATE_LITERAL ? literal_cost :
			     out_degree, plan, err);
}

/*
 * Growing a minimum weighted out-degree tree.
 *
 * Paper 001, platform-based heuristics, one-port. A node's weighted out-degree
 * is the sum of the times of its transfers, one message to each child. The arc
 * for which its sender's is smallest comes next. The slides' update, cost(u,w)
 * += cost(u,v), counts the earlier children again from the second child on; the
 * metric that they name is used, unless the update is asked for literally.
 */
const struct hbp_planner hbp_grow_planner = {
	.name = "grow",
	.paper = "001 one-port heuristics",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS | HBP_TAKES_UPDATE,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: small weighted out-degrees",
	.make = grow_make,
};
