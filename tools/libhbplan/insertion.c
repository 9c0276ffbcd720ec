// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Weighted trees into which nodes are put back that had been split off, so that
 * each is in trees of the weight that it should receive. If the nodes come back
 * in descending order of what they should receive, none is ever short of it: as
 * long as it is, one of the arcs into it is not used up, and this arc's tail is
 * in at least as many trees, one of which lacks the node.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "insertion.h"
#include "node.h"

static int make_room(struct hbp_insertion *ins)
{
	struct hbp_partial *trees;
	size_t room;

	if (ins->n < ins->room)
		return 0;
	room = 2 * ins->room + 16;
	trees = realloc(ins->trees, room * sizeof(*trees));
	if (!trees)
		return -ENOMEM;
	ins->trees = trees;
	ins->room = room;
	return 0;
}

/**
 * hbp_insertion_init() - one tree with the root alone
 * @ins: receives it, to be released with hbp_insertion_clear(), also after a
 *	failure
 * @n_nodes: number of nodes, of which none but the root is in it yet
 * @root: the root
 * @weight: of the tree, and so of all that it will be split into
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_insertion_init(struct hbp_insertion *ins, size_t n_nodes, size_t root,
		       int64_t weight)
{
	uint32_t *parent = calloc(n_nodes, sizeof(*parent));
	size_t i;

	*ins = (struct hbp_insertion){ .n_nodes = n_nodes, .root = root };
	ins->in_left = calloc(n_nodes, sizeof(*ins->in_left));
	if (!parent || !ins->in_left || make_room(ins)) {
		free(parent);
		return -ENOMEM;
	}
	for (i = 0; i < n_nodes; i++)
		parent[i] = HBP_NOBODY;
	parent[root] = (uint32_t)root;
	ins->trees[ins->n++] = (struct hbp_partial){
		.weight = weight, .members = 1, .parent = parent
	};
	return 0;
}

/**
 * hbp_insertion_clear() - release the trees
 * @ins: the trees
 */
void hbp_insertion_clear(struct hbp_insertion *ins)
{
	while (ins->n)
		free(ins->trees[--ins->n].parent);
	free(ins->trees);
	free(ins->in_left);
}

/* Splits a tree so that it keeps @weight; the rest comes right behind it. */
static int split_tree(struct hbp_insertion *ins, size_t t, int64_t weight)
{
	size_t size = ins->n_nodes * sizeof(*ins->trees[t].parent);
	struct hbp_partial *tree;
	uint32_t *parent;

	if (weight == ins->trees[t].weight)
		return 0;
	parent = malloc(size);
	if (!parent || make_room(ins)) {
		free(parent);
		return -ENOMEM;
	}
	tree = &ins->trees[t];
	memcpy(parent, tree->parent, size);
	memmove(tree + 2, tree + 1, (ins->n - t - 1) * sizeof(*tree));
	ins->n++;
	tree[1] = (struct hbp_partial){
		.weight = tree->weight - weight, .members = tree->members,
		.parent = parent
	};
	tree->weight = weight;
	return 0;
}

static size_t depth_of(const struct hbp_insertion *ins,
		       const struct hbp_partial *tree, size_t node)
{
	size_t depth = 0;

	for (; node != ins->root; node = tree->parent[node])
		depth++;
	return depth;
}

/*
 * The edge u-w of a tree becomes u-v-w. Where this is so of several edges, v keeps
 * the parent that is nearest to the root: it is below none of the others' heads.
 */
static void pass(const struct hbp_insertion *ins, struct hbp_partial *tree,
		 size_t u, size_t v, size_t w)
{
	uint32_t *parent = tree->parent;

	if (parent[v] == HBP_NOBODY) {
		parent[v] = (uint32_t)u;
		tree->members++;
	} else if (depth_of(ins, tree, u) < depth_of(ins, tree, parent[v])) {
		parent[v] = (uint32_t)u;
	}
	parent[w] = (uint32_t)v;
}

/* What trees need of an arc and is not beside the node passes through it. */
static int pass_piece(struct hbp_insertion *ins, size_t node,
		      const struct hbp_piece *via)
{
	int64_t need = -via->beside, weight;
	size_t t;
	int ret = 0;

	for (t = 0; t < ins->n; t++)
		if (ins->trees[t].parent[via->to] == via->from)
			need += ins->trees[t].weight;
	for (t = 0; !ret && t < ins->n && need > 0; t++) {
		if (ins->trees[t].parent[via->to] != via->from)
			continue;
		weight = ins->trees[t].weight < need ? ins->trees[t].weight :
			 need;
		ret = split_tree(ins, t, weight);
		if (!ret)
			pass(ins, &ins->trees[t], via->from, node, via->to);
		need -= weight;
	}
	return ret;
}

/*
 * Which arc a tree should use to a node that it lacks: one that can take all
 * that is wanted, nearest to the root; else the widest. HBP_NONE if there is none.
 */
static size_t choose_arc(const struct hbp_insertion *ins,
			 const struct hbp_partial *tree,
			 const struct hbp_split *split, int64_t want)
{
	size_t i, u, depth, best = HBP_NONE, least = 0;
	int64_t most = 0, has;

	for (i = 0; i < split->n_in; i++) {
		u = split->in[i].from;
		has = ins->in_left[u] < want ? ins->in_left[u] : want;
		if (!has || tree->parent[u] == HBP_NOBODY)
			continue;
		depth = depth_of(ins, tree, u);
		if (has > most || (has == most && depth < least)) {
			most = has;
			least = depth;
			best = u;
		}
	}
	return best;
}

/* Hangs a node below others, in the fullest trees that lack it. */
static int hang(struct hbp_insertion *ins, const struct hbp_split *split,
		int64_t need)
{
	struct hbp_partial *tree;
	int64_t want;
	size_t t, u;
	int ret = 0;

	for (t = 0; !ret && t < ins->n && need > 0; t++) {
		tree = &ins->trees[t];
		if (tree->parent[split->node] != HBP_NOBODY)
			continue;
		want = tree->weight < need ? tree->weight : need;
		u = choose_arc(ins, tree, split, want);
		if (u == HBP_NONE)
			continue;
		want = ins->in_left[u] < want ? ins->in_left[u] : want;
		ret = split_tree(ins, t, want);
		if (ret)
			break;
		ins->trees[t].parent[split->node] = (uint32_t)u;
		ins->trees[t].members++;
		ins->in_left[u] -= want;
		need -= want;
	}
	return ret;
}

/* The fullest first, then the heaviest; never by luck. */
static int compare_trees(const void *a, const void *b, void *arg)
{
	const struct hbp_partial *x = a, *y = b;
	const struct hbp_insertion *ins = arg;

	if (x->members != y->members)
		return x->members > y->members ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return memcmp(x->parent, y->parent, ins->n_nodes * sizeof(*x->parent));
}

static void sort_trees(struct hbp_insertion *ins)
{
	qsort_r(ins->trees, ins->n, sizeof(*ins->trees), compare_trees, ins);
}

/**
 * hbp_insertion_add() - put a node back
 * @ins: trees that use the graph without the node
 * @split: what hbp_splitting_take() has told of it
 *
 * Afterwards trees use the graph with the node.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_insertion_add(struct hbp_insertion *ins, const struct hbp_split *split)
{
	int64_t need = split->demand;
	uint32_t parent;
	size_t i, t;
	int ret = 0;

	sort_trees(ins);
	for (i = 0; !ret && i < split->n_via; i++)
		ret = pass_piece(ins, split->node, &split->via[i]);
	if (ret)
		return ret;
	for (i = 0; i < split->n_in; i++)
		ins->in_left[split->in[i].from] = split->in[i].amount;
	for (t = 0; t < ins->n; t++) {
		parent = ins->trees[t].parent[split->node];
		if (parent == HBP_NOBODY)
			continue;
		ins->in_left[parent] -= ins->trees[t].weight;
		need -= ins->trees[t].weight;
	}
	return hang(ins, split, need);
}

/**
 * hbp_insertion_before() - put a node between another and its parent
 * @ins: the trees
 * @node: a node that is in none
 * @next: the other, which is in trees of @demand at least
 * @demand: weight of the trees that get @node, the fullest
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_insertion_before(struct hbp_insertion *ins, size_t node, size_t next,
			 int64_t demand)
{
	struct hbp_partial *tree;
	int64_t weight;
	size_t t;
	int ret = 0;

	sort_trees(ins);
	for (t = 0; !ret && t < ins->n && demand > 0; t++) {
		tree = &ins->trees[t];
		if (tree->parent[next] == HBP_NOBODY)
			continue;
		weight = tree->weight < demand ? tree->weight : demand;
		demand -= weight;
		ret = split_tree(ins, t, weight);
		if (ret)
			break;
		tree = &ins->trees[t];
		tree->parent[node] = tree->parent[next];
		tree->parent[next] = (uint32_t)node;
		tree->members++;
	}
	return ret;
}

/**
 * hbp_insertion_merge() - make one tree of those that are alike
 * @ins: the trees; afterwards the fullest come first
 */
void hbp_insertion_merge(struct hbp_insertion *ins)
{
	size_t size = ins->n_nodes * sizeof(*ins->trees->parent), t, k, n = 0;

	for (t = 0; t < ins->n; t++) {
		for (k = 0; k < n && memcmp(ins->trees[k].parent,
					    ins->trees[t].parent, size);)
			k++;
		if (k == n) {
			ins->trees[n++] = ins->trees[t];
			continue;
		}
		ins->trees[k].weight += ins->trees[t].weight;
		free(ins->trees[t].parent);
	}
	ins->n = n;
	sort_trees(ins);
}

/**
 * hbp_insertion_append() - add a tree without weight
 * @ins: the trees; it becomes the last
 * @parent: its parents, copied
 * @second: its rate in another set of rates
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_insertion_append(struct hbp_insertion *ins, const uint32_t *parent,
			 int64_t second)
{
	size_t size = ins->n_nodes * sizeof(*parent), v, members = 0;
	uint32_t *copy = malloc(size);

	if (!copy || make_room(ins)) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, parent, size);
	for (v = 0; v < ins->n_nodes; v++)
		members += parent[v] != HBP_NOBODY;
	ins->trees[ins->n++] = (struct hbp_partial){
		.second = second, .members = members, .parent = copy
	};
	return 0;
}

/* Moves a tree to the first place. */
static void put_first(struct hbp_insertion *ins, size_t t)
{
	struct hbp_partial tree = ins->trees[t];

	memmove(ins->trees + 1, ins->trees, t * sizeof(tree));
	ins->trees[0] = tree;
}

/* The ways that nodes have in other trees lead to one that they can join. */
static void join_all(struct hbp_insertion *ins)
{
	struct hbp_partial *tree = &ins->trees[0];
	size_t v, t, at;
	uint32_t *other;

	for (v = 0; v < ins->n_nodes; v++) {
		for (t = 0; t < ins->n; t++)
			if (ins->trees[t].parent[v] != HBP_NOBODY)
				break;
		if (t == ins->n)
			continue;
		other = ins->trees[t].parent;
		for (at = v; tree->parent[at] == HBP_NOBODY; at = other[at]) {
			tree->parent[at] = other[at];
			tree->members++;
		}
	}
}

/**
 * hbp_insertion_span() - see to it that the first tree spans all
 * @ins: the trees
 * @members: number of nodes that it must have
 *
 * If none does, a copy of the first, without weight, comes before it. Nodes that
 * it lacks join it by the ways that they have in other trees.
 *
 * Return: 0; -ENOENT if too few nodes are in any tree; -ENOMEM.
 */
int hbp_insertion_span(struct hbp_insertion *ins, size_t members)
{
	size_t t;
	int ret;

	for (t = 0; t < ins->n; t++) {
		if (ins->trees[t].members < members)
			continue;
		put_first(ins, t);
		return 0;
	}
	ret = hbp_insertion_append(ins, ins->trees[0].parent, 0);
	if (ret)
		return ret;
	put_first(ins, ins->n - 1);
	join_all(ins);
	return ins->trees[0].members < members ? -ENOENT : 0;
}
