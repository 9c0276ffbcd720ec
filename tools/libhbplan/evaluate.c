// SPDX-License-Identifier: GPL-2.0-or-later
/* Models that predict when each node has the whole message. */
#include <errno.h>
#include <stdlib.h>

#include "bound.h"
#include "evaluate.h"
#include "fluid.h"
#include "input.h"
#include "node.h"
#include "plan.h"
#include "units.h"

/**
 * hbp_model_name() - what files and users call a model
 * @model: the model
 *
 * Return: its name.
 */
const char *hbp_model_name(enum hbp_model model)
{
	return model == HBP_MODEL_FLUID ? "fluid" : "completion";
}

/**
 * hbp_model_of() - the model that suits an input
 * @in: the input
 *
 * Return: the model by which plans made from @in are judged.
 */
enum hbp_model hbp_model_of(const struct hbp_input *in)
{
	return in->platform ? HBP_MODEL_FLUID : HBP_MODEL_COMPLETION;
}

/**
 * hbp_evaluation_alloc() - room for an evaluation
 * @n: number of nodes without the root
 *
 * Return: to be released with hbp_evaluation_free(); NULL if memory has run
 * out.
 */
struct hbp_evaluation *hbp_evaluation_alloc(size_t n)
{
	struct hbp_evaluation *evaluation = calloc(1, sizeof(*evaluation));

	if (!evaluation)
		return NULL;
	evaluation->n = n;
	evaluation->nodes = calloc(n, sizeof(*evaluation->nodes));
	if (!evaluation->nodes) {
		free(evaluation);
		return NULL;
	}
	return evaluation;
}

/**
 * hbp_evaluation_free() - release an evaluation
 * @evaluation: it, or NULL
 */
void hbp_evaluation_free(struct hbp_evaluation *evaluation)
{
	if (evaluation)
		free(evaluation->nodes);
	free(evaluation);
}

/**
 * hbp_evaluation_slowest() - the node that completes last
 * @evaluation: the evaluation
 *
 * Return: its figure, of several the one with the lowest id.
 */
const struct hbp_figure *
hbp_evaluation_slowest(const struct hbp_evaluation *evaluation)
{
	const struct hbp_figure *slowest = evaluation->nodes;
	size_t i;

	for (i = 1; i < evaluation->n; i++)
		if (evaluation->nodes[i].completion_ns > slowest->completion_ns)
			slowest = &evaluation->nodes[i];
	return slowest;
}

/**
 * hbp_evaluation_bound() - the earliest that all nodes can be done
 * @evaluation: the evaluation
 *
 * Return: the largest of the nodes' bounds in nanoseconds.
 */
int64_t hbp_evaluation_bound(const struct hbp_evaluation *evaluation)
{
	int64_t bound = 0;
	size_t i;

	for (i = 0; i < evaluation->n; i++)
		if (evaluation->nodes[i].bound_ns > bound)
			bound = evaluation->nodes[i].bound_ns;
	return bound;
}

/**
 * hbp_figure_ratio() - how near a node is to its bound
 * @figure: the node's figure
 *
 * Return: completion time over bound, at least 1.
 */
double hbp_figure_ratio(const struct hbp_figure *figure)
{
	return (double)figure->completion_ns / (double)figure->bound_ns;
}

/* Fills completion and rate of the child of every edge, in order of edges. */
static int completion_model(const struct hbp_costs *costs,
			    const struct hbp_plan *plan, const size_t *parents,
			    struct hbp_figure *figures, struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	const struct hbp_figure *above;
	size_t i, from, to;
	int64_t bps;

	for (i = 0; i < tree->n_edges; i++) {
		above = parents[i] ? &figures[parents[i] - 1] : NULL;
		from = hbp_costs_find(costs, tree->edges[i].parent);
		to = hbp_costs_find(costs, tree->edges[i].child);
		bps = costs->bandwidth_bps[from * costs->n + to];
		if (!bps)
			return hbp_fail(err, -EINVAL,
					"bandwidth_mbps: %s sends from node %u to node %u, which have no link",
					plan->algorithm, tree->edges[i].parent,
					tree->edges[i].child);
		figures[i].completion_ns =
			hbp_ns_add(above ? above->completion_ns : 0,
				   hbp_costs_pair_ns(costs, from, to,
						     plan->message_bytes));
		figures[i].rate_bps = above && above->rate_bps < bps ?
				      above->rate_bps : bps;
	}
	return 0;
}

static int run_model(const struct hbp_plan *plan, struct hbp_input *in,
		     enum hbp_model model, struct hbp_figure *figures,
		     struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	const struct hbp_costs *costs;
	size_t *parents;
	int ret = 0;

	parents = calloc(tree->n_edges, sizeof(*parents));
	if (!parents)
		return hbp_nomem(err);
	hbp_tree_parents(tree, plan->root, parents);
	if (model == HBP_MODEL_FLUID)
		ret = hbp_fluid(in->platform, tree, parents,
				plan->message_bytes, figures, err);
	else
		ret = hbp_input_costs(in, &costs, err);
	if (!ret && model == HBP_MODEL_COMPLETION)
		ret = completion_model(costs, plan, parents, figures, err);
	if (ret)
		hbp_error_prefix(err, "%s", in->name);
	free(parents);
	return ret;
}

static int add_bounds(const struct hbp_plan *plan, struct hbp_input *in,
		      struct hbp_evaluation *evaluation, struct hbp_error *err)
{
	struct hbp_figure *f;
	int64_t *bounds;
	size_t i;
	int ret;

	bounds = calloc(in->n, sizeof(*bounds));
	if (!bounds)
		return hbp_nomem(err);
	ret = hbp_bounds(in, plan->root, plan->message_bytes, bounds, err);
	for (i = 0; !ret && i < evaluation->n; i++) {
		f = &evaluation->nodes[i];
		f->bound_ns = bounds[hbp_input_find(in, f->id)];
		if (f->completion_ns == HBP_NEVER)
			ret = hbp_fail(err, -ERANGE,
				       "%s: by %s node %u would need more than 285 years",
				       in->name, plan->algorithm, f->id);
	}
	free(bounds);
	return ret;
}

/**
 * hbp_evaluate() - predict how a plan does
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: the input to judge it on
 * @model: the model
 * @out: receives the evaluation, to be released with hbp_evaluation_free()
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if the plan's nodes are not the members of @in, or the
 * plan joins a pair without a link; -EOPNOTSUPP if the model does not apply;
 * -ERANGE if a node needs longer than HBP_NS_MAX; -ENOMEM.
 */
int hbp_evaluate(const struct hbp_plan *plan, struct hbp_input *in,
		 enum hbp_model model, struct hbp_evaluation **out,
		 struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	struct hbp_evaluation *evaluation;
	size_t i;
	int ret;

	if (plan->n_trees > 1)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the %s model takes plans with one tree, not %zu",
				in->name, hbp_model_name(model), plan->n_trees);
	if (model == HBP_MODEL_FLUID && !in->platform)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the fluid model needs a platform, not a cost matrix",
				in->name);
	ret = hbp_plan_check_members(plan, in->members, in->n, err);
	if (ret) {
		hbp_error_prefix(err, "%s", in->name);
		return ret;
	}
	evaluation = hbp_evaluation_alloc(tree->n_edges);
	if (!evaluation)
		return hbp_nomem(err);
	evaluation->model = model;
	for (i = 0; i < tree->n_edges; i++)
		evaluation->nodes[i].id = tree->edges[i].child;
	ret = run_model(plan, in, model, evaluation->nodes, err);
	if (!ret)
		ret = add_bounds(plan, in, evaluation, err);
	if (ret) {
		hbp_evaluation_free(evaluation);
		return ret;
	}
	hbp_node_sort(evaluation->nodes, evaluation->n,
		      sizeof(*evaluation->nodes));
	*out = evaluation;
	return 0;
}
