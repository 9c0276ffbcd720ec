// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: the plan, and whether its trees are trees. */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

#define TREES_MAX	64

/* Reads an id of a host. */
static int read_host(struct hbverify *v, const json_t *value, const char *where,
		     size_t *at)
{
	json_int_t id = json_integer_value(value);

	if (!json_is_integer(value) || id < 0 || id > UINT32_MAX)
		return hbverify_fail(v, "%s: %s is no id of a node",
				     v->plan.file, where);
	*at = hbverify_node(&v->net, (uint32_t)id);
	if (*at == HBVERIFY_NONE || !v->net.host[*at])
		return hbverify_fail(v, "%s: %s: %s has no host %lld",
				     v->plan.file, where, v->net.file,
				     (long long)id);
	return 0;
}

static int read_edges(struct hbverify *v, const json_t *edges, size_t t)
{
	struct hbverify_edge *edge;
	const json_t *pair;
	char where[64];
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < json_array_size(edges); i++) {
		snprintf(where, sizeof(where), "trees[%zu].edges[%zu]", t, i);
		pair = json_array_get(edges, i);
		edge = &v->plan.edges[v->plan.n++];
		edge->tree = t;
		edge->order = i;
		edge->above = HBVERIFY_NONE;
		ret = read_host(v, json_array_get(pair, 0), where, &edge->from);
		if (!ret)
			ret = read_host(v, json_array_get(pair, 1), where,
					&edge->to);
	}
	return ret;
}

/* Who sends to whom: everybody once at most, nobody to the root. */
static int find_parents(struct hbverify *v, size_t first, size_t slot,
			size_t *into)
{
	const uint32_t *id = v->net.id;
	struct hbverify_edge *edge;
	size_t i;

	for (i = 0; i < v->net.n; i++)
		into[i] = HBVERIFY_NONE;
	for (i = first; i < v->plan.n; i++) {
		edge = &v->plan.edges[i];
		if (v->plan.source[edge->to])
			return hbverify_fail(v,
					     "%s: the tree of slot %zu: node %u sends to %s, %u",
					     v->plan.file, slot, id[edge->from],
					     edge->to == v->plan.root ?
					     "the root" : "a replica",
					     id[edge->to]);
		if (into[edge->to] != HBVERIFY_NONE)
			return hbverify_fail(v,
					     "%s: the tree of slot %zu: node %u has two parents, %u and %u",
					     v->plan.file, slot, id[edge->to],
					     id[v->plan.edges[into[edge->to]].from],
					     id[edge->from]);
		into[edge->to] = i;
	}
	return 0;
}

/* Walks up from every child; whoever does not meet the top is in no tree. */
static int find_depths(struct hbverify *v, size_t first, size_t slot,
		       size_t root, const size_t *into)
{
	struct hbverify_plan *plan = &v->plan;
	size_t i, at, steps, most = plan->n - first;

	for (i = first; i < plan->n; i++) {
		at = plan->edges[i].from;
		for (steps = 1; at != root; steps++) {
			if (into[at] == HBVERIFY_NONE)
				return hbverify_fail(v,
						     "%s: the tree of slot %zu: node %u sends, but nobody sends to it",
						     plan->file, slot,
						     v->net.id[at]);
			if (steps > most)
				return hbverify_fail(v,
						     "%s: the tree of slot %zu: the edges form a cycle through node %u",
						     plan->file, slot,
						     v->net.id[at]);
			at = plan->edges[into[at]].from;
		}
		plan->edges[i].depth = steps;
	}
	return 0;
}

static int by_depth(const void *a, const void *b)
{
	const struct hbverify_edge *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Puts parents before their children. */
static void order_edges(struct hbverify *v, size_t first, size_t *into)
{
	struct hbverify_plan *plan = &v->plan;
	struct hbverify_edge *edge;
	size_t i;

	qsort(plan->edges + first, plan->n - first, sizeof(*plan->edges),
	      by_depth);
	for (i = first; i < plan->n; i++)
		into[plan->edges[i].to] = i;
	for (i = first; i < plan->n; i++) {
		edge = &plan->edges[i];
		edge->above = edge->depth > 1 ? into[edge->from] :
			      HBVERIFY_NONE;
	}
}

static int check_span(struct hbverify *v, const size_t *into)
{
	size_t i;

	for (i = 0; i < v->net.n; i++)
		if (v->net.host[i] && !v->plan.source[i] &&
		    into[i] == HBVERIFY_NONE)
			return hbverify_fail(v,
					     "%s: the tree of slot 0 does not reach node %u of %s",
					     v->plan.file, v->net.id[i],
					     v->net.file);
	return 0;
}

/* Where a tree begins: at the root, or in another slot than 0 at a replica. */
static int find_top(struct hbverify *v, const json_t *top, size_t t,
		    json_int_t slot, size_t *root)
{
	char where[64];

	*root = v->plan.root;
	snprintf(where, sizeof(where), "trees[%zu].root", t);
	if (top && read_host(v, top, where, root))
		return -1;
	if (v->plan.source[*root] && (slot || *root == v->plan.root))
		return 0;
	return hbverify_fail(v,
			     "%s: %s: node %u is no replica that this tree may begin at",
			     v->plan.file, where, v->net.id[*root]);
}

static int read_tree(struct hbverify *v, const json_t *tree, size_t t,
		     bool *slots)
{
	size_t *into = hbverify_alloc(v, v->net.n, sizeof(*into));
	const json_t *slot = json_object_get(tree, "slot");
	const json_t *rate = json_object_get(tree, "rate_mbps");
	json_int_t number = json_integer_value(slot);
	size_t first = v->plan.n, root;
	int ret;

	if (!json_is_integer(slot) || number < 0 || number >= TREES_MAX)
		return hbverify_fail(v, "%s: trees[%zu].slot must be 0 to 63",
				     v->plan.file, t);
	if (slots[number])
		return hbverify_fail(v, "%s: slot %lld is given to two trees",
				     v->plan.file, (long long)number);
	slots[number] = true;
	v->plan.rate[t] = json_number_value(rate);
	if (rate && !(v->plan.rate[t] > 0))
		return hbverify_fail(v, "%s: trees[%zu].rate_mbps is no rate",
				     v->plan.file, t);
	ret = find_top(v, json_object_get(tree, "root"), t, number, &root);
	if (!ret)
		ret = read_edges(v, json_object_get(tree, "edges"), t);
	if (!ret)
		ret = find_parents(v, first, (size_t)number, into);
	if (!ret)
		ret = find_depths(v, first, (size_t)number, root, into);
	if (!ret)
		order_edges(v, first, into);
	return ret || number ? ret : check_span(v, into);
}

static int by_parent(const void *a, const void *b, void *edges)
{
	const struct hbverify_edge *e = edges;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (e[x].from != e[y].from)
		return e[x].from < e[y].from ? -1 : 1;
	return (x > y) - (x < y);
}

static int by_child(const void *a, const void *b, void *edges)
{
	const struct hbverify_edge *e = edges;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (e[x].to != e[y].to)
		return e[x].to < e[y].to ? -1 : 1;
	return (x > y) - (x < y);
}

static int find_way(struct hbverify *v, struct hbverify_edge *edge, size_t *links)
{
	size_t i;

	edge->n_links = hbverify_way(&v->net, edge->from, edge->to, links);
	if (!edge->n_links)
		return hbverify_fail(v,
				     "%s: %s has no %s from node %u to node %u, which an edge joins",
				     v->plan.file, v->net.file,
				     v->net.costs ? "link" : "route",
				     v->net.id[edge->from], v->net.id[edge->to]);
	edge->n_way = edge->n_links;
	edge->links = hbverify_alloc(v, edge->n_way, sizeof(*links));
	memcpy(edge->links, links, edge->n_way * sizeof(*links));
	for (i = 0; i < edge->n_way; i++)
		edge->ns += v->net.links[links[i]].ns;
	edge->mbps = hbverify_width(&v->net, links, edge->n_way);
	return 0;
}

/* What an edge keeps busy, once its child's routes are known. */
static void find_uses(struct hbverify *v, struct hbverify_edge *edge, size_t *back)
{
	size_t n_back = 0, *links;

	if (v->net.headers && !v->net.costs)
		n_back = hbverify_way(&v->net, edge->to, edge->from, back);
	links = hbverify_alloc(v, edge->n_way + n_back, sizeof(*links));
	memcpy(links, edge->links, edge->n_way * sizeof(*links));
	edge->links = links;
	edge->uses = hbverify_alloc(v, edge->n_way + n_back, sizeof(*edge->uses));
	hbverify_way_uses(v, links, &edge->n_links, edge->uses, back, n_back);
}

/* The routes of all edges, one parent after the other. */
static int find_ways(struct hbverify *v)
{
	size_t *order = hbverify_alloc(v, v->plan.n, sizeof(*order)), i;
	size_t *links = hbverify_alloc(v, v->net.n, sizeof(*links));
	struct hbverify_edge *edges = v->plan.edges;
	int ret = 0;

	for (i = 0; i < v->plan.n; i++)
		order[i] = i;
	qsort_r(order, v->plan.n, sizeof(*order), by_parent, edges);
	for (i = 0; !ret && i < v->plan.n; i++) {
		if (!i || edges[order[i]].from != edges[order[i - 1]].from)
			hbverify_routes(&v->net, edges[order[i]].from, false);
		ret = find_way(v, &edges[order[i]], links);
	}
	qsort_r(order, v->plan.n, sizeof(*order), by_child, edges);
	for (i = 0; !ret && i < v->plan.n; i++) {
		if (!i || edges[order[i]].to != edges[order[i - 1]].to)
			hbverify_routes(&v->net, edges[order[i]].to, false);
		find_uses(v, &edges[order[i]], links);
	}
	return ret;
}

static int read_trees(struct hbverify *v, const json_t *trees)
{
	bool slots[TREES_MAX] = { false };
	size_t t, n = 0;
	int ret = 0;

	v->plan.n_trees = json_array_size(trees);
	if (!v->plan.n_trees || v->plan.n_trees > TREES_MAX)
		return hbverify_fail(v, "%s: trees must hold 1 to %d trees, not %zu",
				     v->plan.file, TREES_MAX, v->plan.n_trees);
	for (t = 0; t < v->plan.n_trees; t++)
		n += json_array_size(json_object_get(json_array_get(trees, t),
						     "edges"));
	v->plan.edges = hbverify_alloc(v, n, sizeof(*v->plan.edges));
	for (t = 0; !ret && t < v->plan.n_trees; t++)
		ret = read_tree(v, json_array_get(trees, t), t, slots);
	if (!ret && !slots[0])
		ret = hbverify_fail(v, "%s: trees: no tree has slot 0",
				    v->plan.file);
	return ret;
}

/* The model that the plan was made by, or that suits the network. */
static int find_model(struct hbverify *v)
{
	static const char *const known[] = {
		"fluid", "completion", "one-port", "multi-port", "hnow"
	};
	const json_t *predicted = json_object_get(v->json, "predicted");
	const char *name = json_string_value(json_object_get(predicted, "model"));
	size_t i;

	if (!predicted && v->net.hnow)
		name = "hnow";
	else if (!predicted)
		name = !v->net.costs ? "fluid" :
		       v->plan.n_trees > 1 ? "one-port" : "completion";
	for (i = 0; name && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			v->plan.model = known[i];
	if (!v->plan.model)
		return hbverify_fail(v,
				     "%s: predicted.model is none that can be checked: fluid, completion, one-port, multi-port or hnow",
				     v->plan.file);
	if (v->net.costs && !strcmp(v->plan.model, "fluid"))
		return hbverify_fail(v,
				     "%s: predicted.model is fluid, which needs a platform, and %s is %s",
				     v->plan.file, v->net.file,
				     v->net.hnow ? "an HNOW" : "a cost matrix");
	if (v->plan.n_sources > 1 && strcmp(v->plan.model, "fluid"))
		return hbverify_fail(v,
				     "%s: predicted.model must be fluid for a plan with replicas",
				     v->plan.file);
	if (!v->net.hnow && !strcmp(v->plan.model, "hnow"))
		return hbverify_fail(v,
				     "%s: predicted.model is hnow, which needs an HNOW, and %s is none",
				     v->plan.file, v->net.file);
	return 0;
}

/* Who has the message to begin with: the root and its replicas. */
static int read_sources(struct hbverify *v, const json_t *replicas)
{
	size_t i, at;

	v->plan.source = hbverify_alloc(v, v->net.n, sizeof(bool));
	v->plan.source[v->plan.root] = true;
	v->plan.n_sources = 1 + json_array_size(replicas);
	for (i = 0; i < json_array_size(replicas); i++) {
		if (read_host(v, json_array_get(replicas, i), "replicas", &at))
			return -1;
		if (v->plan.source[at])
			return hbverify_fail(v,
					     "%s: replicas: node %u is a source already",
					     v->plan.file, v->net.id[at]);
		v->plan.source[at] = true;
	}
	return 0;
}

/**
 * hbverify_read_plan() - read the plan, and check that its trees are trees
 * @v: its net is there, its plan is filled
 * @file: the plan
 *
 * Slot 0 spans all hosts, the others some; each node but the root has one parent
 * in a tree, and the root reaches it; each edge has a route.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_read_plan(struct hbverify *v, const char *file)
{
	const json_t *kind, *bytes;
	int ret;

	v->plan.file = file;
	v->json = hbverify_load(v, file);
	if (!v->json)
		return -1;
	kind = json_object_get(v->json, "hbcast");
	if (!json_is_string(kind) || strcmp(json_string_value(kind), "plan") ||
	    json_integer_value(json_object_get(v->json, "version")) != 1)
		return hbverify_fail(v, "%s: the file is no plan of version 1",
				     file);
	bytes = json_object_get(v->json, "message_bytes");
	v->plan.bits = 8 * (double)json_integer_value(bytes);
	if (!(v->plan.bits > 0))
		return hbverify_fail(v, "%s: message_bytes is no size", file);
	ret = read_host(v, json_object_get(v->json, "root"), "root",
			&v->plan.root);
	if (!ret)
		ret = read_sources(v, json_object_get(v->json, "replicas"));
	if (!ret)
		ret = read_trees(v, json_object_get(v->json, "trees"));
	if (!ret)
		ret = find_ways(v);
	return ret ? ret : find_model(v);
}
