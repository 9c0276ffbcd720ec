// SPDX-License-Identifier: GPL-2.0-or-later
/* What limits plans, on random networks. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define SEED	67
#define BYTES	100000000

struct tally {
	size_t limits, right, small, larger, kept;
};

static int64_t bound_of(struct hbp_input *in, uint32_t root)
{
	struct hbp_plan *plan = make_plan(in, "mtp", root, BYTES);
	int64_t bound = plan->bound_bps;

	hbp_plan_free(plan);
	return bound;
}

static void change_width(struct hbp_platform *p, const struct hbp_link *link,
			 int64_t bps)
{
	size_t i;

	for (i = 0; i < p->n_links; i++)
		if (!hbp_link_compare(&p->links[i], link))
			p->links[i].bandwidth_bps = bps;
}

/*
 * A link that is a hundredth wider: the bound rises by no more than the link's
 * part of all prices says, since the same prices prove it.
 */
static bool is_small(struct hbp_input *in, uint32_t root, int64_t before,
		     const struct hbp_limit *limit)
{
	struct hbp_platform *p = in->platform;
	struct hbp_link *link = NULL;
	int64_t width, after;
	size_t i;

	for (i = 0; i < p->n_links; i++)
		if (p->nodes[p->links[i].from].id == limit->from &&
		    p->nodes[p->links[i].to].id == limit->to)
			link = &p->links[i];
	width = link->bandwidth_bps;
	link->bandwidth_bps += width / 100;
	after = bound_of(in, root);
	link->bandwidth_bps = width;
	return (double)after <= (double)before *
				(1 + limit->price / 100 + 1 / 1e6);
}

static int64_t sum_of_widths(const struct hbp_platform *p)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < p->n_links; i++)
		sum += (int64_t)(i + 1) * (p->links[i].bandwidth_bps / 1000);
	return sum;
}

static void try_plan(struct hbp_input *in, const char *name, uint32_t root,
		     struct tally *t)
{
	struct hbp_plan *plan = make_plan(in, name, root, BYTES);
	int64_t before = sum_of_widths(in->platform);
	const struct hbp_limit *limit;
	struct hbp_explanation e;
	struct hbp_error err;
	double prices = 0;
	size_t i;

	if (hbp_explain(plan, in, &e, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < e.n; i++) {
		limit = &e.limits[i];
		prices += limit->price;
		t->limits++;
		t->right += limit->what == HBP_LIMITED_LINK &&
			    (limit->busy > 0.9999 || limit->price > 0);
		t->small += is_small(in, root, e.now.bound_bps, limit);
		/* Faster links make nothing slower, but for rounding. */
		t->larger += limit->upgraded.bound_ns <= e.now.bound_ns &&
			     (double)limit->upgraded.bound_bps >=
			     (double)e.now.bound_bps * (1 - 1 / 1e6);
	}
	t->kept += before == sum_of_widths(in->platform) && prices < 1.000001 &&
		   e.n > 0 && !e.n_paths;
	hbp_explanation_clear(&e);
	hbp_plan_free(plan);
}

static void check_shared(void)
{
	static const char *const names[] = { "flat", "stable", "mtp", "dijkstra" };
	struct luck luck = { SEED };
	struct tally t = { 0 };
	struct hbp_input *in;
	size_t round;

	for (round = 0; round < 60; round++) {
		in = random_platform(&luck, 2 + round % 7, 1 + draw_below(&luck, 4),
				     draw_below(&luck, 3), round & 1);
		try_plan(in, names[round % 4], in->members[round % 2], &t);
		hbp_input_free(in);
	}
	ok(t.limits > 100 && t.right == t.limits,
	   "%zu limits: each is full or has a price", t.limits);
	ok(t.small == t.limits, "a little wider gains no more than the price tells");
	ok(t.larger == t.limits, "twice as wide makes no bound worse");
	ok(t.kept == 60, "there are limits, prices are parts, and the network is as before");
}

/* Hosts joined by a chain and further links, each as wide in both directions. */
static struct hbp_input *random_mesh(struct luck *luck, size_t hosts)
{
	char *text = NULL;
	size_t len, i, j;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,'nodes':[", f);
	for (i = 1; i <= hosts; i++)
		fprintf(f, "%s{'id':%zu,'kind':'host'}", i > 1 ? "," : "", i);
	fputs("],'links':[", f);
	for (i = 2; i <= hosts; i++)
		for (j = 1; j < i; j++)
			if (j == i - 1 || !draw_below(luck, 3)) {
				fprintf(f, "{'from':%zu,'to':%zu,'bandwidth_mbps':%u,",
					i, j, 1 + draw_below(luck, 50));
				fputs("'latency_us':1,'symmetric':true},", f);
			}
	return close_links(f, &text);
}

/* The least that any host without the message can receive from all sources. */
static int64_t least_flow(const struct hbp_input *in, const size_t *sources,
			  size_t n)
{
	struct hbp_flow *flow = hbp_flow_alloc(in->platform);
	int64_t least = INT64_MAX, bps;
	size_t i, k;

	for (i = 0; i < in->n; i++) {
		for (k = 0; k < n && sources[k] != i;)
			k++;
		bps = k < n ? INT64_MAX : hbp_flow_from(flow, sources, n, i);
		least = bps < least ? bps : least;
	}
	hbp_flow_free(flow);
	return least;
}

/* The last members, in descending order, so that order does not matter. */
static void set_sources(struct hbp_request *rq, size_t *sources, size_t n)
{
	size_t i;

	rq->n_replicas = n - 1;
	for (i = 0; i < n; i++) {
		sources[i] = rq->in->n - 1 - i;
		rq->replicas[i ? i - 1 : 0] = rq->in->members[sources[i]];
	}
	rq->root = rq->in->members[sources[0]];
}

/*
 * Where hosts are joined directly, trees from several sources are as fast
 * together as the narrowest cut (Edmonds, with all sources as one): the bound
 * is found without any tree. Upgrades, too.
 */
static void check_replicas(void)
{
	struct luck luck = { SEED + 1 };
	size_t sources[3], n, round, i, plans = 0, right = 0, limits = 0;
	size_t gains = 0;
	struct hbp_request rq = { .message_bytes = BYTES };
	struct hbp_platform *p;
	struct hbp_explanation e;
	struct hbp_link link;
	struct hbp_plan *plan;
	struct hbp_error err;
	int64_t least;

	for (round = 0; round < 100; round++) {
		rq.in = random_mesh(&luck, 4 + round % 6);
		p = rq.in->platform;
		n = 2 + round % 2;
		set_sources(&rq, sources, n);
		/* Replicas may be in the way of others. */
		if (hbp_plan_make(hbp_planner_find("stable"), &rq, &plan, &err)) {
			hbp_input_free(rq.in);
			continue;
		}
		plans++;
		if (hbp_explain(plan, rq.in, &e, &err))
			tap_bail_out("%s", err.text);
		least = least_flow(rq.in, sources, n);
		right += llabs(e.now.bound_bps - least) <= 1 + least / 1000000;
		for (i = 0; i < e.n; i++) {
			link = *hbp_platform_link(p, hbp_platform_find(p, e.limits[i].from),
						  hbp_platform_find(p, e.limits[i].to));
			limits++;
			change_width(p, &link, 2 * link.bandwidth_bps);
			least = least_flow(rq.in, sources, n);
			change_width(p, &link, link.bandwidth_bps);
			gains += llabs(e.limits[i].upgraded.bound_bps - least) <=
				 1 + least / 1000000;
		}
		hbp_explanation_clear(&e);
		hbp_plan_free(plan);
		hbp_input_free(rq.in);
	}
	ok(plans > 60 && right == plans,
	   "several sources: the bound is the narrowest cut (%zu)", plans);
	ok(limits > 100 && gains == limits,
	   "... and is so with each of %zu links twice as wide", limits);
}

/* All numbers of a network in one. */
static char *text_of(const struct hbp_input *in)
{
	return in->hnow ? hbp_hnow_text(in->hnow) : hbp_costs_text(in->costs);
}

/* Do hops follow each other from the root on, and add up to the end? */
static bool is_path(const struct hbp_path *path, const struct hbp_plan *plan,
		    int64_t end)
{
	const struct hbp_hop *hop;
	int64_t ns = 0;
	size_t i, k;

	for (i = 0; i < path->n; i++) {
		hop = &path->hops[i];
		ns += hop->send_ns + hop->latency_ns + hop->transfer_ns +
		      hop->recv_ns;
		if (hop->done_ns != ns)
			return false;
		/*
		 * Whoever sends has been sent to, or is the root; but two
		 * sub-networks wait for the last of both.
		 */
		if (plan->n_trees > 1)
			continue;
		for (k = 0; k < i && path->hops[k].to != hop->from;)
			k++;
		if (k == i && hop->from != plan->root)
			return false;
	}
	return ns == end;
}

/*
 * What nothing is shared in: the hops of a path take all the time. If one thing
 * takes half as long, the end comes earlier by half of its part at most, and
 * never later.
 */
static void check_paths(const char *what, bool hnow, const char *const *names,
			size_t n_names)
{
	size_t round, i, paths = 0, right = 0, limits = 0, gains = 0, kept = 0;
	struct luck luck = { SEED + 2 };
	struct hbp_explanation e;
	struct hbp_input *in;
	struct hbp_plan *plan;
	struct hbp_error err;
	char *before, *after;
	double end, then;

	for (round = 0; round < 120; round++) {
		in = hnow ? random_hnow(&luck, 2 + round % 15, 1 + round % 4, round % 3) :
			    random_costs(&luck, 2 + round % 11, false);
		plan = make_plan(in, names[round % n_names], in->members[0], 500);
		before = text_of(in);
		if (hbp_explain(plan, in, &e, &err))
			tap_bail_out("%s", err.text);
		for (i = 0; i < e.n_paths; i++, paths++)
			right += is_path(&e.paths[i], plan,
					 e.now.completion_ns);
		end = (double)e.now.completion_ns;
		for (i = 0; i < e.n; i++, limits++) {
			then = (double)e.limits[i].upgraded.completion_ns;
			gains += then <= end &&
				 then >= end * (1 - e.limits[i].busy / 2) - 50;
		}
		after = text_of(in);
		kept += e.n_paths && e.n && !strcmp(before, after);
		free(before);
		free(after);
		hbp_explanation_clear(&e);
		hbp_plan_free(plan);
		hbp_input_free(in);
	}
	ok(right == paths, "%s: the hops of %zu paths add up to the end", what,
	   paths);
	ok(limits > 500 && gains == limits,
	   "%s: each of %zu upgrades gains no more than half of its part", what,
	   limits);
	ok(kept == 120, "%s: there are limits, and the network is as before",
	   what);
}

int main(void)
{
	static const char *const single[] = { "flat", "tps", "ecef", "binomial" };
	static const char *const halves[] = {
		"doubling", "two-ebs", "vbbs", "two-vbbs", "fef"
	};

	printf("# seed %d\n", SEED);
	check_shared();
	check_replicas();
	check_paths("completion", false, single, 4);
	check_paths("hnow", true, halves, 5);
	return tap_done();
}
