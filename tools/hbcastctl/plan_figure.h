/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is predicted, as commands print it. */
#ifndef HBCASTCTL_PLAN_FIGURE_H
#define HBCASTCTL_PLAN_FIGURE_H

#include <stddef.h>

#include <jansson.h>

#include "hbplan.h"

json_t *hbplan_figure(const struct hbp_figure *figure);
json_t *hbplan_overall(const struct hbp_evaluation *evaluation);
void hbplan_write_ratio(const json_t *value, char *buf, size_t len);

#endif /* HBCASTCTL_PLAN_FIGURE_H */
