/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known anew of a link of a platform, or of a pair of a cost matrix. */
#ifndef HBPLAN_NEWS_H
#define HBPLAN_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "error.h"

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

bool hbp_news_json(json_t *root, const struct hbp_news *news, const char *time);
int hbp_news_save(struct hbp_news *news, size_t *n, const char *path, struct hbp_error *err);

#endif /* HBPLAN_NEWS_H */
