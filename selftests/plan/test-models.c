// SPDX-License-Identifier: GPL-2.0-or-later
/* Models and bounds on examples worked by hand, and the platform of the demo. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

/* A plan of one tree with edges such as "1-2 1-3 2-4". */
static struct hbp_plan *plan_of(const char *edges, uint32_t root, uint64_t bytes)
{
	struct hbp_plan *plan = hbp_plan_alloc("test", root, bytes);
	struct hbp_error err;

	add_edges(hbp_plan_add_tree(plan, 0), edges);
	if (hbp_plan_check(plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

/* Rates in Mbit/s and times in ns of all nodes but the root, in order of id. */
struct want {
	double mbps;
	int64_t done;
	int64_t bound;
};

static void check_model(const char *what, struct hbp_input *in,
			const struct hbp_plan *plan, const struct want *want)
{
	struct hbp_evaluation *e;
	bool right = true;
	size_t i;

	e = evaluate_by(hbp_model_of(in), plan, in);
	for (i = 0; i < e->n; i++) {
		const struct hbp_figure *f = &e->nodes[i];

		if (f->rate_bps == (int64_t)(want[i].mbps * 1e6) &&
		    f->completion_ns == want[i].done &&
		    f->bound_ns == want[i].bound)
			continue;
		printf("# node %u: %lld bit/s, %lld ns, at least %lld ns\n",
		       f->id, (long long)f->rate_bps,
		       (long long)f->completion_ns, (long long)f->bound_ns);
		right = false;
	}
	ok(right, "%s", what);
	hbp_evaluation_free(e);
}

/*
 * 1000 bytes are 8000 bits: 8 us at 1000 Mbit/s, 80 us at 100, 800 us at 10.
 * Overheads: o_s of node 1 is 1 us, o_r of node 3 is 2 us.
 */
static const char costs[] =
	"{'hbcast':'costs','version':1,'nodes':[\n"
	"{'id':1,'send_overhead_us':1},{'id':2},{'id':3,'recv_overhead_us':2}],\n"
	"'latency_us':[[0,10,5],[10,0,20],[5,20,0]],\n"
	"'bandwidth_mbps':[[null,100,10],[100,null,1000],[10,1000,null]]}";

/*
 * Bounds. 2: widest 100 (direct), least delay 10 + 1: 91 us. 3: widest is by
 * way of 2, 100; least delay is direct, 5 + 1 + 2: 88 us.
 */
static void check_completion(void)
{
	/* 2 at 1 + 10 + 80, then 20 + 2 + 8 more. */
	static const struct want chain[] = {
		{ 100, 91000, 91000 }, { 100, 121000, 88000 }
	};
	/* 3 at 1 + 5 + 2 + 800. */
	static const struct want flat[] = {
		{ 100, 91000, 91000 }, { 10, 808000, 88000 }
	};
	struct hbp_input *in = make_input(costs);
	struct hbp_plan *plan = plan_of("1-2 2-3", 1, 1000);

	check_model("completion: the sum over the path", in, plan, chain);
	hbp_plan_free(plan);
	plan = plan_of("1-2 1-3", 1, 1000);
	check_model("completion: children are served at once", in, plan, flat);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/*
 * Hosts 1 to 4 at one switch; 1 sends 100 Mbit/s, 2 receives 20 and sends 100,
 * 3 and 4 receive 100. Latencies are 1 us for each link. 1000 bytes.
 */
static const char star[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':9,'kind':'switch'},\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
	"{'id':3,'kind':'host'},{'id':4,'kind':'host'}],'links':[\n"
	"{'from':1,'to':9,'bandwidth_mbps':100,'latency_us':1},\n"
	"{'from':9,'to':2,'bandwidth_mbps':20,'latency_us':1},\n"
	"{'from':2,'to':9,'bandwidth_mbps':100,'latency_us':1},\n"
	"{'from':3,'to':9,'bandwidth_mbps':100,'latency_us':1},\n"
	"{'from':4,'to':9,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':9,'to':3,'bandwidth_mbps':100,'latency_us':1},\n"
	"{'from':9,'to':4,'bandwidth_mbps':100,'latency_us':1}]}";

/* Bounds: 8000 bits at 20 Mbit/s are 400 us, at 100 are 80 us, and 2 us more. */
#define BOUND2	402000
#define BOUND34	82000

static void check_fluid(void)
{
	/* 1's link is shared by two: 2 takes 20, so 80 are left for 3. */
	static const struct want shared[] = {
		{ 20, 402000, BOUND2 }, { 80, 102000, BOUND34 },
		{ 80, 104000, BOUND34 }
	};
	/* Whom the slow node feeds is as slow: 400 us and 2, 4, 6 us. */
	static const struct want behind[] = {
		{ 20, 402000, BOUND2 }, { 20, 404000, BOUND34 },
		{ 20, 406000, BOUND34 }
	};
	/*
	 * 1 has two children, 4 has 100 - 20 = 80 from it; what 4 sends to 3
	 * has to pass 4's 10: 8000 bits in 800 us, and 4 us.
	 */
	static const struct want narrow[] = {
		{ 20, 402000, BOUND2 }, { 10, 804000, BOUND34 },
		{ 80, 102000, BOUND34 }
	};
	struct hbp_input *in = make_input(star);
	struct hbp_plan *plan = plan_of("1-2 1-3 3-4", 1, 1000);

	check_model("fluid: what one leaves the other takes", in, plan, shared);
	hbp_plan_free(plan);
	plan = plan_of("1-2 2-3 3-4", 1, 1000);
	check_model("fluid: nobody sends faster than it receives", in, plan,
		    behind);
	hbp_plan_free(plan);
	plan = plan_of("1-2 1-4 4-3", 1, 1000);
	check_model("fluid: every link counts", in, plan, narrow);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/* 1 to 2 by way of switches 8 (30) and 9 (20), and by way of host 3 (40, 5). */
static const char ways[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'},\n"
	"{'id':8,'kind':'switch'},{'id':9,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':8,'bandwidth_mbps':30,'latency_us':3},\n"
	"{'from':8,'to':2,'bandwidth_mbps':60,'latency_us':3},\n"
	"{'from':1,'to':9,'bandwidth_mbps':20,'latency_us':4},\n"
	"{'from':9,'to':2,'bandwidth_mbps':60,'latency_us':4},\n"
	"{'from':1,'to':3,'bandwidth_mbps':40,'latency_us':1},\n"
	"{'from':3,'to':2,'bandwidth_mbps':5,'latency_us':2},\n"
	"{'from':9,'to':3,'bandwidth_mbps':7,'latency_us':2}]}";

/*
 * The shortest way, 1 11 12 2, has to be given up in part: 1 sends 10 by way of
 * 13 14 12 and 10 by way of 11 15 16.
 */
static const char detour[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},\n"
	"{'id':11,'kind':'switch'},{'id':12,'kind':'switch'},\n"
	"{'id':13,'kind':'switch'},{'id':14,'kind':'switch'},\n"
	"{'id':15,'kind':'switch'},{'id':16,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':11,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':11,'to':12,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':12,'to':2,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':1,'to':13,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':13,'to':14,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':14,'to':12,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':11,'to':15,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':15,'to':16,'bandwidth_mbps':10,'latency_us':1},\n"
	"{'from':16,'to':2,'bandwidth_mbps':10,'latency_us':1}]}";

static void check_detour(void)
{
	struct hbp_input *in = make_input(detour);
	struct hbp_flow *flow = hbp_flow_alloc(in->platform);

	ok(hbp_flow_max(flow, 0, 1) == 20000000,
	   "flow: what was sent one way goes another");
	hbp_flow_free(flow);
	hbp_input_free(in);
}

#define NO_WAY "x: links: node 1 cannot be reached from root 3, or not within 285 years"
#define TOO_MANY \
	"x: the path model looks at all pairs, of at most 4096 hosts, not 4097"
#define NO_ROUTE \
	"x: links: no route leads from node 2 to node 3 without passing another host"

static void check_bounds(void)
{
	struct hbp_input *in = make_input(ways);
	int64_t bounds[3];
	struct hbp_error err;

	/* 55000 bytes are 440000 bits. */
	if (hbp_bounds(in, 1, 55000, bounds, &err))
		tap_bail_out("%s", err.text);
	ok(bounds[0] == 0, "bound: the root has the message");
	/* 30 + 20 + 5 = 55 Mbit/s: 8000 us; 1 + 2 us by way of 3. */
	ok(bounds[1] == 8003000,
	   "bound: all ways together, and the shortest of them");
	/* 40 + 7 = 47 Mbit/s: 9361702 ns; 1 us. */
	ok(bounds[2] == 9362702, "bound: flows may part at a switch");
	ok(hbp_bounds(in, 3, 1, bounds, &err) == -EINVAL &&
	   !strcmp(err.text, NO_WAY),
	   "bound: nobody out of reach");
	hbp_input_free(in);
}

static void check_refused_models(void)
{
	struct hbp_input *in = make_input(costs), *net = make_input(ways);
	struct hbp_plan *plan = plan_of("1-2 1-3", 1, 1000);
	struct hbp_plan *few = plan_of("1-2", 1, 1000);
	struct hbp_plan *back = plan_of("1-2 2-3", 1, 1000);
	struct hbp_evaluation *e;
	struct hbp_error err;

	ok(hbp_evaluate(plan, in, HBP_MODEL_FLUID, &e, &err) == -EOPNOTSUPP &&
	   !strcmp(err.text, "x: the fluid model needs a platform, not a cost matrix"),
	   "refused: fluid on a cost matrix");
	ok(hbp_evaluate(few, in, HBP_MODEL_COMPLETION, &e, &err) == -EINVAL &&
	   !strcmp(err.text, "x: the plan does not reach member 3"),
	   "refused: a plan that lacks a node");
	ok(hbp_evaluate(back, net, HBP_MODEL_FLUID, &e, &err) == -EINVAL &&
	   !strcmp(err.text, NO_ROUTE),
	   "refused: an edge without a route");
	hbp_tree_add(hbp_plan_add_tree(plan, 1), 1, 2, &err);
	ok(hbp_evaluate(plan, in, HBP_MODEL_COMPLETION, &e, &err) == -EOPNOTSUPP &&
	   !strcmp(err.text, "x: the completion model takes plans with one tree, not 2"),
	   "refused: several trees");
	hbp_plan_free(plan);
	hbp_plan_free(few);
	hbp_plan_free(back);
	hbp_input_free(in);
	hbp_input_free(net);
}

/* Host i is at switch 99999 with a link of its own. */
static struct hbp_input *make_star(size_t hosts)
{
	struct hbp_input *in;
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':99999,'kind':'switch'}",
	      f);
	for (i = 1; i <= hosts; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[", f);
	for (i = 1; i <= hosts; i++)
		fprintf(f,
			"%s{'from':%zu,'to':99999,'bandwidth_mbps':8,'latency_us':1,'symmetric':true}",
			i > 1 ? "," : "", i);
	fputs("]}", f);
	fclose(f);
	in = make_input(text);
	free(text);
	return in;
}

static void check_large_platform(void)
{
	struct hbp_input *in = make_star(HBP_COSTS_NODES_MAX + 1);
	struct hbp_plan *plan = make_plan(in, "binomial", 1, 1000);
	struct hbp_evaluation *e;
	struct hbp_error err;

	ok(hbp_model_applies(HBP_MODEL_FLUID, in, plan) &&
	   !hbp_model_applies(HBP_MODEL_COMPLETION, in, plan) &&
	   !hbp_model_applies(HBP_MODEL_PATH, in, plan),
	   "more hosts than a matrix has rows: the fluid model is left");
	ok(hbp_evaluate(plan, in, HBP_MODEL_PATH, &e, &err) == -EOPNOTSUPP &&
	   !strcmp(err.text, TOO_MANY),
	   "refused: a matrix of more than 4096 hosts");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/* What the demo promises: its planned tree reaches the slowest node's bound. */
static void check_demo(uint64_t bytes)
{
	struct hbp_error err;
	struct hbp_input *in;
	struct hbp_plan *plan;
	const struct hbp_figure *slowest;
	double ratio;

	if (hbp_input_load("demo/platform.json", NULL, &in, &err))
		tap_bail_out("%s", err.text);
	ok(in->platform->n_hosts == 9 && in->platform->n == 12,
	   "demo: nine hosts, three switches");
	plan = make_plan(in, "tps", 1, bytes);
	slowest = hbp_evaluation_slowest(plan->predicted);
	ok(hbp_figure_ratio(slowest) < 1.001 &&
	   slowest->bound_ns == hbp_evaluation_bound(plan->predicted),
	   "demo: tps, %llu bytes: the slowest node is at its bound",
	   (unsigned long long)bytes);
	/* 1 sends to 2 5 7 9: 10 + 10 + 15 + 15 Mbit/s. */
	ok(edges_are(plan, "1-2 1-7 1-5 1-9 2-4 2-3 7-8 4-6") &&
	   plan->trees[0].rate_bps == 10000000, "demo: the tree of tps");
	hbp_plan_free(plan);
	/* Eight edges share 50 Mbit/s: 6.25 each, where 10 are possible. */
	plan = make_plan(in, "flat", 1, bytes);
	ratio = hbp_figure_ratio(hbp_evaluation_slowest(plan->predicted));
	ok(ratio > 1.59 && ratio < 1.61, "demo: flat needs 1.6 times as long");
	hbp_plan_free(plan);
	plan = make_plan(in, "chain", 1, bytes);
	ok(plan->trees[0].rate_bps == 10000000,
	   "demo: the chain keeps the slowest link busy");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

int main(void)
{
	check_completion();
	check_fluid();
	check_bounds();
	check_detour();
	check_refused_models();
	check_large_platform();
	check_demo(8 << 20);
	check_demo(256 << 20);
	return tap_done();
}
