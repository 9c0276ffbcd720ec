/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts that cannot send and receive at full rate at once. */
#ifndef HBPLAN_DUPLEX_H
#define HBPLAN_DUPLEX_H

#include <stdbool.h>

#include "measure/prober.h"
#include "measure/sketch.h"
#include "measure/tests.h"

int hbp_duplex_find(struct hbp_tests *tests, struct hbp_sketch *sketch,
		    const struct hbp_prober *prober, bool few, bool *open);

#endif /* HBPLAN_DUPLEX_H */
