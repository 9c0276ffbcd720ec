/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan that is made again, for a network that has changed. */
#ifndef HBPLAN_AGAIN_H
#define HBPLAN_AGAIN_H

#include "error.h"
#include "evaluate.h"
#include "input.h"
#include "plan.h"
#include "planners.h"

const struct hbp_planner *hbp_again_request(const struct hbp_plan *plan, struct hbp_input *in,
					    enum hbp_model model, struct hbp_request *rq);
int hbp_again(const struct hbp_plan *plan, struct hbp_input *in, struct hbp_plan **out,
	      struct hbp_error *err);

#endif /* HBPLAN_AGAIN_H */
