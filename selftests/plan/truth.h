/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated network that answers what measuring asks. */
#ifndef HBC_SELFTESTS_PLAN_TRUTH_H
#define HBC_SELFTESTS_PLAN_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helper.h"
#include "measure/infer.h"

#define NODES	128	/* of a network, at most */
#define FLOWS	512	/* of a round, at most */
#define NEVER	SIZE_MAX

/* A true network, in which flows share links max-min fairly, and what it is asked. */
struct truth {
	const struct hbp_platform *platform;
	struct luck luck;
	double noise;			/* of rates and bursts, a part of them */
	double trip_noise_us;
	size_t dead;			/* a host that answers nothing, or NEVER */
	size_t liar;			/* a host that says ten times as much, or NEVER */
	size_t changing;		/* a link that has a third from a round on, or NEVER */
	size_t changes;			/* that round */
	size_t last;			/* the call that somebody ends, or NEVER */
	size_t calls;
	size_t rounds;			/* of flows */
	size_t burst_rounds;
	size_t hop[NODES][NODES];	/* the next link on the way */
	double rate[FLOWS];
	bool stopped[FLOWS];
	double left[4 * NODES];
	size_t rising[4 * NODES];
};

double draw(struct luck *luck);
bool near(double got, double want, double part);
FILE *open_links(char **text, size_t hosts, size_t first, size_t switches);
void put_link(FILE *f, size_t from, size_t to, double mbps, double us);
void put_shared(FILE *f, size_t host, size_t at, size_t in, const double *mbps, double both,
		double us);
void truth_begin(struct truth *t, const struct hbp_input *in, uint64_t seed);
struct hbp_prober truth_prober(struct truth *t);
void truth_find(struct truth *t, struct hbp_inferred *found);
struct hbp_input *input_of(const struct hbp_inferred *found);

#endif /* HBC_SELFTESTS_PLAN_TRUTH_H */
