// SPDX-License-Identifier: GPL-2.0-or-later
/* Things in the order of their weights. */
#include <stdlib.h>

#include "order.h"

static int compare(const void *a, const void *b, void *weights)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const double *w = weights;

	if (w[x] != w[y])
		return w[x] > w[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/**
 * hbp_order_heaviest() - put the heaviest first
 * @items: numbers of things, each once; sorted, equal weights by number
 * @n: how many there are, possibly 0
 * @weights: of each number its weight, not NaN; not changed
 */
void hbp_order_heaviest(size_t *items, size_t n, const double *weights)
{
	qsort_r(items, n, sizeof(*items), compare, (void *)weights);
}
