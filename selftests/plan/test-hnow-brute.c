// SPDX-License-Identifier: GPL-2.0-or-later
/* Planners and bounds of HNOWs on small ones, against all trees that there are. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"
#include "rotation.h"

#define BYTES	1000
#define MOST	8	/* hosts */

/* A tree over places 0 to n - 1 of a row: every parent comes before its child. */
struct row_tree {
	size_t n;
	size_t parent[MOST];
};

/* Does every place serve a stretch that begins with it? */
static bool has_stretches(const struct row_tree *t)
{
	size_t i, at;

	/* The way up from i - 1 must meet the parent of i. */
	for (i = 1; i < t->n; i++) {
		for (at = i - 1; at > t->parent[i]; at = t->parent[at])
			;
		if (at != t->parent[i])
			return false;
	}
	return true;
}

/* When a place's subtree has the message; the farthest stretch is served first. */
static int64_t serve(const struct hbp_hnow *h, const size_t *row,
		     const struct row_tree *t, size_t at, bool receive)
{
	int64_t now = 0, done = 0, below;
	size_t i;

	for (i = t->n; i-- > at + 1;) {
		if (t->parent[i] != at)
			continue;
		now += hbp_hnow_send_ns(h, row[at], BYTES) +
		       hbp_hnow_trans_ns(h, row[at], row[i], BYTES);
		if (receive)
			now += hbp_hnow_recv_ns(h, row[i], BYTES);
		below = now + serve(h, row, t, i, receive);
		done = below > done ? below : done;
	}
	return done;
}

static bool next_row_tree(struct row_tree *t)
{
	size_t i;

	for (i = 1; i < t->n; i++) {
		if (++t->parent[i] < i)
			return true;
		t->parent[i] = 0;
	}
	return false;
}

/* The tree of a plan over a row. */
static struct row_tree row_tree_of(const struct hbp_input *in,
				   const struct hbp_plan *plan, const size_t *row)
{
	struct row_tree t = { .n = in->n };
	size_t i, place[MOST];

	for (i = 0; i < t.n; i++)
		place[row[i]] = i;
	for (i = 0; i + 1 < t.n; i++)
		t.parent[place[hbp_input_find(in, plan->trees[0].edges[i].child)]] =
			place[hbp_input_find(in, plan->trees[0].edges[i].parent)];
	return t;
}

static void check_cfoot(void)
{
	size_t round, best_right = 0, trees = 0, stretched = 0;
	struct luck luck = { 44 };

	for (round = 0; round < 120; round++) {
		size_t n = 2 + draw_below(&luck, MOST - 1);
		struct hbp_input *in = random_hnow(&luck, n,
				1 + draw_below(&luck, 5), draw_below(&luck, 4));
		size_t root = draw_below(&luck, (uint32_t)n);
		struct row_tree t = { .n = n }, got;
		int64_t best = HBP_NEVER, each;
		struct hbp_rotation rotation;
		struct hbp_plan *plan;
		struct hbp_error err;

		if (hbp_rotation_init(&rotation, in, BYTES, false, &err) ||
		    hbp_rotation_turn(rotation.list, n, root, &err))
			tap_bail_out("%s", err.text);
		do {
			if (!has_stretches(&t))
				continue;
			trees++;
			each = serve(in->hnow, rotation.list, &t, 0, false);
			best = each < best ? each : best;
		} while (next_row_tree(&t));
		plan = make_plan(in, "cfoot", in->members[root], BYTES);
		got = row_tree_of(in, plan, rotation.list);
		stretched += has_stretches(&got);
		best_right += best == serve(in->hnow, rotation.list, &got, 0, false) &&
			      serve(in->hnow, rotation.list, &got, 0, true) ==
			      hbp_evaluation_slowest(plan->predicted)->completion_ns;
		hbp_plan_free(plan);
		hbp_rotation_clear(&rotation);
		hbp_input_free(in);
	}
	printf("# %zu trees\n", trees);
	ok(stretched == 120, "cfoot: every host serves a stretch of the row");
	ok(trees > 120 * 10 && best_right == 120,
	   "cfoot: the best of all trees that do");
}

/* The earliest that the last can have it, by any tree and order: tried out. */
static int64_t best_of_all(const struct hbp_input *in, unsigned int has,
			   const int64_t *free_at, int64_t end, int64_t best)
{
	int64_t next[MOST], each;
	size_t n = in->n, from, to;

	if (end >= best || has + 1 == 1u << n)
		return end < best ? end : best;
	for (from = 0; from < n; from++) {
		for (to = 0; (has >> from & 1) && to < n; to++) {
			if (has >> to & 1)
				continue;
			memcpy(next, free_at, sizeof(next));
			next[from] += hbp_hnow_pair_ns(in->hnow, from, to, BYTES);
			next[to] = next[from];
			each = best_of_all(in, has | 1u << to, next,
					   next[to] > end ? next[to] : end, best);
			best = each < best ? each : best;
		}
	}
	return best;
}

/* What one tree can do at best is no earlier than bounds, and nobody is better. */
static void check_best(void)
{
	size_t round, i, above = 0, beaten = 0, plans = 0, reached = 0, n_planners;
	const struct hbp_planner *const *all = hbp_planners(&n_planners);
	struct luck luck = { 45 };

	for (round = 0; round < 60; round++) {
		size_t n = 2 + round % 5;
		struct hbp_input *in = random_hnow(&luck, n,
				1 + draw_below(&luck, 4), draw_below(&luck, 3));
		size_t root = draw_below(&luck, (uint32_t)n);
		int64_t start[MOST] = { 0 }, best, bound, done;
		struct hbp_plan *plan;

		best = best_of_all(in, 1u << root, start, 0, HBP_NEVER);
		for (i = 0; i < n_planners; i++) {
			if (!(all[i]->inputs & in->kind))
				continue;
			plan = make_plan(in, all[i]->name, in->members[root],
					 BYTES);
			bound = hbp_evaluation_bound(plan->predicted);
			done = hbp_evaluation_slowest(plan->predicted)->completion_ns;
			if (plan->predicted->model == HBP_MODEL_HNOW) {
				above += bound <= best;
				plans++;
				beaten += plan->n_trees == 1 && done < best;
				reached += plan->n_trees == 1 && done == best;
			}
			hbp_plan_free(plan);
		}
		hbp_input_free(in);
	}
	printf("# %zu of %zu plans are the best of all trees\n", reached, plans);
	ok(plans > 60 * 15 && above == plans, "bounds are below the best of all trees");
	ok(!beaten && reached, "no plan of one tree is better than the best of all");
}

int main(void)
{
	check_cfoot();
	check_best();
	return tap_done();
}
