/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What flows should get of a tree. */
#ifndef HBPLAN_SHARE_H
#define HBPLAN_SHARE_H

#include <stddef.h>

#include "measure/prober.h"
#include "measure/sketch.h"

double hbp_share_capacity(const struct hbp_sketch *sketch, size_t arc);
double hbp_share_sum(const struct hbp_sketch *sketch, const struct hbp_flow *flows, size_t n,
		     size_t open);
int hbp_share_find(const struct hbp_sketch *sketch, const struct hbp_flow *flows,
		   size_t n, size_t open, double *mbps);

#endif /* HBPLAN_SHARE_H */
