/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: how many messages each pair carries in the best set of trees. */
#ifndef HBPLAN_MESSAGES_H
#define HBPLAN_MESSAGES_H

#include <stdint.h>

#include "planners.h"
#include "steady.h"

/* Makes a tree out of @parts, one of each arc. */
typedef int (*hbp_messages_make)(const struct hbp_request *rq,
				 const struct hbp_steady *steady,
				 int64_t *parts, struct hbp_plan *plan,
				 struct hbp_error *err);

int hbp_messages_plan(const struct hbp_request *rq, hbp_messages_make make,
		      struct hbp_plan *plan, struct hbp_error *err);

#endif /* HBPLAN_MESSAGES_H */
