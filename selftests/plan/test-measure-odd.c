// SPDX-License-Identifier: GPL-2.0-or-later
/* Hosts whose round trips fit nowhere, among others that make a tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "measure/record.h"
#include "truth.h"

#define HOSTS	6

/* Two switches of three hosts each, 5 ms and 50 Mbit/s apart. */
static struct hbp_input *two_sites(void)
{
	char *text = NULL;
	FILE *f = open_links(&text, HOSTS, 8, 2);
	size_t i;

	put_link(f, 8, 9, 50, 5000);
	put_link(f, 9, 8, 50, 5000);
	for (i = 1; i <= HOSTS; i++) {
		put_link(f, i, i <= 3 ? 8 : 9, 100, 100 * (double)i);
		put_link(f, i <= 3 ? 8 : 9, i, 100, 100 * (double)i);
	}
	return close_links(f, &text);
}

/* Hosts on a ring of as many switches, of which no tree is one. */
static struct hbp_input *ring(void)
{
	char *text = NULL;
	FILE *f = open_links(&text, HOSTS, 11, HOSTS);
	size_t i, next;

	for (i = 1; i <= HOSTS; i++) {
		next = i % HOSTS + 1;
		put_link(f, i, 10 + i, 100, 100);
		put_link(f, 10 + i, i, 100, 100);
		put_link(f, 10 + i, 10 + next, 50, 5000);
		put_link(f, 10 + next, 10 + i, 50, 5000);
	}
	return close_links(f, &text);
}

/* The least capacity between two hosts, in Mbit/s. */
static double least_mbps(const struct hbp_sketch *s, size_t from, size_t to)
{
	size_t arcs[2 * HOSTS + 2], n = hbp_sketch_path(s, from, to, arcs), i;
	double mbps = INFINITY;

	for (i = 0; i < n; i++)
		mbps = fmin(mbps, hbp_sketch_capacity(s, arcs[i])->mbps);
	return mbps;
}

/* What is known of two hosts. */
static bool pair_is_right(const struct hbp_sketch *s, size_t a, size_t b)
{
	bool far = a / 3 != b / 3;

	return near(hbp_sketch_rtt(s, a, b), 200 * (double)(a + b + 2) + far * 10000, 0.05) &&
	       near(least_mbps(s, a, b), far ? 50 : 100, 0.03);
}

/* All pairs without the liar, who says ten times as much of all. */
static bool others_are_right(const struct hbp_inferred *found, size_t liar)
{
	bool good = found->tree;
	size_t a, b;

	for (a = 0; a < HOSTS; a++)
		for (b = 0; b < HOSTS; b++)
			if (a != b && a != liar && b != liar)
				good = good && pair_is_right(found->sketch, a, b);
	return good;
}

static void test_liars(void)
{
	static struct truth t;
	struct hbp_input *in = two_sites();
	struct hbp_inferred found;
	size_t liar, right = 0, told = 0;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(others_are_right(&found, HBP_NONE) && found.sketch->n == HOSTS + 2 &&
	   !found.n_odd, "two sites: nobody is odd");
	hbp_inferred_clear(&found);
	/*
	 * The last one is not asked for round trips, and the one before for one only; of the
	 * two of host 4 there is a tree that explains them.
	 */
	for (liar = 0; liar < HOSTS - 1; liar++) {
		truth_begin(&t, in, 1);
		t.trip_noise_us = 10;
		t.liar = liar;
		truth_find(&t, &found);
		right += others_are_right(&found, liar);
		told += found.n_odd == 1 && found.odd[0] == found.ids[liar];
		hbp_inferred_clear(&found);
	}
	ok(told == 4, "whose round trips fit nowhere is told");
	ok(right == HOSTS - 1, "and harms no link but its own");
	hbp_input_free(in);
}

static void test_ring(void)
{
	static struct truth t;
	struct hbp_input *in = ring();
	struct hbp_inferred found;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(!found.tree && !found.n_odd && found.sketch->n == HOSTS + 1,
	   "a ring is no tree without one of its hosts either");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

#define SITES	4
#define EACH	3

/* Four sites of three hosts each. */
static struct hbp_input *four_sites(void)
{
	static const double us[SITES] = { 500, 1500, 3000, 1000 };
	char *text = NULL;
	FILE *f = open_links(&text, SITES * EACH, 100, 1 + SITES);
	size_t i;

	for (i = 0; i < SITES; i++) {
		put_link(f, 100, 101 + i, 100, us[i]);
		put_link(f, 101 + i, 100, 100, us[i]);
	}
	for (i = 0; i < SITES * EACH; i++) {
		put_link(f, i + 1, 101 + i / EACH, 100, 25);
		put_link(f, 101 + i / EACH, i + 1, 100, 25);
	}
	return close_links(f, &text);
}

/* Two hosts of the second site have a way of their own to the first one. */
static int trips_around(void *arg, struct hbp_trip *trips, size_t n)
{
	const struct hbp_prober prober = truth_prober(arg);
	int ret = prober.trips(arg, trips, n);
	size_t i;

	for (i = 0; i < n; i++)
		if (trips[i].from < EACH && (trips[i].to == EACH || trips[i].to == EACH + 1))
			trips[i].least_us *= 4;
	return ret;
}

/* Each of the two is nearest to the other one, which is no place to put it. */
static void test_neighbours(void)
{
	static const uint32_t ids[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static struct truth t;
	struct hbp_input *in = four_sites();
	struct hbp_prober prober = truth_prober(&t);
	struct hbp_inferred found;
	struct hbp_error err;

	truth_begin(&t, in, 1);
	prober.trips = trips_around;
	if (hbp_infer(ids, SITES * EACH, 1, &prober, 1, &found, &err))
		tap_bail_out("%s", err.text);
	ok(found.tree && found.n_odd == 2 && found.odd[0] + found.odd[1] == 9 &&
	   found.odd[0] != found.odd[1], "two of one site are odd, each named once");
	/* One host that is left of a site shows no switch of its own. */
	ok(found.sketch->n == SITES * EACH + SITES, "and all other sites are found");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

static void test_record(void)
{
	static struct truth t;
	struct hbp_input *in = two_sites();
	struct hbp_record record = { };
	struct hbp_inferred found;
	struct hbp_error err;
	char *text;

	truth_begin(&t, in, 1);
	t.liar = 1;
	truth_find(&t, &found);
	record.inferred = &found;
	text = hbp_record_text(&record, &err);
	if (!text)
		tap_bail_out("%s", err.text);
	ok(strstr(text, "\"odd\": [2]"), "a record tells who is odd");
	free(text);
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

int main(void)
{
	test_liars();
	test_ring();
	test_neighbours();
	test_record();
	return tap_done();
}
