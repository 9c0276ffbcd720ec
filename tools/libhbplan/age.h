/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the bandwidths of an input were measured. */
#ifndef HBPLAN_AGE_H
#define HBPLAN_AGE_H

#include <time.h>

#include <jansson.h>

/**
 * struct hbp_age - when bandwidths were measured, as far as a file tells
 * @oldest: the first of these times, seconds since 1970; 0 if it tells none
 * @newest: the last one, likewise
 */
struct hbp_age {
	time_t oldest;
	time_t newest;
};

void hbp_age_read(const json_t *root, struct hbp_age *age);
json_t *hbp_age_to_json(const struct hbp_age *age);

#endif /* HBPLAN_AGE_H */
