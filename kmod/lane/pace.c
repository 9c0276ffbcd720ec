// SPDX-License-Identifier: GPL-2.0
/*
 * A lane's pace: what TCP is held to.
 *
 * A tree is as fast as its slowest lane. Pacing keeps the others from sending what they may
 * send in lumps, which would fill queues that lanes share, and gives each tree its part of a
 * link that several use. What others leave is used all the same, unless the plan is strict:
 * while the lane's socket is full its gain grows, as long as no queue does, and gives way
 * sooner than TCP would, down to what is planned. An attempt at a full link costs a queue for
 * a moment, so attempts that fail become rare.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/spinlock.h>
#include <net/tcp.h>

#include "lane/lane.h"
#include "lane/pace.h"

#define HBC_PACE_LOOK_MS	100	/* from one look to the next, at least */
#define HBC_PACE_GROW		32	/* a thirty-second at each look: links are nearly full */
#define HBC_PACE_YIELD		8	/* an eighth */
#define HBC_PACE_WAIT_MS	60000	/* before the next attempt, at most */
#define HBC_PACE_HELD_MS	10	/* of its rate, that a socket holds unsent */
#define HBC_PACE_HELD	(128 * 1024)	/* bytes, at the most, and without a rate */
#define HBC_PACE_QUEUE_US	5000	/* that others may have in a queue on the way */

/* TCP paces headers of fragments, too. Any rate may be planned; no product may overflow. */
static u64 hbc_pace_least(const struct hbc_lane *lane)
{
	u64 rate = min_t(u64, lane->pace.rate, 1ULL << 50);
	u32 mss = max(lane->mss, 2U * HBC_DATA_LEN);

	return rate ? max(mul_u64_u32_div(rate, mss, mss - HBC_DATA_LEN), 1ULL) : 0;
}

/*
 * How fast TCP may send, and what the socket holds that has not been sent: when the last pieces
 * are given out, the slowest slot is late by that.
 */
static void hbc_pace_apply(struct hbc_lane *lane)
{
	unsigned long pace = ULONG_MAX;
	u32 held = HBC_PACE_HELD;
	int err;

	if (lane->pace.rate) {
		pace = min_t(u64, lane->pace.now, ULONG_MAX - 1);
		held = clamp_t(u64, div_u64(lane->pace.now, 1000 / HBC_PACE_HELD_MS),
			       2 * lane->mss, HBC_PACE_HELD);
	}
	err = sock_setsockopt(lane->sock, SOL_SOCKET, SO_MAX_PACING_RATE,
			      KERNEL_SOCKPTR(&pace), sizeof(pace));
	if (err)
		hbc_lane_fail(lane, -err);
	WRITE_ONCE(tcp_sk(lane->sock->sk)->notsent_lowat, held);
}

/* As planned, and what others leave. */
static u64 hbc_pace_now(const struct hbc_lane *lane)
{
	const struct hbc_gain *gain = lane->pace.gain;
	u64 least = hbc_pace_least(lane);

	return gain ? mul_u64_u32_div(least, READ_ONCE(gain->now), HBC_GAIN_NONE) : least;
}

void hbc_gain_init(struct hbc_gain *gain, u32 least)
{
	spin_lock_init(&gain->lock);
	gain->least = least;
	gain->now = least;
}

static void hbc_gain_reset(struct hbc_gain *gain)
{
	spin_lock(&gain->lock);
	WRITE_ONCE(gain->now, gain->least);
	gain->grown = false;
	gain->changed = jiffies;
	gain->wait = msecs_to_jiffies(HBC_PACE_LOOK_MS);
	gain->due = jiffies + gain->wait;
	spin_unlock(&gain->lock);
}

/*
 * Each attempt that ends in a queue makes the next one come later, each that does not, sooner.
 * Lanes that share a gain look one after the other: what crowds one holds all.
 */
static void hbc_gain_look(struct hbc_gain *gain, bool crowded, bool follows)
{
	unsigned long look = msecs_to_jiffies(HBC_PACE_LOOK_MS), now = jiffies;

	spin_lock(&gain->lock);
	if (crowded && gain->grown)
		gain->wait = min(2 * gain->wait, msecs_to_jiffies(HBC_PACE_WAIT_MS));
	if (crowded && time_after_eq(now, gain->changed + look)) {
		WRITE_ONCE(gain->now, max(gain->now - gain->now / HBC_PACE_YIELD, gain->least));
		gain->changed = now;
	}
	if (crowded || !follows) {
		gain->grown = false;
		gain->due = now + gain->wait;
	} else if (time_after_eq(now, gain->due)) {
		if (gain->grown)
			gain->wait = max(gain->wait / 2, look);
		WRITE_ONCE(gain->now, min(gain->now + gain->now / HBC_PACE_GROW, HBC_GAIN_MOST));
		gain->grown = true;
		gain->changed = now;
		gain->due = now + look;
	}
	spin_unlock(&gain->lock);
}

void hbc_pace_begin(struct hbc_lane *lane)
{
	struct hbc_pace *pace = &lane->pace;

	lockdep_assert_held(&lane->tx_mutex);
	pace->now = hbc_pace_now(lane);
	pace->looked = jiffies;
	pace->resent = 0;
	hbc_pace_apply(lane);
}

void hbc_lane_set_rate(struct hbc_lane *lane, u64 rate, struct hbc_gain *gain)
{
	struct hbc_pace *pace = &lane->pace;

	mutex_lock(&lane->tx_mutex);
	if (pace->rate != rate || pace->gain != gain) {
		pace->rate = rate;
		pace->gain = gain;
		if (gain)
			hbc_gain_reset(gain);
		pace->now = hbc_pace_now(lane);
		if (lane->sock)
			hbc_pace_apply(lane);
	}
	mutex_unlock(&lane->tx_mutex);
	hbc_lane_kick(lane);
}

/* What TCP sends in one lump: what its pace lets go in a millisecond, two segments at least. */
static u64 hbc_pace_lump(const struct hbc_lane *lane)
{
	return clamp_t(u64, lane->pace.now / MSEC_PER_SEC, 2 * lane->mss,
		       lane->sock->sk->sk_gso_max_size);
}

/*
 * Whether some queue on the way grows, by the way's round trip or by what it lost. What
 * TCP sends in one lump waits for itself.
 */
static bool hbc_pace_crowded(const struct hbc_lane *lane, const struct tcp_info *tcp)
{
	return tcp->tcpi_total_retrans != lane->pace.resent || tcp->tcpi_min_rtt == U32_MAX ||
	       tcp->tcpi_rtt > tcp->tcpi_min_rtt * 9ULL / 8 + HBC_PACE_QUEUE_US +
			       div64_u64(hbc_pace_lump(lane) * USEC_PER_SEC,
					 tcp->tcpi_delivery_rate);
}

void hbc_pace_full(struct hbc_lane *lane)
{
	struct hbc_pace *pace = &lane->pace;
	struct tcp_info tcp;
	u64 now;

	lockdep_assert_held(&lane->tx_mutex);
	if (!pace->rate || !pace->gain ||
	    time_before(jiffies, pace->looked + msecs_to_jiffies(HBC_PACE_LOOK_MS)))
		return;
	tcp_get_info(lane->sock->sk, &tcp);
	if (!tcp.tcpi_delivery_rate)
		return;
	/* Where something else holds the lane up, the pace does not run away from it. */
	hbc_gain_look(pace->gain, hbc_pace_crowded(lane, &tcp),
		      tcp.tcpi_delivery_rate >= pace->now - pace->now / 4);
	pace->looked = jiffies;
	pace->resent = tcp.tcpi_total_retrans;
	now = hbc_pace_now(lane);
	if (now != pace->now) {
		pace->now = now;
		hbc_pace_apply(lane);
	}
}
