// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routes of a platform. A route has the least latency; among those, the fewest
 * links; among those, walking back from its end, the neighbour with the lowest
 * id at every step. So all routes of one source form a tree, and there is never
 * more than one answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "route.h"
#include "units.h"
#include "wire.h"

/**
 * hbp_routes_alloc() - room for the routes of one source
 * @platform: the platform
 *
 * Return: routes, to be filled by hbp_routes_find() and released with
 * hbp_routes_free(), or NULL if memory has run out.
 */
struct hbp_routes *hbp_routes_alloc(const struct hbp_platform *platform)
{
	struct hbp_routes *routes = calloc(1, sizeof(*routes));

	if (!routes)
		return NULL;
	routes->n = platform->n;
	routes->latency_ns = calloc(routes->n, sizeof(*routes->latency_ns));
	routes->bandwidth_bps = calloc(routes->n,
				       sizeof(*routes->bandwidth_bps));
	routes->hops = calloc(routes->n, sizeof(*routes->hops));
	routes->last = calloc(routes->n, sizeof(*routes->last));
	routes->heap = calloc(routes->n, sizeof(*routes->heap));
	routes->place = calloc(routes->n, sizeof(*routes->place));
	if (!routes->latency_ns || !routes->bandwidth_bps || !routes->hops ||
	    !routes->last || !routes->heap || !routes->place) {
		hbp_routes_free(routes);
		return NULL;
	}
	return routes;
}

/**
 * hbp_routes_free() - release routes
 * @routes: the routes or NULL
 */
void hbp_routes_free(struct hbp_routes *routes)
{
	if (!routes)
		return;
	free(routes->latency_ns);
	free(routes->bandwidth_bps);
	free(routes->hops);
	free(routes->last);
	free(routes->heap);
	free(routes->place);
	free(routes);
}

/* The heap holds node indices; the top is the nearest, then the lowest id. */
static bool nearer(const struct hbp_routes *routes, size_t a, size_t b)
{
	if (routes->latency_ns[a] != routes->latency_ns[b])
		return routes->latency_ns[a] < routes->latency_ns[b];
	if (routes->hops[a] != routes->hops[b])
		return routes->hops[a] < routes->hops[b];
	return a < b;
}

static void heap_put(struct hbp_routes *routes, size_t place, size_t node)
{
	routes->heap[place] = node;
	routes->place[node] = place;
}

static void heap_up(struct hbp_routes *routes, size_t node)
{
	size_t place = routes->place[node], above;

	while (place) {
		above = (place - 1) / 2;
		if (!nearer(routes, node, routes->heap[above]))
			break;
		heap_put(routes, place, routes->heap[above]);
		place = above;
	}
	heap_put(routes, place, node);
}

static size_t heap_pop(struct hbp_routes *routes)
{
	size_t top = routes->heap[0], node = routes->heap[--routes->heaped];
	size_t place = 0, below = 1;

	while (below < routes->heaped) {
		if (below + 1 < routes->heaped &&
		    nearer(routes, routes->heap[below + 1], routes->heap[below]))
			below++;
		if (!nearer(routes, routes->heap[below], node))
			break;
		heap_put(routes, place, routes->heap[below]);
		place = below;
		below = 2 * place + 1;
	}
	heap_put(routes, place, node);
	return top;
}

static void reach(const struct hbp_platform *platform, size_t link,
		  struct hbp_routes *routes)
{
	const struct hbp_link *l = &platform->links[link];
	int64_t ns = hbp_ns_add(routes->latency_ns[l->from], l->latency_ns);
	size_t hops = routes->hops[l->from] + 1, last = routes->last[l->to];
	bool known = routes->latency_ns[l->to] != HBP_NEVER;

	if (known && (ns > routes->latency_ns[l->to] ||
		      (ns == routes->latency_ns[l->to] &&
		       (hops > routes->hops[l->to] ||
			(hops == routes->hops[l->to] &&
			 (last == HBP_NONE ||
			  l->from >= platform->links[last].from))))))
		return;
	routes->latency_ns[l->to] = ns;
	routes->hops[l->to] = hops;
	routes->last[l->to] = link;
	routes->bandwidth_bps[l->to] =
		l->bandwidth_bps < routes->bandwidth_bps[l->from] ?
		l->bandwidth_bps : routes->bandwidth_bps[l->from];
	if (!known)
		heap_put(routes, routes->heaped++, l->to);
	heap_up(routes, l->to);
}

/**
 * hbp_routes_begin() - prepare to find the routes from one node
 * @platform: the platform
 * @source: index of the node
 * @routes: receives the route to the node itself
 */
void hbp_routes_begin(const struct hbp_platform *platform, size_t source,
		      struct hbp_routes *routes)
{
	size_t i;

	routes->source = source;
	for (i = 0; i < platform->n; i++) {
		routes->latency_ns[i] = HBP_NEVER;
		routes->bandwidth_bps[i] = 0;
		routes->hops[i] = 0;
		routes->last[i] = HBP_NONE;
	}
	routes->latency_ns[source] = 0;
	routes->bandwidth_bps[source] = INT64_MAX;
	routes->heaped = 0;
	heap_put(routes, routes->heaped++, source);
}

/* Has a node's route been found, with those of all that are nearer? */
static bool is_found(const struct hbp_routes *routes, size_t node)
{
	size_t place = routes->place[node];

	return routes->latency_ns[node] != HBP_NEVER &&
	       (place >= routes->heaped || routes->heap[place] != node);
}

/**
 * hbp_routes_extend() - find more routes
 * @platform: the platform
 * @to: index of the node that is to be reached; HBP_NONE to reach all. Routes to
 *	nodes that are not nearer need not be right yet, that to this one is.
 * @relay: may routes lead through hosts; routes of a network do not, what
 *	reaches a host by way of another is the other's work
 * @routes: from hbp_routes_begin(); the same @relay each time
 */
void hbp_routes_extend(const struct hbp_platform *platform, size_t to, bool relay,
		       struct hbp_routes *routes)
{
	size_t i, at;

	while (routes->heaped && (to == HBP_NONE || !is_found(routes, to))) {
		at = heap_pop(routes);
		if (at != routes->source && platform->nodes[at].host && !relay)
			continue;
		for (i = platform->first[at]; i < platform->first[at + 1]; i++)
			reach(platform, i, routes);
	}
}

/**
 * hbp_routes_find() - find the routes from one node
 * @platform: the platform
 * @source: index of the node
 * @relay: as for hbp_routes_extend()
 * @routes: filled
 */
void hbp_routes_find(const struct hbp_platform *platform, size_t source,
		     bool relay, struct hbp_routes *routes)
{
	hbp_routes_begin(platform, source, routes);
	hbp_routes_extend(platform, HBP_NONE, relay, routes);
}

/* What a route carries of payload, by the least MTU of its links. */
static int64_t payload_of(const struct hbp_platform *platform,
			  const struct hbp_routes *routes, size_t to)
{
	unsigned int mtu = HBP_MTU_MAX, its;
	const struct hbp_link *link;
	int64_t least = INT64_MAX, bps;
	size_t at;

	for (at = to; at != routes->source; at = link->from) {
		link = &platform->links[routes->last[at]];
		its = hbp_link_mtu(link);
		mtu = its < mtu ? its : mtu;
	}
	for (at = to; at != routes->source; at = link->from) {
		link = &platform->links[routes->last[at]];
		bps = (int64_t)((double)link->bandwidth_bps /
				hbp_wire_data(mtu, hbp_link_mtu(link)));
		least = bps < least ? bps : least;
	}
	return least;
}

static void fill_row(const struct hbp_platform *platform, size_t row,
		     const struct hbp_routes *routes, struct hbp_costs *costs)
{
	size_t to, cell, at;

	for (to = 0; to < platform->n_hosts; to++) {
		if (to == row)
			continue;
		cell = row * platform->n_hosts + to;
		at = platform->hosts[to];
		costs->latency_ns[cell] = routes->latency_ns[at];
		costs->bandwidth_bps[cell] =
			platform->counted && routes->bandwidth_bps[at] ?
			payload_of(platform, routes, at) : routes->bandwidth_bps[at];
	}
}

/**
 * hbp_costs_from_platform() - what every pair of hosts costs alone
 * @platform: the platform
 * @out: receives a matrix of the hosts: latency is the sum along the route,
 *	bandwidth the least; to be released with hbp_costs_free()
 * @err: receives the reason of a failure
 *
 * Return: 0; -E2BIG if there are more hosts than HBP_COSTS_NODES_MAX; -ENOMEM.
 */
int hbp_costs_from_platform(const struct hbp_platform *platform,
			    struct hbp_costs **out, struct hbp_error *err)
{
	const struct hbp_platform_node *node;
	struct hbp_routes *routes;
	struct hbp_costs *costs;
	int ret = 0;
	size_t i;

	if (platform->n_hosts > HBP_COSTS_NODES_MAX)
		return hbp_fail(err, -E2BIG, "a cost matrix is made for at most %d hosts, not %zu",
				HBP_COSTS_NODES_MAX, platform->n_hosts);
	routes = hbp_routes_alloc(platform);
	costs = hbp_costs_alloc(platform->n_hosts);
	if (!routes || !costs)
		ret = hbp_nomem(err);
	else
		costs->bare = platform->bare;
	for (i = 0; !ret && i < platform->n_hosts; i++) {
		node = &platform->nodes[platform->hosts[i]];
		costs->nodes[i].id = node->id;
		costs->nodes[i].send_overhead_ns = node->send_overhead_ns;
		costs->nodes[i].recv_overhead_ns = node->recv_overhead_ns;
		if (node->name) {
			costs->nodes[i].name = strdup(node->name);
			if (!costs->nodes[i].name)
				ret = hbp_nomem(err);
		}
		hbp_routes_find(platform, platform->hosts[i], false, routes);
		fill_row(platform, i, routes, costs);
	}
	hbp_routes_free(routes);
	if (ret)
		hbp_costs_free(costs);
	else
		*out = costs;
	return ret;
}
