/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Networks that a seed determines. */
#ifndef HBC_SELFTESTS_FIGURES_NETWORK_H
#define HBC_SELFTESTS_FIGURES_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "hbplan.h"

int64_t draw_between(uint64_t *seed, int64_t least, int64_t most);
int64_t draw_normal(uint64_t *seed, int64_t mean, int64_t deviation);
void shuffle(size_t *order, size_t n, uint64_t *seed);

/**
 * struct sketch - a platform while it is being drawn
 * @links: directions of links; nodes are counted from 0, switches first
 * @n: number of @links
 * @room: how many fit
 */
struct sketch {
	struct hbp_link *links;
	size_t n;
	size_t room;
};

void sketch_link(struct sketch *sketch, size_t from, size_t to, int64_t bps,
		 int64_t ns);
struct hbp_input *sketch_input(const struct sketch *sketch, size_t switches,
			       size_t hosts);

struct hbp_input *costs_of(size_t n);
struct hbp_input *hops_of(size_t n, int64_t most, uint64_t *seed);

#endif /* HBC_SELFTESTS_FIGURES_NETWORK_H */
