// SPDX-License-Identifier: GPL-2.0-or-later
/* What is believed of a network's answers. */
#include <math.h>

#include "measure/prober.h"
#include "units.h"

/**
 * hbp_trip_usable() - whether a round trip can be what it is said to be
 * @trip: the round trip, with its answers
 *
 * Return: whether it can.
 */
bool hbp_trip_usable(const struct hbp_trip *trip)
{
	return trip->least_us > 0 && trip->least_us <= 2 * HBP_LATENCY_MAX_US;
}

/**
 * hbp_flow_mbps() - what is believed of a flow
 * @flow: the flow, with its answers
 *
 * Return: Mbit/s, the least that one of its ends says; 0 if none says anything that
 * can be.
 */
double hbp_flow_mbps(const struct hbp_flow *flow)
{
	double mbps = fmin(flow->sent_mbps, flow->received_mbps);

	return mbps >= HBP_BANDWIDTH_MIN_MBPS && mbps <= HBP_BANDWIDTH_MAX_MBPS ? mbps : 0;
}

/**
 * hbp_burst_usable() - whether a burst can have taken what it is said to have
 * @burst: the burst, with its answers
 *
 * Return: whether it can.
 */
bool hbp_burst_usable(const struct hbp_burst *burst)
{
	return burst->sent_us > 0 && burst->sent_us <= HBP_LATENCY_MAX_US &&
	       burst->arrived_us > 0 && burst->arrived_us <= HBP_LATENCY_MAX_US;
}
