/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree that explains what pairs have got better than the one that was found. */
#ifndef HBPLAN_REFINE_H
#define HBPLAN_REFINE_H

#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_refine(const struct hbp_tests *tests, struct hbp_sketch *sketch);

#endif /* HBPLAN_REFINE_H */
