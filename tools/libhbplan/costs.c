// SPDX-License-Identifier: GPL-2.0-or-later
/* Cost matrices: what every pair of nodes costs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "costs.h"
#include "json.h"
#include "node.h"
#include "overhead.h"
#include "units.h"
#include "wire.h"

/**
 * hbp_costs_alloc() - a matrix without links
 * @n: number of nodes
 *
 * Ids, names and overheads are zero, all links missing.
 *
 * Return: the matrix, to be released with hbp_costs_free(), or NULL if memory
 * has run out.
 */
struct hbp_costs *hbp_costs_alloc(size_t n)
{
	struct hbp_costs *costs = calloc(1, sizeof(*costs));
	size_t i;

	if (!costs)
		return NULL;
	costs->nodes = calloc(n, sizeof(*costs->nodes));
	costs->latency_ns = calloc(n * n, sizeof(*costs->latency_ns));
	costs->bandwidth_bps = calloc(n * n, sizeof(*costs->bandwidth_bps));
	if (!costs->nodes || !costs->latency_ns || !costs->bandwidth_bps) {
		hbp_costs_free(costs);
		return NULL;
	}
	costs->n = n;
	for (i = 0; i < n * n; i++)
		costs->latency_ns[i] = HBP_NEVER;
	return costs;
}

/**
 * hbp_costs_free() - release a matrix
 * @costs: the matrix or NULL
 */
void hbp_costs_free(struct hbp_costs *costs)
{
	size_t i;

	if (!costs)
		return;
	for (i = 0; i < costs->n; i++) {
		free(costs->nodes[i].name);
		free(costs->nodes[i].address);
	}
	free(costs->nodes);
	free(costs->latency_ns);
	free(costs->bandwidth_bps);
	free(costs);
}

/**
 * hbp_costs_count() - count headers
 * @costs: the matrix, just made; bandwidths become those of payload, unless they are
 *	that. Acknowledgements take nothing, as nothing tells what pairs share.
 */
void hbp_costs_count(struct hbp_costs *costs)
{
	size_t i;

	for (i = 0; !costs->bare && i < costs->n * costs->n; i++)
		costs->bandwidth_bps[i] = hbp_wire_payload(costs->bandwidth_bps[i], HBP_MTU);
}

static void drop_cells(int64_t *cells, size_t n, size_t at)
{
	size_t i, kept = 0;

	for (i = 0; i < n * n; i++)
		if (i / n != at && i % n != at)
			cells[kept++] = cells[i];
}

/**
 * hbp_costs_drop() - take a node out
 * @costs: the matrix, of at least three nodes
 * @at: index of the node
 */
void hbp_costs_drop(struct hbp_costs *costs, size_t at)
{
	free(costs->nodes[at].name);
	free(costs->nodes[at].address);
	drop_cells(costs->latency_ns, costs->n, at);
	drop_cells(costs->bandwidth_bps, costs->n, at);
	costs->n--;
	memmove(&costs->nodes[at], &costs->nodes[at + 1],
		(costs->n - at) * sizeof(*costs->nodes));
}

/**
 * hbp_costs_find() - index of a node
 * @costs: the matrix
 * @id: the node's id
 *
 * Return: its row and column, or HBP_NONE.
 */
size_t hbp_costs_find(const struct hbp_costs *costs, uint32_t id)
{
	return hbp_node_find(costs->nodes, costs->n, sizeof(*costs->nodes), id);
}

/**
 * hbp_costs_delay_ns() - what a message of no length costs
 * @costs: the matrix
 * @from: index of the sender
 * @to: index of the receiver
 *
 * Return: the sender's overhead + latency + the receiver's overhead in
 * nanoseconds; HBP_NEVER without a link.
 */
int64_t hbp_costs_delay_ns(const struct hbp_costs *costs, size_t from, size_t to)
{
	int64_t ns = costs->latency_ns[from * costs->n + to];

	ns = hbp_ns_add(ns, costs->nodes[from].send_overhead_ns);
	return hbp_ns_add(ns, costs->nodes[to].recv_overhead_ns);
}

/**
 * hbp_costs_pair_ns() - completion time between two nodes
 * @costs: the matrix
 * @from: index of the sender
 * @to: index of the receiver
 * @bytes: message size
 *
 * Paper 002, section 4: latency + size / bandwidth, with the overheads of its
 * LogGP analysis. (The k - 1 of that formula is taken as k.)
 *
 * Return: nanoseconds; HBP_NEVER without a link.
 */
int64_t hbp_costs_pair_ns(const struct hbp_costs *costs, size_t from, size_t to,
			  uint64_t bytes)
{
	int64_t bps = costs->bandwidth_bps[from * costs->n + to];

	return hbp_ns_add(hbp_transfer_ns(bytes, bps),
			  hbp_costs_delay_ns(costs, from, to));
}

static int read_text(struct hbp_reader *rd, const json_t *object, size_t i,
		     const char *key, char **out)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return 0;
	if (!hbp_json_text(value, 63))
		return hbp_json_bad(rd, value, HBP_MUST_BE_NAME, "nodes[%zu].%s",
				    i, key);
	*out = strdup(json_string_value(value));
	return *out ? 0 : hbp_nomem(rd->err);
}

static int read_node(struct hbp_reader *rd, json_t *object, size_t i,
		     struct hbp_cost_node *node)
{
	static const char *const known[] = {
		"id", "name", "address", "port", "send_overhead_us",
		"recv_overhead_us", NULL
	};
	const json_t *port = json_object_get(object, "port");
	uint64_t number = 0;
	int ret;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "nodes[%zu]", i);
	if (!hbp_json_id(json_object_get(object, "id"), &node->id))
		return hbp_json_bad(rd, json_object_get(object, "id"),
				    HBP_MUST_BE_ID, "nodes[%zu].id", i);
	if (port && (!hbp_json_uint(port, 65535, &number) || !number))
		return hbp_json_bad(rd, port, "an integer from 1 to 65535",
				    "nodes[%zu].port", i);
	node->port = (uint16_t)number;
	hbp_json_unknown(rd, object, known, "nodes[%zu].", i);
	ret = read_text(rd, object, i, "name", &node->name);
	if (!ret)
		ret = read_text(rd, object, i, "address", &node->address);
	if (!ret)
		ret = hbp_overheads_read(rd, object, i, &node->send_overhead_ns,
					 &node->recv_overhead_ns);
	return ret;
}

static int read_row(struct hbp_reader *rd, json_t *matrix, const char *key,
		    size_t row, size_t n, json_t **out)
{
	json_t *cells = json_array_get(matrix, row);

	if (!json_is_array(cells))
		return hbp_json_bad(rd, cells, "an array", "%s[%zu]", key, row);
	if (json_array_size(cells) != n)
		return hbp_json_fault(rd,
				      "%s[%zu] must have %zu columns, as many as nodes, not %zu",
				      key, row, n, json_array_size(cells));
	*out = cells;
	return 0;
}

/*
 * The row of a node in file order; @at tells where the nodes of the file are
 * in ascending order.
 */
static int read_cells(struct hbp_reader *rd, const json_t *latency,
		      const json_t *bandwidth, size_t row, const size_t *at,
		      struct hbp_costs *costs)
{
	double us, mbps;
	const json_t *l, *b;
	size_t to, cell;

	for (to = 0; to < costs->n; to++) {
		l = json_array_get(latency, to);
		b = json_array_get(bandwidth, to);
		cell = at[row] * costs->n + at[to];
		if (!json_is_null(b) &&
		    !hbp_json_real(b, HBP_BANDWIDTH_MIN_MBPS,
				   HBP_BANDWIDTH_MAX_MBPS, &mbps))
			return hbp_json_bad(rd, b, "null or "
					    HBP_MUST_BE_BANDWIDTH,
					    "bandwidth_mbps[%zu][%zu]", row, to);
		if (!((json_is_null(b) || row == to) && json_is_null(l)) &&
		    !hbp_json_real(l, 0, HBP_LATENCY_MAX_US, &us))
			return hbp_json_bad(rd, l, HBP_MUST_BE_LATENCY,
					    "latency_us[%zu][%zu]", row, to);
		if (row == to || json_is_null(b))
			continue;
		costs->bandwidth_bps[cell] = hbp_bps_from_mbps(mbps);
		costs->latency_ns[cell] = hbp_ns_from_us(us);
	}
	return 0;
}

static int read_matrix(struct hbp_reader *rd, json_t *root, const size_t *at,
		       struct hbp_costs *costs)
{
	static const char *const keys[] = { "latency_us", "bandwidth_mbps" };
	json_t *matrix[2], *cells[2];
	size_t row, k;
	int ret;

	for (k = 0; k < 2; k++) {
		matrix[k] = json_object_get(root, keys[k]);
		if (!json_is_array(matrix[k]))
			return hbp_json_bad(rd, matrix[k], "an array of arrays",
					    "%s", keys[k]);
		if (json_array_size(matrix[k]) != costs->n)
			return hbp_json_fault(rd,
					      "%s must have %zu rows, as many as nodes, not %zu",
					      keys[k], costs->n,
					      json_array_size(matrix[k]));
	}
	for (row = 0; row < costs->n; row++) {
		for (k = 0; k < 2; k++) {
			ret = read_row(rd, matrix[k], keys[k], row, costs->n,
				       &cells[k]);
			if (ret)
				return ret;
		}
		ret = read_cells(rd, cells[0], cells[1], row, at, costs);
		if (ret)
			return ret;
	}
	return 0;
}

/* Reads the nodes, sorts them, and fills @at: file order to sorted order. */
static int read_nodes(struct hbp_reader *rd, json_t *nodes,
		      struct hbp_costs *costs, size_t *at)
{
	json_t *object;
	uint32_t id;
	size_t i;
	int ret;

	json_array_foreach(nodes, i, object) {
		ret = read_node(rd, object, i, &costs->nodes[i]);
		if (ret)
			return ret;
	}
	hbp_node_sort(costs->nodes, costs->n, sizeof(*costs->nodes));
	if (hbp_node_repeat(costs->nodes, costs->n, sizeof(*costs->nodes), &id))
		return hbp_json_fault(rd, "nodes: id %u is given to two nodes",
				      id);
	json_array_foreach(nodes, i, object) {
		if (hbp_json_id(json_object_get(object, "id"), &id))
			at[i] = hbp_costs_find(costs, id);
	}
	return 0;
}

/**
 * hbp_costs_from_json() - a cost matrix from its JSON object
 * @rd: the reader
 * @root: the object; borrowed
 * @out: a struct hbp_costs **, receives the matrix, to be released with hbp_costs_free()
 *
 * Return: 0 or a negative errno value.
 */
int hbp_costs_from_json(struct hbp_reader *rd, json_t *root, void *out)
{
	static const char *const known[] = {
		"hbcast", "version", "headers", "nodes", "latency_us", "bandwidth_mbps",
		"measured", NULL
	};
	json_t *nodes = json_object_get(root, "nodes");
	struct hbp_costs *costs;
	size_t n, *at;
	int ret;

	ret = hbp_json_header(rd, root, "costs");
	if (ret)
		return ret;
	if (!json_is_array(nodes))
		return hbp_json_bad(rd, nodes, "an array of objects", "nodes");
	n = json_array_size(nodes);
	if (n < 2 || n > HBP_COSTS_NODES_MAX)
		return hbp_json_fault(rd, "nodes must hold 2 to %d nodes, not %zu",
				      HBP_COSTS_NODES_MAX, n);
	hbp_json_unknown(rd, root, known, "%s", "");
	costs = hbp_costs_alloc(n);
	at = calloc(n, sizeof(*at));
	ret = costs && at ? hbp_json_bare(rd, root, &costs->bare) :
			    hbp_nomem(rd->err);
	if (!ret)
		ret = read_nodes(rd, nodes, costs, at);
	if (!ret)
		ret = read_matrix(rd, root, at, costs);
	free(at);
	if (ret)
		hbp_costs_free(costs);
	else
		*(struct hbp_costs **)out = costs;
	return ret;
}

/**
 * hbp_costs_load() - read a cost matrix from a file
 * @path: the file
 * @warn: where warnings go, or NULL
 * @out: receives the matrix, to be released with hbp_costs_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_costs_load(const char *path, const struct hbp_warn *warn,
		   struct hbp_costs **out, struct hbp_error *err)
{
	return hbp_json_load(path, warn, hbp_costs_from_json, out, err);
}

/**
 * hbp_costs_parse() - read a cost matrix from memory
 * @text: JSON, not terminated
 * @len: its length in bytes
 * @name: what error sentences call it
 * @warn: where warnings go, or NULL
 * @out: receives the matrix, to be released with hbp_costs_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_costs_parse(const char *text, size_t len, const char *name,
		    const struct hbp_warn *warn, struct hbp_costs **out,
		    struct hbp_error *err)
{
	return hbp_json_load_text(text, len, name, warn, hbp_costs_from_json, out,
				  err);
}

static json_t *node_to_json(const struct hbp_cost_node *node)
{
	json_t *object = json_pack("{s:I, s:s*, s:s*}", "id",
				   (json_int_t)node->id, "name", node->name,
				   "address", node->address);

	if (node->port)
		json_object_set_new(object, "port", json_integer(node->port));
	hbp_overheads_write(object, node->send_overhead_ns, node->recv_overhead_ns);
	return object;
}

static void row_to_json(const struct hbp_costs *costs, size_t from,
			json_t *latency, json_t *bandwidth)
{
	size_t to, cell;
	bool link;

	for (to = 0; to < costs->n; to++) {
		cell = from * costs->n + to;
		link = costs->bandwidth_bps[cell] > 0;
		json_array_append_new(bandwidth, link ?
			json_real(hbp_mbps_from_bps(costs->bandwidth_bps[cell])) :
			json_null());
		if (from == to)
			json_array_append_new(latency, json_real(0));
		else
			json_array_append_new(latency, link ?
				json_real(hbp_us_from_ns(costs->latency_ns[cell])) :
				json_null());
	}
}

static json_t *costs_to_json(const struct hbp_costs *costs)
{
	json_t *nodes = json_array(), *latency = json_array();
	json_t *bandwidth = json_array();
	size_t i;

	for (i = 0; i < costs->n; i++) {
		json_array_append_new(nodes, node_to_json(&costs->nodes[i]));
		json_array_append_new(latency, json_array());
		json_array_append_new(bandwidth, json_array());
		row_to_json(costs, i, json_array_get(latency, i),
			    json_array_get(bandwidth, i));
	}
	return json_pack("{s:s, s:i, s:o*, s:o, s:o, s:o}", "hbcast", "costs",
			 "version", 1, "headers", costs->bare ? json_false() : NULL,
			 "nodes", nodes, "latency_us", latency,
			 "bandwidth_mbps", bandwidth);
}

/**
 * hbp_costs_text() - a cost matrix as JSON text
 * @costs: the matrix
 *
 * Return: text ending in a newline, to be released with free(), or NULL if
 * memory has run out.
 */
char *hbp_costs_text(const struct hbp_costs *costs)
{
	return hbp_json_dump(costs_to_json(costs));
}

/**
 * hbp_costs_save() - write a cost matrix to a file
 * @costs: the matrix
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_costs_save(const struct hbp_costs *costs, const char *path,
		   struct hbp_error *err)
{
	return hbp_json_save(costs_to_json(costs), path, err);
}
