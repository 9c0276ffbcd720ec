/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What broadcasts have shown of a network that is known from before. */
#ifndef HBPLAN_UPDATE_H
#define HBPLAN_UPDATE_H

#include <stddef.h>
#include <stdint.h>

#include "costs.h"
#include "error.h"
#include "measure/news.h"
#include "platform.h"

/**
 * struct hbp_seen - what one lane has shown
 * @from: id of the node that sent
 * @to: id of the node that received
 * @begun_s: when data began to go along it, seconds of a clock that all share
 * @ended_s: when it ended, likewise
 * @mbps: what crossed meanwhile on average, headers of all layers counted
 * @limited_mbps: what crossed while nothing but the network held the lane up; 0 if
 *	something else always did
 * @planned_mbps: what it was to get by its plan; 0 if that does not say
 * @limited: which part of the time nothing but the network held it up
 */
struct hbp_seen {
	uint32_t from;
	uint32_t to;
	double begun_s;
	double ended_s;
	double mbps;
	double limited_mbps;
	double planned_mbps;
	double limited;
};

int hbp_update_platform(const struct hbp_platform *platform, const struct hbp_seen *seen,
			size_t n, struct hbp_news **out, size_t *n_out,
			struct hbp_error *err);
int hbp_update_costs(const struct hbp_costs *costs, const struct hbp_seen *seen, size_t n,
		     struct hbp_news **out, size_t *n_out, struct hbp_error *err);

#endif /* HBPLAN_UPDATE_H */
