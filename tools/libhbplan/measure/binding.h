/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links that keep plans from being faster. */
#ifndef HBPLAN_BINDING_H
#define HBPLAN_BINDING_H

#include <stdbool.h>

#include "error.h"
#include "measure/inferred.h"

int hbp_binding_find(const struct hbp_inferred *inferred, uint32_t root, bool *arcs,
		     struct hbp_error *err);

#endif /* HBPLAN_BINDING_H */
