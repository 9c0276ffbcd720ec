/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what a plan keeps busy, and what would hold back the best one. */
#ifndef HBPLAN_BUSY_H
#define HBPLAN_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "evaluate.h"
#include "explain.h"
#include "input.h"
#include "plan.h"

struct hbp_busy;
struct hbp_like;

enum hbp_ports hbp_busy_ports(enum hbp_model model);
bool hbp_busy_applies(enum hbp_model model);
int hbp_busy_find(const struct hbp_plan *plan, struct hbp_input *in,
		  enum hbp_model model, const struct hbp_busy *like,
		  struct hbp_busy **out, struct hbp_error *err);
void hbp_busy_free(struct hbp_busy *busy);
int64_t hbp_busy_bound(const struct hbp_busy *busy);
const struct hbp_like *hbp_busy_like(const struct hbp_busy *busy);
int hbp_busy_limits(struct hbp_busy *busy, const struct hbp_evaluation *now,
		    struct hbp_limit **limits, size_t *n, struct hbp_error *err);

#endif /* HBPLAN_BUSY_H */
