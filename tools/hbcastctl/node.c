// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl node: make this network namespace a node, or take it down. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "delete.h"
#include "endpoint.h"
#include "genl.h"
#include "output.h"
#include "show.h"

static int set_node(struct hbctl *ctl, uint32_t id,
		    const struct sockaddr_storage *addr)
{
	struct nl_msg *msg;
	struct hbgenl g;
	json_t *result;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, HBCAST_CMD_NODE_SET);
	hbgenl_put_u32(msg, HBCAST_A_NODE_ID, id);
	hbendpoint_put(msg, addr);
	ret = hbgenl_do(ctl, &g, msg, "node %u cannot be set", id);
	if (ret)
		goto out;
	result = hbendpoint_json(addr);
	json_object_set_new(result, "id", json_integer(id));
	ret = hbout_done(ctl, result);
out:
	hbgenl_close(&g);
	return ret;
}

static int node_set(struct hbctl *ctl, int argc, char **argv)
{
	struct hbendpoint at = { };
	uint32_t id;
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &id, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "address", hbarg_endpoint, &at.addr, HBARG_REQUIRED, 0 },
		{ "port", hbarg_port, &at.port, 0, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbendpoint_finish(ctl, &at);
	if (ret)
		return ret;
	return set_node(ctl, id, &at.addr);
}

static int node_del(struct hbctl *ctl, int argc, char **argv)
{
	return hbdelete_run(ctl, HBCAST_CMD_NODE_DEL, 0,
			    "the node cannot be taken down", argc, argv);
}

/**
 * hbctl_cmd_node() - this node
 * @ctl: the run
 * @argc: number of words after "node"
 * @argv: the words after "node"
 *
 * Return: an exit code.
 */
int hbctl_cmd_node(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "show", hbshow_node, "", "show this node", true },
		{ "set", node_set, "[ id ] NODE address ADDRESS[:PORT] [ port PORT ]",
		  "make this network namespace a node", false },
		{ "del", node_del, "",
		  "take the node down, with its groups and peers", false },
		{ }
	};

	return hbctl_dispatch(ctl, "node", commands, argc, argv);
}
