/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: things in the order of their weights. */
#ifndef HBPLAN_ORDER_H
#define HBPLAN_ORDER_H

#include <stddef.h>

void hbp_order_heaviest(size_t *items, size_t n, const double *weights);

#endif /* HBPLAN_ORDER_H */
