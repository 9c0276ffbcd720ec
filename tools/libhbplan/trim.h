/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: plans without trees that bring hardly anything. */
#ifndef HBPLAN_TRIM_H
#define HBPLAN_TRIM_H

#include "error.h"
#include "plan.h"

int hbp_trim(struct hbp_plan *plan, double loss, struct hbp_error *err);

#endif /* HBPLAN_TRIM_H */
