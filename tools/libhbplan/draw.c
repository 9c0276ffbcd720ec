// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees drawn as text and for Graphviz. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "units.h"

#define LABEL_LEN	128

/* A tree in preorder, without recursion: chains may be long. */
struct walk {
	const struct hbp_tree *tree;
	uint32_t root;
	size_t *parents;	/* places, see hbp_tree_parents() */
	size_t *next;		/* of each place: its next child's edge */
	size_t *end;		/* of each place: after its last child's edge */
	size_t *path;		/* places from the root to where the walk is */
};

static int walk_alloc(struct walk *w, struct hbp_error *err)
{
	size_t n = w->tree->n_edges + 1, i, p;

	w->parents = calloc(n, sizeof(*w->parents));
	w->next = calloc(n, sizeof(*w->next));
	w->end = calloc(n, sizeof(*w->end));
	w->path = calloc(n, sizeof(*w->path));
	if (!w->parents || !w->next || !w->end || !w->path)
		return hbp_nomem(err);
	hbp_tree_parents(w->tree, w->root, w->parents);
	for (i = 0; i < w->tree->n_edges; i++) {
		p = w->parents[i];
		if (!w->end[p])
			w->next[p] = i;
		w->end[p] = i + 1;
	}
	return 0;
}

static void walk_free(struct walk *w)
{
	free(w->parents);
	free(w->next);
	free(w->end);
	free(w->path);
}

static void write_node(uint32_t id, hbp_label_fn label, void *arg, FILE *out)
{
	char text[LABEL_LEN] = "";

	if (label)
		label(arg, id, text, sizeof(text));
	fprintf(out, "%u%s%s\n", id, *text ? " " : "", text);
}

/* The lines that lead to a child of the last place on the path. */
static void write_branch(const struct walk *w, size_t depth, FILE *out)
{
	size_t i;

	for (i = 0; i < depth; i++)
		fputs(w->next[w->path[i]] < w->end[w->path[i]] ? "│  " : "   ",
		      out);
	fputs(w->next[w->path[depth]] < w->end[w->path[depth]] ? "├─ " : "└─ ",
	      out);
}

static void write_tree(struct walk *w, hbp_label_fn label, void *arg, FILE *out)
{
	size_t depth = 0, at, edge;

	write_node(w->root, label, arg, out);
	w->path[0] = 0;
	while (true) {
		at = w->path[depth];
		if (w->next[at] >= w->end[at]) {
			if (!depth)
				break;
			depth--;
			continue;
		}
		edge = w->next[at]++;
		write_branch(w, depth, out);
		write_node(w->tree->edges[edge].child, label, arg, out);
		w->path[++depth] = edge + 1;
	}
}

static int finish(FILE *out, struct hbp_error *err)
{
	if (ferror(out))
		return hbp_fail(err, -EIO, "the drawing cannot be written");
	return 0;
}

/**
 * hbp_draw_text() - draw a plan's trees as text
 * @plan: the plan
 * @label: writes what stands beside the ids, or NULL
 * @arg: handed to @label
 * @out: receives UTF-8; one line a node, children below their parent in the
 *	order in which it sends
 * @err: receives the reason of a failure
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int hbp_draw_text(const struct hbp_plan *plan, hbp_label_fn label, void *arg,
		  FILE *out, struct hbp_error *err)
{
	size_t t;
	int ret;

	for (t = 0; t < plan->n_trees; t++) {
		struct walk w = {
			.tree = &plan->trees[t], .root = plan->trees[t].root
		};

		if (plan->n_trees > 1)
			fprintf(out, "slot %u, %.6g Mbit/s\n", w.tree->slot,
				hbp_mbps_from_bps(w.tree->rate_bps));
		ret = walk_alloc(&w, err);
		if (!ret)
			write_tree(&w, label, arg, out);
		walk_free(&w);
		if (ret)
			return ret;
	}
	return finish(out, err);
}

static void write_quoted(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void write_dot_node(uint32_t id, hbp_label_fn label, void *arg, FILE *out)
{
	char text[LABEL_LEN] = "";

	if (label)
		label(arg, id, text, sizeof(text));
	fprintf(out, "\t%u [label=\"%u%s", id, id, *text ? "\\n" : "");
	write_quoted(text, out);
	fputs("\"];\n", out);
}

/**
 * hbp_draw_dot() - draw a plan's trees for Graphviz
 * @plan: the plan
 * @label: writes what stands below the ids, or NULL
 * @arg: handed to @label
 * @out: receives a digraph; edges are labelled with their place in the parent's
 *	sending order, after the slot where there are several trees
 * @err: receives the reason of a failure
 *
 * Return: 0 or -EIO.
 */
int hbp_draw_dot(const struct hbp_plan *plan, hbp_label_fn label, void *arg,
		 FILE *out, struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	size_t t, i, order;

	fputs("digraph hbcast {\n", out);
	write_dot_node(plan->root, label, arg, out);
	for (i = 0; i < plan->n_replicas; i++)
		write_dot_node(plan->replicas[i], label, arg, out);
	for (i = 0; i < tree->n_edges; i++)
		write_dot_node(tree->edges[i].child, label, arg, out);
	for (t = 0; t < plan->n_trees; t++) {
		tree = &plan->trees[t];
		for (i = 0, order = 1; i < tree->n_edges; i++, order++) {
			if (i && tree->edges[i].parent != tree->edges[i - 1].parent)
				order = 1;
			fprintf(out, "\t%u -> %u [label=\"", tree->edges[i].parent,
				tree->edges[i].child);
			if (plan->n_trees > 1)
				fprintf(out, "%u: ", tree->slot);
			fprintf(out, "%zu\"];\n", order);
		}
	}
	fputs("}\n", out);
	return finish(out, err);
}
