/* SPDX-License-Identifier: GPL-2.0 */
/* A lane's pace: what TCP is held to. */
#ifndef _HBC_PACE_H
#define _HBC_PACE_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct hbc_lane;

#define HBC_GAIN_NONE	1024U	/* the planned rate */
/* What was held up on its way to a relay goes on a little faster, or stays late for all below. */
#define HBC_GAIN_RELAY	(HBC_GAIN_NONE + HBC_GAIN_NONE / 32)
#define HBC_GAIN_MOST	(1024 * HBC_GAIN_NONE)

/**
 * struct hbc_gain - what lanes try beyond their planned rates
 * @lock: the rest, below tx_mutex
 * @least: times what is planned, in parts of HBC_GAIN_NONE, at the least; set once
 * @now: likewise, by now; read without the lock, too
 * @grown: the last that was seen was room, and @now has grown
 * @changed: jiffies when @now was changed
 * @due: jiffies from when on it may grow
 * @wait: jiffies until then after a queue has grown
 */
struct hbc_gain {
	spinlock_t lock; /* the rest */
	u32 least;
	u32 now;
	bool grown;
	unsigned long changed;
	unsigned long due;
	unsigned long wait;
};

/**
 * struct hbc_pace - how fast a lane to a child may send
 * @rate: what the newest plan gives the lane in bytes/s, 0 for no limit
 * @now: what TCP is held to in bytes/s, unless @rate is 0
 * @looked: jiffies when it was looked at whether there is room for more
 * @resent: segments that TCP had sent again by then
 * @gain: what it tries beyond @rate, NULL for nothing
 * @own: of this lane alone
 *
 * All fields: the lane's tx_mutex.
 */
struct hbc_pace {
	u64 rate;
	u64 now;
	unsigned long looked;
	u32 resent;
	struct hbc_gain *gain;
	struct hbc_gain own;
};

/* Nothing is tried yet. Context: any. */
void hbc_gain_init(struct hbc_gain *gain, u32 least);

/* All of these: context process, lane->tx_mutex held, lane->sock's lock not held. */

/* The lane has another connection. */
void hbc_pace_begin(struct hbc_lane *lane);
/* The lane's socket is full; called as often as that is so. */
void hbc_pace_full(struct hbc_lane *lane);

#endif /* _HBC_PACE_H */
