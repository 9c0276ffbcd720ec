// SPDX-License-Identifier: GPL-2.0-or-later
/* XML files, by libxml2: nothing is fetched, no entities are expanded. */
#include <limits.h>
#include <string.h>

#include <libxml/parser.h>

#include "xml.h"

static int parse_fault(struct hbp_reader *rd, const xmlParserCtxt *context)
{
	const char *said = context->lastError.message;
	int line = context->lastError.line;

	if (!said || context->lastError.code == XML_ERR_NO_MEMORY)
		return hbp_nomem(rd->err);
	return hbp_json_fault(rd, "line %d: not XML: %.*s", line > 0 ? line : 1,
			      (int)strcspn(said, "\n"), said);
}

/**
 * hbp_xml_parse() - read XML
 * @rd: the reader
 * @text: not terminated
 * @len: its length in bytes
 * @out: receives the document, which has a root; to be released with xmlFreeDoc()
 *
 * Return: 0; -EINVAL if it is no XML, or declares entities; -ENOMEM.
 */
int hbp_xml_parse(struct hbp_reader *rd, const char *text, size_t len,
		  struct _xmlDoc **out)
{
	const int options = XML_PARSE_NONET | XML_PARSE_NOERROR |
			    XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
	xmlParserCtxt *context;
	xmlDoc *doc = NULL;
	int ret = 0;

	if (len > INT_MAX)
		return hbp_json_fault(rd, "the file is larger than 2 GiB");
	context = xmlNewParserCtxt();
	if (!context)
		return hbp_nomem(rd->err);
	doc = xmlCtxtReadMemory(context, text, (int)len, NULL, NULL, options);
	if (!doc || !xmlDocGetRootElement(doc))
		ret = parse_fault(rd, context);
	else if (doc->intSubset && doc->intSubset->entities)
		ret = hbp_json_fault(rd, "the file declares entities, which are not read");
	xmlFreeParserCtxt(context);
	if (ret)
		xmlFreeDoc(doc);
	else
		*out = doc;
	return ret;
}

/**
 * hbp_xml_is() - has an element this name
 * @node: the element
 * @name: the name, without namespace
 *
 * Return: true if it has.
 */
bool hbp_xml_is(const xmlNode *node, const char *name)
{
	return !strcmp((const char *)node->name, name);
}

/* What is no text, such as an entity that is declared elsewhere, is nothing. */
static const char *first_text(const xmlNode *node)
{
	return node && node->type == XML_TEXT_NODE && node->content ?
	       (const char *)node->content : "";
}

/**
 * hbp_xml_attribute() - value of an attribute
 * @node: the element
 * @name: the attribute's name
 *
 * Return: the value, owned by the document, or NULL if there is none.
 */
const char *hbp_xml_attribute(const xmlNode *node, const char *name)
{
	const xmlAttr *attribute;

	for (attribute = node->properties; attribute; attribute = attribute->next) {
		if (!strcmp((const char *)attribute->name, name))
			return first_text(attribute->children);
	}
	return NULL;
}

/**
 * hbp_xml_text() - text of an element
 * @node: the element
 *
 * Return: what stands in it before any other element, owned by the document.
 */
const char *hbp_xml_text(const xmlNode *node)
{
	return first_text(node->children);
}

/**
 * hbp_xml_line() - where an element stands
 * @node: the element
 *
 * Return: the line, counted from 1.
 */
size_t hbp_xml_line(const xmlNode *node)
{
	long line = xmlGetLineNo((xmlNode *)node);

	return line > 0 ? (size_t)line : 1;
}

/**
 * hbp_graph_from_xml() - read SimGrid's platforms and GraphML
 * @rd: the reader
 * @text: not terminated
 * @len: its length in bytes
 * @graph: empty; receives nodes and links
 * @shared: receives whether several links of @graph are one in truth, so that
 *	only what pairs of nodes cost is told
 *
 * Return: 0 or a negative errno value.
 */
int hbp_graph_from_xml(struct hbp_reader *rd, const char *text, size_t len,
		       struct hbp_graph *graph, bool *shared)
{
	const xmlNode *root;
	xmlDoc *doc;
	int ret;

	*shared = false;
	ret = hbp_xml_parse(rd, text, len, &doc);
	if (ret)
		return ret;
	root = xmlDocGetRootElement(doc);
	if (hbp_xml_is(root, "graphml"))
		ret = hbp_graph_from_graphml(rd, root, graph);
	else if (hbp_xml_is(root, "platform"))
		ret = hbp_graph_from_simgrid(rd, root, graph, shared);
	else
		ret = hbp_json_fault(rd,
				     "line %zu: the element must be graphml or SimGrid's platform, not %.40s",
				     hbp_xml_line(root), (const char *)root->name);
	xmlFreeDoc(doc);
	return ret;
}
