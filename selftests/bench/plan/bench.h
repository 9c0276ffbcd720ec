/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of bench-plan share. */
#ifndef HBC_SELFTESTS_BENCH_PLAN_H
#define HBC_SELFTESTS_BENCH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

void die(const char *text);
double cpu_ms(void);
int64_t draw_below(uint64_t *state, uint32_t n);

/* The table of planners of HNOWs. */
void hnow_print(void);

/* Limits of planners that make several trees. */
bool trees_check(void);

#endif /* HBC_SELFTESTS_BENCH_PLAN_H */
