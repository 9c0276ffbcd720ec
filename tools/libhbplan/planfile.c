// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans as files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "node.h"
#include "plan.h"
#include "units.h"

/* Of links that together are wider than one may be. */
#define BOUND_MAX_MBPS	1e12
#define LITERAL		"literal"

static int read_edges(struct hbp_reader *rd, const json_t *edges, size_t t,
		      struct hbp_tree *tree)
{
	uint32_t parent, child;
	const json_t *pair;
	size_t i;
	int ret;

	json_array_foreach(edges, i, pair) {
		if (!json_is_array(pair) || json_array_size(pair) != 2 ||
		    !hbp_json_id(json_array_get(pair, 0), &parent) ||
		    !hbp_json_id(json_array_get(pair, 1), &child))
			return hbp_json_bad(rd, pair,
					    "an array of parent and child id",
					    "trees[%zu].edges[%zu]", t, i);
		ret = hbp_tree_add(tree, parent, child, rd->err);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_tree(struct hbp_reader *rd, json_t *object, size_t t,
		     struct hbp_plan *plan)
{
	static const char *const known[] = {
		"slot", "root", "rate_mbps", "edges", NULL
	};
	const json_t *top = json_object_get(object, "root");
	const json_t *slot = json_object_get(object, "slot");
	const json_t *rate = json_object_get(object, "rate_mbps");
	const json_t *edges = json_object_get(object, "edges");
	struct hbp_tree *tree;
	uint64_t number;
	double mbps;

	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "trees[%zu]", t);
	if (!hbp_json_uint(slot, HBP_PLAN_TREES_MAX - 1, &number))
		return hbp_json_bad(rd, slot, "an integer from 0 to 63",
				    "trees[%zu].slot", t);
	if (!json_is_array(edges))
		return hbp_json_bad(rd, edges, "an array of [parent, child]",
				    "trees[%zu].edges", t);
	if (!json_array_size(edges) ||
	    json_array_size(edges) >= HBP_PLAN_NODES_MAX)
		return hbp_json_fault(rd, "trees[%zu].edges must hold 1 to %d edges, not %zu",
				      t, HBP_PLAN_NODES_MAX - 1,
				      json_array_size(edges));
	hbp_json_unknown(rd, object, known, "trees[%zu].", t);
	tree = hbp_plan_add_tree(plan, (unsigned int)number);
	if (top && !hbp_json_id(top, &tree->root))
		return hbp_json_bad(rd, top, HBP_MUST_BE_ID, "trees[%zu].root", t);
	if (rate) {
		if (!hbp_json_real(rate, HBP_BANDWIDTH_MIN_MBPS,
				   HBP_BANDWIDTH_MAX_MBPS, &mbps))
			return hbp_json_bad(rd, rate, HBP_MUST_BE_BANDWIDTH,
					    "trees[%zu].rate_mbps", t);
		tree->rate_bps = hbp_bps_from_mbps(mbps);
	}
	return read_edges(rd, edges, t, tree);
}

static int read_figure(struct hbp_reader *rd, json_t *object, size_t i,
		       struct hbp_figure *figure)
{
	static const char *const known[] = {
		"id", "rate_mbps", "completion_us", "bound_us", NULL
	};
	const json_t *rate = json_object_get(object, "rate_mbps");
	const json_t *done = json_object_get(object, "completion_us");
	const json_t *bound = json_object_get(object, "bound_us");
	double mbps, us, bound_us;

	if (!hbp_json_id(json_object_get(object, "id"), &figure->id))
		return hbp_json_bad(rd, json_object_get(object, "id"),
				    HBP_MUST_BE_ID, "predicted.nodes[%zu].id", i);
	if (!hbp_json_real(rate, HBP_BANDWIDTH_MIN_MBPS, HBP_BANDWIDTH_MAX_MBPS,
			   &mbps))
		return hbp_json_bad(rd, rate, HBP_MUST_BE_BANDWIDTH,
				    "predicted.nodes[%zu].rate_mbps", i);
	if (!hbp_json_real(done, 0, 9e15, &us))
		return hbp_json_bad(rd, done, "microseconds from 0 to 9e15",
				    "predicted.nodes[%zu].completion_us", i);
	if (!hbp_json_real(bound, 0.001, us, &bound_us))
		return hbp_json_bad(rd, bound,
				    "microseconds from 0.001 to completion_us",
				    "predicted.nodes[%zu].bound_us", i);
	hbp_json_unknown(rd, object, known, "predicted.nodes[%zu].", i);
	figure->rate_bps = hbp_bps_from_mbps(mbps);
	figure->completion_ns = hbp_ns_from_us(us);
	figure->bound_ns = hbp_ns_from_us(bound_us);
	return 0;
}

static int read_model(struct hbp_reader *rd, const json_t *value,
		      enum hbp_model *model)
{
	const char *text = json_string_value(value);

	*model = text ? hbp_model_find(text) : HBP_MODELS;
	if (*model == HBP_MODELS)
		return hbp_json_bad(rd, value, "the name of a model, such as \"fluid\"",
				    "predicted.model");
	return 0;
}

static int read_predicted(struct hbp_reader *rd, json_t *object,
			  struct hbp_plan *plan)
{
	/* Those that are not read follow from those that are. */
	static const char *const known[] = {
		"model", "completion_us", "bound_us", "gap", "slowest", "nodes",
		NULL
	};
	json_t *nodes = json_object_get(object, "nodes"), *node;
	size_t i, n = plan->trees[0].n_edges;
	int ret;

	if (!object)
		return 0;
	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "predicted");
	if (!json_is_array(nodes))
		return hbp_json_bad(rd, nodes, "an array of objects",
				    "predicted.nodes");
	if (json_array_size(nodes) != n)
		return hbp_json_fault(rd,
				      "predicted.nodes must hold the %zu nodes but the root, not %zu",
				      n, json_array_size(nodes));
	hbp_json_unknown(rd, object, known, "predicted.");
	plan->predicted = hbp_evaluation_alloc(n);
	if (!plan->predicted)
		return hbp_nomem(rd->err);
	ret = read_model(rd, json_object_get(object, "model"),
			 &plan->predicted->model);
	if (ret)
		return ret;
	json_array_foreach(nodes, i, node) {
		ret = read_figure(rd, node, i, &plan->predicted->nodes[i]);
		if (ret)
			return ret;
	}
	hbp_node_sort(plan->predicted->nodes, n, sizeof(*plan->predicted->nodes));
	for (i = 0; i < n; i++)
		if (hbp_node_find(plan->predicted->nodes, n,
				  sizeof(*plan->predicted->nodes),
				  plan->trees[0].edges[i].child) == HBP_NONE)
			return hbp_json_fault(rd, "predicted.nodes: node %u is missing",
					      plan->trees[0].edges[i].child);
	return 0;
}

/* What holds for the plan as a whole, and may be left out. */
static int read_optional(struct hbp_reader *rd, const json_t *root, struct hbp_plan *plan)
{
	const json_t *bound = json_object_get(root, "bound_mbps");
	const json_t *strict = json_object_get(root, "strict");
	const json_t *forward = json_object_get(root, "forward");
	const json_t *cost = json_object_get(root, "cost");
	double us, mbps;

	if (strict && !json_is_boolean(strict))
		return hbp_json_bad(rd, strict, "true or false", "strict");
	if (forward && !hbp_json_says(forward, "packet") && !hbp_json_says(forward, "message"))
		return hbp_json_bad(rd, forward, "packet or message", "forward");
	if (cost && !hbp_json_real(cost, 0, 9e15, &us))
		return hbp_json_bad(rd, cost, "microseconds from 0 to 9e15",
				    "cost");
	if (bound && !hbp_json_real(bound, HBP_BANDWIDTH_MIN_MBPS, BOUND_MAX_MBPS,
				    &mbps))
		return hbp_json_bad(rd, bound, "Mbit/s from 0.000001 to 1e12",
				    "bound_mbps");
	plan->strict = json_is_true(strict);
	plan->whole = hbp_json_says(forward, "message");
	if (cost)
		plan->cost_ns = hbp_ns_from_us(us);
	if (bound)
		plan->bound_bps = hbp_bps_from_mbps(mbps);
	return 0;
}

static int read_replicas(struct hbp_reader *rd, const json_t *list,
			 struct hbp_plan *plan)
{
	const json_t *id;
	size_t i;

	if (!list)
		return 0;
	if (!json_is_array(list) || json_array_size(list) > HBP_REPLICAS_MAX)
		return hbp_json_bad(rd, list, "an array of up to 63 ids",
				    "replicas");
	json_array_foreach(list, i, id)
		if (!hbp_json_id(id, &plan->replicas[plan->n_replicas++]))
			return hbp_json_bad(rd, id, HBP_MUST_BE_ID,
					    "replicas[%zu]", i);
	hbp_node_sort(plan->replicas, plan->n_replicas, sizeof(*plan->replicas));
	for (i = 0; i < plan->n_replicas; i++) {
		if (plan->replicas[i] == plan->root)
			return hbp_json_fault(rd, "replicas: node %u is the root",
					      plan->root);
		if (i && plan->replicas[i] == plan->replicas[i - 1])
			return hbp_json_fault(rd, "replicas: node %u is given twice",
					      plan->replicas[i]);
	}
	return 0;
}

static int read_trees(struct hbp_reader *rd, json_t *root, struct hbp_plan *plan)
{
	json_t *trees = json_object_get(root, "trees"), *tree;
	size_t t;
	int ret;

	if (!json_is_array(trees))
		return hbp_json_bad(rd, trees, "an array of objects", "trees");
	if (!json_array_size(trees) ||
	    json_array_size(trees) > HBP_PLAN_TREES_MAX)
		return hbp_json_fault(rd, "trees must hold 1 to %d trees, not %zu",
				      HBP_PLAN_TREES_MAX, json_array_size(trees));
	json_array_foreach(trees, t, tree) {
		ret = read_tree(rd, tree, t, plan);
		if (ret)
			return ret;
	}
	ret = hbp_plan_check(plan, rd->err);
	if (ret)
		hbp_error_prefix(rd->err, "%s: trees", rd->file);
	return ret;
}

static int read_asked(struct hbp_reader *rd, json_t *object,
		      struct hbp_asked *asked)
{
	static const char *const known[] = {
		"objective", "seed", "update", "trees", "tolerance", "auto", NULL
	};
	const json_t *objective, *seed, *trees, *update, *tolerance, *automatic;
	uint64_t n = 1;

	if (!object)
		return 0;
	if (!json_is_object(object))
		return hbp_json_bad(rd, object, "an object", "asked");
	objective = json_object_get(object, "objective");
	seed = json_object_get(object, "seed");
	trees = json_object_get(object, "trees");
	if (objective && json_is_string(objective))
		asked->objective = hbp_objective_find(json_string_value(objective));
	if (objective && (!json_is_string(objective) ||
			  asked->objective == HBP_OBJECTIVES))
		return hbp_json_bad(rd, objective,
				    "\"completion\", \"throughput\" or \"mean-completion\"",
				    "asked.objective");
	if (seed && !hbp_json_uint(seed, INT64_MAX, &asked->seed))
		return hbp_json_bad(rd, seed, "an integer from 0 to 2^63 - 1",
				    "asked.seed");
	if (trees && (!hbp_json_uint(trees, HBP_PLAN_TREES_MAX, &n) || !n))
		return hbp_json_bad(rd, trees, "an integer from 1 to 64",
				    "asked.trees");
	update = json_object_get(object, "update");
	if (update && !hbp_json_says(update, LITERAL))
		return hbp_json_bad(rd, update, "\"" LITERAL "\"", "asked.update");
	tolerance = json_object_get(object, "tolerance");
	if (tolerance && !hbp_json_real(tolerance, 0, 1, &asked->tolerance))
		return hbp_json_bad(rd, tolerance, "a number from 0 to 1", "asked.tolerance");
	automatic = json_object_get(object, "auto");
	if (automatic && !json_is_boolean(automatic))
		return hbp_json_bad(rd, automatic, "true or false", "asked.auto");
	asked->automatic = json_is_true(automatic);
	asked->update = update ? HBP_UPDATE_LITERAL : HBP_UPDATE_WEIGHTED;
	asked->trees = trees ? (unsigned int)n : 0;
	hbp_json_unknown(rd, object, known, "asked.");
	return 0;
}

static int plan_from_json(struct hbp_reader *rd, json_t *root, void *out)
{
	static const char *const known[] = {
		"hbcast", "version", "algorithm", "root", "replicas", "message_bytes",
		"asked", "strict", "forward", "cost", "steps", "previous_cost",
		"increased_cost", "change",
		"trees", "bound_mbps", "uncapped_mbps", "certificate", "rate_gap", "predicted",
		"measured", "why", NULL
	};
	const json_t *algorithm = json_object_get(root, "algorithm");
	const json_t *bytes = json_object_get(root, "message_bytes");
	json_t *certificate = json_object_get(root, "certificate");
	const json_t *id = json_object_get(root, "root");
	struct hbp_plan *plan;
	uint64_t size;
	uint32_t node;
	int ret;

	ret = hbp_json_header(rd, root, "plan");
	if (ret)
		return ret;
	if (!hbp_json_text(algorithm, 63))
		return hbp_json_bad(rd, algorithm, HBP_MUST_BE_NAME, "algorithm");
	if (!hbp_json_id(id, &node))
		return hbp_json_bad(rd, id, HBP_MUST_BE_ID, "root");
	if (!hbp_json_uint(bytes, HBP_MESSAGE_MAX, &size) || !size)
		return hbp_json_bad(rd, bytes, "an integer from 1 to 2^50",
				    "message_bytes");
	hbp_json_unknown(rd, root, known, "%s", "");
	plan = hbp_plan_alloc(json_string_value(algorithm), node, size);
	if (!plan)
		return hbp_nomem(rd->err);
	ret = read_optional(rd, root, plan);
	if (!ret)
		ret = read_replicas(rd, json_object_get(root, "replicas"), plan);
	if (!ret)
		ret = read_asked(rd, json_object_get(root, "asked"),
				 &plan->asked);
	if (!ret)
		ret = read_trees(rd, root, plan);
	if (!ret && certificate)
		ret = hbp_certificate_from_json(rd, certificate,
						&plan->certificate);
	if (!ret)
		ret = read_predicted(rd, json_object_get(root, "predicted"),
				     plan);
	if (ret)
		hbp_plan_free(plan);
	else
		*(struct hbp_plan **)out = plan;
	return ret;
}

/**
 * hbp_plan_load() - read a plan from a file
 * @path: the file
 * @warn: where warnings go, or NULL
 * @out: receives the plan, checked and in order, to be released with
 *	hbp_plan_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_plan_load(const char *path, const struct hbp_warn *warn,
		  struct hbp_plan **out, struct hbp_error *err)
{
	return hbp_json_load(path, warn, plan_from_json, out, err);
}

/**
 * hbp_plan_parse() - read a plan from memory
 * @text: JSON, not terminated
 * @len: its length in bytes
 * @name: what error sentences call it
 * @warn: where warnings go, or NULL
 * @out: receives the plan, checked and in order, to be released with
 *	hbp_plan_free()
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_plan_parse(const char *text, size_t len, const char *name,
		   const struct hbp_warn *warn, struct hbp_plan **out,
		   struct hbp_error *err)
{
	return hbp_json_load_text(text, len, name, warn, plan_from_json, out,
				  err);
}

static json_t *tree_to_json(const struct hbp_plan *plan,
			    const struct hbp_tree *tree)
{
	json_t *object = json_object(), *edges = json_array(), *edge;
	size_t i;

	json_object_set_new(object, "slot", json_integer(tree->slot));
	if (tree->root != plan->root)
		json_object_set_new(object, "root", json_integer(tree->root));
	if (tree->rate_bps)
		json_object_set_new(object, "rate_mbps",
				    json_real(hbp_mbps_from_bps(tree->rate_bps)));
	for (i = 0; i < tree->n_edges; i++) {
		edge = json_pack("[I, I]", (json_int_t)tree->edges[i].parent,
				 (json_int_t)tree->edges[i].child);
		json_array_append_new(edges, edge);
	}
	json_object_set_new(object, "edges", edges);
	return object;
}

static json_t *predicted_to_json(const struct hbp_evaluation *predicted)
{
	const struct hbp_figure *slowest = hbp_evaluation_slowest(predicted);
	int64_t bound = hbp_evaluation_bound(predicted);
	json_t *nodes = json_array(), *node;
	const struct hbp_figure *f;
	size_t i;

	for (i = 0; i < predicted->n; i++) {
		f = &predicted->nodes[i];
		node = json_pack("{s:I, s:f, s:f, s:f}", "id", (json_int_t)f->id,
				 "rate_mbps", hbp_mbps_from_bps(f->rate_bps),
				 "completion_us",
				 hbp_us_from_ns(f->completion_ns),
				 "bound_us", hbp_us_from_ns(f->bound_ns));
		json_array_append_new(nodes, node);
	}
	return json_pack("{s:s, s:f, s:f, s:f, s:I, s:o}", "model",
			 hbp_model_name(predicted->model), "completion_us",
			 hbp_us_from_ns(slowest->completion_ns), "bound_us",
			 hbp_us_from_ns(bound), "gap",
			 hbp_ratio(slowest->completion_ns, bound) - 1,
			 "slowest", (json_int_t)slowest->id, "nodes", nodes);
}

static json_t *why_to_json(const struct hbp_why *why)
{
	json_t *planners = json_array(), *row;
	const struct hbp_tried *t;
	size_t i;

	for (i = 0; i < why->n; i++) {
		t = &why->tried[i];
		row = json_pack("{s:s, s:b}", "algorithm", t->algorithm,
				"planned", t->made);
		if (t->made) {
			json_object_set_new(row, "completion_us",
					    json_real(hbp_us_from_ns(t->completion_ns)));
			json_object_set_new(row, "mean_completion_us",
					    json_real(hbp_us_from_ns(t->mean_ns)));
			json_object_set_new(row, "rate_mbps",
					    json_real(hbp_mbps_from_bps(t->rate_bps)));
		}
		json_array_append_new(planners, row);
	}
	return json_pack("{s:s, s:s, s:f, s:s, s:o}", "algorithm",
			 why->tried[why->chosen].algorithm, "objective",
			 hbp_objective_name(why->objective), "tolerance",
			 why->tolerance, "model",
			 hbp_model_name(why->model), "planners", planners);
}

/* What had happened, and what replanning did. */
static json_t *change_to_json(const struct hbp_replanned *r)
{
	static const char *const events[] = {
		[HBP_LINK_CHANGED] = "link",
		[HBP_NODE_JOINED] = "join",
		[HBP_NODE_LEFT] = "leave",
	};
	const struct hbp_change *c = &r->change;
	json_t *what;

	if (c->event == HBP_LINK_CHANGED)
		what = json_pack("[I, I]", (json_int_t)c->node,
				 (json_int_t)c->other);
	else
		what = json_integer(c->node);
	return json_pack("{s:o, s:o*, s:s, s:o*}", events[c->event], what,
			 "moved", r->filled ? json_integer(r->moved) : NULL,
			 "strategy", hbp_strategy_name(c->strategy), "swapped",
			 r->swapped ? json_pack("[I, I]", (json_int_t)r->swap[0],
						(json_int_t)r->swap[1]) : NULL);
}

/* Microseconds; nothing, and so no key, for a time that never comes. */
static json_t *time_to_json(int64_t ns)
{
	return ns == HBP_NEVER ? NULL : json_real(hbp_us_from_ns(ns));
}

/* Nothing, and so no key, if nothing was asked for. */
static json_t *asked_to_json(const struct hbp_asked *asked)
{
	if (!asked->objective && !asked->seed && !asked->update && !asked->trees &&
	    !asked->tolerance && !asked->automatic)
		return NULL;
	return json_pack("{s:s*, s:o*, s:s*, s:o*, s:o*, s:o*}", "objective", asked->objective ?
			 hbp_objective_name(asked->objective) : NULL, "seed",
			 asked->seed ? json_integer((json_int_t)asked->seed) : NULL,
			 "update", asked->update ? LITERAL : NULL,
			 "trees", asked->trees ? json_integer(asked->trees) : NULL,
			 "tolerance", asked->tolerance ? json_real(asked->tolerance) : NULL,
			 "auto", asked->automatic ? json_true() : NULL);
}

static json_t *replicas_to_json(const struct hbp_plan *plan)
{
	json_t *ids = plan->n_replicas ? json_array() : NULL;
	size_t i;

	for (i = 0; i < plan->n_replicas; i++)
		json_array_append_new(ids, json_integer(plan->replicas[i]));
	return ids;
}

/* How far rates are from cuts, or the slowest node's from the bound. */
static json_t *rate_gap_to_json(const struct hbp_plan *plan)
{
	double gap;

	if (!plan->predicted || !plan->certificate)
		return NULL;
	if (plan->certificate->n_cuts)
		return json_real(hbp_certificate_gap(plan->certificate,
						     plan->predicted));
	if (!plan->bound_bps || plan->certificate->model != plan->predicted->model)
		return NULL;
	gap = 1 - (double)hbp_evaluation_rate(plan->predicted) /
		  (double)plan->bound_bps;
	return json_real(gap > 0 ? gap : 0);
}

static json_t *plan_to_json(const struct hbp_plan *plan)
{
	const struct hbp_replanned *r = &plan->replanned;
	json_t *trees = json_array(), *object;
	size_t i;

	for (i = 0; i < plan->n_trees; i++)
		json_array_append_new(trees, tree_to_json(plan, &plan->trees[i]));
	object = json_pack("{s:s, s:i, s:s, s:I, s:o*, s:I, s:o*, s:o*, s:o*, s:o*, s:o*, s:o}",
			   "hbcast", "plan", "version", 1, "algorithm",
			   plan->algorithm, "root", (json_int_t)plan->root,
			   "replicas", replicas_to_json(plan),
			   "message_bytes", (json_int_t)plan->message_bytes,
			   "asked", asked_to_json(&plan->asked),
			   "cost", time_to_json(plan->cost_ns),
			   "previous_cost", r->done ?
			   time_to_json(r->previous_ns) : NULL,
			   "increased_cost", r->done ?
			   time_to_json(r->increased_ns) : NULL, "steps", r->done ?
			   json_integer((json_int_t)r->steps) : NULL,
			   "trees", trees);
	/* What is not there has no key. */
	json_object_set_new(object, "strict", plan->strict ? json_true() : NULL);
	json_object_set_new(object, "forward", plan->whole ? json_string("message") : NULL);
	json_object_set_new(object, "change", r->done ? change_to_json(r) : NULL);
	json_object_set_new(object, "bound_mbps", plan->bound_bps ?
			    json_real(hbp_mbps_from_bps(plan->bound_bps)) : NULL);
	json_object_set_new(object, "uncapped_mbps", plan->uncapped_bps ?
			    json_real(hbp_mbps_from_bps(plan->uncapped_bps)) : NULL);
	json_object_set_new(object, "certificate", plan->certificate ?
			    hbp_certificate_to_json(plan->certificate) : NULL);
	json_object_set_new(object, "rate_gap", rate_gap_to_json(plan));
	json_object_set_new(object, "predicted", plan->predicted ?
			    predicted_to_json(plan->predicted) : NULL);
	json_object_set_new(object, "measured", hbp_age_to_json(&plan->age));
	json_object_set_new(object, "why", plan->why ? why_to_json(plan->why) :
			    NULL);
	return object;
}

/**
 * hbp_plan_text() - a plan as JSON text
 * @plan: the plan
 *
 * Return: text ending in a newline, to be released with free(), or NULL if
 * memory has run out.
 */
char *hbp_plan_text(const struct hbp_plan *plan)
{
	return hbp_json_dump(plan_to_json(plan));
}

/**
 * hbp_plan_save() - write a plan to a file
 * @plan: the plan
 * @path: the file, replaced as a whole or not at all
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
int hbp_plan_save(const struct hbp_plan *plan, const char *path,
		  struct hbp_error *err)
{
	return hbp_json_save(plan_to_json(plan), path, err);
}
