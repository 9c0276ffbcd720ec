// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What flows leave of a tree. A link is filled by few flows if each of them goes where the
 * others have left most: not two of them across a slow link beside it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/share.h"
#include "measure/spare.h"

/**
 * hbp_spare_begin() - a tree without flows
 * @spare: filled; to be cleared, also on failure
 * @sketch: the tree, the capacities of whose hosts' links are known
 * @node: the lower end of the link that flows will cross
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_spare_begin(struct hbp_spare *spare, const struct hbp_sketch *sketch, size_t node)
{
	size_t i;

	*spare = (struct hbp_spare){
		.sketch = sketch,
		.node = node,
		.mbps = calloc(hbp_arcs(sketch), sizeof(*spare->mbps)),
		.arcs = calloc(sketch->n + 2, sizeof(*spare->arcs)),
	};
	if (!spare->mbps || !spare->arcs)
		return -ENOMEM;
	for (i = 0; i < hbp_arcs(sketch); i++)
		spare->mbps[i] = hbp_share_capacity(sketch, i);
	return 0;
}

/**
 * hbp_spare_clear() - release what hbp_spare_begin() has made
 * @spare: that
 */
void hbp_spare_clear(struct hbp_spare *spare)
{
	free(spare->mbps);
	free(spare->arcs);
}

/* The way between a host and the end of the link on its side: how many arcs. */
static size_t find_way(struct hbp_spare *spare, size_t host, bool sends)
{
	const struct hbp_sketch *sketch = spare->sketch;
	bool below = hbp_sketch_below(sketch, spare->node, host);
	size_t end = below ? spare->node : sketch->nodes[spare->node].parent;

	return sends ? hbp_sketch_path(sketch, host, end, spare->arcs) :
		       hbp_sketch_path(sketch, end, host, spare->arcs);
}

/**
 * hbp_spare_find() - what is left between a host and the link
 * @spare: the tree
 * @host: index of the host
 * @sends: towards the link, or else from it
 *
 * Return: Mbit/s.
 */
double hbp_spare_find(struct hbp_spare *spare, size_t host, bool sends)
{
	size_t n = find_way(spare, host, sends), i;
	double mbps = INFINITY;

	for (i = 0; i < n; i++)
		mbps = fmin(mbps, spare->mbps[spare->arcs[i]]);
	return mbps;
}

/**
 * hbp_spare_take() - a flow between a host and the link
 * @spare: the tree
 * @host: index of the host
 * @sends: towards the link, or else from it
 * @mbps: what the flow gets, no more than is left
 */
void hbp_spare_take(struct hbp_spare *spare, size_t host, bool sends, double mbps)
{
	size_t n = find_way(spare, host, sends), i;

	for (i = 0; i < n; i++)
		spare->mbps[spare->arcs[i]] -= mbps;
}
