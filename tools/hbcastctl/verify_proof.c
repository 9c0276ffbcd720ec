// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: the certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify.h"

/* Of gaps, which are parts. */
#define GAP_SLACK	(1 / 1e6)

struct graph {
	size_t n;
	size_t root;
	size_t m;		/* arcs */
	uint32_t *from;
	uint32_t *to;
	double *cost;
	double *least;		/* of each node: what its cheapest arc costs */
	size_t *above;		/* of each node: where that comes from */
	size_t *walker;		/* of each node: who has come here first */
	size_t *name;		/* of each node: what it is contracted to */
};

/* Finds the cheapest arc into each node; returns the sum of their costs. */
static double choose_cheapest(struct graph *g)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < g->n; i++)
		g->least[i] = i == g->root ? 0 : HUGE_VAL;
	for (i = 0; i < g->m; i++) {
		if (g->cost[i] < g->least[g->to[i]]) {
			g->least[g->to[i]] = g->cost[i];
			g->above[g->to[i]] = g->from[i];
		}
	}
	for (i = 0; i < g->n; i++)
		sum += g->least[i];
	return sum;
}

/*
 * Gives all nodes of a cycle of cheapest arcs one name, the others each their
 * own. Returns the number of names, 0 if there is no cycle.
 */
static size_t contract(struct graph *g)
{
	bool cycle = false;
	size_t i, at, n = 0;

	for (i = 0; i < g->n; i++) {
		g->walker[i] = HBVERIFY_NONE;
		g->name[i] = HBVERIFY_NONE;
	}
	for (i = 0; i < g->n; i++) {
		at = i;
		while (at != g->root && g->walker[at] == HBVERIFY_NONE) {
			g->walker[at] = i;
			at = g->above[at];
		}
		if (at == g->root || g->walker[at] != i)
			continue;
		for (; g->name[at] == HBVERIFY_NONE; at = g->above[at])
			g->name[at] = n;
		n++;
		cycle = true;
	}
	for (i = 0; i < g->n; i++)
		if (g->name[i] == HBVERIFY_NONE)
			g->name[i] = n++;
	return cycle ? n : 0;
}

/* The cheapest tree from the root to all nodes (Chu-Liu, Edmonds). */
static double cheapest_tree(struct graph *g)
{
	size_t i, n, kept;
	double sum = 0;

	for (;;) {
		sum += choose_cheapest(g);
		n = isfinite(sum) ? contract(g) : 0;
		if (!n)
			return sum;
		/* What an arc costs beyond the one that it would replace. */
		for (i = 0, kept = 0; i < g->m; i++) {
			if (g->to[i] == g->root ||
			    g->name[g->from[i]] == g->name[g->to[i]])
				continue;
			g->cost[kept] = g->cost[i] - g->least[g->to[i]];
			g->from[kept] = (uint32_t)g->name[g->from[i]];
			g->to[kept++] = (uint32_t)g->name[g->to[i]];
		}
		g->m = kept;
		g->root = g->name[g->root];
		g->n = n;
	}
}

/* All pairs that can send, and what they cost. */
static void add_arcs(struct hbverify *v, struct graph *g, const size_t *place,
		     const double *prices)
{
	struct hbverify_arc *arc = hbverify_arc_alloc(v);
	size_t from, to, k;

	hbverify_find_ways(v);
	g->from = hbverify_alloc(v, v->ways->pairs, sizeof(*g->from));
	g->to = hbverify_alloc(v, v->ways->pairs, sizeof(*g->to));
	g->cost = hbverify_alloc(v, v->ways->pairs, sizeof(*g->cost));
	for (from = 0; from < v->net.n; from++) {
		for (to = 0; to < v->net.n; to++) {
			if (!hbverify_arc(v, from, to, arc))
				continue;
			g->from[g->m] = (uint32_t)place[from];
			g->to[g->m] = (uint32_t)place[to];
			for (k = 0; k < arc->n; k++)
				g->cost[g->m] += prices[arc->rows[k]] * arc->uses[k];
			g->m++;
		}
	}
}

/* The cheapest tree that spans all hosts, at the prices of rows. */
static double tree_cost(struct hbverify *v, const double *prices)
{
	size_t *place = hbverify_alloc(v, v->net.n, sizeof(*place)), i;
	struct graph g = { 0 };

	g.least = hbverify_alloc(v, v->net.n, sizeof(*g.least));
	g.above = hbverify_alloc(v, v->net.n, sizeof(*g.above));
	g.walker = hbverify_alloc(v, v->net.n, sizeof(*g.walker));
	g.name = hbverify_alloc(v, v->net.n, sizeof(*g.name));
	for (i = 0; i < v->net.n; i++)
		if (v->net.host[i] && !v->plan.source[i])
			place[i] = g.n++;
	/* A tree may begin at any source. */
	g.root = g.n++;
	for (i = 0; i < v->net.n; i++)
		if (v->plan.source[i])
			place[i] = g.root;
	add_arcs(v, &g, place, prices);
	return cheapest_tree(&g);
}

static size_t find_end(const struct hbverify *v, const json_t *id)
{
	json_int_t number = json_integer_value(id);

	return json_is_integer(id) && number >= 0 && number <= UINT32_MAX ?
	       hbverify_node(&v->net, (uint32_t)number) : HBVERIFY_NONE;
}

static size_t find_link(const struct hbverify *v, const json_t *ends)
{
	size_t from = find_end(v, json_array_get(ends, 0));
	size_t to = find_end(v, json_array_get(ends, 1));

	return from == HBVERIFY_NONE || to == HBVERIFY_NONE ? HBVERIFY_NONE :
	       hbverify_link(&v->net, from, to);
}

/* What a price is for; HBVERIFY_NONE if it is nothing that can be busy. */
static size_t find_row(const struct hbverify *v, const char *model,
		       const json_t *price)
{
	const json_t *sender = json_object_get(price, "sender");
	const json_t *receiver = json_object_get(price, "receiver");
	size_t at = find_end(v, sender ? sender : receiver);

	if (!sender && !receiver)
		return find_link(v, json_object_get(price, "link"));
	/* Several ports do not hold a receiver back, links alone no sender. */
	if (at == HBVERIFY_NONE || !v->net.host[at] || !strcmp(model, "fluid") ||
	    (receiver && strcmp(model, "one-port")))
		return HBVERIFY_NONE;
	return hbverify_row(v, receiver, at);
}

static int read_prices(struct hbverify *v, const char *model,
		       const json_t *list, double *prices, double *sum)
{
	const json_t *price;
	double mbps;
	size_t i, row;

	for (i = 0; i < json_array_size(list); i++) {
		price = json_array_get(list, i);
		mbps = json_number_value(json_object_get(price, "price_mbps"));
		row = find_row(v, model, price);
		if (row == HBVERIFY_NONE)
			return hbverify_fail(v,
					     "%s: certificate.prices[%zu] is for nothing that %s has by the %s model",
					     v->plan.file, i, v->net.file, model);
		if (!(mbps > 0))
			return hbverify_fail(v,
					     "%s: certificate.prices[%zu].price_mbps must be positive",
					     v->plan.file, i);
		if (prices[row] > 0)
			return hbverify_fail(v,
					     "%s: certificate.prices[%zu] prices something a second time",
					     v->plan.file, i);
		prices[row] = mbps;
		*sum += mbps;
	}
	return 0;
}

/* What trees that span all have together, at most, by the plan itself. */
static double spanning_rate(const struct hbverify *v)
{
	size_t edges[64] = { 0 }, i;
	double sum = 0;

	for (i = 0; i < v->plan.n; i++)
		edges[v->plan.edges[i].tree]++;
	for (i = 0; i < v->plan.n_trees; i++)
		if (edges[i] == v->net.hosts - v->plan.n_sources)
			sum += v->plan.rate[i];
	return sum;
}

/* Prices at which each tree pays 1 prove that no trees have more than their sum. */
static int check_prices(struct hbverify *v, const char *model,
			const json_t *list)
{
	size_t rows = v->net.n_links + 2 * v->net.n;
	double *prices = hbverify_alloc(v, rows, sizeof(*prices));
	const json_t *bound = json_object_get(v->json, "bound_mbps");
	double told = json_number_value(bound), sum = 0, cost;

	if (bound && !json_array_size(list))
		return hbverify_fail(v,
				     "%s: bound_mbps is given, but certificate.prices, which proves it, is not",
				     v->plan.file);
	if (!bound && !json_array_size(list))
		return 0;
	if (!bound)
		return hbverify_fail(v,
				     "%s: certificate.prices are given, but bound_mbps, which they prove, is not",
				     v->plan.file);
	if (read_prices(v, model, list, prices, &sum))
		return -1;
	if (!hbverify_near(told, sum, 0.00001))
		return hbverify_fail(v,
				     "%s: bound_mbps is %.6f, but the sum of certificate.prices is %.6f",
				     v->plan.file, told, sum);
	cost = tree_cost(v, prices);
	if (cost < 1 - HBVERIFY_SLACK)
		return hbverify_fail(v,
				     "%s: certificate.prices prove no more than %.6f: there is a tree that pays %.9f, not 1",
				     v->plan.file, sum / cost, cost);
	if (spanning_rate(v) > told * (1 + HBVERIFY_SLACK))
		return hbverify_fail(v,
				     "%s: the trees that span all nodes have %.6f Mbit/s, more than bound_mbps",
				     v->plan.file, spanning_rate(v));
	v->proven = true;
	return 0;
}

/* Where the sources' data comes to without some links. */
static void spread(struct hbverify *v, const bool *cut, bool *reached)
{
	struct hbverify_net *net = &v->net;
	size_t head = 0, tail = 0, i;

	for (i = 0; i < net->n; i++) {
		reached[i] = v->plan.source[i];
		if (reached[i])
			net->queue[tail++] = i;
	}
	for (; head < tail; head++) {
		for (i = net->first[net->queue[head]];
		     i < net->first[net->queue[head] + 1]; i++) {
			if (cut[i] || reached[net->links[i].to])
				continue;
			reached[net->links[i].to] = true;
			net->queue[tail++] = net->links[i].to;
		}
	}
}

/* What a node receives, as the plan says; 0 if it does not. */
static double told_rate(const struct hbverify *v, uint32_t id)
{
	const json_t *predicted = json_object_get(v->json, "predicted");
	json_t *nodes = json_object_get(predicted, "nodes"), *node;
	size_t i;

	json_array_foreach(nodes, i, node)
		if (json_integer_value(json_object_get(node, "id")) == id)
			return json_number_value(json_object_get(node, "rate_mbps"));
	return 0;
}

static int check_cut(struct hbverify *v, const json_t *object, size_t c,
		     bool *taken)
{
	const json_t *capacity = json_object_get(object, "capacity_mbps");
	const json_t *links = json_object_get(object, "links");
	const json_t *nodes = json_object_get(object, "nodes");
	bool *cut = hbverify_alloc(v, v->net.n_links, sizeof(*cut));
	bool *reached = hbverify_alloc(v, v->net.n, sizeof(*reached));
	double sum = 0, told;
	size_t i, at;

	for (i = 0; i < json_array_size(links); i++) {
		at = find_link(v, json_array_get(links, i));
		if (at == HBVERIFY_NONE || cut[at])
			return hbverify_fail(v,
					     "%s: certificate.cuts[%zu].links[%zu] is no link of %s, or comes twice",
					     v->plan.file, c, i, v->net.file);
		cut[at] = true;
		sum += v->net.links[at].mbps;
	}
	spread(v, cut, reached);
	if (!json_array_size(nodes))
		return hbverify_fail(v, "%s: certificate.cuts[%zu].nodes is empty",
				     v->plan.file, c);
	for (i = 0; i < json_array_size(nodes); i++) {
		at = find_end(v, json_array_get(nodes, i));
		if (at == HBVERIFY_NONE || taken[at])
			return hbverify_fail(v,
					     "%s: certificate.cuts[%zu].nodes[%zu] is no node of %s, or is in two cuts",
					     v->plan.file, c, i, v->net.file);
		taken[at] = true;
		if (reached[at])
			return hbverify_fail(v,
					     "%s: certificate.cuts[%zu]: without these links node %u is still reached",
					     v->plan.file, c, v->net.id[at]);
		if (told_rate(v, v->net.id[at]) > sum * (1 + HBVERIFY_SLACK))
			return hbverify_fail(v,
					     "%s: certificate.cuts[%zu]: node %u is predicted more than the %.6f Mbit/s of these links",
					     v->plan.file, c, v->net.id[at], sum);
	}
	told = json_number_value(capacity);
	if (capacity && !hbverify_near(told, sum, 0.00001))
		return hbverify_fail(v,
				     "%s: certificate.cuts[%zu].capacity_mbps is %.6f, but its links have %.6f",
				     v->plan.file, c, told, sum);
	return 0;
}

/* Which part of their cuts nodes do not receive on average, as the plan says. */
static double cuts_gap(const struct hbverify *v, const json_t *cuts)
{
	const json_t *cut, *nodes, *id;
	size_t i, k, n = 0;
	double sum = 0;

	json_array_foreach(cuts, i, cut) {
		nodes = json_object_get(cut, "nodes");
		json_array_foreach(nodes, k, id)
			sum += told_rate(v, (uint32_t)json_integer_value(id)) /
			       json_number_value(json_object_get(cut, "capacity_mbps"));
		n += json_array_size(nodes);
	}
	return 1 - sum / (double)n;
}

/* Which part of the bound the slowest node does not receive. */
static double bound_gap(const struct hbverify *v)
{
	const json_t *predicted = json_object_get(v->json, "predicted");
	const json_t *nodes = json_object_get(predicted, "nodes"), *node;
	double least = HUGE_VAL, mbps;
	size_t i;

	json_array_foreach(nodes, i, node) {
		mbps = json_number_value(json_object_get(node, "rate_mbps"));
		least = mbps < least ? mbps : least;
	}
	return 1 - least / json_number_value(json_object_get(v->json, "bound_mbps"));
}

/* What follows from the certificate. */
static int check_gaps(struct hbverify *v, const json_t *cuts)
{
	const json_t *told = json_object_get(v->json, "rate_gap");
	const json_t *more = json_object_get(v->json, "uncapped_mbps");
	double gap, mbps = json_number_value(more);

	if (told && json_object_get(v->json, "predicted")) {
		gap = json_array_size(cuts) ? cuts_gap(v, cuts) : bound_gap(v);
		if (fabs(json_number_value(told) - fmax(gap, 0)) > GAP_SLACK)
			return hbverify_fail(v,
					     "%s: rate_gap is %.6f, but by the rates it is %.6f",
					     v->plan.file, json_number_value(told),
					     fmax(gap, 0));
	}
	if (more && (mbps < spanning_rate(v) || !v->proven ||
		     mbps > json_number_value(json_object_get(v->json, "bound_mbps")) *
			    (1 + HBVERIFY_SLACK)))
		return hbverify_fail(v,
				     "%s: uncapped_mbps is %.6f, which is not between the trees' rates and bound_mbps",
				     v->plan.file, mbps);
	return 0;
}

/**
 * hbverify_certificate() - check what proves the bound
 * @v: net and plan are there
 *
 * The prices' sum is bound_mbps, and the cheapest tree that spans all hosts pays
 * 1. Without a cut's links the root does not reach the cut's nodes. Gaps are what
 * follows from these.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_certificate(struct hbverify *v)
{
	const json_t *certificate = json_object_get(v->json, "certificate");
	const json_t *cuts = json_object_get(certificate, "cuts");
	const json_t *name = json_object_get(certificate, "model");
	bool *taken = hbverify_alloc(v, v->net.n, sizeof(*taken));
	const char *model = json_string_value(name);
	size_t i;

	if (!certificate) {
		if (!json_object_get(v->json, "bound_mbps"))
			return 0;
		return hbverify_fail(v,
				     "%s: bound_mbps is given, but certificate, which proves it, is not",
				     v->plan.file);
	}
	if (!model || (strcmp(model, "fluid") && strcmp(model, "one-port") &&
		       strcmp(model, "multi-port")))
		return hbverify_fail(v,
				     "%s: certificate.model must be fluid, one-port or multi-port",
				     v->plan.file);
	if (strcmp(model, v->plan.model))
		return hbverify_fail(v, "%s: certificate.model is %s, but the plan is judged by %s",
				     v->plan.file, model, v->plan.model);
	if (check_prices(v, model, json_object_get(certificate, "prices")))
		return -1;
	for (i = 0; i < json_array_size(cuts); i++)
		if (check_cut(v, json_array_get(cuts, i), i, taken))
			return -1;
	return check_gaps(v, cuts);
}
