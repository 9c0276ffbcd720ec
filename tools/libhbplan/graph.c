// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes and links as foreign files tell of them, and the platform they make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "node.h"
#include "units.h"

#define EARTH_KM	6371.0
/* Light in fibre: two thirds of its speed in a vacuum. */
#define NS_PER_KM	5000.0

/**
 * hbp_graph_init() - begin with nothing
 * @rd: the reader
 * @graph: to be released with hbp_graph_release()
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_graph_init(struct hbp_reader *rd, struct hbp_graph *graph)
{
	memset(graph, 0, sizeof(*graph));
	return hbp_labels_init(rd, &graph->labels);
}

/**
 * hbp_graph_release() - end it
 * @graph: the graph
 */
void hbp_graph_release(struct hbp_graph *graph)
{
	size_t i;

	for (i = 0; i < hbp_labels_count(&graph->labels); i++)
		free(graph->nodes[i].name);
	hbp_labels_release(&graph->labels);
	free(graph->nodes);
	free(graph->links);
}

static int make_room(struct hbp_reader *rd, void *array, size_t used,
		     size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void **at = array, *moved;

	if (used < *room)
		return 0;
	moved = realloc(*at, more * size);
	if (!moved)
		return hbp_nomem(rd->err);
	*at = moved;
	*room = more;
	return 0;
}

/**
 * hbp_graph_add_node() - another node
 * @rd: the reader
 * @graph: the graph
 * @label: what the file calls it
 * @line: where
 * @node: receives the node, valid until the next is added
 *
 * Return: 0; -EINVAL if there is one of that label, or too many; -ENOMEM.
 */
int hbp_graph_add_node(struct hbp_reader *rd, struct hbp_graph *graph,
		       const char *label, size_t line,
		       struct hbp_graph_node **node)
{
	size_t n = hbp_labels_count(&graph->labels), index;
	int ret;

	if (n == HBP_PLATFORM_NODES_MAX)
		return hbp_json_fault(rd, "line %zu: there may be at most %d nodes",
				      line, HBP_PLATFORM_NODES_MAX);
	ret = make_room(rd, &graph->nodes, n, &graph->nodes_room,
			sizeof(*graph->nodes));
	if (!ret)
		ret = hbp_labels_add(rd, &graph->labels, label, line, &index);
	if (ret)
		return ret;
	if (index < n)
		return hbp_json_fault(rd, "line %zu: there are two nodes \"%s\"",
				      line, label);
	*node = &graph->nodes[n];
	memset(*node, 0, sizeof(**node));
	return 0;
}

/**
 * hbp_graph_add_link() - another link
 * @rd: the reader
 * @graph: the graph
 * @link: copied; one from a node to itself is left out with a warning
 *
 * Return: 0; -EINVAL if there are too many; -ENOMEM.
 */
int hbp_graph_add_link(struct hbp_reader *rd, struct hbp_graph *graph,
		       const struct hbp_graph_link *link)
{
	int ret;

	if (link->from == link->to) {
		hbp_warning(rd->warn, "%s: line %zu: a link from a node to itself is ignored",
			    rd->file, link->line);
		return 0;
	}
	if (graph->n_links == HBP_PLATFORM_LINKS_MAX / 2)
		return hbp_json_fault(rd, "line %zu: there may be at most %d links",
				      link->line, HBP_PLATFORM_LINKS_MAX / 2);
	ret = make_room(rd, &graph->links, graph->n_links, &graph->links_room,
			sizeof(*graph->links));
	if (!ret)
		graph->links[graph->n_links++] = *link;
	return ret;
}

/**
 * hbp_graph_find() - a node that must be there
 * @rd: the reader
 * @graph: the graph
 * @label: what the file calls it, or NULL if it does not say
 * @line: where
 * @index: receives its index
 *
 * Return: 0 or -EINVAL.
 */
int hbp_graph_find(struct hbp_reader *rd, const struct hbp_graph *graph,
		   const char *label, size_t line, size_t *index)
{
	if (!label)
		return hbp_json_fault(rd, "line %zu: an end of the link is missing",
				      line);
	*index = hbp_labels_find(&graph->labels, label);
	if (*index == HBP_NONE)
		return hbp_json_fault(rd, "line %zu: there is no node \"%.63s\"",
				      line, label);
	return 0;
}

static bool read_degrees(const json_t *attributes, const char *key,
			 double most, double *degrees)
{
	const char *text = json_string_value(json_object_get(attributes, key));
	char *end;

	if (!text)
		return false;
	*degrees = strtod(text, &end);
	return end != text && !*end && fabs(*degrees) <= most;
}

/**
 * hbp_graph_node_attributes() - what is told of a node
 * @rd: the reader
 * @attributes: texts; of use are label or name, kind, Latitude and Longitude
 * @line: where
 * @node: receives it
 *
 * Return: 0; -EINVAL if a kind is none; -ENOMEM.
 */
int hbp_graph_node_attributes(struct hbp_reader *rd, const json_t *attributes,
			      size_t line, struct hbp_graph_node *node)
{
	const json_t *kind = json_object_get(attributes, "kind");
	const json_t *name = json_object_get(attributes, "label");
	const char *text = json_string_value(kind);

	if (text && strcmp(text, "host") && strcmp(text, "switch"))
		return hbp_json_fault(rd, "line %zu: kind must be host or switch, not \"%.40s\"",
				      line, text);
	if (text)
		node->kind = !strcmp(text, "host") ? HBP_GRAPH_HOST :
						     HBP_GRAPH_SWITCH;
	if (!name)
		name = json_object_get(attributes, "name");
	if (hbp_json_text(name, 63)) {
		node->name = strdup(json_string_value(name));
		if (!node->name)
			return hbp_nomem(rd->err);
	}
	node->located = read_degrees(attributes, "Latitude", 90, &node->latitude) &&
			read_degrees(attributes, "Longitude", 180,
				     &node->longitude);
	return 0;
}

/**
 * hbp_graph_link_attributes() - what is told of a link
 * @rd: the reader
 * @attributes: texts; of use are the names of quantities, and LinkSpeedRaw for
 *	bandwidth_bps
 * @link: receives it; its line is set
 *
 * Return: 0; -EINVAL if a number is none.
 */
int hbp_graph_link_attributes(struct hbp_reader *rd, const json_t *attributes,
			      struct hbp_graph_link *link)
{
	const struct hbp_quantity *quantity;
	const char *key, *must;
	json_t *text;
	int64_t value;

	link->bandwidth_bps = HBP_UNTOLD;
	link->latency_ns = HBP_UNTOLD;
	json_object_foreach((json_t *)attributes, key, text) {
		quantity = hbp_quantity_find(strcmp(key, "LinkSpeedRaw") ? key :
					     "bandwidth_bps");
		if (!quantity)
			continue;
		must = hbp_quantity_read(quantity, json_string_value(text),
					 &value);
		if (must)
			return hbp_json_fault(rd, "line %zu: %s must be %s, not \"%.40s\"",
					      link->line, key, must,
					      json_string_value(text));
		if (value == HBP_UNTOLD)
			continue;
		if (quantity->bandwidth)
			link->bandwidth_bps = value;
		else
			link->latency_ns = value;
	}
	return 0;
}

/* The way over the globe, by the haversine formula. */
static int64_t distance_ns(const struct hbp_graph_node *a,
			   const struct hbp_graph_node *b)
{
	const double radian = M_PI / 180;
	double up = sin((b->latitude - a->latitude) * radian / 2);
	double along = sin((b->longitude - a->longitude) * radian / 2);
	double h = up * up + cos(a->latitude * radian) *
		   cos(b->latitude * radian) * along * along;

	return llround(2 * EARTH_KM * asin(sqrt(fmin(h, 1))) * NS_PER_KM);
}

static int fill_link(struct hbp_reader *rd, const struct hbp_graph *graph,
		     const struct hbp_assumed *assumed,
		     struct hbp_graph_link *link)
{
	const struct hbp_graph_node *from = &graph->nodes[link->from];
	const struct hbp_graph_node *to = &graph->nodes[link->to];

	if (link->bandwidth_bps < 0)
		link->bandwidth_bps = assumed->bandwidth_bps;
	if (link->latency_ns < 0 && from->located && to->located)
		link->latency_ns = distance_ns(from, to);
	if (link->latency_ns < 0)
		link->latency_ns = assumed->latency_ns;
	if (link->bandwidth_bps < 0 || link->latency_ns < 0)
		return hbp_json_fault(rd, "line %zu: the link's %s is not told: give one for all",
				      link->line, link->bandwidth_bps < 0 ?
				      "bandwidth" : "latency");
	return 0;
}

static void put_direction(struct hbp_platform *platform,
			  const struct hbp_graph_link *link, bool back)
{
	platform->links[platform->n_links++] = (struct hbp_link){
		.from = back ? link->to : link->from,
		.to = back ? link->from : link->to,
		.bandwidth_bps = link->bandwidth_bps,
		.latency_ns = link->latency_ns,
	};
}

static int64_t add_bps(int64_t a, int64_t b)
{
	const int64_t most = hbp_bps_from_mbps(HBP_BANDWIDTH_MAX_MBPS);

	return a + b < most ? a + b : most;
}

/* Parallel links are one, as wide as all together, as near as the nearest. */
static void merge_links(struct hbp_platform *platform)
{
	struct hbp_link *links = platform->links, *last;
	size_t i, kept = 0;

	if (platform->n_links)
		qsort(links, platform->n_links, sizeof(*links), hbp_link_compare);
	for (i = 0; i < platform->n_links; i++) {
		last = kept ? &links[kept - 1] : NULL;
		if (!last || hbp_link_compare(last, &links[i])) {
			links[kept++] = links[i];
			continue;
		}
		last->bandwidth_bps = add_bps(last->bandwidth_bps,
					      links[i].bandwidth_bps);
		if (links[i].latency_ns < last->latency_ns)
			last->latency_ns = links[i].latency_ns;
	}
	platform->n_links = kept;
}

static void note_neighbour(size_t *only, size_t node, size_t other)
{
	if (only[node] == HBP_NONE)
		only[node] = other;
	else if (only[node] != other)
		only[node] = node;
}

/* Each node's only neighbour; itself if there are several, HBP_NONE if none. */
static size_t *find_neighbours(const struct hbp_platform *platform)
{
	size_t *only = calloc(platform->n, sizeof(*only)), i;
	const struct hbp_link *l;

	for (i = 0; only && i < platform->n; i++)
		only[i] = HBP_NONE;
	for (i = 0; only && i < platform->n_links; i++) {
		l = &platform->links[i];
		note_neighbour(only, l->from, l->to);
		note_neighbour(only, l->to, l->from);
	}
	return only;
}

/* How wide all links of each node are together, in and out. */
struct width {
	int64_t in;
	int64_t out;
};

static struct width *find_widths(const struct hbp_platform *platform)
{
	struct width *widths = calloc(platform->n, sizeof(*widths));
	const struct hbp_link *l;
	size_t i;

	for (i = 0; widths && i < platform->n_links; i++) {
		l = &platform->links[i];
		widths[l->from].out = add_bps(widths[l->from].out,
					      l->bandwidth_bps);
		widths[l->to].in = add_bps(widths[l->to].in, l->bandwidth_bps);
	}
	return widths;
}

/*
 * A node that is a member and passes on becomes a switch with a host, joined by
 * a link that is never the narrowest: as wide as all the switch's links.
 */
static void split_node(struct hbp_platform *platform, size_t at,
		       const struct width *width, uint32_t id)
{
	struct hbp_platform_node *node = &platform->nodes[at];

	if (width->out)
		platform->links[platform->n_links++] =
			(struct hbp_link){ platform->n, at, width->out, 0, 0 };
	if (width->in)
		platform->links[platform->n_links++] =
			(struct hbp_link){ at, platform->n, width->in, 0, 0 };
	platform->nodes[platform->n] = *node;
	platform->n++;
	*node = (struct hbp_platform_node){ .id = id };
}

static int split_nodes(struct hbp_reader *rd, const struct hbp_graph *graph,
		       struct hbp_platform *platform)
{
	struct width *widths = find_widths(platform);
	size_t *only = find_neighbours(platform);
	size_t n = platform->n, i, hosts = 0;
	uint32_t id = 0;

	for (i = 0; i < n; i++)
		if (platform->nodes[i].id > id)
			id = platform->nodes[i].id;
	for (i = 0; widths && only && i < n; i++)
		if (graph->nodes[i].kind == HBP_GRAPH_BOTH && only[i] == i)
			split_node(platform, i, &widths[i], ++id);
	i = widths && only;
	free(widths);
	free(only);
	if (!i)
		return hbp_nomem(rd->err);
	for (i = 0; i < platform->n; i++)
		hosts += platform->nodes[i].host;
	if (hosts < 2)
		return hbp_json_fault(rd, "there must be at least 2 hosts, not %zu",
				      hosts);
	if (platform->n > HBP_PLATFORM_NODES_MAX)
		return hbp_json_fault(rd, "there are more than %d hosts and switches",
				      HBP_PLATFORM_NODES_MAX);
	return 0;
}

static int name_nodes(struct hbp_reader *rd, struct hbp_graph *graph,
		      struct hbp_platform *platform)
{
	size_t n = hbp_labels_count(&graph->labels), i;
	uint32_t *ids = calloc(n + 1, sizeof(*ids));
	const char *label;
	json_t *index;
	bool same;
	int ret = 0;

	if (!ids)
		return hbp_nomem(rd->err);
	same = hbp_labels_ids(&graph->labels, ids);
	json_object_foreach(graph->labels.at, label, index) {
		i = (size_t)json_integer_value(index);
		platform->nodes[i].id = ids[i];
		platform->nodes[i].host = graph->nodes[i].kind != HBP_GRAPH_SWITCH;
		platform->nodes[i].name = graph->nodes[i].name;
		graph->nodes[i].name = NULL;
		if (platform->nodes[i].name || same)
			continue;
		platform->nodes[i].name = strdup(label);
		if (!platform->nodes[i].name)
			ret = hbp_nomem(rd->err);
	}
	free(ids);
	return ret;
}

static int fill_platform(struct hbp_reader *rd, struct hbp_graph *graph,
			 const struct hbp_assumed *assumed,
			 struct hbp_platform *platform)
{
	size_t i;
	int ret;

	ret = name_nodes(rd, graph, platform);
	for (i = 0; !ret && i < graph->n_links; i++) {
		ret = fill_link(rd, graph, assumed, &graph->links[i]);
		if (ret)
			return ret;
		put_direction(platform, &graph->links[i], false);
		if (graph->links[i].both)
			put_direction(platform, &graph->links[i], true);
	}
	if (ret)
		return ret;
	merge_links(platform);
	ret = split_nodes(rd, graph, platform);
	if (!ret && hbp_platform_sort(platform))
		ret = hbp_nomem(rd->err);
	return ret;
}

/**
 * hbp_graph_platform() - the platform that a graph makes
 * @rd: the reader
 * @graph: the graph; gives its nodes' names away
 * @assumed: of links of which the file does not tell it; a link between two nodes
 *	whose places are known has the latency of light in fibre between them
 * @out: receives the platform, to be released with hbp_platform_free()
 *
 * Parallel links become one. A node of HBP_GRAPH_BOTH with several neighbours
 * becomes a switch and a host.
 *
 * Return: 0 or a negative errno value.
 */
int hbp_graph_platform(struct hbp_reader *rd, struct hbp_graph *graph,
		       const struct hbp_assumed *assumed,
		       struct hbp_platform **out)
{
	size_t n = hbp_labels_count(&graph->labels);
	struct hbp_platform *platform;
	int ret;

	platform = hbp_platform_alloc(2 * n + 1, 2 * graph->n_links + 2 * n);
	if (!platform)
		return hbp_nomem(rd->err);
	platform->n = n;
	ret = fill_platform(rd, graph, assumed, platform);
	if (ret)
		hbp_platform_free(platform);
	else
		*out = platform;
	return ret;
}
