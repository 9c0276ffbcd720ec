/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes of a platform, and the cost matrix that they make. */
#ifndef HBPLAN_ROUTE_H
#define HBPLAN_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costs.h"
#include "platform.h"

/**
 * struct hbp_routes - routes from one node of a platform to all others
 * @source: index of the node
 * @n: number of nodes of the platform
 * @latency_ns: sum over the route's links; HBP_NEVER where no route leads
 * @bandwidth_bps: smallest on the route; INT64_MAX at the source, 0 where no
 *	route leads
 * @hops: number of links
 * @last: index of the route's last link in the platform's links, HBP_NONE at
 *	the source and where no route leads; following it back gives the route
 * @heap: used while routes are being found
 * @place: likewise, where each node is in @heap
 * @heaped: likewise, how many are in @heap
 */
struct hbp_routes {
	size_t source;
	size_t n;
	int64_t *latency_ns;
	int64_t *bandwidth_bps;
	size_t *hops;
	size_t *last;
	size_t *heap;
	size_t *place;
	size_t heaped;
};

struct hbp_routes *hbp_routes_alloc(const struct hbp_platform *platform);
void hbp_routes_free(struct hbp_routes *routes);
void hbp_routes_begin(const struct hbp_platform *platform, size_t source,
		      struct hbp_routes *routes);
void hbp_routes_extend(const struct hbp_platform *platform, size_t to, bool relay,
		       struct hbp_routes *routes);
void hbp_routes_find(const struct hbp_platform *platform, size_t source,
		     bool relay, struct hbp_routes *routes);
int hbp_costs_from_platform(const struct hbp_platform *platform,
			    struct hbp_costs **out, struct hbp_error *err);

#endif /* HBPLAN_ROUTE_H */
