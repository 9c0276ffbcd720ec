// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far tests of a link differ: each test that was to fill it, and should have, is
 * compared with what it carries. Others that use it, and a network that changes, make a
 * difference.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/share.h"
#include "measure/spread.h"
#include "node.h"

/* A test should have filled a link if it should have sent this part of its capacity. */
#define FILLS	0.97
/* A link of which tests differ by more than this part is not steady. */
#define STEADY	0.25

/**
 * struct comparing - tests that are compared with a tree
 * @tests: all tests
 * @sketch: the tree
 * @flows: of a test, those that have brought something
 * @should: of each of them, what it should get
 * @flows_of: of each arc, how many of them cross it
 * @due: of each arc, what the test should have sent over it
 * @load: of each arc, what it has sent
 * @arcs: a way
 */
struct comparing {
	const struct hbp_tests *tests;
	struct hbp_sketch *sketch;
	struct hbp_flow *flows;
	double *should;
	size_t *flows_of;
	double *due;
	double *load;
	size_t *arcs;
};

static void add_flow(struct comparing *c, const struct hbp_flow *flow, double should)
{
	size_t n = hbp_sketch_path(c->sketch, flow->from, flow->to, c->arcs), i;

	for (i = 0; i < n; i++) {
		c->flows_of[c->arcs[i]]++;
		c->due[c->arcs[i]] += should;
		c->load[c->arcs[i]] += hbp_flow_mbps(flow);
	}
}

static int compare(struct comparing *c, size_t test)
{
	struct hbp_capacity *capacity;
	size_t n = 0, i;

	for (i = c->tests->first[test]; i < c->tests->first[test + 1]; i++)
		if (hbp_flow_mbps(&c->tests->flows[i]) > 0)
			c->flows[n++] = c->tests->flows[i];
	if (hbp_share_find(c->sketch, c->flows, n, HBP_NONE, c->should))
		return -ENOMEM;
	memset(c->flows_of, 0, hbp_arcs(c->sketch) * sizeof(*c->flows_of));
	memset(c->due, 0, hbp_arcs(c->sketch) * sizeof(*c->due));
	memset(c->load, 0, hbp_arcs(c->sketch) * sizeof(*c->load));
	for (i = 0; i < n; i++)
		add_flow(c, &c->flows[i], c->should[i]);
	for (i = 2; i < hbp_arcs(c->sketch); i++) {
		capacity = hbp_sketch_capacity(c->sketch, i);
		if (n && c->flows_of[i] == n && c->due[i] >= FILLS * capacity->mbps)
			capacity->spread_mbps = fmax(capacity->spread_mbps,
						     capacity->mbps - c->load[i]);
	}
	return 0;
}

/**
 * hbp_spread_find() - how far tests differ
 * @tests: all tests, which have run
 * @sketch: the tree, with capacities; their spreads grow
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_spread_find(const struct hbp_tests *tests, struct hbp_sketch *sketch)
{
	size_t most = tests->n ? tests->first[tests->n] + 1 : 1, i;
	struct comparing c = {
		.tests = tests,
		.sketch = sketch,
		.flows = calloc(most, sizeof(*c.flows)),
		.should = calloc(most, sizeof(*c.should)),
		.flows_of = calloc(hbp_arcs(sketch), sizeof(*c.flows_of)),
		.due = calloc(hbp_arcs(sketch), sizeof(*c.due)),
		.load = calloc(hbp_arcs(sketch), sizeof(*c.load)),
		.arcs = calloc(sketch->n + 2, sizeof(*c.arcs)),
	};
	bool full = c.flows && c.should && c.flows_of && c.due && c.load && c.arcs;
	int ret = full ? 0 : -ENOMEM;

	for (i = 0; !ret && i < tests->n; i++)
		ret = compare(&c, i);
	free(c.flows);
	free(c.should);
	free(c.flows_of);
	free(c.due);
	free(c.load);
	free(c.arcs);
	return ret;
}

/**
 * hbp_spread_unsteady() - whether a link has changed, or others use it
 * @capacity: of one direction of it, after hbp_spread_find()
 *
 * Return: whether tests differ by more than TCP explains.
 */
bool hbp_spread_unsteady(const struct hbp_capacity *capacity)
{
	return capacity->spread_mbps > STEADY * capacity->mbps;
}
