// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: the network, and its routes. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"
#include "wire.h"

/* The most nodes of a file. */
#define COSTS_MAX	4096
#define PLATFORM_MAX	32768

struct hbverify_block {
	struct hbverify_block *next;
	max_align_t data[];
};

/**
 * hbverify_fail() - say what is wrong
 * @v: the check
 * @fmt: one sentence
 *
 * Return: -1.
 */
int hbverify_fail(struct hbverify *v, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(v->why, sizeof(v->why), fmt, args);
	va_end(args);
	return -1;
}

/**
 * hbverify_alloc() - zeroed memory that hbverify_free() releases
 * @v: the check
 * @n: number of things
 * @size: of each
 *
 * Return: the memory; the program ends if there is none, as nothing is to be
 * undone.
 */
void *hbverify_alloc(struct hbverify *v, size_t n, size_t size)
{
	struct hbverify_block *block;
	size_t bytes;

	if (__builtin_mul_overflow(n + 1, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*block), &bytes))
		block = NULL;
	else
		block = calloc(1, bytes);
	if (!block) {
		fputs("hbcastctl: out of memory\n", stderr);
		exit(1);
	}
	block->next = v->blocks;
	v->blocks = block;
	return block->data;
}

/**
 * hbverify_free() - release all that a check has
 * @v: the check
 */
void hbverify_free(struct hbverify *v)
{
	struct hbverify_block *block;

	while (v->blocks) {
		block = v->blocks;
		v->blocks = block->next;
		free(block);
	}
	json_decref(v->json);
}

/**
 * hbverify_near() - are two numbers equal but for rounding
 * @a: a number
 * @b: another one
 * @least: by how much they may differ, however small they are
 *
 * Return: whether they are.
 */
bool hbverify_near(double a, double b, double least)
{
	return fabs(a - b) <= HBVERIFY_SLACK * fmax(fabs(a), fabs(b)) + least;
}

/**
 * hbverify_load() - read a file
 * @v: the check
 * @file: its name
 *
 * Return: a new object, or NULL.
 */
json_t *hbverify_load(struct hbverify *v, const char *file)
{
	json_error_t error;
	FILE *f = fopen(file, "r");
	json_t *json;

	if (!f) {
		hbverify_fail(v, "%s: cannot be opened: %s", file,
			      strerror(errno));
		return NULL;
	}
	json = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!json)
		hbverify_fail(v, "%s: line %d, column %d: not JSON: %s", file,
			      error.line, error.column, error.text);
	if (!json || json_is_object(json))
		return json;
	hbverify_fail(v, "%s: the file must hold one JSON object", file);
	json_decref(json);
	return NULL;
}

/**
 * hbverify_node() - find a node
 * @net: the network
 * @id: its id
 *
 * Return: its index, or HBVERIFY_NONE.
 */
size_t hbverify_node(const struct hbverify_net *net, uint32_t id)
{
	size_t low = 0, high = net->n, half;

	while (low < high) {
		half = low + (high - low) / 2;
		if (net->id[half] < id)
			low = half + 1;
		else
			high = half;
	}
	return low < net->n && net->id[low] == id ? low : HBVERIFY_NONE;
}

/**
 * hbverify_link() - find a link
 * @net: the network
 * @from: index of the sender
 * @to: index of the receiver
 *
 * Return: its index, or HBVERIFY_NONE.
 */
size_t hbverify_link(const struct hbverify_net *net, size_t from, size_t to)
{
	size_t low = net->first[from], end = net->first[from + 1], half;

	while (end - low > 1) {
		half = low + (end - low) / 2;
		if (net->links[half].to <= to)
			low = half;
		else
			end = half;
	}
	return low < end && net->links[low].to == to ? low : HBVERIFY_NONE;
}

static bool is_text(const json_t *value, const char *text)
{
	return json_is_string(value) && !strcmp(json_string_value(value), text);
}

static int64_t ns_of(const json_t *us)
{
	return llround(json_number_value(us) * 1e3);
}

/* A node of the file, and where the file has it. */
struct named {
	uint32_t id;
	size_t at;
};

static int by_id(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Fills the nodes in ascending order of id; @place tells whose is whose. */
static int read_nodes(struct hbverify *v, const json_t *nodes, size_t *place)
{
	struct hbverify_net *net = &v->net;
	struct named *named = hbverify_alloc(v, net->n, sizeof(*named));
	const json_t *node, *kind;
	size_t i;

	for (i = 0; i < net->n; i++) {
		node = json_array_get(nodes, i);
		named[i].id = (uint32_t)json_integer_value(json_object_get(node, "id"));
		named[i].at = i;
	}
	qsort(named, net->n, sizeof(*named), by_id);
	for (i = 0; i < net->n; i++) {
		if (i && named[i].id == named[i - 1].id)
			return hbverify_fail(v, "%s: nodes: id %u is given twice",
					     net->file, named[i].id);
		node = json_array_get(nodes, named[i].at);
		kind = json_object_get(node, "kind");
		place[named[i].at] = i;
		net->id[i] = named[i].id;
		net->host[i] = net->costs || is_text(kind, "host");
		net->hosts += net->host[i];
		net->send_ns[i] = ns_of(json_object_get(node, "send_overhead_us"));
		net->recv_ns[i] = ns_of(json_object_get(node, "recv_overhead_us"));
	}
	return 0;
}

static int add_link(struct hbverify *v, size_t from, size_t to,
		    const json_t *mbps, const json_t *us, unsigned int mtu)
{
	struct hbverify_link *link = &v->net.links[v->net.n_links++];

	link->from = from;
	link->to = to;
	link->mbps = json_number_value(mbps);
	link->ns = ns_of(us);
	link->mtu = mtu;
	if (link->mbps > 0 && json_is_number(us) && link->ns >= 0) {
		if (v->net.headers)
			link->mbps = hbverify_payload(link->mbps, mtu);
		return 0;
	}
	return hbverify_fail(v,
			     "%s: from node %u to node %u bandwidth_mbps must be positive and latency_us 0 or more",
			     v->net.file, v->net.id[from], v->net.id[to]);
}

/* A row and a column for each node. */
static int check_size(struct hbverify *v, const json_t *json, const char *key)
{
	const json_t *rows = json_object_get(json, key);
	bool square = json_array_size(rows) == v->net.n;
	size_t i;

	for (i = 0; square && i < v->net.n; i++)
		square = json_array_size(json_array_get(rows, i)) == v->net.n;
	return square ? 0 :
	       hbverify_fail(v, "%s: %s must have %zu rows and columns, as many as nodes",
			     v->net.file, key, v->net.n);
}

static int read_pairs(struct hbverify *v, const json_t *json, const size_t *place)
{
	const json_t *mbps = json_object_get(json, "bandwidth_mbps"), *one;
	const json_t *us = json_object_get(json, "latency_us");
	size_t i, j;

	if (check_size(v, json, "bandwidth_mbps") ||
	    check_size(v, json, "latency_us"))
		return -1;
	v->net.links = hbverify_alloc(v, v->net.n * v->net.n,
				      sizeof(*v->net.links));
	for (i = 0; i < v->net.n; i++) {
		for (j = 0; j < v->net.n; j++) {
			one = json_array_get(json_array_get(mbps, i), j);
			if (i == j || !json_is_number(one))
				continue;
			if (add_link(v, place[i], place[j], one,
				     json_array_get(json_array_get(us, i), j),
				     HBP_MTU))
				return -1;
		}
	}
	return 0;
}

static size_t end_of(const struct hbverify *v, const json_t *link,
		     const char *key)
{
	const json_t *id = json_object_get(link, key);

	return json_is_integer(id) ?
	       hbverify_node(&v->net, (uint32_t)json_integer_value(id)) :
	       HBVERIFY_NONE;
}

static int read_links(struct hbverify *v, const json_t *json)
{
	json_t *links = json_object_get(json, "links"), *link;
	const json_t *mbps, *us, *mtu;
	size_t i, from, to;
	json_int_t bytes;

	v->net.links = hbverify_alloc(v, 2 * json_array_size(links),
				      sizeof(*v->net.links));
	json_array_foreach(links, i, link) {
		from = end_of(v, link, "from");
		to = end_of(v, link, "to");
		mbps = json_object_get(link, "bandwidth_mbps");
		us = json_object_get(link, "latency_us");
		if (from == HBVERIFY_NONE || to == HBVERIFY_NONE || from == to)
			return hbverify_fail(v, "%s: links[%zu] does not join two nodes",
					     v->net.file, i);
		mtu = json_object_get(link, "mtu");
		bytes = mtu ? json_integer_value(mtu) : HBP_MTU;
		if (bytes < HBP_MTU_MIN || bytes > HBP_MTU_MAX)
			return hbverify_fail(v, "%s: links[%zu].mtu is none that a link has",
					     v->net.file, i);
		if (add_link(v, from, to, mbps, us, (unsigned int)bytes) ||
		    (json_is_true(json_object_get(link, "symmetric")) &&
		     add_link(v, to, from, mbps, us, (unsigned int)bytes)))
			return -1;
	}
	return 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct hbverify_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void index_links(struct hbverify *v)
{
	struct hbverify_net *net = &v->net;
	size_t *next = hbverify_alloc(v, net->n + 1, sizeof(*next)), i;

	qsort(net->links, net->n_links, sizeof(*net->links), by_ends);
	net->first = hbverify_alloc(v, net->n + 1, sizeof(*net->first));
	net->first_into = hbverify_alloc(v, net->n + 1, sizeof(*net->first_into));
	net->into = hbverify_alloc(v, net->n_links, sizeof(*net->into));
	for (i = 0; i < net->n_links; i++) {
		net->first[net->links[i].from + 1]++;
		net->first_into[net->links[i].to + 1]++;
	}
	for (i = 0; i < net->n; i++) {
		net->first[i + 1] += net->first[i];
		net->first_into[i + 1] += net->first_into[i];
		next[i] = net->first_into[i];
	}
	for (i = 0; i < net->n_links; i++)
		net->into[next[net->links[i].to]++] = i;
}

/**
 * hbverify_read_net() - read the network
 * @v: its net is filled
 * @file: a cost matrix, a platform or an HNOW
 *
 * Whether the file is a good one is not asked much: planners do.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_read_net(struct hbverify *v, const char *file)
{
	struct hbverify_net *net = &v->net;
	const json_t *kind, *nodes;
	json_t *json = hbverify_load(v, file);
	size_t *place, most;
	int ret;

	if (!json)
		return -1;
	net->file = file;
	kind = json_object_get(json, "hbcast");
	nodes = json_object_get(json, "nodes");
	net->costs = is_text(kind, "costs");
	net->headers = !json_is_false(json_object_get(json, "headers")) &&
		       !json_object_get(json, "wormhole");
	net->n = json_array_size(nodes);
	net->id = hbverify_alloc(v, net->n, sizeof(*net->id));
	net->host = hbverify_alloc(v, net->n, sizeof(*net->host));
	net->send_ns = hbverify_alloc(v, net->n, sizeof(*net->send_ns));
	net->recv_ns = hbverify_alloc(v, net->n, sizeof(*net->recv_ns));
	net->ns = hbverify_alloc(v, net->n, sizeof(*net->ns));
	net->hops = hbverify_alloc(v, net->n, sizeof(*net->hops));
	net->queue = hbverify_alloc(v, net->n, sizeof(*net->queue));
	net->queued = hbverify_alloc(v, net->n, sizeof(*net->queued));
	place = hbverify_alloc(v, net->n, sizeof(*place));
	most = net->costs ? COSTS_MAX : PLATFORM_MAX;
	if (!net->costs && !is_text(kind, "platform"))
		ret = hbverify_fail(v, "%s: the file is no cost matrix and no platform",
				    file);
	else if (net->n < 2 || net->n > most)
		ret = hbverify_fail(v, "%s: nodes must hold 2 to %zu nodes, not %zu",
				    file, most, net->n);
	else
		ret = read_nodes(v, nodes, place);
	if (!ret)
		ret = net->costs ? read_pairs(v, json, place) :
				   read_links(v, json);
	if (!ret)
		index_links(v);
	if (!ret && !net->costs && json_object_get(json, "wormhole")) {
		ret = hbverify_read_hnow(v, json, place);
		if (!ret)
			index_links(v);
	}
	json_decref(json);
	return ret;
}

/* Takes a link if it is the shorter way; fewer links if it is as short. */
static bool is_shorter(struct hbverify_net *net, const struct hbverify_link *link)
{
	int64_t ns = net->ns[link->from] + link->ns;
	size_t hops = net->hops[link->from] + 1;

	if (net->ns[link->to] >= 0 &&
	    (net->ns[link->to] < ns ||
	     (net->ns[link->to] == ns && net->hops[link->to] <= hops)))
		return false;
	net->ns[link->to] = ns;
	net->hops[link->to] = hops;
	return true;
}

/**
 * hbverify_routes() - find the least latency from a host to all nodes
 * @net: its ns and hops are filled
 * @source: index of the host
 * @pass_hosts: routes pass other hosts, too
 */
void hbverify_routes(struct hbverify_net *net, size_t source, bool pass_hosts)
{
	size_t head = 0, waiting = 1, at, i, room = net->n + 1;

	for (i = 0; i < net->n; i++)
		net->ns[i] = -1;
	net->ns[source] = 0;
	net->hops[source] = 0;
	net->queue[0] = source;
	while (waiting) {
		at = net->queue[head];
		head = (head + 1) % room;
		waiting--;
		net->queued[at] = false;
		if (at != source && net->host[at] && !pass_hosts)
			continue;
		for (i = net->first[at]; i < net->first[at + 1]; i++) {
			if (!is_shorter(net, &net->links[i]) ||
			    net->queued[net->links[i].to])
				continue;
			net->queued[net->links[i].to] = true;
			net->queue[(head + waiting++) % room] = net->links[i].to;
		}
	}
}

/**
 * hbverify_last() - the last link of the route to a node
 * @net: after hbverify_routes() that passed no hosts
 * @source: index of the host it was asked for
 * @to: index of a node that a route leads to, another one
 *
 * Return: its index; of equal ways the one from the neighbour with the lowest id.
 */
size_t hbverify_last(const struct hbverify_net *net, size_t source, size_t to)
{
	const struct hbverify_link *link;
	size_t i;

	/* Links stand by the ids of their senders. */
	for (i = net->first_into[to];; i++) {
		link = &net->links[net->into[i]];
		if (net->ns[link->from] >= 0 &&
		    (link->from == source || !net->host[link->from]) &&
		    net->ns[link->from] + link->ns == net->ns[to] &&
		    net->hops[link->from] + 1 == net->hops[to])
			return net->into[i];
	}
}

/**
 * hbverify_way() - the route to a node
 * @net: after hbverify_routes() that passed no hosts
 * @source: index of the host it was asked for
 * @to: index of the node
 * @links: receives the links, the last first, at most as many as nodes
 *
 * Return: how many; 0 if there is no route.
 */
size_t hbverify_way(const struct hbverify_net *net, size_t source, size_t to,
		    size_t *links)
{
	size_t n = 0;

	if (net->ns[to] < 0)
		return 0;
	for (; to != source; to = net->links[links[n - 1]].from)
		links[n++] = hbverify_last(net, source, to);
	return n;
}
