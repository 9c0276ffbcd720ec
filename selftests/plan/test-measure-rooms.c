// SPDX-License-Identifier: GPL-2.0-or-later
/* Racks of one room, which round trips do not tell apart. */
#include <math.h>
#include <stdlib.h>

#include "../lib/tap.h"
#include "measure/refine.h"
#include "node.h"
#include "truth.h"

#define EACH_MAX	4	/* hosts of a rack */

/**
 * struct kind - what is in a room
 * @racks: how many there are
 * @each: hosts of each
 * @mbps: what their links carry
 * @uplink: Mbit/s out of a rack, and into it
 * @half: they send and receive no more than that together
 */
struct kind {
	size_t racks;
	size_t each;
	int mbps[EACH_MAX];
	int uplink;
	bool half;
};

static void put_host(FILE *f, const struct kind *kind, size_t host)
{
	size_t at = 201 + (host - 1) / kind->each;
	double mbps = kind->mbps[(host - 1) % kind->each], each[2] = { mbps, mbps };

	if (!kind->half) {
		put_link(f, host, at, mbps, 100);
		put_link(f, at, host, mbps, 100);
		return;
	}
	put_shared(f, host, at, 1000 + 2 * host, each, mbps, 100);
}

static struct hbp_input *room(const struct kind *kind)
{
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':200,'kind':'switch'}", f);
	for (i = 1; i <= kind->racks; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", 200 + i);
	for (i = 1; i <= kind->racks * kind->each; i++) {
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
		if (kind->half)
			fprintf(f, ",{'id':%zu,'kind':'switch'},{'id':%zu,'kind':'switch'}",
				1000 + 2 * i, 1001 + 2 * i);
	}
	fputs("],'links':[", f);
	for (i = 1; i <= kind->racks; i++) {
		put_link(f, 200, 200 + i, kind->uplink, 0);
		put_link(f, 200 + i, 200, kind->uplink, 0);
	}
	for (i = 1; i <= kind->racks * kind->each; i++)
		put_host(f, kind, i);
	return close_links(f, &text);
}

/* Whether those of a rack have a switch, and no others. */
static bool racks_are_right(const struct kind *kind, const struct hbp_sketch *s)
{
	size_t a, b;

	for (a = 0; a < s->n_hosts; a++)
		for (b = 0; b < a; b++)
			if ((a / kind->each == b / kind->each) !=
			    (hbp_sketch_neighbour(s, a) == hbp_sketch_neighbour(s, b)))
				return false;
	return true;
}

static bool uplinks_are_right(const struct kind *kind, const struct hbp_sketch *s)
{
	size_t i, k;

	for (i = s->n_hosts; i < s->n; i++)
		for (k = 0; k < 2 && hbp_sketch_inner(s, i); k++)
			if (fabs(s->nodes[i].link[k].mbps / kind->uplink - 1) > 0.03)
				return false;
	return true;
}

static bool hosts_are_right(const struct kind *kind, const struct hbp_sketch *s)
{
	size_t i, k;

	for (i = 0; i < s->n_hosts; i++)
		for (k = 0; k < 2; k++)
			if (fabs(hbp_sketch_host_mbps(s, i, k) /
				 kind->mbps[i % kind->each] - 1) > 0.05)
				return false;
	return true;
}

/* Of 50 rooms: in how many racks are right, and of these uplinks, and hosts' own links. */
static void try_rooms(const struct kind *kind, size_t *right, size_t *full, size_t *own)
{
	static struct truth t;
	struct hbp_input *in = room(kind);
	struct hbp_inferred found;
	size_t seed;
	bool good;

	*right = 0;
	*full = 0;
	*own = 0;
	for (seed = 1; seed <= 50; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		t.trip_noise_us = 30;
		truth_find(&t, &found);
		good = racks_are_right(kind, found.sketch);
		*right += good;
		*full += good && uplinks_are_right(kind, found.sketch);
		*own += good && hosts_are_right(kind, found.sketch);
		hbp_inferred_clear(&found);
	}
	hbp_input_free(in);
	printf("# of 50 rooms %zu as they are, %zu of them with their links, %zu with hosts'\n",
	       *right, *full, *own);
}

/* One more test: @n flows that were paced, or not, and have got so much each. */
static void add_test(struct hbp_tests *tests, const size_t (*pairs)[2], size_t n, double paced,
		     double got)
{
	struct hbp_flow *flow;
	size_t i;

	if (hbp_tests_begin(tests, HBP_NONE))
		tap_bail_out("no memory");
	for (i = 0; i < n; i++) {
		if (hbp_tests_flow(tests, pairs[i][0], pairs[i][1]))
			tap_bail_out("no memory");
		flow = &tests->flows[tests->first[tests->n] - 1];
		flow->rate_mbps = paced;
		flow->sent_mbps = got;
		flow->received_mbps = got;
	}
}

/*
 * Three racks of two hosts of 100 Mbit/s, with 60 Mbit/s out of each, and into it. Tests say
 * what they have got; in the tree the third rack is the switch in the middle.
 */
static void test_merged(void)
{
	static const size_t inside[][2] = { { 0, 1 }, { 1, 0 }, { 2, 3 }, { 3, 2 }, { 4, 5 },
					    { 5, 4 } };
	/* Two at once into a rack or out of it, of each rack in turn. */
	static const size_t across[][2] = { { 0, 4 }, { 2, 5 }, { 4, 0 }, { 5, 2 },
					    { 0, 4 }, { 1, 2 }, { 4, 0 }, { 2, 1 },
					    { 2, 0 }, { 3, 4 }, { 0, 2 }, { 4, 3 } };
	static const size_t parents[] = { HBP_NONE, 6, 7, 7, 8, 8, 0, 8, 6 };
	struct hbp_sketch *s = hbp_sketch_alloc(6);
	struct hbp_tests tests = { };
	size_t i;

	if (!s)
		tap_bail_out("no memory");
	for (s->n = 0; s->n < 9; s->n++)
		s->nodes[s->n].parent = parents[s->n];
	s->nodes[7].hidden = true;
	s->nodes[8].hidden = true;
	hbp_sketch_deepen(s);
	for (i = 0; i < 6; i++)
		add_test(&tests, &inside[i], 1, 0, 100);
	for (i = 0; i < 12; i++)
		add_test(&tests, &across[i], 1, 0, 60);
	for (i = 0; i < 12; i += 2)
		add_test(&tests, &across[i], 2, 57, 30);
	if (hbp_refine(&tests, s))
		tap_bail_out("no memory");
	i = hbp_sketch_neighbour(s, 4);
	ok(s->n == 10 && hbp_sketch_neighbour(s, 5) == i && s->nodes[i].hidden &&
	   near(s->nodes[i].link[HBP_UP].mbps, 60, 0.01) &&
	   near(s->nodes[i].link[HBP_DOWN].mbps, 60, 0.01),
	   "a rack that was the middle gets a switch of its own");
	hbp_tests_clear(&tests);
	hbp_sketch_free(s);
}

int main(void)
{
	static const struct kind slow = { 3, 4, { 100, 100, 50, 10 }, 130, false };
	static const struct kind narrow = { 4, 3, { 100, 100, 100 }, 70, false };
	static const struct kind half = { 3, 4, { 100, 100, 100, 100 }, 130, true };
	size_t right, full, own;

	try_rooms(&slow, &right, &full, &own);
	ok(right >= 45, "a slow host is in its rack, too, in nine of ten rooms");
	ok(full == right, "and then what leads out of racks is known");
	try_rooms(&narrow, &right, &full, &own);
	ok(right >= 45 && own == right, "hosts that are faster than what leads out of their rack");
	try_rooms(&half, &right, &full, &own);
	ok(right >= 40, "racks of half duplex hosts");
	test_merged();
	return tap_done();
}
