// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: rates, and what is predicted of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

/* Files have rates in whole bit/s, of each tree, and times in whole ns. */
#define RATE_LEAST	0.0001
#define TIME_LEAST	0.002
#define RATE_STEP	(1 / 1e6)
/* Shares of a link that differ by less are one level. */
#define SAME_LEVEL	(1 / 1e9)

static bool is_model(const struct hbverify *v, const char *name)
{
	return !strcmp(v->plan.model, name);
}

/* For which part of the time each thing is busy: links, then ports. */
struct loads {
	double *links;
	double *sends;
	double *receives;
};

static void loads_init(struct hbverify *v, struct loads *l)
{
	l->links = hbverify_alloc(v, v->net.n_links, sizeof(double));
	l->sends = hbverify_alloc(v, v->net.n, sizeof(double));
	l->receives = hbverify_alloc(v, v->net.n, sizeof(double));
}

static void add_loads(struct hbverify *v, struct loads *l, const double *rates)
{
	const struct hbverify_edge *e;
	size_t i, k;

	if (is_model(v, "multi-port"))
		hbverify_find_ways(v);

	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		for (k = 0; k < e->n_links; k++)
			l->links[e->links[k]] += rates[i] * e->uses[k];
		if (is_model(v, "one-port")) {
			l->sends[e->from] += rates[i] / e->mbps;
			l->receives[e->to] += rates[i] / e->mbps;
		} else if (is_model(v, "multi-port")) {
			l->sends[e->from] += rates[i] * v->ways->port[e->from];
		}
	}
}

/* The busiest thing; @what receives its name. */
static double busiest(const struct hbverify *v, const struct loads *l,
		      char *what, size_t len)
{
	double most = 0;
	size_t i;

	for (i = 0; i < v->net.n_links; i++) {
		if (l->links[i] <= most)
			continue;
		most = l->links[i];
		snprintf(what, len, "the link from node %u to node %u",
			 v->net.id[v->net.links[i].from],
			 v->net.id[v->net.links[i].to]);
	}
	for (i = 0; i < v->net.n; i++) {
		if (l->sends[i] > most) {
			most = l->sends[i];
			snprintf(what, len, "the sending port of node %u",
				 v->net.id[i]);
		}
		if (l->receives[i] > most) {
			most = l->receives[i];
			snprintf(what, len, "the receiving port of node %u",
				 v->net.id[i]);
		}
	}
	return most;
}

/**
 * hbverify_rates() - check that the planned rates can be kept
 * @v: net and plan are there
 *
 * By the completion model and that of HNOWs each pair is as fast as if alone; by
 * the others all edges share ports and links.
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_rates(struct hbverify *v)
{
	double *rates = hbverify_alloc(v, v->plan.n, sizeof(*rates));
	const struct hbverify_edge *e;
	struct loads loads;
	char what[96] = "";
	size_t i;

	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		rates[i] = v->plan.rate[e->tree];
		if (rates[i] > e->mbps * (1 + HBVERIFY_SLACK))
			return hbverify_fail(v,
					     "%s: trees[%zu].rate_mbps is %.6f, but from node %u to node %u only %.6f can pass",
					     v->plan.file, e->tree, rates[i],
					     v->net.id[e->from],
					     v->net.id[e->to], e->mbps);
	}
	if (is_model(v, "completion") || is_model(v, "hnow"))
		return 0;
	loads_init(v, &loads);
	add_loads(v, &loads, rates);
	v->busiest = busiest(v, &loads, what, sizeof(what));
	if (v->busiest > 1 + HBVERIFY_SLACK)
		return hbverify_fail(v,
				     "%s: trees: at their rate_mbps %s would be busy for %.4f %% of the time",
				     v->plan.file, what, 100 * v->busiest);
	return 0;
}

/* Rates of edges that can all be kept; those of trees if all have one. */
static bool planned_rates(const struct hbverify *v, double *rates)
{
	bool planned = v->plan.n_trees > 1;
	size_t i;

	for (i = 0; i < v->plan.n_trees; i++)
		planned = planned && v->plan.rate[i] > 0;
	for (i = 0; i < v->plan.n; i++)
		rates[i] = planned ? v->plan.rate[v->plan.edges[i].tree] : 1;
	return planned;
}

/* As fast as the busiest port or link allows, all alike. */
static void ports_rates(struct hbverify *v, double *rates)
{
	struct loads loads;
	char what[96];
	double most;
	size_t i;

	if (planned_rates(v, rates))
		return;
	loads_init(v, &loads);
	add_loads(v, &loads, rates);
	most = busiest(v, &loads, what, sizeof(what));
	for (i = 0; i < v->plan.n; i++)
		rates[i] /= most;
}

struct fill {
	double *used;		/* of each link: for which part of the time */
	double *rising;		/* of each link: likewise, by 1 Mbit/s of what still rises */
	size_t *n_rising;	/* of each link: edges that still rise */
	bool *done;		/* of each edge */
};

/* How far all edges that rise can rise together. */
static double next_level(const struct hbverify *v, const struct fill *f)
{
	double level = HUGE_VAL, cap;
	size_t i;

	for (i = 0; i < v->net.n_links; i++)
		if (f->n_rising[i])
			level = fmin(level, (1 - f->used[i]) / f->rising[i]);
	for (i = 0; i < v->plan.n; i++) {
		cap = v->plan.rate[v->plan.edges[i].tree];
		if (!f->done[i] && v->plan.n_trees > 1 && cap > 0)
			level = fmin(level, cap);
	}
	return level;
}

static bool stops(const struct hbverify *v, const struct fill *f, size_t i,
		  double level)
{
	const struct hbverify_edge *e = &v->plan.edges[i];
	double cap = v->plan.rate[e->tree];
	size_t k, link;

	if ((v->plan.n_trees > 1 && cap > 0 && cap <= level) ||
	    (e->above != HBVERIFY_NONE && f->done[e->above]))
		return true;
	for (k = 0; k < e->n_links; k++) {
		link = e->links[k];
		if (1 - f->used[link] <= level * f->rising[link] * (1 + SAME_LEVEL))
			return true;
	}
	return false;
}

/* Water rises in all edges; a full link holds back what passes it, and below. */
static void fluid_rates(struct hbverify *v, double *rates)
{
	struct fill f = {
		.used = hbverify_alloc(v, v->net.n_links, sizeof(double)),
		.rising = hbverify_alloc(v, v->net.n_links, sizeof(double)),
		.n_rising = hbverify_alloc(v, v->net.n_links, sizeof(size_t)),
		.done = hbverify_alloc(v, v->plan.n, sizeof(bool))
	};
	bool *stop = hbverify_alloc(v, v->plan.n, sizeof(*stop));
	const struct hbverify_edge *e;
	size_t left = v->plan.n, i, k;
	double level;

	/* Planned rates that all links can keep are kept: hbverify_rates(). */
	if (planned_rates(v, rates))
		return;
	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		for (k = 0; k < e->n_links; k++) {
			f.rising[e->links[k]] += e->uses[k];
			f.n_rising[e->links[k]]++;
		}
	}
	while (left) {
		level = next_level(v, &f);
		for (i = 0; i < v->plan.n; i++) {
			stop[i] = !f.done[i] && stops(v, &f, i, level);
			/* Who hangs below stops at the same level. */
			if (!f.done[i] && v->plan.edges[i].above != HBVERIFY_NONE)
				stop[i] = stop[i] || stop[v->plan.edges[i].above];
		}
		for (i = 0; i < v->plan.n; i++) {
			if (!stop[i])
				continue;
			f.done[i] = true;
			rates[i] = level;
			left--;
			e = &v->plan.edges[i];
			for (k = 0; k < e->n_links; k++) {
				f.used[e->links[k]] += level * e->uses[k];
				f.rising[e->links[k]] -= e->uses[k];
				f.n_rising[e->links[k]]--;
			}
		}
	}
}

/* The sum of delays on the way from the root to each edge's child, in us. */
static double *find_since(struct hbverify *v)
{
	double *since = hbverify_alloc(v, v->plan.n, sizeof(*since));
	const struct hbverify_edge *e;
	size_t i;

	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		since[i] = (double)(e->ns + v->net.send_ns[e->from] +
				    v->net.recv_ns[e->to]) / 1e3;
		if (e->above != HBVERIFY_NONE)
			since[i] += since[e->above];
	}
	return since;
}

/* A node sends on what it has as a whole, to all at once. */
static void completion_model(struct hbverify *v, double *us, double *mbps)
{
	const struct hbverify_edge *e;
	size_t i;

	mbps[v->plan.root] = HUGE_VAL;
	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		us[e->to] = us[e->from] + v->plan.bits / e->mbps +
			    (double)(e->ns + v->net.send_ns[e->from] +
				     v->net.recv_ns[e->to]) / 1e3;
		mbps[e->to] = fmin(mbps[e->from], e->mbps);
	}
}

/* False if there are too many stages to tell. */
static bool stream_model(struct hbverify *v, double *us, double *mbps)
{
	double *rates = hbverify_alloc(v, v->plan.n, sizeof(*rates));

	if (is_model(v, "fluid"))
		fluid_rates(v, rates);
	else
		ports_rates(v, rates);
	return hbverify_stages(v, rates, find_since(v), us, mbps);
}

static int differs(struct hbverify *v, const char *what, uint32_t id,
		   double told, double found)
{
	return hbverify_fail(v, "%s: predicted.nodes: node %u: %s is %.3f, but by %s it is %.3f",
			     v->plan.file, id, what, told, v->plan.model, found);
}

static int check_node(struct hbverify *v, const json_t *node, size_t at,
		      const double *us, const double *mbps, const double *bounds)
{
	double done = json_number_value(json_object_get(node, "completion_us"));
	double rate = json_number_value(json_object_get(node, "rate_mbps"));
	double bound = json_number_value(json_object_get(node, "bound_us"));
	double step = us ? (double)v->plan.n_trees * RATE_STEP / mbps[at] : 0;
	uint32_t id = v->net.id[at];

	if (us && !hbverify_near(rate, mbps[at], RATE_LEAST))
		return differs(v, "rate_mbps", id, rate, mbps[at]);
	/* What is added up of whole bit/s is less exact the slower it is. */
	if (us && !hbverify_near(done, us[at], TIME_LEAST + us[at] * step))
		return differs(v, "completion_us", id, done, us[at]);
	if (!hbverify_near(bound, bounds[at], TIME_LEAST))
		return differs(v, "bound_us", id, bound, bounds[at]);
	if (done < bound * (1 - HBVERIFY_SLACK))
		return hbverify_fail(v,
				     "%s: predicted.nodes: node %u: completion_us is below bound_us",
				     v->plan.file, id);
	return 0;
}

/* What stands above the nodes follows from them. */
static int check_overall(struct hbverify *v, const json_t *predicted, double last,
			 double bound, uint32_t slowest)
{
	static const char *const keys[] = { "completion_us", "bound_us", "gap", "slowest" };
	const double found[] = { last, bound, last / bound - 1, slowest };
	const json_t *value;
	size_t i;

	for (i = 0; i < 4; i++) {
		value = json_object_get(predicted, keys[i]);
		if (!value || fabs(json_number_value(value) - found[i]) <=
			      HBVERIFY_SLACK * fmax(1, fabs(found[i])))
			continue;
		return hbverify_fail(v,
				     "%s: predicted.%s is %.6f, but from predicted.nodes follows %.6f",
				     v->plan.file, keys[i],
				     json_number_value(value), found[i]);
	}
	return 0;
}

/* Of nodes that are done at the same time the lowest is the slowest, if they really are. */
static bool is_slower(double done, uint32_t id, uint32_t other, json_int_t told)
{
	if (done >= HBVERIFY_EXACT_US && (id == told || other == told))
		return id == told;
	return id < other;
}

static int check_nodes(struct hbverify *v, const json_t *predicted,
		       const double *us, const double *mbps, const double *bounds)
{
	bool *seen = hbverify_alloc(v, v->net.n, sizeof(*seen));
	json_t *nodes = json_object_get(predicted, "nodes"), *node;
	double last = 0, bound = 0, done;
	json_int_t told = json_integer_value(json_object_get(predicted, "slowest"));
	uint32_t slowest = 0;
	const json_t *id;
	size_t i, at;

	json_array_foreach(nodes, i, node) {
		id = json_object_get(node, "id");
		at = hbverify_node(&v->net, (uint32_t)json_integer_value(id));
		if (at == HBVERIFY_NONE || !v->net.host[at] ||
		    v->plan.source[at] || seen[at])
			return hbverify_fail(v,
					     "%s: predicted.nodes[%zu].id is no node that receives, or comes twice",
					     v->plan.file, i);
		seen[at] = true;
		if (check_node(v, node, at, us, mbps, bounds))
			return -1;
		done = json_number_value(json_object_get(node, "completion_us"));
		if (done > last ||
		    (done == last && is_slower(done, v->net.id[at], slowest, told))) {
			last = done;
			slowest = v->net.id[at];
		}
		bound = fmax(bound, json_number_value(json_object_get(node, "bound_us")));
	}
	if (json_array_size(nodes) != v->net.hosts - v->plan.n_sources)
		return hbverify_fail(v, "%s: predicted.nodes has %zu nodes, but %zu receive",
				     v->plan.file, json_array_size(nodes),
				     v->net.hosts - v->plan.n_sources);
	return check_overall(v, predicted, last, bound, slowest);
}

/* Of a binomial tree: the largest sum of delays from the root. */
static int check_cost(struct hbverify *v)
{
	const json_t *cost = json_object_get(v->json, "cost");
	const double *since = find_since(v);
	double most = 0;
	size_t i;

	for (i = 0; i < v->plan.n; i++)
		most = fmax(most, since[i]);
	if (!cost || hbverify_near(json_number_value(cost), most, TIME_LEAST))
		return 0;
	return hbverify_fail(v, "%s: cost is %.3f, but the longest path of the tree costs %.3f",
			     v->plan.file, json_number_value(cost), most);
}

/**
 * hbverify_predicted() - check what the plan says that it does
 * @v: net and plan are there, and rates are right
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_predicted(struct hbverify *v)
{
	const json_t *predicted = json_object_get(v->json, "predicted");
	double *bounds = hbverify_alloc(v, v->net.n, sizeof(*bounds));
	double *mbps = hbverify_alloc(v, v->net.n, sizeof(*mbps));
	double *us = hbverify_alloc(v, v->net.n, sizeof(*us));
	bool exact = true;

	if (check_cost(v))
		return -1;
	if (!predicted)
		return 0;
	if (is_model(v, "hnow") && hbverify_wormhole(v, us, mbps))
		return -1;
	if (is_model(v, "completion"))
		completion_model(v, us, mbps);
	else if (!is_model(v, "hnow"))
		exact = stream_model(v, us, mbps);
	hbverify_bounds(v, bounds);
	return check_nodes(v, predicted, exact ? us : NULL, mbps, bounds);
}
