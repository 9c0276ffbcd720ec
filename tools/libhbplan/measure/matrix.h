/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each pair of hosts costs, from tests of pairs. */
#ifndef HBPLAN_MATRIX_H
#define HBPLAN_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costs.h"
#include "error.h"
#include "measure/prober.h"

#define HBP_MATRIX_HOSTS_MAX	64

/**
 * struct hbp_matrix - what each pair of hosts costs
 * @n: number of hosts
 * @ids: theirs, in ascending order
 * @rtt_us: round trips, [from * @n + to]; not a number where none is known
 * @mbps: likewise what flows from one to the other, headers counted
 * @slowed: likewise whether others that send at the same time slow it down; @mbps is
 *	what it gets alone, if there was time to find that out
 * @rounds: how often flows have begun
 * @complete: nobody has ended it before it was done
 */
struct hbp_matrix {
	size_t n;
	uint32_t *ids;
	double *rtt_us;
	double *mbps;
	bool *slowed;
	size_t rounds;
	bool complete;
};

int hbp_matrix_find(const uint32_t *ids, size_t n, const struct hbp_prober *prober,
		    struct hbp_matrix *out, struct hbp_error *err);
void hbp_matrix_clear(struct hbp_matrix *matrix);
int hbp_matrix_costs(const struct hbp_matrix *matrix, struct hbp_costs **out,
		     struct hbp_error *err);

#endif /* HBPLAN_MATRIX_H */
