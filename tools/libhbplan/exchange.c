// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Few trees of given weights, as even as they can be made: local search, one arc
 * after the other. What a row costs grows exponentially with its load, the more
 * so with each pass, so that the sum of all costs comes to be that of the rows
 * which hold the trees back (the potential of Plotkin, Shmoys and Tardos 1995,
 * for packing; here whole arcs move). A node may get another parent that is not
 * below it; or one that is, if somebody on the way down to that one gets a parent
 * from outside: so a cluster is entered at another node.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "exchange.h"
#include "node.h"

/* How steeply costs grow with loads, in the first pass and in the last. */
#define FIRST_STEEP	3.0
#define LAST_STEEP	100.0
/* No cost is larger than exp() of this. */
#define LATE		690.0
/* What is gained must be more than what rounding makes of it. */
#define LEAST_GAIN	(1 / 1e12)
/* A row is full, but not overloaded, if its load differs from 1 by less. */
#define SAME		(1 / 1e7)
/* Arcs are dear that cost so often what another into the same node does. */
#define DEAR		3.0
/* Parents below a node that are tried. */
#define PARENTS		6

#define NO_PLACE	UINT32_MAX

struct exchange {
	const struct hbp_steady *s;
	size_t root;
	size_t n_trees;
	const double *weights;
	double weight;		/* of the tree that is changed */
	size_t first_idle;	/* arcs from here on leave a node out */
	struct hbp_choices c;	/* at whose places arcs are */
	uint32_t *into;		/* of each tree and node: the place of its arc */
	double *load;		/* of each row */
	double *price;		/* what a little more load costs */
	double steep;
	double *change;		/* of each row, what is tried; 0 between trials */
	bool *is_touched;	/* likewise */
	uint32_t *touched;	/* rows whose load would change */
	size_t n_touched;
	bool *below;		/* is each node below the one that is looked at */
	bool *known;
	uint32_t *stack;
	uint32_t *outside;	/* of each node: its cheapest arc from outside */
};

static uint32_t *into_of(const struct exchange *x, size_t tree)
{
	return x->into + tree * x->s->n;
}

static void exchange_clear(struct exchange *x)
{
	hbp_choices_clear(&x->c);
	free(x->into);
	free(x->load);
	free(x->price);
	free(x->change);
	free(x->is_touched);
	free(x->touched);
	free(x->below);
	free(x->known);
	free(x->stack);
	free(x->outside);
}

static int exchange_fill(struct exchange *x, uint32_t **trees)
{
	const struct hbp_steady *s = x->s;
	size_t n = s->n, t, i, p, u, node;

	x->into = calloc(n * x->n_trees, sizeof(*x->into));
	x->load = calloc(s->n_rows, sizeof(*x->load));
	x->price = calloc(s->n_rows, sizeof(*x->price));
	x->change = calloc(s->n_rows, sizeof(*x->change));
	x->is_touched = calloc(s->n_rows, sizeof(*x->is_touched));
	x->touched = calloc(s->n_rows, sizeof(*x->touched));
	x->below = calloc(n, sizeof(*x->below));
	x->known = calloc(n, sizeof(*x->known));
	x->stack = calloc(n, sizeof(*x->stack));
	x->outside = calloc(n, sizeof(*x->outside));
	if (!x->into || !x->load || !x->price || !x->change ||
	    !x->is_touched || !x->touched || !x->below || !x->known || !x->stack || !x->outside ||
	    hbp_choices_list(&x->c, s, x->root, trees, x->n_trees))
		return -ENOMEM;
	for (t = 0; t < x->n_trees; t++) {
		for (i = 0; i < n - 1; i++) {
			node = hbp_steady_pair(s, trees[t][i]).to;
			for (p = x->c.first[node]; x->c.arcs[p] != trees[t][i];)
				p++;
			into_of(x, t)[node] = (uint32_t)p;
			for (u = x->c.first_use[p]; u < x->c.first_use[p + 1]; u++)
				x->load[x->c.rows[u]] += x->weights[t] * x->c.uses[u];
		}
	}
	return 0;
}

static double largest_load(const struct exchange *x)
{
	double most = 0;
	size_t i;

	for (i = 0; i < x->s->n_rows; i++)
		most = x->load[i] > most ? x->load[i] : most;
	return most;
}

static double price_at(const struct exchange *x, double load)
{
	double late = x->steep * (load - 1);

	return exp(late > LATE ? LATE : late);
}

/* What an arc costs while nothing else changes: it will not cost less. */
static double cost_of(const struct exchange *x, size_t p)
{
	double cost = 0;
	size_t u;

	for (u = x->c.first_use[p]; u < x->c.first_use[p + 1]; u++)
		cost += x->price[x->c.rows[u]] * x->c.uses[u];
	return cost * x->steep * x->weight;
}

/* Tries an arc more, or less. */
static void try_arc(struct exchange *x, size_t p, double sign)
{
	uint32_t row;
	size_t u;

	for (u = x->c.first_use[p]; u < x->c.first_use[p + 1]; u++) {
		row = x->c.rows[u];
		if (!x->is_touched[row]) {
			x->is_touched[row] = true;
			x->touched[x->n_touched++] = row;
		}
		x->change[row] += sign * x->weight * x->c.uses[u];
	}
}

/* What all rows would cost more. */
static double rise_of(const struct exchange *x)
{
	double sum = 0;
	uint32_t row;
	size_t i;

	for (i = 0; i < x->n_touched; i++) {
		row = x->touched[i];
		sum += price_at(x, x->load[row] + x->change[row]) - x->price[row];
	}
	return sum;
}

/* Ends a trial; the change is made, or not. */
static void end_trial(struct exchange *x, bool make)
{
	uint32_t row;

	while (x->n_touched) {
		row = x->touched[--x->n_touched];
		if (make) {
			x->load[row] += x->change[row];
			x->price[row] = price_at(x, x->load[row]);
		}
		x->change[row] = 0;
		x->is_touched[row] = false;
	}
}

/* Is a node below another in a tree, or that one itself? */
static bool is_below(const struct exchange *x, const uint32_t *into, size_t node,
		     size_t top)
{
	while (node != x->root && node != top)
		node = x->c.tail[into[node]];
	return node == top;
}

static bool is_idle(const struct exchange *x, uint32_t p)
{
	return x->c.arcs[p] >= x->first_idle;
}

/* May the node get another parent: is it in the tree, and not below the node? */
static bool may_join(const struct exchange *x, const uint32_t *into, size_t node,
		     uint32_t p)
{
	size_t parent = x->c.tail[p], i;

	if (!is_idle(x, p))
		return (parent == x->root || !is_idle(x, into[parent])) &&
		       !is_below(x, into, parent, node);
	/* Nobody is left out who has children. */
	for (i = 0; i < x->s->n; i++)
		if (i != x->root && !is_idle(x, into[i]) &&
		    x->c.tail[into[i]] == node)
			return false;
	return true;
}

/* What rows would cost more with other arcs in the place of some. */
static double rise_with(struct exchange *x, const uint32_t *gone, size_t n_gone,
			const uint32_t *come, size_t n_come)
{
	double rise;
	size_t i;

	for (i = 0; i < n_gone; i++)
		try_arc(x, gone[i], -1);
	for (i = 0; i < n_come; i++)
		try_arc(x, come[i], 1);
	rise = rise_of(x);
	end_trial(x, false);
	return rise;
}

/* Puts an arc into the trees, or takes it out; what rows cost more then. */
static double put_arc(struct exchange *x, uint32_t p, double sign)
{
	double rise;

	try_arc(x, p, sign);
	rise = rise_of(x);
	end_trial(x, true);
	return rise;
}

/* A parent that is not below the node. */
static void move(struct exchange *x, uint32_t *into, size_t node)
{
	uint32_t old = into[node], best = old, p;
	double least, rise;

	/* What the arc that is there saves by going, it costs again. */
	least = -put_arc(x, old, -1) - LEAST_GAIN;
	for (p = (uint32_t)x->c.first[node]; p < x->c.first[node + 1]; p++) {
		/* Costs are convex, so that this is the least. */
		if (p == old || cost_of(x, p) >= least)
			continue;
		rise = rise_with(x, NULL, 0, &p, 1);
		if (rise >= least || !may_join(x, into, node, p))
			continue;
		least = rise;
		best = p;
	}
	put_arc(x, best, 1);
	into[node] = best;
}

/* Tells of all nodes whether they are below one, which is. */
static void mark_below(struct exchange *x, const uint32_t *into, size_t top)
{
	size_t i, at, depth;

	memset(x->known, 0, x->s->n * sizeof(*x->known));
	x->known[x->root] = true;
	x->below[x->root] = false;
	x->known[top] = true;
	x->below[top] = true;
	for (i = 0; i < x->s->n; i++) {
		depth = 0;
		for (at = i; !x->known[at]; at = x->c.tail[into[at]])
			x->stack[depth++] = (uint32_t)at;
		while (depth) {
			x->known[x->stack[--depth]] = true;
			x->below[x->stack[depth]] = x->below[at];
		}
	}
}

/* Does an arc come from a node of the tree, which is or is not below another? */
static bool comes_from(const struct exchange *x, const uint32_t *into, uint32_t p,
		       bool below)
{
	size_t tail = x->c.tail[p];

	return !is_idle(x, p) && x->below[tail] == below &&
	       (tail == x->root || !is_idle(x, into[tail]));
}

/* The cheapest arcs into a node from below it, and how many. */
static size_t list_parents(const struct exchange *x, const uint32_t *into,
			   size_t node, uint32_t *parents)
{
	double costs[PARENTS], cost;
	size_t n = 0, i;
	uint32_t p;

	for (p = (uint32_t)x->c.first[node]; p < x->c.first[node + 1]; p++) {
		if (!comes_from(x, into, p, true))
			continue;
		cost = cost_of(x, p);
		if (n == PARENTS && cost >= costs[n - 1])
			continue;
		n += n < PARENTS;
		for (i = n - 1; i && costs[i - 1] > cost; i--) {
			costs[i] = costs[i - 1];
			parents[i] = parents[i - 1];
		}
		costs[i] = cost;
		parents[i] = p;
	}
	return n;
}

/* The cheapest arc into a node from those not below another. */
static uint32_t from_outside(struct exchange *x, const uint32_t *into, size_t node)
{
	double least = HUGE_VAL, cost;
	uint32_t p;

	if (x->known[node])
		return x->outside[node];
	x->known[node] = true;
	x->outside[node] = NO_PLACE;
	for (p = (uint32_t)x->c.first[node]; p < x->c.first[node + 1]; p++) {
		cost = comes_from(x, into, p, false) ? cost_of(x, p) : HUGE_VAL;
		if (cost < least) {
			least = cost;
			x->outside[node] = p;
		}
	}
	return x->outside[node];
}

/* A parent below the node, and one outside for who is between them. */
static void turn(struct exchange *x, uint32_t *into, size_t node)
{
	uint32_t parents[PARENTS], gone[2], come[2], best[2];
	double least = -LEAST_GAIN, cost = cost_of(x, into[node]), rise;
	size_t n, i, at;

	mark_below(x, into, node);
	memset(x->known, 0, x->s->n * sizeof(*x->known));
	n = list_parents(x, into, node, parents);
	for (i = 0; i < n; i++) {
		for (at = x->c.tail[parents[i]]; at != node;
		     at = x->c.tail[into[at]]) {
			gone[0] = into[node];
			gone[1] = into[at];
			come[0] = parents[i];
			come[1] = from_outside(x, into, at);
			if (come[1] == NO_PLACE ||
			    cost_of(x, come[0]) + cost_of(x, come[1]) >
			    DEAR / 2 * cost + cost_of(x, gone[1]))
				continue;
			rise = rise_with(x, gone, 2, come, 2);
			if (rise >= least)
				continue;
			least = rise;
			memcpy(best, come, sizeof(best));
		}
	}
	if (least >= -LEAST_GAIN)
		return;
	at = hbp_steady_pair(x->s, x->c.arcs[best[1]]).to;
	put_arc(x, into[node], -1);
	put_arc(x, into[at], -1);
	put_arc(x, best[0], 1);
	put_arc(x, best[1], 1);
	into[node] = best[0];
	into[at] = best[1];
}

static bool is_dear(const struct exchange *x, uint32_t arc, size_t node)
{
	double cost = cost_of(x, arc);
	uint32_t p;

	for (p = (uint32_t)x->c.first[node]; p < x->c.first[node + 1]; p++)
		if (cost_of(x, p) * DEAR < cost)
			return true;
	return false;
}

/* All nodes of all trees, for one kind of change. */
static void pass(struct exchange *x, bool turns)
{
	size_t n = x->s->n, t, i;
	uint32_t *into;

	for (t = 0; t < x->n_trees; t++) {
		into = into_of(x, t);
		x->weight = x->weights[t];
		for (i = 0; i < n; i++) {
			if (i == x->root)
				continue;
			if (!turns)
				move(x, into, i);
			else if (!is_idle(x, into[i]) && is_dear(x, into[i], i))
				turn(x, into, i);
		}
	}
}

static void search(struct exchange *x, size_t passes)
{
	double steeper = pow(LAST_STEEP / FIRST_STEEP, 1 / (double)(passes - 1));
	size_t i, row;

	x->steep = FIRST_STEEP;
	for (i = 0; i < passes; i++) {
		if (largest_load(x) <= 1 + SAME)
			return;
		for (row = 0; row < x->s->n_rows; row++)
			x->price[row] = price_at(x, x->load[row]);
		pass(x, false);
		pass(x, true);
		x->steep *= steeper;
	}
}

/**
 * hbp_exchange_weights() - what trees should weigh
 * @weights: receives the weights, Mbit/s
 * @n: how many
 * @sum: what they make together
 * @equal: are all equal; else each is lighter than the one before it by as much as
 *	the last one weighs, so that small ones fill what large ones leave
 */
void hbp_exchange_weights(double *weights, size_t n, double sum, bool equal)
{
	double all = equal ? (double)n : (double)n * ((double)n + 1) / 2;
	size_t i;

	for (i = 0; i < n; i++)
		weights[i] = sum * (equal ? 1 : (double)(n - i)) / all;
}

/**
 * hbp_exchange_run() - make trees fit better
 * @steady: what holds trees back
 * @root: number of the root
 * @trees: each an array of @steady->n - 1 arcs, in ascending order of heads;
 *	changed
 * @weights: of each tree, Mbit/s
 * @n_trees: number of trees, at least 1
 * @n_idle: so many of the last pairs join nobody: a tree that has one leaves the
 *	node out, and no other arc of it begins there
 * @passes: how often all is tried, from 2
 * @err: receives the reason of a failure
 *
 * Rows are to be busy for no more than all the time, and as little above that as
 * possible. Local search: what comes out depends on what goes in, and may be as bad.
 * The same trees give the same trees.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_exchange_run(const struct hbp_steady *steady, size_t root,
		     uint32_t **trees, const double *weights, size_t n_trees,
		     size_t n_idle, size_t passes, struct hbp_error *err)
{
	struct exchange x = {
		.s = steady, .root = root, .n_trees = n_trees,
		.weights = weights,
		.first_idle = steady->switched ? HBP_NONE : steady->n_arcs - n_idle
	};
	size_t t, i, k;
	int ret = 0;

	if (exchange_fill(&x, trees)) {
		ret = hbp_nomem(err);
		goto out;
	}
	search(&x, passes);
	for (t = 0; t < n_trees; t++)
		for (i = 0, k = 0; i < steady->n; i++)
			if (i != root)
				trees[t][k++] = (uint32_t)
					x.c.arcs[into_of(&x, t)[i]];
out:
	exchange_clear(&x);
	return ret;
}
