/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host whose round trips fit nowhere. */
#ifndef HBPLAN_OUTLIER_H
#define HBPLAN_OUTLIER_H

#include <stddef.h>

#include "measure/sketch.h"

size_t hbp_outlier_find(const struct hbp_sketch *sketch, const double *rtt_us);
void hbp_outlier_place(double *rtt_us, size_t n, size_t host);

#endif /* HBPLAN_OUTLIER_H */
