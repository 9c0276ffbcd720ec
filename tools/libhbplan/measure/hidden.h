/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links that round trips do not show. */
#ifndef HBPLAN_HIDDEN_H
#define HBPLAN_HIDDEN_H

#include <stddef.h>
#include <stdint.h>

#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_hidden_review(struct hbp_tests *tests, struct hbp_sketch *sketch,
		      const struct hbp_prober *prober, size_t *found);
int hbp_hidden_find(struct hbp_tests *tests, struct hbp_sketch *sketch,
		    const struct hbp_prober *prober, uint64_t seed, size_t *found);

#endif /* HBPLAN_HIDDEN_H */
