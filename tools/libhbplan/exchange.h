/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: trees that change arcs until loads are even. */
#ifndef HBPLAN_EXCHANGE_H
#define HBPLAN_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "steady.h"

void hbp_exchange_weights(double *weights, size_t n, double sum, bool equal);
int hbp_exchange_run(const struct hbp_steady *steady, size_t root,
		     uint32_t **trees, const double *weights, size_t n_trees,
		     size_t n_idle, size_t passes, struct hbp_error *err);

#endif /* HBPLAN_EXCHANGE_H */
