// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast flows are once they have settled. TCP begins slowly and goes on in waves; the
 * sum of all flows that share a link grows until that is full, and stays.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/settle.h"

/* The sum is looked at in steps, and has settled when some in a row are alike. */
#define STEP_S		0.15
#define STEPS		3
#define ALIKE		0.04
/* A flow needs so many round trips to fill its link, whatever its sum seems to do. */
#define TRIPS		8

/**
 * hbp_growth_add() - one more point
 * @growth: filled with zeros at first
 * @s: seconds since the flow was asked for
 * @bytes: that have arrived by then
 *
 * A point that is not behind the last one, or has fewer bytes, is none.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_growth_add(struct hbp_growth *growth, double s, double bytes)
{
	size_t room = 2 * growth->room + 16;
	double *more;

	if (growth->n && (s <= growth->s[growth->n - 1] ||
			  bytes < growth->bytes[growth->n - 1]))
		return 0;
	if (growth->n == growth->room) {
		more = realloc(growth->s, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		growth->s = more;
		more = realloc(growth->bytes, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		growth->bytes = more;
		growth->room = room;
	}
	growth->s[growth->n] = s;
	growth->bytes[growth->n++] = bytes;
	return 0;
}

/**
 * hbp_growth_clear() - forget all points
 * @growth: the growth
 */
void hbp_growth_clear(struct hbp_growth *growth)
{
	free(growth->s);
	free(growth->bytes);
	memset(growth, 0, sizeof(*growth));
}

/**
 * hbp_growth_bytes() - how much a flow has brought
 * @growth: the growth
 *
 * Return: bytes by its last point, 0 without one.
 */
double hbp_growth_bytes(const struct hbp_growth *growth)
{
	return growth->n ? growth->bytes[growth->n - 1] : 0;
}

/* Between two points it is even; before the first there is nothing. */
static double bytes_at(const struct hbp_growth *growth, double s)
{
	double s0 = 0, b0 = 0;
	size_t i;

	for (i = 0; i < growth->n; i++) {
		if (growth->s[i] >= s)
			return b0 + (growth->bytes[i] - b0) * (s - s0) / (growth->s[i] - s0);
		s0 = growth->s[i];
		b0 = growth->bytes[i];
	}
	return b0;
}

/**
 * hbp_growth_mbps() - how fast a flow was
 * @growth: the growth
 * @from_s: from when
 * @to_s: until when
 *
 * Return: Mbit/s; not a number if it has no points.
 */
double hbp_growth_mbps(const struct hbp_growth *growth, double from_s, double to_s)
{
	if (!growth->n || to_s <= from_s)
		return NAN;
	return (bytes_at(growth, to_s) - bytes_at(growth, from_s)) * 8 / 1e6 /
	       (to_s - from_s);
}

static double sum_mbps(const struct hbp_growth *flows, size_t n, double from_s, double to_s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (flows[i].n)
			sum += hbp_growth_mbps(&flows[i], from_s, to_s);
	return sum;
}

static double sum_bytes(const struct hbp_growth *flows, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += hbp_growth_bytes(&flows[i]);
	return sum;
}

/**
 * hbp_growth_until() - until when flows are known
 * @flows: those that go on
 * @n: how many
 *
 * Return: seconds; those that have brought nothing do not count.
 */
double hbp_growth_until(const struct hbp_growth *flows, size_t n)
{
	double s = INFINITY;
	size_t i;

	for (i = 0; i < n; i++)
		if (flows[i].n)
			s = fmin(s, flows[i].s[flows[i].n - 1]);
	return isfinite(s) ? s : 0;
}

/**
 * hbp_settle() - whether flows have settled
 * @flows: those that go on; ones without points have not begun
 * @n: how many
 * @settling: @rtt_s and @least_s are given; the rest is filled in, whether they have
 *	settled or not
 *
 * They have if the sum is the same in some steps in a row, and each of them had the time
 * that TCP needs to fill a link. The sum has grown until it came within a few per cent of
 * what it is in the last of these steps.
 *
 * Return: whether they have.
 */
bool hbp_settle(const struct hbp_growth *flows, size_t n, struct hbp_settling *settling)
{
	double to = hbp_growth_until(flows, n), step = fmax(STEP_S, settling->rtt_s), mbps;
	double low = INFINITY, high = 0;
	size_t i;

	settling->to_s = to;
	for (i = 0; i < STEPS; i++) {
		mbps = sum_mbps(flows, n, to - (double)(i + 1) * step, to - (double)i * step);
		low = fmin(low, mbps);
		high = fmax(high, mbps);
	}
	settling->from_s = fmax(to - STEPS * step, to / 2);
	settling->mbps = sum_mbps(flows, n, settling->from_s, to);
	while (settling->from_s >= STEP_S / 3 &&
	       sum_mbps(flows, n, settling->from_s - STEP_S / 3, settling->from_s) >=
	       settling->mbps * (1 - ALIKE))
		settling->from_s -= STEP_S / 3;
	settling->mbps = sum_mbps(flows, n, settling->from_s, to);
	settling->spent_s = settling->mbps > 0 ?
			    sum_bytes(flows, n) * 8 / 1e6 / settling->mbps : 0;
	return to > 0 && to >= settling->least_s && to >= STEPS * step &&
	       to >= TRIPS * settling->rtt_s && low >= high * (1 - ALIKE) && high > 0;
}
