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
