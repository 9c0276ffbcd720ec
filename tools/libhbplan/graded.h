/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: few trees, each of which leaves out some nodes of smaller flows. */
#ifndef HBPLAN_GRADED_H
#define HBPLAN_GRADED_H

#include <stddef.h>

#include "error.h"
#include "input.h"
#include "insertion.h"

int hbp_graded_make(struct hbp_input *in, size_t root, const double *flows,
		    const size_t *place, size_t n_trees,
		    struct hbp_insertion *ins, struct hbp_error *err);

#endif /* HBPLAN_GRADED_H */
