// SPDX-License-Identifier: GPL-2.0-or-later
/* What lanes of a group have shown at some nodes: lists that "show lane" has written. */
#include <stdlib.h>
#include <string.h>

#include "lane_list.h"
#include "show.h"
#include "stamp.h"

/**
 * hblanes_parse() - the parser of a key that names a file of lanes
 * @ctl: the run
 * @key: the key
 * @word: the file
 * @dest: struct hblanes
 *
 * Return: HBCTL_OK.
 */
int hblanes_parse(struct hbctl *ctl, const char *key, const char *word, void *dest)
{
	struct hblanes *l = dest;

	(void)ctl;
	(void)key;
	l->files = realloc(l->files, (l->n_files + 1) * sizeof(*l->files));
	if (!l->files)
		abort();
	l->files[l->n_files++] = word;
	return HBCTL_OK;
}

/**
 * hblanes_number() - a figure of a lane
 * @row: the lane
 * @key: which
 *
 * Return: it, or 0 where there is none.
 */
double hblanes_number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static bool is_word(const json_t *row, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text && !strcmp(text, word);
}

/* One row of a list of lanes. */
static int take_row(struct hblanes *l, const char *name, json_t *row)
{
	const char *text = json_string_value(json_object_get(row, "time"));
	double time;

	if (!json_is_integer(json_object_get(row, "node")) ||
	    !json_is_integer(json_object_get(row, "peer")) || !hbp_stamp_seconds(text, &time))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: a lane lacks node, peer or time: write the file with \"hbcastctl -j show lane\"",
				   name);
	if (time > (double)(l->now + HBP_STAMP_APART_S))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: %s is in the future: set the clocks of both machines",
				   name, text);
	if (hblanes_number(row, "group") == l->group && is_word(row, "direction", "down"))
		json_array_append(l->rows, row);
	return HBCTL_OK;
}

/* The lanes of one node, or of some; none of them is known yet. */
static int take_rows(struct hblanes *l, const char *name, json_t *rows)
{
	json_t *mine = json_object(), *row;
	int ret = HBCTL_OK;
	const char *key;
	char node[16];
	bool any = false;
	size_t i;

	json_array_foreach(rows, i, row) {
		snprintf(node, sizeof(node), "%.0f", hblanes_number(row, "node"));
		json_object_set_new(mine, node, json_true());
		any = any || hblanes_number(row, "group") == l->group;
		ret = ret ? ret : take_row(l, name, row);
	}
	if (!ret && json_array_size(rows) && !any)
		ret = hbctl_error(l->ctl, HBCTL_USAGE,
				  "%s: no lane is of group %u: it is of another group",
				  name, l->group);
	json_object_foreach(mine, key, row) {
		if (!ret && json_object_get(l->nodes, key))
			ret = hbctl_error(l->ctl, HBCTL_USAGE,
					  "%s: the lanes of node %s are in another file, too: give them once",
					  name, key);
	}
	json_object_update(l->nodes, mine);
	json_decref(mine);
	return ret;
}

static int read_file(struct hblanes *l, const char *name)
{
	json_error_t why;
	json_t *rows = json_load_file(name, 0, &why);
	int ret;

	if (!json_is_array(rows))
		ret = hbctl_error(l->ctl, HBCTL_USAGE,
				  "%s: %s: write the file with \"hbcastctl -j show lane\"",
				  name, rows ? "is no list of lanes" : why.text);
	else
		ret = take_rows(l, name, rows);
	json_decref(rows);
	return ret;
}

static int read_own(struct hblanes *l)
{
	json_t *rows;
	int ret = hbshow_get(l->ctl, &hbshow_lanes, &rows);

	if (ret)
		return ret;
	ret = take_rows(l, "this node", rows);
	json_decref(rows);
	return ret;
}

/**
 * hblanes_read() - read all files of lanes, or without any ask this node
 * @l: the lanes
 *
 * Return: an exit code; the error has been reported.
 */
int hblanes_read(struct hblanes *l)
{
	size_t i;
	int ret;

	l->rows = json_array();
	l->nodes = json_object();
	ret = l->n_files ? HBCTL_OK : read_own(l);
	for (i = 0; !ret && i < l->n_files; i++)
		ret = read_file(l, l->files[i]);
	return ret;
}

/**
 * hblanes_clear() - release what has been read
 * @l: the lanes
 */
void hblanes_clear(struct hblanes *l)
{
	free(l->files);
	json_decref(l->rows);
	json_decref(l->nodes);
}
