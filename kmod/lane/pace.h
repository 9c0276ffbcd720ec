/* SPDX-License-Identifier: GPL-2.0 */
/* A lane's pace: what TCP is held to. */
#ifndef _HBC_PACE_H
#define _HBC_PACE_H

#include <linux/types.h>

struct hbc_lane;

/**
 * struct hbc_pace - how fast a lane to a child may send
 * @rate: what the newest plan gives the lane in bytes/s, 0 for no limit
 * @now: what TCP is held to in bytes/s, unless @rate is 0
 * @looked: jiffies when it was looked at whether there is room for more
 * @resent: segments that TCP had sent again by then
 * @strict: the plan's rate, and no more
 *
 * All fields: the lane's tx_mutex.
 */
struct hbc_pace {
	u64 rate;
	u64 now;
	unsigned long looked;
	u32 resent;
	bool strict;
};

/* All of these: context process, lane->tx_mutex held, lane->sock's lock not held. */

/* What the plan says from now on: @rate in bytes/s, or 0. */
void hbc_pace_set(struct hbc_lane *lane, u64 rate, bool strict);
/* The lane has another connection. */
void hbc_pace_begin(struct hbc_lane *lane);
/* The lane's socket is full; called as often as that is so. */
void hbc_pace_full(struct hbc_lane *lane);

#endif /* _HBC_PACE_H */
