/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Networks that a seed determines. */
#ifndef HBC_SELFTESTS_FIGURES_NETWORK_H
#define HBC_SELFTESTS_FIGURES_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "hbplan.h"

int64_t draw_between(uint64_t *seed, int64_t least, int64_t most);
int64_t draw_normal(uint64_t *seed, int64_t mean, int64_t deviation);

struct hbp_input *costs_of(size_t n);
struct hbp_input *hops_of(size_t n, int64_t most, uint64_t *seed);

#endif /* HBC_SELFTESTS_FIGURES_NETWORK_H */
