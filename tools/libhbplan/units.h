/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time is int64_t nanoseconds and bandwidth int64_t bit/s everywhere inside the
 * library, so that sums do not depend on the order of their terms and equal
 * costs compare as equal. Files say microseconds and Mbit/s (10^6 bit/s).
 */
#ifndef HBPLAN_UNITS_H
#define HBPLAN_UNITS_H

#include <stdint.h>

/* A time that never comes: no link, or later than HBP_NS_MAX. */
#define HBP_NEVER		INT64_MAX
#define HBP_NS_MAX		9000000000000000000	/* 285 years */

#define HBP_LATENCY_MAX_US	1e9	/* 1000 s */
#define HBP_BANDWIDTH_MIN_MBPS	0.000001	/* 1 bit/s */
#define HBP_BANDWIDTH_MAX_MBPS	1e7	/* 10 Tbit/s */
#define HBP_MESSAGE_MAX		((uint64_t)1 << 50)	/* 1 PiB */

int64_t hbp_ns_from_us(double us);
double hbp_us_from_ns(int64_t ns);
int64_t hbp_bps_from_mbps(double mbps);
double hbp_mbps_from_bps(int64_t bps);

/**
 * hbp_ns_add() - sum of two times
 * @a: nanoseconds, not negative, or HBP_NEVER
 * @b: likewise
 *
 * Return: the sum; HBP_NEVER if it is above HBP_NS_MAX or one of them is
 * HBP_NEVER.
 */
static inline int64_t hbp_ns_add(int64_t a, int64_t b)
{
	return b > HBP_NS_MAX || a > HBP_NS_MAX - b ? HBP_NEVER : a + b;
}

/**
 * hbp_transfer_ns() - time that a message needs to pass at a rate
 * @bytes: size of the message, 0 to HBP_MESSAGE_MAX
 * @bps: rate, positive, or 0 for no link
 *
 * Never longer at a higher rate, so that bounds and models rounded here can be
 * compared exactly.
 *
 * Return: the nearest nanosecond, but at least 1; HBP_NEVER without a link or
 * if it is above HBP_NS_MAX.
 */
static inline int64_t hbp_transfer_ns(uint64_t bytes, int64_t bps)
{
	double ns;

	if (bps <= 0)
		return HBP_NEVER;
	ns = (double)bytes * 8e9 / (double)bps;
	if (ns > (double)HBP_NS_MAX)
		return HBP_NEVER;
	return ns > 1 ? (int64_t)(ns + 0.5) : 1;
}

#endif /* HBPLAN_UNITS_H */
