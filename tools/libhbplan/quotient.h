/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what nodes that are alike share, and trees that use them by turns. */
#ifndef HBPLAN_QUOTIENT_H
#define HBPLAN_QUOTIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "steady.h"

/* The most trees that a plan may have. */
#define HBP_QUOTIENT_TURNS	64

struct hbp_quotient;

int hbp_quotient_make(const struct hbp_steady *steady, size_t root,
		      struct hbp_quotient **out, struct hbp_error *err);
void hbp_quotient_free(struct hbp_quotient *q);
void hbp_quotient_prices(const struct hbp_quotient *q, double *prices);
void hbp_quotient_narrowest(const struct hbp_quotient *q, double *prices);
size_t hbp_quotient_turns(const struct hbp_quotient *q);
size_t hbp_quotient_even(const struct hbp_quotient *q);
bool hbp_quotient_tree(struct hbp_quotient *q, size_t turn, size_t *into);

#endif /* HBPLAN_QUOTIENT_H */
