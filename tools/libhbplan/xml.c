// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * XML files, by expat: nothing is fetched, no entities are expanded, and what
 * document types give by default is not read. An entity that only a document type
 * elsewhere declares is refused in text; in an attribute expat leaves it out.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "xml.h"

#define DEPTH_MAX	256

/**
 * struct build - a tree being built
 * @parser: the parser
 * @rd: the reader
 * @root: the tree
 * @depth: how many elements are open
 * @open: these, each inside the one before
 * @hooks: at each depth, what is to point to the next element
 * @text: of the innermost open element, until another begins inside
 * @len: its length in bytes
 * @room: how many fit
 * @ret: why nothing more is taken
 */
struct build {
	XML_Parser parser;
	struct hbp_reader *rd;
	struct hbp_xml *root;
	size_t depth;
	struct hbp_xml *open[DEPTH_MAX];
	struct hbp_xml **hooks[DEPTH_MAX + 1];
	char *text;
	size_t len;
	size_t room;
	int ret;
};

static size_t line_of(const struct build *b)
{
	return XML_GetCurrentLineNumber(b->parser);
}

static void stop(struct build *b, int ret)
{
	b->ret = ret;
	XML_StopParser(b->parser, XML_FALSE);
}

/* With its names and values in one piece, of which @n are handed in. */
static struct hbp_xml *make_element(const char *name,
				    const char **attributes, size_t n)
{
	const char *prefix = strrchr(name, ':');
	struct hbp_xml *element;
	size_t size, i;
	char *at;

	name = prefix ? prefix + 1 : name;
	size = sizeof(*element) + (n + 1) * sizeof(*attributes);
	for (i = 0; i < n; i++)
		size += strlen(attributes[i]) + 1;
	element = calloc(1, size + strlen(name) + 1);
	if (!element)
		return NULL;
	at = (char *)&element->attributes[n + 1];
	for (i = 0; i < n; i++) {
		element->attributes[i] = at;
		at = stpcpy(at, attributes[i]) + 1;
	}
	element->name = strcpy(at, name);
	return element;
}

/* Not deeper than the parser lets elements be. */
static void free_elements(struct hbp_xml *element)
{
	struct hbp_xml *next;

	for (; element; element = next) {
		next = element->next;
		free_elements(element->first);
		free(element->text);
		free(element);
	}
}

static int end_text(struct build *b)
{
	struct hbp_xml *innermost;

	if (!b->len)
		return 0;
	innermost = b->open[b->depth - 1];
	innermost->text = strndup(b->text, b->len);
	b->len = 0;
	return innermost->text ? 0 : hbp_nomem(b->rd->err);
}

static int add_element(struct build *b, const char *name,
		       const char **attributes)
{
	struct hbp_xml *element;
	int ret;

	if (b->depth == DEPTH_MAX)
		return hbp_json_fault(b->rd, "line %zu: elements are nested deeper than %d",
				      line_of(b), DEPTH_MAX);
	ret = end_text(b);
	if (ret)
		return ret;
	element = make_element(name, attributes,
			       (size_t)XML_GetSpecifiedAttributeCount(b->parser));
	if (!element)
		return hbp_nomem(b->rd->err);
	element->line = line_of(b);
	*b->hooks[b->depth] = element;
	b->hooks[b->depth] = &element->next;
	b->open[b->depth++] = element;
	b->hooks[b->depth] = &element->first;
	return 0;
}

/* A parser that is stopped may tell of one thing more. */
static void take_start(void *arg, const char *name, const char **attributes)
{
	struct build *b = arg;
	int ret;

	if (b->ret)
		return;
	ret = add_element(b, name, attributes);
	if (ret)
		stop(b, ret);
}

static void take_end(void *arg, const char *name)
{
	struct build *b = arg;
	int ret;

	(void)name;
	if (b->ret)
		return;
	ret = end_text(b);
	if (ret)
		stop(b, ret);
	b->depth--;
}

static void take_text(void *arg, const char *text, int n)
{
	struct build *b = arg;
	size_t len = b->len + (size_t)n;
	char *more;

	if (b->ret || b->open[b->depth - 1]->first)
		return;
	if (len > b->room) {
		more = realloc(b->text, 2 * len);
		if (!more) {
			stop(b, hbp_nomem(b->rd->err));
			return;
		}
		b->text = more;
		b->room = 2 * len;
	}
	memcpy(b->text + b->len, text, (size_t)n);
	b->len = len;
}

static void refuse_entity(void *arg, const char *name, int parameter,
			  const char *value, int len, const char *base,
			  const char *system_id, const char *public_id,
			  const char *notation)
{
	struct build *b = arg;

	(void)name;
	(void)parameter;
	(void)value;
	(void)len;
	(void)base;
	(void)system_id;
	(void)public_id;
	(void)notation;
	if (!b->ret)
		stop(b, hbp_json_fault(b->rd,
				       "line %zu: the file declares entities, which are not read",
				       line_of(b)));
}

static void refuse_reference(void *arg, const char *name, int parameter)
{
	struct build *b = arg;

	(void)parameter;
	if (!b->ret)
		stop(b, hbp_json_fault(b->rd,
				       "line %zu: what the entity \"%.40s\" stands for is not in the file",
				       line_of(b), name));
}

static int refuse_encoding(void *arg, const char *name, XML_Encoding *encoding)
{
	struct build *b = arg;

	(void)encoding;
	b->ret = hbp_json_fault(b->rd,
				"line %zu: the encoding must be UTF-8, UTF-16, ISO-8859-1 or US-ASCII, not \"%.40s\"",
				line_of(b), name);
	return XML_STATUS_ERROR;
}

static int parse_fault(const struct build *b)
{
	enum XML_Error code = XML_GetErrorCode(b->parser);
	const struct hbp_xml *open = b->depth ? b->open[b->depth - 1] : NULL;

	if (code == XML_ERROR_NO_MEMORY)
		return hbp_nomem(b->rd->err);
	if (open && (code == XML_ERROR_TAG_MISMATCH ||
		     code == XML_ERROR_NO_ELEMENTS))
		return hbp_json_fault(b->rd,
				      "line %zu: not XML: the element %.40s of line %zu is not closed",
				      line_of(b), open->name, open->line);
	return hbp_json_fault(b->rd, "line %zu: not XML: %s", line_of(b),
			      XML_ErrorString(code));
}

/* A root is there if it is XML; to be released with free_elements(). */
static int parse(struct hbp_reader *rd, const char *text, size_t len,
		 struct hbp_xml **root)
{
	struct build b = { .rd = rd };

	if (len > INT_MAX)
		return hbp_json_fault(rd, "the file is larger than 2 GiB");
	b.parser = XML_ParserCreate(NULL);
	if (!b.parser)
		return hbp_nomem(rd->err);
	b.hooks[0] = &b.root;
	XML_SetUserData(b.parser, &b);
	XML_SetElementHandler(b.parser, take_start, take_end);
	XML_SetCharacterDataHandler(b.parser, take_text);
	XML_SetEntityDeclHandler(b.parser, refuse_entity);
	XML_SetSkippedEntityHandler(b.parser, refuse_reference);
	XML_SetUnknownEncodingHandler(b.parser, refuse_encoding, &b);
	if (XML_Parse(b.parser, text, (int)len, XML_TRUE) != XML_STATUS_OK &&
	    !b.ret)
		b.ret = parse_fault(&b);
	XML_ParserFree(b.parser);
	free(b.text);
	if (b.ret)
		free_elements(b.root);
	else
		*root = b.root;
	return b.ret;
}

/**
 * hbp_xml_is() - has an element this name
 * @element: the element
 * @name: the name, without namespace
 *
 * Return: true if it has.
 */
bool hbp_xml_is(const struct hbp_xml *element, const char *name)
{
	return !strcmp(element->name, name);
}

/**
 * hbp_xml_attribute() - value of an attribute
 * @element: the element
 * @name: the attribute's name
 *
 * Return: the value, owned by the element, or NULL if there is none.
 */
const char *hbp_xml_attribute(const struct hbp_xml *element, const char *name)
{
	const char *const *at;

	for (at = element->attributes; *at; at += 2) {
		if (!strcmp(at[0], name))
			return at[1];
	}
	return NULL;
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
 * Return: 0; -EINVAL if it is neither, or declares entities; -ENOMEM.
 */
int hbp_graph_from_xml(struct hbp_reader *rd, const char *text, size_t len,
		       struct hbp_graph *graph, bool *shared)
{
	struct hbp_xml *root;
	int ret;

	*shared = false;
	ret = parse(rd, text, len, &root);
	if (ret)
		return ret;
	if (hbp_xml_is(root, "graphml"))
		ret = hbp_graph_from_graphml(rd, root, graph);
	else if (hbp_xml_is(root, "platform"))
		ret = hbp_graph_from_simgrid(rd, root, graph, shared);
	else
		ret = hbp_json_fault(rd,
				     "line %zu: the element must be graphml or SimGrid's platform, not %.40s",
				     root->line, root->name);
	free_elements(root);
	return ret;
}
