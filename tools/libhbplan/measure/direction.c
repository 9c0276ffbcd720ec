// SPDX-License-Identifier: GPL-2.0-or-later
/* A link that counts both ways becomes two, so that one of them can change. */
#include <stdbool.h>

#include "measure/direction.h"

static bool is_between(const json_t *link, uint32_t from, uint32_t to)
{
	return json_integer_value(json_object_get(link, "from")) == from &&
	       json_integer_value(json_object_get(link, "to")) == to;
}

/**
 * hbp_direction_of() - find a direction of a link, in an object of its own
 * @links: the array of a platform; an entry for both directions becomes two
 * @from: id of the node at its begin
 * @to: id of the node at its end
 *
 * Return: the object, owned by @links; NULL if there is no such link.
 */
json_t *hbp_direction_of(json_t *links, uint32_t from, uint32_t to)
{
	json_t *link, *back;
	size_t i;

	json_array_foreach(links, i, link) {
		bool same = is_between(link, from, to);
		bool symmetric = json_is_true(json_object_get(link, "symmetric"));

		if (!same && !(symmetric && is_between(link, to, from)))
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

/**
 * hbp_direction_measured() - note where a bandwidth is from
 * @object: a direction, or a whole cost matrix
 * @method: what has shown it
 * @time: when, in the form of RFC 3339
 *
 * What was told of the bandwidth before goes; of the latency it stays.
 *
 * Return: what is told of the measurement, owned by @object.
 */
json_t *hbp_direction_measured(json_t *object, const char *method, const char *time)
{
	json_t *measured = json_object_get(object, "measured");

	if (!json_is_object(measured)) {
		measured = json_object();
		json_object_set_new(object, "measured", measured);
	}
	json_object_set_new(measured, "bandwidth_method", json_string(method));
	json_object_set_new(measured, "bandwidth_time", json_string(time));
	json_object_del(measured, "bandwidth_spread_mbps");
	json_object_del(measured, "bandwidth_tests");
	return measured;
}
