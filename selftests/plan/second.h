/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replanning once more: a second version to compare the library's with. */
#ifndef HBC_SELFTESTS_PLAN_SECOND_H
#define HBC_SELFTESTS_PLAN_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helper.h"

#define SECOND_MOST	40	/* nodes; one more may join */

/* Nodes by position, and the swaps that are to be tried, in order. */
struct second {
	const struct hbp_costs *c;
	size_t n;
	size_t node[SECOND_MOST + 1];
	size_t swaps[2 * SECOND_MOST * SECOND_MOST][2];
	size_t n_swaps;
};

size_t second_up(size_t position);
bool second_has_child(const struct second *s, size_t position);
int64_t second_cost(const struct second *s);
void second_list(struct second *s, enum hbp_strategy strategy, size_t a, size_t b);
size_t second_swap(struct second *s, int64_t goal);
void second_read(const struct hbp_plan *plan, const struct hbp_input *in,
		 struct second *s);
bool second_is(const struct second *a, const struct hbp_plan *plan,
	       const struct hbp_input *in);

#endif /* HBC_SELFTESTS_PLAN_SECOND_H */
