/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: when each node has the whole message, sent in stages. */
#ifndef HBPLAN_STAGES_H
#define HBPLAN_STAGES_H

#include "error.h"
#include "evaluate.h"
#include "fluid.h"
#include "plan.h"

int hbp_stages(const struct hbp_plan *plan, const struct hbp_fluid *fluid,
	       struct hbp_figure *figures, struct hbp_error *err);

#endif /* HBPLAN_STAGES_H */
