// SPDX-License-Identifier: GPL-2.0-or-later
/* GraphML: nodes, edges, and data under keys that the file declares. */
#include <string.h>

#include "xml.h"

#define BLANKS	" \t\r\n"

/* Is a key declared for nodes, edges or, without a word, for all? */
static bool is_for(const struct hbp_xml *key, const char *what)
{
	const char *domain = hbp_xml_attribute(key, "for");

	return !domain || !strcmp(domain, "all") || !strcmp(domain, what);
}

/* Blanks around it, such as those of a line of its own, are none of it. */
static int set(struct hbp_reader *rd, json_t *attributes, const char *name,
	       const struct hbp_xml *element)
{
	const char *text = element->text ? element->text : "";
	size_t len;

	text += strspn(text, BLANKS);
	for (len = strlen(text); len && strchr(BLANKS, text[len - 1]);)
		len--;
	if (json_object_set_new(attributes, name, json_stringn(text, len)))
		return hbp_nomem(rd->err);
	return 0;
}

static const struct hbp_xml *find_key(const struct hbp_xml *root,
				      const char *id, const char *what)
{
	const struct hbp_xml *key;
	const char *its;

	for (key = root->first; key; key = key->next) {
		its = hbp_xml_attribute(key, "id");
		if (hbp_xml_is(key, "key") && its && !strcmp(its, id) &&
		    is_for(key, what))
			return key;
	}
	return NULL;
}

/* What keys say by default, then what the data of @element say. */
static int read_data(struct hbp_reader *rd, const struct hbp_xml *root,
		     const struct hbp_xml *element, const char *what,
		     json_t *attributes)
{
	const struct hbp_xml *key, *inner;
	const char *name, *id;
	int ret = 0;

	for (key = root->first; key; key = key->next) {
		name = hbp_xml_attribute(key, "attr.name");
		if (!hbp_xml_is(key, "key") || !name || !is_for(key, what))
			continue;
		for (inner = key->first; inner; inner = inner->next)
			if (!ret && hbp_xml_is(inner, "default"))
				ret = set(rd, attributes, name, inner);
	}
	for (inner = element->first; inner; inner = inner->next) {
		id = hbp_xml_attribute(inner, "key");
		if (ret || !hbp_xml_is(inner, "data") || !id)
			continue;
		key = find_key(root, id, what);
		name = key ? hbp_xml_attribute(key, "attr.name") : NULL;
		if (!key)
			ret = hbp_json_fault(rd, "line %zu: there is no key \"%.40s\" for %ss",
					     inner->line, id, what);
		else if (name)
			ret = set(rd, attributes, name, inner);
	}
	return ret;
}

static int read_node(struct hbp_reader *rd, const struct hbp_xml *root,
		     const struct hbp_xml *element, json_t *attributes,
		     struct hbp_graph *graph)
{
	const char *id = hbp_xml_attribute(element, "id");
	size_t line = element->line;
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

static int read_edge(struct hbp_reader *rd, const struct hbp_xml *root,
		     const struct hbp_xml *element, bool directed,
		     json_t *attributes, struct hbp_graph *graph)
{
	struct hbp_graph_link link = { .line = element->line };
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

static int read_element(struct hbp_reader *rd, const struct hbp_xml *root,
			const struct hbp_xml *element, bool directed, bool edges,
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
int hbp_graph_from_graphml(struct hbp_reader *rd, const struct hbp_xml *root,
			   struct hbp_graph *graph)
{
	const struct hbp_xml *element, *child;
	const char *direction;
	bool directed;
	int edges, ret = 0;

	for (element = root->first; element; element = element->next)
		if (hbp_xml_is(element, "graph"))
			break;
	if (!element)
		return hbp_json_fault(rd, "line %zu: there is no graph in it",
				      root->line);
	direction = hbp_xml_attribute(element, "edgedefault");
	directed = direction && !strcmp(direction, "directed");
	/* An edge may stand before its nodes. */
	for (edges = 0; edges < 2; edges++)
		for (child = element->first; child; child = child->next)
			if (!ret)
				ret = read_element(rd, root, child, directed,
						   edges, graph);
	return ret;
}
