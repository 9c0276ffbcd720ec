/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: XML files, as trees of elements. */
#ifndef HBPLAN_XML_H
#define HBPLAN_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "graph.h"
#include "json.h"

/**
 * struct hbp_xml - an element and what is in it; UTF-8 throughout
 * @next: the element behind it inside the same, or NULL
 * @first: the first element inside, or NULL
 * @line: where it begins, counted from 1
 * @name: without the prefix of a namespace
 * @text: what stands in it before any other element, or NULL if there is nothing
 * @attributes: of each its name, with prefix, then its value; NULL behind the last
 */
struct hbp_xml {
	struct hbp_xml *next;
	struct hbp_xml *first;
	size_t line;
	const char *name;
	char *text;
	const char *attributes[];
};

bool hbp_xml_is(const struct hbp_xml *element, const char *name);
const char *hbp_xml_attribute(const struct hbp_xml *element, const char *name);

/* Readers; @root is the file's only element that is not inside another. */
int hbp_graph_from_graphml(struct hbp_reader *rd, const struct hbp_xml *root,
			   struct hbp_graph *graph);
int hbp_graph_from_simgrid(struct hbp_reader *rd, const struct hbp_xml *root,
			   struct hbp_graph *graph, bool *shared);

#endif /* HBPLAN_XML_H */
