/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what all pairs cost for one message size. */
#ifndef HBPLAN_PAIR_H
#define HBPLAN_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "costs.h"
#include "error.h"

/**
 * struct hbp_pairs - what all pairs cost for one message size
 * @costs: where they come from; borrowed
 * @n: number of nodes
 * @ns: nanoseconds, [from * @n + to]; HBP_NEVER where there is no link, and from
 *	a node to itself
 */
struct hbp_pairs {
	const struct hbp_costs *costs;
	size_t n;
	int64_t *ns;
};

int hbp_pairs_init(struct hbp_pairs *pairs, const struct hbp_costs *costs,
		   bool distances, uint64_t bytes, struct hbp_error *err);
void hbp_pairs_free(struct hbp_pairs *pairs);
int hbp_pairs_initiation(const struct hbp_pairs *pairs, int64_t *ns,
			 size_t *order, struct hbp_error *err);

#endif /* HBPLAN_PAIR_H */
