// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Five links of a platform are wrong by 2 or 4. Two broadcasts along plans from it, each
 * followed by an update, find those that have held lanes up. What a broadcast shows is
 * worked out here: all lanes become faster in proportion to their planned rates until a
 * link is full, which then limits those that cross it, while those below wait for data.
 */
#include <math.h>
#include <stdlib.h>

#include "../lib/tap.h"
#include "measure/update.h"
#include "route.h"
#include "truth.h"
#include "units.h"

#define WRONG		5
#define NETWORKS	100
#define BROADCASTS	2
#define HOSTS		9
#define NOISE		0.02	/* of lanes' figures */
#define WITHIN		0.05	/* of the truth, what is found */

/**
 * struct lane - a lane of a broadcast
 * @planned: its rate in the plan, Mbit/s
 * @above: the lane that feeds it, NEVER at the root
 * @rate: what it has got, Mbit/s
 * @ends: it does not become faster
 * @full: the link that limits it, NEVER for none
 * @crosses: whether it crosses each link
 */
struct lane {
	double planned;
	size_t above;
	double rate;
	bool ends;
	size_t full;
	bool crosses[4 * NODES];
};

/* What the lanes of a plan do in the true network. */
struct broadcast {
	const struct hbp_platform *truth;
	struct luck *luck;
	size_t n;
	struct lane *lanes;
	struct hbp_seen *seen;
};

static double mbps_of(const struct hbp_platform *p, size_t link)
{
	return hbp_mbps_from_bps(p->links[link].bandwidth_bps);
}

static void find_way(const struct hbp_platform *p, uint32_t from, uint32_t to, bool *crosses)
{
	struct hbp_routes *routes = hbp_routes_alloc(p);
	size_t begin = hbp_platform_find(p, from), at = hbp_platform_find(p, to);

	if (!routes)
		tap_bail_out("no memory");
	hbp_routes_find(p, begin, false, routes);
	for (; at != begin; at = p->links[routes->last[at]].from)
		crosses[routes->last[at]] = true;
	hbp_routes_free(routes);
}

/* By how much of what is planned the lanes that cross a link can still become faster. */
static double room_of(const struct broadcast *b, size_t link)
{
	double planned = 0, left = mbps_of(b->truth, link);
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (!b->lanes[i].crosses[link])
			continue;
		left -= b->lanes[i].rate;
		planned += b->lanes[i].ends ? 0 : b->lanes[i].planned;
	}
	return planned > 0 ? fmax(left, 0) / planned : INFINITY;
}

/* Until the next link is full; whether there was one. Feeders come before those they feed. */
static bool grow(struct broadcast *b)
{
	double room, least = INFINITY;
	size_t i, link, full = NEVER;
	struct lane *lane;

	for (link = 0; link < b->truth->n_links; link++) {
		room = room_of(b, link);
		if (room < least) {
			least = room;
			full = link;
		}
	}
	if (full == NEVER)
		return false;
	for (i = 0; i < b->n; i++) {
		lane = &b->lanes[i];
		if (lane->ends)
			continue;
		lane->rate += least * lane->planned;
		if (lane->above != NEVER && b->lanes[lane->above].ends) {
			lane->ends = true;
		} else if (lane->crosses[full]) {
			lane->ends = true;
			lane->full = full;
		}
	}
	return true;
}

static size_t feeder_of(const struct hbp_tree *tree, size_t edge)
{
	size_t i;

	for (i = 0; i < edge; i++)
		if (tree->edges[i].child == tree->edges[edge].parent)
			return i;
	return NEVER;
}

static void add_tree(struct broadcast *b, const struct hbp_tree *tree)
{
	size_t i, first = b->n, above;
	struct lane *lane;

	for (i = 0; i < tree->n_edges; i++) {
		above = feeder_of(tree, i);
		lane = &b->lanes[b->n++];
		lane->planned = hbp_mbps_from_bps(tree->rate_bps);
		lane->above = above == NEVER ? NEVER : first + above;
		lane->full = NEVER;
		find_way(b->truth, tree->edges[i].parent, tree->edges[i].child, lane->crosses);
		b->seen[b->n - 1] = (struct hbp_seen){
			.from = tree->edges[i].parent, .to = tree->edges[i].child, .ended_s = 10,
			.planned_mbps = lane->planned,
		};
	}
}

static void send(struct broadcast *b, const struct hbp_plan *plan)
{
	size_t i, lanes = 0;

	for (i = 0; i < plan->n_trees; i++)
		lanes += plan->trees[i].n_edges;
	b->lanes = calloc(lanes, sizeof(*b->lanes));
	b->seen = calloc(lanes, sizeof(*b->seen));
	if (!b->lanes || !b->seen)
		tap_bail_out("no memory");
	for (i = 0; i < plan->n_trees; i++)
		add_tree(b, &plan->trees[i]);
	while (grow(b))
		;
	for (i = 0; i < b->n; i++) {
		b->seen[i].mbps = b->lanes[i].rate * (1 - NOISE + 2 * NOISE * draw(b->luck));
		if (b->lanes[i].full == NEVER)
			continue;
		b->seen[i].limited_mbps = b->seen[i].mbps;
		b->seen[i].limited = 1;
	}
}

static void learn(struct broadcast *b, struct hbp_platform *known)
{
	struct hbp_news *news;
	struct hbp_error err;
	size_t i, n, k;

	if (hbp_update_platform(known, b->seen, b->n, &news, &n, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < n; i++)
		for (k = 0; k < known->n_links; k++)
			if (known->nodes[known->links[k].from].id == news[i].from &&
			    known->nodes[known->links[k].to].id == news[i].to)
				known->links[k].bandwidth_bps = hbp_bps_from_mbps(news[i].mbps);
	free(news);
}

/* Whether the same lanes cross two links: nothing that lanes show tells them apart. */
static bool same_lanes(const struct broadcast *b, size_t link, size_t other)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->lanes[i].crosses[link] != b->lanes[i].crosses[other])
			return false;
	return true;
}

/* What is known of a link, or of one that nothing tells from it. */
static bool is_found(const struct broadcast *b, const struct hbp_platform *known, size_t link)
{
	double truth = mbps_of(b->truth, link);
	size_t k;

	for (k = 0; k < known->n_links; k++)
		if (same_lanes(b, link, k) && fabs(mbps_of(known, k) / truth - 1) <= WITHIN)
			return true;
	return false;
}

/* A plan, a broadcast and an update; which links limit lanes in the end, and are found. */
static void round_of(struct hbp_input *known, const struct hbp_platform *truth,
		     struct luck *luck, bool *used, bool *found)
{
	struct hbp_plan *plan = make_plan(known, "stable", 1, 64 << 20);
	struct broadcast b = { .truth = truth, .luck = luck };
	size_t i;

	send(&b, plan);
	learn(&b, known->platform);
	for (i = 0; i < b.n; i++) {
		if (b.lanes[i].full == NEVER)
			continue;
		used[b.lanes[i].full] = true;
		found[b.lanes[i].full] = is_found(&b, known->platform, b.lanes[i].full);
	}
	free(b.lanes);
	free(b.seen);
	hbp_plan_free(plan);
}

/* Makes links wrong that are different ones. */
static void spoil(struct hbp_platform *p, struct luck *luck, bool up, bool down, size_t *wrong)
{
	static const double factors[] = { 4, 2, 0.5, 0.25 };
	size_t i, k, first = up ? 0 : 2, n = up && down ? 4 : 2;

	for (i = 0; i < WRONG; i++) {
		do {
			wrong[i] = draw_below(luck, p->n_links);
			for (k = 0; k < i && wrong[k] != wrong[i]; k++)
				;
		} while (k < i);
		p->links[wrong[i]].bandwidth_bps *= factors[first + draw_below(luck, n)];
	}
}

/* What became of some wrong networks. */
struct outcome {
	size_t tried;	/* wrong links that have limited lanes */
	size_t found;	/* those of which that is known now */
	size_t right;	/* links that were right */
	size_t spoilt;	/* those that are taken for slower than they are now */
};

static void judge(const struct hbp_platform *truth, const struct hbp_platform *known,
		  const size_t *wrong, const bool *used, const bool *found,
		  struct outcome *o)
{
	size_t i, k;

	for (i = 0; i < truth->n_links; i++) {
		for (k = 0; k < WRONG && wrong[k] != i; k++)
			;
		if (k == WRONG) {
			o->right++;
			o->spoilt += fabs(mbps_of(known, i) / mbps_of(truth, i) - 1) > WITHIN;
		} else if (used[i]) {
			o->tried++;
			o->found += found[i];
		}
	}
}

static void try(bool up, bool down, struct outcome *o)
{
	size_t i, k, wrong[WRONG];
	struct luck luck;

	*o = (struct outcome){ };
	for (i = 1; i <= NETWORKS; i++) {
		struct hbp_input *truth, *known;
		bool used[4 * NODES] = { }, found[4 * NODES] = { };

		luck.state = i;
		truth = random_platform(&luck, HOSTS, 4, 6, false);
		luck.state = i;
		known = random_platform(&luck, HOSTS, 4, 6, false);
		spoil(known->platform, &luck, up, down, wrong);
		for (k = 0; k < BROADCASTS; k++)
			round_of(known, truth->platform, &luck, used, found);
		judge(truth->platform, known->platform, wrong, used, found, o);
		hbp_input_free(truth);
		hbp_input_free(known);
	}
	printf("# %zu of %zu found, %zu of %zu spoilt\n", o->found, o->tried, o->spoilt, o->right);
}

int main(void)
{
	struct outcome o;

	try(true, false, &o);
	ok(o.tried > 40 && o.found * 10 >= o.tried * 9,
	   "nine of ten links of less than was known are found");
	ok(o.spoilt * 100 <= o.right, "and hardly any other ones are taken for them");
	try(true, true, &o);
	ok(o.tried > 40 && o.found * 10 >= o.tried * 9,
	   "nine of ten links of less or more than was known are found");
	ok(o.spoilt * 100 <= o.right, "and hardly any other ones are taken for them");
	return tap_done();
}
