// SPDX-License-Identifier: GPL-2.0-or-later
/* multiport-grow: the shortest period next (paper 001). */
#include "grow.h"
#include "units.h"

/*
 * The sender's period with this arc, in fifths: max(children * send, longest
 * transfer), where send is 4/5 of its shortest transfer.
 */
static int64_t period(const struct hbp_grow *g, size_t arc)
{
	size_t from = g->steady->arcs[arc].from;
	int64_t children = (int64_t)g->n_children[from] + 1, sends, longest;

	longest = g->ns[arc] > g->most_ns[from] ? g->ns[arc] : g->most_ns[from];
	if (longest > HBP_NS_MAX / 5 ||
	    g->least_ns[from] > HBP_NS_MAX / 4 / children)
		return HBP_NS_MAX;
	sends = 4 * children * g->least_ns[from];
	return sends > 5 * longest ? sends : 5 * longest;
}

static int multiport_make(const struct hbp_request *rq, struct hbp_plan *plan,
			  struct hbp_error *err)
{
	return hbp_grow_plan(rq, period, plan, err);
}

/*
 * The growing tree for several ports.
 *
 * Paper 001, multi-port. As grow, but the arc for which the sender's period is
 * shortest comes next: its children times what a transfer keeps it busy, or its
 * longest transfer, whichever is more.
 */
const struct hbp_planner hbp_multiport_grow = {
	.name = "multiport-grow",
	.paper = "001 multi-port",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.takes = HBP_TAKES_PORTS,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput of one tree: short periods with several ports",
	.make = multiport_make,
};
