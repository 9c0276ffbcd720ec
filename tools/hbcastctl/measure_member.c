// SPDX-License-Identifier: GPL-2.0-or-later
/* Who can have a part in a measurement of a group. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "genl.h"
#include "measure_member.h"
#include "show.h"

/**
 * hbmeas_members_add() - one more node
 * @members: nodes; filled with zeros at first
 * @id: its id
 */
void hbmeas_members_add(struct hbmeas_members *members, uint32_t id)
{
	members->ids = realloc(members->ids, (members->n + 1) * sizeof(*members->ids));
	if (!members->ids)
		abort();
	members->ids[members->n++] = id;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/**
 * hbmeas_members_sort() - put nodes into ascending order
 * @members: all of them
 */
void hbmeas_members_sort(struct hbmeas_members *members)
{
	qsort(members->ids, members->n, sizeof(*members->ids), compare_ids);
}

/**
 * hbmeas_members_have() - whether a node is among them
 * @members: nodes in any order
 * @id: its id
 *
 * Return: whether it is.
 */
bool hbmeas_members_have(const struct hbmeas_members *members, uint32_t id)
{
	size_t i;

	for (i = 0; i < members->n; i++)
		if (members->ids[i] == id)
			return true;
	return false;
}

/**
 * hbmeas_members_parse() - the parser of a key for ids with commas between them
 * @ctl: the run
 * @key: the key
 * @word: the value's text
 * @dest: struct hbmeas_members
 *
 * Return: HBCTL_OK or HBCTL_USAGE.
 */
int hbmeas_members_parse(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	struct hbmeas_members *members = dest;
	char *list = strdup(word), *rest = list, *one;
	uint32_t id;
	int ret = HBCTL_OK;

	if (!list)
		abort();
	while (!ret && (one = strsep(&rest, ","))) {
		ret = hbarg_id(ctl, key, one, &id);
		if (!ret && hbmeas_members_have(members, id))
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "%s has node %u twice: write each once", key, id);
		if (!ret)
			hbmeas_members_add(members, id);
	}
	free(list);
	hbmeas_members_sort(members);
	return ret;
}

/**
 * hbmeas_members_check() - whether this node can reach them
 * @ctl: the run
 * @own: this node's id
 * @members: the nodes
 *
 * Return: HBCTL_OK, or an exit code after it has been said which is no peer.
 */
int hbmeas_members_check(struct hbctl *ctl, uint32_t own, struct hbmeas_members *members)
{
	struct hbmeas_members known = { };
	json_t *rows, *row;
	size_t i;
	int ret;

	ret = hbshow_get(ctl, &hbshow_peers, &rows);
	if (ret)
		return ret;
	hbmeas_members_add(&known, own);
	json_array_foreach(rows, i, row)
		hbmeas_members_add(&known, json_integer_value(json_object_get(row, "id")));
	json_decref(rows);
	for (i = 0; !ret && i < members->n; i++)
		if (!hbmeas_members_have(&known, members->ids[i]))
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "node %u is no peer of this one: add it with \"hbcastctl peer add\", or leave it out with the key nodes",
					  members->ids[i]);
	free(known.ids);
	return ret;
}

/**
 * hbmeas_members_find() - the members of a group
 * @ctl: the run
 * @group: the group's id
 * @own: this node's id
 * @members: receives them; without a list of them all nodes that this one knows. To be
 *	released with free() of its ids, whatever is returned
 *
 * Return: HBCTL_OK, or an exit code after the error has been reported.
 */
int hbmeas_members_find(struct hbctl *ctl, uint32_t group, uint32_t own,
			struct hbmeas_members *members)
{
	json_t *rows, *row, *list = NULL, *id;
	size_t i;
	int ret;

	ret = hbshow_get(ctl, &hbshow_groups, &rows);
	if (ret)
		return ret;
	json_array_foreach(rows, i, row)
		if (json_integer_value(json_object_get(row, "id")) == group)
			list = json_object_get(row, "members");
	json_array_foreach(list, i, id)
		hbmeas_members_add(members, json_integer_value(id));
	json_decref(rows);
	members->listed = members->n;
	if (members->listed)
		goto sort;
	ret = hbshow_get(ctl, &hbshow_peers, &rows);
	if (ret)
		return ret;
	hbmeas_members_add(members, own);
	json_array_foreach(rows, i, row)
		hbmeas_members_add(members,
				   json_integer_value(json_object_get(row, "id")));
	json_decref(rows);
sort:
	hbmeas_members_sort(members);
	return HBCTL_OK;
}

/**
 * hbmeas_own_id() - the id of this node, the coordinator
 * @ctl: the run
 * @own: receives it
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after the refusal has been reported.
 */
int hbmeas_own_id(struct hbctl *ctl, uint32_t *own)
{
	struct hbgenl g;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (!ret)
		ret = hbgenl_own_id(ctl, &g, "the network cannot be measured from here", own);
	hbgenl_close(&g);
	return ret;
}
