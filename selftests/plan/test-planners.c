// SPDX-License-Identifier: GPL-2.0-or-later
/* Planners on examples worked by hand. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "pair.h"

/*
 * Matrices of completion times in microseconds: latency is 1 less, and the
 * message needs 1 at 8 Mbit/s. 0 is no link.
 */
#define BYTES	1

static struct hbp_input *from_times(const int *times, size_t n)
{
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'costs','version':1,'nodes':[{'id':1}", f);
	for (i = 2; i <= n; i++)
		fprintf(f, ",{'id':%zu}", i);
	fputs("],'latency_us':[", f);
	for (i = 0; i < n * n; i++)
		fprintf(f, "%s%d", i % n ? "," : i ? "],[" : "[",
			times[i] ? times[i] - 1 : 0);
	fputs("]],'bandwidth_mbps':[", f);
	for (i = 0; i < n * n; i++)
		fprintf(f, "%s%s", i % n ? "," : i ? "],[" : "[",
			times[i] ? "8" : "null");
	fputs("]]}", f);
	return close_input(f, &text);
}

static void check_edges(const char *what, struct hbp_input *in,
			const char *name, uint32_t root, const char *want)
{
	struct hbp_plan *plan = make_plan(in, name, root, BYTES);

	ok(edges_are(plan, want), "%s: %s", name, what);
	hbp_plan_free(plan);
}

/*
 * The paper's figure 5 has no matrix in its text; this one has all that the
 * text says. Nodes A to H are 1 to 8. The least times of the columns B to H are
 * 200 200 200 500 150 100 200, on average 221.4, so that only E is late. ECEF
 * picks H at 200, G at 300, F at 450 (from H, which sent to G before), B at
 * 500, C at 650, D at 700; and E is placed below H at 200 + 500.
 */
static void check_figure_5(void)
{
	static const int times[64] = {
		0,   400, 600, 900, 800, 500, 400, 200,
		900, 0,   200, 200, 820, 900, 900, 900,
		900, 900, 0,   300, 830, 900, 900, 900,
		900, 900, 900, 0,   840, 900, 900, 900,
		900, 900, 900, 900, 0,   900, 900, 900,
		900, 900, 200, 400, 550, 0,   900, 900,
		900, 200, 900, 900, 600, 300, 0,   900,
		900, 250, 900, 900, 500, 150, 100, 0,
	};
	struct hbp_input *in = from_times(times, 8);
	struct hbp_plan *plan = make_plan(in, "tps", 1, BYTES);
	const struct hbp_figure *nodes = plan->predicted->nodes;

	ok(edges_are(plan, "1-8 8-7 8-6 8-5 7-2 6-3 2-4"), "tps: figure 5");
	/* B 200+100+200, C 200+150+200, D 500+200, E, F, G, H */
	ok(nodes[0].completion_ns == 500000 && nodes[1].completion_ns == 550000 &&
	   nodes[2].completion_ns == 700000 && nodes[3].completion_ns == 700000 &&
	   nodes[4].completion_ns == 350000 && nodes[5].completion_ns == 300000 &&
	   nodes[6].completion_ns == 200000,
	   "tps: figure 5 completes at 700");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/*
 * No column's least time is above the others', so nobody is late. 2 at 10;
 * 3 at 20 from 2; then 4 at 10 + 12 from 1 rather than at 20 + 5 from 3, which
 * is the shorter edge, or at 20 + 12 from 2.
 */
static const int by_ready_time[16] = {
	0, 10, 40, 12,
	9, 0,  10, 12,
	9, 9,  0,  5,
	9, 5,  5,  0,
};

/*
 * 3 is reached at 12 + 12 from 2: when 1 has sent to 2, it is ready at 12, and
 * would need until 27. Nobody is late.
 */
static const int by_busy_sender[9] = {
	0,  12, 15,
	50, 0,  12,
	50, 12, 0,
};

/* Late are 3 and 4. 4 would have the message at 195 from 3, but gets it at 300. */
static const int by_late_nodes[16] = {
	0,   10,  100, 300,
	900, 0,   200, 290,
	900, 900, 0,   95,
	900, 900, 900, 0,
};

/* Late is 2, and nobody else reaches 3 and 4. */
static const int by_stranded_nodes[16] = {
	0, 100, 0,  0,
	0, 0,   10, 70,
	0, 0,   0,  10,
	0, 0,   10, 0,
};

/* 2 at 10; of all that come at 20 first 3 from 1, then 4 from 2; 5 from 1. */
static const int by_ids[25] = {
	0, 10, 10, 10, 10, 10, 0, 10, 10, 10, 10, 10, 0,
	10, 10, 10, 10, 10, 0, 10, 10, 10, 10, 10, 0,
};

static void check_tps(void)
{
	static const struct {
		const char *what;
		const int *times;
		size_t n;
		const char *want;
	} cases[] = {
		{ "earliest completion, not shortest edge", by_ready_time, 4,
		  "1-2 1-4 2-3" },
		{ "a sender is busy while it sends", by_busy_sender, 3,
		  "1-2 2-3" },
		{ "late nodes do not relay, equal sums go to the lower id",
		  by_late_nodes, 4, "1-2 1-3 1-4" },
		{ "late nodes relay to whom nobody else reaches",
		  by_stranded_nodes, 4, "1-2 2-3 3-4" },
		{ "equal times go to lower ids", by_ids, 5, "1-2 1-3 1-5 2-4" },
	};
	struct hbp_input *in;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		in = from_times(cases[i].times, cases[i].n);
		check_edges(cases[i].what, in, "tps", 1, cases[i].want);
		hbp_input_free(in);
	}
}

static struct hbp_input *all_alike(size_t n)
{
	int *times = calloc(n * n, sizeof(*times));
	struct hbp_input *in;
	size_t i;

	for (i = 0; i < n * n; i++)
		times[i] = 10;
	in = from_times(times, n);
	free(times);
	return in;
}

/*
 * All pairs cost 10, so that only ids decide.
 *
 * ecef, lookahead and fnf: 2 from 1 at 10; of all that come at 20 first 3 from 1,
 * then 4 from 2; 5 from 1 at 30. So it is ttcc's first tree; its second has 4 from
 * 1 at 10, 2 from 4 at 20, and at 30 3 from 2 and 5 from 4, of which only 4 is
 * earlier. Positions 1 to 4 hold 3 2 4 5 by spoc, as 2 has a child, and 5 3 4 2 by
 * balanced-path: 2 goes to position 4, 3 to 2, and deeper comes 3 before 1.
 */
static void check_ties(void)
{
	struct hbp_input *in = all_alike(5);
	static const char *const want[][2] = {
		{ "ecef", "1-2 1-3 1-5 2-4" },
		{ "lookahead", "1-2 1-3 1-5 2-4" },
		{ "fnf", "1-2 1-3 1-5 2-4" },
		{ "fef", "1-2 1-3 1-4 1-5" },
		{ "hlot", "1-2 1-3 1-4 1-5" },
		{ "ttcc", "1-2 1-4 1-3 1-5" },
		{ "spoc", "1-5 1-2 1-3 2-4" },
		{ "balanced-path", "1-2 1-3 1-5 3-4" },
	};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		check_edges("ids decide between equal costs", in, want[i][0], 1,
			    want[i][1]);
	hbp_input_free(in);
}

/* Means of 5 5 7, 1 2 and 4; the fourth sends to nobody. Equal ones by id. */
static void check_initiation(void)
{
	static const int times[16] = {
		0, 5, 5, 7,
		1, 0, 0, 2,
		4, 0, 0, 0,
		0, 0, 0, 0,
	};
	struct hbp_input *in = from_times(times, 4);
	struct hbp_pairs pairs;
	struct hbp_error err;
	int64_t ns[4];
	size_t order[4];

	if (hbp_pairs_init(&pairs, in->costs, false, BYTES, &err) ||
	    hbp_pairs_initiation(&pairs, ns, order, &err))
		tap_bail_out("%s", err.text);
	ok(ns[0] == 5666 && ns[1] == 1500 && ns[2] == 4000 && ns[3] == HBP_NEVER,
	   "initiation: the mean of those that have a link, rounded down");
	ok(order[0] == 1 && order[1] == 2 && order[2] == 0 && order[3] == 3,
	   "initiation: the fastest first, who sends to nobody last");
	hbp_pairs_free(&pairs);
	hbp_input_free(in);
}

/* Positions of root 1 are ids less 1; of another root they are not. */
static void check_shapes(void)
{
	struct hbp_input *eight = all_alike(8), *six = all_alike(6);
	struct hbp_input *two = all_alike(2);

	check_edges("eight nodes", eight, "binomial", 1,
		    "1-5 1-3 1-2 5-7 5-6 3-4 7-8");
	check_edges("six nodes", six, "binomial", 1, "1-5 1-3 1-2 5-6 3-4");
	/* Positions 0 to 5 are 4 1 2 3 5 6. */
	check_edges("another root", six, "binomial", 4, "4-5 4-2 4-1 5-6 2-3");
	check_edges("two nodes", two, "binomial", 2, "2-1");
	check_edges("ascending ids", six, "flat", 3, "3-1 3-2 3-4 3-5 3-6");
	check_edges("ascending ids after the root", six, "chain", 3,
		    "3-1 1-2 2-4 4-5 5-6");
	hbp_input_free(eight);
	hbp_input_free(six);
	hbp_input_free(two);
}

/* The parent of position p is p with its lowest set bit cleared. */
static void check_positions(void)
{
	size_t n, i, right = 0, edges = 0;
	const struct hbp_tree *tree;
	struct hbp_input *in;
	struct hbp_plan *plan;

	for (n = 2; n <= 70; n++) {
		in = all_alike(n);
		plan = make_plan(in, "binomial", 1, BYTES);
		tree = &plan->trees[0];
		for (i = 0; i < tree->n_edges; i++, edges++) {
			uint32_t p = tree->edges[i].child - 1;

			right += tree->edges[i].parent - 1 == (p & (p - 1));
		}
		hbp_plan_free(plan);
		hbp_input_free(in);
	}
	/* 1 + 2 + ... + 69 */
	ok(edges == 2415 && right == edges, "binomial: positions of 2 to 70 nodes");
}

/* Hosts 1 and 3 are at switch 10, 2 and 4 at switch 11. */
static const char two_switches[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
	"{'id':3,'kind':'host'},{'id':4,'kind':'host'},\n"
	"{'id':10,'kind':'switch'},{'id':11,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':10,'bandwidth_mbps':8,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':10,'bandwidth_mbps':8,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':11,'bandwidth_mbps':8,'latency_us':1,'symmetric':true},\n"
	"{'from':4,'to':11,'bandwidth_mbps':8,'latency_us':1,'symmetric':true},\n"
	"{'from':10,'to':11,'bandwidth_mbps':8,'latency_us':1,'symmetric':true}]}";

static void check_chain(void)
{
	struct hbp_input *in = make_input(two_switches);

	check_edges("depth-first on a platform", in, "chain", 1, "1-3 3-2 2-4");
	check_edges("depth-first from another root", in, "chain", 2,
		    "2-4 4-1 1-3");
	hbp_input_free(in);
}

static void check_refused(const char *what, struct hbp_input *in,
			  const char *name, uint32_t root, const char *sentence)
{
	struct hbp_request rq = {
		.in = in, .root = root, .message_bytes = BYTES
	};
	struct hbp_error err = { "nothing was said" };
	struct hbp_plan *plan;
	int ret;

	ret = hbp_plan_make(hbp_planner_find(name), &rq, &plan, &err);
	is_refused(ret, &err, what, sentence);
}

/* 1 reaches 2 and 3, 3 reaches nobody, 2 reaches 3. */
static void check_refusals_of_plans(void)
{
	static const int holes[9] = { 0, 5, 0, 5, 0, 5, 0, 0, 0 };
	struct hbp_input *in = from_times(holes, 3);
	struct hbp_input *platform = make_input(two_switches);

	check_refused("a pair without a link", in, "flat", 1,
		      "x: bandwidth_mbps: flat sends from node 1 to node 3, which have no link");
	check_edges("a pair without a link is no matter", in, "chain", 1,
		    "1-2 2-3");
	check_refused("a root that reaches nobody", in, "tps", 3,
		      "x: bandwidth_mbps: node 1 cannot be reached from root 3, or not within 285 years");
	check_refused("a root that is not there", in, "tps", 4,
		      "x: nodes: there is no node 4 to be the root");
	check_refused("a root that is a switch", platform, "chain", 10,
		      "x: nodes: there is no host 10 to be the root");
	hbp_input_free(in);
	hbp_input_free(platform);
}

int main(void)
{
	check_figure_5();
	check_tps();
	check_ties();
	check_initiation();
	check_shapes();
	check_positions();
	check_chain();
	check_refusals_of_plans();
	ok(!hbp_planner_find("none"), "no planner of an unknown name");
	return tap_done();
}
