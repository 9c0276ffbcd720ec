/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A platform that explains a cost matrix: single linkage over bandwidth. */
#ifndef HBPLAN_LINKAGE_H
#define HBPLAN_LINKAGE_H

#include "costs.h"
#include "error.h"
#include "platform.h"

int hbp_platform_from_costs(const struct hbp_costs *costs,
			    struct hbp_platform **out, struct hbp_error *err);

#endif /* HBPLAN_LINKAGE_H */
