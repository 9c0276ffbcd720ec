// SPDX-License-Identifier: GPL-2.0-or-later
/* The earliest that any plan can be done. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bound.h"
#include "flow.h"
#include "node.h"
#include "route.h"
#include "units.h"
#include "ways.h"

/*
 * Why no plan is faster: take the arcs of a smallest cut between root and node.
 * An arc is of use only from the time at which the first bit can have come to it
 * until the time after which no bit gets from it to the node before T. Both ends
 * together cost at least the least latency L, so no arc works longer than T - L,
 * and at most the largest flow times T - L arrives.
 */
static int platform_bounds(const struct hbp_platform *platform,
			   const size_t *sources, size_t n, uint64_t bytes,
			   int64_t *bounds, struct hbp_error *err)
{
	struct hbp_routes *routes = hbp_routes_alloc(platform);
	struct hbp_flow *flow = hbp_flow_alloc(platform);
	struct hbp_ways *ways = hbp_ways_alloc(platform);
	size_t i, k, to;
	int64_t rate;
	int ret = 0;

	if (!routes || !flow || !ways) {
		ret = hbp_nomem(err);
		goto out;
	}
	for (i = 0; i < platform->n_hosts; i++)
		bounds[i] = HBP_NEVER;
	for (k = 0; k < n; k++) {
		hbp_routes_find(platform, sources[k], true, routes);
		for (i = 0; i < platform->n_hosts; i++)
			if (routes->latency_ns[platform->hosts[i]] < bounds[i])
				bounds[i] = routes->latency_ns[platform->hosts[i]];
	}
	for (i = 0; i < platform->n_hosts; i++) {
		to = platform->hosts[i];
		for (k = 0; k < n && sources[k] != to;)
			k++;
		if (k < n)
			continue;
		/* Where there is one way only, it is the largest flow. */
		rate = ways->forest && n == 1 ? routes->bandwidth_bps[to] :
		       hbp_flow_from(flow, sources, n, to);
		bounds[i] = hbp_ns_add(hbp_transfer_ns(bytes, rate), bounds[i]);
	}
out:
	hbp_ways_free(ways);
	hbp_flow_free(flow);
	hbp_routes_free(routes);
	return ret;
}

/* The node not done yet that comes first: earliest, or widest, then lowest. */
static size_t next_node(const int64_t *value, const bool *done, size_t n,
			bool largest)
{
	size_t best = HBP_NONE, i;

	for (i = 0; i < n; i++)
		if (!done[i] && (best == HBP_NONE ||
				 (largest ? value[i] > value[best] :
					    value[i] < value[best])))
			best = i;
	return best;
}

/* The widest path from the root to every node: its smallest bandwidth. */
static void widest_paths(const struct hbp_costs *costs, size_t root,
			 int64_t *width, bool *done)
{
	size_t n = costs->n, i, step, at;
	const int64_t *row;
	int64_t via;

	for (i = 0; i < n; i++) {
		width[i] = 0;
		done[i] = false;
	}
	width[root] = INT64_MAX;
	for (step = 0; step < n; step++) {
		at = next_node(width, done, n, true);
		done[at] = true;
		row = &costs->bandwidth_bps[at * n];
		for (i = 0; i < n; i++) {
			via = row[i] < width[at] ? row[i] : width[at];
			width[i] = via > width[i] ? via : width[i];
		}
	}
}

/* The shortest path from the root to every node: its sum of delays. */
static void shortest_paths(const struct hbp_costs *costs, size_t root,
			   int64_t *sum, bool *done)
{
	size_t n = costs->n, i, step, at;
	const int64_t *row;
	int64_t via, sent;

	for (i = 0; i < n; i++) {
		sum[i] = HBP_NEVER;
		done[i] = false;
	}
	sum[root] = 0;
	for (step = 0; step < n; step++) {
		at = next_node(sum, done, n, false);
		done[at] = true;
		row = &costs->latency_ns[at * n];
		sent = hbp_ns_add(sum[at], costs->nodes[at].send_overhead_ns);
		for (i = 0; i < n; i++) {
			via = hbp_ns_add(row[i], costs->nodes[i].recv_overhead_ns);
			via = hbp_ns_add(via, sent);
			sum[i] = via < sum[i] ? via : sum[i];
		}
	}
}

static int costs_bounds(const struct hbp_costs *costs, size_t root,
			uint64_t bytes, int64_t *bounds, struct hbp_error *err)
{
	int64_t *width = calloc(costs->n, sizeof(*width));
	bool *done = calloc(costs->n, sizeof(*done));
	int ret = 0;
	size_t i;

	if (!width || !done) {
		ret = hbp_nomem(err);
		goto out;
	}
	widest_paths(costs, root, width, done);
	shortest_paths(costs, root, bounds, done);
	for (i = 0; i < costs->n; i++)
		if (i != root)
			bounds[i] = hbp_ns_add(bounds[i],
					       hbp_transfer_ns(bytes, width[i]));
out:
	free(width);
	free(done);
	return ret;
}

/* The root's place among the members, or HBP_NONE if it is none of them. */
static size_t find_root(const struct hbp_input *in, uint32_t root,
			struct hbp_error *err)
{
	size_t at = hbp_input_find(in, root);

	if (at == HBP_NONE)
		hbp_fail(err, -EINVAL, "%s: nodes: there is no %s %u to be the root",
			 in->name, in->platform || in->hnow ? "host" : "node", root);
	return at;
}

static int check_reach(const struct hbp_input *in, uint32_t root,
		       const int64_t *bounds, struct hbp_error *err)
{
	size_t i;

	for (i = 0; i < in->n; i++)
		if (bounds[i] == HBP_NEVER)
			return hbp_fail(err, -EINVAL,
					"%s: %s: node %u cannot be reached from root %u, or not within 285 years",
					in->name, in->platform ? "links" :
					"bandwidth_mbps", in->members[i], root);
	return 0;
}

static int find_latencies(const struct hbp_platform *platform, size_t root,
			  int64_t *latency, struct hbp_error *err)
{
	struct hbp_routes *routes = hbp_routes_alloc(platform);
	size_t i;

	if (!routes)
		return hbp_nomem(err);
	hbp_routes_find(platform, platform->hosts[root], true, routes);
	for (i = 0; i < platform->n_hosts; i++)
		latency[i] = routes->latency_ns[platform->hosts[i]];
	hbp_routes_free(routes);
	return 0;
}

/* Whom the root reaches by pairs that have a link: 0, or HBP_NEVER. */
static int find_reach(const struct hbp_costs *costs, size_t root,
		      int64_t *latency, struct hbp_error *err)
{
	size_t n = costs->n, head, tail = 0, i;
	size_t *queue = calloc(n, sizeof(*queue));

	if (!queue)
		return hbp_nomem(err);
	for (i = 0; i < n; i++)
		latency[i] = HBP_NEVER;
	latency[root] = 0;
	queue[tail++] = root;
	for (head = 0; head < tail && tail < n; head++) {
		for (i = 0; i < n; i++) {
			if (!latency[i] ||
			    !costs->bandwidth_bps[queue[head] * n + i])
				continue;
			latency[i] = 0;
			queue[tail++] = i;
		}
	}
	free(queue);
	return 0;
}

/**
 * hbp_reach() - check that a root can send to all members
 * @in: the input
 * @root: id of the root
 * @err: receives the reason of a failure
 *
 * Return: 0; -EINVAL if the root is no member or no path leads to a member;
 * -ENOMEM.
 */
int hbp_reach(struct hbp_input *in, uint32_t root, struct hbp_error *err)
{
	size_t at = find_root(in, root, err);
	int64_t *latency;
	int ret;

	if (at == HBP_NONE)
		return -EINVAL;
	latency = calloc(in->n, sizeof(*latency));
	if (!latency)
		return hbp_nomem(err);
	if (in->platform)
		ret = find_latencies(in->platform, at, latency, err);
	else
		ret = find_reach(in->costs, at, latency, err);
	if (!ret)
		ret = check_reach(in, root, latency, err);
	free(latency);
	return ret;
}

/**
 * hbp_bounds() - the earliest that each member can have the whole message
 * @in: the input
 * @root: id of the root
 * @bytes: message size
 * @bounds: receives nanoseconds for each member of @in, 0 for the root
 * @err: receives the reason of a failure
 *
 * On a platform: the message over the largest flow from the root to the node,
 * plus the least latency between them. No plan of any number of trees is
 * faster, since both the links and the relaying hosts are in that flow.
 *
 * On a cost matrix: the message over the largest bandwidth that all pairs of
 * some path from the root keep, plus the least sum of latencies and overheads
 * over all paths. A matrix tells what each pair reaches alone, not what a node
 * can receive from several at once, so this holds for plans in which a node has
 * one parent, whether relays pass on fragments or whole messages.
 *
 * Return: 0; -EINVAL if the root is no member, no path leads to a member, or it
 * would take longer than HBP_NS_MAX; -ENOMEM.
 */
int hbp_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
	       int64_t *bounds, struct hbp_error *err)
{
	size_t at = find_root(in, root, err);
	int ret;

	if (at == HBP_NONE)
		return -EINVAL;
	if (in->platform)
		return hbp_bounds_from(in, &root, 1, bytes, bounds, err);
	ret = costs_bounds(in->costs, at, bytes, bounds, err);
	return ret ? ret : check_reach(in, root, bounds, err);
}

/**
 * hbp_bounds_from() - the same, if several nodes have the message to begin with
 * @in: a platform
 * @sources: ids of those nodes, the root first
 * @n: how many
 * @bytes: message size
 * @bounds: receives nanoseconds for each member of @in, 0 for the sources
 * @err: receives the reason of a failure
 *
 * The message over the largest flow from all of them together, plus the least
 * latency from any.
 *
 * Return: as hbp_bounds().
 */
int hbp_bounds_from(struct hbp_input *in, const uint32_t *sources, size_t n,
		    uint64_t bytes, int64_t *bounds, struct hbp_error *err)
{
	size_t *places = calloc(n, sizeof(*places)), i, at;
	int ret = 0;

	if (!places)
		return hbp_nomem(err);
	for (i = 0; !ret && i < n; i++) {
		at = find_root(in, sources[i], err);
		if (at == HBP_NONE)
			ret = -EINVAL;
		else
			places[i] = in->platform->hosts[at];
	}
	if (!ret)
		ret = platform_bounds(in->platform, places, n, bytes, bounds,
				      err);
	if (!ret)
		ret = check_reach(in, sources[0], bounds, err);
	free(places);
	return ret;
}

/**
 * hbp_distances() - the shortest paths from the root
 * @in: the input
 * @root: id of the root
 * @bytes: message size, which makes no difference to it
 * @distances: receives nanoseconds for each member of @in, 0 for the root
 * @err: receives the reason of a failure
 *
 * The least sum of distances over all paths of members; a distance is what a
 * message of no length costs, see hbp_costs_delay_ns().
 *
 * Return: as hbp_bounds().
 */
int hbp_distances(struct hbp_input *in, uint32_t root, uint64_t bytes,
		  int64_t *distances, struct hbp_error *err)
{
	size_t at = find_root(in, root, err);
	bool *done = NULL;
	int ret = 0;

	(void)bytes;
	if (at == HBP_NONE)
		return -EINVAL;
	if (in->platform) {
		ret = find_latencies(in->platform, at, distances, err);
	} else {
		done = calloc(in->n, sizeof(*done));
		if (!done)
			return hbp_nomem(err);
		shortest_paths(in->costs, at, distances, done);
	}
	free(done);
	return ret ? ret : check_reach(in, root, distances, err);
}
