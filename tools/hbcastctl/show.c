// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show: the node, its peers, and all together. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "show.h"

static int get_node(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	return hbgenl_get(ctl, g, hbgenl_msg(g, HBCAST_CMD_NODE_GET),
			  hbattrs_node, out, "the node cannot be shown");
}

static void node_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "NODE", "id", NULL },
		{ "ADDRESS", "address", NULL },
		{ "PORT", "port", NULL },
		{ "PEERS", "peers", NULL },
		{ "GROUPS", "groups", NULL },
		{ "LANES", "lanes", NULL },
		{ "HALF-OPEN", "half_open", NULL },
		{ }
	};
	json_t *rows = json_pack("[O]", result);

	(void)ctl;
	hbout_table(out, rows, columns);
	json_decref(rows);
}

static int get_peers(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "id", NULL };

	return hbgenl_dump(ctl, g, HBCAST_CMD_PEER_GET, hbattrs_peer, identity,
			   "the peers cannot be shown", out);
}

static void peers_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "PEER", "id", NULL },
		{ "ADDRESS", "address", NULL },
		{ "PORT", "port", NULL },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

static const struct hbshow_noun the_node = { "node", get_node, node_text };
const struct hbshow_noun hbshow_peers = { "peers", get_peers, peers_text };

/**
 * hbshow_get() - ask the kernel for all things of a kind
 * @ctl: the run
 * @noun: the kind
 * @out: gets the answer
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbshow_get(struct hbctl *ctl, const struct hbshow_noun *noun, json_t **out)
{
	struct hbgenl g;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (!ret)
		ret = noun->get(ctl, &g, out);
	hbgenl_close(&g);
	return ret;
}

/**
 * hbshow_filter() - drop the rows that are not wanted
 * @rows: an array of objects
 * @key: a key of theirs
 * @value: what it must be; 0 wants all
 */
void hbshow_filter(json_t *rows, const char *key, uint32_t value)
{
	size_t i = 0;

	while (value && i < json_array_size(rows)) {
		const json_t *row = json_array_get(rows, i);

		if (json_integer_value(json_object_get(row, key)) == value)
			i++;
		else
			json_array_remove(rows, i);
	}
}

/**
 * hbshow_ids_cell() - ids of nodes as a cell of a table
 * @value: an array of numbers; NULL and an empty one are "-"
 * @buf: gets them, with commas between
 * @len: its size
 */
void hbshow_ids_cell(const json_t *value, char *buf, size_t len)
{
	size_t i, used = 0;
	json_t *id;

	if (!json_array_size(value))
		snprintf(buf, len, "-");
	json_array_foreach((json_t *)value, i, id) {
		if (used >= len)
			return;
		used += snprintf(buf + used, len - used,
				 "%s%" JSON_INTEGER_FORMAT, i ? "," : "",
				 json_integer_value(id));
	}
}

static int show_noun(struct hbctl *ctl, const struct hbshow_noun *noun,
		     int argc, char **argv)
{
	struct hbarg_key keys[] = { { } };
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbshow_get(ctl, noun, &result);
	if (ret)
		return ret;
	return hbout_print(ctl, result, noun->text);
}

/**
 * hbshow_node() - the command "show node" and "node show"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_node(struct hbctl *ctl, int argc, char **argv)
{
	return show_noun(ctl, &the_node, argc, argv);
}

/**
 * hbshow_peer() - the command "show peer" and "peer show"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_peer(struct hbctl *ctl, int argc, char **argv)
{
	return show_noun(ctl, &hbshow_peers, argc, argv);
}

/* In the order in which they are shown. */
static const struct hbshow_noun * const nouns[] = {
	&the_node, &hbshow_peers, &hbshow_groups, &hbshow_plans, &hbshow_lanes,
	&hbshow_messages, &hbshow_stores, NULL
};

static int get_all(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	const struct hbshow_noun * const *noun;
	json_t *part;
	int ret;

	*out = json_object();
	for (noun = nouns; *noun; noun++) {
		ret = (*noun)->get(ctl, g, &part);
		if (ret) {
			json_decref(*out);
			return ret;
		}
		json_object_set_new(*out, (*noun)->key, part);
	}
	return HBCTL_OK;
}

static void all_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const struct hbshow_noun * const *noun;
	const char *gap = "";

	for (noun = nouns; *noun; noun++) {
		const json_t *part = json_object_get(result, (*noun)->key);

		if (json_is_array(part) && !json_array_size(part))
			continue;
		fputs(gap, out);
		(*noun)->text(ctl, part, out);
		gap = "\n";
	}
}

static int show_all(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbshow_noun all = { "all", get_all, all_text };

	return show_noun(ctl, &all, argc, argv);
}

/**
 * hbctl_cmd_show() - what the kernel knows
 * @ctl: the run
 * @argc: number of words after "show"
 * @argv: the words after "show"
 *
 * Return: an exit code.
 */
int hbctl_cmd_show(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "all", show_all, "", "all of the below", true },
		{ "node", hbshow_node, "", "this node", false },
		{ "peer", hbshow_peer, "", "the nodes that it knows", false },
		{ "group", hbshow_group, "[ id GROUP ]",
		  "its groups, and what they threw away", false },
		{ "plan", hbshow_plan,
		  "[ group GROUP ] [ root NODE ] [ graph text|dot ]",
		  "the plans, as far as this node knows them", false },
		{ "lane", hbshow_lane, "[ group GROUP ] [ peer NODE ]",
		  "its connections", false },
		{ "message", hbshow_message,
		  "[ group GROUP ] [ id MESSAGE ] [ sent FILE ] [ explain PLAN.json ] [ lanes FILE ]...",
		  "messages that it sends or has sent of late", false },
		{ "store", hbshow_store, "[ group GROUP ] [ root NODE ]",
		  "what it has of messages, and how far its children are", false },
		{ }
	};

	return hbctl_dispatch(ctl, "show", commands, argc, argv);
}
