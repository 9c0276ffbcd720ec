// SPDX-License-Identifier: GPL-2.0-or-later
/* What lanes bring together, step by step, as they begin and end. */
#include <math.h>
#include <stdlib.h>

#include "measure/steps.h"

static int compare_times(const void *a, const void *b)
{
	const struct hbp_step *one = a, *other = b;

	return (one->at_s > other->at_s) - (one->at_s < other->at_s);
}

/**
 * hbp_steps_find() - find the steps of some lanes
 * @lanes: the lanes
 * @n: how many
 * @steps: gets 2 * @n steps, in order of time
 */
void hbp_steps_find(const struct hbp_seen *const *lanes, size_t n, struct hbp_step *steps)
{
	size_t i;

	for (i = 0; i < n; i++) {
		steps[2 * i] = (struct hbp_step){ lanes[i]->begun_s, lanes[i]->mbps };
		steps[2 * i + 1] = (struct hbp_step){ lanes[i]->ended_s, -lanes[i]->mbps };
	}
	qsort(steps, 2 * n, sizeof(*steps), compare_times);
	for (i = 1; i < 2 * n; i++)
		steps[i].mbps += steps[i - 1].mbps;
}

/**
 * hbp_steps_time() - for how long of a lane's time all bring so much
 * @steps: of hbp_steps_find()
 * @n: how many
 * @lane: the lane
 * @mbps: so much, or more
 *
 * Return: seconds.
 */
double hbp_steps_time(const struct hbp_step *steps, size_t n, const struct hbp_seen *lane,
		      double mbps)
{
	double sum = 0;
	size_t i;

	for (i = 0; i + 1 < n; i++)
		if (steps[i].mbps >= mbps)
			sum += fmax(0, fmin(steps[i + 1].at_s, lane->ended_s) -
				       fmax(steps[i].at_s, lane->begun_s));
	return sum;
}
