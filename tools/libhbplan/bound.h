/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The earliest that any plan can be done. */
#ifndef HBPLAN_BOUND_H
#define HBPLAN_BOUND_H

#include <stdint.h>

#include "error.h"
#include "input.h"

int hbp_reach(struct hbp_input *in, uint32_t root, struct hbp_error *err);
int hbp_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
	       int64_t *bounds, struct hbp_error *err);
int hbp_bounds_from(struct hbp_input *in, const uint32_t *sources, size_t n,
		    uint64_t bytes, int64_t *bounds, struct hbp_error *err);
int hbp_distances(struct hbp_input *in, uint32_t root, uint64_t bytes,
		  int64_t *distances, struct hbp_error *err);

#endif /* HBPLAN_BOUND_H */
