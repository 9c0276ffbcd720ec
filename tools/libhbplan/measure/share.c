// SPDX-License-Identifier: GPL-2.0-or-later
/* What flows should get of a tree: all rise together until a link is full. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/share.h"

/* A link of which no more than this part is left is full. */
#define FULL	(1 / 1e9)

/**
 * struct sharing - flows that rise
 * @sketch: the tree
 * @flows: the flows
 * @n: how many
 * @mbps: what each has
 * @stopped: which of them rise no more
 * @left: of each arc
 * @rising: of each arc, how many flows that rise cross it
 * @arcs: a way
 */
struct sharing {
	const struct hbp_sketch *sketch;
	const struct hbp_flow *flows;
	size_t n;
	double *mbps;
	bool *stopped;
	double *left;
	size_t *rising;
	size_t *arcs;
};

static double capacity(const struct hbp_sketch *sketch, size_t arc)
{
	return sketch->nodes[arc / 2].link[arc % 2 ? HBP_DOWN : HBP_UP].mbps;
}

/* Counts what rises: how many flows. */
static size_t count(struct sharing *s)
{
	size_t i, k, n, alive = 0;

	memset(s->rising, 0, 2 * s->sketch->n * sizeof(*s->rising));
	for (i = 0; i < s->n; i++) {
		if (s->stopped[i])
			continue;
		alive++;
		n = hbp_sketch_path(s->sketch, s->flows[i].from, s->flows[i].to,
				    s->arcs);
		for (k = 0; k < n; k++)
			s->rising[s->arcs[k]]++;
	}
	return alive;
}

/* All that rise get so much more, until a link is full. */
static void rise(struct sharing *s)
{
	double step = INFINITY;
	size_t i, k, n;

	for (i = 0; i < 2 * s->sketch->n; i++)
		if (s->rising[i])
			step = fmin(step, s->left[i] / (double)s->rising[i]);
	for (i = 0; i < 2 * s->sketch->n; i++)
		s->left[i] -= step * (double)s->rising[i];
	for (i = 0; i < s->n; i++) {
		if (s->stopped[i])
			continue;
		s->mbps[i] += step;
		n = hbp_sketch_path(s->sketch, s->flows[i].from, s->flows[i].to,
				    s->arcs);
		for (k = 0; k < n && !s->stopped[i]; k++)
			s->stopped[i] = s->left[s->arcs[k]] <=
					FULL * capacity(s->sketch, s->arcs[k]);
	}
}

/**
 * hbp_share_find() - what flows should get
 * @sketch: the tree, whose capacities are known
 * @flows: the flows
 * @n: how many
 * @mbps: receives the max-min fair share of each
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_share_find(const struct hbp_sketch *sketch, const struct hbp_flow *flows,
		   size_t n, double *mbps)
{
	struct sharing s = {
		.sketch = sketch,
		.flows = flows,
		.n = n,
		.mbps = mbps,
		.stopped = calloc(n + 1, sizeof(*s.stopped)),
		.left = calloc(2 * sketch->n, sizeof(*s.left)),
		.rising = calloc(2 * sketch->n, sizeof(*s.rising)),
		.arcs = calloc(sketch->n, sizeof(*s.arcs)),
	};
	bool full = s.stopped && s.left && s.rising && s.arcs;
	size_t i;

	memset(mbps, 0, n * sizeof(*mbps));
	for (i = 0; full && i < 2 * sketch->n; i++)
		s.left[i] = capacity(sketch, i);
	while (full && count(&s))
		rise(&s);
	free(s.stopped);
	free(s.left);
	free(s.rising);
	free(s.arcs);
	return full ? 0 : -ENOMEM;
}
