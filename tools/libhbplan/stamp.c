// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of day in files. */
#include <stddef.h>

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
