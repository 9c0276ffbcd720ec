/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: trees of equal weight that change arcs until loads are even. */
#ifndef HBPLAN_EXCHANGE_H
#define HBPLAN_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "steady.h"

int hbp_exchange_run(const struct hbp_steady *steady, size_t root,
		     uint32_t **trees, size_t n_trees, double bound,
		     struct hbp_error *err);

#endif /* HBPLAN_EXCHANGE_H */
