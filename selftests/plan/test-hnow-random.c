// SPDX-License-Identifier: GPL-2.0-or-later
/* Planners, ways and the model of HNOWs on random ones. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "dcn.h"
#include "helper.h"
#include "rotation.h"
#include "spanning.h"

#define BYTES	1000

static const char *const planners[] = {
	"doubling", "ebs", "vbbs", "vbbswf", "two-ebs", "two-vbbs", "cfoot"
};

#define N_PLANNERS	(sizeof(planners) / sizeof(planners[0]))

static bool is_up(const struct hbp_spanning *t, size_t from, size_t to)
{
	return t->level[from] != t->level[to] ? t->level[from] > t->level[to] :
	       t->number[from] > t->number[to];
}

/* The shortest legal way by trying all, without visiting a switch twice. */
static size_t try_ways(const struct hbp_hnow *h, size_t at, size_t to, bool down,
		       bool *seen)
{
	const struct hbp_platform *p = h->platform;
	size_t best = 1000, rest, i, next;

	if (at == to)
		return 0;
	seen[at] = true;
	for (i = p->first[at]; i < p->first[at + 1]; i++) {
		next = p->links[i].to;
		if (p->nodes[next].host || seen[next] ||
		    (down && is_up(h->tree, at, next)))
			continue;
		rest = try_ways(h, next, to, !is_up(h->tree, at, next), seen);
		best = rest + 1 < best ? rest + 1 : best;
	}
	seen[at] = false;
	return best;
}

/* Breadth-first: a switch is one level below its parent, and near no higher. */
static bool is_breadth_first(const struct hbp_hnow *h)
{
	const struct hbp_platform *p = h->platform;
	const struct hbp_spanning *t = h->tree;
	size_t root = t->postorder[t->n_switches - 1], i, from, to;
	bool good = t->level[root] == 0 && t->parent[root] == HBP_NONE;

	for (i = 0; i < p->n; i++)
		good = good && (p->nodes[i].host ||
				p->first[i + 1] - p->first[i] <=
				p->first[root + 1] - p->first[root]);
	for (i = 0; i < p->n_links; i++) {
		from = p->links[i].from;
		to = p->links[i].to;
		if (p->nodes[from].host || p->nodes[to].host)
			continue;
		good = good && t->level[to] <= t->level[from] + 1 &&
		       (t->level[to] != t->level[from] + 1 ||
			(t->parent[to] == from ||
			 (t->level[t->parent[to]] == t->level[from])));
	}
	for (i = 0; i + 1 < t->n_switches; i++)
		good = good && t->number[t->parent[t->postorder[i]]] > i &&
		       t->number[t->postorder[i]] == i;
	return good;
}

static void check_ways(void)
{
	size_t round, pairs = 0, right = 0, trees = 0, i, j;
	struct luck luck = { 41 };
	bool seen[64] = { false };

	for (round = 0; round < 150; round++) {
		struct hbp_input *in = random_hnow(&luck, 2 + draw_below(&luck, 9),
						   1 + draw_below(&luck, 7),
						   draw_below(&luck, 8));
		const struct hbp_hnow *h = in->hnow;

		trees += is_breadth_first(h);
		for (i = 0; i < in->n; i++) {
			for (j = 0; j < in->n; j++) {
				if (i == j)
					continue;
				pairs++;
				right += hbp_hnow_path(h, i, j) ==
					 2 + try_ways(h, h->at[i], h->at[j],
						      false, seen);
			}
		}
		hbp_input_free(in);
	}
	ok(trees == 150, "spanning trees are breadth-first from the switch of most links");
	ok(pairs > 3000 && right == pairs,
	   "%zu ways are the shortest that go up before down", pairs);
}

static int64_t pair(const struct hbp_input *in, uint32_t from, uint32_t to,
		    uint64_t bytes)
{
	return hbp_hnow_pair_ns(in->hnow, hbp_input_find(in, from),
				hbp_input_find(in, to), bytes);
}

/*
 * When each host is done, in any order: by following the tree down, one child
 * after the other, as long as @within says that the child belongs there.
 */
static void follow(const struct hbp_input *in, const struct hbp_tree *tree,
		   uint32_t at, int64_t now, uint64_t bytes, const bool *within,
		   int64_t *done)
{
	size_t i, to;

	for (i = 0; i < tree->n_edges; i++) {
		if (tree->edges[i].parent != at)
			continue;
		to = hbp_input_find(in, tree->edges[i].child);
		if (within && !within[to])
			continue;
		now += pair(in, at, tree->edges[i].child, bytes);
		done[to] = now;
		follow(in, tree, tree->edges[i].child, now, bytes, within, done);
	}
}

static bool agrees(const struct hbp_input *in, const struct hbp_plan *plan,
		   const int64_t *done)
{
	const struct hbp_evaluation *e = plan->predicted;
	size_t i;

	for (i = 0; i < e->n; i++)
		if (done[hbp_input_find(in, e->nodes[i].id)] !=
		    e->nodes[i].completion_ns)
			return false;
	return e->model == HBP_MODEL_HNOW;
}

static int64_t largest(const int64_t *done, const bool *within, size_t n)
{
	int64_t most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (within[i] && done[i] > most)
			most = done[i];
	return most;
}

/*
 * The three phases of section 4.2.1, from the DCNs and not from the plan: only
 * the scheduling trees are taken from it.
 */
static bool phases_agree(const struct hbp_input *in, const struct hbp_plan *plan,
			 size_t *open)
{
	size_t n = in->n, root = hbp_input_find(in, plan->root), i, k;
	int64_t *done = calloc(n, sizeof(*done)), start = 0, each, end = 0;
	uint32_t second = plan->trees[1].edges[0].child;
	uint64_t half = (plan->message_bytes + 1) / 2;
	bool *within = calloc(n, sizeof(*within)), good;
	struct hbp_rotation rotation;
	struct hbp_dcns dcns;
	struct hbp_error err;

	if (hbp_rotation_init(&rotation, in, half, true, &err) ||
	    hbp_dcns_find(&rotation, &dcns, &err))
		tap_bail_out("%s", err.text);
	start = pair(in, plan->root, second, half);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < n; i++)
			within[i] = (dcns.side[i] == dcns.side[root]) == !k;
		done[hbp_input_find(in, second)] = 0;
		follow(in, &plan->trees[k], k ? second : plan->root, 0, half,
		       within, done);
		each = largest(done, within, n);
		end = each > end ? each : end;
	}
	for (i = 0; i < n; i++)
		if (i != dcns.single)
			done[i] = start + end +
				  pair(in, in->members[dcns.partner[i]],
				       in->members[i], half);
	/* The giver sends to its own partner first, unless that is the root. */
	if (dcns.single != HBP_NONE) {
		i = dcns.partner[dcns.giver];
		done[dcns.single] = start + end +
			(i == root ? 0 :
			 pair(in, in->members[dcns.giver], in->members[i], half)) +
			pair(in, in->members[dcns.giver],
			     in->members[dcns.single], half);
	}
	good = agrees(in, plan, done);
	/* The edges may leave open on which side the partner of the root is. */
	if (!good && dcns.giver == root) {
		++*open;
		good = true;
	}
	free(done);
	free(within);
	hbp_dcns_clear(&dcns);
	hbp_rotation_clear(&rotation);
	return good;
}

static bool model_agrees(const struct hbp_input *in, const struct hbp_plan *plan,
			 size_t *open)
{
	int64_t *done = calloc(in->n, sizeof(*done));
	bool good;

	if (plan->n_trees > 1) {
		good = phases_agree(in, plan, open);
	} else {
		follow(in, &plan->trees[0], plan->root, 0, plan->message_bytes,
		       NULL, done);
		good = agrees(in, plan, done);
	}
	free(done);
	return good;
}

static bool is_sound(const struct hbp_input *in, const struct hbp_plan *plan)
{
	const struct hbp_evaluation *e = plan->predicted;
	struct hbp_error err;
	bool good = true;
	size_t i, t;

	for (t = 0; t < plan->n_trees; t++)
		good = good && plan->trees[t].n_edges == in->n - 1 &&
		       plan->trees[t].rate_bps > 0;
	for (i = 0; i < e->n; i++)
		good = good && e->nodes[i].bound_ns > 0 &&
		       e->nodes[i].completion_ns >= e->nodes[i].bound_ns &&
		       e->nodes[i].rate_bps >= plan->trees[0].rate_bps;
	return good && !hbp_plan_check_members(plan, in->members, in->n, &err);
}

/* In how many steps everybody has it, if each transfer is one. */
static size_t steps(const struct hbp_tree *tree, uint32_t at)
{
	size_t i, step = 0, most = 0, below;

	for (i = 0; i < tree->n_edges; i++) {
		if (tree->edges[i].parent != at)
			continue;
		below = ++step + steps(tree, tree->edges[i].child);
		most = below > most ? below : most;
	}
	return most;
}

static size_t log2_up(size_t n)
{
	size_t log = 0;

	while ((size_t)1 << log < n)
		log++;
	return log;
}

static void check_plans(void)
{
	size_t round, i, plans = 0, sound = 0, same = 0, right = 0, few = 0;
	size_t open = 0;
	struct luck luck = { 42 };

	for (round = 0; round < 300; round++) {
		size_t n = 2 + draw_below(&luck, 40);
		struct hbp_input *in = random_hnow(&luck, n,
				1 + draw_below(&luck, 12), draw_below(&luck, 12));
		uint32_t root = in->members[draw_below(&luck, (uint32_t)n)];
		struct hbp_plan *plan;

		for (i = 0; i < N_PLANNERS; i++) {
			plan = make_plan(in, planners[i], root, BYTES + round % 2);
			plans++;
			sound += is_sound(in, plan);
			same += same_again(in, plan);
			right += model_agrees(in, plan, &open);
			/* Section 2.2.2, and 3.1.3 of the exchanges. */
			few += i < 2 && steps(&plan->trees[0], root) == log2_up(n);
			hbp_plan_free(plan);
		}
		hbp_input_free(in);
	}
	ok(plans == 300 * N_PLANNERS && sound == plans,
	   "plans of HNOWs span, and are above bounds");
	ok(same == plans, "plans of HNOWs are the same again");
	ok(right == plans && open <= 8,
	   "the model agrees with one that follows trees and DCNs");
	ok(few == 2 * 300, "doubling and ebs take as few steps as can be");
}

/* What sections 4.3 and 4.7 promise. */
static bool dcns_are_right(const struct hbp_rotation *rotation,
			   const struct hbp_dcns *dcns)
{
	size_t n = rotation->n, i, p, sides[2] = { 0, 0 };

	for (i = 0; i < n; i++) {
		p = dcns->partner[i];
		sides[dcns->side[i]]++;
		if (i == dcns->single)
			continue;
		if (p == HBP_NONE || p == i || dcns->partner[p] != i ||
		    dcns->side[p] == dcns->side[i])
			return false;
	}
	if (sides[0] != (n + 1) / 2)
		return false;
	return n % 2 ? dcns->single != HBP_NONE &&
		       dcns->partner[dcns->single] == HBP_NONE &&
		       dcns->side[dcns->giver] != dcns->side[dcns->single] :
	       dcns->single == HBP_NONE;
}

/* No host but the first has a faster one of its switch right below. */
static bool nothing_to_exchange(const struct hbp_rotation *rotation,
				const size_t *list, size_t n, bool first)
{
	const size_t *at = rotation->in->hnow->at;
	size_t child;

	for (; n > 1; n = child) {
		child = n / 2;
		if (!first && at[list[child]] == at[list[0]] &&
		    rotation->type[list[child]] < rotation->type[list[0]])
			return false;
		if (!nothing_to_exchange(rotation, &list[child], n - child, false))
			return false;
	}
	return true;
}

/* Exchanges keep every place at its switch, and lose nobody. */
static bool exchanges_are_right(const struct hbp_rotation *rotation,
				struct luck *luck)
{
	const size_t *at = rotation->in->hnow->at;
	size_t n = rotation->n, i, *list = calloc(n, sizeof(*list));
	bool *seen = calloc(n, sizeof(*seen)), good;
	struct hbp_tree tree = { 0 };
	struct hbp_error err;

	memcpy(list, rotation->list, n * sizeof(*list));
	hbp_rotation_turn(list, n, draw_below(luck, (uint32_t)n), &err);
	memcpy(rotation->list, list, n * sizeof(*list));
	hbp_schedule_ebs(rotation, list, n, &tree, &err);
	good = list[0] == rotation->list[0] &&
	       nothing_to_exchange(rotation, list, n, true);
	for (i = 0; i < n; i++) {
		good = good && at[list[i]] == at[rotation->list[i]] &&
		       !seen[list[i]];
		seen[list[i]] = true;
	}
	free(tree.edges);
	free(list);
	free(seen);
	return good;
}

static void check_parts(void)
{
	size_t round, dcns_right = 0, rows_right = 0;
	struct luck luck = { 43 };

	for (round = 0; round < 1000; round++) {
		struct hbp_input *in = random_hnow(&luck, 2 + draw_below(&luck, 30),
				1 + draw_below(&luck, 15), draw_below(&luck, 9));
		struct hbp_rotation rotation;
		struct hbp_dcns dcns;
		struct hbp_error err;

		if (hbp_rotation_init(&rotation, in, BYTES, round & 1, &err) ||
		    hbp_dcns_find(&rotation, &dcns, &err))
			tap_bail_out("%s", err.text);
		dcns_right += dcns_are_right(&rotation, &dcns);
		rows_right += exchanges_are_right(&rotation, &luck);
		hbp_dcns_clear(&dcns);
		hbp_rotation_clear(&rotation);
		hbp_input_free(in);
	}
	ok(dcns_right == 1000,
	   "DCNs pair all hosts of the two sides, one is left of an odd number");
	ok(rows_right == 1000,
	   "ebs exchanges within switches until nothing is left to exchange");
}

/* Speeds, network and message that are all as many times slower. */
static void slow_down(struct hbp_hnow *h, int64_t times)
{
	size_t i;

	h->const_ns *= times;
	h->byte_ps *= times;
	for (i = 0; i < h->platform->n_hosts; i++) {
		h->speeds[i].send_const_ns *= times;
		h->speeds[i].send_byte_ps *= times;
		h->speeds[i].recv_const_ns *= times;
		h->speeds[i].recv_byte_ps *= times;
	}
}

static void check_changes(void)
{
	size_t round, i, e, t, same = 0, longer = 0, dropped = 0, open = 0;
	struct luck luck = { 46 };
	struct hbp_error err;

	for (round = 0; round < 40; round++) {
		size_t n = 4 + draw_below(&luck, 20);
		struct hbp_input *in = random_hnow(&luck, n,
				1 + draw_below(&luck, 6), draw_below(&luck, 4));
		struct hbp_plan *before[N_PLANNERS], *after;
		uint32_t root = in->members[1];
		bool alike;

		for (i = 0; i < N_PLANNERS; i++)
			before[i] = make_plan(in, planners[i], root, BYTES);
		slow_down(in->hnow, 8);
		for (i = 0; i < N_PLANNERS; i++) {
			after = make_plan(in, planners[i], root, BYTES);
			alike = true;
			for (t = 0; t < after->n_trees; t++)
				for (e = 0; e + 1 < n; e++)
					alike = alike &&
						after->trees[t].edges[e].parent ==
						before[i]->trees[t].edges[e].parent &&
						after->trees[t].edges[e].child ==
						before[i]->trees[t].edges[e].child;
			same += alike;
			longer += hbp_evaluation_slowest(after->predicted)->completion_ns ==
				  8 * hbp_evaluation_slowest(before[i]->predicted)->completion_ns;
			hbp_plan_free(before[i]);
			hbp_plan_free(after);
		}
		if (hbp_input_drop(in, in->members[0], &err) ||
		    hbp_input_drop(in, in->members[in->n - 1], &err))
			tap_bail_out("%s", err.text);
		for (i = 0; i < N_PLANNERS; i++) {
			after = make_plan(in, planners[i], root, BYTES);
			dropped += is_sound(in, after) &&
				   model_agrees(in, after, &open) && !open;
			hbp_plan_free(after);
		}
		hbp_input_free(in);
	}
	ok(same == 40 * N_PLANNERS, "all that is 8 times slower changes no tree");
	ok(longer == 40 * N_PLANNERS, "all that is 8 times slower takes 8 times as long");
	ok(dropped == 40 * N_PLANNERS, "an HNOW without two of its hosts is one, too");
}

int main(void)
{
	check_ways();
	check_plans();
	check_parts();
	check_changes();
	return tap_done();
}
