/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: rates of trees that links can carry, with headers and acknowledgements. */
#ifndef HBPLAN_FITTING_H
#define HBPLAN_FITTING_H

#include "error.h"
#include "plan.h"
#include "platform.h"

int hbp_fitting_run(const struct hbp_platform *platform, struct hbp_plan *plan,
		    struct hbp_error *err);

#endif /* HBPLAN_FITTING_H */
