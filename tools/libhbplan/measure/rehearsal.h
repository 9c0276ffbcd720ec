/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan's edges, all of which are used at once at their planned rates. */
#ifndef HBPLAN_REHEARSAL_H
#define HBPLAN_REHEARSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "measure/prober.h"
#include "plan.h"
#include "platform.h"

/* Of its planned rate: an edge that reaches it is as planned. */
#define HBP_REHEARSED		0.97

/**
 * struct hbp_rehearsed - an edge of a plan, of all its trees together
 * @from: id of the node that sends
 * @to: id of the node that receives
 * @mtu: the least of its way
 * @planned_mbps: payload in Mbit/s, as in the plan
 * @reached_mbps: likewise, what has arrived; 0 if nothing has
 * @grain_mbps: likewise, by how much that may be too little, as what arrives is counted
 *	when whole segments are acknowledged
 */
struct hbp_rehearsed {
	uint32_t from;
	uint32_t to;
	unsigned int mtu;
	double planned_mbps;
	double reached_mbps;
	double grain_mbps;
};

/**
 * struct hbp_rehearsal - all edges of a plan
 * @n: number of @edges
 * @edges: in ascending order of @from, then @to; owned
 */
struct hbp_rehearsal {
	size_t n;
	struct hbp_rehearsed *edges;
};

int hbp_rehearsal_list(const struct hbp_plan *plan, const struct hbp_platform *platform,
		       struct hbp_rehearsal *rehearsal, struct hbp_error *err);
int hbp_rehearsal_run(struct hbp_rehearsal *rehearsal, const uint32_t *ids, size_t n,
		      const struct hbp_prober *prober);
bool hbp_rehearsed_short(const struct hbp_rehearsed *edge);
bool hbp_rehearsal_good(const struct hbp_rehearsal *rehearsal);
void hbp_rehearsal_clear(struct hbp_rehearsal *rehearsal);

#endif /* HBPLAN_REHEARSAL_H */
