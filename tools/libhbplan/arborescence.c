// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cheapest way to reach all nodes from one: minimum-cost arborescences, by
 * Edmonds' contractions (Chu and Liu, Edmonds) along a growing path (Gabow,
 * Galil, Spencer and Tarjan 1986). A path grows backwards, each node by its
 * cheapest incoming arc, until it meets a node that the root is known to reach,
 * or itself: then the circle becomes one node. Where most pairs are joined, the
 * incoming arcs of a node are a row of a matrix, O(n^2) in all; elsewhere they
 * are a leftist heap, O(m log n). Behind switches all pairs are joined, and what
 * enters a node comes from a place where hosts are: a row has one entry for each
 * place, and the cheapest host there sends, O(n * places + n log n). With one port
 * it is O(n^2), but only circles keep their rows.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "arborescence.h"
#include "node.h"
#include "switched.h"
#include "units.h"

#define NO_ARC		UINT32_MAX

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

/* How long one port is busy, in us for each bit of the narrowest link, and its cost. */
struct pace {
	double *up;		/* of each host, its link to its switch, or 0 */
	double *down;		/* of each host, the link from there, or 0 */
	double *between;	/* of each pair of switches, or hosts without one */
	double *send;		/* of each host, what each us costs if it sends */
	double *receive;	/* likewise, if it receives */
};

/* The cheapest way into a circle from a place, and where it ends. */
struct entry {
	double cost;
	uint32_t head;
};

/*
 * What is known of hosts behind switches. With one port a pair costs the more the
 * slower it is, whoever is narrow, so that each host that sends is a place of its own.
 */
struct places {
	const struct hbp_switched *s;
	enum hbp_ports ports;
	size_t n;
	size_t *first;		/* of each place, its first in @hosts; @n + 1 entries */
	uint32_t *hosts;	/* of each place, the cheapest up first */
	double *up;		/* of each host, its link to its switch, and its port */
	double *down;		/* of each host, the link from there */
	double *between;	/* of each pair of switches, or hosts without one */
	struct pace *pace;	/* with one port, or NULL */
	struct entry *host_row;	/* room for that of a host */
	struct entry *pool;	/* rows of circles, of as many entries as places */
	uint32_t *spare;	/* rows that nobody has */
	size_t n_spare;
};

struct hbp_arborescence {
	size_t n;
	size_t root;
	size_t m;
	const struct hbp_arc *arcs;
	enum kind kind;
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
	uint32_t *row;		/* dense: of each node and circle; switched: of each circle */
	uint32_t *label;	/* dense: the outermost circle of each node */
	struct places p;	/* switched */
};

static void pace_free(struct pace *pace)
{
	if (!pace)
		return;
	free(pace->up);
	free(pace->down);
	free(pace->between);
	free(pace->send);
	free(pace->receive);
	free(pace);
}

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
	free(a->p.first);
	free(a->p.hosts);
	free(a->p.up);
	free(a->p.down);
	free(a->p.between);
	pace_free(a->p.pace);
	free(a->p.host_row);
	free(a->p.pool);
	free(a->p.spare);
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
	a->rep = calloc(room, sizeof(*a->rep));
	a->above = calloc(room, sizeof(*a->above));
	a->first = calloc(room, sizeof(*a->first));
	a->next = calloc(room, sizeof(*a->next));
	a->into = calloc(room, sizeof(*a->into));
	a->stack = calloc(room, sizeof(*a->stack));
	if (a->state && a->rep && a->above && a->first && a->next && a->into &&
	    a->stack)
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

static double us_of(const struct hbp_platform *p, size_t link)
{
	return link == HBP_NONE ? 0 : 1 / hbp_mbps_from_bps(p->links[link].bandwidth_bps);
}

static struct pace *pace_alloc(const struct hbp_switched *s)
{
	struct pace *pace = calloc(1, sizeof(*pace));
	size_t n = s->n, i;

	if (!pace)
		return NULL;
	pace->up = calloc(n, sizeof(*pace->up));
	pace->down = calloc(n, sizeof(*pace->down));
	pace->between = malloc(s->n_places * s->n_places * sizeof(*pace->between));
	pace->send = calloc(n, sizeof(*pace->send));
	pace->receive = calloc(n, sizeof(*pace->receive));
	if (!pace->up || !pace->down || !pace->between || !pace->send || !pace->receive) {
		pace_free(pace);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		pace->up[i] = us_of(s->platform, s->up[i]);
		pace->down[i] = us_of(s->platform, s->down[i]);
	}
	for (i = 0; i < s->n_places * s->n_places; i++)
		pace->between[i] = 1 / hbp_mbps_from_bps(s->width_bps[i]);
	return pace;
}

/* Where hosts that send are. */
static void list_places(struct places *p)
{
	const struct hbp_switched *s = p->s;
	size_t i;

	for (i = 0; i < s->n; i++)
		p->hosts[i] = p->pace ? (uint32_t)i : s->hosts[i];
	for (i = 0; i <= p->n; i++)
		p->first[i] = p->pace ? i : s->first[i];
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
	size_t n = switched->n, places = switched->n_places;
	struct hbp_arborescence *a = alloc_nodes(n, root);
	struct places *p;

	if (!a)
		return NULL;
	a->kind = SWITCHED;
	a->row = calloc(2 * n, sizeof(*a->row));
	p = &a->p;
	p->s = switched;
	p->ports = ports;
	p->n = ports == HBP_ONE_PORT ? n : places;
	if (ports == HBP_ONE_PORT)
		p->pace = pace_alloc(switched);
	p->first = calloc(p->n + 1, sizeof(*p->first));
	p->hosts = calloc(n, sizeof(*p->hosts));
	p->up = calloc(n, sizeof(*p->up));
	p->down = calloc(n, sizeof(*p->down));
	p->between = malloc(places * places * sizeof(*p->between));
	p->host_row = calloc(p->n, sizeof(*p->host_row));
	/* Circles that are in no other are of at least two nodes; and a new one. */
	p->pool = malloc((n / 2 + 1) * p->n * sizeof(*p->pool));
	p->spare = calloc(n / 2 + 1, sizeof(*p->spare));
	if (!a->row || (ports == HBP_ONE_PORT && !p->pace) || !p->first || !p->hosts ||
	    !p->up || !p->down || !p->between || !p->host_row || !p->pool ||
	    !p->spare) {
		hbp_arborescence_free(a);
		return NULL;
	}
	list_places(p);
	return a;
}

static uint32_t tail_of(const struct hbp_arborescence *a, uint32_t arc)
{
	return a->arcs ? a->arcs[arc].from : (uint32_t)(arc / a->n);
}

static uint32_t head_of(const struct hbp_arborescence *a, uint32_t arc)
{
	return a->arcs ? a->arcs[arc].to : (uint32_t)(arc % a->n);
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

/* Sorts hosts of one place by their way up, of equal ones the lower first. */
static int compare_ups(const void *a, const void *b, void *data)
{
	const double *up = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (up[x] != up[y])
		return up[x] < up[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static int begin_switched(struct hbp_arborescence *a, const double *costs)
{
	struct places *p = &a->p;
	const struct hbp_switched *s = p->s;
	const double *ports = costs + s->platform->n_links;
	size_t i;

	for (i = 0; i < a->n; i++) {
		p->up[i] = s->up[i] == HBP_NONE ? 0 : costs[s->up[i]];
		p->down[i] = s->down[i] == HBP_NONE ? 0 : costs[s->down[i]];
		if (p->ports == HBP_MULTI_PORT)
			p->up[i] += ports[i];
		if (!p->pace)
			continue;
		p->pace->send[i] = ports[i];
		p->pace->receive[i] = ports[a->n + i];
	}
	for (i = 0; i < p->n; i++)
		qsort_r(p->hosts + p->first[i], p->first[i + 1] - p->first[i],
			sizeof(*p->hosts), compare_ups, p->up);
	for (p->n_spare = 0; p->n_spare < a->n / 2 + 1; p->n_spare++)
		p->spare[p->n_spare] = (uint32_t)p->n_spare;
	return hbp_switched_costs(s, costs, p->between);
}

/* What the ports of a pair cost, if each node has one. */
static double cost_of_ports(const struct pace *pace, size_t from, size_t to, size_t pair)
{
	double us = pace->between[pair];

	us = pace->up[from] > us ? pace->up[from] : us;
	us = pace->down[to] > us ? pace->down[to] : us;
	return (pace->send[from] + pace->receive[to]) * us;
}

/* What the way into a host from a place costs, but for the link up there. */
static inline double cost_into(const struct places *p, size_t place, size_t to)
{
	const struct hbp_switched *s = p->s;
	size_t from = p->pace ? s->place[place] : place;
	size_t pair = from * s->n_places + s->place[to];

	return p->between[pair] + p->down[to] +
	       (p->pace ? cost_of_ports(p->pace, place, to, pair) : 0);
}

/* The cheapest way into a node or circle from each place, but for who sends. */
static const struct entry *row_of(const struct hbp_arborescence *a, uint32_t node)
{
	const struct places *p = &a->p;
	size_t k;

	if (node >= a->n)
		return p->pool + a->row[node] * p->n;
	for (k = 0; k < p->n; k++) {
		p->host_row[k].cost = cost_into(p, k, node);
		p->host_row[k].head = node;
	}
	return p->host_row;
}

static uint32_t take_switched(struct hbp_arborescence *a, uint32_t node,
			      double *cost)
{
	const struct entry *row = row_of(a, node);
	const struct places *p = &a->p;
	uint32_t best = NO_ARC, tail = 0;
	double sum;
	size_t k, i;

	*cost = HUGE_VAL;
	for (k = 0; k < p->n; k++) {
		/* The first there is the cheapest, but maybe in the circle. */
		if (row[k].cost == HUGE_VAL ||
		    row[k].cost + p->up[p->hosts[p->first[k]]] > *cost)
			continue;
		for (i = p->first[k]; i < p->first[k + 1]; i++)
			if (outermost(a, p->hosts[i]) != node)
				break;
		if (i == p->first[k + 1])
			continue;
		sum = row[k].cost + p->up[p->hosts[i]];
		if (sum > *cost || (sum == *cost && p->hosts[i] > tail))
			continue;
		*cost = sum;
		tail = p->hosts[i];
		best = tail * (uint32_t)a->n + row[k].head;
	}
	return best;
}

static double cost_switched(const struct hbp_arborescence *a, uint32_t arc)
{
	uint32_t tail = tail_of(a, arc);

	return a->p.up[tail] +
	       cost_into(&a->p, a->p.pace ? tail : a->p.s->place[tail], head_of(a, arc));
}

static void join_switched(struct hbp_arborescence *a, uint32_t node,
			  uint32_t circle, double cost)
{
	const struct entry *from = row_of(a, node);
	bool begins = a->row[circle] == NO_ARC;
	struct places *p = &a->p;
	struct entry *to;
	size_t k;

	if (begins)
		a->row[circle] = p->spare[--p->n_spare];
	to = p->pool + a->row[circle] * p->n;
	for (k = 0; k < p->n; k++) {
		if (!begins && from[k].cost - cost >= to[k].cost)
			continue;
		to[k] = from[k];
		to[k].cost -= cost;
	}
	if (node >= a->n)
		p->spare[p->n_spare++] = a->row[node];
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
	*(a->kind == SPARSE ? &a->heap[circle] : &a->row[circle]) = NO_ARC;
	do {
		below = a->stack[--*depth];
		if (a->kind == DENSE)
			join_dense(a, below, circle, reached_at[below]);
		else if (a->kind == SPARSE)
			join_sparse(a, below, circle, reached_at[below]);
		else
			join_switched(a, below, circle, reached_at[below]);
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
		arc = a->kind == DENSE ? take_dense(a, at, &reached_at[at]) :
		      a->kind == SPARSE ? take_sparse(a, at, &reached_at[at]) :
					  take_switched(a, at, &reached_at[at]);
		if (arc == NO_ARC)
			return -ENOENT;
		a->into[at] = arc;
		at = outermost(a, tail_of(a, arc));
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
		to = head_of(a, arc);
		a->into[to] = arc;
		open_circles(a, to, &depth);
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
	a->n_nodes = a->n;
	for (i = 0; i < a->n; i++) {
		a->state[i] = i == a->root ? DONE : UNSEEN;
		a->rep[i] = (uint32_t)i;
		a->above[i] = NO_ARC;
	}
	if (a->kind == DENSE)
		begin_dense(a, costs);
	else if (a->kind == SPARSE)
		begin_sparse(a, costs);
	else
		ret = begin_switched(a, costs);
	for (i = 0; !ret && i < a->n; i++)
		ret = grow(a, outermost(a, (uint32_t)i), reached_at);
	free(reached_at);
	if (ret)
		return ret;
	expand(a);
	*sum = 0;
	for (i = 0; i < a->n; i++) {
		into[i] = i == a->root ? HBP_NONE : a->into[i];
		if (i != a->root)
			*sum += a->kind == SWITCHED ? cost_switched(a, a->into[i]) :
						      costs[a->into[i]];
	}
	return 0;
}
