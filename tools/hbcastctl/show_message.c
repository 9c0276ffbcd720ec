// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show message: what this root has sent, and who has it. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "json.h"
#include "lane_list.h"
#include "show.h"
#include "show_explain.h"

static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "group", "id", NULL };
	json_t *row;
	size_t i;
	int ret;

	ret = hbgenl_dump(ctl, g, HBCAST_CMD_MESSAGE_GET, hbattrs_message,
			  identity, "the messages cannot be shown", out);
	if (ret)
		return ret;
	/* A dump leaves the members out, which is not the same as none. */
	json_array_foreach(*out, i, row)
		json_object_del(row, "nodes");
	return HBCTL_OK;
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "GROUP", "group", NULL },
		{ "MESSAGE", "id", NULL },
		{ "PORT", "port", NULL },
		{ "LENGTH", "bytes", hbout_size },
		{ "SENT", "sent_bytes", hbout_size },
		{ "MEMBERS", "members", NULL },
		{ "DELIVERED", "delivered", NULL },
		{ "FAILED", "failed", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

const struct hbshow_noun hbshow_messages = { "messages", get, text };

/**
 * hbshow_members() - write what became of a message at its members
 * @out: where
 * @rows: an array of objects with node, state, reason, bytes and time_us
 */
void hbshow_members(FILE *out, const json_t *rows)
{
	static const struct hbout_column columns[] = {
		{ "NODE", "node", NULL },
		{ "STATE", "state", NULL },
		{ "REASON", "reason", NULL },
		{ "HAS", "bytes", hbout_size },
		{ "TIME", "time_us", hbout_known_usec },
		{ }
	};

	hbout_table(out, rows, columns);
}

static void one_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	json_t *rows = json_pack("[O]", result);

	text(ctl, rows, out);
	json_decref(rows);
	putc('\n', out);
	hbshow_members(out, json_object_get(result, "nodes"));
}

static int explain(struct hblanes *lanes, uint32_t group, const char *plan, json_t *message)
{
	lanes->group = group;
	return hbexplain_add(lanes, plan, message);
}

/* What "send" has said of a message, in a file; the kernel forgets it when that ends. */
static int explain_sent(struct hblanes *lanes, const char *path, const char *plan)
{
	json_error_t why = { };
	json_t *sent = json_load_file(path, 0, &why);
	uint32_t group = 0;
	int ret;

	if (hbp_json_id(json_object_get(sent, "group"), &group) && lanes->group &&
	    lanes->group != group)
		ret = hbctl_error(lanes->ctl, HBCTL_USAGE,
				  "%s is of group %u, not %u: leave the group out", path, group,
				  lanes->group);
	else if (group && json_is_array(json_object_get(sent, "nodes")))
		ret = explain(lanes, group, plan, sent);
	else
		ret = hbctl_error(lanes->ctl, HBCTL_USAGE,
				  "%s: %s: write the file with \"hbcastctl -j send\"", path,
				  sent ? "tells of no message" : why.text);
	if (!ret)
		return hbout_print(lanes->ctl, sent, hbexplain_text);
	json_decref(sent);
	return ret;
}

/* @plan: the file of the plan that it was sent by, or NULL */
static int show_one(struct hblanes *lanes, uint64_t id, const char *plan)
{
	struct hbctl *ctl = lanes->ctl;
	uint32_t group = lanes->group;
	struct nl_msg *msg;
	json_t *result;
	struct hbgenl g;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, HBCAST_CMD_MESSAGE_GET);
	hbgenl_put_u32(msg, HBCAST_A_MESSAGE_GROUP, group);
	hbgenl_put(msg, HBCAST_A_MESSAGE_ID, &id, sizeof(id));
	ret = hbgenl_get(ctl, &g, msg, hbattrs_message, &result,
			 "message %llu of group %u cannot be shown",
			 (unsigned long long)id, group);
	if (ret)
		goto out;
	if (plan)
		ret = explain(lanes, group, plan, result);
	if (!ret)
		ret = hbout_print(ctl, result, plan ? hbexplain_text : one_text);
	else
		json_decref(result);
out:
	hbgenl_close(&g);
	return ret;
}

/**
 * hbshow_message() - the command "show message"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_message(struct hbctl *ctl, int argc, char **argv)
{
	struct hblanes lanes = { .ctl = ctl, .now = time(NULL) };
	const char *plan = NULL, *sent = NULL;
	uint64_t id = 0;
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &lanes.group, 0, 0 },
		{ "id", hbarg_u64, &id, HBARG_BARE, 0 },
		{ "sent", hbarg_string, &sent, 0, 0 },
		{ "explain", hbarg_string, &plan, 0, 0 },
		{ "lanes", hblanes_parse, &lanes, HBARG_MANY, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret && id && !lanes.group)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "messages are counted in each group: give the group beside the id");
	if (!ret && (plan ? !id == !sent : sent || lanes.n_files))
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "explain is about one message, and lanes help to explain it: give explain, and sent, or group and id");
	if (ret)
		goto out;
	if (sent) {
		ret = explain_sent(&lanes, sent, plan);
		goto out;
	}
	if (id) {
		ret = show_one(&lanes, id, plan);
		goto out;
	}
	ret = hbshow_get(ctl, &hbshow_messages, &result);
	if (ret)
		goto out;
	hbshow_filter(result, "group", lanes.group);
	ret = hbout_print(ctl, result, text);
out:
	hblanes_clear(&lanes);
	return ret;
}
