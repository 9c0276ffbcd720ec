// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: the stages in which trees bring the fragments of a message. */
#include <math.h>

#include "verify.h"

/* With more classes libhbplan predicts less exactly. */
#define CLASSES_MAX	1024

/* Fragments that have been through the same trees. */
struct class {
	uint64_t used;
	double share;
};

struct stage {
	uint64_t trees;
	double start;		/* seconds */
	double share;		/* of the message that is sent */
	double sum;		/* rates of @trees */
};

/* Nodes that are in the same trees. */
struct group {
	uint64_t trees;
	uint32_t id;
	double sum;
	bool done;
	struct stage last;	/* that brought something */
};

struct stages {
	struct hbverify *v;
	double rate[64];	/* of each tree: its slowest edge */
	uint64_t *trees;	/* of each node */
	size_t n_groups;
	struct group *groups;
	size_t n;
	struct class classes[64 * CLASSES_MAX];
	struct class next[64 * CLASSES_MAX];
};

static double sum_of(const struct stages *s, uint64_t trees)
{
	double sum = 0;
	size_t t;

	for (t = 0; t < s->v->plan.n_trees; t++)
		if (trees >> t & 1)
			sum += s->rate[t];
	return sum;
}

static void find_groups(struct stages *s)
{
	struct hbverify *v = s->v;
	size_t i, g;

	s->groups = hbverify_alloc(v, v->net.n, sizeof(*s->groups));
	for (i = 0; i < v->net.n; i++) {
		if (!v->net.host[i] || v->plan.source[i])
			continue;
		for (g = 0; g < s->n_groups; g++)
			if (s->groups[g].trees == s->trees[i])
				break;
		if (g < s->n_groups)
			continue;
		s->groups[g].trees = s->trees[i];
		s->groups[g].id = v->net.id[i];
		s->groups[g].sum = sum_of(s, s->trees[i]);
		s->n_groups++;
	}
}

static bool lacks(const struct stages *s, uint64_t trees)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!(s->classes[i].used & trees))
			return true;
	return false;
}

/* Sends what has not been through the stage's trees, and joins equal classes. */
static void send_stage(struct stages *s, struct stage *stage, uint64_t wanted)
{
	size_t i, k, t, n = 0;
	struct class class;

	for (i = 0; i < s->n; i++) {
		if (s->classes[i].used & stage->trees) {
			s->next[n++] = s->classes[i];
			continue;
		}
		stage->share += s->classes[i].share;
		for (t = 0; t < s->v->plan.n_trees; t++) {
			if (!(stage->trees >> t & 1))
				continue;
			s->next[n].used = s->classes[i].used | 1ull << t;
			s->next[n++].share = s->classes[i].share * s->rate[t] /
					     stage->sum;
		}
	}
	s->n = 0;
	for (i = 0; i < n; i++) {
		class = s->next[i];
		class.used &= wanted;
		for (k = 0; k < s->n && s->classes[k].used != class.used; k++)
			;
		if (k == s->n)
			s->classes[s->n++] = (struct class){ .used = class.used };
		s->classes[k].share += class.share;
	}
}

/* The fastest group that is not done; NULL if all are. */
static struct group *fastest_group(struct stages *s)
{
	struct group *best = NULL, *g;

	for (g = s->groups; g < s->groups + s->n_groups; g++)
		if (!g->done && (!best || g->sum > best->sum ||
				 (g->sum == best->sum && g->id < best->id)))
			best = g;
	return best;
}

/* Returns whether the classes were few enough to be told exactly. */
static bool run_stages(struct stages *s)
{
	struct stage stage = { .trees = UINT64_MAX };
	struct group *g, *served = NULL;
	uint64_t wanted;
	bool *gets;

	s->classes[0].share = 1;
	s->n = 1;
	gets = hbverify_alloc(s->v, s->n_groups, sizeof(*gets));
	do {
		stage.sum = sum_of(s, stage.trees);
		stage.share = 0;
		wanted = 0;
		for (g = s->groups; g < s->groups + s->n_groups; g++) {
			gets[g - s->groups] = !g->done && g->trees & stage.trees &&
				lacks(s, g->trees | stage.trees);
			wanted |= g->done ? 0 : g->trees;
		}
		send_stage(s, &stage, wanted);
		if (s->n > CLASSES_MAX)
			return false;
		for (g = s->groups; g < s->groups + s->n_groups; g++) {
			if (gets[g - s->groups])
				g->last = stage;
			g->done = g->done || g == served || !lacks(s, g->trees);
		}
		stage.start += stage.share * s->v->plan.bits / stage.sum / 1e6;
		served = fastest_group(s);
		if (served)
			stage.trees = served->trees;
	} while (served);
	return true;
}

/* When each node is done in us, and its rate in Mbit/s. */
static void finish_stages(const struct stages *s, const double *rates,
			  const double *since, double *us, double *mbps)
{
	const struct hbverify_plan *plan = &s->v->plan;
	const struct hbverify_edge *e;
	const struct group *g;
	double sent;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		e = &plan->edges[i];
		for (g = s->groups; g->trees != s->trees[e->to]; g++)
			;
		mbps[e->to] += rates[i];
		if (!(g->last.trees >> e->tree & 1))
			continue;
		sent = g->last.start * 1e6 + plan->bits * g->last.share *
		       s->rate[e->tree] / g->last.sum / rates[i];
		us[e->to] = fmax(us[e->to], since[i] + sent);
	}
}

/**
 * hbverify_stages() - when a message that is sent in fragments is complete
 * @v: net and plan are there
 * @rates: of each edge, Mbit/s
 * @since: of each edge: what delays add up to on the way from the root to its
 *	child, in us
 * @us: of each node, 0 before; receives when it has all
 * @mbps: likewise; receives its rate
 *
 * The first stage sends all over all trees, each later one what has not been through
 * the trees of the fastest group that is not done, over these.
 *
 * Return: true, or false if there are too many stages to tell.
 */
bool hbverify_stages(struct hbverify *v, const double *rates, const double *since,
		     double *us, double *mbps)
{
	struct stages *s = hbverify_alloc(v, 1, sizeof(*s));
	const struct hbverify_edge *e;
	size_t i;

	s->v = v;
	s->trees = hbverify_alloc(v, v->net.n, sizeof(*s->trees));
	for (i = 0; i < v->plan.n; i++) {
		e = &v->plan.edges[i];
		s->trees[e->to] |= 1ull << e->tree;
		if (s->rate[e->tree] == 0 || rates[i] < s->rate[e->tree])
			s->rate[e->tree] = rates[i];
	}
	find_groups(s);
	if (!run_stages(s))
		return false;
	finish_stages(s, rates, since, us, mbps);
	return true;
}
