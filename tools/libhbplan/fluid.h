/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the fluid model of one tree on a platform. */
#ifndef HBPLAN_FLUID_H
#define HBPLAN_FLUID_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "platform.h"
#include "tree.h"

int hbp_fluid(const struct hbp_platform *platform, const struct hbp_tree *tree,
	      const size_t *parents, uint64_t bytes, struct hbp_figure *figures,
	      struct hbp_error *err);

#endif /* HBPLAN_FLUID_H */
