// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of day in files. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stamp.h"

#define FORM	"%Y-%m-%dT%H:%M:%SZ"

/**
 * hbp_stamp_text() - a time in words
 * @time: since 1970
 * @text: gets it
 */
void hbp_stamp_text(time_t time, char text[HBP_STAMP_LEN])
{
	struct tm tm;

	gmtime_r(&time, &tm);
	strftime(text, HBP_STAMP_LEN, FORM, &tm);
}

/**
 * hbp_stamp_parse() - the time that words tell
 * @text: as of hbp_stamp_text(), or NULL
 * @time: gets it
 *
 * Return: whether it is one.
 */
bool hbp_stamp_parse(const char *text, time_t *time)
{
	struct tm tm = { };
	const char *end = text ? strptime(text, FORM, &tm) : NULL;

	if (!end || *end)
		return false;
	*time = timegm(&tm);
	return true;
}

/**
 * hbp_stamp_now() - the time by now in words, to the microsecond
 * @text: gets it
 */
void hbp_stamp_now(char text[HBP_STAMP_LEN])
{
	struct timespec now;
	size_t seconds;

	clock_gettime(CLOCK_REALTIME, &now);
	hbp_stamp_text(now.tv_sec, text);
	/* The fraction stands before the Z. */
	seconds = strlen(text) - 1;
	snprintf(text + seconds, HBP_STAMP_LEN - seconds, ".%06ldZ", now.tv_nsec / 1000 % 1000000);
}

/**
 * hbp_stamp_seconds() - the time that words tell, with or without a fraction
 * @text: as of hbp_stamp_now() or hbp_stamp_text(), or NULL
 * @seconds: gets it, since 1970
 *
 * Return: whether it is one.
 */
bool hbp_stamp_seconds(const char *text, double *seconds)
{
	const char *point = text ? strchr(text, '.') : NULL;
	char whole[HBP_STAMP_LEN];
	size_t digits = 0;
	time_t time;

	if (!text)
		return false;
	*seconds = 0;
	if (point) {
		digits = strspn(point + 1, "0123456789");
		if (!digits || strcmp(point + 1 + digits, "Z"))
			return false;
		*seconds = strtod(point, NULL);
	}
	if (snprintf(whole, sizeof(whole), "%.*s%s", point ? (int)(point - text) : HBP_STAMP_LEN,
		     text, point ? "Z" : "") >= HBP_STAMP_LEN ||
	    !hbp_stamp_parse(whole, &time))
		return false;
	*seconds += (double)time;
	return true;
}
