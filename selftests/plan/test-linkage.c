// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Platforms from cost matrices: the widest paths of a matrix come out, those of
 * a tree of links are the matrix itself; and what is written is read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define ROUNDS	300

static const char clusters[] =
	"{'hbcast':'costs','version':1,\n"
	"'nodes':[{'id':1},{'id':2},{'id':3},{'id':4,'name':'d'}],\n"
	"'latency_us':[[0,100,104,20],[100,0,8,100],[104,8,0,104],[20,100,104,0]],\n"
	"'bandwidth_mbps':[[0.1,10,10,100],[10,1,50,10],[10,50,1,10],[100,10,10,1]]}";

static const char apart[] =
	"{'hbcast':'costs','version':1,\n"
	"'nodes':[{'id':1},{'id':4294967295},{'id':7}],\n"
	"'latency_us':[[0,1,1],[1,0,1],[1,1,0]],\n"
	"'bandwidth_mbps':[[null,9,null],[9,null,null],[null,null,null]]}";

static struct hbp_platform *link_up(const struct hbp_costs *costs)
{
	struct hbp_platform *platform;
	struct hbp_error err;

	if (hbp_platform_from_costs(costs, &platform, &err))
		tap_bail_out("%s", err.text);
	return platform;
}

static struct hbp_costs *costs_of(const struct hbp_platform *platform)
{
	struct hbp_costs *costs;
	struct hbp_error err;

	if (hbp_costs_from_platform(platform, &costs, &err))
		tap_bail_out("%s", err.text);
	return costs;
}

/* "1-3 100 5" for each link with from < to: ends, Mbit/s, us. */
static bool links_are(const struct hbp_platform *platform, const char *want)
{
	const struct hbp_link *l;
	char *got = NULL;
	size_t len, i;
	FILE *f;

	f = open_memstream(&got, &len);
	for (i = 0; i < platform->n_links; i++) {
		l = &platform->links[i];
		if (l->from < l->to)
			fprintf(f, "%u-%u %g %g;", platform->nodes[l->from].id,
				platform->nodes[l->to].id,
				hbp_mbps_from_bps(l->bandwidth_bps),
				hbp_us_from_ns(l->latency_ns));
	}
	fclose(f);
	return text_is("links", got, want);
}

static void check_by_hand(void)
{
	/* 1 and 4 come first: 20 us are 10 and 10. 2 and 3 next: 4 and 4. */
	struct hbp_input *in = make_input(clusters);
	struct hbp_platform *platform = link_up(in->costs);

	/* Between the switches: 100 - 10 - 4 and 104 - 10 - 4, on average 88. */
	ok(links_are(platform, "1-5 100 10;2-6 50 4;3-6 50 4;4-5 100 10;5-6 10 88;"),
	   "two clusters by hand");
	ok(platform->n_hosts == 4 && !strcmp(platform->nodes[3].name, "d"),
	   "hosts keep their names");
	hbp_platform_free(platform);
	/* The narrower direction counts, and the only one there is. */
	in->costs->bandwidth_bps[3] = 5000000;
	in->costs->bandwidth_bps[4 + 2] = 0;
	in->costs->latency_ns[4 + 2] = HBP_NEVER;
	platform = link_up(in->costs);
	/*
	 * 2 and 3 are 4 from switch 5. 1 is next: 100 - 4 and 104 - 4 are 98. Then
	 * 4: 20 - 98 to 1, 100 - 4 to 2, 104 - 4 to 3, which is 118 for three.
	 */
	ok(links_are(platform, "1-5 10 98;2-5 50 4;3-5 50 4;4-5 10 39.333;"),
	   "two directions that differ, and a hole");
	hbp_platform_free(platform);
	hbp_input_free(in);
}

static bool same_bandwidths(const struct hbp_costs *a, const struct hbp_costs *b)
{
	return a->n == b->n && !memcmp(a->bandwidth_bps, b->bandwidth_bps,
				       a->n * a->n * sizeof(*a->bandwidth_bps));
}

/* Is it a tree of hosts that are leaves and switches that are not? */
static bool is_tree(const struct hbp_platform *platform)
{
	size_t i, degree;

	for (i = 0; i < platform->n; i++) {
		degree = platform->first[i + 1] - platform->first[i];
		if (platform->nodes[i].host ? degree != 1 : degree < 2)
			return false;
	}
	return platform->n_links == 2 * (platform->n - 1);
}

static void check_trees(struct luck *luck)
{
	size_t round, same = 0, trees = 0, again = 0;
	struct hbp_platform *platform, *second;
	struct hbp_costs *costs, *twice;
	struct hbp_input *in;

	for (round = 0; round < ROUNDS; round++) {
		in = random_platform(luck, 2 + draw_below(luck, 20),
				     1 + draw_below(luck, 8), 0, true);
		costs = costs_of(in->platform);
		platform = link_up(costs);
		twice = costs_of(platform);
		same += same_bandwidths(costs, twice);
		trees += is_tree(platform);
		/* What was made once is made alike again. */
		second = link_up(twice);
		again += second->n == platform->n &&
			 second->n_links == platform->n_links;
		hbp_platform_free(second);
		hbp_platform_free(platform);
		hbp_costs_free(twice);
		hbp_costs_free(costs);
		hbp_input_free(in);
	}
	ok(same == ROUNDS, "bandwidths of a tree of links come out exactly");
	ok(trees == ROUNDS, "a tree is made");
	ok(again == ROUNDS, "of as many links when made again");
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The widest paths, by Floyd and Warshall. */
static void widen(struct hbp_costs *costs)
{
	size_t n = costs->n, i, j, k;
	int64_t *bps = costs->bandwidth_bps, *a, *b, through;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++) {
			a = &bps[i * n + j];
			b = &bps[j * n + i];
			*a = *a && *b ? least(*a, *b) : *a + *b;
			*b = *a;
		}
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				through = least(bps[i * n + k], bps[k * n + j]);
				if (i != j && through > bps[i * n + j])
					bps[i * n + j] = through;
			}
}

static void check_matrices(struct luck *luck)
{
	struct hbp_platform *platform;
	struct hbp_costs *costs;
	struct hbp_input *in;
	size_t round, same = 0;

	for (round = 0; round < ROUNDS; round++) {
		in = random_costs(luck, 2 + draw_below(luck, 15), round & 1);
		platform = link_up(in->costs);
		costs = costs_of(platform);
		widen(in->costs);
		same += same_bandwidths(in->costs, costs);
		hbp_costs_free(costs);
		hbp_platform_free(platform);
		hbp_input_free(in);
	}
	ok(same == ROUNDS, "of any matrix, routes are its widest paths");
}

static bool costs_survive(const struct hbp_costs *costs)
{
	char *text = hbp_costs_text(costs);
	struct hbp_costs *again;
	struct hbp_error err;
	bool same;

	if (hbp_costs_parse(text, strlen(text), "x", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	same = same_bandwidths(costs, again) &&
	       !memcmp(costs->latency_ns, again->latency_ns,
		       costs->n * costs->n * sizeof(*costs->latency_ns));
	hbp_costs_free(again);
	free(text);
	return same;
}

static bool platform_survives(const struct hbp_platform *platform)
{
	char *text = hbp_platform_text(platform);
	struct hbp_platform *again;
	struct hbp_error err;
	bool same;
	size_t i;

	if (hbp_platform_parse(text, strlen(text), "x", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	same = platform->n == again->n && platform->n_links == again->n_links &&
	       !memcmp(platform->links, again->links,
		       platform->n_links * sizeof(*platform->links));
	for (i = 0; same && i < platform->n; i++)
		same = platform->nodes[i].id == again->nodes[i].id &&
		       platform->nodes[i].host == again->nodes[i].host;
	hbp_platform_free(again);
	free(text);
	return same;
}

static void check_texts(struct luck *luck)
{
	size_t round, costs = 0, platforms = 0;
	struct hbp_input *in;

	for (round = 0; round < ROUNDS; round++) {
		in = random_costs(luck, 2 + draw_below(luck, 8), true);
		/* The diagonal means nothing and is written as nothing. */
		while (in->n--)
			in->costs->latency_ns[in->n * (in->costs->n + 1)] = HBP_NEVER;
		costs += costs_survive(in->costs);
		hbp_input_free(in);
		in = random_platform(luck, 2 + draw_below(luck, 8), 5, 4,
				     round & 1);
		platforms += platform_survives(in->platform);
		hbp_input_free(in);
	}
	ok(costs == ROUNDS, "a cost matrix that was written is read again");
	ok(platforms == ROUNDS, "a platform that was written is read again");
}

static void check_refused(void)
{
	struct hbp_input *in = make_input(apart);
	struct hbp_platform *platform;
	struct hbp_error err;

	ok(hbp_platform_from_costs(in->costs, &platform, &err) < 0 &&
	   !strcmp(err.text, "no pairs with a bandwidth join nodes 1 and 7"),
	   "refused: nodes that fall apart");
	/* Behind the last id they begin anew. 7 is 2 from 1, so 1.5 from its switch. */
	in->costs->bandwidth_bps[1] = 8000000;
	in->costs->latency_ns[1] = 2000;
	platform = link_up(in->costs);
	ok(links_are(platform, "1-2 9 0.5;2-7 8 1.5;2-4294967295 9 0.5;"),
	   "ids of switches are free ones");
	hbp_platform_free(platform);
	hbp_input_free(in);
}

int main(void)
{
	struct luck luck = { .state = 20261121 };

	printf("# seed %llu\n", (unsigned long long)luck.state);
	check_by_hand();
	check_trees(&luck);
	check_matrices(&luck);
	check_texts(&luck);
	check_refused();
	return tap_done();
}
