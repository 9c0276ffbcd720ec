// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small cases by brute force: all trees, all paths and all cuts, against the
 * models, bounds and flows of the library.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define MOST	6

/* Node i's parent; node @root has none. */
struct shape {
	size_t n, root;
	size_t parent[MOST];
};

static bool is_tree(const struct shape *s)
{
	size_t i, at, steps;

	for (i = 0; i < s->n; i++) {
		for (at = i, steps = 0; at != s->root && steps < s->n; steps++)
			at = s->parent[at];
		if (at != s->root)
			return false;
	}
	return true;
}

/* The next tuple of parents; false after the last. */
static bool next_shape(struct shape *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (i == s->root)
			continue;
		if (++s->parent[i] < s->n)
			return true;
		s->parent[i] = 0;
	}
	return false;
}

static struct hbp_plan *plan_from(const struct shape *s,
				  const struct hbp_input *in, uint64_t bytes)
{
	struct hbp_plan *plan = hbp_plan_alloc("all", in->members[s->root],
					       bytes);
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	struct hbp_error err;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (i != s->root)
			hbp_tree_add(tree, in->members[s->parent[i]],
				     in->members[i], &err);
	if (hbp_plan_check(plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

/*
 * Paper 002's model once more: latency + overheads + size / bandwidth in us; and
 * with no bytes that of paper 000.
 */
static double path_time(const struct shape *s, const struct hbp_costs *c,
			size_t node, uint64_t bytes)
{
	size_t p = s->parent[node], cell;

	if (node == s->root)
		return 0;
	cell = p * c->n + node;
	if (!c->bandwidth_bps[cell])
		return -1e300;
	return path_time(s, c, p, bytes) + (double)c->latency_ns[cell] / 1e3 +
	       (double)c->nodes[p].send_overhead_ns / 1e3 +
	       (double)c->nodes[node].recv_overhead_ns / 1e3 +
	       (double)bytes * 8 / ((double)c->bandwidth_bps[cell] / 1e6);
}

struct tally {
	size_t trees, planned, same, above;
	int64_t best;	/* the earliest that the last node of any tree is done */
};

static bool near(double a, double b)
{
	return a - b < 0.01 && b - a < 0.01;
}

static void judge_tree(struct hbp_input *in, const struct shape *s,
		       uint64_t bytes, const int64_t *bounds, struct tally *t)
{
	struct hbp_plan *plan = plan_from(s, in, bytes);
	bool possible = true, same = true, above = true;
	struct hbp_evaluation *e;
	struct hbp_error err;
	size_t i, at;
	double us;

	t->trees++;
	for (i = 0; i < s->n; i++)
		possible = possible && path_time(s, in->costs, i, bytes) >= 0;
	if (hbp_evaluate(plan, in, HBP_MODEL_COMPLETION, &e, &err)) {
		/* A refusal is right if the tree uses a pair without a link. */
		t->same += !possible;
		t->above += !possible;
		hbp_plan_free(plan);
		return;
	}
	t->planned++;
	if (hbp_evaluation_slowest(e)->completion_ns < t->best)
		t->best = hbp_evaluation_slowest(e)->completion_ns;
	for (i = 0; i < e->n; i++) {
		at = hbp_input_find(in, e->nodes[i].id);
		us = path_time(s, in->costs, at, bytes);
		same = same && near((double)e->nodes[i].completion_ns / 1e3, us);
		above = above && e->nodes[i].completion_ns >= bounds[at] &&
			e->nodes[i].bound_ns == bounds[at];
	}
	hbp_evaluation_free(e);
	e = evaluate_by(HBP_MODEL_PATH, plan, in);
	for (i = 0; i < e->n; i++) {
		at = hbp_input_find(in, e->nodes[i].id);
		same = same && near((double)e->nodes[i].completion_ns / 1e3,
				    path_time(s, in->costs, at, 0));
		above = above && e->nodes[i].completion_ns >= e->nodes[i].bound_ns;
	}
	t->same += possible && same;
	t->above += above;
	hbp_evaluation_free(e);
	hbp_plan_free(plan);
}

/* Widest and shortest of all simple paths, by trying all. */
static void try_paths(const struct hbp_costs *c, size_t at, size_t to,
		      unsigned int seen, int64_t width, int64_t delay,
		      int64_t *widest, int64_t *shortest)
{
	size_t i, cell;

	if (at == to) {
		if (width > *widest)
			*widest = width;
		if (delay < *shortest)
			*shortest = delay;
		return;
	}
	for (i = 0; i < c->n; i++) {
		cell = at * c->n + i;
		if (seen & 1u << i || !c->bandwidth_bps[cell])
			continue;
		try_paths(c, i, to, seen | 1u << i,
			  c->bandwidth_bps[cell] < width ?
			  c->bandwidth_bps[cell] : width,
			  delay + c->latency_ns[cell] +
			  c->nodes[at].send_overhead_ns +
			  c->nodes[i].recv_overhead_ns, widest, shortest);
	}
}

static bool bound_is_right(const struct hbp_costs *c, size_t root, size_t to,
			   uint64_t bytes, int64_t bound)
{
	int64_t widest = 0, shortest = INT64_MAX;

	if (root == to)
		return !bound;
	try_paths(c, root, to, 1u << root, INT64_MAX, 0, &widest, &shortest);
	return near((double)bytes * 8e6 / (double)widest +
		    (double)shortest / 1e3, (double)bound / 1e3);
}

/* No planner of one tree beats the best of all trees. */
static bool nobody_beats(struct hbp_input *in, uint32_t root, uint64_t bytes,
			 int64_t best, size_t *plans)
{
	struct hbp_request rq = {
		.in = in, .root = root, .message_bytes = bytes
	};
	const struct hbp_planner *const *planners;
	struct hbp_error err;
	struct hbp_plan *plan;
	bool good = true;
	size_t n, i;

	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		if (!(planners[i]->inputs & HBP_INPUT_COSTS) ||
		    hbp_plan_make(planners[i], &rq, &plan, &err))
			continue;
		if (plan->n_trees == 1 &&
		    plan->predicted->model == HBP_MODEL_COMPLETION) {
			++*plans;
			good = good && best <=
			       hbp_evaluation_slowest(plan->predicted)->completion_ns;
		}
		hbp_plan_free(plan);
	}
	return good;
}

/* n^(n-2) labelled trees of each of 2 to 6 nodes: 1 + 3 + 16 + 125 + 1296. */
static void check_costs(void)
{
	struct luck luck = { 2 };
	struct tally t = { 0 };
	size_t n, round, i, bounds_right = 0, nodes = 0, plans = 0, beaten = 0;
	int64_t bounds[MOST];
	struct hbp_error err;

	for (round = 0; round < 12; round++) {
		for (n = 2; n <= MOST; n++) {
			struct hbp_input *in = random_costs(&luck, n, round & 1);
			struct shape s = { .n = n, .root = round % n };
			uint64_t bytes = 1000 << round;

			if (hbp_bounds(in, in->members[s.root], bytes, bounds,
				       &err))
				tap_bail_out("%s", err.text);
			for (i = 0; i < n; i++, nodes++)
				bounds_right += bound_is_right(in->costs, s.root,
							       i, bytes,
							       bounds[i]);
			t.best = HBP_NEVER;
			do {
				if (is_tree(&s))
					judge_tree(in, &s, bytes, bounds, &t);
			} while (next_shape(&s));
			beaten += !nobody_beats(in, in->members[round % n], bytes,
						t.best, &plans);
			hbp_input_free(in);
		}
	}
	printf("# %zu trees, %zu of them have all links\n", t.trees, t.planned);
	ok(t.trees == 12 * 1441 && t.planned > 6 * 1441,
	   "costs: all trees were tried");
	ok(t.same == t.trees, "costs: the model agrees with a second one");
	ok(t.above == t.trees, "costs: no tree beats its bound");
	ok(plans > 60 * 7 && !beaten,
	   "costs: none of %zu plans beats the best of all trees", plans);
	ok(bounds_right == nodes, "costs: bounds agree with all paths");
}

/* Smallest cut that parts source from sink, by trying all. */
static int64_t smallest_cut(const struct hbp_platform *p, size_t source,
			    size_t sink)
{
	int64_t best = INT64_MAX, sum;
	unsigned int set;
	size_t i;

	for (set = 0; set < 1u << p->n; set++) {
		if (!(set >> source & 1) || set >> sink & 1)
			continue;
		sum = 0;
		for (i = 0; i < p->n_links; i++)
			if (set >> p->links[i].from & 1 &&
			    !(set >> p->links[i].to & 1))
				sum += p->links[i].bandwidth_bps;
		if (sum < best)
			best = sum;
	}
	return best;
}

static void check_flows(void)
{
	size_t round, flows = 0, right = 0, s, t;
	struct luck luck = { 3 };

	for (round = 0; round < 60; round++) {
		struct hbp_input *in = random_platform(&luck, 2 + round % 4,
						       1 + round % 5, round % 7,
						       false);
		const struct hbp_platform *p = in->platform;
		struct hbp_flow *flow = hbp_flow_alloc(p);

		for (s = 0; s < p->n; s++) {
			for (t = 0; t < p->n; t++) {
				if (s == t)
					continue;
				right += hbp_flow_max(flow, s, t) ==
					 smallest_cut(p, s, t);
				flows++;
			}
		}
		hbp_flow_free(flow);
		hbp_input_free(in);
	}
	ok(flows > 2000 && right == flows,
	   "flows: %zu largest flows are the smallest cuts", flows);
}

/* Does an edge of a tree pass a link: walk the route back from its end. */
static bool passes(const struct hbp_platform *p, struct hbp_routes *routes,
		   const struct hbp_edge *edge, size_t link)
{
	size_t at = hbp_platform_find(p, edge->child);

	hbp_routes_find(p, hbp_platform_find(p, edge->parent), false, routes);
	for (; at != routes->source; at = p->links[routes->last[at]].from)
		if (routes->last[at] == link)
			return true;
	return false;
}

static double rate_of(const struct hbp_evaluation *e, uint32_t id)
{
	size_t at = hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), id);

	return at == HBP_NONE ? 1e300 : (double)e->nodes[at].rate_bps;
}

/*
 * What makes rates max-min fair: no link is overloaded, nobody is faster than
 * its parent, and every edge is either as fast as its parent or passes a full
 * link on which nobody is faster. Rates are rounded down to 1 bit/s.
 */
static bool is_fair(const struct hbp_input *in, const struct hbp_plan *plan,
		    const struct hbp_evaluation *e)
{
	const struct hbp_platform *p = in->platform;
	struct hbp_routes *routes = hbp_routes_alloc(p);
	const struct hbp_tree *tree = &plan->trees[0];
	bool held[MOST] = { false }, fair = true;
	size_t link, i;

	for (i = 0; i < tree->n_edges; i++) {
		double mine = rate_of(e, tree->edges[i].child);
		double above = rate_of(e, tree->edges[i].parent);

		fair = fair && mine <= above + 1;
		held[i] = mine >= above - 1;
	}
	for (link = 0; link < p->n_links; link++) {
		double sum = 0, most = 0;
		bool on[MOST] = { false };

		for (i = 0; i < tree->n_edges; i++) {
			double rate = rate_of(e, tree->edges[i].child);

			on[i] = passes(p, routes, &tree->edges[i], link);
			sum += on[i] ? rate : 0;
			most = on[i] && rate > most ? rate : most;
		}
		fair = fair && sum <= (double)p->links[link].bandwidth_bps + 1;
		for (i = 0; i < tree->n_edges; i++)
			if (on[i] && sum >= (double)p->links[link].bandwidth_bps - MOST &&
			    rate_of(e, tree->edges[i].child) >= most - 1)
				held[i] = true;
	}
	for (i = 0; i < tree->n_edges; i++)
		fair = fair && held[i];
	hbp_routes_free(routes);
	return fair;
}

static void check_fluid(void)
{
	size_t round, trees = 0, fair = 0, above = 0, i, good;
	struct luck luck = { 4 };
	struct hbp_evaluation *e;

	for (round = 0; round < 40; round++) {
		struct shape s = { .n = 3 + round % 3, .root = round % 3 };
		struct hbp_input *in = random_platform(&luck, s.n, 1 + round % 4,
						       round % 5, false);

		do {
			struct hbp_plan *plan;

			if (!is_tree(&s))
				continue;
			plan = plan_from(&s, in, 100000);
			e = evaluate_by(HBP_MODEL_FLUID, plan, in);
			trees++;
			fair += is_fair(in, plan, e);
			for (i = 0, good = 0; i < e->n; i++)
				good += e->nodes[i].completion_ns >=
					e->nodes[i].bound_ns;
			above += good == e->n;
			hbp_evaluation_free(e);
			hbp_plan_free(plan);
		} while (next_shape(&s));
		hbp_input_free(in);
	}
	ok(trees > 1500 && fair == trees,
	   "fluid: the rates of %zu trees are max-min fair", trees);
	ok(above == trees, "fluid: no tree beats its bound");
}

int main(void)
{
	check_costs();
	check_flows();
	check_fluid();
	return tap_done();
}
