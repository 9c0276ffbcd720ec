// SPDX-License-Identifier: GPL-2.0-or-later
/* A switch whose neighbours send to one another at random. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/circle.h"
#include "measure/links.h"
#include "measure/share.h"
#include "node.h"
#include "random.h"
#include "units.h"

/*
 * Pairs that take all they can get fill queues, and then wait for one another. Pairs that
 * keep a little below that get it, unless something else is full.
 */
#define PACE	0.95	/* of what a pair should get: it sends no more */
#define LOW	0.92	/* of what it sends: something is full */
#define ENOUGH	0.97	/* of what it sends: nothing is in its way */

/**
 * hbp_circle_alloc() - the neighbours of a switch
 * @circle: to be filled; released with hbp_circle_clear(), also if there was no memory
 * @sketch: the tree
 * @at: the switch
 * @hosts: only those that are hosts
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_circle_alloc(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     size_t at, bool hosts)
{
	const struct hbp_sketch_node *nodes = sketch->nodes;
	size_t i;

	memset(circle, 0, sizeof(*circle));
	circle->at = at;
	circle->units = calloc(sketch->n, sizeof(*circle->units));
	circle->order = calloc(sketch->n, sizeof(*circle->order));
	circle->first = calloc(sketch->n + 1, sizeof(*circle->first));
	if (!circle->units || !circle->order || !circle->first)
		return -ENOMEM;
	for (i = 0; i < sketch->n; i++)
		if ((nodes[i].parent == at || nodes[at].parent == i) &&
		    (!hosts || i < sketch->n_hosts))
			circle->units[circle->n++] = i;
	return hbp_sides_alloc(&circle->sides, circle->n + 1);
}

/**
 * hbp_circle_clear() - release what hbp_circle_alloc() has made
 * @circle: that
 */
void hbp_circle_clear(struct hbp_circle *circle)
{
	free(circle->units);
	free(circle->order);
	free(circle->first);
	hbp_sides_clear(&circle->sides);
	memset(circle, 0, sizeof(*circle));
}

static void shuffle(struct hbp_circle *circle, uint64_t *luck)
{
	size_t i, k, keep;

	for (i = 0; i < circle->n; i++)
		circle->order[i] = i;
	for (i = circle->n - 1; i; i--) {
		k = hbp_random_below(luck, i + 1);
		keep = circle->order[i];
		circle->order[i] = circle->order[k];
		circle->order[k] = keep;
	}
}

/* Pairs send a little less than they should get. */
static int pace(const struct hbp_circle *circle, const struct hbp_sketch *sketch,
		struct hbp_tests *tests)
{
	struct hbp_flow *flows = &tests->flows[tests->first[circle->test]];
	size_t n = circle->first[circle->n], i;
	double *should = calloc(n + 1, sizeof(*should));
	int ret = should ? hbp_share_find(sketch, flows, n, HBP_NONE, should) : -ENOMEM;

	for (i = 0; !ret && i < n; i++)
		flows[i].rate_mbps = PACE * should[i];
	free(should);
	return ret;
}

/**
 * hbp_circle_begin() - one more test: each sends to the next one of a random order
 * @circle: at least two of them
 * @sketch: the tree
 * @tests: all tests
 * @luck: what the order is drawn with
 * @paced: a little less than it should get, so that hbp_circle_judge() can tell
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_circle_begin(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     struct hbp_tests *tests, uint64_t *luck, bool paced)
{
	const size_t *units = circle->units, *order = circle->order;
	int ret = hbp_tests_begin(tests, HBP_NONE);
	size_t i;

	shuffle(circle, luck);
	circle->test = tests->n - 1;
	for (i = 0; !ret && i < circle->n; i++) {
		circle->first[i] = tests->first[tests->n] - tests->first[tests->n - 1];
		ret = hbp_links_between(tests, sketch, circle->at, units[order[i]],
					units[order[(i + 1) % circle->n]]);
	}
	circle->first[circle->n] = tests->first[tests->n] - tests->first[tests->n - 1];
	return ret || !paced ? ret : pace(circle, sketch, tests);
}

/* What a pair got of what it should get. */
static double part_of(const struct hbp_circle *circle, size_t i,
		      const struct hbp_flow *flows, const double *should)
{
	double got = 0, due = HBP_BANDWIDTH_MIN_MBPS;
	size_t k;

	for (k = circle->first[i]; k < circle->first[i + 1]; k++) {
		got += hbp_flow_mbps(&flows[k]);
		due += should[k];
	}
	return got / due;
}

/**
 * hbp_circle_judge() - what the test says of who is on one side
 * @circle: after hbp_circle_begin(), when the test has run; it was paced
 * @sketch: the tree
 * @tests: all tests
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_circle_judge(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     const struct hbp_tests *tests)
{
	const struct hbp_flow *flows = &tests->flows[tests->first[circle->test]];
	double *should = calloc(circle->first[circle->n] + 1, sizeof(*should)), part;
	bool low = false;
	size_t i;

	if (!should)
		return -ENOMEM;
	if (hbp_share_find(sketch, flows, circle->first[circle->n], HBP_NONE,
			   should)) {
		free(should);
		return -ENOMEM;
	}
	for (i = 0; i < circle->n; i++)
		low = low || part_of(circle, i, flows, should) < LOW;
	circle->lows += low;
	for (i = 0; low && i < circle->n; i++) {
		part = part_of(circle, i, flows, should);
		if (part < LOW || part > ENOUGH)
			hbp_sides_see(&circle->sides, circle->order[i],
				      circle->order[(i + 1) % circle->n], part < LOW);
	}
	free(should);
	return 0;
}

/* Its neighbour may have got a switch in between, of a circle of its own. */
static bool is_neighbour(const struct hbp_sketch *sketch, size_t at, size_t unit)
{
	return sketch->nodes[unit].parent == at || sketch->nodes[at].parent == unit;
}

/**
 * hbp_circle_split() - give each side of two neighbours or more a switch
 * @circle: whose sides have been found
 * @sketch: the tree; gets the switches
 *
 * Return: how many there are.
 */
size_t hbp_circle_split(struct hbp_circle *circle, struct hbp_sketch *sketch)
{
	size_t side, i, n, found = 0;

	for (side = 0; side < circle->n; side++) {
		n = 0;
		for (i = 0; i < circle->n; i++)
			if (circle->sides.side[i] == side &&
			    is_neighbour(sketch, circle->at, circle->units[i]))
				circle->order[n++] = circle->units[i];
		/* A switch between two links would be none. */
		if (n > 1 && n + 1 < hbp_sketch_degree(sketch, circle->at)) {
			hbp_sketch_split(sketch, circle->at, circle->order, n);
			found++;
		}
	}
	return found;
}
