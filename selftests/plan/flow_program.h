/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast trees can be together, as a flow program says. */
#ifndef HBC_SELFTESTS_PLAN_FLOW_PROGRAM_H
#define HBC_SELFTESTS_PLAN_FLOW_PROGRAM_H

#include <stddef.h>

#include "hbplan.h"

double costs_rate(const struct hbp_input *in, size_t root, enum hbp_ports ports);
double hosts_rate(const struct hbp_input *in, size_t root);

#endif /* HBC_SELFTESTS_PLAN_FLOW_PROGRAM_H */
