/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links of a platform that carry less than it says, as a rehearsal has shown. */
#ifndef HBPLAN_CORRECTION_H
#define HBPLAN_CORRECTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"
#include "measure/rehearsal.h"

/**
 * struct hbp_correction - one direction of a link
 * @from: id of the sending end
 * @to: id of the receiving end
 * @before_bps: what the platform's file says that it carries, headers counted if there
 * @after_bps: what it is to say now, less
 * @acks: no edge that fell short sends over it: it holds up their acknowledgements
 */
struct hbp_correction {
	uint32_t from;
	uint32_t to;
	int64_t before_bps;
	int64_t after_bps;
	bool acks;
};

/**
 * struct hbp_corrections - what rehearsals on one platform have shown
 * @n: number of @links
 * @links: in the order in which they were found, each once a rehearsal; owned
 * @most_bps: of each link of the platform, the most that was seen to cross it; owned
 */
struct hbp_corrections {
	size_t n;
	struct hbp_correction *links;
	double *most_bps;
};

int hbp_correct(const struct hbp_rehearsal *rehearsal, struct hbp_input *in,
		struct hbp_corrections *found, struct hbp_error *err);
int hbp_corrections_save(const struct hbp_corrections *corrections, const char *platform,
			 const char *path, struct hbp_error *err);
void hbp_corrections_clear(struct hbp_corrections *corrections);

#endif /* HBPLAN_CORRECTION_H */
