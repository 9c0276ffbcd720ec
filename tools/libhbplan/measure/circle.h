/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A switch whose neighbours send to one another at random. */
#ifndef HBPLAN_CIRCLE_H
#define HBPLAN_CIRCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/sides.h"
#include "measure/sketch.h"
#include "measure/tests.h"

/**
 * struct hbp_circle - a switch whose neighbours send to one another at random
 * @at: the switch
 * @n: number of neighbours that take part
 * @units: which they are: hosts, or switches that stand for all behind them
 * @order: places in @units, in the order of this round
 * @test: of this round
 * @first: of each place in @order, the flows of this round before it
 * @sides: what pairs have shown, by places in @units
 * @lows: rounds in which some pair got less than it should
 */
struct hbp_circle {
	size_t at;
	size_t n;
	size_t *units;
	size_t *order;
	size_t test;
	size_t *first;
	struct hbp_sides sides;
	size_t lows;
};

int hbp_circle_alloc(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     size_t at, bool hosts);
void hbp_circle_clear(struct hbp_circle *circle);
int hbp_circle_begin(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     struct hbp_tests *tests, uint64_t *luck, bool paced);
int hbp_circle_judge(struct hbp_circle *circle, const struct hbp_sketch *sketch,
		     const struct hbp_tests *tests);
size_t hbp_circle_split(struct hbp_circle *circle, struct hbp_sketch *sketch);

#endif /* HBPLAN_CIRCLE_H */
