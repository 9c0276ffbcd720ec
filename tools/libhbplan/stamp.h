/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of day in files, in the form of RFC 3339: "2026-01-31T12:00:00Z". */
#ifndef HBPLAN_STAMP_H
#define HBPLAN_STAMP_H

#include <stdbool.h>
#include <time.h>

#define HBP_STAMP_LEN		32
#define HBP_STAMP_APART_S	5	/* clocks of machines may differ by so much */

void hbp_stamp_text(time_t time, char text[HBP_STAMP_LEN]);
bool hbp_stamp_parse(const char *text, time_t *time);
void hbp_stamp_now(char text[HBP_STAMP_LEN]);
bool hbp_stamp_seconds(const char *text, double *seconds);

#endif /* HBPLAN_STAMP_H */
