/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the arcs that each node may be reached by. */
#ifndef HBPLAN_CHOICES_H
#define HBPLAN_CHOICES_H

#include <stddef.h>
#include <stdint.h>

#include "steady.h"

/**
 * struct hbp_choices - arcs by head, with what they keep busy
 * @first: of each node: the place of the first arc that leads to it; one entry more
 *	than there are nodes
 * @arcs: of each place: the arc, ascending by head, then tail
 * @tail: of each place: where the arc begins
 * @first_use: of each place: its first use; one entry more than there are places
 * @rows: what it keeps busy
 * @uses: for which part of the time, if it carries 1 Mbit/s
 */
struct hbp_choices {
	size_t *first;
	size_t *arcs;
	uint32_t *tail;
	size_t *first_use;
	uint32_t *rows;
	double *uses;
};

int hbp_choices_list(struct hbp_choices *c, const struct hbp_steady *steady,
		     size_t root, uint32_t *const *trees, size_t n_trees);
void hbp_choices_clear(struct hbp_choices *c);

#endif /* HBPLAN_CHOICES_H */
