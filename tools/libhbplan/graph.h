/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: nodes and links as foreign files tell of them. */
#ifndef HBPLAN_GRAPH_H
#define HBPLAN_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import.h"
#include "labels.h"
#include "platform.h"
#include "quantity.h"

/* A node of HBP_GRAPH_BOTH is a member and passes on what is for others. */
enum hbp_graph_kind {
	HBP_GRAPH_BOTH,
	HBP_GRAPH_HOST,
	HBP_GRAPH_SWITCH,
};

/**
 * struct hbp_graph_node - a node
 * @name: or NULL for its label; owned
 * @kind: what it is
 * @located: are the next two known
 * @latitude: in degrees
 * @longitude: in degrees
 */
struct hbp_graph_node {
	char *name;
	enum hbp_graph_kind kind;
	bool located;
	double latitude;
	double longitude;
};

/**
 * struct hbp_graph_link - a link
 * @from: index of the sending node
 * @to: index of the receiving node
 * @both: are there two, one in each direction
 * @bandwidth_bps: or HBP_UNTOLD
 * @latency_ns: or HBP_UNTOLD
 * @line: where the file has it
 */
struct hbp_graph_link {
	size_t from;
	size_t to;
	bool both;
	int64_t bandwidth_bps;
	int64_t latency_ns;
	size_t line;
};

/**
 * struct hbp_graph - nodes and links
 * @labels: what the file calls the nodes
 * @nodes: in the order of the file
 * @nodes_room: how many fit into @nodes
 * @n_links: number of links
 * @links: in the order of the file; links may be parallel
 * @links_room: how many fit into @links
 */
struct hbp_graph {
	struct hbp_labels labels;
	struct hbp_graph_node *nodes;
	size_t nodes_room;
	size_t n_links;
	struct hbp_graph_link *links;
	size_t links_room;
};

int hbp_graph_init(struct hbp_reader *rd, struct hbp_graph *graph);
void hbp_graph_release(struct hbp_graph *graph);
int hbp_graph_add_node(struct hbp_reader *rd, struct hbp_graph *graph,
		       const char *label, size_t line,
		       struct hbp_graph_node **node);
int hbp_graph_add_link(struct hbp_reader *rd, struct hbp_graph *graph,
		       const struct hbp_graph_link *link);
int hbp_graph_find(struct hbp_reader *rd, const struct hbp_graph *graph,
		   const char *label, size_t line, size_t *index);
int hbp_graph_node_attributes(struct hbp_reader *rd, const json_t *attributes,
			      size_t line, struct hbp_graph_node *node);
int hbp_graph_link_attributes(struct hbp_reader *rd, const json_t *attributes,
			      struct hbp_graph_link *link);
int hbp_graph_platform(struct hbp_reader *rd, struct hbp_graph *graph,
		       const struct hbp_assumed *assumed,
		       struct hbp_platform **out);

/* Readers of files. */
int hbp_graph_from_xml(struct hbp_reader *rd, const char *text, size_t len,
		       struct hbp_graph *graph, bool *shared);
int hbp_graph_from_gml(struct hbp_reader *rd, const char *text, size_t len,
		       struct hbp_graph *graph);

#endif /* HBPLAN_GRAPH_H */
