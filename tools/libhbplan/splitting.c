// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes are taken out of a graph such that the largest flows to the others stay
 * (Mader's edge splitting). An arc into the node and one out of it are replaced
 * by one that passes it by, as wide as flows allow; what cannot be paired is
 * dropped. If no node but the root has more going out than coming in, nothing is
 * lost (Frank; Jackson; Bang-Jensen, Frank and Jackson). A pair that is in the
 * way of a flow stays so, because cuts only become narrower: each pair is tried
 * once.
 */
#include <errno.h>
#include <stdlib.h>

#include "node.h"
#include "splitting.h"

/**
 * hbp_splitting_init() - prepare to take nodes out of a graph
 * @s: receives room for demands, all 0; to be released with
 *	hbp_splitting_clear(), also after a failure
 * @g: the graph; must outlive @s
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_splitting_init(struct hbp_splitting *s, struct hbp_digraph *g)
{
	*s = (struct hbp_splitting){ .g = g, .suspect = g->root };
	s->demand = calloc(g->n, sizeof(*s->demand));
	s->gone = calloc(g->n, sizeof(*s->gone));
	s->order = calloc(g->n, sizeof(*s->order));
	s->sure = calloc(g->n, sizeof(*s->sure));
	return s->demand && s->gone && s->order && s->sure ? 0 : -ENOMEM;
}

/**
 * hbp_splitting_clear() - release what hbp_splitting_init() made
 * @s: it
 */
void hbp_splitting_clear(struct hbp_splitting *s)
{
	free(s->demand);
	free(s->gone);
	free(s->order);
	free(s->sure);
}

/**
 * hbp_split_clear() - release what a split holds
 * @split: it
 */
void hbp_split_clear(struct hbp_split *split)
{
	free(split->in);
	free(split->via);
}

static int compare_demands(const void *a, const void *b, void *demands)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const int64_t *d = demands;

	if (d[x] != d[y])
		return d[x] > d[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/**
 * hbp_splitting_sort() - put the nodes that are left in order
 * @s: the splitting; demands may have changed
 */
void hbp_splitting_sort(struct hbp_splitting *s)
{
	size_t i;

	s->n_order = 0;
	for (i = 0; i < s->g->n; i++)
		if (!s->gone[i] && s->demand[i] && i != s->g->root)
			s->order[s->n_order++] = i;
	qsort_r(s->order, s->n_order, sizeof(*s->order), compare_demands,
		s->demand);
}

/* Does a neighbour that has as much hand on enough? */
static bool is_fed(const struct hbp_splitting *s, size_t node)
{
	const struct hbp_digraph *g = s->g;
	size_t i, u;

	for (i = 0; i < g->n_near[node]; i++) {
		u = g->near[node * g->n + i];
		if (s->sure[u] && g->cap[u * g->n + node] >= s->demand[node])
			return true;
	}
	return false;
}

static void replace(struct hbp_digraph *g, size_t u, size_t v, size_t w,
		    int64_t amount)
{
	hbp_digraph_add(g, u, v, -amount);
	hbp_digraph_add(g, v, w, -amount);
	hbp_digraph_add(g, u, w, amount);
}

/* Gives back what a node lacks; returns what of @amount is still replaced. */
static int64_t give_back(struct hbp_splitting *s, size_t node, size_t u,
			 size_t v, size_t w, int64_t amount)
{
	int64_t lack;

	if (node == v || node == s->g->root || s->gone[node])
		return amount;
	lack = s->demand[node] - hbp_digraph_flow(s->g, node, s->demand[node]);
	if (lack > 0)
		s->suspect = node;
	lack = lack < amount ? lack : amount;
	replace(s->g, u, v, w, -lack);
	return amount - lack;
}

/* Lets as much as may be of u-v-w pass v by; returns how much that is. */
static int64_t pass_by(struct hbp_splitting *s, size_t u, size_t v, size_t w)
{
	struct hbp_digraph *g = s->g;
	int64_t amount = g->cap[u * g->n + v];
	size_t i, x;

	if (g->cap[v * g->n + w] < amount)
		amount = g->cap[v * g->n + w];
	if (!amount)
		return 0;
	replace(g, u, v, w, amount);
	amount = give_back(s, s->suspect, u, v, w, amount);
	if (amount)
		amount = give_back(s, w, u, v, w, amount);
	for (i = 0; i < g->n; i++)
		s->sure[i] = i == g->root;
	for (i = 0; amount && i < s->n_order; i++) {
		x = s->order[i];
		if (x == v)
			continue;
		if (!is_fed(s, x))
			amount = give_back(s, x, u, v, w, amount);
		s->sure[x] = true;
	}
	return amount;
}

static int keep(struct hbp_split *split, size_t u, size_t w, int64_t amount,
		int64_t beside)
{
	struct hbp_piece *via;
	size_t room;

	if (split->n_via == split->room) {
		room = 2 * split->room + 8;
		via = realloc(split->via, room * sizeof(*via));
		if (!via)
			return -ENOMEM;
		split->via = via;
		split->room = room;
	}
	split->via[split->n_via++] = (struct hbp_piece){
		.from = (uint32_t)u, .to = (uint32_t)w, .amount = amount,
		.beside = beside
	};
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct hbp_piece *x = a, *y = b;

	if (x->amount != y->amount)
		return x->amount > y->amount ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* The arcs into a node, the widest first. */
static int list_in(const struct hbp_digraph *g, size_t node,
		   struct hbp_split *split)
{
	size_t i, u;

	split->in = calloc(g->n_near[node] + 1, sizeof(*split->in));
	if (!split->in)
		return -ENOMEM;
	for (i = 0; i < g->n_near[node]; i++) {
		u = g->near[node * g->n + i];
		if (g->cap[u * g->n + node])
			split->in[split->n_in++] = (struct hbp_piece){
				.from = (uint32_t)u, .to = (uint32_t)node,
				.amount = g->cap[u * g->n + node]
			};
	}
	qsort(split->in, split->n_in, sizeof(*split->in), compare_pieces);
	return 0;
}

/* What the others need is what they can still have. */
static void lower_demands(struct hbp_splitting *s)
{
	size_t i, x;

	for (i = 0; i < s->n_order; i++) {
		x = s->order[i];
		if (!s->gone[x])
			s->demand[x] = hbp_digraph_flow(s->g, x, s->demand[x]);
	}
	hbp_splitting_sort(s);
}

/**
 * hbp_splitting_take() - take a node out
 * @s: the splitting, sorted
 * @node: a node that is left, not the root
 * @split: receives what has been done, to be released with hbp_split_clear(),
 *	also after a failure
 *
 * Arcs into the root are never needed and count for nothing.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_splitting_take(struct hbp_splitting *s, size_t node,
		       struct hbp_split *split)
{
	struct hbp_digraph *g = s->g;
	size_t i, k, u, w, n;
	int64_t amount;
	uint32_t *out;
	int ret;

	*split = (struct hbp_split){ .node = node, .demand = s->demand[node] };
	ret = list_in(g, node, split);
	n = g->n_near[node];
	out = calloc(n + 1, sizeof(*out));
	if (!out)
		ret = -ENOMEM;
	for (i = 0; !ret && i < n; i++)
		out[i] = g->near[node * g->n + i];
	for (i = 0; !ret && i < split->n_in; i++) {
		u = split->in[i].from;
		for (k = 0; !ret && k < n; k++) {
			w = out[k];
			if (w == u || w == g->root)
				continue;
			amount = pass_by(s, u, node, w);
			if (amount)
				ret = keep(split, u, w, amount,
					   g->cap[u * g->n + w] - amount);
		}
	}
	free(out);
	s->gone[node] = true;
	hbp_digraph_isolate(g, node);
	lower_demands(s);
	return ret;
}
