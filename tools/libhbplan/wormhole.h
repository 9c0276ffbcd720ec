/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the model of HNOWs. */
#ifndef HBPLAN_WORMHOLE_H
#define HBPLAN_WORMHOLE_H

#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "input.h"
#include "plan.h"

/* What one of two sub-networks carries of a message. */
static inline uint64_t hbp_wormhole_half(uint64_t bytes)
{
	return bytes / 2 + bytes % 2;
}

/* What each tree of a plan carries of a message. */
static inline uint64_t hbp_wormhole_bytes(const struct hbp_plan *plan)
{
	return plan->n_trees > 1 ? hbp_wormhole_half(plan->message_bytes) :
	       plan->message_bytes;
}

int hbp_wormhole_check(const struct hbp_plan *plan, const struct hbp_input *in,
		       struct hbp_error *err);
int hbp_wormhole_run(const struct hbp_plan *plan, const struct hbp_input *in,
		     struct hbp_figure *figures, struct hbp_error *err);
int hbp_wormhole_path(const struct hbp_plan *plan, const struct hbp_input *in,
		      uint32_t last, struct hbp_edge *edges, size_t *n,
		      struct hbp_error *err);
int64_t hbp_wormhole_rate(const struct hbp_input *in,
			  const struct hbp_tree *tree, uint64_t bytes);
int hbp_wormhole_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
			int64_t *bounds, struct hbp_error *err);

#endif /* HBPLAN_WORMHOLE_H */
