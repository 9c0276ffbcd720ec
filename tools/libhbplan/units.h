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
int64_t hbp_ns_add(int64_t a, int64_t b);
int64_t hbp_transfer_ns(uint64_t bytes, int64_t bps);

#endif /* HBPLAN_UNITS_H */
