// SPDX-License-Identifier: GPL-2.0-or-later
/* fnf: fastest node first. */
#include <stdlib.h>

#include "growth.h"
#include "node.h"
#include "units.h"

struct fnf {
	struct hbp_growth *g;
	const struct hbp_pairs *pairs;
	int64_t *cost;		/* message initiation cost of each node */
	size_t *fastest;	/* all nodes, the fastest first */
	int64_t *ready;		/* when a sender is ready for the next message */
	bool *near;		/* has a link from a node of the tree */
};

static void look_around(struct fnf *f, size_t from)
{
	const int64_t *row = &f->pairs->ns[from * f->g->n];
	size_t i;

	for (i = 0; i < f->g->n; i++)
		f->near[i] = f->near[i] || row[i] != HBP_NEVER;
}

/* The sender that is done first with a message to a node; HBP_NONE if none is. */
static size_t first_sender(const struct fnf *f, size_t to)
{
	int64_t ns, least = HBP_NEVER;
	size_t i, s, best = HBP_NONE;

	for (i = 0; i < f->g->reached; i++) {
		s = f->g->order[i];
		if (f->pairs->ns[s * f->g->n + to] == HBP_NEVER)
			continue;
		ns = hbp_ns_add(f->ready[s], f->cost[s]);
		if (ns < least || (ns == least && ns != HBP_NEVER && s < best)) {
			best = s;
			least = ns;
		}
	}
	return best;
}

/* Serves the fastest node that has a link; false if there is none. */
static bool serve(struct fnf *f)
{
	size_t i, to, from;

	for (i = 0; i < f->g->n; i++) {
		to = f->fastest[i];
		if (f->g->placed[to] || !f->near[to])
			continue;
		from = first_sender(f, to);
		if (from == HBP_NONE)
			return false;
		f->ready[from] = hbp_ns_add(f->ready[from], f->cost[from]);
		f->ready[to] = f->ready[from];
		hbp_growth_place(f->g, from, to, f->ready[to]);
		look_around(f, to);
		return true;
	}
	return false;
}

static int grow(struct hbp_growth *g, const struct hbp_pairs *pairs,
		struct hbp_error *err)
{
	struct fnf f = { .g = g, .pairs = pairs };
	int ret;

	f.cost = calloc(g->n, sizeof(*f.cost));
	f.fastest = calloc(g->n, sizeof(*f.fastest));
	f.ready = calloc(g->n, sizeof(*f.ready));
	f.near = calloc(g->n, sizeof(*f.near));
	if (!f.cost || !f.fastest || !f.ready || !f.near)
		ret = hbp_nomem(err);
	else
		ret = hbp_pairs_initiation(pairs, f.cost, f.fastest, err);
	if (!ret) {
		look_around(&f, g->root);
		while (serve(&f))
			;
	}
	free(f.cost);
	free(f.fastest);
	free(f.ready);
	free(f.near);
	return ret;
}

static int fnf_make(const struct hbp_request *rq, struct hbp_plan *plan,
		    struct hbp_error *err)
{
	return hbp_growth_plan(rq, false, grow, plan, err);
}

/*
 * Fastest Node First.
 *
 * Paper 002, section 2.2 and table 1: it knows only what each node's messages
 * cost to initiate. The next receiver is the one whose messages cost least, its
 * sender the one that is done first, counting for each message its sender's
 * cost. Readings chosen:
 *
 * - The cost of a node is the mean of its completion times to all that it has a
 *   link to, see hbp_pairs_initiation(): the matrix has one for each pair.
 * - If no node of the tree has a link to the fastest, the next one is served.
 */
const struct hbp_planner hbp_fnf = {
	.name = "fnf",
	.paper = "002 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, fast senders near the root",
	.make = fnf_make,
};
