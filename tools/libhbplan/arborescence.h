/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the cheapest way to reach all nodes from one. */
#ifndef HBPLAN_ARBORESCENCE_H
#define HBPLAN_ARBORESCENCE_H

#include <stddef.h>
#include <stdint.h>

#include "evaluate.h"

/**
 * struct hbp_arc - an edge of a directed graph
 * @from: its tail, from 0
 * @to: its head
 */
struct hbp_arc {
	uint32_t from;
	uint32_t to;
};

struct hbp_arborescence;
struct hbp_switched;

struct hbp_arborescence *hbp_arborescence_alloc(size_t n, size_t root,
						const struct hbp_arc *arcs,
						size_t m);
struct hbp_arborescence *hbp_arborescence_switched(const struct hbp_switched *switched,
						   enum hbp_ports ports, size_t root);
void hbp_arborescence_free(struct hbp_arborescence *a);
int hbp_arborescence_find(struct hbp_arborescence *a, const double *costs,
			  size_t *into, double *sum);

#endif /* HBPLAN_ARBORESCENCE_H */
