// SPDX-License-Identifier: GPL-2.0-or-later
/* What holds for every plan, on random inputs. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define BYTES	8000000

static struct hbp_plan *try_plan(const struct hbp_planner *planner,
				 struct hbp_input *in, uint32_t root,
				 struct hbp_error *err)
{
	struct hbp_request rq = {
		.in = in, .root = root, .message_bytes = BYTES
	};
	struct hbp_plan *plan;

	return hbp_plan_make(planner, &rq, &plan, err) ? NULL : plan;
}

/* Every node is a child once at most, and its parent comes before it. */
static bool is_tree(const struct hbp_tree *tree, const struct hbp_input *in,
		    uint32_t root)
{
	bool *there = calloc(in->n, sizeof(*there));
	bool good = true;
	size_t i, parent, child;

	there[hbp_input_find(in, root)] = true;
	for (i = 0; good && i < tree->n_edges; i++) {
		parent = hbp_input_find(in, tree->edges[i].parent);
		child = hbp_input_find(in, tree->edges[i].child);
		good = parent != HBP_NONE && child != HBP_NONE &&
		       there[parent] && !there[child];
		there[child] = true;
	}
	free(there);
	return good;
}

/* The first tree has all members. */
static bool spans(const struct hbp_plan *plan, const struct hbp_input *in,
		  uint32_t root)
{
	bool good = plan->root == root && plan->n_trees &&
		    !plan->trees[0].slot &&
		    plan->trees[0].n_edges == in->n - 1;
	size_t t;

	for (t = 0; good && t < plan->n_trees; t++)
		good = is_tree(&plan->trees[t], in, root);
	return good;
}

static bool above_bounds(const struct hbp_plan *plan, const struct hbp_input *in)
{
	const struct hbp_evaluation *e = plan->predicted;
	bool good = e->n == in->n - 1;
	int64_t planned;
	size_t i;

	for (i = 0; i < e->n; i++) {
		planned = planned_rate(plan, e->nodes[i].id);
		good = good && e->nodes[i].bound_ns > 0 &&
		       e->nodes[i].completion_ns >= e->nodes[i].bound_ns &&
		       (plan->n_trees > 1 ? e->nodes[i].rate_bps == planned :
			e->nodes[i].rate_bps >= planned);
	}
	return good;
}

/* Those that join positions of a fixed tree, whether there is a link or not. */
static bool looks_for_links(const char *name)
{
	static const char *const blind[] = {
		"flat", "chain", "binomial", "balanced-path", "spoc"
	};
	size_t i;

	for (i = 0; i < sizeof(blind) / sizeof(blind[0]); i++)
		if (!strcmp(name, blind[i]))
			return false;
	return true;
}

struct tally {
	size_t tried, plans, good, refused, told;
};

static void try_all(struct hbp_input *in, uint32_t root, struct tally *t)
{
	const struct hbp_planner *const *planners;
	struct hbp_error err;
	struct hbp_plan *plan;
	size_t n, i;

	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		/* What auto plans is one of the others; test-auto looks at it. */
		if (!(planners[i]->inputs & in->kind) ||
		    planners[i] == &hbp_auto)
			continue;
		t->tried++;
		plan = try_plan(planners[i], in, root, &err);
		if (!plan) {
			t->refused++;
			t->told += !looks_for_links(planners[i]->name) &&
				   strstr(err.text, "which have no link");
			continue;
		}
		t->plans++;
		t->good += spans(plan, in, root) && above_bounds(plan, in) &&
			   same_again(in, plan);
		hbp_plan_free(plan);
	}
}

static void check_costs(void)
{
	struct tally whole = { 0 }, holes = { 0 };
	struct luck luck = { 5 };
	struct hbp_input *in;
	size_t round, n;

	for (round = 0; round < 150; round++) {
		n = 2 + draw_below(&luck, 40);
		in = random_costs(&luck, n, round & 1);
		try_all(in, in->members[draw_below(&luck, (uint32_t)n)],
			round & 1 ? &holes : &whole);
		hbp_input_free(in);
	}
	ok(whole.tried >= 75 * 12 && whole.good == whole.tried,
	   "costs: plans span, are above bounds, and are the same again");
	ok(holes.plans >= 75 * 7 && holes.good == holes.plans,
	   "costs with holes: so are all that can be made");
	ok(holes.refused > 100 && holes.told == holes.refused,
	   "costs with holes: what has no link is told");
}

static void check_platforms(void)
{
	struct luck luck = { 6 };
	struct tally t = { 0 };
	struct hbp_input *in;
	size_t round, n;

	for (round = 0; round < 100; round++) {
		n = 2 + draw_below(&luck, 30);
		in = random_platform(&luck, n, 1 + draw_below(&luck, 8),
				     draw_below(&luck, 10), false);
		try_all(in, in->members[draw_below(&luck, (uint32_t)n)], &t);
		hbp_input_free(in);
	}
	ok(t.tried >= 100 * 12 && t.good == t.tried,
	   "platforms: plans span, are above bounds, and are the same again");
}

/* Paper 003, section 3.4: on a symmetric tree the chain is as fast as any. */
static void check_chains(void)
{
	struct luck luck = { 7 };
	size_t round, right = 0;

	for (round = 0; round < 100; round++) {
		size_t n = 2 + draw_below(&luck, 30), at, i;
		struct hbp_input *in = random_platform(&luck, n,
				1 + draw_below(&luck, 8), 0, true);
		const struct hbp_platform *p = in->platform;
		struct hbp_flow *flow = hbp_flow_alloc(p);
		int64_t least = INT64_MAX, most;
		struct hbp_plan *plan;

		at = draw_below(&luck, (uint32_t)n);
		for (i = 0; i < n; i++) {
			if (i == at)
				continue;
			most = hbp_flow_max(flow, p->hosts[at], p->hosts[i]);
			least = most < least ? most : least;
		}
		plan = make_plan(in, "chain", in->members[at], BYTES);
		right += plan->trees[0].rate_bps == least;
		hbp_plan_free(plan);
		hbp_flow_free(flow);
		hbp_input_free(in);
	}
	ok(right == 100, "symmetric trees: the chain reaches the slowest node's flow");
}

static bool same_tree(const struct hbp_tree *a, const struct hbp_tree *b)
{
	size_t i;

	for (i = 0; i < a->n_edges; i++)
		if (other_id(a->edges[i].parent) != b->edges[i].parent ||
		    other_id(a->edges[i].child) != b->edges[i].child)
			return false;
	return a->n_edges == b->n_edges && a->slot == b->slot;
}

static bool same_trees(const struct hbp_plan *a, const struct hbp_plan *b)
{
	size_t t;

	for (t = 0; t < a->n_trees && t < b->n_trees; t++)
		if (!same_tree(&a->trees[t], &b->trees[t]))
			return false;
	return a->n_trees == b->n_trees;
}

/*
 * Each of up to 64 trees of a few Mbit/s loses up to 1 bit/s to rounding; so does
 * what a node has of a link that is shared.
 */
static bool is_eight_times(const struct hbp_plan *before,
			   const struct hbp_plan *after)
{
	int64_t a = hbp_evaluation_slowest(before->predicted)->completion_ns;
	int64_t b = hbp_evaluation_slowest(after->predicted)->completion_ns;
	int64_t off = before->predicted->model == HBP_MODEL_COMPLETION ? 0 :
		      a / 1000;

	return b >= 8 * a - off && b <= 8 * a + off;
}

struct changes {
	size_t plans, same, longer;
};

/* All plans, and those for the same input with other ids and 8 times slower. */
static void change(struct hbp_input *in, uint32_t root, struct changes *c)
{
	const struct hbp_planner *const *planners;
	struct hbp_plan **before, *after;
	struct hbp_error err;
	size_t n, i;

	planners = hbp_planners(&n);
	before = calloc(n, sizeof(*before));
	for (i = 0; i < n; i++)
		if (planners[i]->inputs & in->kind)
			before[i] = try_plan(planners[i], in, root, &err);
	relabel(in);
	stretch(in, 8);
	for (i = 0; i < n; i++) {
		if (!before[i])
			continue;
		c->plans++;
		after = make_plan(in, planners[i]->name, other_id(root), BYTES);
		c->same += same_trees(before[i], after);
		c->longer += is_eight_times(before[i], after);
		if (!same_trees(before[i], after))
			printf("# other trees by %s\n", planners[i]->name);
		hbp_plan_free(before[i]);
		hbp_plan_free(after);
	}
	free(before);
}

/* 8,000,000 bytes at 8 to 64 Mbit/s need whole microseconds: all scales. */
static void make_whole(struct hbp_platform *p)
{
	size_t i;

	for (i = 0; i < p->n_links; i++)
		p->links[i].bandwidth_bps =
			8000000ll << (p->links[i].from + p->links[i].to) % 4;
}

static void check_changes(void)
{
	struct changes costs = { 0 }, platforms = { 0 };
	struct luck luck = { 8 };
	struct hbp_input *in;
	size_t round;

	for (round = 0; round < 60; round++) {
		in = random_costs(&luck, 3 + round % 20, false);
		change(in, in->members[round % 3], &costs);
		hbp_input_free(in);
	}
	ok(costs.plans >= 60 * 12 && costs.same == costs.plans,
	   "costs: other ids in the same order and costs times 8 change no tree");
	ok(costs.longer == costs.plans, "costs: times 8 need 8 times as long");
	for (round = 0; round < 60; round++) {
		in = random_platform(&luck, 3 + round % 10,
				     1 + draw_below(&luck, 5),
				     draw_below(&luck, 4), round & 1);
		make_whole(in->platform);
		change(in, in->members[round % 3], &platforms);
		hbp_input_free(in);
	}
	ok(platforms.plans >= 60 * 20 && platforms.same == platforms.plans,
	   "platforms: other ids in the same order and links 8 times slower change no tree");
	ok(platforms.longer == platforms.plans,
	   "platforms: links 8 times slower need 8 times as long");
}

int main(void)
{
	check_costs();
	check_platforms();
	check_chains();
	check_changes();
	return tap_done();
}
