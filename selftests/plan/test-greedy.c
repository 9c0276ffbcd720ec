// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The planners that grow trees step by step, against second versions of them
 * that look at every pair in every step.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define BYTES	2000
#define MOST	30	/* every tenth input; the others have up to 14 nodes */
#define NEVER	HBP_NEVER

/* A tree of rows of the matrix, in the order in which nodes came to it. */
struct slow {
	const struct hbp_costs *c;
	size_t n, root, count;
	int64_t cost[MOST][MOST];
	size_t parent[MOST], order[MOST];
	bool in[MOST], banned[MOST];
	int64_t ready[MOST];	/* for the next message */
	int64_t got[MOST];	/* has the message */
};

static void begin(struct slow *s, const struct hbp_input *in, size_t root,
		  bool distances)
{
	size_t i, j;

	memset(s, 0, sizeof(*s));
	s->c = in->costs;
	s->n = in->n;
	s->root = root;
	s->in[root] = true;
	s->order[s->count++] = root;
	for (i = 0; i < s->n; i++)
		for (j = 0; j < s->n; j++)
			s->cost[i][j] = i == j || !s->c->bandwidth_bps[i * s->n + j] ?
				NEVER : distances ? hbp_costs_delay_ns(s->c, i, j) :
				hbp_costs_pair_ns(s->c, i, j, BYTES);
}

static void add(struct slow *s, size_t from, size_t to, int64_t when)
{
	s->in[to] = true;
	s->parent[to] = from;
	s->order[s->count++] = to;
	s->got[to] = when;
	s->ready[to] = when;
}

/* Least cost from a node to one that is still to come, after the node. */
static int64_t next_hop(const struct slow *s, size_t from)
{
	int64_t least = NEVER;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!s->in[i] && !s->banned[i] && s->cost[from][i] < least)
			least = s->cost[from][i];
	return least;
}

/* Does any node that is still to come reach another such? */
static bool anyone_useful(const struct slow *s)
{
	size_t i, j;

	for (j = 0; j < s->n; j++)
		for (i = 0; i < s->n; i++)
			if (s->in[i] && !s->in[j] && s->cost[i][j] != NEVER &&
			    next_hop(s, j) != NEVER)
				return true;
	return false;
}

/* One step of earliest completion; false at the end. */
static bool step(struct slow *s, bool look)
{
	size_t from = 0, to = 0, i, j;
	int64_t best = NEVER, when;

	look = look && anyone_useful(s);
	/* Receivers outside, senders inside: the first found has the lowest ids. */
	for (j = 0; j < s->n; j++) {
		for (i = 0; i < s->n; i++) {
			if (!s->in[i] || s->in[j] || s->banned[j] ||
			    s->cost[i][j] == NEVER ||
			    (look && next_hop(s, j) == NEVER))
				continue;
			when = s->ready[i] + s->cost[i][j] +
			       (look ? next_hop(s, j) : 0);
			if (when < best) {
				best = when;
				from = i;
				to = j;
			}
		}
	}
	if (best == NEVER)
		return false;
	s->ready[from] += s->cost[from][to];
	add(s, from, to, s->ready[from]);
	return true;
}

static void ecef(struct slow *s)
{
	while (step(s, false))
		;
}

static void lookahead(struct slow *s)
{
	while (step(s, true))
		;
}

static void nearest(struct slow *s, bool or_flat)
{
	size_t from = 0, to = 0, i, j;
	int64_t best, when;

	while (s->count < s->n) {
		best = NEVER;
		for (j = 0; j < s->n; j++)
			for (i = 0; i < s->n; i++)
				if (s->in[i] && !s->in[j] && s->cost[i][j] < best) {
					best = s->cost[i][j];
					from = i;
					to = j;
				}
		when = s->got[from] + best;
		if (or_flat && s->cost[s->root][to] <= when)
			add(s, s->root, to, s->cost[s->root][to]);
		else
			add(s, from, to, when);
	}
}

static void fef(struct slow *s)
{
	nearest(s, false);
}

static void hlot(struct slow *s)
{
	nearest(s, true);
}

/* The first of two trees to reach a node decides; then sort by arrival. */
static void ttcc(struct slow *s)
{
	struct slow other = *s;
	size_t i, j, swap;

	ecef(s);
	for (i = 1; i < s->n; i++)
		other.cost[s->parent[s->order[i]]][s->order[i]] = NEVER;
	ecef(&other);
	for (i = 0; i < s->n; i++) {
		if (i == s->root || !other.in[i] || other.got[i] >= s->got[i])
			continue;
		s->parent[i] = other.parent[i];
		s->got[i] = other.got[i];
	}
	for (i = 0; i < s->n; i++) {
		for (j = 0; j + 1 < s->n; j++) {
			size_t a = s->order[j], b = s->order[j + 1];

			if (s->got[a] < s->got[b] ||
			    (s->got[a] == s->got[b] && a < b))
				continue;
			swap = s->order[j];
			s->order[j] = s->order[j + 1];
			s->order[j + 1] = swap;
		}
	}
}

static int64_t mean_cost(const struct slow *s, size_t from)
{
	int64_t sum = 0, links = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->cost[from][i] == NEVER)
			continue;
		sum += s->cost[from][i];
		links++;
	}
	return links ? sum / links : NEVER;
}

static void fnf(struct slow *s)
{
	size_t i, j, from, to;

	while (s->count < s->n) {
		to = s->n;
		for (j = 0; j < s->n; j++)
			for (i = 0; i < s->n; i++)
				if (s->in[i] && !s->in[j] && s->cost[i][j] != NEVER &&
				    (to == s->n || mean_cost(s, j) < mean_cost(s, to)))
					to = j;
		from = s->n;
		for (i = 0; i < s->n; i++)
			if (s->in[i] && s->cost[i][to] != NEVER &&
			    (from == s->n || s->ready[i] + mean_cost(s, i) <
					     s->ready[from] + mean_cost(s, from)))
				from = i;
		s->ready[from] += mean_cost(s, from);
		add(s, from, to, s->ready[from]);
	}
}

/* B: above the average of the least times, compared without dividing. */
static void ban_late(struct slow *s)
{
	int64_t least[MOST], sum = 0;
	size_t i, j;

	for (j = 0; j < s->n; j++) {
		least[j] = NEVER;
		for (i = 0; i < s->n; i++)
			least[j] = s->cost[i][j] < least[j] ? s->cost[i][j] :
				   least[j];
		sum += j == s->root ? 0 : least[j];
	}
	for (j = 0; j < s->n; j++)
		s->banned[j] = j != s->root &&
			       least[j] * (int64_t)(s->n - 1) > sum;
}

/* The pair that ends first at one of some nodes, from one of the first senders. */
static int64_t first_arrival(const struct slow *s, size_t senders, size_t least,
			     size_t most, size_t *from, size_t *to)
{
	int64_t best = NEVER, cost;
	size_t i, j, k;

	for (j = least; j <= most; j++) {
		for (i = 0; i < s->n; i++) {
			for (k = 0; k < senders && s->order[k] != i; k++)
				;
			cost = s->cost[i][j];
			if (k == senders || s->in[j] || cost == NEVER ||
			    s->got[i] + cost >= best)
				continue;
			best = s->got[i] + cost;
			*from = i;
			*to = j;
		}
	}
	return best;
}

/* B's nodes wait; then what is left joins by its earliest arrival. */
static void tps(struct slow *s)
{
	size_t i, senders, from = 0, to = 0;
	int64_t when;

	ban_late(s);
	ecef(s);
	for (i = 1; i < s->count; i++) {
		to = s->order[i];
		s->got[to] = s->got[s->parent[to]] + s->cost[s->parent[to]][to];
	}
	senders = s->count;
	for (i = 0; i < s->n; i++) {
		when = s->banned[i] ? first_arrival(s, senders, i, i, &from, &to) :
		       NEVER;
		if (when != NEVER)
			add(s, from, to, when);
	}
	while (s->count < s->n) {
		when = first_arrival(s, s->count, 0, s->n - 1, &from, &to);
		add(s, from, to, when);
	}
}

/* Number of children of each position, by asking each position for its parent. */
static void count_children(size_t n, size_t *children)
{
	size_t i;

	memset(children, 0, n * sizeof(*children));
	for (i = 1; i < n; i++)
		children[i & (i - 1)]++;
}

/* Adds edges by position: each parent's children from the last to the first. */
static void add_positions(struct slow *s, const size_t *node)
{
	size_t i;

	for (i = s->n - 1; i; i--)
		add(s, node[i & (i - 1)], node[i], 0);
}

static void spoc(struct slow *s)
{
	size_t children[MOST], node[MOST], i, at, fast, round;
	bool filled[MOST] = { true }, used[MOST] = { false };

	count_children(s->n, children);
	node[0] = s->root;
	used[s->root] = true;
	for (round = 1; round < s->n; round++) {
		at = s->n;
		fast = s->n;
		for (i = 0; i < s->n; i++) {
			if (!filled[i] &&
			    (at == s->n || children[i] > children[at]))
				at = i;
			if (!used[i] && (fast == s->n ||
					 mean_cost(s, i) < mean_cost(s, fast)))
				fast = i;
		}
		filled[at] = true;
		used[fast] = true;
		node[at] = fast;
	}
	add_positions(s, node);
}

static size_t bits(size_t x)
{
	return x ? (x & 1) + bits(x >> 1) : 0;
}

/* The position that is filled next: the last child that its parent lacks. */
static size_t next_position(const struct slow *s, const size_t *children,
			    const size_t *node, const bool *filled)
{
	size_t i, best = s->n, p;

	for (p = 0; p < s->n; p++) {
		if (!filled[p] || !children[p])
			continue;
		if (best == s->n || children[p] > children[best] ||
		    (children[p] == children[best] &&
		     (bits(p) > bits(best) ||
		      (bits(p) == bits(best) && node[p] < node[best]))))
			best = p;
	}
	for (i = s->n - 1; filled[i] || (i & (i - 1)) != best; i--)
		;
	return i;
}

static void balanced_path(struct slow *s)
{
	size_t children[MOST], node[MOST], i, at, parent, round;
	bool filled[MOST] = { true };

	count_children(s->n, children);
	node[0] = s->root;
	for (round = 1; round < s->n; round++) {
		size_t near = s->n;

		at = next_position(s, children, node, filled);
		parent = node[at & (at - 1)];
		for (i = 0; i < s->n; i++)
			if (!s->in[i] && (near == s->n ||
					  s->cost[parent][i] < s->cost[parent][near]))
				near = i;
		children[at & (at - 1)]--;
		filled[at] = true;
		node[at] = near;
		s->in[near] = true;
	}
	add_positions(s, node);
}

/* Are a plan's edges those of the slow tree, each parent's in the same order? */
static bool agrees(const struct hbp_plan *plan, const struct slow *s)
{
	struct hbp_plan *same = hbp_plan_alloc("slow", plan->root, BYTES);
	struct hbp_tree *tree = hbp_plan_add_tree(same, 0);
	const struct hbp_tree *want = &plan->trees[0];
	struct hbp_error err;
	bool good;
	size_t i;

	for (i = 1; i < s->n; i++)
		hbp_tree_add(tree, s->c->nodes[s->parent[s->order[i]]].id,
			     s->c->nodes[s->order[i]].id, &err);
	if (hbp_plan_check(same, &err))
		tap_bail_out("%s", err.text);
	good = plan->n_trees == 1 && tree->n_edges == want->n_edges;
	for (i = 0; good && i < tree->n_edges; i++)
		good = tree->edges[i].parent == want->edges[i].parent &&
		       tree->edges[i].child == want->edges[i].child;
	hbp_plan_free(same);
	return good;
}

static const struct {
	const char *name;
	void (*slow)(struct slow *s);
	bool distances;
	bool needs_links;	/* refuses to join a pair without a link */
} planners[] = {
	{ "fef", fef, false, false },
	{ "ecef", ecef, false, false },
	{ "lookahead", lookahead, false, false },
	{ "ttcc", ttcc, false, false },
	{ "hlot", hlot, true, false },
	{ "fnf", fnf, false, false },
	{ "tps", tps, false, false },
	{ "spoc", spoc, false, true },
	{ "balanced-path", balanced_path, true, true },
};

#define ROUNDS	300

static void check_planner(size_t which, uint64_t seed)
{
	size_t round, n, root, tried = 0, right = 0;
	struct luck luck = { seed };
	struct hbp_input *in;
	struct hbp_plan *plan;
	bool holes;

	for (round = 0; round < ROUNDS; round++) {
		struct slow s;

		holes = round & 1 && !planners[which].needs_links;
		n = 2 + draw_below(&luck, (round % 10 ? 14 : MOST) - 1);
		root = draw_below(&luck, (uint32_t)n);
		in = random_costs(&luck, n, holes);
		begin(&s, in, root, planners[which].distances);
		planners[which].slow(&s);
		plan = make_plan(in, planners[which].name, in->members[root],
				 BYTES);
		tried++;
		right += agrees(plan, &s);
		hbp_plan_free(plan);
		hbp_input_free(in);
	}
	ok(tried == ROUNDS && right == tried,
	   "%s: %zu of %d trees of seed %llu as by the second version",
	   planners[which].name, right, ROUNDS, (unsigned long long)seed);
}

/* What hlot is for: nobody is farther away than in the flat tree. */
static void check_hlot_is_near(void)
{
	size_t round, i, nodes = 0, near = 0;
	struct luck luck = { 40 };

	for (round = 0; round < 100; round++) {
		struct hbp_input *in = random_costs(&luck, 2 + round % 12, false);
		struct hbp_plan *plan = make_plan(in, "hlot", 10, BYTES);
		struct hbp_evaluation *e;

		e = evaluate_by(HBP_MODEL_PATH, plan, in);
		for (i = 0; i < e->n; i++, nodes++)
			near += e->nodes[i].completion_ns <=
				hbp_costs_delay_ns(in->costs, 0,
						   hbp_input_find(in, e->nodes[i].id));
		hbp_evaluation_free(e);
		hbp_plan_free(plan);
		hbp_input_free(in);
	}
	ok(nodes > 400 && near == nodes,
	   "hlot: no node is farther from the root than in the flat tree");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(planners) / sizeof(planners[0]); i++)
		check_planner(i, 20 + i);
	check_hlot_is_near();
	return tap_done();
}
