// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An emulated network as it is to be. Everything here follows from the
 * platform and the lab's name alone, so that later commands find the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "lab_net.h"
#include "node.h"
#include "output.h"
#include "route.h"
#include "units.h"

#define QUEUE_MIN_NS		INT64_C(20000000)
#define PACKET_MIN_NS		INT64_C(100000)
#define SEGMENTS_MAX		8
#define HOST_ID_MAX		65534
#define SWITCH_NETNS		"switches"

static const char name_chars[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/**
 * hblab_net_free() - release a network
 * @net: the network or NULL
 */
void hblab_net_free(struct hblab_net *net)
{
	if (!net)
		return;
	hbp_platform_free(net->platform);
	free(net->hosts);
	free(net->host_of);
	free(net->dev);
	free(net);
}

/* Every link needs its way back: without it nothing could be acknowledged. */
static int check_links(struct hbctl *ctl, const struct hbp_platform *platform)
{
	const struct hbp_link *l;
	size_t i;

	for (i = 0; i < platform->n_links; i++) {
		l = &platform->links[i];
		if (hbp_platform_link(platform, l->to, l->from))
			continue;
		return hbctl_error(ctl, HBCTL_USAGE,
				   "the link from %u to %u has no way back and a lab cannot emulate that: add a link from %u to %u or make it symmetric",
				   platform->nodes[l->from].id,
				   platform->nodes[l->to].id,
				   platform->nodes[l->to].id,
				   platform->nodes[l->from].id);
	}
	return HBCTL_OK;
}

static int name_host(struct hbctl *ctl, struct hblab_net *net, size_t host)
{
	struct hblab_host *h = &net->hosts[host];
	const struct hbp_platform_node *node;
	int len;

	h->node = net->platform->hosts[host];
	node = &net->platform->nodes[h->node];
	if (!node->id || node->id > HOST_ID_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "host %u gets no address in a lab: give it an id from 1 to %d",
				   node->id, HOST_ID_MAX);
	if (node->name && node->name[strspn(node->name, name_chars)])
		return hbctl_error(ctl, HBCTL_USAGE,
				   "the name \"%s\" of host %u cannot name a network namespace: use only letters, digits, \".\", \"_\" and \"-\"",
				   node->name, node->id);
	len = snprintf(h->netns, sizeof(h->netns), "hbc-%s-", net->name);
	if (node->name)
		snprintf(h->netns + len, sizeof(h->netns) - len, "%s",
			 node->name);
	else
		snprintf(h->netns + len, sizeof(h->netns) - len, "%u",
			 node->id);
	snprintf(h->address, sizeof(h->address), "10.77.%u.%u",
		 (node->id >> 8) & 255, node->id & 255);
	snprintf(h->mac, sizeof(h->mac), "02:68:62:63:%02x:%02x",
		 (node->id >> 8) & 255, node->id & 255);
	return HBCTL_OK;
}

static int compare_netns(const void *a, const void *b)
{
	const struct hblab_host *const *x = a, *const *y = b;

	return strcmp((*x)->netns, (*y)->netns);
}

/* Two nodes of one namespace name: the names in the file clash. */
static int check_names(struct hbctl *ctl, const struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	const struct hblab_host **sorted;
	const char *taken = net->switch_netns;
	size_t i;
	int ret = HBCTL_OK;

	sorted = calloc(p->n_hosts, sizeof(*sorted));
	if (!sorted)
		abort();
	for (i = 0; i < p->n_hosts; i++)
		sorted[i] = &net->hosts[i];
	qsort(sorted, p->n_hosts, sizeof(*sorted), compare_netns);
	for (i = 0; i < p->n_hosts && !ret; i++) {
		if (!strcmp(sorted[i]->netns, taken))
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "host %u would be namespace %s, which is that of the switches: give it another name",
					  p->nodes[sorted[i]->node].id, taken);
		else if (i && !compare_netns(&sorted[i - 1], &sorted[i]))
			ret = hbctl_error(ctl, HBCTL_USAGE,
					  "hosts %u and %u would both be namespace %s: give them different names",
					  p->nodes[sorted[i - 1]->node].id,
					  p->nodes[sorted[i]->node].id,
					  sorted[i]->netns);
	}
	free(sorted);
	return ret;
}

static int name_hosts(struct hbctl *ctl, struct hblab_net *net)
{
	size_t i;
	int ret;

	for (i = 0; i < net->platform->n; i++)
		net->host_of[i] = HBP_NONE;
	for (i = 0; i < net->platform->n_hosts; i++) {
		ret = name_host(ctl, net, i);
		if (ret)
			return ret;
		net->host_of[net->hosts[i].node] = i;
	}
	if (net->platform->n > net->platform->n_hosts)
		snprintf(net->switch_netns, sizeof(net->switch_netns),
			 "hbc-%s-" SWITCH_NETNS, net->name);
	return check_names(ctl, net);
}

/* A host's devices are eth0, eth1, ...; the switches share one namespace. */
static void name_devices(struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	size_t i;

	for (i = 0; i < p->n_links; i++) {
		size_t from = p->links[i].from;

		if (p->nodes[from].host)
			snprintf(net->dev[i], HBLAB_DEV_LEN, "eth%u",
				 (unsigned int)(i - p->first[from]));
		else
			snprintf(net->dev[i], HBLAB_DEV_LEN, "port%u",
				 (unsigned int)i);
	}
}

/*
 * A queue holds the longest round trip, so that one TCP stream can keep a link
 * busy after a loss. Packets of several segments save most of the work, which
 * is by the packet, but each arrives in one lump; so on the slowest link it
 * lasts no more than a tenth of the longest way, or 100 us if that is more.
 */
static void choose_queue(struct hblab_net *net)
{
	const struct hbp_platform *p = net->platform;
	struct hbp_routes *routes = hbp_routes_alloc(p);
	int64_t longest = 0, slowest = INT64_MAX;
	double lump_ns, segments;
	size_t s, d;

	if (!routes)
		abort();
	for (s = 0; s < p->n_hosts; s++) {
		hbp_routes_find(p, p->hosts[s], false, routes);
		for (d = 0; d < p->n_hosts; d++) {
			int64_t ns = routes->latency_ns[p->hosts[d]];

			if (ns != HBP_NEVER && ns > longest)
				longest = ns;
		}
	}
	hbp_routes_free(routes);
	net->queue_ns = 2 * longest > QUEUE_MIN_NS ? 2 * longest : QUEUE_MIN_NS;
	for (s = 0; s < p->n_links; s++) {
		if (p->links[s].bandwidth_bps < slowest)
			slowest = p->links[s].bandwidth_bps;
	}
	lump_ns = longest / 10 > PACKET_MIN_NS ? longest / 10 : PACKET_MIN_NS;
	segments = slowest * lump_ns / 1e9 / 8 / HBLAB_FRAME_BYTES;
	net->segments = segments < 1 ? 1 : segments > SEGMENTS_MAX ?
			SEGMENTS_MAX : segments;
}

/**
 * hblab_net_make() - work out the network for a platform
 * @ctl: the run
 * @name: the lab's name
 * @platform: the platform; taken over, also on failure
 * @out: gets the network, to be released with hblab_net_free()
 *
 * Return: HBCTL_OK, or HBCTL_USAGE after it has reported what a lab cannot be.
 */
int hblab_net_make(struct hbctl *ctl, const char *name,
		   struct hbp_platform *platform, struct hblab_net **out)
{
	struct hblab_net *net = calloc(1, sizeof(*net));
	int ret;

	if (!net)
		abort();
	net->platform = platform;
	net->hosts = calloc(platform->n_hosts, sizeof(*net->hosts));
	net->host_of = calloc(platform->n, sizeof(*net->host_of));
	net->dev = calloc(platform->n_links + 1, sizeof(*net->dev));
	if (!net->hosts || !net->host_of || !net->dev)
		abort();
	if (!*name || strlen(name) >= HBLAB_NAME_LEN || *name == '.' ||
	    name[strspn(name, name_chars)])
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "\"%s\" cannot name a lab: use at most %d letters, digits, \".\", \"_\" and \"-\", the first not a \".\"",
				  name, HBLAB_NAME_LEN - 1);
	else if (platform->n_hosts > HBLAB_HOSTS_MAX)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "the platform has %zu hosts and a lab at most %d: leave some out",
				  platform->n_hosts, HBLAB_HOSTS_MAX);
	else
		ret = check_links(ctl, platform);
	if (!ret) {
		strcpy(net->name, name);
		ret = name_hosts(ctl, net);
	}
	if (ret) {
		hblab_net_free(net);
		return ret;
	}
	name_devices(net);
	choose_queue(net);
	*out = net;
	return HBCTL_OK;
}

/**
 * hblab_net_netns() - where a node of the platform lives
 * @net: the network
 * @node: index of the node
 *
 * Return: the namespace's name, owned by @net.
 */
const char *hblab_net_netns(const struct hblab_net *net, size_t node)
{
	size_t host = net->host_of[node];

	return host == HBP_NONE ? net->switch_netns : net->hosts[host].netns;
}

/**
 * hblab_net_find() - the node that a word means
 * @net: the network
 * @word: a name or, if no node has that name, an id
 *
 * Return: the node's index in the platform, or HBP_NONE.
 */
size_t hblab_net_find(const struct hblab_net *net, const char *word)
{
	const struct hbp_platform *p = net->platform;
	unsigned long id;
	char *end;
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->nodes[i].name && !strcmp(p->nodes[i].name, word))
			return i;
	}
	id = strtoul(word, &end, 10);
	if (*end || end == word || id > UINT32_MAX)
		return HBP_NONE;
	return hbp_platform_find(p, id);
}

static json_t *node_json(const struct hblab_net *net, size_t i)
{
	const struct hbp_platform_node *node = &net->platform->nodes[i];
	json_t *obj;

	obj = json_pack("{s:I, s:s*, s:s, s:s}", "id", (json_int_t)node->id,
			"name", node->name, "kind",
			node->host ? "host" : "switch", "netns",
			hblab_net_netns(net, i));
	if (node->host) {
		json_object_set_new(obj, "address",
				    json_string(net->hosts[net->host_of[i]].address));
		json_object_set_new(obj, "port",
				    json_integer(HBARG_DEFAULT_PORT));
	}
	return obj;
}

static json_t *link_json(const struct hblab_net *net, size_t i)
{
	const struct hbp_platform *p = net->platform;
	const struct hbp_link *l = &p->links[i];

	return json_pack("{s:I, s:I, s:f, s:f, s:s}",
			 "from", (json_int_t)p->nodes[l->from].id,
			 "to", (json_int_t)p->nodes[l->to].id,
			 "bandwidth_mbps", hbp_mbps_from_bps(l->bandwidth_bps),
			 "latency_us", hbp_us_from_ns(l->latency_ns),
			 "dev", net->dev[i]);
}

/**
 * hblab_net_json() - a network as JSON
 * @net: the network
 *
 * The nodes are like those of a cost file, with kind and namespace besides,
 * and the links like those of a platform, one for each direction.
 *
 * Return: a new object.
 */
json_t *hblab_net_json(const struct hblab_net *net)
{
	json_t *nodes = json_array(), *links = json_array();
	size_t i;

	for (i = 0; i < net->platform->n; i++)
		json_array_append_new(nodes, node_json(net, i));
	for (i = 0; i < net->platform->n_links; i++)
		json_array_append_new(links, link_json(net, i));
	return json_pack("{s:s, s:i, s:f, s:o, s:o}", "name", net->name,
			 "segments", net->segments,
			 "queue_us", hbp_us_from_ns(net->queue_ns),
			 "nodes", nodes, "links", links);
}

/**
 * hblab_net_text() - write what hblab_net_json() made as text
 * @ctl: the run
 * @result: the object
 * @out: where
 */
void hblab_net_text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column nodes[] = {
		{ "NODE", "id", NULL },
		{ "NAME", "name", NULL },
		{ "KIND", "kind", NULL },
		{ "ADDRESS", "address", NULL },
		{ "NAMESPACE", "netns", NULL },
		{ }
	};
	static const struct hbout_column links[] = {
		{ "FROM", "from", NULL },
		{ "TO", "to", NULL },
		{ "BANDWIDTH", "bandwidth_mbps", hbout_mbps },
		{ "LATENCY", "latency_us", hbout_usec },
		{ "DEVICE", "dev", NULL },
		{ }
	};

	(void)ctl;
	fprintf(out, "lab %s\n",
		json_string_value(json_object_get(result, "name")));
	hbout_table(out, json_object_get(result, "nodes"), nodes);
	putc('\n', out);
	hbout_table(out, json_object_get(result, "links"), links);
}
