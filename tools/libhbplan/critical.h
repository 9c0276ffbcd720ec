/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Critical paths: the transfers that the last node has waited for. */
#ifndef HBPLAN_CRITICAL_H
#define HBPLAN_CRITICAL_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "input.h"

struct hbp_plan;

/**
 * struct hbp_hop - a transfer on a critical path
 * @from: id of the sender
 * @to: id of the receiver
 * @send_ns: what it takes the sender
 * @latency_ns: what it takes the network, whatever the size
 * @transfer_ns: what that takes longer for the size of the message
 * @recv_ns: what it takes the receiver
 * @done_ns: when the receiver has it, counted from the root's start
 */
struct hbp_hop {
	uint32_t from;
	uint32_t to;
	int64_t send_ns;
	int64_t latency_ns;
	int64_t transfer_ns;
	int64_t recv_ns;
	int64_t done_ns;
};

/**
 * struct hbp_path - what a node has waited for
 * @n: number of hops
 * @hops: each begins when the one before it ends; owned
 */
struct hbp_path {
	size_t n;
	struct hbp_hop *hops;
};

int hbp_critical_path(const struct hbp_plan *plan, struct hbp_input *in,
		      enum hbp_model model, uint32_t node,
		      struct hbp_path *path, struct hbp_error *err);

#endif /* HBPLAN_CRITICAL_H */
