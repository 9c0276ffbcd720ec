/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: spanning trees one after the other on what links have left. */
#ifndef HBPLAN_FPFR_H
#define HBPLAN_FPFR_H

#include "error.h"
#include "trace.h"
#include "tree.h"

int hbp_fpfr_next(struct hbp_trace *trace, struct hbp_tree *tree,
		  struct hbp_error *err);

#endif /* HBPLAN_FPFR_H */
