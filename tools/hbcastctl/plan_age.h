/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How old the figures are that are planned with. */
#ifndef HBCASTCTL_PLAN_AGE_H
#define HBCASTCTL_PLAN_AGE_H

#include "cmd.h"
#include "hbplan.h"

void hbplan_tell_age(struct hbctl *ctl, const struct hbp_input *in);
json_t *hbplan_age(const struct hbp_input *in);

#endif /* HBCASTCTL_PLAN_AGE_H */
