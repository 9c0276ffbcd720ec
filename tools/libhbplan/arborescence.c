// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cheapest way to reach all nodes from one: minimum-cost arborescences, by
 * Edmonds' contractions (Chu and Liu, Edmonds) along a growing path (Gabow,
 * Galil, Spencer and Tarjan 1986). A path grows backwards, each node by its
 * cheapest incoming arc, until it meets a node that the root is known to reach,
 * or itself: then the circle becomes one node. Where most pairs are joined, the
 * incoming arcs of a node are a row of a matrix, O(n^2) in all; elsewhere they
 * are a leftist heap, O(m log n).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "arborescence.h"
#include "node.h"

#define NO_ARC		UINT32_MAX

enum state { UNSEEN, ON_PATH, DONE };

/* Arcs into a node that are dearer the further down they are. */
struct leaf {
	double cost;
	double add;		/* to be added to all below */
	uint32_t left;
	uint32_t right;
	uint32_t rank;
};

/* The cheapest arc from one node into another. */
struct cell {
	double cost;
	uint32_t arc;
};

struct hbp_arborescence {
	size_t n;
	size_t root;
	size_t m;
	const struct hbp_arc *arcs;
	bool dense;
	/* Nodes 0 to n - 1, and circles that have become one from n on. */
	size_t n_nodes;
	enum state *state;
	uint32_t *rep;		/* towards the circle that a node is in */
	uint32_t *above;	/* the circle right above, NO_ARC if there is none */
	uint32_t *first;	/* of each circle: a node right below */
	uint32_t *next;		/* another node below the same circle */
	uint32_t *into;		/* the arc by which each is reached */
	uint32_t *stack;
	struct leaf *leaves;	/* sparse: of each arc */
	uint32_t *heap;		/* sparse: of each node its cheapest arc */
	struct cell *cells;	/* dense: [row * n + tail] */
	uint32_t *row;		/* dense: of each node and circle */
	uint32_t *label;	/* dense: the outermost circle of each node */
};

/**
 * hbp_arborescence_free() - release what hbp_arborescence_alloc() made
 * @a: it, or NULL
 */
void hbp_arborescence_free(struct hbp_arborescence *a)
{
	if (!a)
		return;
	free(a->state);
	free(a->rep);
	free(a->above);
	free(a->first);
	free(a->next);
	free(a->into);
	free(a->stack);
	free(a->leaves);
	free(a->heap);
	free(a->cells);
	free(a->row);
	free(a->label);
	free(a);
}

/**
 * hbp_arborescence_alloc() - prepare to find arborescences of a graph
 * @n: number of nodes, from 1
 * @root: the node that reaches the others
 * @arcs: no two of the same tail and head; must outlive the result
 * @m: how many, below 2^32 - 1
 *
 * Return: to be released with hbp_arborescence_free(); NULL if memory has run
 * out.
 */
struct hbp_arborescence *hbp_arborescence_alloc(size_t n, size_t root,
						const struct hbp_arc *arcs,
						size_t m)
{
	struct hbp_arborescence *a = calloc(1, sizeof(*a));
	size_t room = 2 * n;

	if (!a)
		return NULL;
	a->n = n;
	a->root = root;
	a->arcs = arcs;
	a->m = m;
	a->dense = m >= n * n / 4;
	a->state = calloc(room, sizeof(*a->state));
	a->rep = calloc(room, sizeof(*a->rep));
	a->above = calloc(room, sizeof(*a->above));
	a->first = calloc(room, sizeof(*a->first));
	a->next = calloc(room, sizeof(*a->next));
	a->into = calloc(room, sizeof(*a->into));
	a->stack = calloc(room, sizeof(*a->stack));
	if (a->dense) {
		a->cells = calloc(n * n, sizeof(*a->cells));
		a->row = calloc(room, sizeof(*a->row));
		a->label = calloc(n, sizeof(*a->label));
	} else {
		a->leaves = calloc(m + 1, sizeof(*a->leaves));
		a->heap = calloc(room, sizeof(*a->heap));
	}
	if (!a->state || !a->rep || !a->above || !a->first || !a->next ||
	    !a->into || !a->stack ||
	    (a->dense ? !a->cells || !a->row || !a->label :
			!a->leaves || !a->heap)) {
		hbp_arborescence_free(a);
		return NULL;
	}
	return a;
}

/* The outermost circle that a node is in. */
static uint32_t outermost(struct hbp_arborescence *a, uint32_t node)
{
	while (a->rep[node] != node) {
		a->rep[node] = a->rep[a->rep[node]];
		node = a->rep[node];
	}
	return node;
}

static void push_down(struct hbp_arborescence *a, uint32_t at)
{
	struct leaf *leaf = &a->leaves[at], *below;

	if (leaf->add == 0)
		return;
	if (leaf->left != NO_ARC) {
		below = &a->leaves[leaf->left];
		below->cost += leaf->add;
		below->add += leaf->add;
	}
	if (leaf->right != NO_ARC) {
		below = &a->leaves[leaf->right];
		below->cost += leaf->add;
		below->add += leaf->add;
	}
	leaf->add = 0;
}

static uint32_t rank_of(const struct hbp_arborescence *a, uint32_t at)
{
	return at == NO_ARC ? 0 : a->leaves[at].rank;
}

static bool cheaper(const struct hbp_arborescence *a, uint32_t x, uint32_t y)
{
	if (a->leaves[x].cost != a->leaves[y].cost)
		return a->leaves[x].cost < a->leaves[y].cost;
	return x < y;
}

/* Right spines are short, so this does not go deep. */
static uint32_t merge(struct hbp_arborescence *a, uint32_t x, uint32_t y)
{
	struct leaf *leaf;
	uint32_t swap;

	if (x == NO_ARC || y == NO_ARC)
		return x == NO_ARC ? y : x;
	if (cheaper(a, y, x)) {
		swap = x;
		x = y;
		y = swap;
	}
	push_down(a, x);
	leaf = &a->leaves[x];
	leaf->right = merge(a, leaf->right, y);
	if (rank_of(a, leaf->left) < rank_of(a, leaf->right)) {
		swap = leaf->left;
		leaf->left = leaf->right;
		leaf->right = swap;
	}
	leaf->rank = rank_of(a, leaf->right) + 1;
	return x;
}

static void begin_sparse(struct hbp_arborescence *a, const double *costs)
{
	struct leaf *leaf;
	uint32_t to;
	size_t i;

	for (i = 0; i < a->n; i++)
		a->heap[i] = NO_ARC;
	for (i = 0; i < a->m; i++) {
		to = a->arcs[i].to;
		leaf = &a->leaves[i];
		leaf->cost = costs[i];
		leaf->add = 0;
		leaf->left = NO_ARC;
		leaf->right = NO_ARC;
		leaf->rank = 1;
		if (to != a->root && a->arcs[i].from != to)
			a->heap[to] = merge(a, a->heap[to], (uint32_t)i);
	}
}

/* Takes the cheapest arc into a node, NO_ARC if there is none. */
static uint32_t take_sparse(struct hbp_arborescence *a, uint32_t node,
			    double *cost)
{
	uint32_t arc;

	do {
		arc = a->heap[node];
		if (arc == NO_ARC)
			return NO_ARC;
		*cost = a->leaves[arc].cost;
		push_down(a, arc);
		a->heap[node] = merge(a, a->leaves[arc].left,
				      a->leaves[arc].right);
	} while (outermost(a, a->arcs[arc].from) == node);
	return arc;
}

/* What enters a node of a circle may save the arc by which it is reached. */
static void join_sparse(struct hbp_arborescence *a, uint32_t node,
			uint32_t circle, double cost)
{
	uint32_t top = a->heap[node];

	if (top != NO_ARC) {
		a->leaves[top].cost -= cost;
		a->leaves[top].add -= cost;
	}
	a->heap[circle] = merge(a, a->heap[circle], top);
}

static void begin_dense(struct hbp_arborescence *a, const double *costs)
{
	struct cell *cell;
	size_t i;

	for (i = 0; i < a->n * a->n; i++)
		a->cells[i].arc = NO_ARC;
	for (i = 0; i < a->m; i++) {
		cell = &a->cells[(size_t)a->arcs[i].to * a->n + a->arcs[i].from];
		cell->cost = costs[i];
		cell->arc = (uint32_t)i;
	}
	for (i = 0; i < a->n; i++) {
		a->row[i] = (uint32_t)i;
		a->label[i] = (uint32_t)i;
	}
}

static uint32_t take_dense(const struct hbp_arborescence *a, uint32_t node,
			   double *cost)
{
	const struct cell *row = &a->cells[(size_t)a->row[node] * a->n];
	const struct cell *best = NULL;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (row[i].arc != NO_ARC && a->label[i] != node &&
		    (!best || row[i].cost < best->cost))
			best = &row[i];
	if (!best)
		return NO_ARC;
	*cost = best->cost;
	return best->arc;
}

static void join_dense(struct hbp_arborescence *a, uint32_t node,
		       uint32_t circle, double cost)
{
	struct cell *from = &a->cells[(size_t)a->row[node] * a->n], *to;
	size_t i;

	for (i = 0; i < a->n; i++) {
		from[i].cost -= cost;
		if (a->label[i] == node)
			a->label[i] = circle;
	}
	if (a->row[circle] == NO_ARC) {
		a->row[circle] = a->row[node];
		return;
	}
	to = &a->cells[(size_t)a->row[circle] * a->n];
	for (i = 0; i < a->n; i++)
		if (from[i].arc != NO_ARC &&
		    (to[i].arc == NO_ARC || from[i].cost < to[i].cost))
			to[i] = from[i];
}

/* The path from @node on has become a circle. */
static uint32_t contract(struct hbp_arborescence *a, uint32_t node,
			 size_t *depth, const double *reached_at)
{
	uint32_t circle = (uint32_t)a->n_nodes++, below;

	a->state[circle] = UNSEEN;
	a->rep[circle] = circle;
	a->above[circle] = NO_ARC;
	a->first[circle] = NO_ARC;
	if (a->dense)
		a->row[circle] = NO_ARC;
	else
		a->heap[circle] = NO_ARC;
	do {
		below = a->stack[--*depth];
		if (a->dense)
			join_dense(a, below, circle, reached_at[below]);
		else
			join_sparse(a, below, circle, reached_at[below]);
		a->rep[below] = circle;
		a->above[below] = circle;
		a->next[below] = a->first[circle];
		a->first[circle] = below;
	} while (below != node);
	return circle;
}

/* Grows a path backwards from a node until the root is known to reach it. */
static int grow(struct hbp_arborescence *a, uint32_t at, double *reached_at)
{
	size_t depth = 0;
	uint32_t arc;

	while (a->state[at] != DONE) {
		if (a->state[at] == ON_PATH)
			at = contract(a, at, &depth, reached_at);
		a->state[at] = ON_PATH;
		a->stack[depth++] = at;
		arc = a->dense ? take_dense(a, at, &reached_at[at]) :
				 take_sparse(a, at, &reached_at[at]);
		if (arc == NO_ARC)
			return -ENOENT;
		a->into[at] = arc;
		at = outermost(a, a->arcs[arc].from);
	}
	while (depth)
		a->state[a->stack[--depth]] = DONE;
	return 0;
}

/*
 * Opens the circles around a node, which is reached from outside all of them;
 * puts the other circles right below them on the stack.
 */
static void open_circles(struct hbp_arborescence *a, uint32_t node,
			 size_t *depth)
{
	uint32_t circle, below;

	while ((circle = a->above[node]) != NO_ARC) {
		for (below = a->first[circle]; below != NO_ARC;
		     below = a->next[below]) {
			a->above[below] = NO_ARC;
			if (below >= a->n && below != node)
				a->stack[(*depth)++] = below;
		}
		node = circle;
	}
}

static void expand(struct hbp_arborescence *a)
{
	uint32_t arc, to;
	size_t i, depth = 0;

	for (i = a->n; i < a->n_nodes; i++)
		if (a->above[i] == NO_ARC)
			a->stack[depth++] = (uint32_t)i;
	while (depth) {
		arc = a->into[a->stack[--depth]];
		to = a->arcs[arc].to;
		a->into[to] = arc;
		open_circles(a, to, &depth);
	}
}

/**
 * hbp_arborescence_find() - find an arborescence of least cost
 * @a: from hbp_arborescence_alloc()
 * @costs: of each arc, not negative
 * @into: receives for each node the arc that leads to it, HBP_NONE for the root
 * @sum: receives the sum of their costs
 *
 * The same costs give the same arborescence.
 *
 * Return: 0; -ENOENT if the root does not reach all nodes; -ENOMEM.
 */
int hbp_arborescence_find(struct hbp_arborescence *a, const double *costs,
			  size_t *into, double *sum)
{
	double *reached_at = calloc(2 * a->n, sizeof(*reached_at));
	int ret = 0;
	size_t i;

	if (!reached_at)
		return -ENOMEM;
	a->n_nodes = a->n;
	for (i = 0; i < a->n; i++) {
		a->state[i] = i == a->root ? DONE : UNSEEN;
		a->rep[i] = (uint32_t)i;
		a->above[i] = NO_ARC;
	}
	if (a->dense)
		begin_dense(a, costs);
	else
		begin_sparse(a, costs);
	for (i = 0; !ret && i < a->n; i++)
		ret = grow(a, outermost(a, (uint32_t)i), reached_at);
	free(reached_at);
	if (ret)
		return ret;
	expand(a);
	*sum = 0;
	for (i = 0; i < a->n; i++) {
		into[i] = i == a->root ? HBP_NONE : a->into[i];
		*sum += i == a->root ? 0 : costs[a->into[i]];
	}
	return 0;
}
