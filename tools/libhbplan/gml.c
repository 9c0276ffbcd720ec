// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GML, of the form that the Topology Zoo has: keys with a number, a text, or a
 * list in brackets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define DEPTH_MAX	32

/* Which list is being read. */
enum gml_place {
	PLACE_FILE,
	PLACE_GRAPH,
	PLACE_NODE,
	PLACE_EDGE,
	PLACE_OTHER,
};

/**
 * struct gml - a file being read
 * @rd: the reader
 * @graph: receives nodes and links
 * @at: the next character
 * @end: behind the last
 * @line: line of @at
 * @edges: attributes of edges, of which the nodes may come later
 * @directed: what the graph says
 * @found: a graph was there
 */
struct gml {
	struct hbp_reader *rd;
	struct hbp_graph *graph;
	const char *at;
	const char *end;
	size_t line;
	json_t *edges;
	bool directed;
	bool found;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip(struct gml *g)
{
	bool comment = false;

	for (; g->at < g->end; g->at++) {
		comment = *g->at == '\n' ? false : comment || *g->at == '#';
		if (!comment && !is_space(*g->at))
			break;
		g->line += *g->at == '\n';
	}
}

/* A text in quotation marks without these, or a word up to blank or bracket. */
static int read_word(struct gml *g, char **word)
{
	bool quoted = *g->at == '"';
	const char *begin = g->at + quoted;
	size_t line = g->line;

	for (g->at = begin; g->at < g->end; g->at++) {
		if (quoted ? *g->at == '"' :
		    is_space(*g->at) || *g->at == '[' || *g->at == ']')
			break;
		g->line += *g->at == '\n';
	}
	if (quoted && g->at == g->end)
		return hbp_json_fault(g->rd, "line %zu: a quotation mark is not closed",
				      line);
	*word = strndup(begin, (size_t)(g->at - begin));
	g->at += quoted;
	return *word ? 0 : hbp_nomem(g->rd->err);
}

static int put_value(struct gml *g, json_t *attributes, const char *key)
{
	size_t line = g->line;
	json_t *value;
	char *word;
	int ret;

	ret = read_word(g, &word);
	if (ret)
		return ret;
	errno = 0;
	value = json_string(word);
	free(word);
	if (value && !json_object_set_new(attributes, key, value))
		return 0;
	if (errno == ENOMEM)
		return hbp_nomem(g->rd->err);
	return hbp_json_fault(g->rd, "line %zu: key and value must be UTF-8",
			      line);
}

static int end_list(struct gml *g, enum gml_place place, json_t *attributes,
		    size_t line)
{
	const char *id = json_string_value(json_object_get(attributes, "id"));
	const char *directed;
	struct hbp_graph_node *node;
	int ret;

	if (place == PLACE_GRAPH) {
		directed = json_string_value(json_object_get(attributes,
							     "directed"));
		g->directed = directed && !strcmp(directed, "1");
	}
	if (place == PLACE_EDGE &&
	    (json_object_set_new(attributes, "[line", json_integer((json_int_t)line)) ||
	     json_array_append(g->edges, attributes)))
		return hbp_nomem(g->rd->err);
	if (place != PLACE_NODE)
		return 0;
	if (!id)
		return hbp_json_fault(g->rd, "line %zu: the node has no id", line);
	ret = hbp_graph_add_node(g->rd, g->graph, id, line, &node);
	if (!ret)
		ret = hbp_graph_node_attributes(g->rd, attributes, line, node);
	return ret;
}

static enum gml_place inner(struct gml *g, enum gml_place place, const char *key)
{
	if (place == PLACE_FILE && !strcmp(key, "graph") && !g->found) {
		g->found = true;
		return PLACE_GRAPH;
	}
	if (place == PLACE_GRAPH && !strcmp(key, "node"))
		return PLACE_NODE;
	if (place == PLACE_GRAPH && !strcmp(key, "edge"))
		return PLACE_EDGE;
	return PLACE_OTHER;
}

static int read_list(struct gml *g, enum gml_place place, int depth);

static int read_pair(struct gml *g, enum gml_place place, int depth,
		     json_t *attributes)
{
	size_t line = g->line;
	char *key;
	int ret;

	ret = read_word(g, &key);
	if (ret)
		return ret;
	skip(g);
	if (!*key || g->at == g->end || *g->at == ']') {
		ret = hbp_json_fault(g->rd, "line %zu: key \"%.40s\" has no value",
				     line, key);
	} else if (*g->at == '[') {
		g->at++;
		ret = read_list(g, inner(g, place, key), depth + 1);
	} else {
		ret = put_value(g, attributes, key);
	}
	free(key);
	return ret;
}

/* Up to the closing bracket, or the end of the file. */
static int read_list(struct gml *g, enum gml_place place, int depth)
{
	json_t *attributes = json_object();
	size_t line = g->line;
	int ret = 0;

	if (!attributes)
		return hbp_nomem(g->rd->err);
	if (depth > DEPTH_MAX)
		ret = hbp_json_fault(g->rd, "line %zu: lists are deeper than %d",
				     line, DEPTH_MAX);
	for (skip(g); !ret && g->at < g->end && *g->at != ']'; skip(g))
		ret = read_pair(g, place, depth, attributes);
	if (!ret && place == PLACE_FILE && g->at < g->end)
		ret = hbp_json_fault(g->rd, "line %zu: this bracket closes nothing",
				     g->line);
	if (!ret && place != PLACE_FILE && g->at == g->end)
		ret = hbp_json_fault(g->rd, "line %zu: the list's bracket is not closed",
				     line);
	if (!ret && place != PLACE_FILE)
		g->at++;
	if (!ret)
		ret = end_list(g, place, attributes, line);
	json_decref(attributes);
	return ret;
}

static int add_edge(struct gml *g, json_t *attributes)
{
	const json_t *line = json_object_get(attributes, "[line");
	struct hbp_graph_link link = { .both = !g->directed };
	int ret;

	link.line = (size_t)json_integer_value(line);
	json_object_del(attributes, "[line");
	ret = hbp_graph_find(g->rd, g->graph,
			     json_string_value(json_object_get(attributes,
							       "source")),
			     link.line, &link.from);
	if (!ret)
		ret = hbp_graph_find(g->rd, g->graph,
				     json_string_value(json_object_get(attributes,
								       "target")),
				     link.line, &link.to);
	if (!ret)
		ret = hbp_graph_link_attributes(g->rd, attributes, &link);
	return ret ? ret : hbp_graph_add_link(g->rd, g->graph, &link);
}

/**
 * hbp_graph_from_gml() - read GML
 * @rd: the reader
 * @text: not terminated
 * @len: its length in bytes
 * @graph: empty; receives the nodes and edges of the file's first graph
 *
 * Return: 0 or a negative errno value.
 */
int hbp_graph_from_gml(struct hbp_reader *rd, const char *text, size_t len,
		       struct hbp_graph *graph)
{
	struct gml g = {
		.rd = rd, .graph = graph, .at = text, .end = text + len,
		.line = 1, .edges = json_array()
	};
	size_t i;
	int ret;

	ret = g.edges ? read_list(&g, PLACE_FILE, 0) : hbp_nomem(rd->err);
	if (!ret && !g.found)
		ret = hbp_json_fault(rd, "there is no graph in it");
	for (i = 0; !ret && i < json_array_size(g.edges); i++)
		ret = add_edge(&g, json_array_get(g.edges, i));
	json_decref(g.edges);
	return ret;
}
