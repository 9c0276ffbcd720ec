/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host whose round trips fit nowhere. */
#ifndef HBPLAN_OUTLIER_H
#define HBPLAN_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/sketch.h"

size_t hbp_outlier_find(const struct hbp_sketch *sketch, const double *rtt_us,
			const bool *odd);
void hbp_outlier_place(double *rtt_us, size_t n, size_t host, const bool *odd);

#endif /* HBPLAN_OUTLIER_H */
