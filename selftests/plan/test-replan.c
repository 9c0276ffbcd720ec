// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paper 000: its tables, the orders of its figures, and replanning against a
 * second version.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "positions.h"
#include "second.h"

/* Table 1: hops between nodes 0 to 7; table 5 has node 8 besides. */
static const char table_1[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':0},{'id':1},{'id':2},\n"
	"{'id':3},{'id':4},{'id':5},{'id':6},{'id':7}],'latency_us':[\n"
	"[0,2,2,0,3,3,0,0],[2,0,0,2,5,5,2,2],[2,0,0,2,5,5,2,2],\n"
	"[0,2,2,0,3,3,0,0],[3,5,5,3,0,0,3,3],[3,5,5,3,0,0,3,3],\n"
	"[0,2,2,0,3,3,0,0],[0,2,2,0,3,3,0,0]],'bandwidth_mbps':[\n"
	"[8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8],\n"
	"[8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8],\n"
	"[8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8]]}";

static const char table_5[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':0},{'id':1},{'id':2},\n"
	"{'id':3},{'id':4},{'id':5},{'id':6},{'id':7},{'id':8}],'latency_us':[\n"
	"[0,2,2,0,3,3,0,0,4],[2,0,0,2,5,5,2,2,2],[2,0,0,2,5,5,2,2,5],\n"
	"[0,2,2,0,3,3,0,0,0],[3,5,5,3,0,0,3,3,0],[3,5,5,3,0,0,3,3,4],\n"
	"[0,2,2,0,3,3,0,0,4],[0,2,2,0,3,3,0,0,3],[4,2,5,0,0,4,4,3,0]],\n"
	"'bandwidth_mbps':[[8,8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8,8],\n"
	"[8,8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8,8],\n"
	"[8,8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8,8],[8,8,8,8,8,8,8,8,8],\n"
	"[8,8,8,8,8,8,8,8,8]]}";

static const uint32_t figure_1[8] = { 0, 5, 7, 4, 3, 2, 6, 1 };

/* Are leaves' path sums in hops as their table has them, "5=3 4=3"? */
static bool leaves_are(const struct hbp_plan *plan, struct hbp_input *in,
		       const char *want)
{
	struct hbp_evaluation *e;
	bool same = true;
	long long hops;
	uint32_t id;
	size_t at;
	int len;

	e = evaluate_by(HBP_MODEL_PATH, plan, in);
	for (; *want; want += len) {
		if (sscanf(want, "%u=%lld %n", &id, &hops, &len) != 2)
			tap_bail_out("%s is no list of leaves", want);
		at = hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), id);
		same = same && e->nodes[at].completion_ns == 1000 * hops;
	}
	hbp_evaluation_free(e);
	return same;
}

static void check_table_2(void)
{
	struct hbp_input *in = make_input(table_1);
	struct hbp_plan *plan = make_plan(in, "balanced-path", 0, 1);

	/* Positions 0 to 7 hold figure_1; children at steps 4, 2 and 1. */
	ok(edges_are(plan, "0-3 0-7 0-5 3-6 3-2 7-4 6-1"),
	   "tables 1 and 2: the tree");
	ok(leaves_are(plan, in, "5=3 4=3 2=2 1=2"),
	   "table 2: the leaves' costs");
	ok(plan->cost_ns == 3000, "table 2: the tree costs 3");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void check_table_3(void)
{
	struct hbp_input *in = make_input(table_1);
	struct hbp_positions p = { };
	struct hbp_error err;

	if (hbp_positions_init(&p, in->costs, figure_1, 8, &err))
		tap_bail_out("%s", err.text);
	ok(p.cost == 3000 && p.computed == 4, "table 2: all four leaves are added up");
	p.computed = 0;
	/* Node 5 is at position 1, node 6 at 6. Leaves are 1, 3, 5 and 7. */
	hbp_positions_exchange(&p, 1, 6);
	ok(p.sum[1] == 0 && p.sum[3] == 3000 && p.sum[5] == 2000 &&
	   p.sum[7] == 8000 && p.cost == 8000, "table 3: 0 3 2 8, so 8");
	ok(p.computed == 2, "table 3: only two leaves are added up again");
	hbp_positions_undo(&p, 1, 6);
	ok(p.cost == 3000 && p.sum[1] == 3000 && p.sum[7] == 2000 &&
	   p.computed == 2, "an exchange that is undone needs no sums");
	hbp_positions_free(&p);
	hbp_input_free(in);
}

static struct hbp_plan *replan(const struct hbp_plan *old, struct hbp_input *in,
			       enum hbp_event event, uint32_t node,
			       uint32_t other, enum hbp_strategy strategy)
{
	struct hbp_change change = {
		.event = event, .node = node, .other = other,
		.strategy = strategy
	};
	struct hbp_plan *plan;
	struct hbp_error err;

	if (hbp_replan(old, in, &change, &plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

static bool done_is(const struct hbp_plan *plan, size_t steps, int64_t previous,
		    int64_t increased, int64_t cost)
{
	const struct hbp_replanned *r = &plan->replanned;
	bool same = r->done && r->steps == steps &&
		    r->previous_ns == 1000 * previous &&
		    r->increased_ns == 1000 * increased &&
		    plan->cost_ns == 1000 * cost;

	if (!same)
		printf("# %zu steps, %lld %lld %lld\n", r->steps,
		       (long long)r->previous_ns, (long long)r->increased_ns,
		       (long long)plan->cost_ns);
	return same;
}

/* The plan of table 2, which tells its cost or leaves it to the matrix. */
static struct hbp_plan *table_2(struct hbp_input *in, bool told)
{
	struct hbp_plan *plan = make_plan(in, "balanced-path", 0, 1);

	if (!told)
		plan->cost_ns = HBP_NEVER;
	return plan;
}

/* Once from the plan's own cost and once from the matrix alone. */
static void check_join(bool told)
{
	const char *how = told ? "cost told" : "cost not told";
	struct hbp_input *in = make_input(table_1), *now = make_input(table_5);
	struct hbp_plan *old = table_2(in, told), *plan;

	plan = replan(old, now, HBP_NODE_JOINED, 8, 0, HBP_SWAP_NONE);
	ok(edges_are(plan, "0-8 0-3 0-7 0-5 3-6 3-2 7-4 6-1") &&
	   done_is(plan, 0, 3, 4, 4) && leaves_are(plan, now, "5=3 4=3 2=2 1=2 8=4"),
	   "table 4: 8 joins, without a swap, %s", how);
	hbp_plan_free(plan);
	/* Tries 1 at position 7, then 6 at position 6. */
	plan = replan(old, now, HBP_NODE_JOINED, 8, 0, HBP_SWAP_POSITION);
	ok(edges_are(plan, "0-6 0-3 0-7 0-5 3-8 3-2 7-4 8-1") &&
	   done_is(plan, 2, 3, 4, 3) && leaves_are(plan, now, "5=3 4=3 2=2 1=2 6=0"),
	   "tables 5 and 6: 8 joins and goes to position 6, %s", how);
	hbp_plan_free(plan);
	hbp_plan_free(old);
	hbp_input_free(in);
	hbp_input_free(now);
}

static void check_leave(bool told)
{
	const char *how = told ? "cost told" : "cost not told";
	struct hbp_input *in = make_input(table_1);
	struct hbp_plan *old = table_2(in, told), *plan;

	plan = replan(old, in, HBP_NODE_LEFT, 7, 0, HBP_SWAP_NONE);
	ok(edges_are(plan, "0-3 0-1 0-5 3-6 3-2 1-4") &&
	   done_is(plan, 0, 3, 7, 7) && leaves_are(plan, in, "5=3 4=7 2=2 6=0"),
	   "table 7: 7 leaves and 1 takes its place, %s", how);
	hbp_plan_free(plan);
	hbp_input_free(in);
	in = make_input(table_1);
	/* The only swap is with 4, which costs 8. */
	plan = replan(old, in, HBP_NODE_LEFT, 7, 0, HBP_SWAP_PATH);
	ok(edges_are(plan, "0-3 0-1 0-5 3-6 3-2 1-4") &&
	   done_is(plan, 1, 3, 7, 7), "figure 6: path cannot help, %s", how);
	hbp_plan_free(plan);
	hbp_input_free(in);
	in = make_input(table_1);
	/* 4 at position 3 does not help, 5 at position 1 does. */
	plan = replan(old, in, HBP_NODE_LEFT, 7, 0, HBP_SWAP_POSITION);
	ok(edges_are(plan, "0-3 0-5 0-1 3-6 3-2 5-4") &&
	   done_is(plan, 2, 3, 7, 3) && leaves_are(plan, in, "1=2 4=3 2=2 6=0"),
	   "table 8: position swaps 1 and 5, %s", how);
	hbp_plan_free(plan);
	/* 1 was at the last position of the old tree. */
	plan = replan(old, in, HBP_NODE_LEFT, 7, 0, HBP_SWAP_NONE);
	hbp_plan_free(old);
	old = plan;
	plan = replan(old, in, HBP_NODE_LEFT, 6, 0, HBP_SWAP_LEAF);
	ok(edges_are(plan, "0-3 0-1 0-5 3-2 1-4") && done_is(plan, 0, 7, 7, 7),
	   "the last node leaves, and nobody moves");
	hbp_plan_free(plan);
	hbp_plan_free(old);
	hbp_input_free(in);
}

static void list_is(const char *what, size_t n, enum hbp_strategy strategy,
		    size_t a, size_t b, const char *want)
{
	struct second s = { .n = n };
	char got[512] = "";
	size_t i, at = 0;

	for (i = 0; i < n; i++)
		s.node[i] = i;
	second_list(&s, strategy, a, b);
	for (i = 0; i < s.n_swaps; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%zu/%zu",
				       i ? " " : "", s.swaps[i][0], s.swaps[i][1]);
	if (!ok(!strcmp(got, want), "%s: the second version's order", what))
		printf("# %s\n", got);
}

/* The orders that the figures' text tells. */
static void check_figures(void)
{
	list_is("figure 2, left", 16, HBP_SWAP_FAMILY, 8, 12,
		"12/13 12/14 12/8 12/9 12/10");
	list_is("figure 2, right", 16, HBP_SWAP_PATH, 12, 14, "12/8 14/15");
	list_is("figure 3, left", 16, HBP_SWAP_LEAF, 8, 12,
		"8/1 12/1 8/3 12/3 8/5 12/5 8/7 12/7 8/9 12/9 8/11 12/11 8/13 12/13 8/15 12/15");
	list_is("figure 3, right", 16, HBP_SWAP_POSITION, 6, 7,
		"6/7 6/5 6/8 6/4 6/9 6/3 6/10 6/2 6/11 6/1 6/12 6/13 6/14 6/15");
	list_is("section 4.2", 7, HBP_SWAP_PATH, 2, 2, "2/3");
}

struct tally {
	size_t tried, right, steps, better;
};

static void make_dearer(struct hbp_costs *c, size_t from, size_t to, int64_t us)
{
	c->latency_ns[from * c->n + to] += 1000 * us;
	c->latency_ns[to * c->n + from] += 1000 * us;
}

static void try_links(struct luck *luck, size_t n, enum hbp_strategy strategy,
		      bool told, struct tally *t)
{
	struct hbp_input *in = random_costs(luck, n, false);
	struct hbp_plan *old = make_plan(in, "balanced-path",
					 in->members[n / 2], 1), *plan;
	struct second s = { };
	int64_t increased, us;
	size_t child, steps;

	if (!told)
		old->cost_ns = HBP_NEVER;
	for (child = 1; child < n; child++) {
		us = 100 * draw_below(luck, 30);
		second_read(old, in, &s);
		make_dearer(in->costs, s.node[second_up(child)], s.node[child], us);
		increased = second_cost(&s);
		second_list(&s, strategy, second_up(child), child);
		plan = replan(old, in, HBP_LINK_CHANGED,
			      in->members[s.node[child]],
			      in->members[s.node[second_up(child)]], strategy);
		steps = second_swap(&s, told ? old->cost_ns : -1);
		t->tried++;
		t->steps += steps;
		t->better += plan->cost_ns < increased;
		t->right += plan->replanned.steps == steps &&
			    plan->replanned.increased_ns == increased &&
			    plan->cost_ns == second_cost(&s) &&
			    second_is(&s, plan, in);
		hbp_plan_free(plan);
		second_read(old, in, &s);
		make_dearer(in->costs, s.node[second_up(child)], s.node[child], -us);
	}
	hbp_plan_free(old);
	hbp_input_free(in);
}

static void check_links(void)
{
	enum hbp_strategy strategy;
	struct luck luck = { 50 };
	size_t round;

	for (strategy = HBP_SWAP_FAMILY; strategy < HBP_STRATEGIES; strategy++) {
		struct tally t = { 0 };

		for (round = 0; round < 30; round++)
			try_links(&luck, 2 + draw_below(&luck, SECOND_MOST - 1), strategy,
				  round % 3, &t);
		ok(t.tried > 300 && t.right == t.tried && t.steps > t.tried / 4 &&
		   t.better > t.tried / 20,
		   "%s: %zu links, %zu steps, %zu better, as by the second version",
		   hbp_strategy_name(strategy), t.tried, t.steps, t.better);
	}
}

/* Nodes come and go at random; the second version keeps pace. */
static void check_traffic(void)
{
	struct luck luck = { 51 };
	struct hbp_plan *old, *plan;
	size_t round, i, k, at, steps, right = 0, tried = 0;
	struct second s = { };

	for (round = 0; round < 60; round++) {
		enum hbp_strategy strategy = draw_below(&luck, 5);
		struct hbp_input *all = random_costs(&luck, 3 + round % 20, false);
		uint32_t root = all->members[0], id;

		i = 1 + draw_below(&luck, (uint32_t)all->n - 1);
		id = all->members[i];
		old = make_plan(all, "balanced-path", root, 1);
		second_read(old, all, &s);
		for (at = 0; s.node[at] != i; at++)
			;
		plan = replan(old, all, HBP_NODE_LEFT, id, 0, strategy);
		/* Rows behind the one that has gone have moved up. */
		s.c = all->costs;
		s.node[at] = s.node[--s.n];
		for (k = 0; k < s.n; k++)
			s.node[k] -= s.node[k] > i;
		second_list(&s, at < s.n ? strategy : HBP_SWAP_NONE, at, at);
		steps = at < s.n ? second_swap(&s, old->cost_ns) : 0;
		tried++;
		right += plan->replanned.steps == steps &&
			 second_is(&s, plan, all) &&
			 plan->cost_ns == second_cost(&s);
		hbp_plan_free(old);
		hbp_plan_free(plan);
		hbp_input_free(all);
	}
	ok(tried == 60 && right == tried,
	   "nodes leave as by the second version");
}

/* The same change in a network that is slower, and whose ids are others. */
static void check_changes(void)
{
	struct luck luck = { 53 };
	size_t round, i, right = 0;

	for (round = 0; round < 100; round++) {
		struct hbp_input *in = random_costs(&luck, 3 + round % 30, false);
		struct hbp_plan *old = make_plan(in, "balanced-path", 20, 1);
		enum hbp_strategy strategy = 1 + round % 4;
		struct hbp_edge edge = old->trees[0].edges[round % (in->n - 1)];
		struct hbp_plan *first, *again;
		bool same = true;

		make_dearer(in->costs, hbp_input_find(in, edge.parent),
			    hbp_input_find(in, edge.child), 500);
		first = replan(old, in, HBP_LINK_CHANGED, edge.parent, edge.child,
			       strategy);
		for (i = 0; i < in->n - 1; i++) {
			old->trees[0].edges[i].parent =
				other_id(old->trees[0].edges[i].parent);
			old->trees[0].edges[i].child =
				other_id(old->trees[0].edges[i].child);
		}
		old->root = other_id(old->root);
		old->cost_ns *= 8;
		relabel(in);
		stretch(in, 8);
		again = replan(old, in, HBP_LINK_CHANGED, other_id(edge.parent),
			       other_id(edge.child), strategy);
		for (i = 0; i < in->n - 1; i++)
			same = same && again->trees[0].edges[i].child ==
			       other_id(first->trees[0].edges[i].child);
		right += same && again->cost_ns == 8 * first->cost_ns &&
			 again->replanned.steps == first->replanned.steps;
		hbp_plan_free(first);
		hbp_plan_free(again);
		hbp_plan_free(old);
		hbp_input_free(in);
	}
	ok(right == 100,
	   "other ids in the same order and costs times 8 change no step");
}

/* Only leaves below an exchanged position, and sums as if all were anew. */
static void check_exchanges(void)
{
	struct luck luck = { 52 };
	size_t round, i, below, right = 0, few = 0;

	for (round = 0; round < 300; round++) {
		size_t n = 3 + draw_below(&luck, SECOND_MOST - 2), a, b;
		struct hbp_input *in = random_costs(&luck, n, false);
		struct hbp_positions p = { }, anew = { };
		uint32_t ids[SECOND_MOST];
		struct hbp_error err;

		a = 1 + draw_below(&luck, (uint32_t)n - 1);
		b = 1 + draw_below(&luck, (uint32_t)n - 1);
		if (a == b)
			b = a == 1 ? 2 : a - 1;
		if (hbp_positions_init(&p, in->costs, in->members, n, &err))
			tap_bail_out("%s", err.text);
		p.computed = 0;
		hbp_positions_exchange(&p, a, b);
		for (i = 0; i < n; i++)
			ids[i] = in->members[p.node[i]];
		if (hbp_positions_init(&anew, in->costs, ids, n, &err))
			tap_bail_out("%s", err.text);
		right += p.cost == anew.cost && ids[a] == in->members[b] &&
			 ids[b] == in->members[a] &&
			 !memcmp(p.sum, anew.sum, n * sizeof(*p.sum));
		for (i = 1, below = 0; i < n; i++) {
			struct second s = { .n = n };
			size_t at = i;

			while (at && at != a && at != b)
				at = second_up(at);
			below += at && !second_has_child(&s, i);
		}
		few += p.computed == below;
		hbp_positions_free(&p);
		hbp_positions_free(&anew);
		hbp_input_free(in);
	}
	ok(right == 300, "exchanges: sums are as if added up anew");
	ok(few == 300, "exchanges: only leaves below are added up again");
}

static void check_refused(const char *what, const struct hbp_plan *old,
			  struct hbp_input *in, enum hbp_event event,
			  uint32_t node, uint32_t other, const char *sentence)
{
	struct hbp_change change = {
		.event = event, .node = node, .other = other,
		.strategy = HBP_SWAP_POSITION
	};
	struct hbp_error err = { "nothing was said" };
	struct hbp_plan *plan;
	int ret;

	ret = hbp_replan(old, in, &change, &plan, &err);
	is_refused(ret, &err, what, sentence);
}

static void check_refusals_of_changes(void)
{
	struct hbp_input *in = make_input(table_1), *now = make_input(table_5);
	struct hbp_plan *old = make_plan(in, "balanced-path", 0, 1);
	struct hbp_plan *flat = make_plan(in, "flat", 0, 1);
	struct hbp_plan *chain = make_plan(in, "chain", 0, 1);

	check_refused("a link that the tree does not use", old, in,
		      HBP_LINK_CHANGED, 5, 6,
		      "nodes 5 and 6 are not parent and child, so that the plan does not use their link");
	check_refused("a link of a node that is not there", old, in,
		      HBP_LINK_CHANGED, 3, 9, "the plan has no node 9");
	check_refused("who is there already joins", old, now, HBP_NODE_JOINED, 3,
		      0, "the plan has node 3 already");
	check_refused("who is not in the network joins", old, in,
		      HBP_NODE_JOINED, 8, 0,
		      "x: nodes: node 8 of the plan is missing");
	check_refused("two join at once", old, now, HBP_NODE_JOINED, 9, 0,
		      "x: nodes: node 9 of the plan is missing");
	check_refused("another one has joined", old, now, HBP_LINK_CHANGED, 0, 3,
		      "x: the plan does not reach member 8");
	check_refused("who is not there leaves", old, in, HBP_NODE_LEFT, 9, 0,
		      "the plan has no node 9");
	check_refused("the root leaves", old, in, HBP_NODE_LEFT, 0, 0,
		      "node 0 is the root, without which there is no plan: plan anew for another root");
	check_refused("a flat tree", flat, in, HBP_LINK_CHANGED, 0, 1,
		      "the plan's tree of 8 nodes is not binomial, as node 0 has too many children: plan with binomial or balanced-path");
	check_refused("a chain", chain, in, HBP_LINK_CHANGED, 0, 1,
		      "the plan's tree of 8 nodes is not binomial, as node 3 has too many children: plan with binomial or balanced-path");
	hbp_plan_free(old);
	hbp_plan_free(flat);
	hbp_plan_free(chain);
	hbp_input_free(in);
	hbp_input_free(now);
}

static void check_names(void)
{
	ok(hbp_strategy_find("family") == HBP_SWAP_FAMILY &&
	   hbp_strategy_find("path") == HBP_SWAP_PATH &&
	   hbp_strategy_find("leaf") == HBP_SWAP_LEAF &&
	   hbp_strategy_find("position") == HBP_SWAP_POSITION &&
	   hbp_strategy_find("none") == HBP_STRATEGIES &&
	   hbp_strategy_find("") == HBP_STRATEGIES, "strategies have names");
}

int main(void)
{
	check_names();
	check_table_2();
	check_table_3();
	check_join(true);
	check_join(false);
	check_leave(true);
	check_leave(false);
	check_figures();
	check_links();
	check_traffic();
	check_changes();
	check_exchanges();
	check_refusals_of_changes();
	return tap_done();
}
