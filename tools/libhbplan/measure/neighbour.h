/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree from round trips. */
#ifndef HBPLAN_NEIGHBOUR_H
#define HBPLAN_NEIGHBOUR_H

#include <stddef.h>

#include <stdbool.h>

#include "measure/sketch.h"

struct hbp_sketch *hbp_neighbour_join(const double *rtt_us, size_t n, double noise_us);
struct hbp_sketch *hbp_neighbour_star(const double *rtt_us, size_t n);
bool hbp_neighbour_fits(const struct hbp_sketch *sketch, const double *rtt_us,
			double least_us, double part);
double hbp_neighbour_misfit(const struct hbp_sketch *sketch, const double *rtt_us);

#endif /* HBPLAN_NEIGHBOUR_H */
