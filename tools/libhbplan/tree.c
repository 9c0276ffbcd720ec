// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees: who sends to whom, and in which order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "tree.h"

/**
 * hbp_tree_add() - add an edge
 * @tree: the tree
 * @parent: id of the sending node
 * @child: id of the receiving node
 * @err: receives the reason of a failure
 *
 * The parent sends to its children in the order in which they are added. The
 * tree may be in disorder until hbp_tree_order() has been called.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_tree_add(struct hbp_tree *tree, uint32_t parent, uint32_t child,
		 struct hbp_error *err)
{
	struct hbp_edge *edges;
	size_t room;

	if (tree->n_edges == tree->room) {
		room = tree->room ? 2 * tree->room : 16;
		edges = realloc(tree->edges, room * sizeof(*edges));
		if (!edges)
			return hbp_nomem(err);
		tree->edges = edges;
		tree->room = room;
	}
	tree->edges[tree->n_edges].parent = parent;
	tree->edges[tree->n_edges++].child = child;
	return 0;
}

/* One node of a tree being put in order. */
struct member {
	uint32_t id;
	uint32_t parent;	/* id; the root has none */
	size_t first;		/* its first child in the list of children */
	size_t n_children;
	size_t seen;		/* mark of the walk that has passed it */
};

struct order {
	size_t n;
	struct member *members;	/* ascending id */
	size_t *children;	/* members grouped by parent */
	size_t *queue;		/* members breadth-first */
	struct hbp_edge *edges;
};

static size_t member_of(const struct order *o, uint32_t id)
{
	return hbp_node_find(o->members, o->n, sizeof(*o->members), id);
}

static int two_parents(const struct hbp_tree *tree, uint32_t root, uint32_t id,
		       struct hbp_error *err)
{
	uint32_t first = 0;
	size_t i, found = 0;

	for (i = 0; i < tree->n_edges; i++) {
		if (tree->edges[i].child != id)
			continue;
		if (id == root)
			return hbp_fail(err, -EINVAL,
					"node %u sends to node %u, which is the root",
					tree->edges[i].parent, id);
		if (found++)
			break;
		first = tree->edges[i].parent;
	}
	return hbp_fail(err, -EINVAL, "node %u has two parents, %u and %u", id,
			first, tree->edges[i].parent);
}

static int collect(const struct hbp_tree *tree, uint32_t root, struct order *o,
		   struct hbp_error *err)
{
	size_t i, at, sum = 0;
	uint32_t id;

	o->members[0].id = root;
	for (i = 0; i < tree->n_edges; i++) {
		o->members[i + 1].id = tree->edges[i].child;
		o->members[i + 1].parent = tree->edges[i].parent;
	}
	hbp_node_sort(o->members, o->n, sizeof(*o->members));
	if (hbp_node_repeat(o->members, o->n, sizeof(*o->members), &id))
		return two_parents(tree, root, id, err);
	for (i = 0; i < tree->n_edges; i++) {
		if (tree->edges[i].parent == tree->edges[i].child)
			return hbp_fail(err, -EINVAL, "node %u sends to itself",
					tree->edges[i].child);
		at = member_of(o, tree->edges[i].parent);
		if (at == HBP_NONE)
			return hbp_fail(err, -EINVAL,
					"node %u sends to node %u, but nobody sends to node %u",
					tree->edges[i].parent,
					tree->edges[i].child,
					tree->edges[i].parent);
		o->members[at].n_children++;
	}
	for (i = 0; i < o->n; i++) {
		o->members[i].first = sum;
		sum += o->members[i].n_children;
		o->members[i].n_children = 0;
	}
	for (i = 0; i < tree->n_edges; i++) {
		at = member_of(o, tree->edges[i].parent);
		o->children[o->members[at].first + o->members[at].n_children++] =
			member_of(o, tree->edges[i].child);
	}
	return 0;
}

/* Every node has one parent, so what the root does not reach hangs on a cycle. */
static int name_cycle(struct order *o, struct hbp_error *err)
{
	size_t at = 0;

	while (o->members[at].seen)
		at++;
	while (!o->members[at].seen) {
		o->members[at].seen = 1;
		at = member_of(o, o->members[at].parent);
	}
	return hbp_fail(err, -EINVAL,
			"the edges form a cycle through nodes %u and %u, which the root does not reach",
			o->members[at].parent, o->members[at].id);
}

static int walk(struct order *o, uint32_t root, struct hbp_error *err)
{
	size_t head, tail = 0, c, n_edges = 0;
	const struct member *m;

	o->queue[tail++] = member_of(o, root);
	o->members[o->queue[0]].seen = 1;
	for (head = 0; head < tail; head++) {
		m = &o->members[o->queue[head]];
		for (c = m->first; c < m->first + m->n_children; c++) {
			o->edges[n_edges].parent = m->id;
			o->edges[n_edges++].child = o->members[o->children[c]].id;
			o->members[o->children[c]].seen = 1;
			o->queue[tail++] = o->children[c];
		}
	}
	return tail == o->n ? 0 : name_cycle(o, err);
}

/**
 * hbp_tree_order() - check that the edges form a tree and put them in order
 * @tree: edges in any order between parents; those of one parent in the order
 *	in which it sends
 * @root: id of the root
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if a node has two parents, if nobody sends to a node that
 * sends, if the root receives, or if there is a cycle; -ENOMEM.
 */
int hbp_tree_order(struct hbp_tree *tree, uint32_t root, struct hbp_error *err)
{
	struct order o = { .n = tree->n_edges + 1 };
	int ret;

	o.members = calloc(o.n, sizeof(*o.members));
	o.children = calloc(o.n, sizeof(*o.children));
	o.queue = calloc(o.n, sizeof(*o.queue));
	o.edges = calloc(o.n, sizeof(*o.edges));
	if (!o.members || !o.children || !o.queue || !o.edges)
		ret = hbp_nomem(err);
	else
		ret = collect(tree, root, &o, err);
	if (!ret)
		ret = walk(&o, root, err);
	if (!ret && tree->n_edges)
		memcpy(tree->edges, o.edges, tree->n_edges * sizeof(*o.edges));
	free(o.members);
	free(o.children);
	free(o.queue);
	free(o.edges);
	return ret;
}

/**
 * hbp_tree_parents() - find every edge's parent by place
 * @tree: a tree in order
 * @root: id of the root
 * @parents: receives for each edge the place of its parent: 0 for the root,
 *	i + 1 for the child of edge i
 */
void hbp_tree_parents(const struct hbp_tree *tree, uint32_t root,
		      size_t *parents)
{
	uint32_t parent = root;
	size_t place = 0, i;

	for (i = 0; i < tree->n_edges; i++) {
		while (tree->edges[i].parent != parent)
			parent = tree->edges[place++].child;
		parents[i] = place;
	}
}
