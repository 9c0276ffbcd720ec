// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What limits a plan: the ports and links that it uses all the time, and those
 * that have a price in the proof of the bound, the duals of the program that
 * finds the fastest trees. What upgrading one would gain is not derived from
 * prices, which hold for small changes only: the network is changed, the plan
 * judged and made again, the bound found anew, and the network changed back.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "colgen.h"
#include "explain.h"
#include "node.h"
#include "planners.h"
#include "steady.h"
#include "units.h"

/* Busier than this is all the time. */
#define FULL		(1 - 1 / 1e4)
/* A smaller part of all prices is rounding. */
#define LEAST_PRICE	(1 / 1e4)

struct digging {
	const struct hbp_plan *plan;
	struct hbp_input *in;
	struct hbp_explanation *out;
	struct hbp_evaluation *now;
	struct hbp_steady *steady;
	struct hbp_colgen *cg;
	double *load;		/* of each row */
	bool *slows;		/* of each row: the slowest node is behind it */
	struct hbp_limit *limits;	/* of each row, those that limit first */
	struct hbp_error *err;
};

static enum hbp_ports ports_of(enum hbp_model model)
{
	return model == HBP_MODEL_ONE_PORT ? HBP_ONE_PORT :
	       model == HBP_MODEL_MULTI_PORT ? HBP_MULTI_PORT : HBP_ANY_PORTS;
}

static bool is_shared(enum hbp_model model)
{
	return model == HBP_MODEL_FLUID || model == HBP_MODEL_ONE_PORT ||
	       model == HBP_MODEL_MULTI_PORT;
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
			arc = hbp_steady_arc(s, hbp_input_find(d->in, edge->parent),
					     hbp_input_find(d->in, edge->child));
			for (u = s->first[arc]; u < s->first[arc + 1]; u++) {
				d->load[s->rows[u]] += rate * s->uses[u];
				if (plan->n_trees > 1 || rate * FULL <= least)
					d->slows[s->rows[u]] = true;
			}
		}
	}
}

static int compare_limits(const void *a, const void *b)
{
	const struct hbp_limit *x = a, *y = b;

	if (fabs(x->price - y->price) > LEAST_PRICE)
		return x->price > y->price ? -1 : 1;
	if (fabs(x->busy - y->busy) > 1 - FULL)
		return x->busy > y->busy ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* The first of @n limits are told. */
static void keep_first(struct digging *d, size_t n)
{
	size_t i;

	qsort(d->limits, n, sizeof(*d->limits), compare_limits);
	d->out->n = n < HBP_LIMITS_MAX ? n : HBP_LIMITS_MAX;
	for (i = 0; i < d->out->n; i++)
		d->out->limits[i] = d->limits[i];
}

/* The rows that are full and hold the slowest back, or have a price. */
static void find_rows(struct digging *d)
{
	const struct hbp_steady *s = d->steady;
	struct hbp_price price;
	size_t i, n = 0;
	double all = 0;

	for (i = 0; i < s->n_rows; i++)
		all += d->cg->prices[i];
	for (i = 0; i < s->n_rows; i++) {
		price = hbp_steady_price(s, d->in, i, d->cg->prices[i] / all);
		if (price.mbps < LEAST_PRICE &&
		    (d->load[i] < FULL || !d->slows[i]))
			continue;
		d->limits[n].what = price.what;
		d->limits[n].from = price.from;
		d->limits[n].to = price.to;
		d->limits[n].busy = d->load[i];
		d->limits[n++].price = price.mbps;
	}
	keep_first(d, n);
}

static int find_shared(struct digging *d)
{
	size_t root = hbp_input_find(d->in, d->plan->root);
	int ret;

	ret = hbp_steady_alloc(d->in, ports_of(d->out->model), &d->steady,
			       d->err);
	if (!ret)
		ret = hbp_colgen_run(d->steady, root, &d->cg, d->err);
	if (ret)
		return ret;
	d->load = calloc(d->steady->n_rows, sizeof(*d->load));
	d->slows = calloc(d->steady->n_rows, sizeof(*d->slows));
	d->limits = calloc(d->steady->n_rows, sizeof(*d->limits));
	if (!d->load || !d->slows || !d->limits)
		return hbp_nomem(d->err);
	add_loads(d);
	find_rows(d);
	return 0;
}

/* The pairs on the way to the node that is done last. */
static int find_path(struct digging *d)
{
	const struct hbp_figure *last = hbp_evaluation_slowest(d->now);
	const struct hbp_tree *tree = &d->plan->trees[0];
	uint64_t bytes = d->plan->message_bytes;
	size_t i, n = 0, from, to;
	const struct hbp_costs *c;
	struct hbp_limit *limit;
	uint32_t at = last->id;
	int ret;

	ret = hbp_input_costs(d->in, &c, d->err);
	if (ret)
		return ret;
	d->limits = calloc(tree->n_edges, sizeof(*d->limits));
	if (!d->limits)
		return hbp_nomem(d->err);
	/* Parents come before their children. */
	for (i = tree->n_edges; i-- > 0;) {
		if (tree->edges[i].child != at)
			continue;
		at = tree->edges[i].parent;
		from = hbp_costs_find(c, at);
		to = hbp_costs_find(c, tree->edges[i].child);
		limit = &d->limits[n++];
		limit->what = HBP_PRICED_LINK;
		limit->from = at;
		limit->to = tree->edges[i].child;
		limit->busy = (double)hbp_costs_pair_ns(c, from, to, bytes) /
			      (double)last->completion_ns;
	}
	keep_first(d, n);
	return 0;
}

/* When the last node is done if the plan's planner plans for this network. */
static int plan_anew(const struct digging *d, int64_t *ns)
{
	const struct hbp_planner *planner = hbp_planner_find(d->plan->algorithm);
	struct hbp_request rq = {
		.in = d->in, .root = d->plan->root,
		.message_bytes = d->plan->message_bytes,
		.ports = ports_of(d->out->model)
	};
	struct hbp_evaluation *e;
	struct hbp_error why_not;
	struct hbp_plan *plan;
	int ret;

	*ns = HBP_NEVER;
	if (!planner || !(planner->inputs & d->in->kind))
		return 0;
	ret = hbp_plan_make(planner, &rq, &plan, &why_not);
	if (ret)
		return ret == -ENOMEM ? hbp_nomem(d->err) : 0;
	ret = hbp_evaluate(plan, d->in, d->out->model, &e, &why_not);
	if (!ret) {
		*ns = hbp_evaluation_slowest(e)->completion_ns;
		hbp_evaluation_free(e);
	}
	hbp_plan_free(plan);
	return ret == -ENOMEM ? hbp_nomem(d->err) : 0;
}

static int find_bound(const struct digging *d, int64_t *bps)
{
	size_t root = hbp_input_find(d->in, d->plan->root);
	struct hbp_steady *steady = NULL;
	struct hbp_colgen *cg = NULL;
	int ret;

	*bps = 0;
	if (!is_shared(d->out->model))
		return 0;
	ret = hbp_steady_alloc(d->in, ports_of(d->out->model), &steady, d->err);
	if (!ret)
		ret = hbp_colgen_run(steady, root, &cg, d->err);
	if (!ret)
		*bps = (int64_t)ceil(cg->bound * 1e6);
	hbp_colgen_free(cg);
	hbp_steady_free(steady);
	return ret;
}

static int look(const struct digging *d, struct hbp_outlook *outlook)
{
	struct hbp_evaluation *e;
	int ret;

	ret = hbp_evaluate(d->plan, d->in, d->out->model, &e, d->err);
	if (ret)
		return ret;
	outlook->completion_ns = hbp_evaluation_slowest(e)->completion_ns;
	outlook->rate_bps = hbp_evaluation_rate(e);
	outlook->bound_ns = hbp_evaluation_bound(e);
	hbp_evaluation_free(e);
	ret = plan_anew(d, &outlook->anew_ns);
	return ret ? ret : find_bound(d, &outlook->bound_bps);
}

/* Is this link, or pair, what is upgraded? */
static bool is_meant(const struct hbp_limit *limit, uint32_t from, uint32_t to)
{
	switch (limit->what) {
	case HBP_PRICED_SENDER:
		return from == limit->from;
	case HBP_PRICED_RECEIVER:
		return to == limit->from;
	default:
		return from == limit->from && to == limit->to;
	}
}

/* Makes what is meant so many times as fast, or slow if @back. */
static void change(struct hbp_input *in, const struct hbp_limit *limit, bool back)
{
	struct hbp_platform *p = in->platform;
	struct hbp_costs *c = in->costs;
	struct hbp_link *link;
	size_t i;

	for (i = 0; p && i < p->n_links; i++) {
		link = &p->links[i];
		if (!is_meant(limit, p->nodes[link->from].id, p->nodes[link->to].id))
			continue;
		link->bandwidth_bps = back ? link->bandwidth_bps / HBP_UPGRADE :
				      link->bandwidth_bps * HBP_UPGRADE;
	}
	if (p) {
		/* Made of the links, when it is needed. */
		hbp_costs_free(c);
		in->costs = NULL;
		return;
	}
	for (i = 0; i < c->n * c->n; i++)
		if (is_meant(limit, c->nodes[i / c->n].id, c->nodes[i % c->n].id))
			c->bandwidth_bps[i] = back ?
				c->bandwidth_bps[i] / HBP_UPGRADE :
				c->bandwidth_bps[i] * HBP_UPGRADE;
}

/* What gains most comes first: for this plan, for its planner, for all. */
static int compare_gains(const void *a, const void *b)
{
	const struct hbp_limit *x = a, *y = b;
	const struct hbp_outlook *p = &x->upgraded, *q = &y->upgraded;

	if (p->completion_ns != q->completion_ns)
		return p->completion_ns < q->completion_ns ? -1 : 1;
	if (p->anew_ns != q->anew_ns)
		return p->anew_ns < q->anew_ns ? -1 : 1;
	if (p->bound_bps != q->bound_bps)
		return p->bound_bps > q->bound_bps ? -1 : 1;
	return compare_limits(a, b);
}

static int try_upgrades(struct digging *d)
{
	struct hbp_limit *limit = d->out->limits;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < d->out->n; i++, limit++) {
		change(d->in, limit, false);
		ret = look(d, &limit->upgraded);
		change(d->in, limit, true);
	}
	qsort(d->out->limits, d->out->n, sizeof(*d->out->limits), compare_gains);
	return ret;
}

static int find_model(const struct hbp_plan *plan, const struct hbp_input *in,
		      enum hbp_model *model, struct hbp_error *err)
{
	if (plan->predicted)
		*model = plan->predicted->model;
	else if (plan->n_trees > 1 && !in->platform)
		*model = HBP_MODEL_ONE_PORT;
	else
		*model = hbp_model_of(in);
	if (*model == HBP_MODEL_COMPLETION && in->platform)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the plan is predicted by completion, which tells what limits it on a cost matrix only",
				in->name);
	if (is_shared(*model) || *model == HBP_MODEL_COMPLETION)
		return 0;
	return hbp_fail(err, -EOPNOTSUPP,
			"%s: the plan is predicted by %s, which does not tell what limits it",
			in->name, hbp_model_name(*model));
}

/**
 * hbp_explain() - tell what limits a plan
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the network; changed meanwhile, and afterwards as before
 * @out: receives what limits it, by the model that the plan is predicted by, or
 *	by the one that suits the network
 * @err: receives the reason of a failure
 *
 * By models in which ports and links are shared: those that the plan uses all
 * the time on a way to its slowest node, and those that have a price in the proof
 * of the bound. By the completion model: the pairs on the way to the last node.
 *
 * Return: 0; -EOPNOTSUPP if the model does not apply, or tells of no limits;
 * another negative errno value of hbp_evaluate() or hbp_colgen_run().
 */
int hbp_explain(const struct hbp_plan *plan, struct hbp_input *in,
		struct hbp_explanation *out, struct hbp_error *err)
{
	struct digging d = { .plan = plan, .in = in, .out = out, .err = err };
	int ret;

	*out = (struct hbp_explanation){ 0 };
	if (plan->n_replicas)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: plans with one source are explained, and this one has replicas",
				in->name);
	ret = find_model(plan, in, &out->model, err);
	if (!ret)
		ret = hbp_evaluate(plan, in, out->model, &d.now, err);
	if (!ret)
		ret = look(&d, &out->now);
	if (!ret)
		ret = is_shared(out->model) ? find_shared(&d) : find_path(&d);
	if (!ret)
		ret = try_upgrades(&d);
	hbp_evaluation_free(d.now);
	hbp_colgen_free(d.cg);
	hbp_steady_free(d.steady);
	free(d.load);
	free(d.slows);
	free(d.limits);
	return ret;
}
