// SPDX-License-Identifier: GPL-2.0-or-later
/* Racks of one room, which round trips do not tell apart, with slow hosts among fast ones. */
#include <math.h>
#include <stdlib.h>

#include "../lib/tap.h"
#include "truth.h"

#define RACKS	3
#define EACH	4	/* hosts of a rack */
#define UPLINK	130	/* Mbit/s */

/* Hosts of 100, 100, 50 and 10 Mbit/s in each rack. */
static struct hbp_input *room(void)
{
	static const int mbps[EACH] = { 100, 100, 50, 10 };
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':100,'kind':'switch'}", f);
	for (i = 1; i <= RACKS; i++)
		fprintf(f, ",{'id':%zu,'kind':'switch'}", 100 + i);
	for (i = 1; i <= RACKS * EACH; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[", f);
	for (i = 1; i <= RACKS; i++) {
		put_link(f, 100, 100 + i, UPLINK, 0);
		put_link(f, 100 + i, 100, UPLINK, 0);
	}
	for (i = 0; i < RACKS * EACH; i++) {
		put_link(f, i + 1, 101 + i / EACH, mbps[i % EACH], 100);
		put_link(f, 101 + i / EACH, i + 1, mbps[i % EACH], 100);
	}
	return close_links(f, &text);
}

/* Whether those of a rack have a switch, and no others. */
static bool racks_are_right(const struct hbp_sketch *s)
{
	size_t a, b;

	for (a = 0; a < RACKS * EACH; a++)
		for (b = 0; b < a; b++)
			if ((a / EACH == b / EACH) !=
			    (hbp_sketch_neighbour(s, a) == hbp_sketch_neighbour(s, b)))
				return false;
	return true;
}

static bool uplinks_are_right(const struct hbp_sketch *s)
{
	size_t i, k;

	for (i = s->n_hosts; i < s->n; i++)
		for (k = 0; k < 2 && hbp_sketch_inner(s, i); k++)
			if (fabs(s->nodes[i].link[k].mbps / UPLINK - 1) > 0.03)
				return false;
	return true;
}

int main(void)
{
	static struct truth t;
	struct hbp_input *in = room();
	struct hbp_inferred found;
	size_t seed, right = 0, full = 0;

	for (seed = 1; seed <= 50; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		t.trip_noise_us = 30;
		truth_find(&t, &found);
		right += racks_are_right(found.sketch);
		full += racks_are_right(found.sketch) && uplinks_are_right(found.sketch);
		hbp_inferred_clear(&found);
	}
	printf("# of 50 rooms %zu as they are, %zu of them with their links\n", right, full);
	ok(right >= 45, "a slow host is in its rack, too, in nine of ten rooms");
	ok(full == right, "and then what leads out of racks is known");
	hbp_input_free(in);
	return tap_done();
}
