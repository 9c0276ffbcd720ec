// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a plan keeps busy, and what would hold back the best one: by models in
 * which ports and links are shared. The second are the duals of the program that
 * finds the fastest trees. If several nodes have the message to begin with, there
 * is one more host, from which links that are never full lead to all of them:
 * trees from it are trees from any of them.
 */
#include <math.h>
#include <stdlib.h>

#include "busy.h"
#include "colgen.h"
#include "node.h"
#include "prices.h"
#include "steady.h"
#include "units.h"
#include "wire.h"

/* Busier than this is all the time. */
#define FULL		(1 - 1 / 1e4)
/* Rates that differ by less are equal. */
#define NEAR		(1 / 1e6)

struct hbp_busy {
	const struct hbp_plan *plan;
	const struct hbp_evaluation *now;
	struct hbp_input *net;		/* with one source */
	struct hbp_input *merged;	/* the same if it was made here, or NULL */
	size_t root;			/* place of the source */
	struct hbp_steady *steady;
	struct hbp_colgen *cg;
	struct hbp_like like;		/* what else begins with */
	uint32_t *planned;		/* trees of the plan there */
	double *load;			/* of each row */
	bool *slows;			/* of each row: the slowest node is behind it */
	struct hbp_error *err;
};

/**
 * hbp_busy_ports() - what holds nodes back by a model
 * @model: the model
 *
 * Return: it.
 */
enum hbp_ports hbp_busy_ports(enum hbp_model model)
{
	return model == HBP_MODEL_ONE_PORT ? HBP_ONE_PORT :
	       model == HBP_MODEL_MULTI_PORT ? HBP_MULTI_PORT : HBP_ANY_PORTS;
}

/**
 * hbp_busy_applies() - are ports and links shared by a model
 * @model: the model
 *
 * Return: whether they are.
 */
bool hbp_busy_applies(enum hbp_model model)
{
	return model == HBP_MODEL_FLUID || model == HBP_MODEL_ONE_PORT ||
	       model == HBP_MODEL_MULTI_PORT;
}

/* The lowest id that no node has. */
static uint32_t free_id(const struct hbp_platform *p)
{
	uint32_t id = 0;
	size_t i;

	for (i = 0; i < p->n && p->nodes[i].id == id; i++)
		id++;
	return id;
}

/* The platform with one more host, behind all others, and its links. */
static struct hbp_platform *add_source(const struct hbp_platform *old,
				       const struct hbp_plan *plan)
{
	size_t n = plan->n_replicas + 1, i;
	struct hbp_platform *p = hbp_platform_alloc(old->n + 1, old->n_links + n);
	int64_t width = 1;
	uint32_t id;

	if (!p)
		return NULL;
	for (i = 0; i < old->n; i++) {
		p->nodes[i].id = old->nodes[i].id;
		p->nodes[i].host = old->nodes[i].host;
	}
	p->nodes[old->n].id = free_id(old);
	p->nodes[old->n].host = true;
	p->counted = old->counted;
	for (i = 0; i < old->n_links; i++) {
		p->links[p->n_links++] = old->links[i];
		width += old->links[i].bandwidth_bps;
	}
	for (i = 0; i < n; i++) {
		id = i ? plan->replicas[i - 1] : plan->root;
		p->links[p->n_links++] = (struct hbp_link){
			.from = old->n, .to = hbp_platform_find(old, id),
			.bandwidth_bps = width, .mtu = HBP_MTU_MAX
		};
	}
	if (!hbp_platform_sort(p))
		return p;
	hbp_platform_free(p);
	return NULL;
}

/* The network with one source. */
static int find_net(struct hbp_busy *d, struct hbp_input *in)
{
	struct hbp_platform *p;
	uint32_t root = d->plan->root;
	int ret = 0;

	d->net = in;
	if (d->plan->n_replicas) {
		p = add_source(in->platform, d->plan);
		if (!p)
			return hbp_nomem(d->err);
		root = free_id(in->platform);
		ret = hbp_input_make(in->name, NULL, p, &d->merged, d->err);
		d->net = d->merged;
	}
	if (!ret)
		d->root = hbp_input_find(d->net, root);
	return ret;
}

/* The arcs of a tree of the plan, in ascending order of heads, if it spans all. */
static bool list_planned(const struct hbp_busy *d, const struct hbp_tree *tree,
			 uint32_t *arcs)
{
	size_t i, at, to, arc;

	/* Replicas are joined by the host that leads to all sources. */
	if (d->merged || tree->n_edges < d->steady->n - 1)
		return false;
	for (i = 0; i < tree->n_edges; i++) {
		to = hbp_input_find(d->net, tree->edges[i].child);
		arc = hbp_steady_arc(d->steady,
				     hbp_input_find(d->net, tree->edges[i].parent), to);
		if (arc == HBP_NONE)
			return false;
		at = to < d->root ? to : to - 1;
		arcs[at] = (uint32_t)arc;
	}
	return true;
}

/* Keeps the trees of the plan. */
static int keep_like(struct hbp_busy *d)
{
	const struct hbp_plan *plan = d->plan;
	size_t size = d->steady->n - 1, t;

	d->like.trees = calloc(plan->n_trees, sizeof(*d->like.trees));
	d->planned = calloc(plan->n_trees * size, sizeof(*d->planned));
	if (!d->like.trees || !d->planned)
		return hbp_nomem(d->err);
	for (t = 0; t < plan->n_trees; t++) {
		d->like.trees[d->like.n_trees] = d->planned + t * size;
		d->like.n_trees += list_planned(d, &plan->trees[t],
						d->planned + t * size);
	}
	d->like.prices = d->cg->prices;
	return 0;
}

/**
 * hbp_busy_free() - release what hbp_busy_find() has made
 * @busy: it, or NULL
 */
void hbp_busy_free(struct hbp_busy *busy)
{
	if (!busy)
		return;
	hbp_colgen_free(busy->cg);
	hbp_steady_free(busy->steady);
	hbp_input_free(busy->merged);
	free(busy->like.trees);
	free(busy->planned);
	free(busy->load);
	free(busy->slows);
	free(busy);
}

/**
 * hbp_busy_find() - find the fastest trees, and the prices that prove it
 * @plan: whose sources count, and whose trees are as good as others to begin
 *	with; must outlive the result
 * @in: the network; likewise
 * @model: one in which ports and links are shared
 * @like: the same on the network as it was, or NULL; only rates may differ
 * @out: receives it, to be released with hbp_busy_free()
 * @err: receives the reason of a failure
 *
 * Return: 0; a negative errno value of hbp_colgen_run(); -ENOMEM.
 */
int hbp_busy_find(const struct hbp_plan *plan, struct hbp_input *in,
		  enum hbp_model model, const struct hbp_busy *like,
		  struct hbp_busy **out, struct hbp_error *err)
{
	struct hbp_busy *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return hbp_nomem(err);
	d->plan = plan;
	d->err = err;
	ret = find_net(d, in);
	if (!ret)
		ret = hbp_steady_switched(d->net, hbp_busy_ports(model),
					  &d->steady, err);
	if (!ret)
		ret = hbp_colgen_run(d->steady, d->root, hbp_busy_like(like),
				     &d->cg, err);
	if (!ret)
		ret = keep_like(d);
	if (ret)
		hbp_busy_free(d);
	else
		*out = d;
	return ret;
}

/**
 * hbp_busy_bound() - how fast trees that span all nodes are together at most
 * @busy: what hbp_busy_find() has found
 *
 * Return: bit/s.
 */
int64_t hbp_busy_bound(const struct hbp_busy *busy)
{
	return (int64_t)ceil(busy->cg->bound * 1e6);
}

/**
 * hbp_busy_like() - what planning for other rates may begin with
 * @busy: what hbp_busy_find() has found, for a plan without replicas; or NULL
 *
 * Return: trees and prices, which belong to @busy; NULL where the best trees are
 * found sooner from the beginning, or where there are no trees.
 */
const struct hbp_like *hbp_busy_like(const struct hbp_busy *busy)
{
	if (!busy || !busy->like.n_trees ||
	    busy->cg->bound < busy->cg->rate * (1 + NEAR))
		return NULL;
	return &busy->like;
}

/* The rate of an edge in Mbit/s while all are used. */
static double edge_rate(const struct hbp_busy *d, const struct hbp_tree *tree,
			const struct hbp_edge *edge, double part)
{
	const struct hbp_evaluation *e = d->now;
	size_t at;

	if (d->plan->n_trees > 1)
		return part * (double)tree->rate_bps / 1e6;
	at = hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), edge->child);
	return (double)e->nodes[at].rate_bps / 1e6;
}

static void add_loads(struct hbp_busy *d)
{
	const struct hbp_plan *plan = d->plan;
	double least = (double)hbp_evaluation_rate(d->now) / 1e6;
	double part = hbp_plan_kept_part(plan, d->now), rate;
	const struct hbp_steady *s = d->steady;
	const struct hbp_edge *edge;
	struct hbp_uses of;
	size_t t, i, u, arc;

	for (t = 0; t < plan->n_trees; t++) {
		for (i = 0; i < plan->trees[t].n_edges; i++) {
			edge = &plan->trees[t].edges[i];
			rate = edge_rate(d, &plan->trees[t], edge, part);
			arc = hbp_steady_arc(s, hbp_input_find(d->net, edge->parent),
					     hbp_input_find(d->net, edge->child));
			of = hbp_steady_uses(s, arc);
			for (u = 0; u < of.n; u++) {
				d->load[of.rows[u]] += rate * of.uses[u];
				if (plan->n_trees > 1 || rate * FULL <= least)
					d->slows[of.rows[u]] = true;
			}
		}
	}
}

static enum hbp_limited limited_by(enum hbp_priced what)
{
	switch (what) {
	case HBP_PRICED_SENDER:
		return HBP_LIMITED_SENDER;
	case HBP_PRICED_RECEIVER:
		return HBP_LIMITED_RECEIVER;
	case HBP_PRICED_LINK:
		break;
	}
	return HBP_LIMITED_LINK;
}

/* The rows that are full and hold the slowest back, or have a price. */
static size_t find_rows(const struct hbp_busy *d, struct hbp_limit *limits)
{
	const struct hbp_steady *s = d->steady;
	struct hbp_price price;
	size_t i, n = 0;
	double all = 0;

	for (i = 0; i < s->n_rows; i++)
		all += d->cg->prices[i];
	for (i = 0; i < s->n_rows; i++) {
		price = hbp_prices_row(s, d->net, i, d->cg->prices[i] / all);
		if (price.mbps < HBP_LEAST_PRICE &&
		    (d->load[i] < FULL || !d->slows[i]))
			continue;
		limits[n].what = limited_by(price.what);
		limits[n].from = price.from;
		limits[n].to = price.to;
		limits[n].busy = d->load[i];
		limits[n++].price = price.mbps;
	}
	return n;
}

/**
 * hbp_busy_limits() - what a plan keeps busy, or the best one would
 * @busy: what hbp_busy_find() has found for the plan, which hbp_evaluate() takes
 * @now: what it predicts, by the same model
 * @limits: receives ports and links that the plan keeps busy all the time on a
 *	way to its slowest node, and those that have a price in the proof of the
 *	bound; in order of rows; to be released with free()
 * @n: receives how many
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_busy_limits(struct hbp_busy *busy, const struct hbp_evaluation *now,
		    struct hbp_limit **limits, size_t *n, struct hbp_error *err)
{
	size_t rows = busy->steady->n_rows;

	busy->now = now;
	busy->load = calloc(rows, sizeof(*busy->load));
	busy->slows = calloc(rows, sizeof(*busy->slows));
	*limits = calloc(rows, sizeof(**limits));
	if (!busy->load || !busy->slows || !*limits)
		return hbp_nomem(err);
	add_loads(busy);
	*n = find_rows(busy, *limits);
	return 0;
}
