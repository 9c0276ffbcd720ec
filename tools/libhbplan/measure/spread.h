/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far tests of a link differ. */
#ifndef HBPLAN_SPREAD_H
#define HBPLAN_SPREAD_H

#include <stdbool.h>

#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_spread_find(const struct hbp_tests *tests, struct hbp_sketch *sketch);
bool hbp_spread_unsteady(const struct hbp_capacity *capacity);

#endif /* HBPLAN_SPREAD_H */
