// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known anew of a link goes into a file. */
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "json.h"
#include "measure/direction.h"
#include "measure/news.h"
#include "stamp.h"

/**
 * struct saving - news on their way into a file
 * @news: what is known anew
 * @n: how many; receives how many are not older than what the file has
 * @path: the file
 */
struct saving {
	struct hbp_news *news;
	size_t *n;
	const char *path;
};

static bool is_id(const json_t *object, const char *key, uint32_t id)
{
	return json_integer_value(json_object_get(object, key)) == id;
}

/* Of a matrix it is the newest of all news. */
static void set_measured(json_t *object, const struct hbp_news *news, const char *time)
{
	json_t *measured = hbp_direction_measured(object, "broadcast", time);

	json_object_set_new(measured, "bandwidth_tests", json_integer(news->lanes));
}

/* Whether the file has a figure that is newer: of a link, or of a whole matrix. */
static bool is_older(json_t *root, const struct hbp_news *news)
{
	json_t *links = json_object_get(root, "links"), *object = root;
	const char *key = links ? "bandwidth_time" : "time";
	time_t time;

	if (links)
		object = hbp_direction_of(links, news->from, news->to);
	return hbp_stamp_parse(json_string_value(json_object_get(json_object_get(object,
										 "measured"),
								 key)), &time) &&
	       time > (time_t)news->seen_s;
}

static size_t place_of(const json_t *nodes, uint32_t id)
{
	size_t i;

	for (i = 0; i < json_array_size(nodes); i++)
		if (is_id(json_array_get(nodes, i), "id", id))
			break;
	return i;
}

/**
 * hbp_news_json() - write news into an object
 * @root: the object of a platform or a cost matrix that has the link or pair
 * @news: of hbp_update_platform() or hbp_update_costs()
 * @time: when that was seen, in the form of RFC 3339
 *
 * All else in the file stays.
 *
 * Return: false if there is no such link or pair.
 */
bool hbp_news_json(json_t *root, const struct hbp_news *news, const char *time)
{
	json_t *links = json_object_get(root, "links"), *nodes = json_object_get(root, "nodes");
	json_t *object, *row;

	if (links) {
		object = hbp_direction_of(links, news->from, news->to);
		if (json_object_set_new(object, "bandwidth_mbps", json_real(news->mbps)))
			return false;
		set_measured(object, news, time);
		return true;
	}
	row = json_array_get(json_object_get(root, "bandwidth_mbps"),
			     place_of(nodes, news->from));
	if (json_array_set_new(row, place_of(nodes, news->to), json_real(news->mbps)))
		return false;
	set_measured(root, news, time);
	return true;
}

static int by_age(const void *a, const void *b)
{
	const struct hbp_news *one = a, *other = b;

	return (one->seen_s > other->seen_s) - (one->seen_s < other->seen_s);
}

static int save(struct hbp_reader *rd, json_t *root, void *out)
{
	const struct saving *saving = out;
	char time[HBP_STAMP_LEN];
	size_t i, n = 0;

	for (i = 0; i < *saving->n; i++)
		if (!is_older(root, &saving->news[i]))
			saving->news[n++] = saving->news[i];
	*saving->n = n;
	qsort(saving->news, n, sizeof(*saving->news), by_age);
	for (i = 0; i < n; i++) {
		hbp_stamp_text((time_t)saving->news[i].seen_s, time);
		if (!hbp_news_json(root, &saving->news[i], time))
			return hbp_json_fault(rd,
					      "the bandwidth from %u to %u is not there any more: look whether somebody else has written the file",
					      saving->news[i].from, saving->news[i].to);
	}
	return n ? hbp_json_save(json_incref(root), saving->path, rd->err) : 0;
}

/**
 * hbp_news_save() - write news into a file
 * @news: of hbp_update_platform() or hbp_update_costs(), with times of the system's clock;
 *	those that are written come first, in the order of their times
 * @n: how many; receives how many are not older than the figures of the file
 * @path: the file that they are about, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_news_save(struct hbp_news *news, size_t *n, const char *path, struct hbp_error *err)
{
	struct saving saving = { .news = news, .n = n, .path = path };

	return hbp_json_load(path, NULL, save, &saving, err);
}
