// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs that lose edges until a tree is left (paper 001). A tree of arcs that
 * are left is always known: what is not in it can go at once, and what is goes
 * if another tree is found without it.
 */
#include <errno.h>
#include <stdlib.h>

#include "node.h"
#include "prune.h"

/* Looks for a tree without one arc; false if there is none. */
static bool find_tree(struct hbp_prune *p, size_t without)
{
	const struct hbp_arc *arcs = p->steady->arcs;
	size_t n = p->steady->n, head = 0, tail = 0, i;

	for (i = 0; i < n; i++)
		p->found[i] = HBP_NONE;
	p->queue[tail++] = p->root;
	for (; head < tail; head++) {
		i = p->first[p->queue[head]];
		for (; i < p->first[p->queue[head] + 1]; i++) {
			if (!p->there[i] || i == without ||
			    arcs[i].to == p->root ||
			    p->found[arcs[i].to] != HBP_NONE)
				continue;
			p->found[arcs[i].to] = i;
			p->queue[tail++] = arcs[i].to;
		}
	}
	return tail == n;
}

static void keep_tree(struct hbp_prune *p)
{
	size_t *swap = p->into;

	p->into = p->found;
	p->found = swap;
}

/**
 * hbp_prune_begin() - begin with all arcs
 * @prune: filled; to be cleared with hbp_prune_end() in any case
 * @steady: who can send to whom
 * @root: number of the root
 * @parts: of each arc, 0 if it is not there from the beginning; NULL if all are
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if the root does not reach all nodes; -ENOMEM.
 */
int hbp_prune_begin(struct hbp_prune *prune, const struct hbp_steady *steady,
		    size_t root, const int64_t *parts, struct hbp_error *err)
{
	size_t n = steady->n, i;

	prune->steady = steady;
	prune->root = root;
	prune->there = calloc(steady->n_arcs, sizeof(*prune->there));
	prune->first = calloc(n + 1, sizeof(*prune->first));
	prune->into = calloc(n, sizeof(*prune->into));
	prune->found = calloc(n, sizeof(*prune->found));
	prune->queue = calloc(n, sizeof(*prune->queue));
	if (!prune->there || !prune->first || !prune->into || !prune->found ||
	    !prune->queue)
		return hbp_nomem(err);
	for (i = 0; i < steady->n_arcs; i++) {
		prune->there[i] = !parts || parts[i];
		prune->first[steady->arcs[i].from + 1]++;
	}
	for (i = 0; i < n; i++)
		prune->first[i + 1] += prune->first[i];
	if (!find_tree(prune, HBP_NONE))
		return hbp_fail(err, -EINVAL, "not all nodes can be reached from the root");
	keep_tree(prune);
	return 0;
}

/**
 * hbp_prune_end() - release what hbp_prune_begin() has filled
 * @prune: it
 */
void hbp_prune_end(struct hbp_prune *prune)
{
	free(prune->there);
	free(prune->first);
	free(prune->into);
	free(prune->found);
	free(prune->queue);
}

/**
 * hbp_prune_arc() - take an arc away, unless a node would be out of reach
 * @prune: the graph
 * @arc: an arc that is left
 *
 * Return: whether it has been taken away. If it has not, it never can be.
 */
bool hbp_prune_arc(struct hbp_prune *prune, size_t arc)
{
	if (prune->into[prune->steady->arcs[arc].to] == arc) {
		if (!find_tree(prune, arc))
			return false;
		keep_tree(prune);
	}
	prune->there[arc] = false;
	return true;
}

/* Heaviest first, then the lower receiver, then the lower sender. */
static int compare(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct hbp_prune *p = ((void **)arg)[0];
	const int64_t *weights = ((void **)arg)[1];
	const struct hbp_arc *arcs = p->steady->arcs;

	if (weights[x] != weights[y])
		return weights[x] > weights[y] ? -1 : 1;
	if (arcs[x].to != arcs[y].to)
		return arcs[x].to < arcs[y].to ? -1 : 1;
	return (x > y) - (x < y);
}

/**
 * hbp_prune_heaviest() - take all arcs away that can be, the heaviest first
 * @prune: the graph; a tree is left
 * @weights: of each arc
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_prune_heaviest(struct hbp_prune *prune, const int64_t *weights,
		       struct hbp_error *err)
{
	const void *arg[] = { prune, weights };
	size_t *order, n = 0, i;

	order = calloc(prune->steady->n_arcs, sizeof(*order));
	if (!order)
		return hbp_nomem(err);
	for (i = 0; i < prune->steady->n_arcs; i++)
		if (prune->there[i])
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare, arg);
	for (i = 0; i < n; i++)
		hbp_prune_arc(prune, order[i]);
	free(order);
	return 0;
}

/**
 * hbp_prune_tree() - make a plan of the arcs that are left
 * @prune: a graph of which a tree is left
 * @ids: ids of the nodes
 * @plan: receives the tree; a node's children are in ascending order of id
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_prune_tree(const struct hbp_prune *prune, const uint32_t *ids,
		   struct hbp_plan *plan, struct hbp_error *err)
{
	const struct hbp_arc *arcs = prune->steady->arcs;
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < prune->steady->n_arcs; i++)
		if (prune->there[i])
			ret = hbp_tree_add(tree, ids[arcs[i].from],
					   ids[arcs[i].to], err);
	return ret;
}
