/* SPDX-License-Identifier: GPL-2.0 */
/* A lane's gauge: what TCP tells of the way to the other end while data goes along it. */
#ifndef _HBC_GAUGE_H
#define _HBC_GAUGE_H

#include <linux/types.h>

struct hbc_lane;
struct socket;
struct tcp_info;

/**
 * struct hbc_gauge_mark - a connection's counters at a time
 * @ns: when, by ktime_get_ns()
 * @segments: that have arrived
 * @acked: bytes of payload that have arrived
 * @resent: segments that have been sent again
 * @busy_us: while something was on its way
 * @held_us: while it was the receiver, or room for what is sent, that held it up
 */
struct hbc_gauge_mark {
	u64 ns;
	u32 segments;
	u64 acked;
	u32 resent;
	u64 busy_us;
	u64 held_us;
};

/**
 * struct hbc_gauge_spell - a time in which data went along a lane, with no pause of a second
 * @begun: by ktime_get_ns(); 0 for never
 * @ended: when it was seen last that something had arrived, likewise
 * @bytes: that have arrived, on the link: with the headers of all layers
 * @limited_us: while the network alone held the lane up
 * @limited_bytes: that have arrived then
 */
struct hbc_gauge_spell {
	u64 begun;
	u64 ended;
	u64 bytes;
	u64 limited_us;
	u64 limited_bytes;
};

/**
 * struct hbc_gauge - what a lane's connection has shown
 * @due: jiffies from when on it is looked at
 * @last: the look before; its @ns is 0 on a new connection
 * @pace: what TCP was held to by then, in bytes/s, 0 for nothing
 * @rate: on the link in the part that ended with @last, in bytes/s, 0 if it was not full
 *	throughout
 * @steady: that part was steady
 * @starved: TCP has waited for data since @last
 * @idle: nothing has gone for a second by @last: a new spell comes next
 * @spell: the last one; it goes on if the next connection comes in time
 * @told_ns: when listeners were told last
 * @told_rate: bytes/s on the link that they were told, 0 for none
 * @told_srtt_us: likewise TCP's smoothed round-trip time
 *
 * All fields: the lane's tx_mutex.
 */
struct hbc_gauge {
	unsigned long due;
	struct hbc_gauge_mark last;
	u64 pace;
	u64 rate;
	bool steady;
	bool starved;
	bool idle;
	struct hbc_gauge_spell spell;
	u64 told_ns;
	u64 told_rate;
	u32 told_srtt_us;
};

/* All of these: context process, lane->tx_mutex held, lane->sock's lock not held. */

/* The lane has another connection. */
void hbc_gauge_begin(struct hbc_lane *lane);
/* The lane is about to send, on its connection; called as often as that is so. */
void hbc_gauge_send(struct hbc_lane *lane);
/* The gauge becomes what it is now, and @tcp what TCP tells. The lane has a connection. */
void hbc_gauge_look(struct hbc_lane *lane, struct tcp_info *tcp);

/* Bytes on the link for @bytes of payload of a connection. Context: any. */
u64 hbc_gauge_on_link(const struct socket *sock, u64 segments, u64 bytes);

#endif /* _HBC_GAUGE_H */
