// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model of HNOWs (paper 004, sections 2.1.4, 4.2.1 and 5.1): a host sends to
 * one child after the other, and is busy until the child has the message.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "units.h"
#include "wormhole.h"

#define SIDES	2

/* What a tree says of a host. */
struct role {
	bool sends;
	size_t after;		/* children of its parent that come behind it */
	int64_t busy_ns;	/* until when it sends, or is sent to */
	size_t busy_with;	/* which transfer that is, counted from 1 */
	int64_t rate_bps;	/* of the slowest transfer on its way */
};

/* A transfer that has been, and which one it has waited for, counted from 1. */
struct transfer {
	struct hbp_edge edge;
	size_t after;
};

struct run {
	const struct hbp_plan *plan;
	const struct hbp_input *in;
	size_t root, second;	/* places of the two sources */
	uint64_t bytes;		/* that each tree carries */
	struct role *roles[SIDES];
	unsigned char *side;	/* of each host */
	int64_t *done_ns;
	size_t *done_by;	/* of each host: by which transfer, counted from 1 */
	struct transfer *transfers;
	size_t n_transfers;
};

static size_t place(const struct run *r, uint32_t id)
{
	return hbp_input_find(r->in, id);
}

static int64_t transfer_ns(const struct run *r, const struct hbp_edge *edge)
{
	return hbp_hnow_pair_ns(r->in->hnow, place(r, edge->parent),
				place(r, edge->child), r->bytes);
}

/* The rate of a transfer: what has to be the same for the same time. */
static int64_t rate_of(uint64_t bytes, int64_t ns)
{
	double bps = (double)bytes * 8e9 / (double)ns;

	if (bps > HBP_BANDWIDTH_MAX_MBPS * 1e6)
		return (int64_t)(HBP_BANDWIDTH_MAX_MBPS * 1e6);
	return bps < 1 ? 1 : (int64_t)bps;
}

static void free_run(struct run *r)
{
	size_t t;

	for (t = 0; t < SIDES; t++)
		free(r->roles[t]);
	free(r->side);
	free(r->done_ns);
	free(r->done_by);
	free(r->transfers);
}

static int alloc_run(struct run *r, struct hbp_error *err)
{
	size_t n = r->in->n, t;

	for (t = 0; t < SIDES; t++)
		r->roles[t] = calloc(n, sizeof(*r->roles[t]));
	r->side = calloc(n, sizeof(*r->side));
	r->done_ns = calloc(n, sizeof(*r->done_ns));
	r->done_by = calloc(n, sizeof(*r->done_by));
	r->transfers = calloc(SIDES * n, sizeof(*r->transfers));
	if (!r->roles[0] || !r->roles[1] || !r->side || !r->done_ns ||
	    !r->done_by || !r->transfers) {
		free_run(r);
		return hbp_nomem(err);
	}
	return 0;
}

/* Fills what a tree says of its hosts; edges of one parent stand together. */
static void fill_roles(struct run *r, size_t t)
{
	const struct hbp_tree *tree = &r->plan->trees[t];
	size_t i, after = 0;

	for (i = tree->n_edges; i-- > 0;) {
		bool last = i + 1 == tree->n_edges ||
			    tree->edges[i].parent != tree->edges[i + 1].parent;

		after = last ? 0 : after + 1;
		r->roles[t][place(r, tree->edges[i].child)].after = after;
		r->roles[t][place(r, tree->edges[i].parent)].sends = true;
	}
}

/*
 * Finds the side of each host: the tree in whose sub-network it is. It sends in
 * no other, but for the root, which has the whole message. A host that sends in
 * neither is where more of its siblings come behind it, as exchanges come last.
 * If the root has two exchanges, this may choose another way than the planner had
 * in mind to use the same edges.
 */
static bool find_sides(struct run *r)
{
	const struct hbp_tree *other = &r->plan->trees[1];
	const struct role *a, *b;
	size_t i;

	if (r->plan->n_trees != SIDES ||
	    other->n_edges != r->plan->trees[0].n_edges ||
	    (other->n_edges > 1 && other->edges[1].parent == r->plan->root))
		return false;
	fill_roles(r, 0);
	fill_roles(r, 1);
	r->second = place(r, other->edges[0].child);
	for (i = 0; i < r->in->n; i++) {
		a = &r->roles[0][i];
		b = &r->roles[1][i];
		if (i != r->root && a->sends && (b->sends || i == r->second))
			return false;
		r->side[i] = i != r->root && !a->sends &&
			     (b->sends || i == r->second ||
			      a->after <= b->after);
	}
	return true;
}

static bool all_members(const struct run *r)
{
	size_t t, i;

	for (t = 0; t < r->plan->n_trees; t++)
		for (i = 0; i < r->plan->trees[t].n_edges; i++)
			if (place(r, r->plan->trees[t].edges[i].child) ==
			    HBP_NONE)
				return false;
	return r->root != HBP_NONE;
}

/**
 * hbp_wormhole_check() - can the model judge a plan
 * @plan: a plan that hbp_plan_check() has accepted
 * @in: an HNOW
 * @err: receives the reason of a failure
 *
 * It can if the plan has one tree, or two as those of two-ebs and two-vbbs. A
 * plan of other nodes is not found out here.
 *
 * Return: 0; -EOPNOTSUPP if it cannot; -ENOMEM.
 */
int hbp_wormhole_check(const struct hbp_plan *plan, const struct hbp_input *in,
		       struct hbp_error *err)
{
	struct run r = { .plan = plan, .in = in };
	bool good;

	r.root = place(&r, plan->root);
	if (plan->n_trees == 1 || !all_members(&r))
		return 0;
	if (alloc_run(&r, err))
		return -ENOMEM;
	good = find_sides(&r);
	free_run(&r);
	if (good)
		return 0;
	return hbp_fail(err, -EOPNOTSUPP,
			"%s: the hnow model takes one tree, or two whose sub-networks exchange halves as those of two-ebs do, not these %zu",
			in->name, plan->n_trees);
}

/* A host sends over an edge when it is done with what it sent before. */
static void send_edge(struct run *r, size_t t, const struct hbp_edge *edge)
{
	struct role *from = &r->roles[t][place(r, edge->parent)];
	size_t to = place(r, edge->child);

	r->transfers[r->n_transfers].edge = *edge;
	r->transfers[r->n_transfers].after = from->busy_with;
	from->busy_with = ++r->n_transfers;
	from->busy_ns = hbp_ns_add(from->busy_ns, transfer_ns(r, edge));
	r->done_by[to] = from->busy_with;
	r->done_ns[to] = from->busy_ns;
}

/* Which of two hosts has the message later; of equal ones the lower id. */
static size_t later(const struct run *r, size_t a, size_t b)
{
	if (r->done_ns[a] != r->done_ns[b])
		return r->done_ns[a] > r->done_ns[b] ? a : b;
	return a < b ? a : b;
}

/*
 * Sends along a tree, as far as its sub-network reaches.
 * Return: the place of the host that has the message last; of the root if there
 * is none.
 */
static size_t run_tree(struct run *r, size_t t)
{
	const struct hbp_tree *tree = &r->plan->trees[t];
	size_t i, to, last = r->root;

	for (i = 0; i < tree->n_edges; i++) {
		to = place(r, tree->edges[i].child);
		/* The second source has its half before this begins. */
		if (r->side[to] != t || (t && to == r->second))
			continue;
		send_edge(r, t, &tree->edges[i]);
		r->roles[t][to].busy_ns = r->done_ns[to];
		r->roles[t][to].busy_with = r->done_by[to];
		last = later(r, last, to);
	}
	return last;
}

/* The rates of slowest transfers, summed over trees. */
static void add_rates(struct run *r, size_t t)
{
	const struct hbp_tree *tree = &r->plan->trees[t];
	int64_t above, rate;
	size_t i;

	r->roles[t][r->root].rate_bps = INT64_MAX;
	for (i = 0; i < tree->n_edges; i++) {
		above = r->roles[t][place(r, tree->edges[i].parent)].rate_bps;
		rate = rate_of(r->bytes, transfer_ns(r, &tree->edges[i]));
		r->roles[t][place(r, tree->edges[i].child)].rate_bps =
			rate < above ? rate : above;
	}
}

/*
 * Two sub-networks: half of the message goes to the second source; then both
 * halves spread, each on its side; when all have one, all exchange them.
 */
static void run_sides(struct run *r)
{
	size_t t, i, to, last, late, after;
	int64_t start;

	start = transfer_ns(r, &r->plan->trees[1].edges[0]);
	r->transfers[r->n_transfers++].edge = r->plan->trees[1].edges[0];
	r->roles[0][r->root].busy_with = 1;
	r->roles[1][r->second].busy_with = 1;
	last = run_tree(r, 0);
	late = run_tree(r, 1);
	last = later(r, last, late);
	after = last == r->root ? 1 : r->done_by[last];
	start = hbp_ns_add(start, r->done_ns[last]);
	for (t = 0; t < SIDES; t++) {
		for (i = 0; i < r->in->n; i++) {
			r->roles[t][i].busy_ns = start;
			r->roles[t][i].busy_with = after;
		}
		for (i = 0; i < r->plan->trees[t].n_edges; i++) {
			to = place(r, r->plan->trees[t].edges[i].child);
			if (r->side[to] != t)
				send_edge(r, t, &r->plan->trees[t].edges[i]);
		}
	}
}

/* Lets a plan that the model can judge run. */
static int run_plan(struct run *r, struct hbp_error *err)
{
	const struct hbp_plan *plan = r->plan;

	r->root = place(r, plan->root);
	if (alloc_run(r, err))
		return -ENOMEM;
	r->bytes = hbp_wormhole_bytes(plan);
	if (plan->n_trees > 1) {
		find_sides(r);
		run_sides(r);
	} else {
		run_tree(r, 0);
	}
	return 0;
}

/**
 * hbp_wormhole_run() - the model of HNOWs
 * @plan: a plan that hbp_wormhole_check() has accepted
 * @in: an HNOW whose members are the plan's nodes
 * @figures: the nodes but the root, with ids, in any order; filled
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_wormhole_run(const struct hbp_plan *plan, const struct hbp_input *in,
		     struct hbp_figure *figures, struct hbp_error *err)
{
	struct run r = { .plan = plan, .in = in };
	struct hbp_figure *f;
	size_t i, t, at;

	if (run_plan(&r, err))
		return -ENOMEM;
	for (t = 0; t < plan->n_trees; t++)
		add_rates(&r, t);
	for (i = 0; i < plan->trees[0].n_edges; i++) {
		f = &figures[i];
		at = place(&r, f->id);
		f->completion_ns = r.done_ns[at];
		f->rate_bps = r.roles[0][at].rate_bps + r.roles[1][at].rate_bps;
	}
	free_run(&r);
	return 0;
}

/**
 * hbp_wormhole_path() - the transfers that a host has waited for
 * @plan: a plan that hbp_wormhole_check() has accepted
 * @in: an HNOW whose members are the plan's nodes
 * @last: id of the host, not the root
 * @edges: room for two for each host; receives those transfers, each of which
 *	begins when the one before it ends
 * @n: receives how many
 * @err: receives the reason of a failure
 *
 * Of several that end together, a phase waits for that to the lowest id.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_wormhole_path(const struct hbp_plan *plan, const struct hbp_input *in,
		      uint32_t last, struct hbp_edge *edges, size_t *n,
		      struct hbp_error *err)
{
	struct run r = { .plan = plan, .in = in };
	size_t at;

	if (run_plan(&r, err))
		return -ENOMEM;
	*n = 0;
	at = r.done_by[place(&r, last)];
	for (; at; at = r.transfers[at - 1].after)
		++*n;
	at = r.done_by[place(&r, last)];
	for (edges += *n; at; at = r.transfers[at - 1].after)
		*--edges = r.transfers[at - 1].edge;
	free_run(&r);
	return 0;
}

/**
 * hbp_wormhole_rate() - what all edges of a tree can keep, by the model
 * @in: an HNOW
 * @tree: a tree of its members
 * @bytes: size of what the tree carries of a message
 *
 * Return: the rate of its slowest transfer in bit/s.
 */
int64_t hbp_wormhole_rate(const struct hbp_input *in,
			  const struct hbp_tree *tree, uint64_t bytes)
{
	struct run r = { .in = in, .bytes = bytes };
	int64_t rate = INT64_MAX, each;
	size_t i;

	for (i = 0; i < tree->n_edges; i++) {
		each = rate_of(bytes, transfer_ns(&r, &tree->edges[i]));
		rate = each < rate ? each : rate;
	}
	return rate;
}

/* The least sum of transfers on any path from the root. */
static void shortest_paths(const struct hbp_hnow *hnow, size_t n, size_t root,
			   uint64_t bytes, int64_t *sum, bool *done)
{
	size_t step, i, at;
	int64_t via;

	for (i = 0; i < n; i++) {
		sum[i] = i == root ? 0 : HBP_NEVER;
		done[i] = false;
	}
	for (step = 0; step < n; step++) {
		for (at = 0; done[at];)
			at++;
		for (i = at; i < n; i++)
			at = !done[i] && sum[i] < sum[at] ? i : at;
		done[at] = true;
		for (i = 0; i < n; i++) {
			if (done[i])
				continue;
			via = hbp_ns_add(sum[at],
					 hbp_hnow_pair_ns(hnow, at, i, bytes));
			sum[i] = via < sum[i] ? via : sum[i];
		}
	}
}

/* The least time in which anybody sends to a host. */
static int64_t least_in(const struct hbp_hnow *hnow, size_t n, size_t to,
			uint64_t bytes)
{
	int64_t least = HBP_NEVER, ns;
	size_t i;

	for (i = 0; i < n; i++) {
		ns = i == to ? HBP_NEVER : hbp_hnow_pair_ns(hnow, i, to, bytes);
		least = ns < least ? ns : least;
	}
	return least;
}

/**
 * hbp_wormhole_bounds() - the earliest that each member can have the message
 * @in: an HNOW
 * @root: id of the root, a member
 * @bytes: message size
 * @bounds: receives nanoseconds for each member of @in, 0 for the root
 * @err: receives the reason of a failure
 *
 * A plan of one tree: the least sum of transfers on any path from the root.
 * Two sub-networks: one half has come over a path before the other is received
 * from some host. Whichever is less.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_wormhole_bounds(struct hbp_input *in, uint32_t root, uint64_t bytes,
			int64_t *bounds, struct hbp_error *err)
{
	size_t n = in->n, at = hbp_input_find(in, root), i;
	uint64_t half = hbp_wormhole_half(bytes);
	int64_t *halves = calloc(n, sizeof(*halves)), two;
	bool *done = calloc(n, sizeof(*done));
	int ret = halves && done ? 0 : hbp_nomem(err);

	if (!ret) {
		shortest_paths(in->hnow, n, at, bytes, bounds, done);
		shortest_paths(in->hnow, n, at, half, halves, done);
	}
	for (i = 0; !ret && i < n; i++) {
		two = i == at ? 0 :
		      hbp_ns_add(halves[i], least_in(in->hnow, n, i, half));
		bounds[i] = two < bounds[i] ? two : bounds[i];
	}
	free(halves);
	free(done);
	return ret;
}
