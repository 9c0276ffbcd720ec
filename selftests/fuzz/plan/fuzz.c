// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzing of libhbplan's loaders, and of what follows from a file that they
 * take: plans by all planners must be good, and texts must be read alike.
 */
#include <stdlib.h>
#include <string.h>

#include "hbplan.h"

/* Plans of larger inputs would only make runs slow. */
#define MOST_MEMBERS	12

static void check_error(int ret, const struct hbp_error *err)
{
	size_t len = strlen(err->text), i;

	if (ret > 0 || !len)
		abort();
	for (i = 0; i < len; i++)
		if ((unsigned char)err->text[i] < 0x20)
			abort();
}

static struct hbp_plan *read_again(const char *text)
{
	struct hbp_plan *plan;
	struct hbp_error err;

	if (!text || hbp_plan_parse(text, strlen(text), "x", NULL, &plan, &err))
		abort();
	return plan;
}

/*
 * What is written must be read, and what was read once be written alike: files
 * have 15 digits, so times beyond 11 days lose nanoseconds the first time.
 */
static void check_text(const struct hbp_plan *plan)
{
	char *first = hbp_plan_text(plan), *second, *third;
	struct hbp_plan *once = read_again(first), *twice;

	second = hbp_plan_text(once);
	twice = read_again(second);
	third = hbp_plan_text(twice);
	if (!third || strcmp(second, third))
		abort();
	free(first);
	free(second);
	free(third);
	hbp_plan_free(once);
	hbp_plan_free(twice);
}

static void check_figures(const struct hbp_plan *plan)
{
	const struct hbp_evaluation *e = plan->predicted;
	size_t i;

	for (i = 0; i < e->n; i++)
		if (e->nodes[i].bound_ns < 1 || e->nodes[i].rate_bps < 1 ||
		    e->nodes[i].completion_ns < e->nodes[i].bound_ns)
			abort();
}

/* What limits a plan; by models that share nothing, hops add up to the end. */
static void explain(const struct hbp_plan *plan, struct hbp_input *in)
{
	struct hbp_explanation e;
	struct hbp_error err = { "" };
	int64_t end;
	size_t i;
	int ret;

	ret = hbp_explain(plan, in, &e, &err);
	if (ret) {
		check_error(ret, &err);
		return;
	}
	for (i = 0; i < e.n_paths; i++) {
		end = e.paths[i].hops[e.paths[i].n - 1].done_ns;
		if (end != e.now.completion_ns)
			abort();
	}
	for (i = 0; i < e.n; i++)
		if (!(e.limits[i].busy >= 0) || e.limits[i].upgraded.bound_ns < 1)
			abort();
	hbp_explanation_clear(&e);
}

static void make_plans(struct hbp_input *in, uint64_t bytes)
{
	struct hbp_request rq = { .in = in, .message_bytes = bytes };
	const struct hbp_planner *const *planners;
	struct hbp_error err;
	struct hbp_plan *plan;
	size_t n, i;
	int ret;

	planners = hbp_planners(&n);
	for (i = 0; i < n; i++) {
		rq.root = in->members[i % in->n];
		memset(&err, 0, sizeof(err));
		ret = hbp_plan_make(planners[i], &rq, &plan, &err);
		if (ret) {
			check_error(ret, &err);
			continue;
		}
		if (hbp_plan_check_members(plan, in->members, in->n, &err))
			abort();
		check_figures(plan);
		check_text(plan);
		/* Of one plan: it plans anew for each limit. */
		if (i == bytes % n)
			explain(plan, in);
		hbp_plan_free(plan);
	}
}

/* What a change makes of a plan; NULL if it cannot be. */
static struct hbp_plan *adapt(const struct hbp_plan *old, struct hbp_input *in,
			      enum hbp_event event, const struct hbp_edge *at,
			      enum hbp_strategy strategy)
{
	struct hbp_change change = {
		.event = event, .node = at->child, .other = at->parent,
		.strategy = strategy
	};
	struct hbp_error err = { "" };
	struct hbp_plan *plan = NULL;
	int ret;

	ret = hbp_replan(old, in, &change, &plan, &err);
	if (ret) {
		check_error(ret, &err);
		return NULL;
	}
	if (hbp_plan_check_members(plan, in->members, in->n, &err) ||
	    plan->cost_ns > plan->replanned.increased_ns)
		abort();
	check_figures(plan);
	check_text(plan);
	return plan;
}

static struct hbp_input *parse_again(const char *text, size_t size)
{
	struct hbp_error err;
	struct hbp_input *in;

	if (hbp_input_parse(text, size, "x", NULL, &in, &err))
		abort();
	return in;
}

/* A link changes, a node leaves, and it joins again. */
static void adapt_plans(const char *text, size_t size)
{
	struct hbp_input *in = parse_again(text, size), *again;
	struct hbp_request rq = {
		.in = in, .root = in->members[0], .message_bytes = size
	};
	enum hbp_strategy strategy = size % HBP_STRATEGIES;
	struct hbp_plan *plan, *left = NULL;
	const struct hbp_edge *edge;
	struct hbp_error err;

	if (!hbp_plan_make(&hbp_balanced_path, &rq, &plan, &err)) {
		edge = &plan->trees[0].edges[size % (in->n - 1)];
		hbp_plan_free(adapt(plan, in, HBP_LINK_CHANGED, edge, strategy));
		left = adapt(plan, in, HBP_NODE_LEFT, edge, strategy);
		again = parse_again(text, size);
		if (left)
			hbp_plan_free(adapt(left, again, HBP_NODE_JOINED, edge,
					    strategy));
		hbp_input_free(again);
		hbp_plan_free(left);
		hbp_plan_free(plan);
	}
	hbp_input_free(in);
}

static void check_input(struct hbp_input *in)
{
	struct hbp_platform *platform;
	struct hbp_error err = { "" };
	struct hbp_input *again;
	char *text;
	int ret;

	if (in->hnow)
		text = hbp_hnow_text(in->hnow);
	else
		text = in->platform ? hbp_platform_text(in->platform) :
				      hbp_costs_text(in->costs);
	if (!text)
		abort();
	again = parse_again(text, strlen(text));
	if (again->kind != in->kind || again->n != in->n)
		abort();
	hbp_input_free(again);
	free(text);
	if (in->platform)
		return;
	ret = hbp_platform_from_costs(in->costs, &platform, &err);
	if (ret)
		check_error(ret, &err);
	else
		hbp_platform_free(platform);
}

/* Files of others: what is taken must be fit to be written and read again. */
static void take_foreign(const char *text, size_t size)
{
	static const struct hbp_foreign kinds[] = {
		{ .path = "x.csv", .assumed = { 5, 1000000 } },
		{ .path = "x.tsv", .holds = "rtt_ms", .assumed = { -1, 9 } },
		{ .path = "x.csv", .holds = "bandwidth_gbps", .assumed = { 0, -1 } },
		{ .path = "x.xml", .assumed = { 7, 1000 } },
		{ .path = "x.gml", .assumed = { 7, 1000 } },
	};
	struct hbp_error err = { "" };
	struct hbp_input *in;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		ret = hbp_import_text(text, size, &kinds[i], NULL, &in, &err);
		if (ret) {
			check_error(ret, &err);
			continue;
		}
		if (in->n < 100)
			check_input(in);
		hbp_input_free(in);
	}
}

/* libFuzzer calls it by a name that is not of our style. */
int take_file(const uint8_t *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

int take_file(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct hbp_error err = { "" };
	struct hbp_input *in;
	struct hbp_plan *plan;
	int ret;

	/* JSON is no foreign file. */
	if (size && *data != '{')
		take_foreign(text, size);
	ret = hbp_input_parse(text, size, "x", NULL, &in, &err);
	if (ret)
		check_error(ret, &err);
	if (!ret && in->n <= MOST_MEMBERS) {
		if (in->hnow)
			check_input(in);
		make_plans(in, size & 1 ? size : HBP_MESSAGE_MAX);
		adapt_plans(text, size);
	}
	if (!ret)
		hbp_input_free(in);
	ret = hbp_plan_parse(text, size, "x", NULL, &plan, &err);
	if (ret) {
		check_error(ret, &err);
		return 0;
	}
	check_text(plan);
	hbp_plan_free(plan);
	return 0;
}
