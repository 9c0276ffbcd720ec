/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests: flows that go on at once, and what has come of them. */
#ifndef HBPLAN_TESTS_H
#define HBPLAN_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/prober.h"
#include "measure/sketch.h"

/**
 * struct hbp_tests - all tests of a measurement
 * @n: number of tests
 * @done: those before it have been run
 * @first: of each test its first flow in @flows; @n + 1 entries
 * @longer: of each test, whether its figures count more than others
 * @aim: of each test, the arc that it is to fill; HBP_NONE if it has another purpose
 * @round: of each test, in which round it was, from 1
 * @flows: of all tests
 * @rounds: how often flows have begun
 * @room: entries that there is room for in @first, @longer, @aim and @round
 * @room_flows: likewise in @flows
 */
struct hbp_tests {
	size_t n;
	size_t done;
	size_t *first;
	bool *longer;
	size_t *aim;
	size_t *round;
	struct hbp_flow *flows;
	size_t rounds;
	size_t room;
	size_t room_flows;
};

int hbp_tests_begin(struct hbp_tests *tests, size_t aim);
void hbp_tests_drop(struct hbp_tests *tests);
int hbp_tests_flow(struct hbp_tests *tests, size_t from, size_t to);
int hbp_tests_run(struct hbp_tests *tests, struct hbp_sketch *sketch,
		  const struct hbp_prober *prober, bool longer);
int hbp_tests_learn(const struct hbp_tests *tests, struct hbp_sketch *sketch);
void hbp_tests_clear(struct hbp_tests *tests);

#endif /* HBPLAN_TESTS_H */
