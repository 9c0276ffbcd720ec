// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known anew of a link goes into a file. */
#include <stdbool.h>

#include "json.h"
#include "measure/direction.h"
#include "measure/news.h"
#include "stamp.h"

struct saving {
	const struct hbp_news *news;
	size_t n;
	const char *path;
};

static bool is_id(const json_t *object, const char *key, uint32_t id)
{
	return json_integer_value(json_object_get(object, key)) == id;
}

static void set_measured(json_t *object, const struct hbp_news *news, const char *time)
{
	json_t *measured = json_object_get(object, "measured");

	if (!measured) {
		measured = json_object();
		json_object_set_new(object, "measured", measured);
	}
	json_object_set_new(measured, "bandwidth_method", json_string("broadcast"));
	json_object_set_new(measured, "bandwidth_tests", json_integer(news->lanes));
	json_object_set_new(measured, "bandwidth_time", json_string(time));
	json_object_del(measured, "bandwidth_spread_mbps");
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
 */
void hbp_news_json(json_t *root, const struct hbp_news *news, const char *time)
{
	json_t *links = json_object_get(root, "links"), *nodes = json_object_get(root, "nodes");
	json_t *object, *row;

	if (links) {
		object = hbp_direction_of(links, news->from, news->to);
		json_object_set_new(object, "bandwidth_mbps", json_real(news->mbps));
		set_measured(object, news, time);
		return;
	}
	row = json_array_get(json_object_get(root, "bandwidth_mbps"),
			     place_of(nodes, news->from));
	json_array_set_new(row, place_of(nodes, news->to), json_real(news->mbps));
	set_measured(root, news, time);
}

static int save(struct hbp_reader *rd, json_t *root, void *out)
{
	const struct saving *saving = out;
	char time[HBP_STAMP_LEN];
	size_t i;

	for (i = 0; i < saving->n; i++) {
		hbp_stamp_text((time_t)saving->news[i].seen_s, time);
		hbp_news_json(root, &saving->news[i], time);
	}
	return hbp_json_save(json_incref(root), saving->path, rd->err);
}

/**
 * hbp_news_save() - write news into a file
 * @news: of hbp_update_platform() or hbp_update_costs(), with times of the system's clock
 * @n: how many
 * @path: the file that they are about, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_news_save(const struct hbp_news *news, size_t n, const char *path,
		  struct hbp_error *err)
{
	struct saving saving = { .news = news, .n = n, .path = path };

	return hbp_json_load(path, NULL, save, &saving, err);
}
