/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What flows leave of a tree. */
#ifndef HBPLAN_SPARE_H
#define HBPLAN_SPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/sketch.h"

/**
 * struct hbp_spare - what flows across one link leave of all others
 * @sketch: the tree
 * @node: the lower end of that link
 * @mbps: of each arc
 * @arcs: room for a way
 */
struct hbp_spare {
	const struct hbp_sketch *sketch;
	size_t node;
	double *mbps;
	size_t *arcs;
};

int hbp_spare_begin(struct hbp_spare *spare, const struct hbp_sketch *sketch, size_t node);
void hbp_spare_clear(struct hbp_spare *spare);
double hbp_spare_find(struct hbp_spare *spare, size_t host, bool sends);
void hbp_spare_take(struct hbp_spare *spare, size_t host, bool sends, double mbps);

#endif /* HBPLAN_SPARE_H */
