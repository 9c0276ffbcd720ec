/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: what foreign files call nodes, and the ids that these get. */
#ifndef HBPLAN_LABELS_H
#define HBPLAN_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

/* The largest number that is taken as an id, so that more ids follow. */
#define HBP_LABEL_ID_MAX	2147483647

/**
 * struct hbp_labels - what nodes are called, in the order of the file
 * @at: label to index
 */
struct hbp_labels {
	json_t *at;
};

int hbp_labels_init(struct hbp_reader *rd, struct hbp_labels *labels);
void hbp_labels_release(struct hbp_labels *labels);
size_t hbp_labels_count(const struct hbp_labels *labels);
size_t hbp_labels_find(const struct hbp_labels *labels, const char *label);
int hbp_labels_add(struct hbp_reader *rd, struct hbp_labels *labels,
		   const char *label, size_t line, size_t *index);
bool hbp_labels_ids(const struct hbp_labels *labels, uint32_t *ids);

#endif /* HBPLAN_LABELS_H */
