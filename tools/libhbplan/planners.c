// SPDX-License-Identifier: GPL-2.0-or-later
/* The planners, one registry for all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "evaluate.h"
#include "fitting.h"
#include "node.h"
#include "planners.h"
#include "trim.h"

static const struct hbp_planner *const planners[] = {
	&hbp_flat,
	&hbp_chain,
	&hbp_binomial,
	&hbp_balanced_path,
	&hbp_spoc,
	&hbp_fnf,
	&hbp_fef,
	&hbp_ecef,
	&hbp_lookahead,
	&hbp_ttcc,
	&hbp_hlot,
	&hbp_tps,
	&hbp_stable,
	&hbp_fpfr,
	&hbp_dijkstra,
	&hbp_random_pipeline,
	&hbp_balanced_multicast,
	&hbp_simple_prune,
	&hbp_refined_prune,
	&hbp_grow_planner,
	&hbp_multiport_grow,
	&hbp_lp_prune,
	&hbp_lp_grow,
	&hbp_mtp,
	&hbp_doubling,
	&hbp_ebs,
	&hbp_vbbs,
	&hbp_vbbswf,
	&hbp_two_ebs,
	&hbp_two_vbbs,
	&hbp_cfoot,
	&hbp_stable_graph,
	&hbp_auto,
};

/**
 * hbp_planners() - all planners
 * @n: receives their number
 *
 * Return: the planners, in the order in which lists show them.
 */
const struct hbp_planner *const *hbp_planners(size_t *n)
{
	*n = sizeof(planners) / sizeof(planners[0]);
	return planners;
}

/**
 * hbp_planner_find() - find a planner
 * @name: its name
 *
 * Return: the planner, or NULL if there is none of that name.
 */
const struct hbp_planner *hbp_planner_find(const char *name)
{
	size_t n, i;

	hbp_planners(&n);
	for (i = 0; i < n; i++)
		if (!strcmp(planners[i]->name, name))
			return planners[i];
	return NULL;
}

static int check_request(const struct hbp_planner *planner,
			 const struct hbp_request *rq, struct hbp_error *err)
{
	if (!(planner->inputs & rq->in->kind))
		return hbp_fail(err, -EINVAL, "%s: hbcast: %s does not plan from %s, it needs %s",
				rq->in->name, planner->name,
				hbp_kind_name(rq->in->kind),
				hbp_kind_name(planner->inputs));
	return hbp_reach(rq->in, rq->root, err);
}

/* Replicas are members, none of them the root, and somebody is left. */
static int take_replicas(const struct hbp_planner *planner,
			 const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	const char *name = rq->in->name;
	uint32_t id;
	size_t i;

	if (!rq->n_replicas)
		return 0;
	if (!(planner->takes & HBP_TAKES_REPLICAS))
		return hbp_fail(err, -EINVAL, "%s: %s plans from one source, not from replicas",
				name, planner->name);
	memcpy(plan->replicas, rq->replicas,
	       rq->n_replicas * sizeof(*plan->replicas));
	plan->n_replicas = rq->n_replicas;
	hbp_node_sort(plan->replicas, plan->n_replicas, sizeof(*plan->replicas));
	for (i = 0; i < plan->n_replicas; i++) {
		id = plan->replicas[i];
		if (hbp_input_find(rq->in, id) == HBP_NONE)
			return hbp_fail(err, -EINVAL,
					"%s: nodes: there is no host %u to be a replica",
					name, id);
		if (id == rq->root || (i && id == plan->replicas[i - 1]))
			return hbp_fail(err, -EINVAL, "%s: node %u is given as a source twice",
					name, id);
	}
	if (plan->n_replicas + 1 >= rq->in->n)
		return hbp_fail(err, -EINVAL,
				"%s: all nodes are sources, so that nobody is left to receive",
				name);
	return 0;
}

/**
 * hbp_request_model() - the model that judges all plans for a request
 * @rq: the request
 *
 * Return: that of the ports that are asked for; without any, the one that suits
 * a platform or an HNOW, and one port for the nodes of a cost matrix, since a node
 * that sends to many does not send to each as fast as if alone.
 */
enum hbp_model hbp_request_model(const struct hbp_request *rq)
{
	if (rq->ports == HBP_ANY_PORTS && (rq->in->platform || rq->in->hnow))
		return hbp_model_of(rq->in);
	return rq->ports == HBP_MULTI_PORT ? HBP_MODEL_MULTI_PORT :
	       HBP_MODEL_ONE_PORT;
}

/*
 * Plans that are made for ports are judged by ports, on an HNOW as well, of whose
 * own model only auto knows.
 */
static enum hbp_model model_of(const struct hbp_planner *planner,
			       const struct hbp_request *rq)
{
	if (!(planner->takes & HBP_TAKES_PORTS))
		return hbp_model_of(rq->in);
	if (rq->in->hnow && rq->ports == HBP_ANY_PORTS &&
	    !(planner->inputs & HBP_INPUT_HNOW))
		return HBP_MODEL_ONE_PORT;
	return hbp_request_model(rq);
}

/**
 * hbp_plan_finish() - check a new plan and predict what it does
 * @plan: a plan whose trees have all their edges
 * @in: the input that it is made from
 * @model: by what to predict
 * @err: receives the reason of a failure
 *
 * Puts the trees in order and fills rates and predictions. Where headers count, rates of
 * several trees that links cannot carry are lowered.
 *
 * Return: 0; -EINVAL if its edges are no trees, if it does not span the
 * members, or if a pair that it joins has no link; another negative errno value.
 */
int hbp_plan_finish(struct hbp_plan *plan, struct hbp_input *in,
		    enum hbp_model model, struct hbp_error *err)
{
	int ret;

	ret = hbp_plan_check(plan, err);
	if (!ret && plan->n_trees > 1 && in->platform && in->platform->counted)
		ret = hbp_fitting_run(in->platform, plan, err);
	if (ret) {
		hbp_error_prefix(err, "%s", in->name);
		return ret;
	}
	ret = hbp_evaluate(plan, in, model, &plan->predicted, err);
	/* Planners of several trees say themselves what each carries. */
	if (!ret && plan->n_trees == 1)
		plan->trees[0].rate_bps = hbp_evaluation_rate(plan->predicted);
	return ret;
}

/* What makes a difference to the plan, so that it can be made again. */
static void note_asked(const struct hbp_planner *planner,
		       const struct hbp_request *rq, struct hbp_plan *plan)
{
	plan->strict = rq->strict;
	plan->whole = rq->whole;
	plan->asked.objective = rq->objective;
	plan->asked.automatic = planner == &hbp_auto;
	if (planner->takes & HBP_TAKES_SEED)
		plan->asked.seed = rq->seed;
	if (planner->takes & HBP_TAKES_UPDATE)
		plan->asked.update = rq->update;
	if (planner->takes & HBP_TAKES_TREES)
		plan->asked.trees = rq->trees;
	if (planner->takes & HBP_TAKES_TOLERANCE)
		plan->asked.tolerance = rq->tolerance;
}

/* What auto takes is so already. */
static int trim(const struct hbp_planner *planner, const struct hbp_request *rq,
		struct hbp_plan *plan, struct hbp_error *err)
{
	if (!(planner->takes & HBP_TAKES_TOLERANCE) || plan->why)
		return 0;
	return hbp_trim(plan, rq->tolerance, err);
}

/**
 * hbp_plan_make() - make a plan
 * @planner: the planner
 * @rq: what is to be planned
 * @out: receives the plan, checked, in order, with rates and predictions; to be
 *	released with hbp_plan_free()
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if the planner does not take this kind of input, if the
 * root is no member, or if a pair that the planner joins has no link; -ENOMEM
 * or another negative errno value.
 */
int hbp_plan_make(const struct hbp_planner *planner,
		  const struct hbp_request *rq, struct hbp_plan **out,
		  struct hbp_error *err)
{
	struct hbp_plan *plan;
	int ret;

	ret = check_request(planner, rq, err);
	if (ret)
		return ret;
	plan = hbp_plan_alloc(planner->name, rq->root, rq->message_bytes);
	if (!plan)
		return hbp_nomem(err);
	ret = take_replicas(planner, rq, plan, err);
	if (ret) {
		hbp_plan_free(plan);
		return ret;
	}
	ret = planner->make(rq, plan, err);
	if (!ret)
		ret = trim(planner, rq, plan, err);
	note_asked(planner, rq, plan);
	plan->age = rq->in->age;
	if (ret)
		hbp_error_prefix(err, "%s", rq->in->name);
	else
		ret = hbp_plan_finish(plan, rq->in, model_of(planner, rq), err);
	if (ret)
		hbp_plan_free(plan);
	else
		*out = plan;
	return ret;
}
