// SPDX-License-Identifier: GPL-2.0-or-later
/* The planners of paper 003, and plans of several trees sent in stages. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "levels.h"

#define BYTES	7500000		/* 60 Mbit */
#define MOST	64

static struct hbp_plan *plan_with(struct hbp_input *in, const char *name,
				  uint32_t root, unsigned int trees,
				  uint64_t seed)
{
	struct hbp_request rq = {
		.in = in, .root = root, .message_bytes = BYTES,
		.trees = trees, .seed = seed
	};

	return plan_by(name, &rq);
}

/* Trees written "3: 1-2 2-3; 2: 1-3", rates in Mbit/s. */
static bool trees_are(const struct hbp_plan *plan, const char *want)
{
	char *got = NULL;
	size_t len, t, i;
	FILE *f;

	f = open_memstream(&got, &len);
	for (t = 0; t < plan->n_trees; t++) {
		fprintf(f, "%s%g:", t ? "; " : "",
			hbp_mbps_from_bps(plan->trees[t].rate_bps));
		for (i = 0; i < plan->trees[t].n_edges; i++)
			fprintf(f, " %u-%u", plan->trees[t].edges[i].parent,
				plan->trees[t].edges[i].child);
	}
	fclose(f);
	return text_is("trees", got, want);
}

/*
 * A platform like the paper's figure 2, whose text tells four trees, of which
 * the first has 3 and is limited by D0 and the second 2, and that D1 receives 7.
 * S is 1, D0 to D4 are 2 to 6. S, D0 and D1 are at switch 10, the others at
 * switch 11. Ways are 3, 7, 5, 9 and 9 wide.
 */
static const char figure_2[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'},\n"
	"{'id':4,'kind':'host'},{'id':5,'kind':'host'},{'id':6,'kind':'host'},\n"
	"{'id':10,'kind':'switch'},{'id':11,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':10,'bandwidth_mbps':10,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':10,'bandwidth_mbps':3,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':10,'bandwidth_mbps':7,'latency_us':1,'symmetric':true},\n"
	"{'from':4,'to':11,'bandwidth_mbps':5,'latency_us':1,'symmetric':true},\n"
	"{'from':5,'to':11,'bandwidth_mbps':9,'latency_us':1,'symmetric':true},\n"
	"{'from':6,'to':11,'bandwidth_mbps':12,'latency_us':1,'symmetric':true},\n"
	"{'from':10,'to':11,'bandwidth_mbps':9,'latency_us':1,'symmetric':true}]}";

#define FOUR_TREES "3: 1-2 2-3 3-4 4-5 5-6; 2: 1-3 3-4 4-5 5-6; 2: 1-3 3-5 5-6; 2: 1-5 5-6"

static void check_figure_2(void)
{
	static const int64_t done[] = {
		/*
		 * 60 Mbit at 3, 7, 5, 9 and 9, after the ways of the trees of
		 * the last stage that brings something: 1-2 2 us, 1-2-3 4 us
		 * (the first tree has part in every stage), 1-2-3-4 7, -5 9, -6 11.
		 */
		20000002000, 8571432571, 12000007000, 6666675667, 6666677667
	};
	struct hbp_input *in = make_input(figure_2);
	struct hbp_plan *plan = plan_with(in, "stable", 1, 0, 0);
	const struct hbp_figure *f = plan->predicted->nodes;
	bool right = true;
	size_t i;

	ok(trees_are(plan, FOUR_TREES), "stable: four trees");
	for (i = 0; i < 5; i++) {
		if (llabs(f[i].completion_ns - done[i]) > 1)
			printf("# node %u at %lld, not %lld\n", f[i].id,
			       (long long)f[i].completion_ns, (long long)done[i]);
		right = right && llabs(f[i].completion_ns - done[i]) <= 1;
	}
	ok(right, "stable: each at the bandwidth of its way");
	hbp_plan_free(plan);
	/* 3 for all; 9 for two adds 12, 7 for three 12: the lower level. */
	plan = plan_with(in, "stable", 1, 2, 0);
	ok(trees_are(plan, "3: 1-2 2-3 3-4 4-5 5-6; 4: 1-3 3-5 5-6"),
	   "stable: two trees, the best sum of rates, then the lower rate");
	hbp_plan_free(plan);
	plan = plan_with(in, "fpfr", 1, 0, 0);
	ok(trees_are(plan, "3: 1-2 2-3 3-4 4-5 5-6"),
	   "fpfr: on a tree of links the chain");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static struct hbp_plan *plan_of_trees(const char *text, uint32_t root)
{
	struct hbp_plan *plan = hbp_plan_alloc("test", root, BYTES);
	struct hbp_tree *tree;
	struct hbp_error err;
	double mbps;
	int len;

	while (sscanf(text, "%lf:%n", &mbps, &len) == 1) {
		tree = hbp_plan_add_tree(plan, (unsigned int)plan->n_trees);
		tree->rate_bps = hbp_bps_from_mbps(mbps);
		text = add_edges(tree, text + len);
		text += strspn(text, "; ");
	}
	if (hbp_plan_check(plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

/* Root 1 and hosts 2, 3, 4 at one switch; links of 100 Mbit/s and 1 us. */
static const char star[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':9,'kind':'switch'},\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
	"{'id':3,'kind':'host'},{'id':4,'kind':'host'}],'links':[\n"
	"{'from':1,'to':9,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':9,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':9,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':4,'to':9,'bandwidth_mbps':100,'latency_us':1,'symmetric':true}]}";

/*
 * What a plan predicts, 60 Mbit: nodes 2, 3, 4 in seconds and Mbit/s, after
 * latencies of 2 us.
 */
static void check_stages(const char *what, const char *trees, const double *done,
			 const double *mbps)
{
	struct hbp_input *in = make_input(star);
	struct hbp_plan *plan = plan_of_trees(trees, 1);
	struct hbp_evaluation *e;
	bool right = true;
	size_t i;

	e = evaluate_by(HBP_MODEL_FLUID, plan, in);
	for (i = 0; i < 3; i++) {
		int64_t ns = (int64_t)(done[i] * 1e9 + 0.5) + 2000;
		bool same = llabs(e->nodes[i].completion_ns - ns) <= 1 &&
			    e->nodes[i].rate_bps == (int64_t)(mbps[i] * 1e6);

		if (!same)
			printf("# node %u: %lld ns, %lld bit/s\n", e->nodes[i].id,
			       (long long)e->nodes[i].completion_ns,
			       (long long)e->nodes[i].rate_bps);
		right = right && same;
	}
	ok(right, "stages: %s", what);
	hbp_evaluation_free(e);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/*
 * Three trees that are not nested. Stage 1 takes 1 s: 10, 20 and 30 Mbit. Then
 * 3, at 40, lacks 20: 0.5 s, of which 5 go through the first tree. 2, at 30,
 * lacks the 30 of the third tree: 1 s more, of which 10 go through the first
 * tree. 4 has 10 + 5 + 10, and lacks 35 at 10: 3.5 s.
 */
static void check_all_stages(void)
{
	static const double apart[] = { 2.5, 1.5, 6 };
	static const double apart_mbps[] = { 30, 40, 10 };
	static const double nested[] = { 2, 1.2, 6 };
	static const double nested_mbps[] = { 30, 50, 10 };
	static const double spread[] = { 2, 2, 2 };
	static const double spread_mbps[] = { 30, 30, 30 };
	/*
	 * Each of the four edges has a quarter of the root's link. Stage 1 takes
	 * 1.2 s, and then 3 and 4 lack 30 Mbit at 25.
	 */
	static const double full[] = { 1.2, 2.4, 2.4 };
	static const double full_mbps[] = { 50, 25, 25 };

	check_stages("trees that are not nested",
		     "10: 1-2 1-3 1-4; 20: 1-2; 30: 1-3", apart, apart_mbps);
	check_stages("nested trees: everybody at its rate",
		     "10: 1-2 1-3 1-4; 20: 1-2 1-3; 20: 1-3", nested, nested_mbps);
	check_stages("trees that span all: one stage",
		     "20: 1-2 1-3 1-4; 10: 1-2 1-3 1-4", spread, spread_mbps);
	check_stages("rates that links are too narrow for",
		     "50: 1-2 1-3 1-4; 60: 1-2", full, full_mbps);
}

/* A host that is none any more, but a switch that nobody needs. */
static void drop_host(struct hbp_input *in, size_t at)
{
	struct hbp_platform *p = in->platform;
	size_t i;

	p->nodes[p->hosts[at]].host = false;
	p->n_hosts--;
	in->n--;
	for (i = at; i < in->n; i++) {
		p->hosts[i] = p->hosts[i + 1];
		in->members[i] = in->members[i + 1];
	}
}

/* Nodes of a tree are nodes of the one before. */
static bool is_nested(const struct hbp_plan *plan)
{
	size_t t, i, j;

	for (t = 1; t < plan->n_trees; t++) {
		for (i = 0; i < plan->trees[t].n_edges; i++) {
			const struct hbp_tree *before = &plan->trees[t - 1];

			for (j = 0; j < before->n_edges; j++)
				if (before->edges[j].child ==
				    plan->trees[t].edges[i].child)
					break;
			if (j == before->n_edges)
				return false;
		}
	}
	return true;
}

/* The bandwidth of every node's way is its largest flow. */
static bool is_optimal(const struct hbp_input *in, const struct hbp_plan *plan)
{
	struct hbp_flow *flow = hbp_flow_alloc(in->platform);
	size_t root = hbp_platform_find(in->platform, plan->root), i, at;
	bool optimal = true;

	for (i = 0; i < plan->predicted->n; i++) {
		const struct hbp_figure *f = &plan->predicted->nodes[i];
		int64_t most;

		at = hbp_platform_find(in->platform, f->id);
		most = hbp_flow_max(flow, root, at);
		/* Latencies are below 0.1 s at 10 Mbit/s, 6 s, or faster. */
		optimal = optimal && f->rate_bps == most &&
			  f->completion_ns - hbp_transfer_ns(BYTES, most) < 100000000;
	}
	hbp_flow_free(flow);
	return optimal;
}

struct tally {
	size_t plans, optimal, nested, stable, same, best;
};

static bool same_trees(const struct hbp_plan *a, const struct hbp_plan *b)
{
	bool same = a->n_trees == b->n_trees;
	size_t t;

	for (t = 0; same && t < a->n_trees; t++)
		same = a->trees[t].rate_bps == b->trees[t].rate_bps &&
		       a->trees[t].n_edges == b->trees[t].n_edges &&
		       !memcmp(a->trees[t].edges, b->trees[t].edges,
			       a->trees[t].n_edges * sizeof(*a->trees[t].edges));
	return same;
}

static bool none_better(const struct hbp_plan *plan, struct hbp_input *in)
{
	static const char *const others[] = {
		"fpfr", "dijkstra", "random-pipeline", "balanced-multicast", "flat"
	};
	bool best = true;
	size_t i, k;

	for (k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
		struct hbp_plan *other = plan_with(in, others[k], plan->root, 0, k);

		for (i = 0; i < other->predicted->n; i++)
			best = best && other->predicted->nodes[i].rate_bps <=
				       plan->predicted->nodes[i].rate_bps;
		hbp_plan_free(other);
	}
	return best;
}

/* A useless link that is not as wide back: the algorithm runs as written. */
static void spoil(struct hbp_input *in)
{
	struct hbp_platform *p = in->platform;
	size_t i;

	for (i = 0; i < p->n_links; i++)
		if (p->nodes[p->links[i].from].id == 999)
			p->links[i].bandwidth_bps++;
}

static void try_tree(struct luck *luck, size_t n, struct tally *t)
{
	struct hbp_input *in = random_platform(luck, n, 1 + draw_below(luck, 8),
					       0, true);
	uint32_t root = in->members[draw_below(luck, (uint32_t)n)];
	struct hbp_plan *plan = plan_with(in, "stable", root, 0, 0);
	struct hbp_plan *traced, *fewer;
	size_t i, gone;
	bool same = true;

	t->plans++;
	t->optimal += is_optimal(in, plan);
	t->nested += is_nested(plan);
	t->best += none_better(plan, in);
	spoil(in);
	traced = plan_with(in, "stable", root, 0, 0);
	t->same += same_trees(plan, traced);
	hbp_plan_free(traced);
	do {
		gone = draw_below(luck, (uint32_t)n);
	} while (in->members[gone] == root);
	drop_host(in, gone);
	fewer = plan_with(in, "stable", root, 0, 0);
	for (i = 0; i < fewer->predicted->n; i++)
		same = same && fewer->predicted->nodes[i].rate_bps ==
			       predicted_rate(plan, fewer->predicted->nodes[i].id);
	t->stable += same;
	hbp_plan_free(fewer);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void check_theorems(void)
{
	struct luck luck = { 11 };
	struct tally t = { 0 };
	size_t round;

	for (round = 0; round < 1000; round++)
		try_tree(&luck, 3 + draw_below(&luck, 20), &t);
	printf("# seed 11\n");
	ok(t.plans == 1000 && t.optimal == 1000,
	   "symmetric trees: every node receives its largest flow");
	ok(t.nested == 1000, "symmetric trees: the trees are nested");
	ok(t.stable == 1000, "symmetric trees: another destination lowers no one");
	ok(t.same == 1000, "symmetric trees: levels are what algorithm 1 traces");
	ok(t.best == 1000, "symmetric trees: no other planner serves a node better");
}

/* What a plan gives everybody, if its trees span all. */
static int64_t common_rate(const struct hbp_plan *plan)
{
	int64_t sum = 0;
	size_t t;

	for (t = 0; t < plan->n_trees; t++)
		sum += plan->trees[t].rate_bps;
	return sum;
}

/* Whatever the links are like, paper 003, section 3.5. */
static void check_graphs(void)
{
	size_t round, i, faster = 0, balanced = 0, many = 0;
	struct luck luck = { 12 };

	for (round = 0; round < 300; round++) {
		size_t n = 3 + draw_below(&luck, 12);
		struct hbp_input *in = random_platform(&luck, n,
				1 + draw_below(&luck, 6), draw_below(&luck, 8),
				round & 1);
		uint32_t root = in->members[draw_below(&luck, (uint32_t)n)];
		struct hbp_plan *stable = plan_with(in, "stable", root, 0, 0);
		struct hbp_plan *fpfr = plan_with(in, "fpfr", root, 0, 0);
		struct hbp_plan *weights = plan_with(in, "balanced-multicast",
						     root, 0, 0);
		bool good = true;

		for (i = 0; i < n - 1; i++)
			good = good && stable->predicted->nodes[i].rate_bps >=
				       common_rate(fpfr);
		faster += good;
		/* Rounding costs less than 10 bit/s. */
		balanced += common_rate(weights) >= common_rate(fpfr) - 10;
		many += weights->n_trees > 1;
		hbp_plan_free(stable);
		hbp_plan_free(fpfr);
		hbp_plan_free(weights);
		hbp_input_free(in);
	}
	printf("# seed 12, %zu plans of balanced-multicast have several trees\n", many);
	ok(faster == 300, "any platform: stable gives nobody less than fpfr");
	ok(balanced == 300 && many > 20,
	   "any platform: balanced-multicast is not slower than fpfr");
}

/* Sum of all nodes' rates if these are the levels. */
static int64_t sum_at(const int64_t *rates, size_t n, const int64_t *levels,
		      size_t n_levels)
{
	int64_t sum = 0, mine;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0, mine = 0; k < n_levels; k++)
			if (levels[k] <= rates[i])
				mine = levels[k];
		sum += mine;
	}
	return sum;
}

static int64_t best_sum(const int64_t *rates, size_t n, size_t most)
{
	int64_t levels[12], best = 0, sum;
	unsigned int set;
	size_t i, k;

	/* Rates ascend; the smallest is always a level. */
	for (set = 1; set < 1u << n; set += 2) {
		for (i = 0, k = 0; i < n; i++)
			if (set >> i & 1)
				levels[k++] = rates[i];
		if (k > most)
			continue;
		sum = sum_at(rates, n, levels, k);
		best = sum > best ? sum : best;
	}
	return best;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_levels(void)
{
	size_t round, i, right = 0;
	struct luck luck = { 13 };

	for (round = 0; round < 2000; round++) {
		size_t n = 1 + draw_below(&luck, 10), n_picked;
		size_t most = 1 + draw_below(&luck, 6);
		int64_t rates[12], levels[12];

		for (i = 0; i < n; i++)
			rates[i] = 1 + draw_below(&luck, 30);
		qsort(rates, n, sizeof(*rates), compare);
		memcpy(levels, rates, sizeof(rates));
		if (hbp_levels_pick(levels, n, most, &n_picked))
			tap_bail_out("out of memory");
		for (i = 1; i < n_picked && levels[i - 1] < levels[i];)
			i++;
		right += i == n_picked && n_picked <= most &&
			 levels[0] == rates[0] &&
			 sum_at(rates, n, levels, n_picked) ==
			 best_sum(rates, n, most);
	}
	ok(right == 2000, "levels: as good as the best of all sets");
}

/* Bandwidths of pairs in Mbit/s. */
static const char four[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':1},{'id':2},{'id':3},{'id':4}],\n"
	"'latency_us':[[0,1,1,1],[1,0,1,1],[1,1,0,1],[1,1,1,0]],\n"
	"'bandwidth_mbps':[[null,20,30,20],[50,null,40,40],[50,20,null,20],[90,90,90,null]]}";

static void check_dijkstra(void)
{
	struct hbp_input *in = make_input(four);
	struct hbp_plan *plan = plan_with(in, "dijkstra", 1, 0, 0);

	/* 3 at 30; 2 at 20 from 1 rather than 3; 4 at 40 from 2. */
	ok(edges_are(plan, "1-3 1-2 2-4"),
	   "dijkstra: the widest pair, then the lower receiver and sender");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void check_random(void)
{
	struct hbp_input *in = make_input(four), *net = make_input(figure_2);
	struct hbp_plan *plan = plan_with(in, "random-pipeline", 1, 0, 1);
	struct hbp_plan *a = plan_with(net, "random-pipeline", 1, 0, 1);
	struct hbp_plan *b = plan_with(net, "random-pipeline", 1, 0, 1);

	/*
	 * Six chains: 1-2 has 20 for all, 1-4 has 20 for all, 1-3-2-4 and
	 * 1-3-4-2 have 30 + 20 + 20; among 100 draws all have come.
	 */
	ok(sum_of_rates(plan) == 70e6, "random-pipeline: the best chain of three");
	ok(same_trees(a, b), "random-pipeline: the same seed, the same chain");
	hbp_plan_free(b);
	b = plan_with(net, "random-pipeline", 1, 0, 2);
	ok(!same_trees(a, b), "random-pipeline: another seed, another chain");
	hbp_plan_free(plan);
	hbp_plan_free(a);
	hbp_plan_free(b);
	hbp_input_free(in);
	hbp_input_free(net);
}

int main(void)
{
	check_figure_2();
	check_all_stages();
	check_theorems();
	check_graphs();
	check_levels();
	check_dijkstra();
	check_random();
	return tap_done();
}
