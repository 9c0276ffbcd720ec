// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans of networks that are found by tests, against those of the truth: some random
 * networks, or with HBCAST_THOROUGH a thousand of each kind.
 *
 * here: timeout=300 thorough=7200
 */
#include <math.h>
#include <stdlib.h>

#include "../lib/tap.h"
#include "truth.h"

static double seconds(struct hbp_input *truth, struct hbp_plan *plan)
{
	struct hbp_evaluation *e = evaluate_by(HBP_MODEL_FLUID, plan, truth);
	double s = (double)hbp_evaluation_slowest(e)->completion_ns / 1e9;

	hbp_evaluation_free(e);
	return s;
}

/* How much longer a plan takes that is made of what was found. */
static double worse(struct hbp_input *truth, struct hbp_input *found, const char *name)
{
	struct hbp_plan *best = make_plan(truth, name, 1, 16 << 20);
	struct hbp_plan *plan = make_plan(found, name, 1, 16 << 20);
	double ratio = seconds(truth, plan) / seconds(truth, best);

	hbp_plan_free(best);
	hbp_plan_free(plan);
	return ratio;
}

/* A link of any speed from 10 to 500 Mbit/s; half of them are alike both ways. */
static void put_both(struct luck *luck, FILE *f, size_t from, size_t to, double us)
{
	double there = 10 * pow(50, draw(luck)), back = 10 * pow(50, draw(luck));

	if (draw_below(luck, 2))
		back = there;
	put_link(f, from, to, there, us);
	put_link(f, to, from, back, us);
}

/* What sets networks apart from others. */
enum kind {
	ANY,
	ROOM,	/* no switch is far from another */
	HALF,	/* every fourth host sends and receives no more than one of both alone */
};

/* The switches of a host that shares what it sends and receives begin with this. */
#define OWN	1000

/* A host's link; of hosts that share both directions go from one switch to the other. */
static void put_host(struct luck *luck, FILE *f, size_t host, size_t at, double us, bool shares)
{
	double mbps[2];

	mbps[0] = 10 * pow(50, draw(luck));
	mbps[1] = 10 * pow(50, draw(luck));
	if (!shares) {
		put_both(luck, f, host, at, us);
		return;
	}
	put_shared(f, host, at, OWN + 2 * host, mbps, fmax(mbps[0], mbps[1]), us);
}

/* A tree of switches, each with hosts. */
static struct hbp_input *network(struct luck *luck, enum kind kind)
{
	size_t hosts = 4 + draw_below(luck, 27), switches = 1 + draw_below(luck, hosts / 3);
	bool room = kind == ROOM, shares[NODES] = { false };
	char *text = NULL;
	size_t len, i, at;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':101,'kind':'switch'}", f);
	for (i = 1; i < switches; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", i + 101);
	for (i = 1; i <= hosts; i++) {
		shares[i] = kind == HALF && !draw_below(luck, 4);
		if (shares[i])
			fprintf(f, ",{'id':%zu,'kind':'switch'},{'id':%zu,'kind':'switch'}",
				OWN + 2 * i, OWN + 2 * i + 1);
		fprintf(f,
			",{'id':%zu,'kind':'host','send_overhead_us':%zu,'recv_overhead_us':%zu}",
			i, 2 + i % 7, 2 + i % 5);
	}
	fputs("],'links':[", f);
	for (i = 1; i < switches; i++)
		put_both(luck, f, 101 + i, room ? 101 : 101 + draw_below(luck, i),
			 room ? 0 : 200 * pow(100, draw(luck)));
	for (i = 1; i <= hosts; i++) {
		at = i <= 2 * switches ? (i - 1) / 2 : draw_below(luck, switches);
		put_host(luck, f, i, 101 + at, room ? 100 : 100 * pow(250, draw(luck)), shares[i]);
	}
	return close_links(f, &text);
}

#define SOME	30
#define MANY	1000
#define PLANNERS	3

static int compare_reals(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Whether the switches of a host's own are there. */
static bool shares(const struct hbp_platform *platform, uint32_t host)
{
	size_t i;

	for (i = 0; i < platform->n; i++)
		if (platform->nodes[i].id == OWN + 2 * host)
			return true;
	return false;
}

/* Counts hosts that were taken for some that share: of all that are there. */
static size_t count_wrong(const struct hbp_inferred *found, const struct hbp_platform *platform)
{
	size_t i, wrong = 0;

	for (i = 0; i < found->sketch->n_hosts; i++)
		wrong += found->sketch->nodes[i].shared && !shares(platform, found->ids[i]);
	return wrong;
}

/*
 * Plans of what was found in networks, in order; @noise of rates. Returns how many hosts
 * were taken for some that share what they send and receive, and do not.
 */
static size_t try_networks(double noise, enum kind kind, size_t n, double ratio[PLANNERS][MANY])
{
	static const char *const names_of[] = { "", ", one room", ", half duplex" };
	static const char *const names[PLANNERS] = { "stable", "mtp", "auto" };
	static struct truth t;
	struct luck luck = { 1 };
	struct hbp_input *in, *guess;
	struct hbp_inferred found;
	size_t i, k, rounds = 0, wrong = 0;

	for (i = 0; i < n; i++) {
		in = network(&luck, kind);
		truth_begin(&t, in, i + 1);
		t.noise = noise;
		t.trip_noise_us = 30;
		truth_find(&t, &found);
		guess = input_of(&found);
		for (k = 0; k < PLANNERS; k++)
			ratio[k][i] = worse(in, guess, names[k]);
		wrong += count_wrong(&found, in->platform);
		rounds += t.rounds;
		hbp_input_free(guess);
		hbp_inferred_clear(&found);
		hbp_input_free(in);
	}
	for (k = 0; k < PLANNERS; k++) {
		qsort(ratio[k], n, sizeof(**ratio), compare_reals);
		printf("# noise %.0f %%%s, %s: %.3f (median), %.3f (90 %%), %.3f (all)\n",
		       100 * noise, names_of[kind], names[k],
		       ratio[k][n / 2], ratio[k][n * 9 / 10], ratio[k][n - 1]);
	}
	printf("# %zu networks in %zu rounds of flows\n", n, rounds);
	return wrong;
}

static void test_random(void)
{
	static double ratio[PLANNERS][MANY];
	size_t n = getenv("HBCAST_THOROUGH") ? MANY : SOME, nine = n * 9 / 10, wrong;

	wrong = try_networks(0, ANY, n, ratio);
	ok(ratio[0][n - 1] < 1.03 && ratio[1][n - 1] < 1.03 && ratio[2][n - 1] < 1.03,
	   "random networks, exact figures: plans are as good as those of the truth");
	wrong += try_networks(0.01, ANY, n, ratio);
	ok(ratio[0][nine] < 1.03 && ratio[1][nine] < 1.03 && ratio[2][nine] < 1.03,
	   "random networks, figures 1 %% off: nine of ten plans are, too");
	ok(!wrong, "where all can send and receive at once nobody is taken for another");
	try_networks(0.01, ROOM, n, ratio);
	ok(ratio[0][nine] < 1.05 && ratio[1][nine] < 1.03 && ratio[2][nine] < 1.03,
	   "racks in one room: nine of ten plans are as good, of stable within 5 %%");
	try_networks(0.01, HALF, n, ratio);
	ok(ratio[0][nine] < 1.04 && ratio[1][nine] < 1.03 && ratio[2][nine] < 1.03,
	   "some hosts are half duplex: nine of ten plans are as good, of stable within 4 %%");
}

int main(void)
{
	test_random();
	return tap_done();
}
