// SPDX-License-Identifier: GPL-2.0-or-later
/* cfoot: the optimal tree that keeps an order (paper 004, section 8.6.1). */
#include <stdlib.h>

#include "node.h"
#include "rotation.h"
#include "units.h"

/*
 * A segment is a row of hosts from @first to before @end, whose first has the
 * message. Its best is what its first sends to, and when all have it.
 */
struct optimum {
	const struct hbp_rotation *rotation;
	size_t n;
	uint64_t bytes;
	int64_t *ns;		/* [first * (n + 1) + end] */
	int64_t *ns_to;		/* the same, [end * (n + 1) + first] */
	uint16_t *child;	/* [first * (n + 1) + end] */
};

static size_t segment(const struct optimum *o, size_t first, size_t end)
{
	return first * (o->n + 1) + end;
}

/* What one host sending to another costs: the receiver's overhead is left out. */
static int64_t send_ns(const struct optimum *o, size_t from, size_t to)
{
	const size_t *list = o->rotation->list;
	const struct hbp_hnow *hnow = o->rotation->in->hnow;

	return hbp_ns_add(hbp_hnow_send_ns(hnow, list[from], o->bytes),
			  hbp_hnow_trans_ns(hnow, list[from], list[to],
					    o->bytes));
}

/* The best for a segment, those of all shorter ones being known. */
static void solve(struct optimum *o, const int64_t *sends, size_t first,
		  size_t end)
{
	const size_t *list = o->rotation->list;
	const int64_t *own = &o->ns[segment(o, first, 0)];
	const int64_t *others = &o->ns_to[segment(o, end, 0)];
	size_t child, best = HBP_NONE;
	int64_t ns, least = 0;

	for (child = first + 1; child < end; child++) {
		ns = own[child] > others[child] ? own[child] : others[child];
		ns = hbp_ns_add(ns, sends[child]);
		if (best == HBP_NONE || ns < least ||
		    (ns == least && list[child] < list[best])) {
			least = ns;
			best = child;
		}
	}
	o->ns[segment(o, first, end)] = least;
	o->ns_to[segment(o, end, first)] = least;
	o->child[segment(o, first, end)] = (uint16_t)best;
}

static int add_edges(const struct optimum *o, size_t first, size_t end,
		     struct hbp_tree *tree, struct hbp_error *err)
{
	const uint32_t *ids = o->rotation->in->members;
	const size_t *list = o->rotation->list;
	size_t child;
	int ret = 0;

	for (; !ret && end - first > 1; end = child) {
		child = o->child[segment(o, first, end)];
		ret = hbp_tree_add(tree, ids[list[first]], ids[list[child]],
				   err);
		if (!ret)
			ret = add_edges(o, child, end, tree, err);
	}
	return ret;
}

static int find_optimum(struct optimum *o, struct hbp_tree *tree,
			struct hbp_error *err)
{
	int64_t *sends = calloc(o->n, sizeof(*sends));
	size_t first, end;

	if (!sends)
		return hbp_nomem(err);
	for (first = o->n; first-- > 0;) {
		for (end = first + 1; end < o->n; end++)
			sends[end] = send_ns(o, first, end);
		for (end = first + 2; end <= o->n; end++)
			solve(o, sends, first, end);
	}
	free(sends);
	return add_edges(o, 0, o->n, tree, err);
}

static int cfoot_make(const struct hbp_request *rq, struct hbp_plan *plan,
		      struct hbp_error *err)
{
	struct optimum o = { .n = rq->in->n, .bytes = rq->message_bytes };
	struct hbp_rotation rotation;
	size_t cells = (o.n + 1) * (o.n + 1);
	int ret;

	ret = hbp_rotation_init(&rotation, rq->in, rq->message_bytes, false,
				err);
	if (ret)
		return ret;
	o.rotation = &rotation;
	o.ns = calloc(cells, sizeof(*o.ns));
	o.ns_to = calloc(cells, sizeof(*o.ns_to));
	o.child = calloc(cells, sizeof(*o.child));
	ret = o.ns && o.ns_to && o.child ? 0 : hbp_nomem(err);
	if (!ret)
		ret = hbp_rotation_turn(rotation.list, o.n,
					hbp_input_find(rq->in, rq->root), err);
	if (!ret)
		ret = find_optimum(&o, hbp_plan_add_tree(plan, 0), err);
	free(o.ns);
	free(o.ns_to);
	free(o.child);
	hbp_rotation_clear(&rotation);
	return ret;
}

/*
 * The contention-free optimal tree.
 *
 * Paper 004, section 8.6.1, of its reference 14: by dynamic programming, in O(n^3)
 * time and O(n^2) memory, the best of all trees in which every host serves a
 * stretch of the row of recursive doubling. Costs leave out the receiver.
 */
const struct hbp_planner hbp_cfoot = {
	.name = "cfoot",
	.paper = "004 section 8.6.1",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time without receive overheads",
	.make = cfoot_make,
};
