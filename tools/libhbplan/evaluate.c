// SPDX-License-Identifier: GPL-2.0-or-later
/* Models that predict when each node has the whole message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "evaluate.h"
#include "fluid.h"
#include "input.h"
#include "node.h"
#include "plan.h"
#include "ports.h"
#include "stages.h"
#include "units.h"
#include "wormhole.h"

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
 * hbp_evaluation_mean() - when a node is done on average
 * @evaluation: the evaluation
 *
 * Return: the mean of the nodes' completions in nanoseconds, rounded down.
 */
int64_t hbp_evaluation_mean(const struct hbp_evaluation *evaluation)
{
	int64_t n = (int64_t)evaluation->n, whole = 0, rest = 0;
	size_t i;

	for (i = 0; i < evaluation->n; i++) {
		whole += evaluation->nodes[i].completion_ns / n;
		rest += evaluation->nodes[i].completion_ns % n;
	}
	return whole + rest / n;
}

/**
 * hbp_evaluation_rate() - the rate that every edge can keep while all edges do
 * @evaluation: the evaluation of a plan with one tree
 *
 * Return: the smallest of the nodes' rates in bit/s.
 */
int64_t hbp_evaluation_rate(const struct hbp_evaluation *evaluation)
{
	int64_t rate = INT64_MAX;
	size_t i;

	for (i = 0; i < evaluation->n; i++)
		if (evaluation->nodes[i].rate_bps < rate)
			rate = evaluation->nodes[i].rate_bps;
	return rate;
}

/**
 * hbp_ratio() - how near a time is to its bound
 * @completion_ns: the time
 * @bound_ns: no plan is earlier
 *
 * Return: time over bound, at least 1; infinite if only the bound is 0.
 */
double hbp_ratio(int64_t completion_ns, int64_t bound_ns)
{
	return completion_ns == bound_ns ? 1 :
	       (double)completion_ns / (double)bound_ns;
}

/**
 * hbp_figure_ratio() - how near a node is to its bound
 * @figure: the node's figure
 *
 * Return: as hbp_ratio().
 */
double hbp_figure_ratio(const struct hbp_figure *figure)
{
	return hbp_ratio(figure->completion_ns, figure->bound_ns);
}

/*
 * A figure for the child of every edge of the first tree, in order of edges; a
 * model may put them into another order.
 */
typedef int (*model_fn)(const struct hbp_plan *plan, struct hbp_input *in,
			const size_t *parents, struct hbp_figure *figures,
			struct hbp_error *err);

/* Sums along the path from the root: of completion times, or of distances. */
static int add_up(const struct hbp_plan *plan, struct hbp_input *in,
		  const size_t *parents, bool distances,
		  struct hbp_figure *figures, struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	const struct hbp_figure *above;
	const struct hbp_costs *costs;
	size_t i, from, to;
	int64_t bps, ns;
	int ret;

	ret = hbp_input_costs(in, &costs, err);
	if (ret)
		return ret;
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
		ns = distances ? hbp_costs_delay_ns(costs, from, to) :
		     hbp_costs_pair_ns(costs, from, to, plan->message_bytes);
		figures[i].completion_ns =
			hbp_ns_add(above ? above->completion_ns : 0, ns);
		if (!distances)
			figures[i].rate_bps = above && above->rate_bps < bps ?
					      above->rate_bps : bps;
	}
	return 0;
}

static int completion_model(const struct hbp_plan *plan, struct hbp_input *in,
			    const size_t *parents, struct hbp_figure *figures,
			    struct hbp_error *err)
{
	return add_up(plan, in, parents, false, figures, err);
}

static int path_model(const struct hbp_plan *plan, struct hbp_input *in,
		      const size_t *parents, struct hbp_figure *figures,
		      struct hbp_error *err)
{
	return add_up(plan, in, parents, true, figures, err);
}

static int fluid_model(const struct hbp_plan *plan, struct hbp_input *in,
		       const size_t *parents, struct hbp_figure *figures,
		       struct hbp_error *err)
{
	struct hbp_ways *ways = hbp_ways_alloc(in->platform);
	struct hbp_fluid fluid;
	int ret;

	(void)parents;
	if (!ways)
		return hbp_nomem(err);
	hbp_node_sort(figures, plan->trees[0].n_edges, sizeof(*figures));
	ret = hbp_fluid_find(ways, plan, &fluid, err);
	hbp_ways_free(ways);
	if (ret)
		return ret;
	ret = hbp_stages(plan, &fluid, figures, err);
	hbp_fluid_clear(&fluid);
	return ret;
}

static int one_port_model(const struct hbp_plan *plan, struct hbp_input *in,
			  const size_t *parents, struct hbp_figure *figures,
			  struct hbp_error *err)
{
	(void)parents;
	return hbp_ports_run(plan, in, HBP_ONE_PORT, figures, err);
}

static int multi_port_model(const struct hbp_plan *plan, struct hbp_input *in,
			    const size_t *parents, struct hbp_figure *figures,
			    struct hbp_error *err)
{
	(void)parents;
	return hbp_ports_run(plan, in, HBP_MULTI_PORT, figures, err);
}

static int hnow_model(const struct hbp_plan *plan, struct hbp_input *in,
		      const size_t *parents, struct hbp_figure *figures,
		      struct hbp_error *err)
{
	(void)parents;
	return hbp_wormhole_run(plan, in, figures, err);
}

static int one_port_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
			   int64_t *bounds, struct hbp_error *err)
{
	return hbp_ports_bounds(in, root, bytes, HBP_ONE_PORT, bounds, err);
}

static int multi_port_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
			     int64_t *bounds, struct hbp_error *err)
{
	return hbp_ports_bounds(in, root, bytes, HBP_MULTI_PORT, bounds, err);
}

/* What no plan can be faster than, for each member. */
typedef int (*bounds_fn)(struct hbp_input *in, uint32_t root, uint64_t bytes,
			 int64_t *bounds, struct hbp_error *err);

static const struct {
	const char *name;
	unsigned int needs;	/* HBP_INPUT_*, or 0 for pairs of any */
	bool many_trees;
	model_fn run;
	bounds_fn bounds;
} models[HBP_MODELS] = {
	[HBP_MODEL_COMPLETION] = { "completion", 0, false, completion_model, hbp_bounds },
	[HBP_MODEL_PATH] = { "path", 0, false, path_model, hbp_distances },
	[HBP_MODEL_ONE_PORT] = { "one-port", 0, true, one_port_model, one_port_bounds },
	[HBP_MODEL_MULTI_PORT] = { "multi-port", 0, true, multi_port_model, multi_port_bounds },
	[HBP_MODEL_FLUID] = { "fluid", HBP_INPUT_PLATFORM, true, fluid_model, hbp_bounds },
	[HBP_MODEL_HNOW] = { "hnow", HBP_INPUT_HNOW, true, hnow_model, hbp_wormhole_bounds },
};

/**
 * hbp_model_name() - what files and users call a model
 * @model: the model
 *
 * Return: its name.
 */
const char *hbp_model_name(enum hbp_model model)
{
	return models[model].name;
}

/**
 * hbp_model_find() - find a model
 * @name: its name
 *
 * Return: the model, or HBP_MODELS if there is none of that name.
 */
enum hbp_model hbp_model_find(const char *name)
{
	enum hbp_model model = 0;

	while (model < HBP_MODELS && strcmp(models[model].name, name))
		model++;
	return model;
}

/**
 * hbp_model_of() - the model that suits an input
 * @in: the input
 *
 * Return: the model by which plans made from @in are judged.
 */
enum hbp_model hbp_model_of(const struct hbp_input *in)
{
	if (in->hnow)
		return HBP_MODEL_HNOW;
	return in->platform ? HBP_MODEL_FLUID : HBP_MODEL_COMPLETION;
}

static int check_applies(enum hbp_model model, const struct hbp_input *in,
			 const struct hbp_plan *plan, struct hbp_error *err)
{
	if (plan->n_trees > 1 && !models[model].many_trees)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the %s model takes plans with one tree, not %zu",
				in->name, models[model].name, plan->n_trees);
	if (plan->n_replicas && model != HBP_MODEL_FLUID)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the %s model takes plans with one source, and this one has replicas",
				in->name, models[model].name);
	if (!models[model].needs && in->n > HBP_COSTS_NODES_MAX)
		return hbp_fail(err, -EOPNOTSUPP,
				"%s: the %s model looks at all pairs, of at most %d hosts, not %zu",
				in->name, models[model].name,
				HBP_COSTS_NODES_MAX, in->n);
	if (models[model].needs && !(in->kind & models[model].needs))
		return hbp_fail(err, -EOPNOTSUPP, "%s: the %s model needs %s, not %s",
				in->name, models[model].name,
				hbp_kind_name(models[model].needs),
				hbp_kind_name(in->kind));
	return model == HBP_MODEL_HNOW ? hbp_wormhole_check(plan, in, err) : 0;
}

/**
 * hbp_model_applies() - can a model judge a plan
 * @model: the model
 * @in: the input to judge it on
 * @plan: the plan
 *
 * Return: whether hbp_evaluate() takes them together.
 */
bool hbp_model_applies(enum hbp_model model, const struct hbp_input *in,
		       const struct hbp_plan *plan)
{
	struct hbp_error err;

	return !check_applies(model, in, plan, &err);
}

static int run_model(const struct hbp_plan *plan, struct hbp_input *in,
		     enum hbp_model model, struct hbp_figure *figures,
		     struct hbp_error *err)
{
	const struct hbp_tree *tree = &plan->trees[0];
	size_t *parents;
	int ret;

	parents = calloc(tree->n_edges, sizeof(*parents));
	if (!parents)
		return hbp_nomem(err);
	hbp_tree_parents(tree, plan->root, parents);
	ret = models[model].run(plan, in, parents, figures, err);
	if (ret)
		hbp_error_prefix(err, "%s", in->name);
	free(parents);
	return ret;
}

static int add_bounds(const struct hbp_plan *plan, struct hbp_input *in,
		      struct hbp_evaluation *evaluation, struct hbp_error *err)
{
	uint32_t sources[HBP_REPLICAS_MAX + 1];
	struct hbp_figure *f;
	int64_t *bounds;
	size_t i;
	int ret;

	bounds = calloc(in->n, sizeof(*bounds));
	if (!bounds)
		return hbp_nomem(err);
	if (plan->n_replicas) {
		sources[0] = plan->root;
		memcpy(sources + 1, plan->replicas,
		       plan->n_replicas * sizeof(*sources));
		ret = hbp_bounds_from(in, sources, plan->n_replicas + 1,
				      plan->message_bytes, bounds, err);
	} else {
		ret = models[evaluation->model].bounds(in, plan->root,
						       plan->message_bytes,
						       bounds, err);
	}
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

	ret = check_applies(model, in, plan, err);
	if (ret)
		return ret;
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
