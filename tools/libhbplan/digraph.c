// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small directed graphs that change, and largest flows in them, along shortest
 * paths (Edmonds and Karp). Capacities stand in a matrix, so that arcs are found
 * at once; lists of neighbours keep searches short.
 */
#include <errno.h>
#include <stdlib.h>

#include "digraph.h"

#define NOBODY	UINT32_MAX

/**
 * hbp_digraph_init() - a graph without arcs
 * @g: the graph, to be released with hbp_digraph_clear(), also after a failure
 * @n: number of nodes
 * @root: where all flows begin
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_digraph_init(struct hbp_digraph *g, size_t n, size_t root)
{
	g->n = n;
	g->root = root;
	g->cap = calloc(n * n, sizeof(*g->cap));
	g->near = calloc(n * n, sizeof(*g->near));
	g->n_near = calloc(n, sizeof(*g->n_near));
	g->joined = calloc(n * n, sizeof(*g->joined));
	g->left = calloc(n * n, sizeof(*g->left));
	g->from = calloc(n, sizeof(*g->from));
	g->queue = calloc(n, sizeof(*g->queue));
	return g->cap && g->near && g->n_near && g->joined && g->left &&
	       g->from && g->queue ? 0 : -ENOMEM;
}

/**
 * hbp_digraph_clear() - release what a graph holds
 * @g: the graph
 */
void hbp_digraph_clear(struct hbp_digraph *g)
{
	free(g->cap);
	free(g->near);
	free(g->n_near);
	free(g->joined);
	free(g->left);
	free(g->from);
	free(g->queue);
	*g = (struct hbp_digraph){ 0 };
}

static void join(struct hbp_digraph *g, size_t u, size_t v)
{
	if (g->joined[u * g->n + v])
		return;
	g->joined[u * g->n + v] = true;
	g->near[u * g->n + g->n_near[u]++] = (uint32_t)v;
}

/**
 * hbp_digraph_add() - make an arc wider, or narrower
 * @g: the graph
 * @from: its tail
 * @to: its head, another node
 * @amount: what its capacity gets more; it must not fall below 0
 */
void hbp_digraph_add(struct hbp_digraph *g, size_t from, size_t to,
		     int64_t amount)
{
	g->cap[from * g->n + to] += amount;
	join(g, from, to);
	join(g, to, from);
}

/**
 * hbp_digraph_isolate() - take all arcs of a node away
 * @g: the graph
 * @node: the node
 */
void hbp_digraph_isolate(struct hbp_digraph *g, size_t node)
{
	size_t i, k, u;

	for (i = 0; i < g->n_near[node]; i++) {
		u = g->near[node * g->n + i];
		g->cap[u * g->n + node] = 0;
		g->cap[node * g->n + u] = 0;
		g->joined[u * g->n + node] = false;
		g->joined[node * g->n + u] = false;
		for (k = 0; g->near[u * g->n + k] != node;)
			k++;
		g->n_near[u]--;
		/* The order of the others stays. */
		for (; k < g->n_near[u]; k++)
			g->near[u * g->n + k] = g->near[u * g->n + k + 1];
	}
	g->n_near[node] = 0;
}

/* A shortest path along which something is left. */
static bool find_path(struct hbp_digraph *g, size_t sink)
{
	size_t head = 0, tail = 0, i, u, v;

	for (i = 0; i < g->n; i++)
		g->from[i] = NOBODY;
	g->from[g->root] = (uint32_t)g->root;
	g->queue[tail++] = (uint32_t)g->root;
	while (head < tail) {
		u = g->queue[head++];
		for (i = 0; i < g->n_near[u]; i++) {
			v = g->near[u * g->n + i];
			if (g->from[v] != NOBODY || !g->left[u * g->n + v])
				continue;
			g->from[v] = (uint32_t)u;
			if (v == sink)
				return true;
			g->queue[tail++] = (uint32_t)v;
		}
	}
	return false;
}

/**
 * hbp_digraph_flow() - largest flow from the root to a node
 * @g: the graph
 * @sink: the node, another than the root
 * @enough: the search may end as soon as the flow is so large
 *
 * Return: the flow, at most @enough.
 */
int64_t hbp_digraph_flow(struct hbp_digraph *g, size_t sink, int64_t enough)
{
	int64_t sum = 0, most;
	size_t u, v, i;

	for (u = 0; u < g->n; u++) {
		for (i = 0; i < g->n_near[u]; i++) {
			v = u * g->n + g->near[u * g->n + i];
			g->left[v] = g->cap[v];
		}
	}
	while (sum < enough && find_path(g, sink)) {
		most = enough - sum;
		for (v = sink; v != g->root; v = g->from[v])
			if (g->left[g->from[v] * g->n + v] < most)
				most = g->left[g->from[v] * g->n + v];
		for (v = sink; v != g->root; v = g->from[v]) {
			g->left[g->from[v] * g->n + v] -= most;
			g->left[v * g->n + g->from[v]] += most;
		}
		sum += most;
	}
	return sum;
}
