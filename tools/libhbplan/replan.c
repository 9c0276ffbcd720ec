// SPDX-License-Identifier: GPL-2.0-or-later
/* Binomial trees adapted to a change of the network (paper 000). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "binomial.h"
#include "node.h"
#include "planners.h"
#include "replan.h"
#include "swap.h"
#include "units.h"

static const char *const names[HBP_STRATEGIES] = {
	[HBP_SWAP_NONE] = "none",
	[HBP_SWAP_FAMILY] = "family",
	[HBP_SWAP_PATH] = "path",
	[HBP_SWAP_LEAF] = "leaf",
	[HBP_SWAP_POSITION] = "position",
};

struct replan {
	const struct hbp_plan *old;
	struct hbp_input *in;
	const struct hbp_change *change;
	struct hbp_error *err;
	size_t n;		/* number of positions */
	uint32_t *ids;		/* who is there; room for one more */
	size_t above;		/* where the strategy begins */
	size_t below;		/* likewise; 0 if there is nothing to swap */
	int64_t previous;	/* what the tree cost before the change, if known */
	bool filled;		/* who was last has come to where one has left */
};

/* The position of a node, or HBP_NONE. */
static size_t find(const struct replan *r, uint32_t id)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->ids[i] == id)
			return i;
	return HBP_NONE;
}

/* What the tree costs as it is. */
static int find_cost(const struct replan *r, int64_t *cost)
{
	struct hbp_positions p = { };
	const struct hbp_costs *costs;
	int ret;

	ret = hbp_input_costs(r->in, &costs, r->err);
	if (!ret)
		ret = hbp_positions_init(&p, costs, r->ids, r->n, r->err);
	if (ret)
		hbp_error_prefix(r->err, "%s", r->in->name);
	*cost = p.cost;
	hbp_positions_free(&p);
	return ret;
}

static int change_link(struct replan *r)
{
	size_t a = find(r, r->change->node), b = find(r, r->change->other);

	if (a == HBP_NONE || b == HBP_NONE)
		return hbp_fail(r->err, -EINVAL, "the plan has no node %u",
				a == HBP_NONE ? r->change->node :
				r->change->other);
	r->above = a < b ? a : b;
	r->below = a < b ? b : a;
	if (a == b || hbp_binomial_parent(r->below) != r->above)
		return hbp_fail(r->err, -EINVAL,
				"nodes %u and %u are not parent and child, so that the plan does not use their link",
				r->change->node, r->change->other);
	return 0;
}

static int join(struct replan *r)
{
	int ret = 0;

	if (find(r, r->change->node) != HBP_NONE)
		return hbp_fail(r->err, -EINVAL, "the plan has node %u already",
				r->change->node);
	if (r->old->cost_ns == HBP_NEVER)
		ret = find_cost(r, &r->previous);
	r->above = r->n;
	r->below = r->n;
	r->ids[r->n++] = r->change->node;
	return ret;
}

static int leave(struct replan *r)
{
	size_t at = find(r, r->change->node);
	int ret = 0;

	if (at == HBP_NONE)
		return hbp_fail(r->err, -EINVAL, "the plan has no node %u",
				r->change->node);
	if (!at)
		return hbp_fail(r->err, -EINVAL,
				"node %u is the root, without which there is no plan: plan anew for another root",
				r->change->node);
	if (r->n == 2)
		return hbp_fail(r->err, -EINVAL,
				"without node %u the root is alone, and there is nothing to plan",
				r->change->node);
	if (hbp_input_find(r->in, r->change->node) != HBP_NONE) {
		if (r->old->cost_ns == HBP_NEVER)
			ret = find_cost(r, &r->previous);
		if (!ret)
			ret = hbp_input_drop(r->in, r->change->node, r->err);
	}
	r->ids[at] = r->ids[--r->n];
	r->filled = at < r->n;
	/* The last one leaves a tree without a gap. */
	r->above = r->filled ? at : 0;
	r->below = r->above;
	return ret;
}

static int change_tree(struct replan *r)
{
	switch (r->change->event) {
	case HBP_LINK_CHANGED:
		return change_link(r);
	case HBP_NODE_JOINED:
		return join(r);
	case HBP_NODE_LEFT:
		return leave(r);
	}
	return -EINVAL;
}

/* Notes the two whose places are not what they were. */
static void note_swap(const struct replan *r, const struct hbp_positions *p,
		      struct hbp_replanned *done)
{
	uint32_t id;
	size_t i;

	for (i = 0; i < r->n; i++) {
		id = p->costs->nodes[p->node[i]].id;
		if (id == r->ids[i])
			continue;
		done->swap[done->swapped] = r->ids[i];
		done->swapped = true;
		r->ids[i] = id;
	}
}

static int adapt(struct replan *r, struct hbp_plan *plan)
{
	struct hbp_replanned *done = &plan->replanned;
	struct hbp_positions p = { };
	const struct hbp_costs *costs;
	int ret;

	ret = hbp_input_costs(r->in, &costs, r->err);
	if (!ret)
		ret = hbp_positions_init(&p, costs, r->ids, r->n, r->err);
	if (ret)
		goto out;
	done->done = true;
	done->change = *r->change;
	done->filled = r->filled;
	done->moved = r->ids[r->below];
	done->increased_ns = p.cost;
	done->previous_ns = r->previous;
	if (r->below)
		done->steps = hbp_swap(&p, r->change->strategy, r->above,
				       r->below, r->previous == HBP_NEVER ? -1 :
				       r->previous);
	note_swap(r, &p, done);
	ret = hbp_positions_plan(r->ids, r->n, costs, plan, r->err);
out:
	if (ret)
		hbp_error_prefix(r->err, "%s", r->in->name);
	hbp_positions_free(&p);
	return ret;
}

/**
 * hbp_strategy_name() - what users call a strategy
 * @strategy: the strategy
 *
 * Return: its name, as in paper 000; "none" for HBP_SWAP_NONE.
 */
const char *hbp_strategy_name(enum hbp_strategy strategy)
{
	return names[strategy];
}

/**
 * hbp_strategy_find() - find a strategy
 * @name: its name; "none" is none
 *
 * Return: the strategy, or HBP_STRATEGIES if there is none of that name.
 */
enum hbp_strategy hbp_strategy_find(const char *name)
{
	enum hbp_strategy strategy = HBP_SWAP_FAMILY;

	while (strategy < HBP_STRATEGIES && strcmp(names[strategy], name))
		strategy++;
	return strategy;
}

/**
 * hbp_replan() - adapt a binomial tree to a change of the network
 * @old: a plan whose tree is binomial, each parent's children in the order in
 *	which hbp_positions_plan() has them
 * @in: the network after the change; a node that has left may still be in it,
 *	and is taken out
 * @change: what has happened
 * @out: receives the new plan, with rates, predictions and what has been done;
 *	to be released with hbp_plan_free()
 * @err: receives the reason of a failure
 *
 * Paper 000, sections 3 and 4: at most one swap is done, see hbp_swap(). A node
 * that joins comes to the next position; who has the last position fills that of
 * a node that has left. A tree is good enough if it costs no more than before
 * the change; that is what the plan says, or if it does not say, what its tree
 * costs now without a node that joins, or with one that has left and is still in
 * @in. If neither tells, or a link was missing then, all swaps are tried.
 *
 * Return: 0; -EINVAL if the tree is not binomial or the change does not fit it;
 * what hbp_plan_finish() and hbp_input_costs() return; -ENOMEM.
 */
int hbp_replan(const struct hbp_plan *old, struct hbp_input *in,
	       const struct hbp_change *change, struct hbp_plan **out,
	       struct hbp_error *err)
{
	struct replan r = {
		.old = old, .in = in, .change = change, .err = err,
		.previous = old->cost_ns
	};
	struct hbp_plan *plan;
	int ret;

	if (old->n_trees > 1)
		return hbp_fail(err, -EINVAL,
				"replan takes plans with one tree, not %zu",
				old->n_trees);
	if (old->n_replicas)
		return hbp_fail(err, -EINVAL,
				"replan takes plans with one source, and this one has replicas");
	/* Room for one more. */
	r.n = old->trees[0].n_edges + 1;
	r.ids = calloc(r.n + 1, sizeof(*r.ids));
	plan = hbp_plan_alloc(old->algorithm, old->root, old->message_bytes);
	ret = plan && r.ids ? hbp_positions_read(old, r.ids, err) :
			      hbp_nomem(err);
	if (!ret)
		ret = change_tree(&r);
	if (!ret)
		ret = adapt(&r, plan);
	if (!ret) {
		plan->strict = old->strict;
		plan->whole = old->whole;
		ret = hbp_plan_finish(plan, in, hbp_model_of(in), err);
	}
	free(r.ids);
	if (ret)
		hbp_plan_free(plan);
	else
		*out = plan;
	return ret;
}
