/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the rates that nested trees add up to. */
#ifndef HBPLAN_LEVELS_H
#define HBPLAN_LEVELS_H

#include <stddef.h>
#include <stdint.h>

int hbp_levels_pick(int64_t *levels, size_t n, size_t most, size_t *n_picked);

#endif /* HBPLAN_LEVELS_H */
