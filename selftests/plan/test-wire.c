// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headers and acknowledgements: a frame of 1514 bytes brings 1432 of payload, and each
 * two are answered by one of 66, so that a link of 1514 Mbit/s carries 1432.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define BYTES		1000000
/* Acknowledgements on a link as wide as that of the data, of what it carries. */
#define ACKS		(66.0 / (2 * 1514))
#define ROUNDS		40

/* Rates are whole bit/s. */
static bool near(double got, double want)
{
	bool good = fabs(got - want) <= want / 1e6;

	if (!good)
		printf("# %.3f Mbit/s, not %.3f\n", got / 1e6, want / 1e6);
	return good;
}

/* A platform of hosts 1 to @hosts, switches 9, 21 and 22, and the links of @links. */
static struct hbp_input *counted(size_t hosts, const char *links)
{
	struct hbp_input *in;
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[", f);
	for (i = 1; i <= hosts; i++)
		fprintf(f, "{'id':%zu,'kind':'host'},", i);
	fputs("{'id':9,'kind':'switch'},{'id':21,'kind':'switch'},{'id':22,'kind':'switch'}],", f);
	fprintf(f, "'links':[%s]}", links);
	fclose(f);
	in = make_input(text);
	free(text);
	hbp_input_count(in);
	return in;
}

#define LINK(from, to, mbps, more) \
	"{'from':" #from ",'to':" #to ",'bandwidth_mbps':" #mbps ",'latency_us':1" more "}"
#define BOTH	",'symmetric':true"

static double rate_of(struct hbp_input *in, const char *name)
{
	struct hbp_plan *plan = make_plan(in, name, 1, BYTES);
	double bps = (double)hbp_evaluation_rate(plan->predicted);

	hbp_plan_free(plan);
	hbp_input_free(in);
	return bps;
}

static void test_chain(void)
{
	ok(near(rate_of(counted(2, LINK(1, 9, 1514, BOTH) "," LINK(9, 2, 1514, BOTH)),
			"flat"), 1432e6), "two links bring 1432 of 1514");
	/* 0.757 Mbit/s of acknowledgements are for 2 * 1432 / 66 times as much. */
	ok(near(rate_of(counted(2, LINK(1, 9, 1514, BOTH) "," LINK(9, 2, 1514, "") ","
				LINK(2, 9, 0.757, "")), "flat"), 0.757e6 * 2 * 1432 / 66),
	   "what acknowledgements are held back by holds data back");
	ok(near(rate_of(counted(2, LINK(1, 9, 1514, "") "," LINK(9, 2, 1514, "")), "flat"),
		1432e6), "no way back, no acknowledgements");
}

#define STAR	LINK(1, 9, 1514, BOTH) "," LINK(2, 9, 1514, BOTH) "," LINK(3, 9, 1514, BOTH)

static void test_star(void)
{
	ok(near(rate_of(counted(3, STAR), "flat"), 716e6), "the root's link carries data twice");
	/* The link of node 2 carries data for node 3 and acknowledgements for node 1. */
	ok(near(rate_of(counted(3, STAR), "chain"), 1432e6 / (1 + ACKS)),
	   "the way back carries both");
	/*
	 * Chains of x over 1-2-3 and 1-3-2, and the flat tree of z: the root's link carries
	 * 2 x + 2 z; that to node 2 the data of all, 2 x + z, and x * ACKS. Both are full.
	 */
	ok(near(rate_of(counted(3, STAR), "mtp"), 716e6 + 716e6 / (1 + ACKS)),
	   "the fastest trees, by their program");
}

/* Node 2 sends and receives over one link, from switch 21 to switch 22. */
static void test_half_duplex(void)
{
	ok(near(rate_of(counted(2, LINK(1, 9, 9000, BOTH) "," LINK(2, 21, 9000, "") ","
				LINK(9, 21, 9000, "") "," LINK(21, 22, 1514, "") ","
				LINK(22, 2, 9000, "") "," LINK(22, 9, 9000, "")), "mtp"),
		1432e6 / (1 + ACKS)), "data and acknowledgements pass one link");
}

static void test_mtu(void)
{
	ok(near(rate_of(counted(2, LINK(1, 9, 9014, BOTH ",'mtu':9000") ","
				LINK(9, 2, 9014, BOTH ",'mtu':9000")), "flat"), 8932e6),
	   "larger frames have fewer headers");
	ok(near(rate_of(counted(2, LINK(1, 9, 757, BOTH ",'mtu':9000") ","
				LINK(9, 2, 1514, BOTH)), "mtp"), 716e6),
	   "the least MTU of the way counts on all its links");
	ok(near(rate_of(counted(2, LINK(1, 9, 757, BOTH ",'mtu':9000") ","
				LINK(9, 2, 1514, BOTH)), "tps"), 716e6),
	   "so it does in the cost matrix");
}

/*
 * Algorithm 1 plans 716 over 1-2-3, and 716 over 1-3. The link of node 2 carries 716,
 * which is also to hold 716 * ACKS: the first tree is slower by that, the other not.
 */
static void test_lowered(void)
{
	struct hbp_input *in = counted(3, LINK(1, 9, 1514, BOTH) "," LINK(2, 9, 757, BOTH) ","
				       LINK(3, 9, 1514, BOTH));
	struct hbp_plan *plan = make_plan(in, "stable", 1, BYTES);

	ok(plan->n_trees == 2 && near((double)plan->trees[0].rate_bps, 716e6 / (1 + ACKS)) &&
	   plan->trees[1].rate_bps == 716000000, "a tree that overfills a link is slower");
	ok(predicted_rate(plan, 3) == planned_rate(plan, 3), "what is planned is predicted");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

#define MATRIX(more) \
	"{'hbcast':'costs','version':1" more ",'nodes':[{'id':1},{'id':2}]," \
	"'latency_us':[[0,1],[1,0]],'bandwidth_mbps':[[null,1514],[1514,null]]}"
#define PAIR(more) \
	"{'hbcast':'platform','version':1" more ",'nodes':[{'id':1,'kind':'host'}," \
	"{'id':2,'kind':'host'}],'links':[" LINK(1, 2, 1514, BOTH) "]}"
#define BARE	",'headers':false"

static bool has_rate(const char *text, double want)
{
	struct hbp_input *in = make_input(text);

	hbp_input_count(in);
	return near(rate_of(in, "flat"), want);
}

static void test_kinds(void)
{
	ok(has_rate(MATRIX(""), 1432e6), "a matrix counts headers");
	ok(has_rate(MATRIX(BARE), 1514e6), "or says that it does not");
	ok(has_rate(PAIR(""), 1432e6), "a platform counts headers");
	ok(has_rate(PAIR(BARE), 1514e6), "or says that it does not");
}

/* Adds an edge's data, or its acknowledgements, to links on the wire. */
static void add_route(const struct hbp_platform *p, struct hbp_routes *routes, size_t from,
		      size_t to, double mbps, double *load)
{
	size_t at;

	hbp_routes_find(p, from, false, routes);
	if (routes->latency_ns[to] == HBP_NEVER)
		return;
	for (at = to; at != from; at = p->links[routes->last[at]].from)
		load[routes->last[at]] += mbps;
}

static unsigned int least_mtu(const struct hbp_platform *p, struct hbp_routes *routes,
			      size_t from, size_t to)
{
	unsigned int mtu = 65535, its;
	size_t at;

	hbp_routes_find(p, from, false, routes);
	for (at = to; at != from; at = p->links[routes->last[at]].from) {
		its = p->links[routes->last[at]].mtu;
		its = its ? its : 1500;
		mtu = its < mtu ? its : mtu;
	}
	return mtu;
}

/* The busiest link by a plan's rates: what is on the wire, over what is @wide there. */
static double busiest(const struct hbp_plan *plan, const struct hbp_platform *p,
		      const double *wide)
{
	struct hbp_routes *routes = hbp_routes_alloc(p);
	double *load = calloc(p->n_links, sizeof(*load)), rate, most = 0;
	const struct hbp_edge *e;
	size_t t, i, from, to;
	unsigned int mtu;

	for (t = 0; t < plan->n_trees; t++) {
		for (i = 0; i < plan->trees[t].n_edges; i++) {
			e = &plan->trees[t].edges[i];
			rate = plan->n_trees > 1 ? (double)plan->trees[t].rate_bps :
			       (double)predicted_rate(plan, e->child);
			from = hbp_platform_find(p, e->parent);
			to = hbp_platform_find(p, e->child);
			mtu = least_mtu(p, routes, from, to);
			add_route(p, routes, from, to, rate * (mtu + 14) / (mtu - 68), load);
			add_route(p, routes, to, from, rate * 66 / (2.0 * (mtu - 68)), load);
		}
	}
	for (i = 0; i < p->n_links; i++)
		most = fmax(most, load[i] / wide[i]);
	hbp_routes_free(routes);
	free(load);
	return most;
}

/* Links have MTUs, and are counted; what they have on the wire. */
static double *count_mixed(struct luck *luck, struct hbp_input *in, bool mixed)
{
	static const unsigned int mtus[] = { 0, 576, 1500, 9000 };
	struct hbp_platform *p = in->platform;
	double *wide = calloc(p->n_links, sizeof(*wide));
	size_t i;

	for (i = 0; i < p->n_links; i++) {
		/* A bit/s more or less is nothing there. */
		p->links[i].bandwidth_bps *= 1000;
		wide[i] = (double)p->links[i].bandwidth_bps;
		p->links[i].mtu = mixed ? mtus[draw_below(luck, 4)] : 0;
	}
	hbp_input_count(in);
	return wide;
}

struct tried {
	size_t plans;
	size_t bad;
	double most;
};

static void try_planner(const struct hbp_planner *planner, struct hbp_input *in,
			const double *wide, struct tried *tried)
{
	struct hbp_request rq = { .in = in, .root = 1, .message_bytes = BYTES };
	struct hbp_error err;
	struct hbp_plan *plan;
	double most;

	for (rq.ports = HBP_ANY_PORTS; rq.ports <= HBP_MULTI_PORT; rq.ports++) {
		if (hbp_plan_make(planner, &rq, &plan, &err))
			continue;
		most = busiest(plan, in->platform, wide);
		tried->plans++;
		tried->most = fmax(tried->most, most);
		if (most > 1 + 1 / 1e7 ||
		    (plan->bound_bps && !plan->certificate->n_cuts &&
		     hbp_evaluation_rate(plan->predicted) > plan->bound_bps))
			tried->bad++;
		hbp_plan_free(plan);
	}
}

static void test_random(void)
{
	struct tried tried[64] = { 0 };
	const struct hbp_planner *const *planners;
	struct luck luck = { .state = 26 };
	struct hbp_input *in;
	size_t n, i, round;
	double *wide;

	planners = hbp_planners(&n);
	for (round = 0; round < ROUNDS; round++) {
		in = random_platform(&luck, 3 + draw_below(&luck, 8), 1 + draw_below(&luck, 5),
				     round % 3, round & 1);
		wide = count_mixed(&luck, in, round % 4 > 1);
		for (i = 0; i < n; i++)
			if (planners[i]->inputs & HBP_INPUT_PLATFORM)
				try_planner(planners[i], in, wide, &tried[i]);
		free(wide);
		hbp_input_free(in);
	}
	for (i = 0; i < n; i++)
		if (planners[i]->inputs & HBP_INPUT_PLATFORM)
			ok(tried[i].plans && !tried[i].bad,
			   "%s overfills no link, and its bound holds, with %zu plans: %.5f at most",
			   planners[i]->name, tried[i].plans, tried[i].most);
}

int main(void)
{
	test_chain();
	test_star();
	test_half_duplex();
	test_mtu();
	test_lowered();
	test_kinds();
	test_random();
	return tap_done();
}
