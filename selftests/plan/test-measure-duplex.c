// SPDX-License-Identifier: GPL-2.0-or-later
/* Hosts that cannot send and receive at full rate at once, found by tests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "measure/picture.h"
#include "measure/record.h"
#include "truth.h"
#include "units.h"

#define HOSTS	5

/* A host's link of 100 Mbit/s, which both ways together have so much of; 200: no less. */
static void put_host(FILE *f, size_t host, size_t at, double mbps)
{
	static const double each[2] = { 100, 100 };

	if (mbps == 200) {
		put_link(f, host, at, 100, 1000);
		put_link(f, at, host, 100, 1000);
		return;
	}
	put_shared(f, host, at, 10 * host + 1, each, mbps, 1000);
}

/*
 * Five hosts at one switch, 100 Mbit/s each way. Host 2 sends and receives 100 together,
 * host 4 sends and receives 130, host 5 sends and receives 190.
 */
static struct hbp_input *five_hosts(void)
{
	static const double both[HOSTS] = { 200, 100, 200, 130, 190 };
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':9,'kind':'switch'}", f);
	for (i = 1; i <= HOSTS; i++) {
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
		if (both[i - 1] < 200)
			fprintf(f, ",{'id':%zu,'kind':'switch'},{'id':%zu,'kind':'switch'}",
				10 * i + 1, 10 * i + 2);
	}
	fputs("],'links':[", f);
	for (i = 1; i <= HOSTS; i++)
		put_host(f, i, 9, both[i - 1]);
	return close_links(f, &text);
}

/* Slower partners, and a slow link between switches. */
static struct hbp_input *uneven_hosts(void)
{
	static const double send[HOSTS] = { 400, 100, 50, 100, 100 };
	static const double recv[HOSTS] = { 400, 100, 10, 100, 100 };
	char *text = NULL;
	FILE *f = open_links(&text, HOSTS, 8, 2);
	size_t i;

	for (i = 1; i <= HOSTS; i++) {
		put_link(f, i, i > 3 ? 8 : 9, send[i - 1], 1000);
		put_link(f, i > 3 ? 8 : 9, i, recv[i - 1], 1000);
	}
	put_link(f, 8, 9, 30, 5000);
	put_link(f, 9, 8, 30, 5000);
	return close_links(f, &text);
}

/* Whether what the hosts share is that; 0 where they share nothing. */
static bool shares(const struct hbp_inferred *found, const double *want, double part)
{
	const struct hbp_sketch_node *node;
	bool good = true;
	size_t i;

	for (i = 0; i < HOSTS; i++) {
		node = &found->sketch->nodes[i];
		good = good && near(node->shared ? node->both.mbps : 0, want[i], part);
	}
	return good;
}

static const double five[HOSTS] = { 0, 100, 0, 130, 0 };

static void test_five(void)
{
	static struct truth t;
	struct hbp_input *in = five_hosts();
	struct hbp_inferred found;
	size_t seed, right = 0;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(found.tree && found.sketch->n == 6 && shares(&found, five, 0.001),
	   "who cannot send and receive at once, and how much both are together");
	hbp_inferred_clear(&found);
	for (seed = 1; seed <= 100; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		truth_find(&t, &found);
		right += found.sketch->n == 6 && shares(&found, five, 0.03);
		hbp_inferred_clear(&found);
	}
	ok(right == 100, "the same of figures that are 1 %% off");
	hbp_input_free(in);
}

/* Neither slower partners nor links between switches are a reason. */
static void test_nobody(void)
{
	static struct truth t;
	struct hbp_input *in = uneven_hosts();
	struct hbp_inferred found;
	size_t seed, i, named = 0;

	for (seed = 1; seed <= 100; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		truth_find(&t, &found);
		for (i = 0; i < HOSTS; i++)
			named += found.sketch->nodes[i].shared;
		hbp_inferred_clear(&found);
	}
	ok(!named, "where all can do both nobody is named");
	hbp_input_free(in);
}

static void test_plan(void)
{
	static struct truth t;
	struct hbp_input *in = five_hosts(), *guess;
	struct hbp_inferred found;
	struct hbp_evaluation *e;
	struct hbp_plan *plan;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	guess = input_of(&found);
	plan = make_plan(guess, "mtp", 1, 100 << 20);
	e = evaluate_by(HBP_MODEL_FLUID, plan, in);
	/*
	 * At a rate r all together send 4 r: hosts 1 and 3 up to 100 each, the others
	 * 100 - r, 130 - r and 190 - r. So r is 620 / 7, and 100 MiB take 9.471 s.
	 */
	ok(near((double)hbp_evaluation_slowest(e)->completion_ns / 1e9, 9.471, 0.01),
	   "a plan of what was found is as fast as what all can send");
	hbp_evaluation_free(e);
	hbp_plan_free(plan);
	hbp_inferred_clear(&found);
	hbp_input_free(guess);
	hbp_input_free(in);
}

static bool has(const char *text, const char *part)
{
	if (!strstr(text, part))
		printf("# no \"%s\" in %s\n", part, text);
	return strstr(text, part);
}

static void test_told(void)
{
	static struct truth t;
	struct hbp_input *in = five_hosts(), *again;
	struct hbp_record record = { };
	struct hbp_inferred found;
	const struct hbp_link *link;
	struct hbp_error err;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	hbp_picture_text(&found, NULL, NULL, out);
	fclose(out);
	ok(has(text, "- 2  100 / 100 Mbit/s, 100 together, 1.01 ms\n") &&
	   has(text, "- 4  100 / 100 Mbit/s, 130 together, 1.01 ms\n") &&
	   has(text, "- 5  100 / 100 Mbit/s, 1.01 ms\n"), "it is drawn");
	free(text);
	record.inferred = &found;
	text = hbp_record_text(&record, &err);
	if (!text || hbp_input_parse(text, strlen(text), "record", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	ok(has(text, "\"shared_mbps\": 130"), "and written beside the host");
	/* Behind the hosts, 0 to 4, is the tree's switch, and behind that two of host 1's own. */
	link = hbp_platform_link(again->platform, 6, 7);
	ok(link && near(hbp_mbps_from_bps(link->bandwidth_bps), 100, 0.01) &&
	   hbp_platform_link(again->platform, 1, 6) && hbp_platform_link(again->platform, 5, 6) &&
	   hbp_platform_link(again->platform, 7, 1) && hbp_platform_link(again->platform, 7, 5) &&
	   !hbp_platform_link(again->platform, 1, 5) && again->platform->n == 10,
	   "as a link that all must cross which the host sends or receives");
	free(text);
	hbp_input_free(again);
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

int main(void)
{
	test_five();
	test_nobody();
	test_plan();
	test_told();
	return tap_done();
}
