/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: numbers that a seed determines. */
#ifndef HBPLAN_RANDOM_H
#define HBPLAN_RANDOM_H

#include <stddef.h>
#include <stdint.h>

size_t hbp_random_below(uint64_t *state, size_t n);

#endif /* HBPLAN_RANDOM_H */
