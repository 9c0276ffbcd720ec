// SPDX-License-Identifier: GPL-2.0-or-later
/* Replanning by lists of swaps, with every path added up anew. */
#include <string.h>

#include "second.h"

/* The position of the parent. */
size_t second_up(size_t position)
{
	size_t bit = 1;

	while (!(position & bit))
		bit <<= 1;
	return position - bit;
}

bool second_has_child(const struct second *s, size_t position)
{
	size_t i;

	for (i = 1; i < s->n; i++)
		if (second_up(i) == position)
			return true;
	return false;
}

/* The largest sum of delays from the root to a leaf. */
int64_t second_cost(const struct second *s)
{
	int64_t cost = 0, sum;
	size_t i, at;

	for (i = 1; i < s->n; i++) {
		if (second_has_child(s, i))
			continue;
		sum = 0;
		for (at = i; at; at = second_up(at))
			sum += hbp_costs_delay_ns(s->c, s->node[second_up(at)],
						  s->node[at]);
		cost = sum > cost ? sum : cost;
	}
	return cost;
}

static void list(struct second *s, size_t a, size_t b)
{
	if (!a || !b || a == b)
		return;
	s->swaps[s->n_swaps][0] = a;
	s->swaps[s->n_swaps++][1] = b;
}

static size_t longest_below(const struct second *s, size_t position)
{
	size_t i, far, most = 0;

	for (i = 1; i < s->n; i++) {
		if (second_up(i) != position)
			continue;
		far = 1 + longest_below(s, i);
		most = far > most ? far : most;
	}
	return most;
}

/* Where the longest path goes on; 0 at a leaf. */
static size_t longest_child(const struct second *s, size_t position)
{
	size_t i, best = 0;

	for (i = 1; i < s->n; i++)
		if (second_up(i) == position &&
		    (!best || longest_below(s, i) > longest_below(s, best) ||
		     (longest_below(s, i) == longest_below(s, best) &&
		      s->node[i] < s->node[best])))
			best = i;
	return best;
}

static void list_path(struct second *s, size_t a, size_t b)
{
	size_t rise = a, down = b;

	while (rise || down) {
		rise = rise ? second_up(rise) : 0;
		list(s, a, rise);
		down = down ? longest_child(s, down) : 0;
		list(s, b, down);
	}
}

/* Lists what a strategy tries after a change at @a and @b, which may be the same. */
void second_list(struct second *s, enum hbp_strategy strategy, size_t a, size_t b)
{
	size_t i, x = a ? a : b;

	s->n_swaps = 0;
	if (strategy == HBP_SWAP_FAMILY) {
		for (i = 1; i < s->n; i++)
			if (second_up(i) == b)
				list(s, b, i);
		list(s, b, second_up(b));
		for (i = 1; i < s->n; i++)
			if (second_up(i) == second_up(b))
				list(s, b, i);
	} else if (strategy == HBP_SWAP_PATH) {
		list_path(s, a, b);
	} else if (strategy == HBP_SWAP_LEAF) {
		for (i = 1; i < s->n; i++) {
			if (second_has_child(s, i))
				continue;
			list(s, a, i);
			if (a != b)
				list(s, b, i);
		}
	} else if (strategy == HBP_SWAP_POSITION) {
		for (i = 1; i < s->n; i++) {
			list(s, x, x + i < s->n ? x + i : 0);
			list(s, x, x > i ? x - i : 0);
		}
	}
}

static void swap_nodes(struct second *s, const size_t *pair)
{
	size_t node = s->node[pair[0]];

	s->node[pair[0]] = s->node[pair[1]];
	s->node[pair[1]] = node;
}

/* Tries the list until the cost is not above @goal; returns the number of steps. */
size_t second_swap(struct second *s, int64_t goal)
{
	int64_t least = second_cost(s), cost;
	size_t i, best = s->n_swaps;

	if (least <= goal)
		return 0;
	for (i = 0; i < s->n_swaps; i++) {
		swap_nodes(s, s->swaps[i]);
		cost = second_cost(s);
		if (cost <= goal)
			return i + 1;
		swap_nodes(s, s->swaps[i]);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	if (best < s->n_swaps)
		swap_nodes(s, s->swaps[best]);
	return s->n_swaps;
}

/* Fills the second version from the plan's edges: positions by sending order. */
void second_read(const struct hbp_plan *plan, const struct hbp_input *in,
		 struct second *s)
{
	const struct hbp_tree *tree = &plan->trees[0];
	size_t at, i, child;

	s->c = in->costs;
	s->n = tree->n_edges + 1;
	s->node[0] = hbp_input_find(in, plan->root);
	for (at = 0; at < s->n; at++) {
		/* The last edge of a parent leads to its child nearest to it. */
		child = 1;
		for (i = tree->n_edges; i-- > 0;) {
			if (tree->edges[i].parent != in->members[s->node[at]])
				continue;
			s->node[at + child] = hbp_input_find(in,
							     tree->edges[i].child);
			child *= 2;
		}
	}
}

/* Has the plan every node at the same position? */
bool second_is(const struct second *a, const struct hbp_plan *plan,
	       const struct hbp_input *in)
{
	struct second b = { };

	second_read(plan, in, &b);
	return a->n == b.n && !memcmp(a->node, b.node, a->n * sizeof(*a->node));
}
