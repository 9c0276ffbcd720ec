// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What flows should get of a tree: all rise together until they have what they ask for,
 * or a link is full. Acknowledgements go the other way, and take their part there.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/share.h"
#include "wire.h"

/* A link of which no more than this part is left is full; likewise what a flow asks for. */
#define FULL	(1 / 1e9)

/**
 * struct sharing - flows that rise
 * @sketch: the tree
 * @flows: the flows
 * @n: how many
 * @open: an arc that never fills
 * @mbps: what each has
 * @stopped: which of them rise no more
 * @left: of each arc
 * @rising: of each arc, how many flows that rise cross it
 * @weight: of each arc, what it carries of one that rises: of these, and of those whose
 *	acknowledgements cross it
 * @arcs: a way
 */
struct sharing {
	const struct hbp_sketch *sketch;
	const struct hbp_flow *flows;
	size_t n;
	size_t open;
	double *mbps;
	bool *stopped;
	double *left;
	size_t *rising;
	double *weight;
	size_t *arcs;
};

/**
 * hbp_share_capacity() - what an arc is known to carry
 * @sketch: the tree, the capacities of whose hosts' links are known
 * @arc: its number
 *
 * Return: Mbit/s; infinite if nothing has crossed it yet, as its end is not known then.
 */
double hbp_share_capacity(const struct hbp_sketch *sketch, size_t arc)
{
	double mbps = hbp_sketch_capacity(sketch, arc)->mbps;

	if (!mbps && (hbp_arc_is_both(sketch, arc) || hbp_sketch_inner(sketch, arc / 2)))
		return INFINITY;
	return mbps;
}

static double capacity(const struct sharing *s, size_t arc)
{
	return arc == s->open ? INFINITY : hbp_share_capacity(s->sketch, arc);
}

static double asked(const struct hbp_flow *flow)
{
	return flow->rate_mbps > 0 ? flow->rate_mbps : INFINITY;
}

static bool is_full(double left, double all)
{
	return isfinite(left) && left <= FULL * all;
}

/* One more flow rises on an arc; what a host sends and receives has both ways of it. */
static void count_flow(struct sharing *s, size_t arc)
{
	bool both = hbp_arc_is_both(s->sketch, arc);

	s->rising[arc]++;
	s->weight[arc]++;
	s->weight[both ? arc : arc ^ 1] += hbp_wire_acks(HBP_MTU, HBP_MTU);
}

/* Counts what rises: how many flows. */
static size_t count(struct sharing *s)
{
	size_t i, k, n, alive = 0;

	memset(s->rising, 0, hbp_arcs(s->sketch) * sizeof(*s->rising));
	memset(s->weight, 0, hbp_arcs(s->sketch) * sizeof(*s->weight));
	for (i = 0; i < s->n; i++) {
		if (s->stopped[i])
			continue;
		alive++;
		n = hbp_sketch_path(s->sketch, s->flows[i].from, s->flows[i].to,
				    s->arcs);
		for (k = 0; k < n; k++)
			count_flow(s, s->arcs[k]);
	}
	return alive;
}

/* How much more all that rise can have. */
static double find_step(const struct sharing *s)
{
	double step = INFINITY;
	size_t i;

	for (i = 0; i < hbp_arcs(s->sketch); i++)
		if (s->rising[i])
			step = fmin(step, s->left[i] / s->weight[i]);
	for (i = 0; i < s->n; i++)
		if (!s->stopped[i])
			step = fmin(step, asked(&s->flows[i]) - s->mbps[i]);
	return step;
}

/* Nothing bounds those that rise: as between two hosts, whose only link has no end. */
static void rise_forever(struct sharing *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!s->stopped[i]) {
			s->mbps[i] = INFINITY;
			s->stopped[i] = true;
		}
}

/* They get it; at least one of them stops. */
static void rise(struct sharing *s)
{
	double step = find_step(s), all;
	size_t i, k, n;

	if (isinf(step)) {
		rise_forever(s);
		return;
	}
	for (i = 0; i < hbp_arcs(s->sketch); i++)
		s->left[i] -= step * s->weight[i];
	for (i = 0; i < s->n; i++) {
		if (s->stopped[i])
			continue;
		s->mbps[i] += step;
		all = asked(&s->flows[i]);
		s->stopped[i] = is_full(all - s->mbps[i], all);
		n = hbp_sketch_path(s->sketch, s->flows[i].from, s->flows[i].to,
				    s->arcs);
		for (k = 0; k < n && !s->stopped[i]; k++)
			s->stopped[i] = is_full(s->left[s->arcs[k]],
						capacity(s, s->arcs[k]));
	}
}

/**
 * hbp_share_find() - what flows should get
 * @sketch: the tree, the capacities of whose hosts' links are known
 * @flows: the flows
 * @n: how many
 * @open: an arc that never fills, HBP_NONE for none
 * @mbps: receives the max-min fair share of each, which is infinite if nothing bounds it
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_share_find(const struct hbp_sketch *sketch, const struct hbp_flow *flows,
		   size_t n, size_t open, double *mbps)
{
	struct sharing s = {
		.sketch = sketch,
		.flows = flows,
		.n = n,
		.open = open,
		.mbps = mbps,
		.stopped = calloc(n + 1, sizeof(*s.stopped)),
		.left = calloc(hbp_arcs(sketch), sizeof(*s.left)),
		.rising = calloc(hbp_arcs(sketch), sizeof(*s.rising)),
		.weight = calloc(hbp_arcs(sketch), sizeof(*s.weight)),
		.arcs = calloc(sketch->n + 2, sizeof(*s.arcs)),
	};
	bool full = s.stopped && s.left && s.rising && s.weight && s.arcs;
	size_t i;

	memset(mbps, 0, n * sizeof(*mbps));
	for (i = 0; full && i < hbp_arcs(sketch); i++)
		s.left[i] = capacity(&s, i);
	while (full && count(&s))
		rise(&s);
	free(s.stopped);
	free(s.left);
	free(s.rising);
	free(s.weight);
	free(s.arcs);
	return full ? 0 : -ENOMEM;
}

/**
 * hbp_share_sum() - what flows should get together
 * @sketch: as for hbp_share_find()
 * @flows: the flows
 * @n: how many
 * @open: an arc that never fills, HBP_NONE for none
 *
 * Return: Mbit/s, or -1 if memory has run out.
 */
double hbp_share_sum(const struct hbp_sketch *sketch, const struct hbp_flow *flows, size_t n,
		     size_t open)
{
	double *mbps = calloc(n + 1, sizeof(*mbps)), sum = 0;
	size_t i;

	if (!mbps || hbp_share_find(sketch, flows, n, open, mbps))
		sum = -1;
	for (i = 0; sum >= 0 && i < n; i++)
		sum += mbps[i];
	free(mbps);
	return sum;
}
