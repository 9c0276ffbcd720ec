/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long each host is busy with a short message, from bursts of them. */
#ifndef HBPLAN_OVERHEADS_H
#define HBPLAN_OVERHEADS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/prober.h"
#include "measure/sketch.h"

/*
 * Each host has bursts with so many others, in both directions, and so often; at most, if
 * they differ.
 */
#define HBP_OVERHEADS_PARTNERS	4
#define HBP_OVERHEADS_REPEATS	3
#define HBP_OVERHEADS_MOST	5
/* Rounds of bursts, at most. */
#define HBP_OVERHEADS_ROUNDS	(2 * HBP_OVERHEADS_PARTNERS * HBP_OVERHEADS_MOST)

/**
 * struct hbp_overhead - for how long a host is busy with a short message
 * @us: microseconds
 * @spread_us: by how much bursts that show it differ
 * @bursts: how many of them; 0 if it is not known
 * @kept_up: it is no more than that; what shows it is that the host keeps up
 * @round: in which round of bursts the last of them was, from 1
 */
struct hbp_overhead {
	double us;
	double spread_us;
	unsigned int bursts;
	bool kept_up;
	size_t round;
};

/**
 * struct hbp_overheads - those of a host
 * @send: what sending takes it
 * @recv: what receiving takes it
 */
struct hbp_overheads {
	struct hbp_overhead send;
	struct hbp_overhead recv;
};

int hbp_overheads_find(const struct hbp_sketch *sketch, const struct hbp_prober *prober,
		       struct hbp_overheads *overheads);

#endif /* HBPLAN_OVERHEADS_H */
