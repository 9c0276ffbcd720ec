// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links that round trips do not show, such as those between racks of one room.
 * Around a switch each host sends to another one at random. Pairs that get what
 * their own links allow while others do not are on one side of such a link. Where
 * some are found there may be more: inside each side, and between the sides.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/circle.h"
#include "measure/fill.h"
#include "measure/hidden.h"
#include "measure/refine.h"

#define UNITS	4	/* neighbours of a switch between which there may be one */
#define ROUNDS	12	/* of random pairs, at most */
#define FIRST	1	/* so many of them show what hosts' links carry */
#define CALM	3	/* of the others in which nobody gets less than it should: there is none */
/* A link that carries this part of what its hosts can send or receive bounds nobody. */
#define FREE	0.85

/**
 * struct search - switches around which links are looked for
 * @tests: all tests
 * @sketch: the tree
 * @prober: the network
 * @luck: what pairs are drawn with
 * @circles: around switches, all at once
 * @n: how many
 */
struct search {
	struct hbp_tests *tests;
	struct hbp_sketch *sketch;
	const struct hbp_prober *prober;
	uint64_t luck;
	struct hbp_circle *circles;
	size_t n;
};

static int add_circle(struct search *s, size_t at, bool hosts)
{
	struct hbp_circle *circle = &s->circles[s->n++];
	int ret = hbp_circle_alloc(circle, s->sketch, at, hosts);

	if (!ret && circle->n < UNITS) {
		hbp_circle_clear(circle);
		s->n--;
	}
	return ret;
}

static void drop_circles(struct search *s)
{
	while (s->n)
		hbp_circle_clear(&s->circles[--s->n]);
}

/* Whether there is still something to be learnt from it in this round. */
static bool is_open(const struct hbp_circle *circle, size_t round)
{
	return round < FIRST + CALM || circle->lows;
}

static int run_round(struct search *s, size_t round)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < s->n; i++)
		if (is_open(&s->circles[i], round))
			ret = hbp_circle_begin(&s->circles[i], s->sketch, s->tests,
					       &s->luck, round >= FIRST);
	if (!ret)
		ret = hbp_tests_run(s->tests, s->sketch, s->prober, false);
	for (i = 0; !ret && round >= FIRST && i < s->n; i++)
		if (is_open(&s->circles[i], round))
			ret = hbp_circle_judge(&s->circles[i], s->sketch, s->tests);
	return ret;
}

/* Splits what has shown sides: the switches that have been split, in @split. */
static int split(struct search *s, bool *split, size_t *found)
{
	struct hbp_circle *circle;
	size_t i, n;
	int ret = 0;

	for (i = 0; !ret && i < s->n; i++) {
		circle = &s->circles[i];
		if (!circle->lows)
			continue;
		ret = hbp_sides_find(&circle->sides);
		n = ret ? 0 : hbp_circle_split(circle, s->sketch);
		split[circle->at] = n;
		*found += n;
	}
	return ret;
}

/* Fills the links between switches of which nothing is known. */
static int test_new(struct hbp_tests *tests, struct hbp_sketch *sketch,
		    const struct hbp_prober *prober)
{
	bool *arcs = calloc(hbp_arcs(sketch), sizeof(*arcs));
	int ret = arcs ? 0 : -ENOMEM;
	size_t i;

	for (i = 2 * sketch->n_hosts; !ret && i < 2 * sketch->n; i++)
		arcs[i] = hbp_sketch_inner(sketch, i / 2) && !hbp_sketch_capacity(sketch, i)->mbps;
	if (!ret)
		ret = hbp_fill(tests, sketch, prober, arcs, false);
	free(arcs);
	return ret;
}

/* What links that round trips do not show carry from a host's switch, or to it. */
static double hidden_mbps(const struct hbp_sketch *sketch, size_t host, bool from)
{
	const struct hbp_sketch_node *nodes = sketch->nodes;
	size_t at = hbp_sketch_neighbour(sketch, host), i;
	double mbps = 0;

	for (i = sketch->n_hosts; i < sketch->n; i++)
		if (nodes[i].hidden && (i == at || nodes[i].parent == at))
			mbps += nodes[i].link[(i == at) == from ? HBP_UP : HBP_DOWN].mbps;
	return mbps;
}

/*
 * Hosts' links were filled when nothing was known of others behind their switch. Where these
 * carry no more than the host's own they may have been what was full.
 */
static int test_held(struct hbp_tests *tests, struct hbp_sketch *sketch,
		     const struct hbp_prober *prober)
{
	bool *arcs = calloc(hbp_arcs(sketch), sizeof(*arcs));
	int ret = arcs ? 0 : -ENOMEM;
	size_t host, sends;
	double mbps;

	for (host = 0; !ret && host < sketch->n_hosts; host++)
		for (sends = 0; sends < 2; sends++) {
			mbps = hidden_mbps(sketch, host, sends);
			arcs[hbp_sketch_host_arc(sketch, host, sends)] =
				mbps > 0 && FREE * mbps <
				hbp_sketch_host_mbps(sketch, host, sends);
		}
	if (!ret)
		ret = hbp_fill(tests, sketch, prober, arcs, false);
	free(arcs);
	return ret;
}

static int run_all(struct search *s)
{
	size_t round;
	int ret = 0;

	for (round = 0; !ret && round < ROUNDS; round++)
		ret = run_round(s, round);
	return ret;
}

/* Around what has been split, by sides, and around what is new, by hosts. */
static int look_again(struct search *s, const bool *split, size_t before)
{
	size_t i;
	int ret = 0;

	drop_circles(s);
	for (i = s->sketch->n_hosts; !ret && i < s->sketch->n; i++)
		if (i >= before || split[i])
			ret = add_circle(s, i, i >= before);
	return ret;
}

/* Whether one direction of the link above a switch bounds what hosts can do. */
static bool bounds(const struct hbp_sketch *sketch, size_t node, enum hbp_direction direction)
{
	double from = 0, to = 0;
	size_t host;
	bool sends;

	for (host = 0; host < sketch->n_hosts; host++) {
		sends = hbp_sketch_below(sketch, node, host) == (direction == HBP_UP);
		*(sends ? &from : &to) += hbp_sketch_host_mbps(sketch, host, sends);
	}
	return sketch->nodes[node].link[direction].mbps < FREE * fmin(from, to);
}

/*
 * Pairs are low by chance, too, which TCP has a lot of. A link that was found and bounds
 * nobody is none, or does not matter.
 */
static void drop_free(struct hbp_sketch *sketch)
{
	size_t i = sketch->n_hosts;

	while (i < sketch->n) {
		if (!sketch->nodes[i].hidden || !hbp_sketch_inner(sketch, i) ||
		    bounds(sketch, i, HBP_UP) || bounds(sketch, i, HBP_DOWN)) {
			i++;
			continue;
		}
		hbp_sketch_contract(sketch, i);
	}
}

static size_t count_hidden(const struct hbp_sketch *sketch)
{
	size_t i, n = 0;

	for (i = sketch->n_hosts; i < sketch->n; i++)
		n += sketch->nodes[i].hidden && hbp_sketch_inner(sketch, i);
	return n;
}

/* Which hosts are below each node, [node * hosts + host]; NULL: no memory. */
static bool *find_below(const struct hbp_sketch *sketch)
{
	size_t n = sketch->n_hosts, i, host;
	bool *below = calloc(sketch->n * n, sizeof(*below));

	for (i = 0; below && i < sketch->n; i++)
		for (host = 0; host < n; host++)
			below[i * n + host] = hbp_sketch_below(sketch, i, host);
	return below;
}

/* Forgets what is known of links that did not join the same hosts @before, of @n nodes. */
static bool forget_changed(struct hbp_sketch *sketch, const bool *before, size_t n)
{
	bool *now = find_below(sketch);
	size_t hosts = sketch->n_hosts, i, k;

	for (i = hosts; now && i < sketch->n; i++) {
		for (k = hosts; k < n; k++)
			if (!memcmp(&now[i * hosts], &before[k * hosts], hosts * sizeof(*now)))
				break;
		if (k == n)
			memset(sketch->nodes[i].link, 0, sizeof(sketch->nodes[i].link));
	}
	free(now);
	return now;
}

/* Nodes move, and links that join others then are filled once more. */
static int refine(struct hbp_tests *tests, struct hbp_sketch *sketch,
		  const struct hbp_prober *prober)
{
	bool *before = find_below(sketch);
	size_t n = sketch->n;
	int ret = before ? hbp_refine(tests, sketch) : -ENOMEM;

	if (!ret && !forget_changed(sketch, before, n))
		ret = -ENOMEM;
	free(before);
	return ret ?: test_new(tests, sketch, prober);
}

/**
 * hbp_hidden_review() - look again at links that were found, with what is known by now
 * @tests: all tests
 * @sketch: the tree
 * @prober: the network
 * @found: how many there are; receives how many are left
 *
 * Return: as hbp_tests_run().
 */
int hbp_hidden_review(struct hbp_tests *tests, struct hbp_sketch *sketch,
		      const struct hbp_prober *prober, size_t *found)
{
	int ret = *found ? refine(tests, sketch, prober) : 0;

	if (!ret)
		drop_free(sketch);
	*found = count_hidden(sketch);
	return ret ?: hbp_tests_learn(tests, sketch);
}

/**
 * hbp_hidden_find() - find links that round trips do not show
 * @tests: all tests
 * @sketch: the tree, whose capacities are known; gets them, with theirs
 * @prober: the network
 * @seed: what pairs are drawn with
 * @found: receives how many there are
 *
 * Return: as hbp_tests_run().
 */
int hbp_hidden_find(struct hbp_tests *tests, struct hbp_sketch *sketch,
		    const struct hbp_prober *prober, uint64_t seed, size_t *found)
{
	struct search s = {
		.tests = tests, .sketch = sketch, .prober = prober, .luck = seed,
		.circles = calloc(2 * sketch->n_hosts, sizeof(*s.circles)),
	};
	bool *was_split = calloc(2 * sketch->n_hosts, sizeof(*was_split));
	size_t i, before = sketch->n, last;
	int ret = s.circles && was_split ? 0 : -ENOMEM;

	*found = 0;
	for (i = sketch->n_hosts; !ret && i < before; i++)
		ret = add_circle(&s, i, true);
	while (!ret && s.n) {
		last = *found;
		before = sketch->n;
		ret = run_all(&s);
		if (!ret)
			ret = split(&s, was_split, found);
		if (ret || *found == last)
			break;
		ret = test_new(tests, sketch, prober);
		if (!ret)
			ret = look_again(&s, was_split, before);
	}
	drop_circles(&s);
	free(s.circles);
	free(was_split);
	return ret ?: test_held(tests, sketch, prober) ?:
		      hbp_hidden_review(tests, sketch, prober, found);
}
