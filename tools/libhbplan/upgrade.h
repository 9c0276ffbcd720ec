/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: a network that is faster in one place, for a while. */
#ifndef HBPLAN_UPGRADE_H
#define HBPLAN_UPGRADE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"

struct hbp_limit;

/* The most numbers that tell how fast something is, but for ports. */
#define HBP_UPGRADE_VALUES	2

/**
 * struct hbp_upgrade - what has been changed, and how it was
 * @limit: what is faster; borrowed
 * @n: number of values; 0 for a port, all links of which are faster
 * @before: what they were
 */
struct hbp_upgrade {
	const struct hbp_limit *limit;
	size_t n;
	int64_t before[HBP_UPGRADE_VALUES];
};

int hbp_upgrade_do(struct hbp_input *in, const struct hbp_limit *limit,
		   struct hbp_upgrade *upgrade, struct hbp_error *err);
int hbp_upgrade_undo(struct hbp_input *in, const struct hbp_upgrade *upgrade,
		     struct hbp_error *err);

#endif /* HBPLAN_UPGRADE_H */
