// SPDX-License-Identifier: GPL-2.0-or-later
/* A plan that is made again, for a network that has changed. */
#include <errno.h>

#include "again.h"
#include "busy.h"
#include "planners.h"

/* Replicas in the order in which the plan's trees begin at them. */
static void order_replicas(const struct hbp_plan *plan, struct hbp_request *rq)
{
	uint32_t id;
	size_t t, i;

	for (t = 0; t < plan->n_trees + plan->n_replicas; t++) {
		id = t < plan->n_trees ? plan->trees[t].root :
		     plan->replicas[t - plan->n_trees];
		for (i = 0; i < rq->n_replicas && rq->replicas[i] != id;)
			i++;
		if (i == rq->n_replicas && id != plan->root)
			rq->replicas[rq->n_replicas++] = id;
	}
}

/**
 * hbp_again_request() - what a plan's planner was asked for, for another network
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the network
 * @model: by which the plan is predicted
 * @rq: filled in; borrows @in
 *
 * Return: the planner; NULL if there is none of that name, or it does not take such a
 * network.
 */
const struct hbp_planner *hbp_again_request(const struct hbp_plan *plan, struct hbp_input *in,
					    enum hbp_model model, struct hbp_request *rq)
{
	const struct hbp_planner *planner = hbp_planner_find(plan->algorithm);

	*rq = (struct hbp_request){
		.in = in, .root = plan->root, .message_bytes = plan->message_bytes,
		.ports = hbp_busy_ports(model), .objective = plan->asked.objective,
		.seed = plan->asked.seed, .update = plan->asked.update,
		.trees = plan->asked.trees, .tolerance = plan->asked.tolerance,
		.strict = plan->strict, .whole = plan->whole,
	};
	order_replicas(plan, rq);
	return planner && planner->inputs & in->kind ? planner : NULL;
}

/**
 * hbp_again() - have a plan's planner plan once more
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the network as it is now
 * @out: receives the new plan, to be released with hbp_plan_free()
 * @err: receives the reason of a failure
 *
 * If auto had chosen the planner it chooses anew.
 *
 * Return: 0; -ENOENT if no planner has made it; a negative errno value of hbp_plan_make().
 */
int hbp_again(const struct hbp_plan *plan, struct hbp_input *in, struct hbp_plan **out,
	      struct hbp_error *err)
{
	enum hbp_model model = plan->predicted ? plan->predicted->model : hbp_model_of(in);
	const struct hbp_planner *planner;
	struct hbp_request rq;

	planner = hbp_again_request(plan, in, model, &rq);
	if (!planner)
		return hbp_fail(err, -ENOENT,
				"no planner called %s plans from %s: plan by hand from the corrected costs",
				plan->algorithm, hbp_kind_name(in->kind));
	return hbp_plan_make(plan->asked.automatic ? &hbp_auto : planner, &rq, out, err);
}
