/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: XML files, by libxml2. */
#ifndef HBPLAN_XML_H
#define HBPLAN_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "graph.h"
#include "json.h"

int hbp_xml_parse(struct hbp_reader *rd, const char *text, size_t len,
		  struct _xmlDoc **out);
bool hbp_xml_is(const xmlNode *node, const char *name);
const char *hbp_xml_attribute(const xmlNode *node, const char *name);
const char *hbp_xml_text(const xmlNode *node);
size_t hbp_xml_line(const xmlNode *node);

/* Elements among the children of a node. */
static inline const xmlNode *hbp_xml_first(const xmlNode *node)
{
	return xmlFirstElementChild((xmlNode *)node);
}

static inline const xmlNode *hbp_xml_next(const xmlNode *node)
{
	return xmlNextElementSibling((xmlNode *)node);
}

/* Readers; @root is the file's only element that is not inside another. */
int hbp_graph_from_graphml(struct hbp_reader *rd, const xmlNode *root,
			   struct hbp_graph *graph);
int hbp_graph_from_simgrid(struct hbp_reader *rd, const xmlNode *root,
			   struct hbp_graph *graph, bool *shared);

#endif /* HBPLAN_XML_H */
