// SPDX-License-Identifier: GPL-2.0-or-later
/* All arborescences of small graphs. */
#include "arborescences.h"
#include "node.h"

/* Does every node lead back to the root? */
bool is_arborescence(const struct graph *g, size_t root, const size_t *into)
{
	size_t i, at, steps;

	for (i = 0; i < g->n; i++) {
		for (at = i, steps = 0; at != root; steps++) {
			if (into[at] == HBP_NONE || steps == g->n ||
			    g->arcs[into[at]].to != at)
				return false;
			at = g->arcs[into[at]].from;
		}
	}
	return into[root] == HBP_NONE;
}

/* All choices of an arc into each node from @node on; those before are in @into. */
double least_cost(const struct graph *g, const double *costs, size_t root,
		  size_t node, size_t *into)
{
	double best = 1e300, sum;
	size_t i;

	if (node == g->n) {
		if (!is_arborescence(g, root, into))
			return best;
		for (i = 0, sum = 0; i < g->n; i++)
			sum += i == root ? 0 : costs[into[i]];
		return sum;
	}
	into[node] = HBP_NONE;
	if (node == root)
		return least_cost(g, costs, root, node + 1, into);
	for (i = 0; i < g->m; i++) {
		if (g->arcs[i].to != node)
			continue;
		into[node] = i;
		sum = least_cost(g, costs, root, node + 1, into);
		best = sum < best ? sum : best;
	}
	return best;
}
