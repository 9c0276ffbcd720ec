// SPDX-License-Identifier: GPL-2.0-or-later
/* GraphML: nodes, edges, and data under keys that the file declares. */
#include <string.h>

#include "xml.h"

/* Is a key declared for nodes, edges or, without a word, for all? */
static bool is_for(const xmlNode *key, const char *what)
{
	const char *domain = hbp_xml_attribute(key, "for");

	return !domain || !strcmp(domain, "all") || !strcmp(domain, what);
}

/* libxml2 gives nothing but UTF-8. */
static int set(struct hbp_reader *rd, json_t *attributes, const char *name,
	       const xmlNode *element)
{
	if (json_object_set_new(attributes, name,
				json_string(hbp_xml_text(element))))
		return hbp_nomem(rd->err);
	return 0;
}

static const xmlNode *find_key(const xmlNode *root, const char *id,
			       const char *what)
{
	const xmlNode *key;
	const char *its;

	for (key = hbp_xml_first(root); key; key = hbp_xml_next(key)) {
		its = hbp_xml_attribute(key, "id");
		if (hbp_xml_is(key, "key") && its && !strcmp(its, id) &&
		    is_for(key, what))
			return key;
	}
	return NULL;
}

/* What keys say by default, then what the data of @element say. */
static int read_data(struct hbp_reader *rd, const xmlNode *root,
		     const xmlNode *element, const char *what,
		     json_t *attributes)
{
	const xmlNode *key, *inner;
	const char *name, *id;
	int ret = 0;

	for (key = hbp_xml_first(root); key; key = hbp_xml_next(key)) {
		name = hbp_xml_attribute(key, "attr.name");
		if (!hbp_xml_is(key, "key") || !name || !is_for(key, what))
			continue;
		for (inner = hbp_xml_first(key); inner; inner = hbp_xml_next(inner))
			if (!ret && hbp_xml_is(inner, "default"))
				ret = set(rd, attributes, name, inner);
	}
	for (inner = hbp_xml_first(element); inner; inner = hbp_xml_next(inner)) {
		id = hbp_xml_attribute(inner, "key");
		if (ret || !hbp_xml_is(inner, "data") || !id)
			continue;
		key = find_key(root, id, what);
		name = key ? hbp_xml_attribute(key, "attr.name") : NULL;
		if (!key)
			ret = hbp_json_fault(rd, "line %zu: there is no key \"%.40s\" for %ss",
					     hbp_xml_line(inner), id, what);
		else if (name)
			ret = set(rd, attributes, name, inner);
	}
	return ret;
}

static int read_node(struct hbp_reader *rd, const xmlNode *root,
		     const xmlNode *element, json_t *attributes,
		     struct hbp_graph *graph)
{
	const char *id = hbp_xml_attribute(element, "id");
	size_t line = hbp_xml_line(element);
	struct hbp_graph_node *node;
	int ret;

	if (!id)
		return hbp_json_fault(rd, "line %zu: the node has no id", line);
	ret = read_data(rd, root, element, "node", attributes);
	if (!ret)
		ret = hbp_graph_add_node(rd, graph, id, line, &node);
	if (!ret)
		ret = hbp_graph_node_attributes(rd, attributes, line, node);
	return ret;
}

static int read_edge(struct hbp_reader *rd, const xmlNode *root,
		     const xmlNode *element, bool directed, json_t *attributes,
		     struct hbp_graph *graph)
{
	struct hbp_graph_link link = { .line = hbp_xml_line(element) };
	const char *own = hbp_xml_attribute(element, "directed");
	int ret;

	link.both = own ? strcmp(own, "true") : !directed;
	ret = hbp_graph_find(rd, graph, hbp_xml_attribute(element, "source"),
			     link.line, &link.from);
	if (!ret)
		ret = hbp_graph_find(rd, graph,
				     hbp_xml_attribute(element, "target"),
				     link.line, &link.to);
	if (!ret)
		ret = read_data(rd, root, element, "edge", attributes);
	if (!ret)
		ret = hbp_graph_link_attributes(rd, attributes, &link);
	return ret ? ret : hbp_graph_add_link(rd, graph, &link);
}

static int read_element(struct hbp_reader *rd, const xmlNode *root,
			const xmlNode *element, bool directed, bool edges,
			struct hbp_graph *graph)
{
	json_t *attributes;
	int ret = 0;

	if (!hbp_xml_is(element, edges ? "edge" : "node"))
		return 0;
	attributes = json_object();
	if (!attributes)
		return hbp_nomem(rd->err);
	ret = edges ? read_edge(rd, root, element, directed, attributes, graph) :
		      read_node(rd, root, element, attributes, graph);
	json_decref(attributes);
	return ret;
}

/**
 * hbp_graph_from_graphml() - read GraphML
 * @rd: the reader
 * @root: the element graphml
 * @graph: empty; receives the nodes and edges of the file's first graph
 *
 * Return: 0 or a negative errno value.
 */
int hbp_graph_from_graphml(struct hbp_reader *rd, const xmlNode *root,
			   struct hbp_graph *graph)
{
	const xmlNode *element, *child;
	const char *direction;
	bool directed;
	int edges, ret = 0;

	for (element = hbp_xml_first(root); element; element = hbp_xml_next(element))
		if (hbp_xml_is(element, "graph"))
			break;
	if (!element)
		return hbp_json_fault(rd, "line %zu: there is no graph in it",
				      hbp_xml_line(root));
	direction = hbp_xml_attribute(element, "edgedefault");
	directed = direction && !strcmp(direction, "directed");
	/* An edge may stand before its nodes. */
	for (edges = 0; edges < 2; edges++)
		for (child = hbp_xml_first(element); child; child = hbp_xml_next(child))
			if (!ret)
				ret = read_element(rd, root, child, directed,
						   edges, graph);
	return ret;
}
