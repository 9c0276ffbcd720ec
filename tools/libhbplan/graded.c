// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Few trees, each of which leaves out some nodes of smaller flows. All together
 * weigh as much as the largest flow; a node with a smaller one must be left out by
 * as much of them as it lacks. To be left out is an arc of its own, as wide as
 * that, so that one search packs both kinds: see hbp_exchange_run(). Each tree is
 * lighter than the one before it, and small ones fill what large ones leave.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "exchange.h"
#include "graded.h"
#include "node.h"

/* Nodes may be left out by so much of the largest flow more. */
#define SLACK		0.001
/* How steeply costs grow with loads while trees are found first. */
#define STEEP		8.0
/* How often they change all their arcs then. */
#define PASSES		20

struct graded {
	struct hbp_steady *s;
	size_t root;
	size_t n_real;		/* arcs, without those by which nodes are left out */
	size_t n_trees;
	uint32_t **trees;
	double *weights;
	double sum;		/* of them, Mbit/s */
	struct hbp_arborescence *arborescence;
	double *load;
	double *cost;
	size_t *into;
};

static void graded_clear(struct graded *g)
{
	size_t t;

	for (t = 0; g->trees && t < g->n_trees; t++)
		free(g->trees[t]);
	free(g->trees);
	free(g->weights);
	hbp_arborescence_free(g->arborescence);
	free(g->load);
	free(g->cost);
	free(g->into);
	hbp_steady_free(g->s);
}

/* Adds the arcs by which nodes are left out. */
static int add_idle(struct graded *g, const double *flows)
{
	double *mbps = calloc(g->s->n, sizeof(*mbps));
	size_t i;
	int ret;

	if (!mbps)
		return -ENOMEM;
	for (i = 0; i < g->s->n; i++)
		mbps[i] = g->sum - flows[i] + g->sum * SLACK;
	g->n_real = g->s->n_arcs;
	ret = hbp_steady_idle(g->s, g->root, mbps);
	free(mbps);
	return ret;
}

static int graded_fill(struct graded *g, const double *flows)
{
	struct hbp_steady *s = g->s;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (i != g->root && flows[i] > g->sum)
			g->sum = flows[i];
	if (add_idle(g, flows))
		return -ENOMEM;
	g->trees = calloc(g->n_trees, sizeof(*g->trees));
	g->weights = calloc(g->n_trees, sizeof(*g->weights));
	g->load = calloc(s->n_rows, sizeof(*g->load));
	g->cost = calloc(s->n_arcs, sizeof(*g->cost));
	g->into = calloc(s->n, sizeof(*g->into));
	g->arborescence = hbp_arborescence_alloc(s->n, g->root, s->arcs,
						 g->n_real);
	if (!g->trees || !g->weights || !g->load || !g->cost || !g->into ||
	    !g->arborescence)
		return -ENOMEM;
	for (i = 0; i < g->n_trees; i++) {
		g->trees[i] = calloc(s->n, sizeof(**g->trees));
		if (!g->trees[i])
			return -ENOMEM;
	}
	hbp_exchange_weights(g->weights, g->n_trees, g->sum, false);
	return 0;
}

/* The cheapest tree where links that are ahead of the weight so far are dear. */
static int find_tree(struct graded *g, size_t t, double part)
{
	const struct hbp_steady *s = g->s;
	size_t i, u, k = 0;
	double cost;
	int ret;

	for (i = 0; i < g->n_real; i++) {
		g->cost[i] = 0;
		for (u = s->first[i]; u < s->first[i + 1]; u++)
			g->cost[i] += s->uses[u] *
				      exp(STEEP * (g->load[s->rows[u]] - part));
	}
	ret = hbp_arborescence_find(g->arborescence, g->cost, g->into, &cost);
	for (i = 0; !ret && i < s->n; i++) {
		if (i == g->root)
			continue;
		g->trees[t][k++] = (uint32_t)g->into[i];
		for (u = s->first[g->into[i]]; u < s->first[g->into[i] + 1]; u++)
			g->load[s->rows[u]] += g->weights[t] * s->uses[u];
	}
	return ret;
}

static int find_trees(struct graded *g)
{
	double done = 0;
	size_t t;
	int ret = 0;

	for (t = 0; !ret && t < g->n_trees; t++) {
		done += g->weights[t];
		ret = find_tree(g, t, done / g->sum);
	}
	return ret;
}

/* Appends the trees, of which those arcs are parts that join nodes. */
static int append(const struct graded *g, const size_t *place,
		  struct hbp_insertion *ins)
{
	uint32_t *parent = calloc(ins->n_nodes, sizeof(*parent));
	const struct hbp_arc *arc;
	int ret = parent ? 0 : -ENOMEM;
	size_t t, i;

	for (t = 0; !ret && t < g->n_trees; t++) {
		for (i = 0; i < ins->n_nodes; i++)
			parent[i] = HBP_NOBODY;
		parent[ins->root] = (uint32_t)ins->root;
		for (i = 0; i < g->s->n - 1; i++) {
			arc = &g->s->arcs[g->trees[t][i]];
			if (g->trees[t][i] < g->n_real)
				parent[place[arc->to]] =
					(uint32_t)place[arc->from];
		}
		ret = hbp_insertion_append(ins, parent, 0);
	}
	free(parent);
	return ret;
}

/**
 * hbp_graded_make() - find few trees for nodes of different flows
 * @in: a platform
 * @root: number of the root among its hosts
 * @flows: of each host, the most that it could receive, Mbit/s; that of the root
 *	does not matter
 * @place: of each host, its number in @ins
 * @n_trees: number of trees, at least 1
 * @ins: the trees are appended, without weight
 * @err: receives the reason of a failure
 *
 * Return: 0; -ENOENT if some host is reached by no route; -ENOMEM.
 */
int hbp_graded_make(struct hbp_input *in, size_t root, const double *flows,
		    const size_t *place, size_t n_trees,
		    struct hbp_insertion *ins, struct hbp_error *err)
{
	struct graded g = { .root = root, .n_trees = n_trees };
	int ret;

	ret = hbp_steady_alloc(in, HBP_ANY_PORTS, &g.s, err);
	if (ret)
		return ret;
	ret = graded_fill(&g, flows);
	if (!ret)
		ret = find_trees(&g);
	if (!ret)
		ret = hbp_exchange_run(g.s, root, g.trees, g.weights, n_trees,
				       g.s->n_arcs - g.n_real, PASSES, err);
	if (!ret)
		ret = append(&g, place, ins);
	graded_clear(&g);
	return ret == -ENOMEM ? hbp_nomem(err) : ret;
}
