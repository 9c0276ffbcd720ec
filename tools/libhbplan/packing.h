/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: linear programs that pack columns into capacities. */
#ifndef HBPLAN_PACKING_H
#define HBPLAN_PACKING_H

#include <stdbool.h>
#include <stddef.h>

struct hbp_packing;

struct hbp_packing *hbp_packing_alloc(void);
void hbp_packing_free(struct hbp_packing *packing);
int hbp_packing_add_row(struct hbp_packing *packing, double capacity, size_t n,
			const size_t *columns, const double *uses);
int hbp_packing_add_column(struct hbp_packing *packing, double worth, size_t n,
			   const size_t *rows, const double *uses);
void hbp_packing_allow(struct hbp_packing *packing, size_t column, bool allowed);
int hbp_packing_solve(struct hbp_packing *packing, double *sum);
double hbp_packing_weight(const struct hbp_packing *packing, size_t column);
double hbp_packing_price(const struct hbp_packing *packing, size_t row);

#endif /* HBPLAN_PACKING_H */
