// SPDX-License-Identifier: GPL-2.0-or-later
/* When the bandwidths of an input were measured. */
#include "age.h"
#include "stamp.h"

/* The time that @key of @object's "measured" tells, if there is one. */
static void add_time(const json_t *object, const char *key, struct hbp_age *age)
{
	const json_t *measured = json_object_get(object, "measured");
	time_t time;

	if (!hbp_stamp_parse(json_string_value(json_object_get(measured, key)), &time))
		return;
	if (!age->oldest || time < age->oldest)
		age->oldest = time;
	if (time > age->newest)
		age->newest = time;
}

/**
 * hbp_age_read() - look when the bandwidths of a file were measured
 * @root: the file's object: a cost matrix or a platform
 * @age: receives it
 *
 * Each link of a platform has a time of its own. A cost matrix has one for all, and that
 * of its last correction. What is no time of 1970 or later tells nothing.
 */
void hbp_age_read(const json_t *root, struct hbp_age *age)
{
	json_t *links = json_object_get(root, "links"), *link;
	size_t i;

	*age = (struct hbp_age){ };
	if (!links)
		add_time(root, "time", age);
	add_time(root, "bandwidth_time", age);
	json_array_foreach(links, i, link)
		add_time(link, "bandwidth_time", age);
}

/**
 * hbp_age_to_json() - both times
 * @age: what hbp_age_read() has found
 *
 * Return: an object, to be released by the caller; NULL if there are none.
 */
json_t *hbp_age_to_json(const struct hbp_age *age)
{
	char oldest[HBP_STAMP_LEN], newest[HBP_STAMP_LEN];

	if (!age->oldest)
		return NULL;
	hbp_stamp_text(age->oldest, oldest);
	hbp_stamp_text(age->newest, newest);
	return json_pack("{s:s, s:s}", "oldest", oldest, "newest", newest);
}
