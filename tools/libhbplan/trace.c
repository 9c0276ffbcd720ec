// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transfer trees traced one after the other on what links have left (paper 003,
 * algorithm 1). A walk meets the hosts depth-first, and each receives from the
 * one met last that has a route to it over links with something left. On a tree
 * of links nobody is left out: who cannot reach the next host is below a host or
 * behind a used-up link, and what the walk meets later is not there any more, so
 * it need not be asked again.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace.h"
#include "visit.h"

/**
 * hbp_trace_alloc() - prepare to trace trees on an unused platform
 * @platform: the platform; must outlive the result
 * @root: index of the root, a host
 *
 * Return: to be released with hbp_trace_free(); NULL if memory has run out.
 */
struct hbp_trace *hbp_trace_alloc(const struct hbp_platform *platform,
				  size_t root)
{
	struct hbp_trace *t = calloc(1, sizeof(*t));
	size_t i, m = platform->n_links;

	if (!t)
		return NULL;
	t->platform = platform;
	t->root = root;
	t->ways = hbp_ways_alloc(platform);
	t->left = calloc(m, sizeof(*t->left));
	t->uses = calloc(m, sizeof(*t->uses));
	t->used = calloc(m, sizeof(*t->used));
	t->hosts = calloc(platform->n_hosts, sizeof(*t->hosts));
	t->stack = calloc(platform->n_hosts, sizeof(*t->stack));
	if (!t->ways || !t->left || !t->uses || !t->used || !t->hosts ||
	    !t->stack) {
		hbp_trace_free(t);
		return NULL;
	}
	for (i = 0; i < m; i++)
		t->left[i] = platform->links[i].bandwidth_bps;
	return t;
}

/**
 * hbp_trace_free() - release what hbp_trace_alloc() made
 * @trace: it, or NULL
 */
void hbp_trace_free(struct hbp_trace *trace)
{
	if (!trace)
		return;
	hbp_ways_free(trace->ways);
	free(trace->left);
	free(trace->uses);
	free(trace->used);
	free(trace->hosts);
	free(trace->stack);
	free(trace);
}

/**
 * hbp_trace_visit() - order the hosts that links with something left lead to
 * @trace: the trace; its hosts are filled
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_trace_visit(struct hbp_trace *trace, struct hbp_error *err)
{
	return hbp_visit(trace->platform, trace->root, trace->left,
			 trace->hosts, &trace->n) ? hbp_nomem(err) : 0;
}

/* Is there a route from a host to another that has something left? */
static int try_way(struct hbp_trace *t, size_t from, size_t to)
{
	size_t i;
	int ret;

	ret = hbp_ways_find(t->ways, from, to);
	for (i = 0; !ret && i < t->ways->n_path; i++)
		if (!t->left[t->ways->path[i]])
			ret = -ENOENT;
	return ret;
}

static void count_way(struct hbp_trace *t)
{
	size_t i, link;

	for (i = 0; i < t->ways->n_path; i++) {
		link = t->ways->path[i];
		if (!t->uses[link]++)
			t->used[t->n_used++] = link;
	}
}

/**
 * hbp_trace_tree() - join the hosts, each to the last before it that reaches it
 * @trace: the trace; hosts that nobody reaches are left out
 * @tree: receives root and edges
 * @err: receives the reason of a failure
 *
 * The links that it passes are counted until hbp_trace_take().
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_trace_tree(struct hbp_trace *trace, struct hbp_tree *tree,
		   struct hbp_error *err)
{
	const struct hbp_platform_node *nodes = trace->platform->nodes;
	size_t i, depth = 0, to;
	int ret;

	tree->root = nodes[trace->root].id;
	trace->stack[depth++] = trace->root;
	for (i = 1; i < trace->n; i++) {
		to = trace->hosts[i];
		do {
			ret = try_way(trace, trace->stack[depth - 1], to);
		} while (ret == -ENOENT && --depth);
		if (ret == -ENOENT)
			/* Only where there are several ways. */
			trace->stack[depth++] = trace->root;
		if (ret == -ENOENT)
			continue;
		if (!ret) {
			count_way(trace);
			ret = hbp_tree_add(tree,
					   nodes[trace->stack[depth - 1]].id,
					   nodes[to].id, err);
		}
		if (ret)
			return hbp_nomem(err);
		trace->stack[depth++] = to;
	}
	return 0;
}

/**
 * hbp_trace_rate() - how fast the tree that was traced can be
 * @trace: the trace
 *
 * Return: the rate that all its edges can keep at once on what its links have
 * left, bit/s; 0 if that is below 1.
 */
int64_t hbp_trace_rate(const struct hbp_trace *trace)
{
	int64_t rate = INT64_MAX;
	size_t i, link;

	for (i = 0; i < trace->n_used; i++) {
		link = trace->used[i];
		if (trace->left[link] / trace->uses[link] < rate)
			rate = trace->left[link] / trace->uses[link];
	}
	return rate;
}

/**
 * hbp_trace_take() - take a rate from the links of the tree that was traced
 * @trace: the trace, whose next tree may be traced then
 * @rate: up to hbp_trace_rate(); 0 to take nothing
 *
 * Return: @rate.
 */
int64_t hbp_trace_take(struct hbp_trace *trace, int64_t rate)
{
	size_t i, link;

	for (i = 0; i < trace->n_used; i++) {
		link = trace->used[i];
		trace->left[link] -= rate * trace->uses[link];
		/* What is not enough for as much again is used up. */
		if (rate && trace->left[link] < trace->uses[link])
			trace->left[link] = 0;
		trace->uses[link] = 0;
	}
	trace->n_used = 0;
	return rate;
}

/**
 * hbp_trace_plan() - make a plan of traced trees
 * @rq: the request, on a platform
 * @fill: adds the trees; the trace begins at the root, on an unused platform
 * @plan: receives them
 * @err: receives the reason of a failure
 *
 * Return: -ENOMEM, or what @fill returns.
 */
int hbp_trace_plan(const struct hbp_request *rq, hbp_trace_fill fill,
		   struct hbp_plan *plan, struct hbp_error *err)
{
	const struct hbp_platform *platform = rq->in->platform;
	struct hbp_trace *trace;
	int ret;

	trace = hbp_trace_alloc(platform, hbp_platform_find(platform, rq->root));
	if (!trace)
		return hbp_nomem(err);
	ret = fill(rq, trace, plan, err);
	hbp_trace_free(trace);
	return ret;
}
