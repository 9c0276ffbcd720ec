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

#include "measure/circle.h"
#include "measure/fill.h"
#include "measure/hidden.h"

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

/* Fills the links that have been found since there were so many nodes. */
static int test_new(struct search *s)
{
	bool *arcs = calloc(hbp_arcs(s->sketch), sizeof(*arcs));
	int ret = arcs ? 0 : -ENOMEM;
	size_t i;

	for (i = 2 * s->sketch->n_hosts; !ret && i < 2 * s->sketch->n; i++)
		arcs[i] = hbp_sketch_inner(s->sketch, i / 2) &&
			  !hbp_sketch_capacity(s->sketch, i)->mbps;
	if (!ret)
		ret = hbp_fill(s->tests, s->sketch, s->prober, arcs, false);
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
 * nobody is none, or does not matter: how many there were.
 */
static size_t drop_free(struct hbp_sketch *sketch)
{
	size_t i = sketch->n_hosts, dropped = 0;

	while (i < sketch->n) {
		if (!sketch->nodes[i].hidden || !hbp_sketch_inner(sketch, i) ||
		    bounds(sketch, i, HBP_UP) || bounds(sketch, i, HBP_DOWN)) {
			i++;
			continue;
		}
		hbp_sketch_contract(sketch, i);
		dropped++;
	}
	return dropped;
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
		ret = test_new(&s);
		if (!ret)
			ret = look_again(&s, was_split, before);
	}
	drop_circles(&s);
	free(s.circles);
	free(was_split);
	*found -= drop_free(sketch);
	return ret ?: hbp_tests_learn(tests, sketch);
}
