/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that fill links. */
#ifndef HBPLAN_FILL_H
#define HBPLAN_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/prober.h"
#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_fill(struct hbp_tests *tests, struct hbp_sketch *sketch,
	     const struct hbp_prober *prober, const bool *arcs, bool longer);
int hbp_fill_all(struct hbp_tests *tests, struct hbp_sketch *sketch,
		 const struct hbp_prober *prober);

#endif /* HBPLAN_FILL_H */
