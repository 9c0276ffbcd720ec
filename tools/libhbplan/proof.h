/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: certificates of what each host of a platform can receive. */
#ifndef HBPLAN_PROOF_H
#define HBPLAN_PROOF_H

#include <stddef.h>

#include "error.h"
#include "plan.h"
#include "platform.h"

int hbp_proof_flows(const struct hbp_platform *platform, size_t root,
		    struct hbp_plan *plan, struct hbp_error *err);

#endif /* HBPLAN_PROOF_H */
