/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network that was found, as a platform file that tells how it was found. */
#ifndef HBPLAN_RECORD_H
#define HBPLAN_RECORD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "measure/inferred.h"

/**
 * struct hbp_lost - a host that was not reached
 * @id: its id
 * @why: a sentence
 */
struct hbp_lost {
	uint32_t id;
	const char *why;
};

/**
 * struct hbp_record - what a file tells of a measurement
 * @inferred: what was found
 * @n_times: number of @times
 * @times: when each round of flows, and after those of bursts, has ended, in the form of
 *	RFC 3339; the first one is when round trips were known
 * @n_lost: number of @lost
 * @lost: hosts that were not reached
 */
struct hbp_record {
	const struct hbp_inferred *inferred;
	size_t n_times;
	const char *const *times;
	size_t n_lost;
	const struct hbp_lost *lost;
};

json_t *hbp_record_odd(const struct hbp_inferred *inferred);
char *hbp_record_text(const struct hbp_record *record, struct hbp_error *err);
int hbp_record_save(const struct hbp_record *record, const char *path,
		    struct hbp_error *err);

#endif /* HBPLAN_RECORD_H */
