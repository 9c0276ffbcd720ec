// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl peer: the nodes that this node knows. */
#include <string.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "delete.h"
#include "endpoint.h"
#include "genl.h"
#include "output.h"
#include "show.h"

static int add(struct hbctl *ctl, struct hbgenl *g, uint32_t id,
	       const struct sockaddr_storage *addr)
{
	struct nl_msg *msg = hbgenl_msg(g, HBCAST_CMD_PEER_NEW);

	hbgenl_put_u32(msg, HBCAST_A_NODE_ID, id);
	hbendpoint_put(msg, addr);
	return hbgenl_do(ctl, g, msg, "peer %u cannot be added", id);
}

static int peer_add(struct hbctl *ctl, int argc, char **argv)
{
	struct hbendpoint at = { };
	uint32_t id;
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &id, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ "address", hbarg_endpoint, &at.addr, HBARG_REQUIRED, 0 },
		{ "port", hbarg_port, &at.port, 0, 0 },
		{ }
	};
	json_t *result;
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbendpoint_finish(ctl, &at);
	if (ret)
		return ret;
	ret = hbgenl_open(ctl, &g);
	if (!ret)
		ret = add(ctl, &g, id, &at.addr);
	if (!ret) {
		result = hbendpoint_json(&at.addr);
		json_object_set_new(result, "id", json_integer(id));
		ret = hbout_done(ctl, result);
	}
	hbgenl_close(&g);
	return ret;
}

static int peer_del(struct hbctl *ctl, int argc, char **argv)
{
	return hbdelete_run(ctl, HBCAST_CMD_PEER_DEL, HBCAST_A_NODE_ID,
			    "peer %u cannot be forgotten", argc, argv);
}

/**
 * struct import - the peers of a file
 * @ctl: the run
 * @file: its name
 * @own: id of this node
 * @known: the peers that the kernel has; owned
 * @added: how many were not known
 * @kept: how many were known with the same address
 */
struct import {
	struct hbctl *ctl;
	const char *file;
	uint32_t own;
	json_t *known;
	unsigned int added;
	unsigned int kept;
};

/* The address in @node; HBCTL_USAGE after it has reported what is wrong. */
static int read_node(const struct import *im, size_t i, const json_t *node,
		     uint32_t *id, struct hbendpoint *at)
{
	const json_t *port = json_object_get(node, "port");
	const char *address;
	json_int_t number;
	int ret;

	number = json_integer_value(json_object_get(node, "id"));
	if (number < 1 || number > UINT32_MAX)
		return hbctl_error(im->ctl, HBCTL_USAGE,
				   "%s: nodes[%zu].id is no whole number from 1 to 4294967295: mend the file",
				   im->file, i);
	address = json_string_value(json_object_get(node, "address"));
	if (!address)
		return hbctl_error(im->ctl, HBCTL_USAGE,
				   "%s: node %lld has no \"address\": add one, or use a file that has them",
				   im->file, number);
	if (port && (!json_is_integer(port) || json_integer_value(port) < 1 ||
		     json_integer_value(port) > UINT16_MAX))
		return hbctl_error(im->ctl, HBCTL_USAGE,
				   "%s: the \"port\" of node %lld is no whole number from 1 to 65535: mend the file",
				   im->file, number);
	memset(at, 0, sizeof(*at));
	ret = hbarg_endpoint(im->ctl, im->file, address, &at->addr);
	if (ret)
		return ret;
	*id = number;
	at->port = json_integer_value(port);
	return hbendpoint_finish(im->ctl, at);
}

static const json_t *find_known(const struct import *im, uint32_t id)
{
	json_t *peer;
	size_t i;

	json_array_foreach(im->known, i, peer) {
		if (json_integer_value(json_object_get(peer, "id")) == id)
			return peer;
	}
	return NULL;
}

/* Whether the kernel knows the peer; one with another address is refused. */
static int check_known(const struct import *im, uint32_t id,
		       const struct sockaddr_storage *addr, bool *known)
{
	const json_t *peer = find_known(im, id);
	json_t *at = hbendpoint_json(addr);
	int ret = HBCTL_OK;

	*known = peer;
	if (peer &&
	    (!json_equal(json_object_get(peer, "address"),
			 json_object_get(at, "address")) ||
	     !json_equal(json_object_get(peer, "port"),
			 json_object_get(at, "port"))))
		ret = hbctl_error(im->ctl, HBCTL_USAGE,
				  "%s: node %u is at %s port %lld, but is known at %s port %lld: delete that peer first",
				  im->file, id,
				  json_string_value(json_object_get(at, "address")),
				  json_integer_value(json_object_get(at, "port")),
				  json_string_value(json_object_get(peer, "address")),
				  json_integer_value(json_object_get(peer, "port")));
	json_decref(at);
	return ret;
}

static bool is_switch(const json_t *node)
{
	const char *kind = json_string_value(json_object_get(node, "kind"));

	return kind && !strcmp(kind, "switch");
}

/* All nodes are checked (@g is NULL) before the first is added. */
static int walk(struct import *im, const json_t *nodes, struct hbgenl *g)
{
	struct hbendpoint at;
	const json_t *node;
	bool known;
	uint32_t id = 0;
	size_t i;
	int ret;

	json_array_foreach((json_t *)nodes, i, node) {
		if (is_switch(node))
			continue;
		ret = read_node(im, i, node, &id, &at);
		if (ret)
			return ret;
		if (id == im->own)
			continue;
		ret = check_known(im, id, &at.addr, &known);
		if (!ret && g && !known)
			ret = add(im->ctl, g, id, &at.addr);
		if (ret)
			return ret;
		if (g && known)
			im->kept++;
		else if (g)
			im->added++;
	}
	return HBCTL_OK;
}

static int load_nodes(struct hbctl *ctl, const char *file, json_t **root,
		      const json_t **nodes)
{
	json_error_t err;

	*root = json_load_file(file, 0, &err);
	if (!*root && err.line < 1)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s: name a file of nodes with addresses",
				   err.text);
	if (!*root)
		return hbctl_error(ctl, HBCTL_USAGE, "%s: line %d: %s", file,
				   err.line, err.text);
	*nodes = json_object_get(*root, "nodes");
	if (json_is_array(*nodes))
		return HBCTL_OK;
	json_decref(*root);
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s has no list \"nodes\": use a cost file, or what \"hbcastctl -j lab show\" prints",
			   file);
}

static void import_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	(void)ctl;
	fprintf(out, "%lld peers added, %lld were known\n",
		json_integer_value(json_object_get(result, "added")),
		json_integer_value(json_object_get(result, "known")));
}

static int peer_import(struct hbctl *ctl, int argc, char **argv)
{
	struct import im = { .ctl = ctl };
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &im.file, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ }
	};
	json_t *root;
	const json_t *nodes = NULL;
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = load_nodes(ctl, im.file, &root, &nodes);
	if (ret)
		return ret;
	ret = hbgenl_open(ctl, &g);
	if (!ret)
		ret = hbgenl_own_id(ctl, &g, "peers cannot be imported", &im.own);
	if (!ret)
		ret = hbshow_peers.get(ctl, &g, &im.known);
	if (!ret)
		ret = walk(&im, nodes, NULL);
	if (!ret)
		ret = walk(&im, nodes, &g);
	if (!ret)
		ret = hbout_print(ctl, json_pack("{s:i, s:i}", "added", im.added,
						 "known", im.kept), import_text);
	json_decref(im.known);
	json_decref(root);
	hbgenl_close(&g);
	return ret;
}

/**
 * hbctl_cmd_peer() - the nodes that this node knows
 * @ctl: the run
 * @argc: number of words after "peer"
 * @argv: the words after "peer"
 *
 * Return: an exit code.
 */
int hbctl_cmd_peer(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "show", hbshow_peer, "", "list the peers", true },
		{ "add", peer_add, "[ id ] NODE address ADDRESS[:PORT] [ port PORT ]",
		  "make another node known", false },
		{ "import", peer_import, "FILE",
		  "add all nodes of a cost file or a lab", false },
		{ "del", peer_del, "[ id ] NODE", "forget a node", false },
		{ }
	};

	return hbctl_dispatch(ctl, "peer", commands, argc, argv);
}
