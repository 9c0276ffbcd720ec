/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the one-port and multi-port models of a plan. */
#ifndef HBPLAN_PORTS_H
#define HBPLAN_PORTS_H

#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "input.h"
#include "plan.h"

int hbp_ports_run(const struct hbp_plan *plan, struct hbp_input *in,
		  enum hbp_ports ports, struct hbp_figure *figures,
		  struct hbp_error *err);
int hbp_ports_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
		     enum hbp_ports ports, int64_t *bounds,
		     struct hbp_error *err);

#endif /* HBPLAN_PORTS_H */
