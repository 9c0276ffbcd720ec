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
		t->right += limit->what == HBP_PRICED_LINK &&
			    (limit->busy > 0.9999 || limit->price > 0);
		t->small += is_small(in, root, e.now.bound_bps, limit);
		/* Faster links make nothing slower, but for rounding. */
		t->larger += limit->upgraded.bound_ns <= e.now.bound_ns &&
			     (double)limit->upgraded.bound_bps >=
			     (double)e.now.bound_bps * (1 - 1 / 1e6);
	}
	t->kept += before == sum_of_widths(in->platform) && prices < 1.000001 &&
		   e.n > 0;
	hbp_plan_free(plan);
}

int main(void)
{
	static const char *const names[] = { "flat", "stable", "mtp", "dijkstra" };
	struct luck luck = { SEED };
	struct tally t = { 0 };
	struct hbp_input *in;
	size_t round;

	printf("# seed %d\n", SEED);
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
	return tap_done();
}
