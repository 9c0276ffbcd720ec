// SPDX-License-Identifier: GPL-2.0-or-later
/* The swapping strategies of paper 000, section 3. */
#include <stdbool.h>

#include "binomial.h"
#include "node.h"
#include "swap.h"

/* A strategy at work. */
struct search {
	struct hbp_positions *p;
	int64_t goal;		/* at which it stops */
	size_t steps;		/* swaps that it has tried */
	int64_t least;		/* the lowest cost so far */
	size_t best[2];		/* and the swap that led to it, or HBP_NONE */
};

/* Tries to swap two positions; true if that is good enough to stop. */
static bool try(struct search *s, size_t a, size_t b)
{
	if (!a || !b || a == b || a >= s->p->n || b >= s->p->n)
		return false;
	s->steps++;
	hbp_positions_exchange(s->p, a, b);
	if (s->p->cost < s->least) {
		s->least = s->p->cost;
		s->best[0] = a;
		s->best[1] = b;
	}
	if (s->p->cost <= s->goal)
		return true;
	hbp_positions_undo(s->p, a, b);
	return false;
}

/* Tries the children of a position in ascending order, or all but one of them. */
static bool try_children(struct search *s, size_t with, size_t parent,
			 size_t except)
{
	size_t most = hbp_binomial_step(parent, s->p->n), step;

	for (step = 1; step <= most; step *= 2)
		if (parent + step != except && try(s, with, parent + step))
			return true;
	return false;
}

/* Section 3.1: with its children, its parent, its siblings. */
static bool family(struct search *s, size_t at)
{
	size_t parent = hbp_binomial_parent(at);

	return try_children(s, at, at, HBP_NONE) || try(s, at, parent) ||
	       try_children(s, at, parent, at);
}

/* How many edges the longest path has that leads down from a position. */
static size_t height(const struct hbp_positions *p, size_t at)
{
	size_t size = hbp_binomial_end(at, p->n) - at, edges = 0;

	while (size /= 2)
		edges++;
	return edges;
}

/* The next position on the longest path down; HBP_NONE behind the leaf. */
static size_t next_down(const struct hbp_positions *p, size_t at)
{
	size_t step = hbp_binomial_step(at, p->n), next = HBP_NONE, child;

	for (; step; step /= 2) {
		child = at + step;
		if (next == HBP_NONE || height(p, child) > height(p, next) ||
		    (height(p, child) == height(p, next) &&
		     p->node[child] < p->node[next]))
			next = child;
	}
	return next;
}

/* Section 3.2: one goes up, the other down, by turns. */
static bool path(struct search *s, size_t above, size_t below)
{
	size_t up = above, down = below;

	while (up || down != HBP_NONE) {
		if (up) {
			up = hbp_binomial_parent(up);
			if (try(s, above, up))
				return true;
		}
		if (down != HBP_NONE) {
			down = next_down(s->p, down);
			if (down != HBP_NONE && try(s, below, down))
				return true;
		}
	}
	return false;
}

/* Section 3.3: both with each leaf, from the first to the last. */
static bool leaf(struct search *s, size_t above, size_t below)
{
	size_t i;

	for (i = 1; i < s->p->n; i++) {
		if (hbp_binomial_step(i, s->p->n))
			continue;
		if (try(s, above, i))
			return true;
		if (above != below && try(s, below, i))
			return true;
	}
	return false;
}

/* Section 3.4: with those around it, the nearer first. */
static bool position(struct search *s, size_t at)
{
	size_t far;

	for (far = 1; far < s->p->n; far++)
		if (try(s, at, at + far) || (far < at && try(s, at, at - far)))
			return true;
	return false;
}

static bool run(struct search *s, enum hbp_strategy strategy, size_t above,
		size_t below)
{
	switch (strategy) {
	case HBP_SWAP_FAMILY:
		return family(s, below);
	case HBP_SWAP_PATH:
		return path(s, above, below);
	case HBP_SWAP_LEAF:
		return leaf(s, above, below);
	case HBP_SWAP_POSITION:
		return position(s, above ? above : below);
	case HBP_SWAP_NONE:
	case HBP_STRATEGIES:
		break;
	}
	return true;
}

/**
 * hbp_swap() - lower the cost of a binomial tree by one swap
 * @p: the tree
 * @strategy: which swaps to try
 * @above: position of the upper end of the link that has got dearer
 * @below: position of its lower end, not 0; the same as @above if a node is to
 *	find a better place
 * @goal_ns: the cost at or below which a tree is good enough; -1 to try all swaps
 *
 * Paper 000, section 3. If no swap is good enough, the one with the lowest cost
 * is done, of several the one tried first, if the tree is better with it. The
 * root is never swapped: where a strategy would swap the upper end and this is
 * the root, position swaps the lower end and the others leave the swap out.
 *
 * Return: how many swaps have been tried.
 */
size_t hbp_swap(struct hbp_positions *p, enum hbp_strategy strategy,
		size_t above, size_t below, int64_t goal_ns)
{
	struct search s = {
		.p = p, .goal = goal_ns, .least = p->cost,
		.best = { HBP_NONE, HBP_NONE }
	};

	if (p->cost <= goal_ns)
		return 0;
	if (!run(&s, strategy, above, below) && s.best[0] != HBP_NONE)
		hbp_positions_exchange(p, s.best[0], s.best[1]);
	return s.steps;
}
