/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: nodes at the positions of a binomial tree, and what its paths cost. */
#ifndef HBPLAN_POSITIONS_H
#define HBPLAN_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "costs.h"
#include "error.h"
#include "plan.h"

/**
 * struct hbp_positions - nodes at the positions of a binomial tree
 * @costs: what distances are taken from; borrowed
 * @n: number of positions
 * @node: row in @costs of the node at each position
 * @sum: sum of distances from the root to each position, in nanoseconds
 * @cost: the largest @sum of all leaves
 * @computed: how many times the path of a leaf has been added up
 * @before: the sums before the last exchange, where they are others now
 * @cost_before: the cost before the last exchange
 */
struct hbp_positions {
	const struct hbp_costs *costs;
	size_t n;
	size_t *node;
	int64_t *sum;
	int64_t cost;
	size_t computed;
	int64_t *before;
	int64_t cost_before;
};

int hbp_positions_init(struct hbp_positions *p, const struct hbp_costs *costs,
		       const uint32_t *ids, size_t n, struct hbp_error *err);
int hbp_positions_plan(const uint32_t *ids, size_t n,
		       const struct hbp_costs *costs, struct hbp_plan *plan,
		       struct hbp_error *err);
int hbp_positions_read(const struct hbp_plan *plan, uint32_t *ids,
		       struct hbp_error *err);
void hbp_positions_free(struct hbp_positions *p);
void hbp_positions_exchange(struct hbp_positions *p, size_t a, size_t b);
void hbp_positions_undo(struct hbp_positions *p, size_t a, size_t b);

#endif /* HBPLAN_POSITIONS_H */
