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
