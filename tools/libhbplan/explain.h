/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What limits a plan, and what upgrading it would gain. */
#ifndef HBPLAN_EXPLAIN_H
#define HBPLAN_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "critical.h"
#include "error.h"
#include "evaluate.h"
#include "input.h"

struct hbp_plan;

/* An upgrade makes something so many times as fast. */
#define HBP_UPGRADE		2
/* The most limits that are told. */
#define HBP_LIMITS_MAX		10
/* The most nodes that are done last whose paths are told. */
#define HBP_PATHS_MAX		4
/* A smaller part of all prices is rounding. */
#define HBP_LEAST_PRICE		(1 / 1e4)

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
 * enum hbp_limited - what can limit a plan
 * @HBP_LIMITED_SENDER: a node's port that sends
 * @HBP_LIMITED_RECEIVER: a node's port that receives
 * @HBP_LIMITED_LINK: the bandwidth of one direction of a link of a platform, or
 *	of a pair of a cost matrix
 * @HBP_LIMITED_LATENCY: its latency
 * @HBP_LIMITED_SEND_OVERHEAD: what sending takes a node, of an HNOW's host for
 *	each byte, too
 * @HBP_LIMITED_RECV_OVERHEAD: likewise, receiving
 * @HBP_LIMITED_WORMHOLE: what the network of an HNOW takes
 */
enum hbp_limited {
	HBP_LIMITED_SENDER,
	HBP_LIMITED_RECEIVER,
	HBP_LIMITED_LINK,
	HBP_LIMITED_LATENCY,
	HBP_LIMITED_SEND_OVERHEAD,
	HBP_LIMITED_RECV_OVERHEAD,
	HBP_LIMITED_WORMHOLE,
};

/**
 * struct hbp_limit - something that limits a plan, or all plans
 * @what: what it is
 * @from: id of the port's or overhead's node, or of the sender
 * @to: id of the receiver; of links and latencies only
 * @busy: for which part of the time the plan uses it; by models in which nothing
 *	is shared, which part of the time until the last node is done
 * @price: its part of all prices that prove the bound, 0 to 1: if it alone is a
 *	little faster, the bound rises by at most this part of it
 * @upgraded: what comes if it is HBP_UPGRADE times as fast: a link, a pair, an
 *	overhead, or all links or pairs that leave the port's node or enter it
 */
struct hbp_limit {
	enum hbp_limited what;
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
 * @n_last: by models in which nothing is shared: number of nodes that are done
 *	last, all at the same time
 * @n_paths: number of @paths: as many, up to HBP_PATHS_MAX
 * @paths: what those with the lowest ids have waited for; owned
 */
struct hbp_explanation {
	enum hbp_model model;
	struct hbp_outlook now;
	size_t n;
	struct hbp_limit limits[HBP_LIMITS_MAX];
	size_t n_last;
	size_t n_paths;
	struct hbp_path paths[HBP_PATHS_MAX];
};

int hbp_explain(const struct hbp_plan *plan, struct hbp_input *in,
		struct hbp_explanation *out, struct hbp_error *err);
void hbp_explanation_clear(struct hbp_explanation *explanation);

#endif /* HBPLAN_EXPLAIN_H */
