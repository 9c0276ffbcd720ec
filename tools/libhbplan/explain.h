/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What limits a plan, and what upgrading it would gain. */
#ifndef HBPLAN_EXPLAIN_H
#define HBPLAN_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "certificate.h"
#include "error.h"
#include "evaluate.h"
#include "input.h"

struct hbp_plan;

/* An upgrade makes something so many times as fast. */
#define HBP_UPGRADE		2
/* The most limits that are told. */
#define HBP_LIMITS_MAX		10

/**
 * struct hbp_outlook - how far a broadcast can go on some network
 * @completion_ns: when the last node has the message by the plan
 * @rate_bps: what the slowest node receives by the plan; 0 without rates
 * @anew_ns: when the last node has it, if the plan's planner plans anew;
 *	HBP_NEVER if it is unknown or cannot plan
 * @bound_ns: no plan is earlier
 * @bound_bps: no trees that span all nodes are faster together; 0 by models
 *	without ports and shared links
 */
struct hbp_outlook {
	int64_t completion_ns;
	int64_t rate_bps;
	int64_t anew_ns;
	int64_t bound_ns;
	int64_t bound_bps;
};

/**
 * struct hbp_limit - something that limits a plan, or all plans
 * @what: a port that sends or receives, or a link; of a cost matrix a pair
 * @from: id of the port's node, or of the sender
 * @to: id of the receiver; of links only
 * @busy: for which part of the time the plan uses it; by the completion model,
 *	which part of the time until the last node is done
 * @price: its part of all prices that prove the bound, 0 to 1: if it alone is a
 *	little faster, the bound rises by at most this part of it
 * @upgraded: what comes if it is HBP_UPGRADE times as fast: a link, a pair, or
 *	all links or pairs that leave the port's node or enter it
 */
struct hbp_limit {
	enum hbp_priced what;
	uint32_t from;
	uint32_t to;
	double busy;
	double price;
	struct hbp_outlook upgraded;
};

/**
 * struct hbp_explanation - what limits a plan
 * @model: by which model
 * @now: how far it goes on the network as it is
 * @n: number of limits
 * @limits: what gains most first
 */
struct hbp_explanation {
	enum hbp_model model;
	struct hbp_outlook now;
	size_t n;
	struct hbp_limit limits[HBP_LIMITS_MAX];
};

int hbp_explain(const struct hbp_plan *plan, struct hbp_input *in,
		struct hbp_explanation *out, struct hbp_error *err);

#endif /* HBPLAN_EXPLAIN_H */
