/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is on one side of a link that round trips do not show. */
#ifndef HBPLAN_SIDES_H
#define HBPLAN_SIDES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct hbp_sides - what pairs of hosts have shown
 * @n: number of hosts
 * @full: of each pair, once, how often it got what it should while others did not
 * @low: likewise, how often it did not
 * @side: of each host, the number of its side, below @n
 */
struct hbp_sides {
	size_t n;
	double *full;
	double *low;
	size_t *side;
};

int hbp_sides_alloc(struct hbp_sides *sides, size_t n);
void hbp_sides_clear(struct hbp_sides *sides);
void hbp_sides_see(struct hbp_sides *sides, size_t a, size_t b, bool low);
int hbp_sides_find(struct hbp_sides *sides);

#endif /* HBPLAN_SIDES_H */
