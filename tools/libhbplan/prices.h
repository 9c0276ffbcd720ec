/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: prices of what can be busy, which prove that no trees are faster. */
#ifndef HBPLAN_PRICES_H
#define HBPLAN_PRICES_H

#include <stddef.h>

#include "certificate.h"
#include "error.h"
#include "input.h"
#include "steady.h"

struct hbp_plan;

struct hbp_price hbp_prices_row(const struct hbp_steady *steady,
				const struct hbp_input *in, size_t row, double mbps);
int hbp_prices_prove(const struct hbp_steady *steady, const struct hbp_input *in,
		     const double *prices, double bound, struct hbp_plan *plan,
		     struct hbp_error *err);

#endif /* HBPLAN_PRICES_H */
