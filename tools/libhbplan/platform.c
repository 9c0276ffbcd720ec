// SPDX-License-Identifier: GPL-2.0-or-later
/* Platforms: hosts and switches joined by links. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "node.h"
#include "overhead.h"
#include "platform.h"
#include "units.h"
#include "wire.h"

/**
 * hbp_platform_alloc() - room for a platform
 * @n: number of nodes
 * @n_links: number of directions of links
 *
 * Return: a platform of @n nodes of id 0 and without links, to be released with
 * hbp_platform_free(), or NULL if memory has run out.
 */
struct hbp_platform *hbp_platform_alloc(size_t n, size_t n_links)
{
	struct hbp_platform *platform = calloc(1, sizeof(*platform));

	if (!platform)
		return NULL;
	platform->n = n;
	platform->nodes = calloc(n, sizeof(*platform->nodes));
	platform->hosts = calloc(n, sizeof(*platform->hosts));
	platform->links = calloc(n_links + 1, sizeof(*platform->links));
	platform->first = calloc(n + 1, sizeof(*platform->first));
	if (!platform->nodes || !platform->hosts || !platform->links ||
	    !platform->first) {
		hbp_platform_free(platform);
		return NULL;
	}
	return platform;
}

/**
 * hbp_platform_free() - release a platform
 * @platform: the platform or NULL
 */
void hbp_platform_free(struct hbp_platform *platform)
{
	size_t i;

	if (!platform)
		return;
	for (i = 0; platform->nodes && i < platform->n; i++)
		free(platform->nodes[i].name);
	free(platform->nodes);
	free(platform->hosts);
	free(platform->links);
	free(platform->first);
	free(platform);
}

static void index_links(struct hbp_platform *platform)
{
	size_t i;

	for (i = 0; i <= platform->n; i++)
		platform->first[i] = 0;
	for (i = 0; i < platform->n_links; i++)
		platform->first[platform->links[i].from + 1]++;
	for (i = 0; i < platform->n; i++)
		platform->first[i + 1] += platform->first[i];
}

/**
 * hbp_platform_drop() - take a host out
 * @platform: the platform, of at least three hosts
 * @at: index of the host
 *
 * What is left of it is a switch without links, so that indices stay.
 */
void hbp_platform_drop(struct hbp_platform *platform, size_t at)
{
	const struct hbp_link *link;
	size_t i, kept = 0;

	platform->nodes[at].host = false;
	for (i = 0; i < platform->n_hosts; i++)
		if (platform->hosts[i] != at)
			platform->hosts[kept++] = platform->hosts[i];
	platform->n_hosts = kept;
	kept = 0;
	for (i = 0; i < platform->n_links; i++) {
		link = &platform->links[i];
		if (link->from != at && link->to != at)
			platform->links[kept++] = *link;
	}
	platform->n_links = kept;
	index_links(platform);
}

/**
 * hbp_platform_find() - index of a node
 * @platform: the platform
 * @id: the node's id
 *
 * Return: the index, or HBP_NONE.
 */
size_t hbp_platform_find(const struct hbp_platform *platform, uint32_t id)
{
	return hbp_node_find(platform->nodes, platform->n,
			     sizeof(*platform->nodes), id);
}

/**
 * hbp_link_compare() - which link comes first, for qsort()
 * @a: a struct hbp_link
 * @b: likewise
 *
 * Return: below 0, 0 or above 0, by from, then to.
 */
int hbp_link_compare(const void *a, const void *b)
{
	const struct hbp_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/**
 * hbp_platform_link() - the link between two neighbours
 * @platform: the platform
 * @from: index of the sending node
 * @to: index of the receiving node
 *
 * Return: the link in this direction, owned by @platform, or NULL.
 */
const struct hbp_link *hbp_platform_link(const struct hbp_platform *platform,
					 size_t from, size_t to)
{
	struct hbp_link key = { .from = from, .to = to };

	if (!platform->n_links)
		return NULL;
	return bsearch(&key, platform->links, platform->n_links,
		       sizeof(*platform->links), hbp_link_compare);
}

/**
 * hbp_platform_finish() - list the hosts and put the links in order
 * @platform: its nodes are filled, in ascending order of id, and its links
 *
 * Return: a link that is there twice, owned by @platform, or NULL if all is
 * well.
 */
const struct hbp_link *hbp_platform_finish(struct hbp_platform *platform)
{
	size_t i;

	platform->n_hosts = 0;
	for (i = 0; i < platform->n; i++)
		if (platform->nodes[i].host)
			platform->hosts[platform->n_hosts++] = i;
	if (platform->n_links)
		qsort(platform->links, platform->n_links,
		      sizeof(*platform->links), hbp_link_compare);
	for (i = 1; i < platform->n_links; i++)
		if (!hbp_link_compare(&platform->links[i - 1], &platform->links[i]))
			return &platform->links[i];
	index_links(platform);
	return NULL;
}

/**
 * hbp_platform_sort() - put nodes and links in order
 * @platform: its nodes and links are filled, in any order
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_platform_sort(struct hbp_platform *platform)
{
	uint32_t *ids = calloc(platform->n, sizeof(*ids));
	struct hbp_link *link;
	size_t i;

	if (!ids)
		return -ENOMEM;
	for (i = 0; i < platform->n; i++)
		ids[i] = platform->nodes[i].id;
	hbp_node_sort(platform->nodes, platform->n, sizeof(*platform->nodes));
	for (i = 0; i < platform->n_links; i++) {
		link = &platform->links[i];
		link->from = hbp_platform_find(platform, ids[link->from]);
		link->to = hbp_platform_find(platform, ids[link->to]);
	}
	free(ids);
	hbp_platform_finish(platform);
	return 0;
}

/**
 * hbp_platform_count() - count headers and acknowledgements
 * @platform: the platform, just made; bandwidths become those of payload, unless they
 *	are that
 */
void hbp_platform_count(struct hbp_platform *platform)
{
	struct hbp_link *link;
	size_t i;

	if (platform->bare)
		return;
	platform->counted = true;
	for (i = 0; i < platform->n_links; i++) {
		link = &platform->links[i];
		link->bandwidth_bps = hbp_wire_payload(link->bandwidth_bps,
						       hbp_link_mtu(link));
	}
}

/**
 * hbp_link_mtu() - what the frames of a link carry
 * @link: the link
 *
 * Return: bytes.
 */
unsigned int hbp_link_mtu(const struct hbp_link *link)
{
	return link->mtu ? link->mtu : HBP_MTU;
}

static int read_node(struct hbp_reader *rd, json_t *object, size_t i, bool hnow,
		     struct hbp_platform_node *node)
{
	static const char *const known[] = {
		"speed", "send_overhead_us", "recv_overhead_us", "measured",
		"id", "name", "kind", NULL
	};
	const json_t *name = json_object_get(object, "name");
	const json_t *kind = json_object_get(object, "kind");
	const char *text = json_string_value(kind);

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "nodes[%zu]", i);
	if (!hbp_json_id(json_object_get(object, "id"), &node->id))
		return hbp_json_bad(rd, json_object_get(object, "id"),
				    HBP_MUST_BE_ID, "nodes[%zu].id", i);
	if (!text || (strcmp(text, "host") && strcmp(text, "switch")))
		return hbp_json_bad(rd, kind, "\"host\" or \"switch\"",
				    "nodes[%zu].kind", i);
	if (name && !hbp_json_text(name, 63))
		return hbp_json_bad(rd, name, HBP_MUST_BE_NAME, "nodes[%zu].name",
				    i);
	node->host = !strcmp(text, "host");
	hbp_json_unknown(rd, object, known + (!node->host ? 4 : !hnow), "nodes[%zu].", i);
	if (name) {
		node->name = strdup(json_string_value(name));
		if (!node->name)
			return hbp_nomem(rd->err);
	}
	return node->host ? hbp_overheads_read(rd, object, i, &node->send_overhead_ns,
					       &node->recv_overhead_ns) : 0;
}

static int read_nodes(struct hbp_reader *rd, json_t *array, bool hnow,
		      struct hbp_platform *platform)
{
	size_t i, hosts = 0;
	json_t *object;
	uint32_t id;
	int ret;

	json_array_foreach(array, i, object) {
		ret = read_node(rd, object, i, hnow, &platform->nodes[i]);
		if (ret)
			return ret;
	}
	hbp_node_sort(platform->nodes, platform->n, sizeof(*platform->nodes));
	if (hbp_node_repeat(platform->nodes, platform->n,
			    sizeof(*platform->nodes), &id))
		return hbp_json_fault(rd, "nodes: id %u is given to two nodes",
				      id);
	for (i = 0; i < platform->n; i++)
		hosts += platform->nodes[i].host;
	if (hosts < 2)
		return hbp_json_fault(rd, "nodes must hold at least 2 of kind \"host\", not %zu",
				      hosts);
	return 0;
}

static int read_end(struct hbp_reader *rd, const json_t *object, size_t i,
		    const char *key, const struct hbp_platform *platform,
		    size_t *end)
{
	const json_t *value = json_object_get(object, key);
	uint32_t id;

	if (!hbp_json_id(value, &id))
		return hbp_json_bad(rd, value, HBP_MUST_BE_ID, "links[%zu].%s",
				    i, key);
	*end = hbp_platform_find(platform, id);
	if (*end == HBP_NONE)
		return hbp_json_fault(rd, "links[%zu].%s: there is no node %u in nodes",
				      i, key, id);
	return 0;
}

/* The MTU may be left out. */
static int read_mtu(struct hbp_reader *rd, const json_t *value, size_t i,
		    unsigned int *mtu)
{
	json_int_t bytes = json_integer_value(value);

	if (!value)
		return 0;
	if (!json_is_integer(value) || bytes < HBP_MTU_MIN || bytes > HBP_MTU_MAX)
		return hbp_json_bad(rd, value, "a whole number of bytes from 256 to 65535",
				    "links[%zu].mtu", i);
	*mtu = (unsigned int)bytes;
	return 0;
}

static int read_link(struct hbp_reader *rd, json_t *object, size_t i,
		     struct hbp_platform *platform)
{
	static const char *const known[] = {
		"from", "to", "bandwidth_mbps", "latency_us", "mtu", "symmetric", "measured",
		NULL
	};
	const json_t *bandwidth = json_object_get(object, "bandwidth_mbps");
	const json_t *latency = json_object_get(object, "latency_us");
	const json_t *symmetric = json_object_get(object, "symmetric");
	struct hbp_link link = { .from = 0 };
	double mbps, us;
	int ret;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "links[%zu]", i);
	ret = read_end(rd, object, i, "from", platform, &link.from);
	if (!ret)
		ret = read_end(rd, object, i, "to", platform, &link.to);
	if (ret)
		return ret;
	if (link.from == link.to)
		return hbp_json_fault(rd, "links[%zu].to: node %u is joined to itself",
				      i, platform->nodes[link.to].id);
	if (!hbp_json_real(bandwidth, HBP_BANDWIDTH_MIN_MBPS,
			   HBP_BANDWIDTH_MAX_MBPS, &mbps))
		return hbp_json_bad(rd, bandwidth, HBP_MUST_BE_BANDWIDTH,
				    "links[%zu].bandwidth_mbps", i);
	if (!hbp_json_real(latency, 0, HBP_LATENCY_MAX_US, &us))
		return hbp_json_bad(rd, latency, HBP_MUST_BE_LATENCY,
				    "links[%zu].latency_us", i);
	if (symmetric && !json_is_boolean(symmetric))
		return hbp_json_bad(rd, symmetric, "true or false",
				    "links[%zu].symmetric", i);
	ret = read_mtu(rd, json_object_get(object, "mtu"), i, &link.mtu);
	if (ret)
		return ret;
	hbp_json_unknown(rd, object, known, "links[%zu].", i);
	link.bandwidth_bps = hbp_bps_from_mbps(mbps);
	link.latency_ns = hbp_ns_from_us(us);
	platform->links[platform->n_links++] = link;
	if (json_is_true(symmetric)) {
		struct hbp_link back = link;

		back.from = link.to;
		back.to = link.from;
		platform->links[platform->n_links++] = back;
	}
	return 0;
}

static int read_links(struct hbp_reader *rd, json_t *array,
		      struct hbp_platform *platform)
{
	const struct hbp_link *link;
	json_t *object;
	size_t i;
	int ret;

	json_array_foreach(array, i, object) {
		ret = read_link(rd, object, i, platform);
		if (ret)
			return ret;
	}
	link = hbp_platform_finish(platform);
	if (link)
		return hbp_json_fault(rd, "links: the link from %u to %u is given twice",
				      platform->nodes[link->from].id,
				      platform->nodes[link->to].id);
	return 0;
}

/**
 * hbp_platform_read() - a platform from its JSON object
 * @rd: the reader
 * @root: the object; borrowed
 * @hnow: not to warn about what makes it an HNOW
 * @out: receives the platform, to be released with hbp_platform_free()
 *
 * Return: 0 or a negative errno value.
 */
int hbp_platform_read(struct hbp_reader *rd, json_t *root, bool hnow,
		      struct hbp_platform **out)
{
	static const char *const known[] = {
		"wormhole", "hbcast", "version", "headers", "nodes", "links", "measured", NULL
	};
	json_t *nodes = json_object_get(root, "nodes");
	json_t *links = json_object_get(root, "links");
	size_t n = json_array_size(nodes), m = json_array_size(links);
	struct hbp_platform *platform;
	int ret;

	ret = hbp_json_header(rd, root, "platform");
	if (ret)
		return ret;
	if (!json_is_array(nodes))
		return hbp_json_bad(rd, nodes, "an array of objects", "nodes");
	if (!json_is_array(links))
		return hbp_json_bad(rd, links, "an array of objects", "links");
	if (n < 2 || n > HBP_PLATFORM_NODES_MAX)
		return hbp_json_fault(rd, "nodes must hold 2 to %d nodes, not %zu",
				      HBP_PLATFORM_NODES_MAX, n);
	if (m > HBP_PLATFORM_LINKS_MAX / 2)
		return hbp_json_fault(rd, "links must hold at most %d links, not %zu",
				      HBP_PLATFORM_LINKS_MAX / 2, m);
	hbp_json_unknown(rd, root, known + !hnow, "%s", "");
	platform = hbp_platform_alloc(n, 2 * m);
	if (!platform)
		return hbp_nomem(rd->err);
	ret = hbp_json_bare(rd, root, &platform->bare);
	if (!ret)
		ret = read_nodes(rd, nodes, hnow, platform);
	if (!ret)
		ret = read_links(rd, links, platform);
	if (ret)
		hbp_platform_free(platform);
	else
		*out = platform;
	return ret;
}

/**
 * hbp_platform_from_json() - a platform from its JSON object
 * @rd: the reader
 * @root: the object; borrowed
 * @out: a struct hbp_platform **, receives the platform, to be released with hbp_platform_free()
 *
 * Return: 0 or a negative errno value.
 */
int hbp_platform_from_json(struct hbp_reader *rd, json_t *root, void *out)
{
	bool hnow = json_object_get(root, "wormhole");

	/* Once, and not for every host. */
	if (hnow)
		hbp_warning(rd->warn, "%s: wormhole and the speed of hosts count for planning only and are ignored",
			    rd->file);
	return hbp_platform_read(rd, root, hnow, out);
}

/**
 * hbp_platform_load() - read a platform from a file
 * @path: the file
 * @warn: where warnings go, or NULL
 * @out: receives the platform, to be released with hbp_platform_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_platform_load(const char *path, const struct hbp_warn *warn,
		      struct hbp_platform **out, struct hbp_error *err)
{
	return hbp_json_load(path, warn, hbp_platform_from_json, out, err);
}

/**
 * hbp_platform_parse() - read a platform from memory
 * @text: JSON, not terminated
 * @len: its length in bytes
 * @name: what error sentences call it
 * @warn: where warnings go, or NULL
 * @out: receives the platform, to be released with hbp_platform_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_platform_parse(const char *text, size_t len, const char *name,
		       const struct hbp_warn *warn, struct hbp_platform **out,
		       struct hbp_error *err)
{
	return hbp_json_load_text(text, len, name, warn, hbp_platform_from_json, out,
				  err);
}

/**
 * hbp_platform_nodes_to_json() - the nodes of a platform as a JSON array
 * @platform: the platform
 *
 * Return: a new array, or NULL if memory has run out.
 */
json_t *hbp_platform_nodes_to_json(const struct hbp_platform *platform)
{
	const struct hbp_platform_node *node;
	json_t *nodes = json_array(), *object;
	size_t i;

	for (i = 0; i < platform->n; i++) {
		node = &platform->nodes[i];
		object = json_pack("{s:I, s:s*, s:s}", "id", (json_int_t)node->id, "name",
				   node->name, "kind", node->host ? "host" : "switch");
		if (node->send_overhead_ns || node->recv_overhead_ns)
			hbp_overheads_write(object, node->send_overhead_ns,
					    node->recv_overhead_ns);
		json_array_append_new(nodes, object);
	}
	return nodes;
}

/* Two directions that are alike are one symmetric link. */
static json_t *links_to_json(const struct hbp_platform *platform)
{
	const struct hbp_link *l, *back;
	json_t *links = json_array();
	bool even;
	size_t i;

	for (i = 0; i < platform->n_links; i++) {
		l = &platform->links[i];
		back = hbp_platform_link(platform, l->to, l->from);
		even = back && back->bandwidth_bps == l->bandwidth_bps &&
		       back->latency_ns == l->latency_ns && back->mtu == l->mtu;
		if (even && l->from > l->to)
			continue;
		json_array_append_new(links,
				      json_pack("{s:I, s:I, s:f, s:f, s:o*, s:o*}",
						"from", (json_int_t)
						platform->nodes[l->from].id,
						"to", (json_int_t)
						platform->nodes[l->to].id,
						"bandwidth_mbps",
						hbp_mbps_from_bps(l->bandwidth_bps),
						"latency_us",
						hbp_us_from_ns(l->latency_ns),
						"mtu", l->mtu ? json_integer(l->mtu) : NULL,
						"symmetric", even ? json_true() : NULL));
	}
	return links;
}

/**
 * hbp_platform_to_json() - a platform as a JSON object
 * @platform: the platform, not counted
 *
 * Return: a new object, or NULL if memory has run out.
 */
json_t *hbp_platform_to_json(const struct hbp_platform *platform)
{
	return json_pack("{s:s, s:i, s:o*, s:o, s:o}", "hbcast", "platform",
			 "version", 1, "headers", platform->bare ? json_false() : NULL,
			 "nodes", hbp_platform_nodes_to_json(platform),
			 "links", links_to_json(platform));
}

/**
 * hbp_platform_text() - a platform as JSON text
 * @platform: the platform
 *
 * Return: text ending in a newline, to be released with free(), or NULL if
 * memory has run out.
 */
char *hbp_platform_text(const struct hbp_platform *platform)
{
	return hbp_json_dump(hbp_platform_to_json(platform));
}

/**
 * hbp_platform_save() - write a platform to a file
 * @platform: the platform
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_platform_save(const struct hbp_platform *platform, const char *path,
		      struct hbp_error *err)
{
	return hbp_json_save(hbp_platform_to_json(platform), path, err);
}
