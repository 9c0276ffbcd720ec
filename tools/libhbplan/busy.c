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
#include "steady.h"
#include "units.h"

/* Busier than this is all the time. */
#define FULL		(1 - 1 / 1e4)

struct digging {
	const struct hbp_plan *plan;
	const struct hbp_evaluation *now;
	struct hbp_input *net;		/* with one source */
	struct hbp_input *merged;	/* the same if it was made here, or NULL */
	size_t root;			/* place of the source */
	struct hbp_steady *steady;
	struct hbp_colgen *cg;
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
	for (i = 0; i < old->n_links; i++) {
		p->links[p->n_links++] = old->links[i];
		width += old->links[i].bandwidth_bps;
	}
	for (i = 0; i < n; i++) {
		id = i ? plan->replicas[i - 1] : plan->root;
		p->links[p->n_links++] = (struct hbp_link){
			.from = old->n, .to = hbp_platform_find(old, id),
			.bandwidth_bps = width
		};
	}
	if (!hbp_platform_sort(p))
		return p;
	hbp_platform_free(p);
	return NULL;
}

/* The network with one source. */
static int find_net(struct digging *d, struct hbp_input *in)
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

/* The fastest trees, and the prices that prove it. */
static int run_program(struct digging *d, struct hbp_input *in,
		       enum hbp_model model)
{
	int ret;

	ret = find_net(d, in);
	if (!ret)
		ret = hbp_steady_alloc(d->net, hbp_busy_ports(model),
				       &d->steady, d->err);
	return ret ? ret : hbp_colgen_run(d->steady, d->root, &d->cg, d->err);
}

static void release(struct digging *d)
{
	hbp_colgen_free(d->cg);
	hbp_steady_free(d->steady);
	hbp_input_free(d->merged);
	free(d->load);
	free(d->slows);
}

/* The rate of an edge in Mbit/s while all are used. */
static double edge_rate(const struct digging *d, const struct hbp_tree *tree,
			const struct hbp_edge *edge, double part)
{
	const struct hbp_evaluation *e = d->now;
	size_t at;

	if (d->plan->n_trees > 1)
		return part * (double)tree->rate_bps / 1e6;
	at = hbp_node_find(e->nodes, e->n, sizeof(*e->nodes), edge->child);
	return (double)e->nodes[at].rate_bps / 1e6;
}

static void add_loads(struct digging *d)
{
	const struct hbp_plan *plan = d->plan;
	double least = (double)hbp_evaluation_rate(d->now) / 1e6;
	double part = hbp_plan_kept_part(plan, d->now), rate;
	const struct hbp_steady *s = d->steady;
	const struct hbp_edge *edge;
	size_t t, i, u, arc;

	for (t = 0; t < plan->n_trees; t++) {
		for (i = 0; i < plan->trees[t].n_edges; i++) {
			edge = &plan->trees[t].edges[i];
			rate = edge_rate(d, &plan->trees[t], edge, part);
			arc = hbp_steady_arc(s, hbp_input_find(d->net, edge->parent),
					     hbp_input_find(d->net, edge->child));
			for (u = s->first[arc]; u < s->first[arc + 1]; u++) {
				d->load[s->rows[u]] += rate * s->uses[u];
				if (plan->n_trees > 1 || rate * FULL <= least)
					d->slows[s->rows[u]] = true;
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
static size_t find_rows(const struct digging *d, struct hbp_limit *limits)
{
	const struct hbp_steady *s = d->steady;
	struct hbp_price price;
	size_t i, n = 0;
	double all = 0;

	for (i = 0; i < s->n_rows; i++)
		all += d->cg->prices[i];
	for (i = 0; i < s->n_rows; i++) {
		price = hbp_steady_price(s, d->net, i, d->cg->prices[i] / all);
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
 * @plan: a plan that hbp_evaluate() has taken
 * @in: the network
 * @now: what it predicts, by a model in which ports and links are shared
 * @limits: receives ports and links that the plan keeps busy all the time on a
 *	way to its slowest node, and those that have a price in the proof of the
 *	bound; in order of rows; to be released with free()
 * @n: receives how many
 * @err: receives the reason of a failure
 *
 * Return: 0; a negative errno value of hbp_colgen_run(); -ENOMEM.
 */
int hbp_busy_limits(const struct hbp_plan *plan, struct hbp_input *in,
		    const struct hbp_evaluation *now, struct hbp_limit **limits,
		    size_t *n, struct hbp_error *err)
{
	struct digging d = { .plan = plan, .now = now, .err = err };
	int ret;

	ret = run_program(&d, in, now->model);
	if (!ret) {
		d.load = calloc(d.steady->n_rows, sizeof(*d.load));
		d.slows = calloc(d.steady->n_rows, sizeof(*d.slows));
		*limits = calloc(d.steady->n_rows, sizeof(**limits));
		if (!d.load || !d.slows || !*limits)
			ret = hbp_nomem(err);
	}
	if (!ret) {
		add_loads(&d);
		*n = find_rows(&d, *limits);
	}
	release(&d);
	return ret;
}

/**
 * hbp_busy_bound() - how fast trees that span all nodes are together at most
 * @plan: whose sources count
 * @in: the network
 * @model: one in which ports and links are shared
 * @bps: receives bit/s
 * @err: receives the reason of a failure
 *
 * Return: as hbp_busy_limits().
 */
int hbp_busy_bound(const struct hbp_plan *plan, struct hbp_input *in,
		   enum hbp_model model, int64_t *bps, struct hbp_error *err)
{
	struct digging d = { .plan = plan, .err = err };
	int ret;

	ret = run_program(&d, in, model);
	if (!ret)
		*bps = (int64_t)ceil(d.cg->bound * 1e6);
	release(&d);
	return ret;
}
