// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What limits a plan. Where ports and links are shared: those that it uses all
 * the time, and those that have a price in the proof of the bound. Elsewhere: what
 * takes the time until the last node is done. What upgrading one would gain is not
 * derived from prices or parts, which hold for small changes only: the network is
 * changed, the plan judged and made again, the bound found anew, and the network
 * changed back.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "again.h"
#include "busy.h"
#include "explain.h"
#include "planners.h"
#include "shares.h"
#include "upgrade.h"
#include "units.h"

/* Parts of the time that are as near are equal. */
#define NEAR		(1 / 1e4)

struct digging {
	const struct hbp_plan *plan;
	struct hbp_input *in;
	struct hbp_explanation *out;
	struct hbp_busy *busy;	/* of the network as it is, where things are shared */
	struct hbp_error *err;
};

static int compare_limits(const void *a, const void *b)
{
	const struct hbp_limit *x = a, *y = b;

	if (fabs(x->price - y->price) > HBP_LEAST_PRICE)
		return x->price > y->price ? -1 : 1;
	if (fabs(x->busy - y->busy) > NEAR)
		return x->busy > y->busy ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* The first of @n limits are told. */
static void keep_first(struct digging *d, struct hbp_limit *limits, size_t n)
{
	size_t i;

	qsort(limits, n, sizeof(*limits), compare_limits);
	d->out->n = n < HBP_LIMITS_MAX ? n : HBP_LIMITS_MAX;
	for (i = 0; i < d->out->n; i++)
		d->out->limits[i] = limits[i];
}

/* What the nodes that are done last have waited for. */
static int find_paths(struct digging *d, const struct hbp_evaluation *now)
{
	int64_t last = hbp_evaluation_slowest(now)->completion_ns;
	struct hbp_explanation *out = d->out;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < now->n; i++) {
		if (now->nodes[i].completion_ns != last ||
		    ++out->n_last > HBP_PATHS_MAX)
			continue;
		ret = hbp_critical_path(d->plan, d->in, out->model,
					now->nodes[i].id,
					&out->paths[out->n_paths], d->err);
		if (!ret)
			out->n_paths++;
	}
	return ret;
}

static int find_limits(struct digging *d)
{
	struct hbp_explanation *out = d->out;
	struct hbp_limit *limits = NULL;
	struct hbp_evaluation *now;
	size_t n;
	int ret;

	ret = hbp_evaluate(d->plan, d->in, out->model, &now, d->err);
	if (ret)
		return ret;
	if (hbp_busy_applies(out->model)) {
		ret = hbp_busy_limits(d->busy, now, &limits, &n, d->err);
	} else {
		ret = find_paths(d, now);
		if (!ret)
			ret = hbp_shares_limits(d->in, out->paths, out->n_paths,
						&limits, &n, d->err);
	}
	if (!ret)
		keep_first(d, limits, n);
	free(limits);
	hbp_evaluation_free(now);
	return ret;
}

/*
 * When the last node is done if the plan's planner plans for this network, and the
 * bound of the new plan, or 0. What mtp finds holds for all.
 */
static int plan_anew(const struct digging *d, struct hbp_outlook *outlook)
{
	const struct hbp_planner *planner;
	struct hbp_evaluation *e;
	struct hbp_error why_not;
	struct hbp_request rq;
	struct hbp_plan *plan;
	int ret;

	outlook->anew_ns = HBP_NEVER;
	planner = hbp_again_request(d->plan, d->in, d->out->model, &rq);
	if (!planner)
		return 0;
	rq.like = d->plan->n_replicas ? NULL : hbp_busy_like(d->busy);
	ret = hbp_plan_make(planner, &rq, &plan, &why_not);
	if (ret)
		return ret == -ENOMEM ? hbp_nomem(d->err) : 0;
	ret = hbp_evaluate(plan, d->in, d->out->model, &e, &why_not);
	if (!ret) {
		outlook->anew_ns = hbp_evaluation_slowest(e)->completion_ns;
		hbp_evaluation_free(e);
	}
	if (planner == &hbp_mtp && d->busy)
		outlook->bound_bps = plan->bound_bps;
	hbp_plan_free(plan);
	return ret == -ENOMEM ? hbp_nomem(d->err) : 0;
}

/* The bound of the network as it is, and on it that of another. */
static int find_bound(struct digging *d, int64_t *bps)
{
	struct hbp_busy *busy;
	int ret;

	ret = hbp_busy_find(d->plan, d->in, d->out->model, d->busy, &busy, d->err);
	if (ret)
		return ret;
	*bps = hbp_busy_bound(busy);
	if (d->busy)
		hbp_busy_free(busy);
	else
		d->busy = busy;
	return 0;
}

static int look(struct digging *d, struct hbp_outlook *outlook)
{
	bool shared = hbp_busy_applies(d->out->model);
	struct hbp_evaluation *e;
	int ret;

	ret = hbp_evaluate(d->plan, d->in, d->out->model, &e, d->err);
	if (ret)
		return ret;
	outlook->completion_ns = hbp_evaluation_slowest(e)->completion_ns;
	outlook->rate_bps = hbp_evaluation_rate(e);
	outlook->bound_ns = hbp_evaluation_bound(e);
	hbp_evaluation_free(e);
	if (shared && !d->busy)
		ret = find_bound(d, &outlook->bound_bps);
	if (!ret)
		ret = plan_anew(d, outlook);
	if (!ret && shared && !outlook->bound_bps)
		ret = find_bound(d, &outlook->bound_bps);
	return ret;
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
	struct hbp_upgrade upgrade;
	size_t i;
	int ret = 0, undone;

	for (i = 0; !ret && i < d->out->n; i++, limit++) {
		ret = hbp_upgrade_do(d->in, limit, &upgrade, d->err);
		if (!ret)
			ret = look(d, &limit->upgraded);
		undone = hbp_upgrade_undo(d->in, &upgrade, d->err);
		ret = ret ? ret : undone;
	}
	qsort(d->out->limits, d->out->n, sizeof(*d->out->limits), compare_gains);
	return ret;
}

static enum hbp_model find_model(const struct hbp_plan *plan,
				 const struct hbp_input *in)
{
	enum hbp_model model = hbp_model_of(in);

	if (plan->predicted)
		return plan->predicted->model;
	return hbp_model_applies(model, in, plan) ? model : HBP_MODEL_ONE_PORT;
}

/**
 * hbp_explanation_clear() - release what an explanation owns
 * @explanation: what hbp_explain() has filled
 */
void hbp_explanation_clear(struct hbp_explanation *explanation)
{
	while (explanation->n_paths)
		free(explanation->paths[--explanation->n_paths].hops);
}

/**
 * hbp_explain() - tell what limits a plan
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the network; changed meanwhile, and afterwards as before
 * @out: receives what limits it, by the model that the plan is predicted by, or
 *	by the one that suits the network; to be released with
 *	hbp_explanation_clear()
 * @err: receives the reason of a failure
 *
 * By models in which ports and links are shared: those that the plan uses all
 * the time on a way to its slowest node, and those that have a price in the proof
 * of the bound. By the other models: bandwidths, latencies and overheads on the
 * critical paths to the nodes that are done last.
 *
 * Return: 0; a negative errno value of hbp_evaluate() or hbp_colgen_run().
 */
int hbp_explain(const struct hbp_plan *plan, struct hbp_input *in,
		struct hbp_explanation *out, struct hbp_error *err)
{
	struct digging d = { .plan = plan, .in = in, .out = out, .err = err };
	int ret;

	*out = (struct hbp_explanation){ .model = find_model(plan, in) };
	ret = look(&d, &out->now);
	if (!ret)
		ret = find_limits(&d);
	if (!ret)
		ret = try_upgrades(&d);
	hbp_busy_free(d.busy);
	if (ret)
		hbp_explanation_clear(out);
	return ret;
}
