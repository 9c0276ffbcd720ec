/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: prices that tell at once how fast no trees can be. */
#ifndef HBPLAN_CUTS_H
#define HBPLAN_CUTS_H

#include "error.h"
#include "steady.h"

int hbp_cuts_rates(const struct hbp_steady *steady, size_t root, double *rates,
		   struct hbp_error *err);
int hbp_cuts_narrowest(const struct hbp_steady *steady, size_t root,
		       double *prices, struct hbp_error *err);
void hbp_cuts_links(const struct hbp_switched *switched, double *prices);
void hbp_cuts_sends(const struct hbp_steady *steady, double *prices);

#endif /* HBPLAN_CUTS_H */
