/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What measuring asks of a network; the library itself sends nothing. */
#ifndef HBPLAN_PROBER_H
#define HBPLAN_PROBER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What a round trip carries each way, and what a frame of a burst is, with headers: it
 * takes its time on a slow link.
 */
#define HBP_SHORT_BYTES	82

/**
 * struct hbp_trip - round trips between two hosts
 * @from: index of a host
 * @to: index of another one
 * @least_us: answer: the least that was seen, in microseconds; not a number if
 *	none came back
 * @noise_us: answer: by how much that may be too long
 */
struct hbp_trip {
	size_t from;
	size_t to;
	double least_us;
	double noise_us;
};

/**
 * struct hbp_flow - data from one host to another for some time
 * @from: index of the host that sends
 * @to: index of another one
 * @rate_mbps: what it keeps to, in Mbit/s of the link's rate, headers counted, so that it
 *	fills no queue; 0 for as much as goes
 * @test: flows of one test follow each other, and share links; those of two tests do not
 * @sent_mbps: answer: what the sender says that arrived, in Mbit/s of the link's
 *	rate, headers counted; not a number if it does not know
 * @received_mbps: answer: what the receiver says, likewise
 * @looked_s: answer: for how long, in seconds; 0 if any time would tell the same
 *
 * Nobody's word is taken for more than the other one has seen.
 */
struct hbp_flow {
	size_t from;
	size_t to;
	double rate_mbps;
	size_t test;
	double sent_mbps;
	double received_mbps;
	double looked_s;
};

/**
 * struct hbp_burst - short messages from one host to another, one right after the other
 * @from: index of the host that sends
 * @to: index of another one
 * @sent_us: answer: for how long it was sending each of them, in microseconds; not a
 *	number if that is not known
 * @arrived_us: answer: from one to the next where they arrived, likewise
 */
struct hbp_burst {
	size_t from;
	size_t to;
	double sent_us;
	double arrived_us;
};

/**
 * struct hbp_prober - what a network can be asked for
 * @arg: handed to all of them
 * @trips: time round trips; several at once disturb one another little
 * @flows: let data flow, all of them at once, until the sum of each test has settled;
 *	longer for figures that matter
 * @rates: let data flow, all of them at once and each at its rate, until @enough says so of
 *	their answers, or for some seconds; answers are of the second half of that time,
 *	the same for all
 * @bursts: time bursts, all of them at once; no host has a part in two of them
 *
 * They return 0, also where single answers are missing, or a negative errno value
 * that ends the measurement: -EINTR if somebody wants no more of it.
 */
struct hbp_prober {
	void *arg;
	int (*trips)(void *arg, struct hbp_trip *trips, size_t n);
	int (*flows)(void *arg, struct hbp_flow *flows, size_t n, bool longer);
	int (*rates)(void *arg, struct hbp_flow *flows, size_t n, bool (*enough)(void *of),
		     void *of);
	int (*bursts)(void *arg, struct hbp_burst *bursts, size_t n);
};

bool hbp_trip_usable(const struct hbp_trip *trip);
double hbp_flow_mbps(const struct hbp_flow *flow);
bool hbp_burst_usable(const struct hbp_burst *burst);

#endif /* HBPLAN_PROBER_H */
