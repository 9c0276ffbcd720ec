/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Largest flows of a platform. */
#ifndef HBPLAN_FLOW_H
#define HBPLAN_FLOW_H

#include <stddef.h>
#include <stdint.h>

#include "platform.h"

struct hbp_flow;

struct hbp_flow *hbp_flow_alloc(const struct hbp_platform *platform);
void hbp_flow_free(struct hbp_flow *flow);
int64_t hbp_flow_max(struct hbp_flow *flow, size_t source, size_t sink);
int64_t hbp_flow_from(struct hbp_flow *flow, const size_t *sources, size_t n,
		      size_t sink);
size_t hbp_flow_cut(struct hbp_flow *flow, size_t source, size_t sink,
		    size_t *links);

#endif /* HBPLAN_FLOW_H */
