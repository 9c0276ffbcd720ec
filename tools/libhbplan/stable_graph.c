// SPDX-License-Identifier: GPL-2.0-or-later
/* stable-graph: every host at its own largest flow, all at the same time. */
#include <errno.h>
#include <stdlib.h>

#include "graded.h"
#include "insertion.h"
#include "levels.h"
#include "node.h"
#include "planners.h"
#include "proof.h"
#include "splitting.h"
#include "units.h"
#include "ways.h"
#include "weighing.h"

/* Graphs with more nodes are not split. */
#define CORE_MAX	256

/*
 * Nodes of trees: first those of the core, hosts and switches, then hosts that
 * hang on a switch by one link and are not the widest of its kind there.
 */
struct work {
	const struct hbp_request *rq;
	const struct hbp_platform *platform;
	struct hbp_ways *ways;
	size_t root;		/* as all below, a node of the platform */
	size_t *nodes;		/* of each node of trees */
	size_t n_core;
	size_t n_nodes;
	size_t *place;		/* of each node: its place in @nodes */
	size_t *widest;		/* of each switch: what hangs on it, or HBP_NONE */
	size_t *degree;		/* of each node, links into it */
	int64_t *want;		/* of each node of trees: what it should receive */
	double *flows;		/* likewise, the most that it can, Mbit/s; or 0 */
	struct hbp_digraph g;
	struct hbp_splitting s;
	struct hbp_split *splits;
	size_t n_splits;
	struct hbp_insertion ins;
	struct hbp_error *err;
};

/* The switch that a host hangs on by one even link, or HBP_NONE. */
static size_t hangs_on(const struct work *w, size_t host)
{
	const struct hbp_platform *p = w->platform;
	const struct hbp_link *up = &p->links[p->first[host]], *down;

	if (!p->nodes[host].host || host == w->root || w->degree[host] != 1 ||
	    p->first[host + 1] - p->first[host] != 1 || p->nodes[up->to].host)
		return HBP_NONE;
	down = hbp_platform_link(p, up->to, host);
	return down && down->bandwidth_bps == up->bandwidth_bps ? up->to :
	       HBP_NONE;
}

static int64_t width_of(const struct work *w, size_t host)
{
	return w->platform->links[w->platform->first[host]].bandwidth_bps;
}

/* The core: all but hosts that hang where a wider one does. */
static void find_core(struct work *w)
{
	const struct hbp_platform *p = w->platform;
	size_t i, at;

	for (i = 0; i < p->n_links; i++)
		w->degree[p->links[i].to]++;
	for (i = 0; i < p->n; i++) {
		w->widest[i] = HBP_NONE;
		w->place[i] = HBP_NONE;
	}
	for (i = 0; i < p->n; i++) {
		at = hangs_on(w, i);
		if (at != HBP_NONE && (w->widest[at] == HBP_NONE ||
				       width_of(w, i) >
				       width_of(w, w->widest[at])))
			w->widest[at] = i;
	}
	for (i = 0; i < p->n; i++) {
		at = hangs_on(w, i);
		if (at == HBP_NONE || w->widest[at] == i) {
			w->place[i] = w->n_core;
			w->nodes[w->n_core++] = i;
		}
	}
	w->n_nodes = w->n_core;
	for (i = 0; i < p->n; i++)
		if (w->place[i] == HBP_NONE) {
			w->place[i] = w->n_nodes;
			w->nodes[w->n_nodes++] = i;
		}
}

static bool is_host(const struct work *w, size_t at)
{
	return w->platform->nodes[w->nodes[at]].host;
}

/* The place of the host that stands for one that is not in the core. */
static size_t stands_for(const struct work *w, size_t at)
{
	return w->place[w->widest[hangs_on(w, w->nodes[at])]];
}

static int fill_graph(struct work *w)
{
	const struct hbp_platform *p = w->platform;
	size_t i, from, to;

	if (hbp_digraph_init(&w->g, w->n_core, w->place[w->root]) ||
	    hbp_splitting_init(&w->s, &w->g))
		return hbp_nomem(w->err);
	for (i = 0; i < p->n_links; i++) {
		from = w->place[p->links[i].from];
		to = w->place[p->links[i].to];
		if (from < w->n_core && to < w->n_core)
			hbp_digraph_add(&w->g, from, to,
					p->links[i].bandwidth_bps);
	}
	return 0;
}

/* No more different rates than a plan may have trees. */
static int pick_levels(struct work *w)
{
	int64_t *levels = calloc(w->n_nodes, sizeof(*levels));
	size_t i, k, n = 0;
	int ret = 0;

	if (!levels)
		return hbp_nomem(w->err);
	for (i = 0; i < w->n_nodes; i++)
		if (w->want[i])
			levels[n++] = w->want[i];
	if (hbp_levels_pick(levels, n, hbp_trees_max(w->rq), &n))
		ret = hbp_nomem(w->err);
	for (i = 0; !ret && i < w->n_nodes; i++) {
		for (k = n; k && levels[k - 1] > w->want[i];)
			k--;
		w->want[i] = k ? levels[k - 1] : 0;
	}
	free(levels);
	return ret;
}

/* What every host should receive: the largest flow to it. */
static int find_wants(struct work *w)
{
	size_t i, to;
	int ret;

	for (i = 0; i < w->n_core; i++)
		if (is_host(w, i) && i != w->g.root)
			w->want[i] = hbp_digraph_flow(&w->g, i, INT64_MAX);
	for (i = w->n_core; i < w->n_nodes; i++) {
		to = stands_for(w, i);
		w->want[i] = width_of(w, w->nodes[i]);
		if (w->want[to] < w->want[i])
			w->want[i] = w->want[to];
	}
	ret = pick_levels(w);
	for (i = 0; i < w->n_core; i++)
		w->s.demand[i] = w->want[i];
	hbp_splitting_sort(&w->s);
	return ret;
}

/*
 * What is split off next: switches first, those with few neighbours before
 * others, then hosts in ascending order of what they should receive.
 */
static size_t next_split(const struct work *w)
{
	size_t i, best = HBP_NONE;

	for (i = 0; i < w->n_core; i++)
		if (!w->s.gone[i] && !is_host(w, i) &&
		    (best == HBP_NONE || w->g.n_near[i] < w->g.n_near[best]))
			best = i;
	if (best != HBP_NONE)
		return best;
	for (i = 0; i < w->n_core; i++)
		if (!w->s.gone[i] && i != w->g.root &&
		    (best == HBP_NONE || w->s.demand[i] <= w->s.demand[best]))
			best = i;
	return best;
}

static int split_all(struct work *w)
{
	size_t node;

	for (;;) {
		node = next_split(w);
		if (node == HBP_NONE)
			return 0;
		if (hbp_splitting_take(&w->s, node,
				       &w->splits[w->n_splits++]))
			return hbp_nomem(w->err);
	}
}

/* Hosts come back, the last first; switches are only passed. */
static int insert_all(struct work *w)
{
	int64_t most = 0;
	size_t i, to;
	int ret;

	for (i = 0; i < w->n_splits; i++)
		if (w->splits[i].demand > most)
			most = w->splits[i].demand;
	ret = hbp_insertion_init(&w->ins, w->n_nodes, w->g.root, most);
	for (i = w->n_splits; !ret && i-- > 0;)
		if (is_host(w, w->splits[i].node))
			ret = hbp_insertion_add(&w->ins, &w->splits[i]);
	for (i = w->n_core; !ret && i < w->n_nodes; i++) {
		to = stands_for(w, i);
		ret = hbp_insertion_before(&w->ins, i, to, w->want[i]);
	}
	if (ret)
		return hbp_nomem(w->err);
	hbp_insertion_merge(&w->ins);
	return 0;
}

/* The flows that the plan's cuts let through. */
static void read_flows(struct work *w, const struct hbp_certificate *cuts)
{
	const struct hbp_cut *cut;
	size_t i, k, node;

	for (i = 0; i < cuts->n_cuts; i++) {
		cut = &cuts->cuts[i];
		for (k = 0; k < cut->n_nodes; k++) {
			node = hbp_platform_find(w->platform, cut->nodes[k]);
			w->flows[w->place[node]] =
				hbp_mbps_from_bps(cut->capacity_bps);
		}
	}
}

/* Do all hosts receive as much? */
static bool is_full(const struct work *w)
{
	int64_t rate;
	size_t t, v;

	for (v = 0; v < w->n_nodes; v++) {
		for (t = 0, rate = 0; t < w->ins.n; t++)
			if (w->ins.trees[t].parent[v] != HBP_NOBODY)
				rate += w->ins.trees[t].weight;
		if (hbp_mbps_from_bps(rate) < w->flows[v])
			return false;
	}
	return true;
}

/* Adds the trees that stable would have, and their rates as a second set. */
static int add_traces(struct work *w)
{
	uint32_t *parent = calloc(w->n_nodes, sizeof(*parent));
	const struct hbp_platform *p = w->platform;
	struct hbp_plan *plan;
	struct hbp_edge *edge;
	size_t t, i;
	int ret = 0;

	plan = hbp_plan_alloc(hbp_stable.name, w->rq->root,
			      w->rq->message_bytes);
	if (parent && plan)
		ret = hbp_stable.make(w->rq, plan, w->err);
	else
		ret = hbp_nomem(w->err);
	for (t = 0; !ret && t < plan->n_trees; t++) {
		for (i = 0; i < w->n_nodes; i++)
			parent[i] = HBP_NOBODY;
		parent[w->g.root] = (uint32_t)w->g.root;
		for (i = 0; i < plan->trees[t].n_edges; i++) {
			edge = &plan->trees[t].edges[i];
			parent[w->place[hbp_platform_find(p, edge->child)]] =
				(uint32_t)w->place[hbp_platform_find(p, edge->parent)];
		}
		if (hbp_insertion_append(&w->ins, parent,
					 plan->trees[t].rate_bps))
			ret = hbp_nomem(w->err);
	}
	hbp_plan_free(plan);
	free(parent);
	return ret;
}

static int add_tree(struct work *w, const struct hbp_partial *from,
		    struct hbp_plan *plan)
{
	const struct hbp_platform_node *nodes = w->platform->nodes;
	struct hbp_tree *tree;
	size_t v;
	int ret = 0;

	tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
	tree->rate_bps = from->weight;
	for (v = 0; !ret && v < w->n_nodes; v++)
		if (v != w->g.root && from->parent[v] != HBP_NOBODY)
			ret = hbp_tree_add(tree, nodes[w->nodes[from->parent[v]]].id,
					   nodes[w->nodes[v]].id, w->err);
	return ret;
}

/* What all nodes have together, each counted by its part of its flow. */
static double worth_of(const struct work *w, const struct hbp_insertion *ins)
{
	double sum = 0;
	size_t t, v;

	for (t = 0; t < ins->n; t++)
		for (v = 0; v < w->n_nodes; v++)
			if (w->flows[v] > 0 && ins->trees[t].parent[v] != HBP_NOBODY)
				sum += (double)ins->trees[t].weight / w->flows[v];
	return sum;
}

/* Trees that are made to be few, without rates; -ENOENT if there are none. */
static int make_graded(struct work *w, struct hbp_insertion *ins)
{
	const struct hbp_platform *p = w->platform;
	double *flows = calloc(p->n_hosts, sizeof(*flows));
	size_t *place = calloc(p->n_hosts, sizeof(*place)), i, root = 0;
	int ret = flows && place ? 0 : hbp_nomem(w->err);

	for (i = 0; !ret && i < p->n_hosts; i++) {
		place[i] = w->place[p->hosts[i]];
		flows[i] = w->flows[place[i]];
		root = p->hosts[i] == w->root ? i : root;
	}
	if (!ret)
		ret = hbp_graded_make(w->rq->in, root, flows, place,
				      hbp_trees_max(w->rq), ins, w->err);
	if (!ret)
		ret = hbp_insertion_span(ins, p->n_hosts);
	free(flows);
	free(place);
	return ret;
}

/* Where nodes have less than their flows, trees made to be few may serve them better. */
static int try_graded(struct work *w)
{
	struct hbp_insertion other = {
		.n_nodes = w->n_nodes, .root = w->g.root
	}, swap;
	int ret;

	if (is_full(w) || w->platform->n_hosts > CORE_MAX)
		return 0;
	ret = make_graded(w, &other);
	if (!ret)
		ret = hbp_weighing_run(w->ways, w->nodes, w->flows, &other,
				       hbp_trees_max(w->rq), w->err);
	if (!ret && worth_of(w, &other) > worth_of(w, &w->ins)) {
		swap = w->ins;
		w->ins = other;
		other = swap;
	}
	hbp_insertion_clear(&other);
	return ret == -ENOENT ? 0 : ret;
}

/* Makes the trees fit the plan and the network's routes. */
static int finish(struct work *w, struct hbp_plan *plan)
{
	double factor = 1;
	size_t t;
	int ret;

	read_flows(w, plan->certificate);
	ret = hbp_weighing_fit(w->ways, w->nodes, w->flows, &w->ins, &factor,
			       w->err);
	if (!ret && (factor < 1 || !is_full(w)))
		ret = add_traces(w);
	if (!ret)
		ret = hbp_insertion_span(&w->ins, w->platform->n_hosts);
	if (!ret)
		ret = hbp_weighing_run(w->ways, w->nodes, w->flows, &w->ins,
				       hbp_trees_max(w->rq), w->err);
	if (!ret)
		ret = try_graded(w);
	for (t = 0; !ret && t < w->ins.n; t++)
		ret = add_tree(w, &w->ins.trees[t], plan);
	return ret;
}

static int work_fill(struct work *w)
{
	size_t n = w->platform->n;

	w->nodes = calloc(n, sizeof(*w->nodes));
	w->place = calloc(n, sizeof(*w->place));
	w->widest = calloc(n, sizeof(*w->widest));
	w->degree = calloc(n, sizeof(*w->degree));
	w->want = calloc(n, sizeof(*w->want));
	w->flows = calloc(n, sizeof(*w->flows));
	w->splits = calloc(n, sizeof(*w->splits));
	if (!w->nodes || !w->place || !w->widest || !w->degree || !w->want ||
	    !w->flows || !w->splits)
		return hbp_nomem(w->err);
	find_core(w);
	return 0;
}

static void work_clear(struct work *w)
{
	while (w->n_splits)
		hbp_split_clear(&w->splits[--w->n_splits]);
	hbp_insertion_clear(&w->ins);
	hbp_splitting_clear(&w->s);
	hbp_digraph_clear(&w->g);
	free(w->nodes);
	free(w->place);
	free(w->widest);
	free(w->degree);
	free(w->want);
	free(w->flows);
	free(w->splits);
}

static int plan_graph(struct work *w, struct hbp_plan *plan)
{
	int ret;

	ret = work_fill(w);
	if (!ret && w->n_core > CORE_MAX)
		ret = -ENOENT;
	if (!ret)
		ret = fill_graph(w);
	if (!ret)
		ret = find_wants(w);
	if (!ret)
		ret = split_all(w);
	if (!ret)
		ret = insert_all(w);
	if (!ret)
		ret = finish(w, plan);
	work_clear(w);
	return ret;
}

/* What the trees of a plan do. */
static int judge(const struct hbp_request *rq, struct hbp_plan *plan,
		 struct hbp_evaluation **out, struct hbp_error *err)
{
	int ret = hbp_plan_check(plan, err);

	return ret ? ret : hbp_evaluate(plan, rq->in, HBP_MODEL_FLUID, out, err);
}

/* Is each host served as fast? */
static bool is_no_loss(const struct hbp_evaluation *its,
		       const struct hbp_evaluation *mine)
{
	size_t i;

	for (i = 0; i < mine->n; i++)
		if (its->nodes[i].rate_bps < mine->nodes[i].rate_bps)
			return false;
	return true;
}

/* Takes the trees of another plan if they serve the objective better, and no host worse. */
static int compare(const struct hbp_request *rq, struct hbp_plan *plan,
		   struct hbp_plan *other, struct hbp_error *err)
{
	struct hbp_evaluation *mine = NULL, *its = NULL;
	struct hbp_tree *trees = plan->trees;
	size_t n = plan->n_trees;
	int ret;

	ret = judge(rq, plan, &mine, err);
	if (!ret)
		ret = judge(rq, other, &its, err);
	if (!ret && hbp_objective_compare(rq->objective, its, mine) < 0 &&
	    is_no_loss(its, mine)) {
		plan->trees = other->trees;
		plan->n_trees = other->n_trees;
		other->trees = trees;
		other->n_trees = n;
	}
	hbp_evaluation_free(mine);
	hbp_evaluation_free(its);
	return ret;
}

/* What stable has may be as good for rates, and sooner. */
static int compare_stable(const struct hbp_request *rq, struct hbp_plan *plan,
			  struct hbp_error *err)
{
	struct hbp_plan *other;
	int ret;

	other = hbp_plan_alloc(hbp_stable.name, rq->root, rq->message_bytes);
	if (!other)
		return hbp_nomem(err);
	ret = hbp_stable.make(rq, other, err);
	if (!ret)
		ret = compare(rq, plan, other, err);
	hbp_plan_free(other);
	return ret;
}

static int stable_graph_make(const struct hbp_request *rq, struct hbp_plan *plan,
			     struct hbp_error *err)
{
	struct work w = {
		.rq = rq, .platform = rq->in->platform, .err = err
	};
	int ret;

	w.root = hbp_platform_find(w.platform, rq->root);
	ret = hbp_proof_flows(w.platform, w.root, plan, err);
	if (ret)
		return ret;
	w.ways = hbp_ways_alloc(w.platform);
	if (!w.ways)
		return hbp_nomem(err);
	/* On such trees of links that planner reaches the same. */
	ret = w.ways->even ? -ENOENT : plan_graph(&w, plan);
	hbp_ways_free(w.ways);
	if (!ret)
		return compare_stable(rq, plan, err);
	return ret == -ENOENT ? hbp_stable.make(rq, plan, err) : ret;
}

/*
 * The stable broadcast where links do not make a tree.
 *
 * Bang-Jensen, Frank and Jackson (Preserving and increasing local
 * edge-connectivity in mixed graphs, SIAM J. Discrete Math. 8, 1995) extend
 * Edmonds' theorem: if no node but the root has more going out than coming in,
 * there are trees from the root such that each node is in as many of them as the
 * largest flow to it has units. Switches, which cannot copy, are split off first;
 * then hosts, those that can receive least before others, until the root is
 * alone. In reverse order they are put back into the trees, which is the proof
 * of the theorem by construction, with capacities for parallel arcs, exact in
 * bit/s. Where it does not apply, because capacities are not even, or because the
 * network's routes are others than the trees would need, what is possible is
 * found by a linear program among these trees and those of stable.
 */
const struct hbp_planner hbp_stable_graph = {
	.name = "stable-graph",
	.paper = "beyond the papers (problem of 003)",
	.inputs = HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_TREES | HBP_TAKES_TOLERANCE,
	.serves = HBP_FOR(HBP_COMPLETION) | HBP_FOR(HBP_THROUGHPUT) |
		  HBP_FOR(HBP_MEAN_COMPLETION),
	.objective = "throughput of each node: the largest flow to it",
	.most_work = 25000,
	.make = stable_graph_make,
};
