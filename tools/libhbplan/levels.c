// SPDX-License-Identifier: GPL-2.0-or-later
/* The rates that nested trees add up to. */
#include <errno.h>
#include <stdlib.h>

#include "levels.h"

/*
 * Level k is taken by the @takers[k] nodes that can have it or more. best[k] is
 * the largest sum of rates, of all nodes, of some levels of which k is the last.
 */
struct pick {
	const int64_t *levels;
	const int64_t *takers;
	const int64_t *before;	/* best with one level fewer */
	int64_t *best;
	uint32_t *from;		/* the level picked before k */
};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Fills best[k] from @first to @last, whose levels before are between @low and
 * @high: a later level never has an earlier one before it.
 */
static void fill(const struct pick *p, size_t first, size_t last, size_t low,
		 size_t high)
{
	size_t k = first + (last - first) / 2, i;
	int64_t sum;

	for (i = low; i <= high && i < k; i++) {
		sum = p->before[i] +
		      (p->levels[k] - p->levels[i]) * p->takers[k];
		if (i == low || sum > p->best[k]) {
			p->best[k] = sum;
			p->from[k] = (uint32_t)i;
		}
	}
	if (k > first)
		fill(p, first, k - 1, low, p->from[k]);
	if (k < last)
		fill(p, k + 1, last, p->from[k], high);
}

/* Picks @most of @n levels, the first always. */
static int pick(int64_t *levels, int64_t *takers, size_t n, size_t most)
{
	int64_t *before = calloc(n, sizeof(*before));
	int64_t *best = calloc(n, sizeof(*best));
	uint32_t *from = calloc(most * n, sizeof(*from));
	size_t j, k;
	int ret = 0;

	if (!before || !best || !from) {
		ret = -ENOMEM;
		goto out;
	}
	for (k = 0; k < n; k++)
		best[k] = levels[0] * takers[0];
	/* With one level more each time; k = j is the first that has so many. */
	for (j = 1; j < most; j++) {
		struct pick p = {
			.levels = levels, .takers = takers, .before = before,
			.best = best, .from = &from[j * n]
		};

		for (k = 0; k < n; k++)
			before[k] = best[k];
		fill(&p, j, n - 1, j - 1, n - 2);
	}
	for (k = most - 1, j = most - 1; k < n; k++)
		if (best[k] > best[j])
			j = k;
	for (k = most; k-- > 0;) {
		before[k] = levels[j];
		j = from[k * n + j];
	}
	for (k = 0; k < most; k++)
		levels[k] = before[k];
out:
	free(before);
	free(best);
	free(from);
	return ret;
}

/**
 * hbp_levels_pick() - few rates that nested trees may add up to
 * @levels: of every node the rate that it can receive, positive; receives the
 *	levels, ascending; the first is the smallest
 * @n: number of nodes, at least 1
 * @most: the most levels that there may be, at least 1
 * @n_picked: receives how many there are
 *
 * A node receives at the highest level that it can. All different rates are
 * levels if there are no more than @most; otherwise those are that make the sum
 * of all nodes' rates largest.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_levels_pick(int64_t *levels, size_t n, size_t most, size_t *n_picked)
{
	int64_t *takers = calloc(n, sizeof(*takers));
	size_t i, m = 0;
	int ret = 0;

	if (!takers)
		return -ENOMEM;
	qsort(levels, n, sizeof(*levels), compare);
	for (i = 0; i < n; i++) {
		if (i && levels[i] == levels[m - 1])
			continue;
		levels[m] = levels[i];
		takers[m++] = (int64_t)(n - i);
	}
	if (m > most) {
		ret = pick(levels, takers, m, most);
		m = most;
	}
	*n_picked = m;
	free(takers);
	return ret;
}
