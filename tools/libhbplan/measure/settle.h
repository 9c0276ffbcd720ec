/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much a flow has brought by when, and how fast flows are once they have settled. */
#ifndef HBPLAN_SETTLE_H
#define HBPLAN_SETTLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct hbp_growth - how much a flow has brought by when
 * @n: number of points
 * @s: seconds since it was asked for, ascending
 * @bytes: that have arrived by then, never less than before
 * @room: entries that there is room for
 */
struct hbp_growth {
	size_t n;
	double *s;
	double *bytes;
	size_t room;
};

/**
 * struct hbp_settling - flows that go on at once
 * @rtt_s: the longest round trip of one of them, in seconds
 * @least_s: they are not settled before
 * @from_s: since when their sum is as fast as it is at the end
 * @to_s: until when is known of all of them what they have brought
 * @mbps: how fast they are together from then on
 * @spent_s: in how many seconds they would have brought so fast all that they have
 */
struct hbp_settling {
	double rtt_s;
	double least_s;
	double from_s;
	double to_s;
	double mbps;
	double spent_s;
};

int hbp_growth_add(struct hbp_growth *growth, double s, double bytes);
double hbp_growth_bytes(const struct hbp_growth *growth);
double hbp_growth_mbps(const struct hbp_growth *growth, double from_s, double to_s);
double hbp_growth_until(const struct hbp_growth *flows, size_t n);
void hbp_growth_clear(struct hbp_growth *growth);
bool hbp_settle(const struct hbp_growth *flows, size_t n, struct hbp_settling *settling);

#endif /* HBPLAN_SETTLE_H */
