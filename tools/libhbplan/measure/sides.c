// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who is on one side of a link that round trips do not show. Pairs on one side get
 * what they should; pairs on two sides do not, as often as that link is full. Sides
 * are made one by merging the two that are most likely one, as long as it is likely
 * at all; then hosts move to where they fit better.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sides.h"

/* How often a pair on one side is low, by noise or by others. */
#define CHANCE	0.02
/* How often, at least and at most, one on two sides is. */
#define OFTEN_MIN	0.2
#define OFTEN_MAX	0.9
#define MOVES	8	/* rounds in which hosts move, at most */

/**
 * hbp_sides_alloc() - room for what pairs show
 * @sides: to be filled; released with hbp_sides_clear(), also if there was no memory
 * @n: number of hosts
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_sides_alloc(struct hbp_sides *sides, size_t n)
{
	sides->n = n;
	sides->full = calloc(n * n, sizeof(*sides->full));
	sides->low = calloc(n * n, sizeof(*sides->low));
	sides->side = calloc(n, sizeof(*sides->side));
	return sides->full && sides->low && sides->side ? 0 : -ENOMEM;
}

/**
 * hbp_sides_clear() - release what pairs have shown
 * @sides: what hbp_sides_alloc() has filled
 */
void hbp_sides_clear(struct hbp_sides *sides)
{
	free(sides->full);
	free(sides->low);
	free(sides->side);
	memset(sides, 0, sizeof(*sides));
}

/**
 * hbp_sides_see() - a pair in a round in which somebody got less than it should
 * @sides: what is known
 * @a: a host
 * @b: another one
 * @low: whether this pair did
 */
void hbp_sides_see(struct hbp_sides *sides, size_t a, size_t b, bool low)
{
	double *seen = low ? sides->low : sides->full;

	seen[a * sides->n + b]++;
	seen[b * sides->n + a]++;
}

/**
 * struct merging - what speaks for making one side of two
 * @n: number of sides at first
 * @gain: of each two, in logarithms of likelihood
 * @side: of each host
 */
struct merging {
	size_t n;
	double *gain;
	size_t *side;
};

/* What each pair says. */
static bool weigh(const struct hbp_sides *sides, struct merging *m)
{
	double full = 0, low = 0, often;
	size_t i;

	m->n = sides->n;
	m->side = sides->side;
	m->gain = calloc(m->n * m->n, sizeof(*m->gain));
	if (!m->gain)
		return false;
	for (i = 0; i < m->n * m->n; i++) {
		full += sides->full[i];
		low += sides->low[i];
	}
	often = fmin(fmax(low / fmax(full + low, 1), OFTEN_MIN), OFTEN_MAX);
	for (i = 0; i < m->n * m->n; i++)
		m->gain[i] = sides->full[i] * log((1 - CHANCE) / (1 - often)) -
			     sides->low[i] * log(often / CHANCE);
	return true;
}

/* The two sides that are one most likely; false if that is likely of none. */
static bool find_two(const struct merging *m, const double *sum, size_t *a, size_t *b)
{
	double most = 0;
	size_t i, k;

	for (i = 0; i < m->n; i++)
		for (k = i + 1; k < m->n; k++)
			if (sum[i * m->n + k] > most) {
				most = sum[i * m->n + k];
				*a = i;
				*b = k;
			}
	return most > 0;
}

/* Side @b becomes one with @a; what is left of it speaks for nothing. */
static void merge(const struct merging *m, double *sum, size_t a, size_t b)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (m->side[i] == b)
			m->side[i] = a;
		sum[a * m->n + i] += sum[b * m->n + i];
		sum[i * m->n + a] = sum[a * m->n + i];
		sum[b * m->n + i] = 0;
		sum[i * m->n + b] = 0;
	}
	sum[a * m->n + a] = 0;
}

/* The best side for a host: @fit is room for one number a side. */
static size_t best_side(const struct merging *m, size_t host, double *fit)
{
	size_t i, best = m->side[host];

	for (i = 0; i < m->n; i++)
		fit[i] = 0;
	for (i = 0; i < m->n; i++)
		if (i != host)
			fit[m->side[i]] += m->gain[host * m->n + i];
	for (i = 0; i < m->n; i++)
		if (fit[i] > fit[best])
			best = i;
	return best;
}

static void move_hosts(const struct merging *m, double *fit)
{
	bool moved = true;
	size_t i, best, turn;

	for (turn = 0; moved && turn < MOVES; turn++) {
		moved = false;
		for (i = 0; i < m->n; i++) {
			best = best_side(m, i, fit);
			moved = moved || best != m->side[i];
			m->side[i] = best;
		}
	}
}

/**
 * hbp_sides_find() - find sides
 * @sides: what is known; receives them
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_sides_find(struct hbp_sides *sides)
{
	struct merging m;
	size_t i, a = 0, b = 0;
	double *sum;

	if (!weigh(sides, &m))
		return -ENOMEM;
	sum = malloc(m.n * m.n * sizeof(*sum));
	if (!sum) {
		free(m.gain);
		return -ENOMEM;
	}
	memcpy(sum, m.gain, m.n * m.n * sizeof(*sum));
	for (i = 0; i < m.n; i++)
		m.side[i] = i;
	while (find_two(&m, sum, &a, &b))
		merge(&m, sum, a, b);
	move_hosts(&m, sum);
	free(sum);
	free(m.gain);
	return 0;
}
