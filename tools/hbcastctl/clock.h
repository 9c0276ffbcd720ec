/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time, for waiting. */
#ifndef HBCASTCTL_CLOCK_H
#define HBCASTCTL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that only goes forward. */
static inline int64_t hbclock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif /* HBCASTCTL_CLOCK_H */
