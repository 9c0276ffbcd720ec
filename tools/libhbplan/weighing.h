/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: rates of partial trees that the network's routes can carry. */
#ifndef HBPLAN_WEIGHING_H
#define HBPLAN_WEIGHING_H

#include <stddef.h>

#include "error.h"
#include "insertion.h"
#include "ways.h"

int hbp_weighing_fit(struct hbp_ways *ways, const size_t *nodes,
		     const double *flows, struct hbp_insertion *ins,
		     double *factor, struct hbp_error *err);
int hbp_weighing_run(struct hbp_ways *ways, const size_t *nodes,
		     const double *flows, struct hbp_insertion *ins, size_t most,
		     struct hbp_error *err);

#endif /* HBPLAN_WEIGHING_H */
