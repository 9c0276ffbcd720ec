/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: tables of what was measured between pairs of nodes. */
#ifndef HBPLAN_MEASURED_H
#define HBPLAN_MEASURED_H

#include "costs.h"
#include "import.h"
#include "labels.h"
#include "quantity.h"
#include "table.h"

/**
 * struct hbp_measured - what tables have told so far
 * @labels: the nodes
 * @row: each label's row in @costs
 * @costs: HBP_UNTOLD where nothing was told; NULL before the first table
 */
struct hbp_measured {
	struct hbp_labels labels;
	size_t *row;
	struct hbp_costs *costs;
};

int hbp_measured_init(struct hbp_reader *rd, struct hbp_measured *measured);
void hbp_measured_release(struct hbp_measured *measured);
int hbp_measured_matrix(struct hbp_reader *rd, const struct hbp_table *table,
			const struct hbp_quantity *holds,
			struct hbp_measured *measured);
int hbp_measured_list(struct hbp_reader *rd, const struct hbp_table *table,
		      struct hbp_measured *measured);
int hbp_measured_finish(struct hbp_reader *rd, const struct hbp_assumed *assumed,
			struct hbp_measured *measured, struct hbp_costs **out);

#endif /* HBPLAN_MEASURED_H */
