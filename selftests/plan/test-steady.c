// SPDX-License-Identifier: GPL-2.0-or-later
/* The planners of paper 001, beside its pseudocode written once more. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define BYTES	8000000
#define MOST	8
#define ROUNDING	0.00001	/* Mbit/s */

/*
 * A graph as the paper has it: T[u][v] is 0 where there is no edge. Bandwidths
 * of the tests are powers of 2, so that sums of times are exact.
 */
struct graph {
	size_t n, root;
	double t[MOST][MOST];
	bool edge[MOST][MOST];
};

static void take_costs(struct graph *g, const struct hbp_input *in, size_t root)
{
	const struct hbp_costs *c = in->costs;
	size_t u, v;

	memset(g, 0, sizeof(*g));
	g->n = c->n;
	g->root = root;
	for (u = 0; u < g->n; u++) {
		for (v = 0; v < g->n; v++) {
			int64_t bps = c->bandwidth_bps[u * c->n + v];

			g->edge[u][v] = u != v && bps;
			if (g->edge[u][v])
				g->t[u][v] = 1e6 / (double)bps;
		}
	}
}

static size_t count(const struct graph *g)
{
	size_t u, v, n = 0;

	for (u = 0; u < g->n; u++)
		for (v = 0; v < g->n; v++)
			n += g->edge[u][v];
	return n;
}

static bool connected(const struct graph *g)
{
	bool seen[MOST] = { false };
	size_t u, v, round, n = 1;

	seen[g->root] = true;
	for (round = 0; round < g->n; round++)
		for (u = 0; u < g->n; u++)
			for (v = 0; v < g->n; v++)
				if (seen[u] && g->edge[u][v] && !seen[v]) {
					seen[v] = true;
					n++;
				}
	return n == g->n;
}

static bool try_without(struct graph *g, size_t u, size_t v)
{
	g->edge[u][v] = false;
	if (connected(g))
		return true;
	g->edge[u][v] = true;
	return false;
}

/* SIMPLE-PLATFORM-PRUNING, by classes of weights from the largest down. */
static void simple_prune(struct graph *g)
{
	static const double weights[] = { 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0 };
	size_t w, u, v;

	while (count(g) > g->n - 1)
		for (w = 0; w < 4; w++)
			for (v = 0; v < g->n; v++)
				for (u = 0; u < g->n; u++)
					if (g->edge[u][v] && g->t[u][v] == weights[w])
						try_without(g, u, v);
}

static double out_degree(const struct graph *g, size_t u)
{
	double sum = 0;
	size_t v;

	for (v = 0; v < g->n; v++)
		sum += g->edge[u][v] ? g->t[u][v] : 0;
	return sum;
}

/* One edge of a node, the heaviest first, then the lower receiver. */
static bool prune_node(struct graph *g, size_t u)
{
	bool tried[MOST] = { false };
	size_t v, best;

	for (;;) {
		for (v = 0, best = MOST; v < g->n; v++)
			if (g->edge[u][v] && !tried[v] &&
			    (best == MOST || g->t[u][v] > g->t[u][best]))
				best = v;
		if (best == MOST)
			return false;
		tried[best] = true;
		if (try_without(g, u, best))
			return true;
	}
}

/* REFINED-PLATFORM-PRUNING */
static void refined_prune(struct graph *g)
{
	while (count(g) > g->n - 1) {
		bool tried[MOST] = { false };
		size_t u, best;

		do {
			for (u = 0, best = MOST; u < g->n; u++)
				if (!tried[u] &&
				    (best == MOST ||
				     out_degree(g, u) > out_degree(g, best)))
					best = u;
			tried[best] = true;
		} while (!prune_node(g, best));
	}
}

/* What the sender's period becomes: the sum of times, or the multi-port one. */
static double metric(const struct graph *g, const struct graph *tree, size_t u,
		     size_t v, bool multi)
{
	double sum = g->t[u][v], most = sum, least = sum;
	size_t w, children = 1;

	for (w = 0; w < g->n; w++) {
		if (g->edge[u][w] && g->t[u][w] < least)
			least = g->t[u][w];
		if (!tree->edge[u][w])
			continue;
		children++;
		sum += g->t[u][w];
		most = g->t[u][w] > most ? g->t[u][w] : most;
	}
	if (!multi)
		return sum;
	/* In fifths, which are exact. */
	return (double)(4 * children) * least > 5 * most ?
	       (double)(4 * children) * least : 5 * most;
}

/* GROWING-MINIMUM-WEIGHTED-OUT-DEGREE-TREE */
static void grow(struct graph *g, bool multi)
{
	struct graph tree = { .n = g->n, .root = g->root };
	bool in[MOST] = { false };
	size_t u, v, bu, bv;
	double least, mine;

	in[g->root] = true;
	do {
		for (v = 0, bv = MOST, bu = 0, least = 0; v < g->n; v++) {
			for (u = 0; u < g->n; u++) {
				if (!in[u] || in[v] || !g->edge[u][v])
					continue;
				mine = metric(g, &tree, u, v, multi);
				if (bv == MOST || mine < least) {
					bu = u;
					bv = v;
					least = mine;
				}
			}
		}
		if (bv != MOST) {
			tree.edge[bu][bv] = true;
			in[bv] = true;
		}
	} while (bv != MOST);
	memcpy(g->edge, tree.edge, sizeof(tree.edge));
}

/* The same with the update as the slides print it: cost(u,w) += cost(u,v). */
static void grow_literally(struct graph *g)
{
	struct graph tree = { .n = g->n, .root = g->root };
	bool in[MOST] = { false };
	size_t u, v, w, bu, bv;
	double cost[MOST][MOST], added;

	memcpy(cost, g->t, sizeof(cost));
	in[g->root] = true;
	do {
		for (v = 0, bv = MOST, bu = 0; v < g->n; v++)
			for (u = 0; u < g->n; u++)
				if (in[u] && !in[v] && g->edge[u][v] &&
				    (bv == MOST || cost[u][v] < cost[bu][bv])) {
					bu = u;
					bv = v;
				}
		if (bv == MOST)
			break;
		tree.edge[bu][bv] = true;
		in[bv] = true;
		added = cost[bu][bv];
		for (w = 0; w < g->n; w++)
			cost[bu][w] += added;
	} while (true);
	memcpy(g->edge, tree.edge, sizeof(tree.edge));
}

static struct hbp_plan *plan_with(struct hbp_input *in, const char *name,
				  size_t root, enum hbp_ports ports)
{
	struct hbp_request rq = {
		.in = in, .root = in->members[root], .message_bytes = BYTES,
		.ports = ports
	};

	return plan_by(name, &rq);
}

static bool same_edges(const struct graph *g, const struct hbp_input *in,
		       const struct hbp_plan *plan)
{
	const struct hbp_tree *tree = &plan->trees[0];
	size_t i;

	for (i = 0; i < tree->n_edges; i++)
		if (!g->edge[hbp_input_find(in, tree->edges[i].parent)]
			    [hbp_input_find(in, tree->edges[i].child)])
			return false;
	return count(g) == tree->n_edges;
}

static void check_literal(void)
{
	size_t round, same = 0, other = 0;
	struct luck luck = { 33 };
	struct graph g, h;

	for (round = 0; round < 500; round++) {
		size_t n = 2 + round % 7, root = draw_below(&luck, (uint32_t)n);
		struct hbp_input *in = random_costs(&luck, n, round & 1);
		struct hbp_request rq = {
			.in = in, .root = in->members[root], .message_bytes = BYTES,
			.ports = HBP_ONE_PORT, .update = HBP_UPDATE_LITERAL
		};
		struct hbp_plan *plan = plan_by("grow", &rq);

		take_costs(&g, in, root);
		h = g;
		grow_literally(&g);
		grow(&h, false);
		same += same_edges(&g, in, plan);
		other += memcmp(g.edge, h.edge, sizeof(g.edge)) != 0;
		hbp_plan_free(plan);
		hbp_input_free(in);
	}
	printf("# seed 33\n");
	ok(same == 500 && other, "grow, literally: as the slides print it, %zu times another tree",
	   other);
}

static void check_pseudocode(void)
{
	static const char *const names[] = {
		"simple-prune", "refined-prune", "grow", "multiport-grow"
	};
	size_t round, i, same[4] = { 0 };
	struct luck luck = { 31 };

	for (round = 0; round < 500; round++) {
		size_t n = 2 + round % 7, root = draw_below(&luck, (uint32_t)n);
		struct hbp_input *in = random_costs(&luck, n, round & 1);

		for (i = 0; i < 4; i++) {
			struct hbp_plan *plan = plan_with(in, names[i], root,
							  HBP_ONE_PORT);
			struct graph g;

			take_costs(&g, in, root);
			if (i == 0)
				simple_prune(&g);
			else if (i == 1)
				refined_prune(&g);
			else
				grow(&g, i == 3);
			same[i] += same_edges(&g, in, plan);
			hbp_plan_free(plan);
		}
		hbp_input_free(in);
	}
	printf("# seed 31\n");
	for (i = 0; i < 4; i++)
		if (!ok(same[i] == 500, "%s: as the pseudocode has it", names[i]))
			printf("# %zu of 500\n", same[i]);
}

/* The rate of a tree by the slides' formulas. */
static double tree_rate(const struct graph *g, const size_t *parent, bool multi)
{
	double period = 0, mine, least;
	size_t u, v, children;

	for (u = 0; u < g->n; u++) {
		for (v = 0, mine = 0, children = 0, least = 1e300; v < g->n; v++) {
			if (g->edge[u][v] && g->t[u][v] < least)
				least = g->t[u][v];
			if (v == g->root || parent[v] != u)
				continue;
			children++;
			if (!multi)
				mine += g->t[u][v];
			else if (g->t[u][v] > mine)
				mine = g->t[u][v];
		}
		if (multi && (double)children * 0.8 * least > mine)
			mine = (double)children * 0.8 * least;
		period = mine > period ? mine : period;
	}
	return 1 / period;
}

static bool is_tree(const struct graph *g, const size_t *parent)
{
	size_t v, at, steps;

	for (v = 0; v < g->n; v++) {
		for (at = v, steps = 0; at != g->root; steps++) {
			if (steps == g->n || !g->edge[parent[at]][at])
				return false;
			at = parent[at];
		}
	}
	return true;
}

/* The best single tree, of all. */
static double best_tree(const struct graph *g, bool multi)
{
	size_t parent[MOST] = { 0 }, v;
	double best = 0, rate;

	for (;;) {
		if (is_tree(g, parent)) {
			rate = tree_rate(g, parent, multi);
			best = rate > best ? rate : best;
		}
		for (v = 0; v < g->n; v++) {
			if (v == g->root)
				continue;
			if (++parent[v] < g->n)
				break;
			parent[v] = 0;
		}
		if (v == g->n)
			return best;
	}
}

struct tally {
	size_t plans, fair, bounded;
	double sum;		/* of rates over those of the best tree */
};

static void judge(struct hbp_input *in, size_t root, bool multi,
		  const char *name, struct tally *t)
{
	enum hbp_ports ports = multi ? HBP_MULTI_PORT : HBP_ONE_PORT;
	struct hbp_plan *plan = plan_with(in, name, root, ports);
	struct hbp_plan *best = plan_with(in, "mtp", root, ports);
	size_t parent[MOST] = { 0 }, i;
	struct graph g;
	double rate, optimum;

	take_costs(&g, in, root);
	for (i = 0; i < plan->trees[0].n_edges; i++)
		parent[hbp_input_find(in, plan->trees[0].edges[i].child)] =
			hbp_input_find(in, plan->trees[0].edges[i].parent);
	rate = (double)plan->trees[0].rate_bps / 1e6;
	optimum = best_tree(&g, multi);
	t->plans++;
	/* The model says what the formulas say, rounded down. */
	t->fair += is_tree(&g, parent) && plan->n_trees == 1 &&
		   tree_rate(&g, parent, multi) - rate < ROUNDING &&
		   tree_rate(&g, parent, multi) - rate > -ROUNDING;
	t->bounded += rate <= optimum + ROUNDING &&
		      optimum * 1e6 <= (double)best->bound_bps + 1;
	t->sum += rate / optimum;
	hbp_plan_free(plan);
	hbp_plan_free(best);
}

static void check_against_all_trees(void)
{
	static const char *const names[] = {
		"simple-prune", "refined-prune", "grow", "multiport-grow",
		"lp-prune", "lp-grow"
	};
	struct luck luck = { 32 };
	struct tally t = { 0 };
	size_t round, i;

	for (round = 0; round < 60; round++) {
		size_t n = 2 + round % 4, root = draw_below(&luck, (uint32_t)n);
		struct hbp_input *in = random_costs(&luck, n, round & 4);

		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			judge(in, root, false, names[i], &t);
			judge(in, root, true, names[i], &t);
		}
		hbp_input_free(in);
	}
	printf("# seed 32, on average at %.3f of the best tree\n",
	       t.sum / (double)t.plans);
	ok(t.plans == 720 && t.fair == t.plans,
	   "the models say what the slides' formulas say");
	ok(t.bounded == t.plans,
	   "no tree beats the best of all trees, which does not beat mtp");
	ok(t.sum > 0.8 * (double)t.plans, "trees are near the best of all trees");
}

/*
 * 1 sends 16 Mbit/s to 2 and 8 to 3, 2 sends 8 to 3. The star keeps 1 busy for
 * 1/16 + 1/8 of each Mbit/s, the chain nobody for more than 1/8: at 8 Mbit/s node
 * 3 has all that it can receive, so that no other tree adds anything.
 */
static const char triangle[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':1},{'id':2},{'id':3}],\n"
	"'latency_us':[[0,1,1],[1,0,1],[1,1,0]],\n"
	"'bandwidth_mbps':[[null,16,8],[null,null,8],[null,null,null]]}";

static void check_by_hand(void)
{
	static const char *const names[] = {
		"refined-prune", "grow", "lp-prune", "lp-grow"
	};
	struct hbp_input *in = make_input(triangle);
	struct hbp_plan *plan;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		plan = plan_with(in, names[i], 0, HBP_ONE_PORT);
		ok(edges_are(plan, "1-2 2-3") &&
		   plan->trees[0].rate_bps == 8000000, "%s: by hand", names[i]);
		hbp_plan_free(plan);
	}
	/* Of two edges into 3 alike the one of the lower sender goes first. */
	plan = plan_with(in, "simple-prune", 0, HBP_ONE_PORT);
	ok(edges_are(plan, "1-2 2-3"), "simple-prune: ties go to the lower id");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

int main(void)
{
	check_pseudocode();
	check_literal();
	check_against_all_trees();
	check_by_hand();
	return tap_done();
}
