/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal: the binomial tree over positions 0 to n - 1. The parent of position
 * p is p with its lowest set bit cleared. So the subtree of p is p and what
 * follows it, up to p + its lowest set bit - 1.
 */
#ifndef HBPLAN_BINOMIAL_H
#define HBPLAN_BINOMIAL_H

#include <stddef.h>

size_t hbp_binomial_parent(size_t position);
size_t hbp_binomial_end(size_t position, size_t n);
size_t hbp_binomial_step(size_t position, size_t n);
size_t hbp_binomial_children(size_t position, size_t n);

#endif /* HBPLAN_BINOMIAL_H */
