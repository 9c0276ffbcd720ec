/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the inference asks of a network, by rounds of the kernel's. */
#ifndef HBCASTCTL_MEASURE_PROBER_H
#define HBCASTCTL_MEASURE_PROBER_H

#include "measure/prober.h"
#include "measure_round.h"

/**
 * struct hbmeas_prober - a network that is asked
 * @rounds: how
 * @rtt_us: of each pair of nodes, [from * n + to]; not a number where none is known
 * @times: when each round of flows or bursts was over, the first one when round trips were
 *	known; in the form of RFC 3339; owned, as the array
 * @n_times: how many
 * @expected: rounds of flows that are expected, for the progress bar
 * @n_bursts: rounds of bursts that were run
 * @trips_over: when round trips were known, of hbclock_now()
 * @failed: an error has been reported
 */
struct hbmeas_prober {
	struct hbmeas_rounds *rounds;
	double *rtt_us;
	char **times;
	size_t n_times;
	size_t expected;
	size_t n_bursts;
	int64_t trips_over;
	bool failed;
};

struct hbp_prober hbmeas_prober(struct hbmeas_prober *p);
void hbmeas_prober_clear(struct hbmeas_prober *p);

#endif /* HBCASTCTL_MEASURE_PROBER_H */
