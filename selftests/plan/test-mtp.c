// SPDX-License-Identifier: GPL-2.0-or-later
/* The optimal set of trees, against programs and searches of another kind. */
#include <errno.h>
#include <glpk.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "arborescences.h"
#include "colgen.h"
#include "flow_program.h"
#include "helper.h"

#define BYTES	8000000
/* Rounding, and what ends a search. */
#define NEARLY	(1 / 1e9)
#define ROUGHLY	(1 / 1e6)

/* Hosts 10, 20, ... with links to one another and no switch. */
static struct hbp_input *random_hosts(struct luck *luck, size_t n, size_t part)
{
	char *text = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':10,'kind':'host'}", f);
	for (i = 2; i <= n; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", 10 * i);
	fputs("],'links':[", f);
	for (i = 0; i < n * n; i++) {
		size_t from = i / n, to = i % n;

		if (from == to || (to != (from + 1) % n &&
				   draw_below(luck, 4) >= part))
			continue;
		fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%u,'latency_us':%u},",
			10 * from + 10, 10 * to + 10, 10 + draw_below(luck, 90),
			1 + draw_below(luck, 9));
	}
	return close_links(f, &text);
}

static struct hbp_plan *plan_with(struct hbp_input *in, const char *name,
				  size_t root, enum hbp_ports ports,
				  unsigned int trees)
{
	struct hbp_request rq = {
		.in = in, .root = in->members[root], .message_bytes = BYTES,
		.ports = ports, .trees = trees
	};

	return plan_by(name, &rq);
}

/* The rate at which a plan serves everybody. */
static double rate_of(const struct hbp_plan *plan)
{
	return (double)hbp_evaluation_rate(plan->predicted) / 1e6;
}

static bool near(double a, double b)
{
	return a <= b * 1.000001 && b <= a * 1.000001;
}

/* Nobody's fragments are few enough for depth to matter, nor trees too many. */
static bool is_best(struct hbp_input *in, size_t root, enum hbp_ports ports,
		    double best)
{
	struct hbp_plan *plan = plan_with(in, "mtp", root, ports, 0);
	bool good = near(rate_of(plan), best) &&
		    near((double)plan->bound_bps / 1e6, best);

	if (!good)
		printf("# %zu nodes, ports %d: rate %.9f, bound %.9f, flow %.9f\n",
		       in->n, ports, rate_of(plan),
		       (double)plan->bound_bps / 1e6, best);
	hbp_plan_free(plan);
	return good;
}

static void check_flows(void)
{
	size_t round, links = 0, one = 0, multi = 0;
	struct luck luck = { 22 };

	for (round = 0; round < 200; round++) {
		size_t n = 2 + round % 5, root = draw_below(&luck, (uint32_t)n);
		struct hbp_input *in = random_hosts(&luck, n, 1 + round % 4);

		links += is_best(in, root, HBP_ANY_PORTS, hosts_rate(in, root));
		hbp_input_free(in);
		in = random_costs(&luck, n, round & 1);
		one += is_best(in, root, HBP_ONE_PORT,
			       costs_rate(in, root, HBP_ONE_PORT));
		multi += is_best(in, root, HBP_MULTI_PORT,
				 costs_rate(in, root, HBP_MULTI_PORT));
		hbp_input_free(in);
	}
	printf("# seed 22\n");
	ok(links == 200, "mtp: links as wide as a flow program says");
	ok(one == 200, "mtp: one port as fast as a flow program says");
	ok(multi == 200, "mtp: many ports as fast as a flow program says");
}

/* The prices that are found prove the bound: the cheapest of all trees at these. */
static bool is_proven(const struct hbp_steady *steady, const struct hbp_colgen *cg)
{
	static double costs[1600];
	static struct graph g;
	double all = 0;
	size_t i, u, into[40];

	g.n = steady->n;
	g.m = steady->n_arcs;
	memcpy(g.arcs, steady->arcs, g.m * sizeof(*g.arcs));
	for (i = 0; i < g.m; i++) {
		costs[i] = 0;
		for (u = steady->first[i]; u < steady->first[i + 1]; u++)
			costs[i] += cg->prices[steady->rows[u]] * steady->uses[u];
	}
	for (i = 0; i < steady->n_rows; i++) {
		all += cg->prices[i];
		if (cg->prices[i] < 0)
			all = 1e300;
	}
	return near(all / least_cost(&g, costs, 0, 0, into), cg->bound);
}

/* Who sends a lot sends twice as much: is all true that is found from there? */
static bool is_like(struct hbp_input *in, enum hbp_ports ports,
		    const struct hbp_colgen *before)
{
	const uint32_t *const *trees = (const uint32_t *const *)before->trees;
	struct hbp_like like = { .prices = before->prices };
	struct hbp_colgen *cg, *anew;
	struct hbp_steady *steady;
	const uint32_t *some[64];
	struct hbp_error err;
	size_t i, n = in->n;
	bool good;

	like.trees = some;
	for (i = 0; i < before->n_trees && like.n_trees < 64; i++)
		if (before->mbps[i] > 0)
			some[like.n_trees++] = trees[i];
	for (i = 0; in->platform && i < in->platform->n_links; i += 2)
		in->platform->links[i].bandwidth_bps *= 2;
	for (i = 0; !in->platform && i < n * n; i += 2)
		in->costs->bandwidth_bps[i] *= 2;
	if (hbp_steady_alloc(in, ports, &steady, &err) ||
	    hbp_colgen_run(steady, 0, &like, &cg, &err) ||
	    hbp_colgen_run(steady, 0, NULL, &anew, &err))
		tap_bail_out("%s", err.text);
	good = is_proven(steady, cg) && cg->bound > anew->rate * (1 - NEARLY) &&
	       cg->rate < anew->bound * (1 + NEARLY) &&
	       cg->rate >= before->rate * (1 - ROUGHLY);
	hbp_colgen_free(cg);
	hbp_colgen_free(anew);
	hbp_steady_free(steady);
	return good;
}

/* The certificate, and that of a network that differs in something. */
static bool is_certified(struct hbp_input *in, enum hbp_ports ports)
{
	struct hbp_steady *steady;
	struct hbp_colgen *cg;
	struct hbp_error err;
	bool good;

	if (hbp_steady_alloc(in, ports, &steady, &err) ||
	    hbp_colgen_run(steady, 0, NULL, &cg, &err))
		tap_bail_out("%s", err.text);
	good = is_proven(steady, cg) && near(cg->rate, cg->bound) &&
	       is_like(in, ports, cg);
	hbp_colgen_free(cg);
	hbp_steady_free(steady);
	return good;
}

static double price_of(const struct hbp_certificate *c, enum hbp_priced what,
		       uint32_t from, uint32_t to)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < c->n_prices; i++)
		if (c->prices[i].what == what && c->prices[i].from == from &&
		    (what != HBP_PRICED_LINK || c->prices[i].to == to))
			sum += c->prices[i].mbps;
	return sum;
}

/* What an edge pays, as formats.md says; of links, those of its route. */
static double edge_pays(struct hbp_input *in, const struct hbp_certificate *c,
			size_t from, size_t to)
{
	const struct hbp_platform *p = in->platform;
	uint32_t *ids = in->members;
	const struct hbp_costs *costs;
	double pays = 0, mbps, most = 0;
	struct hbp_error err;
	size_t i;

	if (hbp_input_costs(in, &costs, &err))
		tap_bail_out("%s", err.text);
	mbps = (double)costs->bandwidth_bps[from * in->n + to] / 1e6;
	if (p) {
		struct hbp_routes *r = hbp_routes_alloc(p);

		hbp_routes_find(p, p->hosts[from], false, r);
		for (i = r->last[p->hosts[to]]; i != HBP_NONE;
		     i = r->last[p->links[i].from])
			pays += price_of(c, HBP_PRICED_LINK,
					 p->nodes[p->links[i].from].id,
					 p->nodes[p->links[i].to].id) * 1e6 /
				(double)p->links[i].bandwidth_bps;
		hbp_routes_free(r);
	} else {
		pays += price_of(c, HBP_PRICED_LINK, ids[from], ids[to]) / mbps;
	}
	for (i = 0; i < in->n; i++)
		if (i != from && (double)costs->bandwidth_bps[from * in->n + i] / 1e6 > most)
			most = (double)costs->bandwidth_bps[from * in->n + i] / 1e6;
	if (c->model == HBP_MODEL_ONE_PORT)
		pays += (price_of(c, HBP_PRICED_SENDER, ids[from], 0) +
			 price_of(c, HBP_PRICED_RECEIVER, ids[to], 0)) / mbps;
	if (c->model == HBP_MODEL_MULTI_PORT)
		pays += price_of(c, HBP_PRICED_SENDER, ids[from], 0) * 0.8 / most;
	return pays;
}

/* The same from the plan's file, with nothing but what the file says. */
static bool is_written(struct hbp_input *in, enum hbp_ports ports)
{
	struct hbp_plan *plan = plan_with(in, "mtp", 0, ports, 0), *back;
	char *text = hbp_plan_text(plan);
	const struct hbp_costs *costs;
	struct hbp_error err;
	static struct graph g = { 0 };
	double all = 0, least;
	size_t i, into[40];

	if (hbp_plan_parse(text, strlen(text), "x", NULL, &back, &err) ||
	    hbp_input_costs(in, &costs, &err))
		tap_bail_out("%s", err.text);
	g.n = in->n;
	g.m = 0;
	for (i = 0; i < in->n * in->n; i++) {
		if (!costs->bandwidth_bps[i] || i / in->n == i % in->n)
			continue;
		g.arcs[g.m].from = (uint32_t)(i / in->n);
		g.arcs[g.m].to = (uint32_t)(i % in->n);
		g.costs[g.m++] = edge_pays(in, back->certificate, i / in->n,
					   i % in->n);
	}
	for (i = 0; i < back->certificate->n_prices; i++)
		all += back->certificate->prices[i].mbps;
	least = least_cost(&g, g.costs, 0, 0, into);
	free(text);
	all *= 1e6 / (double)back->bound_bps;
	if (!near(all, 1) || !near(least, 1))
		printf("# %zu nodes, ports %d: prices %.9f of the bound, a tree pays %.9f\n",
		       in->n, ports, all, least);
	hbp_plan_free(plan);
	hbp_plan_free(back);
	return near(all, 1) && near(least, 1);
}

static void check_certificates(void)
{
	struct luck luck = { 23 };
	size_t round, good = 0, written = 0;

	for (round = 0; round < 150; round++) {
		struct hbp_input *in;

		if (round % 3)
			in = random_costs(&luck, 3 + round % 3, false);
		else
			in = random_platform(&luck, 3 + round % 3,
					     1 + round % 4, round % 5, false);
		good += is_certified(in, round % 3);
		written += is_written(in, round % 3);
		hbp_input_free(in);
	}
	ok(good == 150, "mtp: prices prove the bound, the rate reaches it");
	ok(written == 150, "mtp: so do those in the plan's file");
}

/* No planner's plan is faster than the bound in the model that it is made for. */
static bool beats_all(struct hbp_input *in, size_t root, enum hbp_ports ports,
		      enum hbp_model model)
{
	struct hbp_plan *best = plan_with(in, "mtp", root, ports, 0), *other;
	const struct hbp_planner *const *planners;
	struct hbp_evaluation *e;
	size_t n, i;
	bool good = near(rate_of(best), (double)best->bound_bps / 1e6);

	if (!good)
		printf("# %zu nodes, ports %d: rate %.9f, bound %.9f, %zu trees\n",
		       in->n, ports, rate_of(best),
		       (double)best->bound_bps / 1e6, best->n_trees);
	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		if (!(planners[i]->inputs & in->kind))
			continue;
		other = plan_with(in, planners[i]->name, root, HBP_ANY_PORTS, 0);
		if (other->n_trees == 1) {
			e = evaluate_by(model, other, in);
			good = good && hbp_evaluation_rate(e) <= best->bound_bps;
			hbp_evaluation_free(e);
		}
		hbp_plan_free(other);
	}
	hbp_plan_free(best);
	return good;
}

static void check_bounds(void)
{
	size_t round, links = 0, one = 0, multi = 0;
	struct luck luck = { 24 };

	for (round = 0; round < 40; round++) {
		size_t n = 3 + draw_below(&luck, 20);
		struct hbp_input *in = random_platform(&luck, n,
				1 + draw_below(&luck, 6), draw_below(&luck, 6),
				false);

		links += beats_all(in, 0, HBP_ANY_PORTS, HBP_MODEL_FLUID);
		hbp_input_free(in);
		in = random_costs(&luck, n, false);
		one += beats_all(in, 1, HBP_ONE_PORT, HBP_MODEL_ONE_PORT);
		multi += beats_all(in, 2, HBP_MULTI_PORT, HBP_MODEL_MULTI_PORT);
		hbp_input_free(in);
	}
	printf("# seed 24\n");
	ok(links == 40, "mtp: platforms: at its bound, which nobody exceeds");
	ok(one == 40, "mtp: one-port: at its bound, which nobody exceeds");
	ok(multi == 40, "mtp: multi-port: at its bound, which nobody exceeds");
}

static void check_caps(void)
{
	size_t round, good = 0, tried = 0, told = 0, right = 0;
	struct luck luck = { 25 };

	for (round = 0; round < 20; round++) {
		struct hbp_input *in = random_hosts(&luck, 6, 3);
		double best = hosts_rate(in, 0);
		struct hbp_plan *plan;
		unsigned int most;

		for (most = 1; most <= 4; most++, tried++) {
			plan = plan_with(in, "mtp", 0, HBP_ANY_PORTS, most);
			good += plan->n_trees <= most && rate_of(plan) > 0 &&
				plan->bound_bps >= hbp_evaluation_rate(plan->predicted);
			told += plan->uncapped_bps > 0;
			right += plan->uncapped_bps > 0 && rate_of(plan) < best &&
				 near((double)plan->uncapped_bps / 1e6, best);
			hbp_plan_free(plan);
		}
		hbp_input_free(in);
	}
	ok(good == tried, "mtp: no more trees than asked for");
	ok(told && right == told,
	   "... and %zu times, what more would reach, as a flow program says", told);
}

/* Links that are nearly alike need many trees before the bound is near. */
static void check_narrow(void)
{
	struct luck luck = { 26 };
	struct hbp_plan *plan;
	struct hbp_input *in;
	size_t len, i, k;
	uint64_t seen;
	uint32_t from;
	char *text;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':65,'kind':'host'}", f);
	for (i = 1; i < 65; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[", f);
	for (i = 1; i <= 65; i++) {
		/* Six different senders. */
		for (k = 0, seen = 0; k < 6;) {
			from = draw_below(&luck, 64);
			if (from + 1 == i || seen >> from & 1)
				continue;
			seen |= 1ull << from;
			k++;
			fprintf(f, "{'from':%u,'to':%zu,", from + 1, i);
			fprintf(f, "'bandwidth_mbps':%u,'latency_us':1},",
				900 + draw_below(&luck, 101));
		}
	}
	in = close_links(f, &text);
	plan = plan_with(in, "mtp", 0, HBP_ONE_PORT, 0);
	ok(rate_of(plan) * 1e6 > 0.99999 * (double)plan->bound_bps,
	   "65 hosts with 6 links each, nearly alike: %.6f of the bound",
	   rate_of(plan) * 1e6 / (double)plan->bound_bps);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/*
 * Root 1 sends 40 Mbit/s to 2 and 20 to 3, 2 sends 40 to 3. One port: the tree
 * 1-2 1-3 keeps 1 busy for 1/40 + 1/20 of each Mbit/s: 13.3 Mbit/s. The chain has
 * 40. Many ports: 0.8 / 40 a transfer would allow 25 in the star, its link to 3
 * 20.
 */
static const char three[] =
	"{'hbcast':'costs','version':1,'nodes':[{'id':1},{'id':2},{'id':3}],\n"
	"'latency_us':[[0,1,1],[1,0,1],[1,1,0]],\n"
	"'bandwidth_mbps':[[null,40,20],[40,null,40],[40,40,null]]}";

static void check_ports(void)
{
	struct hbp_input *in = make_input(three);
	struct hbp_plan *star = plan_with(in, "flat", 0, HBP_ANY_PORTS, 0);
	struct hbp_plan *chain = plan_with(in, "chain", 0, HBP_ANY_PORTS, 0);
	struct hbp_evaluation *e;

	e = evaluate_by(HBP_MODEL_ONE_PORT, star, in);
	/* 64 Mbit at 13.333333 are 4.80000012 s; at best 40: 1.6 s. And 1 us. */
	ok(hbp_evaluation_rate(e) == 13333333 &&
	   e->nodes[0].completion_ns == 4800001120 &&
	   e->nodes[0].bound_ns == 1600001000 &&
	   e->nodes[1].bound_ns == 1600001000, "one-port: a star");
	hbp_evaluation_free(e);
	e = evaluate_by(HBP_MODEL_MULTI_PORT, star, in);
	/* 3.2 s; the root may send 50 in all, 1.28 s. */
	ok(hbp_evaluation_rate(e) == 20000000 &&
	   e->nodes[1].completion_ns == 3200001000 &&
	   e->nodes[1].bound_ns == 1280001000, "multi-port: a star");
	hbp_evaluation_free(e);
	e = evaluate_by(HBP_MODEL_ONE_PORT, chain, in);
	ok(hbp_evaluation_rate(e) == 40000000 &&
	   e->nodes[1].completion_ns == 1600002000, "one-port: a chain");
	hbp_evaluation_free(e);
	hbp_plan_free(star);
	hbp_plan_free(chain);
	hbp_input_free(in);
}

/* What a plan says in its file comes back. */
static void check_file(void)
{
	struct luck luck = { 26 };
	struct hbp_input *in = random_hosts(&luck, 7, 3);
	struct hbp_plan *plan = plan_with(in, "mtp", 0, HBP_ANY_PORTS, 0), *again;
	char *text = hbp_plan_text(plan), *copy;
	struct hbp_error err;

	if (hbp_plan_parse(text, strlen(text), "x", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	copy = hbp_plan_text(again);
	ok(plan->n_trees > 1 && plan->bound_bps == again->bound_bps &&
	   !strcmp(text, copy), "a plan of several trees and its bound are read as written");
	free(text);
	free(copy);
	hbp_plan_free(plan);
	hbp_plan_free(again);
	hbp_input_free(in);
}

/*
 * Rates that programs do not tell apart: there is a plan that keeps its bound, or none.
 * With the first seed GLPK goes round in circles, with the second loads are infinite.
 */
static void check_extremes(uint64_t seed)
{
	static const int64_t bps[] = { 1, 2, 500000, 1000000, 123456789, 1000000000,
				       10000000000000 };
	struct luck luck = { seed };
	struct hbp_input *in = random_costs(&luck, 12, false);
	struct hbp_request rq = {
		.in = in, .root = in->members[0], .message_bytes = BYTES,
		.ports = HBP_ONE_PORT
	};
	struct hbp_plan *plan = NULL;
	struct hbp_error err;
	size_t i;
	int ret;

	for (i = 0; i < 12 * 12; i++)
		if (in->costs->bandwidth_bps[i])
			in->costs->bandwidth_bps[i] = bps[draw_below(&luck, 7)];
	alarm(60);
	ret = hbp_plan_make(hbp_planner_find("mtp"), &rq, &plan, &err);
	alarm(0);
	ok(ret == -EDOM || (!ret && hbp_evaluation_rate(plan->predicted) <= plan->bound_bps),
	   "pairs from 1 bit/s to 10 Tbit/s, seed %u: the search ends", (unsigned int)seed);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

int main(void)
{
	glp_term_out(GLP_OFF);
	check_flows();
	check_certificates();
	check_bounds();
	check_caps();
	check_narrow();
	check_ports();
	check_extremes(42);
	check_extremes(68);
	check_file();
	return tap_done();
}
