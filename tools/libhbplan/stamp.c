// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of day in files. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stamp.h"

#define FORM	"%Y-%m-%dT%H:%M:%S"

/* A time in whole seconds; returns what follows it, or NULL if there is none. */
static const char *take(const char *text, time_t *time)
{
	struct tm tm = { };
	const char *end = text ? strptime(text, FORM, &tm) : NULL;

	if (end)
		*time = timegm(&tm);
	return end;
}

/**
 * hbp_stamp_text() - a time in words
 * @time: since 1970
 * @text: gets it
 */
void hbp_stamp_text(time_t time, char text[HBP_STAMP_LEN])
{
	struct tm tm;

	gmtime_r(&time, &tm);
	strftime(text, HBP_STAMP_LEN, FORM "Z", &tm);
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
	time_t taken;
	const char *end = take(text, &taken);

	if (!end || strcmp(end, "Z"))
		return false;
	*time = taken;
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
	time_t time;
	const char *end = take(text, &time);
	size_t digits;

	if (!end)
		return false;
	*seconds = (double)time;
	if (*end == '.') {
		digits = strspn(end + 1, "0123456789");
		if (!digits)
			return false;
		*seconds += strtod(end, NULL);
		end += 1 + digits;
	}
	return !strcmp(end, "Z");
}
