// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show group: the groups, and what they threw away. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "show.h"

/* Who may not use a group is told its settings alone: no list then means nothing. */
static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "id", NULL };
	json_t *group;
	size_t i;
	int ret;

	ret = hbgenl_dump(ctl, g, HBCAST_CMD_GROUP_GET, hbattrs_group,
			  identity, "the groups cannot be shown", out);
	if (ret)
		return ret;
	json_array_foreach(*out, i, group) {
		if (!json_object_get(group, "receivers"))
			json_object_del(group, "members");
	}
	return HBCTL_OK;
}

static void user_cell(const json_t *value, char *buf, size_t len)
{
	const struct passwd *user = getpwuid(json_integer_value(value));

	if (user)
		snprintf(buf, len, "%s", user->pw_name);
	else
		hbout_plain(value, buf, len);
}

static void gid_cell(const json_t *value, char *buf, size_t len)
{
	const struct group *group = getgrgid(json_integer_value(value));

	if (group)
		snprintf(buf, len, "%s", group->gr_name);
	else
		hbout_plain(value, buf, len);
}

static void ms_cell(const json_t *value, char *buf, size_t len)
{
	json_t *us = json_real(json_number_value(value) * 1000);

	hbout_usec(us, buf, len);
	json_decref(us);
}

/* No list of members means that the key alone decides. */
static void members_cell(const json_t *value, char *buf, size_t len)
{
	if (value && !json_array_size(value))
		snprintf(buf, len, "any");
	else
		hbshow_ids_cell(value, buf, len);
}

static void drops_text(const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "DROPPED IN", "group", NULL },
		{ "STALE", "stale", NULL },
		{ "TWICE", "twice", NULL },
		{ "NO-RECEIVER", "no_receiver", NULL },
		{ "CHECKSUM", "checksum", NULL },
		{ "STALLED", "stalled", NULL },
		{ "SPOOL", "spool", NULL },
		{ "NO-MEMORY", "no_memory", NULL },
		{ }
	};
	json_t *rows = json_array();
	json_t *group, *row;
	size_t i;

	json_array_foreach((json_t *)result, i, group) {
		row = json_copy(json_object_get(group, "drops"));
		if (!row)
			continue;
		json_object_set(row, "group", json_object_get(group, "id"));
		json_array_append_new(rows, row);
	}
	if (json_array_size(rows)) {
		putc('\n', out);
		hbout_table(out, rows, columns);
	}
	json_decref(rows);
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "GROUP", "id", NULL },
		{ "OWNER", "uid", user_cell },
		{ "GID", "gid", gid_cell },
		{ "MODE", "mode", NULL },
		{ "DEAD", "dead_interval_ms", ms_cell },
		{ "STALL", "stall_interval_ms", ms_cell },
		{ "WINDOW", "window_bytes", hbout_size },
		{ "SPOOL", "spool_bytes", hbout_size },
		{ "RECEIVERS", "receivers", NULL },
		{ "MEMBERS", "members", members_cell },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
	drops_text(result, out);
}

const struct hbshow_noun hbshow_groups = { "groups", get, text };

/**
 * hbshow_group() - the command "show group" and "group show"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_group(struct hbctl *ctl, int argc, char **argv)
{
	uint32_t id = 0;
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &id, HBARG_BARE, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbshow_get(ctl, &hbshow_groups, &result);
	if (ret)
		return ret;
	hbshow_filter(result, "id", id);
	return hbout_print(ctl, result, text);
}
