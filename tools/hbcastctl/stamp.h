/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of day in files, in the form of RFC 3339: "2026-01-31T12:00:00Z". */
#ifndef HBCASTCTL_STAMP_H
#define HBCASTCTL_STAMP_H

#include <stdbool.h>
#include <time.h>

#define HBSTAMP_LEN	32

void hbstamp_text(time_t time, char text[HBSTAMP_LEN]);
bool hbstamp_parse(const char *text, time_t *time);

#endif /* HBCASTCTL_STAMP_H */
