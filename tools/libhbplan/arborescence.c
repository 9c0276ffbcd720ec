// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cheapest way to reach all nodes from one: minimum-cost arborescences, by
 * Edmonds' contractions (Chu and Liu, Edmonds) along a growing path (Gabow,
 * Galil, Spencer and Tarjan 1986). A path grows backwards, each node by its
 * cheapest incoming arc, until it meets a node that the root is known to reach,
 * or itself: then the circle becomes one node. Where most pairs are joined, the
 * incoming arcs of a node are a row of a matrix, O(n^2) in all; elsewhere they
 * are a leftist heap, O(m log n). Behind switches they are found by the place where
 * they come from, see places.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "arborescence.h"
#include "circles.h"
#include "node.h"
#include "places.h"
#include "switched.h"

enum state { UNSEEN, ON_PATH, DONE };

enum kind { SPARSE, DENSE, SWITCHED };

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
	enum kind kind;
	struct hbp_circles circles;
	enum state *state;	/* of each node and circle */
	uint32_t *into;		/* the arc by which each is reached */
	uint32_t *stack;
	struct leaf *leaves;	/* sparse: of each arc */
	uint32_t *heap;		/* sparse: of each node its cheapest arc */
	struct cell *cells;	/* dense: [row * n + tail] */
	uint32_t *row;		/* dense: of each node and circle */
	uint32_t *label;	/* dense: the outermost circle of each node */
	struct hbp_places *places;	/* switched */
};

/**
 * hbp_arborescence_free() - release what hbp_arborescence_alloc() made
 * @a: it, or NULL
 */
void hbp_arborescence_free(struct hbp_arborescence *a)
{
	if (!a)
		return;
	hbp_circles_clear(&a->circles);
	free(a->state);
	free(a->into);
	free(a->stack);
	free(a->leaves);
	free(a->heap);
	free(a->cells);
	free(a->row);
	free(a->label);
	hbp_places_free(a->places);
	free(a);
}

/* What all kinds need. */
static struct hbp_arborescence *alloc_nodes(size_t n, size_t root)
{
	struct hbp_arborescence *a = calloc(1, sizeof(*a));
	size_t room = 2 * n;

	if (!a)
		return NULL;
	a->n = n;
	a->root = root;
	a->state = calloc(room, sizeof(*a->state));
	a->into = calloc(room, sizeof(*a->into));
	a->stack = calloc(room, sizeof(*a->stack));
	if (!hbp_circles_init(&a->circles, n) && a->state && a->into && a->stack)
		return a;
	hbp_arborescence_free(a);
	return NULL;
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
	struct hbp_arborescence *a = alloc_nodes(n, root);
	size_t room = 2 * n;

	if (!a)
		return NULL;
	a->arcs = arcs;
	a->m = m;
	a->kind = m >= n * n / 4 ? DENSE : SPARSE;
	if (a->kind == DENSE) {
		a->cells = calloc(n * n, sizeof(*a->cells));
		a->row = calloc(room, sizeof(*a->row));
		a->label = calloc(n, sizeof(*a->label));
	} else {
		a->leaves = calloc(m + 1, sizeof(*a->leaves));
		a->heap = calloc(room, sizeof(*a->heap));
	}
	if (a->kind == DENSE ? a->cells && a->row && a->label :
			       a->leaves && a->heap)
		return a;
	hbp_arborescence_free(a);
	return NULL;
}

/**
 * hbp_arborescence_switched() - prepare to find arborescences behind switches
 * @switched: the hosts, for ports with widths; must outlive the result
 * @ports: what holds them back
 * @root: the host that reaches the others
 *
 * Costs are those of links then, and behind them of ports that send and, with one
 * port, of those that receive; of one port, as if a pair had 1 Mbit/s. The arc from
 * host i to host j has number i * n + j.
 *
 * Return: as of hbp_arborescence_alloc().
 */
struct hbp_arborescence *hbp_arborescence_switched(const struct hbp_switched *switched,
						   enum hbp_ports ports, size_t root)
{
	struct hbp_arborescence *a = alloc_nodes(switched->n, root);

	if (!a)
		return NULL;
	a->kind = SWITCHED;
	a->places = hbp_places_alloc(switched, ports, &a->circles);
	if (a->places)
		return a;
	hbp_arborescence_free(a);
	return NULL;
}

static uint32_t tail_of(const struct hbp_arborescence *a, uint32_t arc)
{
	return a->arcs ? a->arcs[arc].from : (uint32_t)(arc / a->n);
}

static uint32_t head_of(const struct hbp_arborescence *a, uint32_t arc)
{
	return a->arcs ? a->arcs[arc].to : (uint32_t)(arc % a->n);
}

static void push_down(struct hbp_arborescence *a, uint32_t at)
{
	struct leaf *leaf = &a->leaves[at], *below;

	if (leaf->add == 0)
		return;
	if (leaf->left != HBP_NIL) {
		below = &a->leaves[leaf->left];
		below->cost += leaf->add;
		below->add += leaf->add;
	}
	if (leaf->right != HBP_NIL) {
		below = &a->leaves[leaf->right];
		below->cost += leaf->add;
		below->add += leaf->add;
	}
	leaf->add = 0;
}

static uint32_t rank_of(const struct hbp_arborescence *a, uint32_t at)
{
	return at == HBP_NIL ? 0 : a->leaves[at].rank;
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

	if (x == HBP_NIL || y == HBP_NIL)
		return x == HBP_NIL ? y : x;
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
		a->heap[i] = HBP_NIL;
	for (i = 0; i < a->m; i++) {
		to = a->arcs[i].to;
		leaf = &a->leaves[i];
		leaf->cost = costs[i];
		leaf->add = 0;
		leaf->left = HBP_NIL;
		leaf->right = HBP_NIL;
		leaf->rank = 1;
		if (to != a->root && a->arcs[i].from != to)
			a->heap[to] = merge(a, a->heap[to], (uint32_t)i);
	}
}

/* Takes the cheapest arc into a node, HBP_NIL if there is none. */
static uint32_t take_sparse(struct hbp_arborescence *a, uint32_t node,
			    double *cost)
{
	uint32_t arc;

	do {
		arc = a->heap[node];
		if (arc == HBP_NIL)
			return HBP_NIL;
		*cost = a->leaves[arc].cost;
		push_down(a, arc);
		a->heap[node] = merge(a, a->leaves[arc].left,
				      a->leaves[arc].right);
	} while (hbp_circles_outermost(&a->circles, a->arcs[arc].from) == node);
	return arc;
}

/* What enters a node of a circle may save the arc by which it is reached. */
static void join_sparse(struct hbp_arborescence *a, uint32_t node,
			uint32_t circle, double cost)
{
	uint32_t top = a->heap[node];

	if (top != HBP_NIL) {
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
		a->cells[i].arc = HBP_NIL;
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
		if (row[i].arc != HBP_NIL && a->label[i] != node &&
		    (!best || row[i].cost < best->cost))
			best = &row[i];
	if (!best)
		return HBP_NIL;
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
	if (a->row[circle] == HBP_NIL) {
		a->row[circle] = a->row[node];
		return;
	}
	to = &a->cells[(size_t)a->row[circle] * a->n];
	for (i = 0; i < a->n; i++)
		if (from[i].arc != HBP_NIL &&
		    (to[i].arc == HBP_NIL || from[i].cost < to[i].cost))
			to[i] = from[i];
}

/* The path from @node on has become a circle. */
static uint32_t contract(struct hbp_arborescence *a, uint32_t node,
			 size_t *depth, const double *reached_at)
{
	uint32_t circle = hbp_circles_add(&a->circles), below;

	a->state[circle] = UNSEEN;
	if (a->kind == SPARSE)
		a->heap[circle] = HBP_NIL;
	else if (a->kind == DENSE)
		a->row[circle] = HBP_NIL;
	do {
		below = a->stack[--*depth];
		if (a->kind == DENSE)
			join_dense(a, below, circle, reached_at[below]);
		else if (a->kind == SPARSE)
			join_sparse(a, below, circle, reached_at[below]);
		else
			hbp_places_join(a->places, below, circle, reached_at[below]);
		hbp_circles_put(&a->circles, below, circle);
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
		arc = a->kind == DENSE ? take_dense(a, at, &reached_at[at]) :
		      a->kind == SPARSE ? take_sparse(a, at, &reached_at[at]) :
					  hbp_places_take(a->places, at, &reached_at[at]);
		if (arc == HBP_NIL)
			return -ENOENT;
		a->into[at] = arc;
		at = hbp_circles_outermost(&a->circles, tail_of(a, arc));
	}
	while (depth)
		a->state[a->stack[--depth]] = DONE;
	return 0;
}

static void expand(struct hbp_arborescence *a)
{
	uint32_t arc, to;
	size_t i, depth = 0;

	for (i = a->n; i < a->circles.n_nodes; i++)
		if (a->circles.above[i] == HBP_NIL)
			a->stack[depth++] = (uint32_t)i;
	while (depth) {
		arc = a->into[a->stack[--depth]];
		to = head_of(a, arc);
		a->into[to] = arc;
		hbp_circles_open(&a->circles, to, a->stack, &depth);
	}
}

/**
 * hbp_arborescence_find() - find an arborescence of least cost
 * @a: from hbp_arborescence_alloc()
 * @costs: of each arc, or as hbp_arborescence_switched() has it, not negative
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
	hbp_circles_begin(&a->circles);
	for (i = 0; i < a->n; i++)
		a->state[i] = i == a->root ? DONE : UNSEEN;
	if (a->kind == DENSE)
		begin_dense(a, costs);
	else if (a->kind == SPARSE)
		begin_sparse(a, costs);
	else
		ret = hbp_places_begin(a->places, costs);
	for (i = 0; !ret && i < a->n; i++)
		ret = grow(a, hbp_circles_outermost(&a->circles, (uint32_t)i), reached_at);
	free(reached_at);
	if (ret)
		return ret;
	expand(a);
	*sum = 0;
	for (i = 0; i < a->n; i++) {
		into[i] = i == a->root ? HBP_NONE : a->into[i];
		if (i != a->root)
			*sum += a->kind == SWITCHED ? hbp_places_cost(a->places, a->into[i]) :
						      costs[a->into[i]];
	}
	return 0;
}
