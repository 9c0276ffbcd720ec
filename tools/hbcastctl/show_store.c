// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show store: what this node has of messages, and how far its children are. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "show.h"

static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "group", "root", "id", NULL };

	return hbgenl_dump(ctl, g, HBCAST_CMD_STORE_GET, hbattrs_store, identity,
			   "the stores cannot be shown", out);
}

/* The children of all stores, each with the message that they are to get. */
static json_t *children(const json_t *stores)
{
	static const char * const keys[] = { "group", "root", "id", "pieces", NULL };
	json_t *all = json_array(), *row, *child;
	const json_t *store;
	unsigned int k;
	size_t i, j;

	json_array_foreach(stores, i, store) {
		json_array_foreach(json_object_get(store, "children"), j, child) {
			row = json_copy(child);
			for (k = 0; keys[k]; k++)
				json_object_set(row, keys[k], json_object_get(store, keys[k]));
			json_array_append_new(all, row);
		}
	}
	return all;
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "GROUP", "group", NULL },
		{ "ROOT", "root", NULL },
		{ "MESSAGE", "id", NULL },
		{ "LENGTH", "bytes", hbout_size },
		{ "PIECES", "pieces", NULL },
		{ "WHOLE", "whole", NULL },
		{ "MEMORY", "memory_bytes", hbout_size },
		{ "FILE", "filed_bytes", hbout_size },
		{ "RESUMED", "resumed_bytes", hbout_size },
		{ "REASON", "reason", NULL },
		{ "NODES", "nodes", NULL },
		{ "DELIVERED", "delivered", NULL },
		{ "FAILED", "failed", NULL },
		{ }
	};
	static const struct hbout_column cursors[] = {
		{ "GROUP", "group", NULL },
		{ "ROOT", "root", NULL },
		{ "MESSAGE", "id", NULL },
		{ "CHILD", "node", NULL },
		{ "SLOT", "slot", NULL },
		{ "PIECES", "pieces", NULL },
		{ "SENT", "sent", NULL },
		{ "BEHIND", "behind", NULL },
		{ "ARRIVED", "arrived_bytes", hbout_size },
		{ "WAITS", "wait", NULL },
		{ }
	};
	json_t *all = children(result);

	(void)ctl;
	hbout_table(out, result, columns);
	if (json_array_size(all)) {
		putc('\n', out);
		hbout_table(out, all, cursors);
	}
	json_decref(all);
}

const struct hbshow_noun hbshow_stores = { "stores", get, text };

/**
 * hbshow_store() - the command "show store"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_store(struct hbctl *ctl, int argc, char **argv)
{
	uint32_t group = 0, root = 0;
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &group, 0, 0 },
		{ "root", hbarg_id, &root, 0, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbshow_get(ctl, &hbshow_stores, &result);
	if (ret)
		return ret;
	hbshow_filter(result, "group", group);
	hbshow_filter(result, "root", root);
	return hbout_print(ctl, result, text);
}
