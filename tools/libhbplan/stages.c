// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A message sent in stages (paper 003, algorithm 2). Stage 1 sends all of it
 * over all trees; each later stage sends what one member lacks over the trees
 * that contain it, fastest member first. The message is therefore a few classes
 * of fragments, told apart by the trees that they have been sent through.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "stages.h"
#include "units.h"

/*
 * Beyond so many classes the smallest are taken for one that has been sent only
 * where all of them have: then nodes are predicted later than they would be.
 */
#define CLASSES_MAX	1024

struct class {
	uint64_t used;		/* trees that its fragments were sent through */
	double share;		/* of the message */
};

struct stage {
	size_t number;		/* from 1 */
	uint64_t trees;
	double share;		/* of the message that is sent */
	double start;		/* seconds */
	double sum;		/* rates of @trees, bit/s */
};

/* Nodes that are in the same trees. */
struct group {
	uint64_t trees;
	uint32_t id;		/* the lowest of them */
	double sum;		/* rates of @trees */
	bool done;
	struct stage last;	/* the last that brings something */
};

struct stages {
	const struct hbp_plan *plan;
	double bits;
	double rate[HBP_PLAN_TREES_MAX];
	struct class *classes;	/* room for CLASSES_MAX times the trees */
	struct class *next;	/* likewise */
	size_t n_classes;
	struct group *groups;
	size_t n_groups;
};

static double sum_of(const struct stages *s, uint64_t trees)
{
	double sum = 0;
	size_t t;

	for (t = 0; t < s->plan->n_trees; t++)
		if (trees >> t & 1)
			sum += s->rate[t];
	return sum;
}

static int compare_used(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

static int compare_share(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return compare_used(a, b);
}

/*
 * Classes that are equal to those who are not done yet become one, then the
 * smallest do if there are too many.
 */
static void join_classes(struct stages *s)
{
	uint64_t wanted = 0;
	size_t i, n = 0;

	for (i = 0; i < s->n_groups; i++)
		if (!s->groups[i].done)
			wanted |= s->groups[i].trees;
	for (i = 0; i < s->n_classes; i++)
		s->classes[i].used &= wanted;
	qsort(s->classes, s->n_classes, sizeof(*s->classes), compare_used);
	for (i = 1; i < s->n_classes; i++) {
		if (s->classes[i].used == s->classes[n].used)
			s->classes[n].share += s->classes[i].share;
		else
			s->classes[++n] = s->classes[i];
	}
	s->n_classes = n + 1;
	if (s->n_classes <= CLASSES_MAX)
		return;
	qsort(s->classes, s->n_classes, sizeof(*s->classes), compare_share);
	for (i = CLASSES_MAX; i < s->n_classes; i++) {
		s->classes[CLASSES_MAX - 1].used &= s->classes[i].used;
		s->classes[CLASSES_MAX - 1].share += s->classes[i].share;
	}
	s->n_classes = CLASSES_MAX;
}

/* Sends what has not been through any of the stage's trees. */
static void send(struct stages *s, struct stage *stage)
{
	struct class *swap;
	size_t i, t, n = 0;

	for (i = 0; i < s->n_classes; i++) {
		const struct class *c = &s->classes[i];

		if (c->used & stage->trees) {
			s->next[n++] = *c;
			continue;
		}
		stage->share += c->share;
		for (t = 0; t < s->plan->n_trees; t++) {
			if (!(stage->trees >> t & 1))
				continue;
			s->next[n].used = c->used | 1ull << t;
			s->next[n++].share = c->share * s->rate[t] / stage->sum;
		}
	}
	swap = s->classes;
	s->classes = s->next;
	s->next = swap;
	s->n_classes = n;
}

/* Does a group lack something that a stage is about to send? */
static bool is_served(const struct stages *s, const struct group *g,
		      const struct stage *stage)
{
	size_t i;

	if (g->done || !(g->trees & stage->trees))
		return false;
	for (i = 0; i < s->n_classes; i++)
		if (!(s->classes[i].used & (g->trees | stage->trees)))
			return true;
	return false;
}

static bool is_done(const struct stages *s, const struct group *g)
{
	size_t i;

	for (i = 0; i < s->n_classes; i++)
		if (!(s->classes[i].used & g->trees))
			return false;
	return true;
}

/* The fastest group that lacks something, of several the one with the lowest id. */
static struct group *next_group(struct stages *s)
{
	struct group *g, *best = NULL;

	for (g = s->groups; g < s->groups + s->n_groups; g++)
		if (!g->done && (!best || g->sum > best->sum ||
				 (g->sum == best->sum && g->id < best->id)))
			best = g;
	return best;
}

static void run(struct stages *s)
{
	struct stage stage = { .trees = ~0ull };
	struct group *g, *served = NULL;

	s->classes[0].used = 0;
	s->classes[0].share = 1;
	s->n_classes = 1;
	do {
		stage.number++;
		stage.sum = sum_of(s, stage.trees);
		stage.share = 0;
		for (g = s->groups; g < s->groups + s->n_groups; g++)
			if (is_served(s, g, &stage))
				g->last = stage;
		send(s, &stage);
		for (g = s->groups; g < s->groups + s->n_groups; g++) {
			if (g->last.number == stage.number)
				g->last.share = stage.share;
			g->done = g->done || g == served || is_done(s, g);
		}
		join_classes(s);
		stage.start += stage.share * s->bits / stage.sum;
		served = next_group(s);
		if (served)
			stage.trees = served->trees;
	} while (served);
}

/* Which trees a node is in. */
struct place {
	uint64_t trees;
	uint32_t id;
	size_t at;		/* its figure */
	size_t group;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->trees != y->trees)
		return x->trees < y->trees ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int compare_at(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static size_t child_of(const struct stages *s, const struct hbp_fluid *fluid,
		       size_t edge, size_t start, const struct hbp_figure *figures)
{
	const struct hbp_tree *tree = &s->plan->trees[fluid->tree[edge]];

	return hbp_node_find(figures, s->plan->trees[0].n_edges,
			     sizeof(*figures), tree->edges[edge - start].child);
}

/* Finds each edge's node, the trees of every node and the rate of every tree. */
static void look_at_trees(struct stages *s, const struct hbp_fluid *fluid,
			  struct hbp_figure *figures, struct place *places,
			  size_t *node)
{
	size_t i, t, start = 0, n = s->plan->trees[0].n_edges;

	for (i = 0; i < n; i++) {
		places[i].id = figures[i].id;
		places[i].at = i;
		figures[i].rate_bps = 0;
	}
	for (i = 0; i < fluid->n; i++) {
		t = fluid->tree[i];
		if (i && t != fluid->tree[i - 1])
			start = i;
		node[i] = child_of(s, fluid, i, start, figures);
		places[node[i]].trees |= 1ull << t;
		if (i == start || fluid->rate[i] < s->rate[t])
			s->rate[t] = fluid->rate[i];
		/* Rounded down, as bounds are whole; forgiving what 2/3 costs. */
		figures[node[i]].rate_bps += (int64_t)(fluid->rate[i] + 0.001);
	}
	for (i = 0; i < n; i++)
		if (figures[i].rate_bps < 1)
			figures[i].rate_bps = 1;
}

static void make_groups(struct stages *s, struct place *places)
{
	size_t i, n = s->plan->trees[0].n_edges;
	struct group *g = NULL;

	qsort(places, n, sizeof(*places), compare_places);
	for (i = 0; i < n; i++) {
		if (!i || places[i].trees != places[i - 1].trees) {
			g = &s->groups[s->n_groups++];
			g->trees = places[i].trees;
			g->id = places[i].id;
			g->sum = sum_of(s, g->trees);
		}
		places[i].group = s->n_groups - 1;
	}
	qsort(places, n, sizeof(*places), compare_at);
}

static void fill_figures(const struct stages *s, const struct hbp_fluid *fluid,
			 const struct place *places, const size_t *node,
			 struct hbp_figure *figures)
{
	const struct stage *last;
	struct hbp_figure *f;
	int64_t ns, least;
	double seconds;
	size_t i, t;

	for (i = 0; i < fluid->n; i++) {
		t = fluid->tree[i];
		last = &s->groups[places[node[i]].group].last;
		if (!(last->trees >> t & 1))
			continue;
		f = &figures[node[i]];
		seconds = last->start + s->bits * last->share * s->rate[t] /
					last->sum / fluid->rate[i];
		ns = seconds * 1e9 > (double)HBP_NS_MAX ? HBP_NEVER :
		     llround(seconds * 1e9);
		/* Never below this, whatever sums have been rounded to. */
		least = hbp_transfer_ns(s->plan->message_bytes, f->rate_bps);
		ns = hbp_ns_add(ns < least ? least : ns, fluid->since_ns[i]);
		if (ns > f->completion_ns)
			f->completion_ns = ns;
	}
}

/**
 * hbp_stages() - when each node of a plan has the whole message
 * @plan: a plan that hbp_plan_check() has accepted
 * @fluid: how its edges flow
 * @figures: the nodes but the root in ascending order of id; receives their
 *	rates, of all their trees together, and completions
 * @err: receives the reason of a failure
 *
 * The root sends in stages (DESIGN.md "Stages"; paper 003, section 3.3, if the
 * trees are nested): stage 1 sends the message over all trees in proportion to
 * the rates that they can keep, the smallest of their edges'. Then what the
 * fastest incomplete node lacks goes over the trees that it is in, and so on. A
 * node completes when the last stage that brings it something has, after the
 * latencies of its way. A plan of one tree has one stage.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_stages(const struct hbp_plan *plan, const struct hbp_fluid *fluid,
	       struct hbp_figure *figures, struct hbp_error *err)
{
	struct stages s = {
		.plan = plan, .bits = (double)plan->message_bytes * 8
	};
	size_t n = plan->trees[0].n_edges, room = CLASSES_MAX * plan->n_trees;
	struct place *places = calloc(n, sizeof(*places));
	size_t *node = calloc(fluid->n, sizeof(*node));
	int ret = 0;

	s.classes = calloc(room, sizeof(*s.classes));
	s.next = calloc(room, sizeof(*s.next));
	s.groups = calloc(n, sizeof(*s.groups));
	if (!places || !node || !s.classes || !s.next || !s.groups) {
		ret = hbp_nomem(err);
	} else {
		look_at_trees(&s, fluid, figures, places, node);
		make_groups(&s, places);
		run(&s);
		fill_figures(&s, fluid, places, node, figures);
	}
	free(places);
	free(node);
	free(s.classes);
	free(s.next);
	free(s.groups);
	return ret;
}
