// SPDX-License-Identifier: GPL-2.0-or-later
/* What lanes of a group have shown at some nodes: lists that "show lane" has written. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "lane_list.h"
#include "show.h"
#include "stamp.h"

#define MOST	1e15	/* of any figure: 32 years in us, or 1 PB */

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

/* Figures of a lane are there or not, and in bounds; it was limited for a part of its time. */
static bool has_good_figures(const json_t *row)
{
	static const char * const keys[] = {
		"slot", "root", "spell_us", "spell_age_us", "spell_bytes", "spell_mbps",
		"limited_us", "limited_bytes", "planned_mbps", "mss_bytes", "busy_us",
		"rwnd_limited_us", "retransmits", NULL
	};
	const json_t *value;
	double number;
	size_t i;

	for (i = 0; keys[i]; i++) {
		value = json_object_get(row, keys[i]);
		if (value && !json_is_null(value) && !hbp_json_real(value, 0, MOST, &number))
			return false;
	}
	return (!hblanes_number(row, "limited_us") || hblanes_number(row, "limited_bytes")) &&
	       (!hblanes_number(row, "spell_us") || hblanes_number(row, "spell_bytes")) &&
	       hblanes_number(row, "limited_bytes") <= hblanes_number(row, "spell_bytes");
}

/* One row of a list of lanes. */
static int take_row(struct hblanes *l, const char *name, json_t *row)
{
	const char *text = json_string_value(json_object_get(row, "time"));
	uint32_t id;
	double time;

	if (!hbp_json_id(json_object_get(row, "node"), &id) ||
	    !hbp_json_id(json_object_get(row, "peer"), &id) || !hbp_stamp_seconds(text, &time))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: a lane lacks node, peer or time: write the file with \"hbcastctl -j show lane\"",
				   name);
	if (!has_good_figures(row))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: the lane from node %.0f to node %.0f has figures that cannot be: write the file with \"hbcastctl -j show lane\"",
				   name, hblanes_number(row, "node"),
				   hblanes_number(row, "peer"));
	if (time > (double)(l->now + HBP_STAMP_APART_S))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: %s is in the future: set the clocks of both machines",
				   name, text);
	if (hblanes_number(row, "group") == l->group &&
	    hbp_json_says(json_object_get(row, "direction"), "down"))
		json_array_append(l->rows, row);
	return HBCTL_OK;
}

/* A lane that is in the list already, or has come twice; @seen has all before it. */
static int check_once(struct hblanes *l, const char *name, const json_t *row, json_t *seen)
{
	const char *direction = json_string_value(json_object_get(row, "direction"));
	char key[160];

	snprintf(key, sizeof(key), "%.0f %.0f %.0f %.0f %.0f %.0f %.16s",
		 hblanes_number(row, "node"), hblanes_number(row, "id"),
		 hblanes_number(row, "peer"), hblanes_number(row, "group"),
		 hblanes_number(row, "root"), hblanes_number(row, "slot"),
		 direction ? direction : "");
	if (json_object_get(seen, key))
		return hbctl_error(l->ctl, HBCTL_USAGE,
				   "%s: a lane from node %.0f to node %.0f is there twice: give it once",
				   name, hblanes_number(row, "node"),
				   hblanes_number(row, "peer"));
	json_object_set_new(seen, key, json_true());
	return HBCTL_OK;
}

/* The lanes of one node, or of some; none of them is known yet. */
static int take_rows(struct hblanes *l, const char *name, json_t *rows)
{
	json_t *mine = json_object(), *seen = json_object(), *row;
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
		ret = ret ? ret : check_once(l, name, row, seen);
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
	json_decref(seen);
	json_decref(mine);
	return ret;
}

static int read_file(struct hblanes *l, const char *name)
{
	struct hbp_reader rd;
	struct hbp_error err;
	json_error_t why;
	char *text = NULL;
	json_t *rows;
	size_t len = 0;
	int ret;

	hbp_reader_init(&rd, name, NULL, &err);
	if (hbp_reader_text(&rd, name, &text, &len))
		return hbctl_error(l->ctl, HBCTL_USAGE, "%s", err.text);
	rows = json_loadb(text, len, 0, &why);
	free(text);
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
