// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known anew of a link goes into a file. */
#include <stdbool.h>

#include "measure/news.h"

static bool is_id(const json_t *object, const char *key, uint32_t id)
{
	return json_integer_value(json_object_get(object, key)) == id;
}

/* The direction of a link of the file in an object of its own. */
static json_t *link_of(json_t *links, uint32_t from, uint32_t to)
{
	json_t *link, *back;
	size_t i;

	json_array_foreach(links, i, link) {
		bool same = is_id(link, "from", from) && is_id(link, "to", to);
		bool symmetric = json_is_true(json_object_get(link, "symmetric"));

		if (!same && !(symmetric && is_id(link, "from", to) && is_id(link, "to", from)))
			continue;
		if (!symmetric)
			return link;
		json_object_del(link, "symmetric");
		back = json_deep_copy(link);
		json_object_set(back, "from", json_object_get(link, "to"));
		json_object_set(back, "to", json_object_get(link, "from"));
		json_array_insert_new(links, i + 1, back);
		return same ? link : back;
	}
	return NULL;
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
 * hbp_news_json() - write news into a file
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
		object = link_of(links, news->from, news->to);
		json_object_set_new(object, "bandwidth_mbps", json_real(news->mbps));
		set_measured(object, news, time);
		return;
	}
	row = json_array_get(json_object_get(root, "bandwidth_mbps"),
			     place_of(nodes, news->from));
	json_array_set_new(row, place_of(nodes, news->to), json_real(news->mbps));
	set_measured(root, news, time);
}
