/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What broadcasts have shown of a network that is known from before. */
#ifndef HBPLAN_UPDATE_H
#define HBPLAN_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "costs.h"
#include "error.h"
#include "platform.h"

/**
 * struct hbp_seen - what one lane has shown
 * @from: id of the node that sent
 * @to: id of the node that received
 * @begun_s: when data began to go along it, seconds of a clock that all share
 * @ended_s: when it ended, likewise
 * @mbps: what crossed meanwhile on average, headers of all layers counted
 * @limited_mbps: what crossed while nothing but the network held the lane up; 0 if
 *	something else did most of the time
 * @planned_mbps: what it was to get by its plan; 0 if that does not say
 * @partly: nothing but the network held it up for some of the time, but not for most
 */
struct hbp_seen {
	uint32_t from;
	uint32_t to;
	double begun_s;
	double ended_s;
	double mbps;
	double limited_mbps;
	double planned_mbps;
	bool partly;
};

/**
 * struct hbp_news - what that says of a link, or of a pair of a matrix
 * @from: id of the node at its begin
 * @to: id of the node at its end
 * @before_mbps: what was known
 * @mbps: what it is now
 * @lanes: how many have shown it
 * @seen_s: when, of the clock of struct hbp_seen
 */
struct hbp_news {
	uint32_t from;
	uint32_t to;
	double before_mbps;
	double mbps;
	size_t lanes;
	double seen_s;
};

int hbp_update_platform(const struct hbp_platform *platform, const struct hbp_seen *seen,
			size_t n, struct hbp_news **out, size_t *n_out,
			struct hbp_error *err);
int hbp_update_costs(const struct hbp_costs *costs, const struct hbp_seen *seen, size_t n,
		     struct hbp_news **out, size_t *n_out, struct hbp_error *err);
void hbp_update_json(json_t *root, const struct hbp_news *update, const char *time);

#endif /* HBPLAN_UPDATE_H */
