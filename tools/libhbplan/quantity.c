// SPDX-License-Identifier: GPL-2.0-or-later
/* What a column of a foreign file tells, and in which unit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "quantity.h"
#include "units.h"

static const struct hbp_quantity quantities[] = {
	{ "latency_us", false, 1, false },
	{ "latency_ms", false, 1e3, false },
	{ "latency_s", false, 1e6, false },
	{ "rtt_us", false, 0.5, true },
	{ "rtt_ms", false, 0.5e3, true },
	{ "rtt_s", false, 0.5e6, true },
	{ "bandwidth_bps", true, 0.000001, true },
	{ "bandwidth_kbps", true, 0.001, true },
	{ "bandwidth_mbps", true, 1, true },
	{ "bandwidth_gbps", true, 1e3, true },
};

#define N_QUANTITIES	(sizeof(quantities) / sizeof(quantities[0]))

/**
 * hbp_quantity_find() - what a name means
 * @name: with the unit
 *
 * Return: the quantity or NULL.
 */
const struct hbp_quantity *hbp_quantity_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_QUANTITIES; i++)
		if (!strcmp(quantities[i].name, name))
			return &quantities[i];
	return NULL;
}

/**
 * hbp_quantity_names() - all names there are, for a sentence
 * @buf: gets "a, b or c", cut if there is no room
 * @len: room in @buf
 */
void hbp_quantity_names(char *buf, size_t len)
{
	size_t i, at = 0;

	for (i = 0; i < N_QUANTITIES && at < len; i++)
		at += (size_t)snprintf(buf + at, len - at, "%s%s", !i ? "" :
				       i + 1 < N_QUANTITIES ? ", " : " or ",
				       quantities[i].name);
}

static bool is_nothing(const char *text)
{
	static const char *const words[] = { "", "-", "na", "n/a", "nan", "null" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	return false;
}

/**
 * hbp_quantity_read() - read a number
 * @quantity: what it means
 * @text: the number as decimal digits; nothing, "-", "NA", "NaN" or "null" if it
 *	is not known, and so is what is below 0
 * @value: receives nanoseconds one way or bit/s, or HBP_UNTOLD
 *
 * Return: NULL, or what the number must be.
 */
const char *hbp_quantity_read(const struct hbp_quantity *quantity,
			      const char *text, int64_t *value)
{
	double number;
	char *end;

	*value = HBP_UNTOLD;
	if (is_nothing(text))
		return NULL;
	/* Nothing else that strtod() knows, such as "0x10" or "inf". */
	if (text[strspn(text, "0123456789.+-eE")])
		return "a number, or nothing if it is not known";
	number = strtod(text, &end);
	if (end == text || *end)
		return "a number, or nothing if it is not known";
	if (number < 0 || (number == 0 && quantity->zero))
		return NULL;
	number *= quantity->factor;
	if (quantity->bandwidth) {
		if (number < HBP_BANDWIDTH_MIN_MBPS ||
		    number > HBP_BANDWIDTH_MAX_MBPS)
			return "as much as " HBP_MUST_BE_BANDWIDTH;
		*value = hbp_bps_from_mbps(number);
	} else {
		if (number > HBP_LATENCY_MAX_US)
			return "as much as " HBP_MUST_BE_LATENCY;
		*value = hbp_ns_from_us(number);
	}
	return NULL;
}
