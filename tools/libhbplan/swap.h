/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the swapping strategies of paper 000, section 3. */
#ifndef HBPLAN_SWAP_H
#define HBPLAN_SWAP_H

#include "positions.h"
#include "replan.h"

size_t hbp_swap(struct hbp_positions *p, enum hbp_strategy strategy,
		size_t above, size_t below, int64_t goal_ns);

#endif /* HBPLAN_SWAP_H */
