// SPDX-License-Identifier: GPL-2.0-or-later
/* A network that was found, drawn as text and for Graphviz. */
#include <stdbool.h>
#include <string.h>

#include "measure/picture.h"
#include "node.h"

#define LABEL_LEN	128
#define PREFIX_LEN	(4 * HBP_INFER_HOSTS_MAX)	/* a tree is no deeper */

/**
 * struct picture - what is drawn, and where
 * @sketch: the network
 * @inferred: whose it is
 * @label: writes what stands beside an id, or NULL
 * @arg: for @label
 * @out: where it goes
 */
struct picture {
	struct hbp_sketch *sketch;
	const struct hbp_inferred *inferred;
	hbp_label_fn label;
	void *arg;
	FILE *out;
};

static void write_node(const struct picture *p, size_t node)
{
	char text[LABEL_LEN] = "";
	uint32_t id = hbp_inferred_id(p->inferred, node);

	if (p->label && node < p->sketch->n_hosts)
		p->label(p->arg, id, text, sizeof(text));
	fprintf(p->out, "%s%u%s%s", node < p->sketch->n_hosts ? "" : "switch ", id,
		*text ? " " : "", text);
}

/* Three digits tell all that is known of a rate. */
static void write_rate(const struct picture *p, const struct hbp_capacity *rate)
{
	if (rate->tests)
		fprintf(p->out, "%.*f", rate->mbps < 9.995 ? 2 : rate->mbps < 99.95 ? 1 : 0,
			rate->mbps);
	else
		fputc('?', p->out);
}

/* The link between two nodes: to the second one, from it, and one way of a round trip. */
static void write_link(const struct picture *p, size_t from, size_t to)
{
	const struct hbp_sketch_node *nodes = p->sketch->nodes;
	bool down = nodes[to].parent == from;
	const struct hbp_sketch_node *lower = &nodes[down ? to : from];
	const struct hbp_sketch_node *host = &nodes[from < to ? from : to];

	write_rate(p, &lower->link[down ? HBP_DOWN : HBP_UP]);
	fputs(" / ", p->out);
	write_rate(p, &lower->link[down ? HBP_UP : HBP_DOWN]);
	fputs(" Mbit/s, ", p->out);
	if (host->shared) {
		write_rate(p, &host->both);
		fputs(" together, ", p->out);
	}
	fprintf(p->out, "%.2f ms%s", lower->rtt_us / 2000,
		lower->hidden ? ", seen in rates only" : "");
}

/* The next neighbour of a node behind another one that is not where it came from. */
static size_t next_neighbour(const struct hbp_sketch *sketch, size_t at, size_t from,
			     size_t after)
{
	size_t i = after == HBP_NONE ? 0 : after + 1;

	for (; i < sketch->n; i++)
		if (i != from && (sketch->nodes[i].parent == at ||
				  sketch->nodes[at].parent == i))
			return i;
	return HBP_NONE;
}

/* All that a node reaches without the one that it is reached from. */
static void write_below(const struct picture *p, size_t at, size_t from, char *prefix)
{
	size_t len = strlen(prefix);
	size_t node = next_neighbour(p->sketch, at, from, HBP_NONE), next;

	for (; node != HBP_NONE; node = next) {
		next = next_neighbour(p->sketch, at, from, node);
		fprintf(p->out, "%s%s ", prefix, next == HBP_NONE ? "`-" : "|-");
		write_node(p, node);
		fputs("  ", p->out);
		write_link(p, at, node);
		fputc('\n', p->out);
		strcpy(prefix + len, next == HBP_NONE ? "   " : "|  ");
		write_below(p, node, at, prefix);
		prefix[len] = '\0';
	}
}

/**
 * hbp_picture_text() - draw a network as text
 * @inferred: the network, of two hosts or more
 * @label: writes what stands beside a host's id, or NULL
 * @arg: for @label
 * @out: where it goes
 *
 * It hangs at the switch of the first host. A line is a node and its link: Mbit/s to
 * it and from it, and how long it takes one way.
 */
void hbp_picture_text(const struct hbp_inferred *inferred, hbp_label_fn label,
		      void *arg, FILE *out)
{
	struct picture p = { inferred->sketch, inferred, label, arg, out };
	char prefix[PREFIX_LEN] = "";
	size_t top = hbp_sketch_neighbour(inferred->sketch, 0);

	write_node(&p, top);
	fputc('\n', out);
	write_below(&p, top, HBP_NONE, prefix);
}

/**
 * hbp_picture_dot() - draw a network for Graphviz
 * @inferred: the network, of two hosts or more
 * @label: writes what stands beside a host's id, or NULL; without quotation marks
 * @arg: for @label
 * @out: where it goes
 *
 * A link is an edge, whose text is as in hbp_picture_text().
 */
void hbp_picture_dot(const struct hbp_inferred *inferred, hbp_label_fn label,
		     void *arg, FILE *out)
{
	struct picture p = { inferred->sketch, inferred, label, arg, out };
	size_t i;

	fputs("graph network {\n", out);
	for (i = 0; i < p.sketch->n; i++) {
		fprintf(out, "\t%zu [shape=%s, label=\"", i,
			i < p.sketch->n_hosts ? "box" : "ellipse");
		write_node(&p, i);
		fputs("\"];\n", out);
	}
	for (i = 1; i < p.sketch->n; i++) {
		fprintf(out, "\t%zu -- %zu [label=\"", p.sketch->nodes[i].parent, i);
		write_link(&p, p.sketch->nodes[i].parent, i);
		fputs("\"];\n", out);
	}
	fputs("}\n", out);
}
