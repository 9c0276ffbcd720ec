/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lanes bring together, step by step, as they begin and end. */
#ifndef HBPLAN_STEPS_H
#define HBPLAN_STEPS_H

#include <stddef.h>

#include "measure/update.h"

/**
 * struct hbp_step - from one begin or end of a lane to the next
 * @at_s: when it begins, as in struct hbp_seen
 * @mbps: what all lanes that are there bring on average
 */
struct hbp_step {
	double at_s;
	double mbps;
};

void hbp_steps_find(const struct hbp_seen *const *lanes, size_t n, struct hbp_step *steps);
double hbp_steps_time(const struct hbp_step *steps, size_t n, const struct hbp_seen *lane,
		      double mbps);

#endif /* HBPLAN_STEPS_H */
