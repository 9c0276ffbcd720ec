/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include <stdint.h>

/**
 * struct busy_mark - one reading of the clocks
 * @now_ns: CLOCK_MONOTONIC
 * @idle_ns: time that the CPU has spent idle since boot
 */
struct busy_mark {
	uint64_t now_ns;
	uint64_t idle_ns;
};

uint64_t busy_now(void);
void busy_check(void);
void busy_start(struct busy_mark *mark);
uint64_t busy_stop(const struct busy_mark *mark, uint64_t *idle_ns);

#endif
