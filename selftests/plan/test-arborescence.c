// SPDX-License-Identifier: GPL-2.0-or-later
/* The cheapest arborescences, against all that there are and found in another way. */
#include "../lib/tap.h"
#include "arborescence.h"
#include "arborescences.h"
#include "helper.h"

/* Costs are small whole numbers, so that ties are frequent. */
static void draw_graph(struct luck *luck, struct graph *g, size_t n, size_t third)
{
	size_t i, j;

	g->n = n;
	g->m = 0;
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			/* The ring is whole, so that all are reached. */
			if (i == j || (j != (i + 1) % n &&
				       draw_below(luck, 3) < third))
				continue;
			g->arcs[g->m].from = (uint32_t)i;
			g->arcs[g->m].to = (uint32_t)j;
			g->costs[g->m++] = draw_below(luck, 12);
		}
	}
}

static double find_cost(const struct graph *g, size_t root, size_t *into)
{
	struct hbp_arborescence *a;
	double sum;

	a = hbp_arborescence_alloc(g->n, root, g->arcs, g->m);
	if (!a || hbp_arborescence_find(a, g->costs, into, &sum))
		tap_bail_out("no arborescence");
	hbp_arborescence_free(a);
	return sum;
}

static void check_arborescences(void)
{
	size_t round, small = 0, same = 0, into[40], others[40];
	static struct graph g, dense;
	struct luck luck = { 21 };

	for (round = 0; round < 1500; round++) {
		/* Both kinds of graph: a sixth, a third or all of the pairs. */
		size_t n = 2 + round % 4, root = draw_below(&luck, (uint32_t)n);
		double sum;

		draw_graph(&luck, &g, n, round % 3);
		sum = find_cost(&g, root, into);
		small += is_arborescence(&g, root, into) &&
			 sum == least_cost(&g, g.costs, root, 0, others);
	}
	ok(small == 1500, "arborescences: of 2 to 5 nodes none is cheaper");
	for (round = 0; round < 300; round++) {
		size_t n = 13 + round % 28, i;

		/* An eighth of the pairs; then all, the rest too dear. */
		g.n = n;
		g.m = 0;
		dense.n = n;
		dense.m = 0;
		for (i = 0; i < n * n; i++) {
			bool there = (i / n + 1) % n == i % n ||
				     !draw_below(&luck, 8);

			if (i / n == i % n)
				continue;
			dense.arcs[dense.m].from = (uint32_t)(i / n);
			dense.arcs[dense.m].to = (uint32_t)(i % n);
			dense.costs[dense.m] = there ? draw_below(&luck, 100) : 1e6;
			if (there) {
				g.arcs[g.m] = dense.arcs[dense.m];
				g.costs[g.m++] = dense.costs[dense.m];
			}
			dense.m++;
		}
		same += find_cost(&g, 0, into) == find_cost(&dense, 0, others) &&
			is_arborescence(&g, 0, into) &&
			is_arborescence(&dense, 0, others);
	}
	ok(same == 300, "arborescences: both ways to find them agree");
}

int main(void)
{
	check_arborescences();
	return tap_done();
}
