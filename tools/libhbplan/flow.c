// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Largest flows of a platform, by Dinic's algorithm on its directed links.
 * Hosts pass on what they receive, since that is what hbcast does.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "flow.h"
#include "node.h"

/* Arc 2i is link i of the platform, arc 2i + 1 takes its flow back. */
struct hbp_flow {
	const struct hbp_platform *platform;
	int64_t *left;		/* capacity that each arc has left */
	size_t *head;		/* first arc out of each node */
	size_t *next;		/* next arc out of the same node */
	size_t *level;		/* distance from the source */
	size_t *at;		/* arc that each node tries next */
	size_t *stack;		/* nodes, then arcs of the path being tried */
	int64_t *out;		/* capacity of all links out of each node */
	int64_t *into;		/* likewise into it */
};

/**
 * hbp_flow_alloc() - prepare to find flows
 * @platform: the platform; must outlive the result
 *
 * Return: to be released with hbp_flow_free(); NULL if memory has run out.
 */
struct hbp_flow *hbp_flow_alloc(const struct hbp_platform *platform)
{
	struct hbp_flow *flow = calloc(1, sizeof(*flow));
	size_t n = platform->n, m = 2 * platform->n_links, i, node;

	if (!flow)
		return NULL;
	flow->platform = platform;
	flow->left = calloc(m + 1, sizeof(*flow->left));
	flow->next = calloc(m + 1, sizeof(*flow->next));
	flow->head = calloc(n, sizeof(*flow->head));
	flow->level = calloc(n, sizeof(*flow->level));
	flow->at = calloc(n, sizeof(*flow->at));
	flow->stack = calloc(n + 1, sizeof(*flow->stack));
	flow->out = calloc(n, sizeof(*flow->out));
	flow->into = calloc(n, sizeof(*flow->into));
	if (!flow->left || !flow->next || !flow->head || !flow->level ||
	    !flow->at || !flow->stack || !flow->out || !flow->into) {
		hbp_flow_free(flow);
		return NULL;
	}
	for (i = 0; i < n; i++)
		flow->head[i] = HBP_NONE;
	for (i = m; i-- > 0;) {
		node = i & 1 ? platform->links[i / 2].to :
			       platform->links[i / 2].from;
		flow->next[i] = flow->head[node];
		flow->head[node] = i;
	}
	for (i = 0; i < platform->n_links; i++) {
		flow->out[platform->links[i].from] +=
			platform->links[i].bandwidth_bps;
		flow->into[platform->links[i].to] +=
			platform->links[i].bandwidth_bps;
	}
	return flow;
}

/**
 * hbp_flow_free() - release what hbp_flow_alloc() made
 * @flow: it, or NULL
 */
void hbp_flow_free(struct hbp_flow *flow)
{
	if (!flow)
		return;
	free(flow->left);
	free(flow->next);
	free(flow->head);
	free(flow->level);
	free(flow->at);
	free(flow->stack);
	free(flow->out);
	free(flow->into);
	free(flow);
}

static size_t end_of(const struct hbp_flow *flow, size_t arc)
{
	const struct hbp_link *link = &flow->platform->links[arc / 2];

	return arc & 1 ? link->from : link->to;
}

/* Breadth-first levels over what is left; false if the sink is out of reach. */
static bool find_levels(struct hbp_flow *flow, const size_t *sources, size_t n,
			size_t sink)
{
	size_t head, tail = 0, arc, to, i;

	for (i = 0; i < flow->platform->n; i++)
		flow->level[i] = HBP_NONE;
	for (i = 0; i < n; i++) {
		flow->level[sources[i]] = 0;
		flow->stack[tail++] = sources[i];
	}
	for (head = 0; head < tail && flow->level[sink] == HBP_NONE; head++) {
		arc = flow->head[flow->stack[head]];
		for (; arc != HBP_NONE; arc = flow->next[arc]) {
			to = end_of(flow, arc);
			if (!flow->left[arc] || flow->level[to] != HBP_NONE)
				continue;
			flow->level[to] = flow->level[flow->stack[head]] + 1;
			flow->stack[tail++] = to;
		}
	}
	return flow->level[sink] != HBP_NONE;
}

/* Sends what fits through the path on the stack; returns it. */
static int64_t send_path(struct hbp_flow *flow, size_t depth)
{
	int64_t most = INT64_MAX;
	size_t i;

	for (i = 0; i < depth; i++)
		if (flow->left[flow->stack[i]] < most)
			most = flow->left[flow->stack[i]];
	for (i = 0; i < depth; i++) {
		flow->left[flow->stack[i]] -= most;
		flow->left[flow->stack[i] ^ 1] += most;
	}
	return most;
}

/* One path along the levels; returns its flow, 0 if there is none left. */
static int64_t find_path(struct hbp_flow *flow, size_t source, size_t sink)
{
	size_t node = source, depth = 0, arc;

	while (node != sink) {
		arc = flow->at[node];
		if (arc == HBP_NONE) {
			if (!depth)
				return 0;
			/* A dead end: step back and try the next arc. */
			node = end_of(flow, flow->stack[--depth] ^ 1);
			flow->at[node] = flow->next[flow->at[node]];
		} else if (flow->left[arc] && flow->level[end_of(flow, arc)] ==
			   flow->level[node] + 1) {
			flow->stack[depth++] = arc;
			node = end_of(flow, arc);
		} else {
			flow->at[node] = flow->next[arc];
		}
	}
	return send_path(flow, depth);
}

/**
 * hbp_flow_max() - largest flow between two nodes
 * @flow: from hbp_flow_alloc()
 * @source: index of the source
 * @sink: index of another node
 *
 * Return: bit/s, 0 if no path leads there.
 */
int64_t hbp_flow_max(struct hbp_flow *flow, size_t source, size_t sink)
{
	return hbp_flow_from(flow, &source, 1, sink);
}

/**
 * hbp_flow_from() - largest flow from several nodes together to one
 * @flow: from hbp_flow_alloc()
 * @sources: indices of the sources
 * @n: how many
 * @sink: index of another node
 *
 * Return: bit/s, 0 if no path leads there.
 */
int64_t hbp_flow_from(struct hbp_flow *flow, const size_t *sources, size_t n,
		      size_t sink)
{
	int64_t sum = 0, sent, most = 0;
	size_t i;

	/* What sources and sink have; no search is needed to know it is all. */
	for (i = 0; i < n; i++)
		most += flow->out[sources[i]];
	if (flow->into[sink] < most)
		most = flow->into[sink];
	for (i = 0; i < flow->platform->n_links; i++) {
		flow->left[2 * i] = flow->platform->links[i].bandwidth_bps;
		flow->left[2 * i + 1] = 0;
	}
	while (sum < most && find_levels(flow, sources, n, sink)) {
		for (i = 0; i < flow->platform->n; i++)
			flow->at[i] = flow->head[i];
		for (i = 0; i < n; i++) {
			do {
				sent = find_path(flow, sources[i], sink);
				sum += sent;
			} while (sent);
		}
	}
	return sum;
}

/**
 * hbp_flow_cut() - what holds the largest flow back
 * @flow: for which hbp_flow_max() has just been asked for the same nodes
 * @source: index of the source
 * @sink: index of the sink
 * @links: receives links of the platform, ascending, as wide together as the
 *	flow; without them nothing leads from the source to the sink; of several
 *	such cuts the one nearest to the source
 *
 * Return: how many links.
 */
size_t hbp_flow_cut(struct hbp_flow *flow, size_t source, size_t sink,
		    size_t *links)
{
	const struct hbp_link *link = flow->platform->links;
	size_t i, n = 0;

	find_levels(flow, &source, 1, sink);
	for (i = 0; i < flow->platform->n_links; i++)
		if (flow->level[link[i].from] != HBP_NONE &&
		    flow->level[link[i].to] == HBP_NONE)
			links[n++] = i;
	return n;
}
