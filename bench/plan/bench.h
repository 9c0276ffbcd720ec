/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of bench-plan share. */
#ifndef HBC_SELFTESTS_BENCH_PLAN_H
#define HBC_SELFTESTS_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hbplan.h"

void die(const char *text);
int64_t draw_below(uint64_t *state, uint32_t n);

/* Processor time, and whether it is within a limit. */
double cpu_ms(void);
bool within(double ms, double limit);

/* Matrices that are drawn. */
enum kind {
	RANDOM,		/* every pair for itself */
	CLUSTERS,	/* of 32 nodes that are all alike, as are pairs between */
	NOISY,		/* of 20 nodes, pairs up to a tenth slower than alike */
};

struct hbp_input *make_input(enum kind kind, size_t n);

/* The table of planners of HNOWs. */
void hnow_print(void);

/* What a planner takes, besides its input. */
double plan_ms(const struct hbp_planner *planner, struct hbp_input *in,
	       enum hbp_ports ports);
double plan_mib(const struct hbp_planner *planner, struct hbp_input *(*make)(size_t),
		size_t n, enum hbp_ports ports);

/* Planners that make several trees: tables, and what has limits. */
void trees_print_memory(void);
void trees_print(void);
bool trees_check(void);

#endif /* HBC_SELFTESTS_BENCH_PLAN_H */
