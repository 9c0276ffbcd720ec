// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree that explains what pairs have got better than the one that was found. A slow host
 * gets what it should also across a link that is full, as all flows share that alike: its own
 * flows do not show on which side it is. But what is left for others does. So hosts and
 * switches move, as long as what all pairs should get comes nearer to what they have got.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/refine.h"
#include "measure/share.h"
#include "node.h"

/* A move is made if flows are nearer by so much together, each as a part of its rate. */
#define NEARER	0.2
/* With more hosts trying all moves takes longer than the tests: with 40 of them 13 s. */
#define HOSTS_MAX	32

/**
 * struct refining - a tree whose nodes move
 * @tests: all tests, which have run
 * @sketch: the tree
 * @room: of each switch, the least number of those that it reaches by hidden links
 * @hosts: room for hosts of a switch
 * @should: what flows of a test should get
 */
struct refining {
	const struct hbp_tests *tests;
	struct hbp_sketch *sketch;
	size_t *room;
	size_t *hosts;
	double *should;
};

/* Round trips do not tell apart the switches of a room. */
static void find_rooms(struct refining *r)
{
	const struct hbp_sketch_node *nodes = r->sketch->nodes;
	bool changed = true;
	size_t i, above, least;

	for (i = 0; i < r->sketch->n; i++)
		r->room[i] = i;
	while (changed) {
		changed = false;
		for (i = r->sketch->n_hosts; i < r->sketch->n; i++) {
			above = nodes[i].parent;
			if (!nodes[i].hidden || r->room[i] == r->room[above])
				continue;
			least = r->room[i] < r->room[above] ? r->room[i] : r->room[above];
			r->room[i] = least;
			r->room[above] = least;
			changed = true;
		}
	}
}

/* How far the flows of a paced test are from what they should get; -1: no memory. */
static double test_off(const struct refining *r, size_t test)
{
	const struct hbp_flow *flows = &r->tests->flows[r->tests->first[test]];
	size_t n = r->tests->first[test + 1] - r->tests->first[test], i;
	double off = 0;

	if (!n || !flows[0].rate_mbps)
		return 0;
	if (hbp_share_find(r->sketch, flows, n, HBP_NONE, r->should))
		return -1;
	for (i = 0; i < n; i++)
		off += fmin(fabs(hbp_flow_mbps(&flows[i]) - r->should[i]) / flows[i].rate_mbps, 1);
	return off;
}

/* How far all are, with capacities that follow from this tree; -1: no memory. */
static double all_off(struct refining *r)
{
	double off = 0, one;
	size_t i;

	hbp_sketch_deepen(r->sketch);
	if (hbp_tests_learn(r->tests, r->sketch))
		return -1;
	for (i = 0; i < r->tests->n; i++) {
		one = test_off(r, i);
		if (one < 0)
			return -1;
		off += one;
	}
	return off;
}

/**
 * struct move - a host or a switch that hangs elsewhere
 * @node: that, or a switch whose hosts get one of their own
 * @to: the switch that it moves to, or HBP_NONE
 * @off: how far all flows are then
 */
struct move {
	size_t node;
	size_t to;
	double off;
};

/* The best place for a node; @best has the best move so far. */
static int try_node(struct refining *r, size_t node, struct move *best)
{
	struct hbp_sketch_node *nodes = r->sketch->nodes;
	size_t from = nodes[node].parent, to;
	double off = 0;

	for (to = r->sketch->n_hosts; off >= 0 && to < r->sketch->n; to++) {
		if (to == from || r->room[to] != r->room[from] ||
		    hbp_sketch_below(r->sketch, node, to))
			continue;
		nodes[node].parent = to;
		off = all_off(r);
		if (off >= 0 && off < best->off)
			*best = (struct move){ node, to, off };
		nodes[node].parent = from;
		hbp_sketch_deepen(r->sketch);
	}
	return off < 0 ? -ENOMEM : 0;
}

/* The hosts at a switch: how many. */
static size_t find_hosts(const struct hbp_sketch *sketch, size_t at, size_t *hosts)
{
	size_t i, n = 0;

	for (i = 0; i < sketch->n_hosts; i++)
		if (hbp_sketch_neighbour(sketch, i) == at)
			hosts[n++] = i;
	return n;
}

/* The hosts at a switch that joins others, too, get one of their own: whether they can. */
static bool split(struct refining *r, size_t at)
{
	size_t n = find_hosts(r->sketch, at, r->hosts);

	if (n < 2 || hbp_sketch_degree(r->sketch, at) < n + 2 ||
	    r->sketch->n == 2 * r->sketch->n_hosts)
		return false;
	hbp_sketch_split(r->sketch, at, r->hosts, n);
	return true;
}

/* The last switch is the new one, above or below. */
static void unsplit(struct refining *r, size_t at)
{
	size_t new = r->sketch->n - 1;

	hbp_sketch_contract(r->sketch, r->sketch->nodes[at].parent == new ? at : new);
}

static int try_split(struct refining *r, size_t at, struct move *best)
{
	double off;

	if (!split(r, at))
		return 0;
	off = all_off(r);
	if (off >= 0 && off < best->off)
		*best = (struct move){ at, HBP_NONE, off };
	unsplit(r, at);
	return off < 0 ? -ENOMEM : 0;
}

static int find_move(struct refining *r, struct move *best)
{
	size_t i;
	int ret = 0;

	for (i = 1; !ret && i < r->sketch->n; i++)
		if (r->sketch->nodes[i].parent >= r->sketch->n_hosts)
			ret = try_node(r, i, best);
	for (i = r->sketch->n_hosts; !ret && i < r->sketch->n; i++)
		ret = try_split(r, i, best);
	return ret;
}

/* A switch between two links, or behind one, is none. */
static void drop_switches(struct hbp_sketch *sketch)
{
	size_t i = sketch->n_hosts;

	while (i < sketch->n)
		if (hbp_sketch_inner(sketch, i) && hbp_sketch_degree(sketch, i) < 3) {
			hbp_sketch_contract(sketch, i);
			i = sketch->n_hosts;
		} else {
			i++;
		}
}

/* A node hangs elsewhere, or a switch is split. */
static void make_move(struct refining *r, const struct move *move)
{
	if (move->to == HBP_NONE) {
		split(r, move->node);
		return;
	}
	r->sketch->nodes[move->node].parent = move->to;
	hbp_sketch_deepen(r->sketch);
	drop_switches(r->sketch);
}

/**
 * hbp_refine() - move nodes until what flows have got is explained best
 * @tests: all tests, which have run
 * @sketch: the tree
 *
 * Only between switches that round trips do not tell apart.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_refine(const struct hbp_tests *tests, struct hbp_sketch *sketch)
{
	struct refining r = {
		.tests = tests,
		.sketch = sketch,
		.room = calloc(2 * sketch->n_hosts, sizeof(*r.room)),
		.hosts = calloc(sketch->n_hosts, sizeof(*r.hosts)),
		.should = calloc(tests->first[tests->n] + 1, sizeof(*r.should)),
	};
	struct move best;
	double off = r.room && r.hosts && r.should ? all_off(&r) : -1;
	int ret = off < 0 ? -ENOMEM : 0;

	while (!ret && sketch->n_hosts <= HOSTS_MAX) {
		find_rooms(&r);
		best = (struct move){ .off = off };
		ret = find_move(&r, &best);
		if (ret || off - best.off < NEARER)
			break;
		make_move(&r, &best);
		off = all_off(&r);
		ret = off < 0 ? -ENOMEM : 0;
	}
	free(r.room);
	free(r.hosts);
	free(r.should);
	return ret ?: hbp_tests_learn(tests, sketch);
}
