/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what takes how much of the time until the last node is done. */
#ifndef HBPLAN_SHARES_H
#define HBPLAN_SHARES_H

#include <stddef.h>

#include "error.h"
#include "explain.h"
#include "input.h"

int hbp_shares_limits(struct hbp_input *in, const struct hbp_path *paths,
		      size_t n_paths, struct hbp_limit **limits, size_t *n,
		      struct hbp_error *err);

#endif /* HBPLAN_SHARES_H */
