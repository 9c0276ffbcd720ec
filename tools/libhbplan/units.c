// SPDX-License-Identifier: GPL-2.0-or-later
/* Units of files to units of the library and back. */
#include <math.h>

#include "units.h"

/**
 * hbp_ns_from_us() - microseconds of a file to nanoseconds
 * @us: 0 to HBP_LATENCY_MAX_US
 *
 * Return: the nearest nanosecond.
 */
int64_t hbp_ns_from_us(double us)
{
	return llround(us * 1e3);
}

/**
 * hbp_us_from_ns() - nanoseconds to the microseconds of a file
 * @ns: a time other than HBP_NEVER
 *
 * Return: microseconds.
 */
double hbp_us_from_ns(int64_t ns)
{
	return (double)ns / 1e3;
}

/**
 * hbp_bps_from_mbps() - Mbit/s of a file to bit/s
 * @mbps: HBP_BANDWIDTH_MIN_MBPS to HBP_BANDWIDTH_MAX_MBPS
 *
 * Return: the nearest bit/s.
 */
int64_t hbp_bps_from_mbps(double mbps)
{
	return llround(mbps * 1e6);
}

/**
 * hbp_mbps_from_bps() - bit/s to the Mbit/s of a file
 * @bps: bit/s
 *
 * Return: Mbit/s.
 */
double hbp_mbps_from_bps(int64_t bps)
{
	return (double)bps / 1e6;
}

/**
 * hbp_ns_add() - sum of two times
 * @a: nanoseconds, not negative, or HBP_NEVER
 * @b: likewise
 *
 * Return: the sum; HBP_NEVER if it is above HBP_NS_MAX or one of them is
 * HBP_NEVER.
 */
int64_t hbp_ns_add(int64_t a, int64_t b)
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
int64_t hbp_transfer_ns(uint64_t bytes, int64_t bps)
{
	double ns;

	if (bps <= 0)
		return HBP_NEVER;
	ns = (double)bytes * 8e9 / (double)bps;
	if (ns > (double)HBP_NS_MAX)
		return HBP_NEVER;
	return ns > 1 ? llround(ns) : 1;
}
