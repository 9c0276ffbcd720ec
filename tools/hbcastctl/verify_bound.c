// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: what no plan can do better. */
#include <math.h>
#include <string.h>

#include "verify.h"

#define ROUNDING	(1 / 1e12)

/* Dinic's algorithm over links; levels as hops from the source. */
struct flow {
	struct hbverify *v;
	double *left;		/* of each link */
	double *back;		/* of each link: what flows, and may flow back */
	size_t *next;		/* of each node: what it tries next */
	size_t sink;
};

static size_t steps_of(const struct hbverify_net *net, size_t at)
{
	return net->first[at + 1] - net->first[at] +
	       net->first_into[at + 1] - net->first_into[at];
}

/* The i-th way out of a node: its links, then those into it, backwards. */
static void step(const struct flow *f, size_t at, size_t i, double **room,
		 double **other, size_t *to)
{
	const struct hbverify_net *net = &f->v->net;
	size_t n = net->first[at + 1] - net->first[at], link;

	if (i < n) {
		link = net->first[at] + i;
		*room = &f->left[link];
		*other = &f->back[link];
		*to = net->links[link].to;
	} else {
		link = net->into[net->first_into[at] + i - n];
		*room = &f->back[link];
		*other = &f->left[link];
		*to = net->links[link].from;
	}
}

static bool find_levels(const struct flow *f)
{
	struct hbverify_net *net = &f->v->net;
	size_t head = 0, tail = 0, at, i, to;
	double *room, *other;

	for (i = 0; i < net->n; i++) {
		net->hops[i] = f->v->plan.source[i] ? 0 : HBVERIFY_NONE;
		f->next[i] = 0;
		if (f->v->plan.source[i])
			net->queue[tail++] = i;
	}
	while (head < tail) {
		at = net->queue[head++];
		for (i = 0; i < steps_of(net, at); i++) {
			step(f, at, i, &room, &other, &to);
			if (*room <= 0 || net->hops[to] != HBVERIFY_NONE)
				continue;
			net->hops[to] = net->hops[at] + 1;
			net->queue[tail++] = to;
		}
	}
	return net->hops[f->sink] != HBVERIFY_NONE;
}

static double push(const struct flow *f, size_t at, double most)
{
	const struct hbverify_net *net = &f->v->net;
	double *room, *other, pushed;
	size_t to;

	if (at == f->sink)
		return most;
	for (; f->next[at] < steps_of(net, at); f->next[at]++) {
		step(f, at, f->next[at], &room, &other, &to);
		if (*room <= 0 || net->hops[to] != net->hops[at] + 1)
			continue;
		pushed = push(f, to, fmin(most, *room));
		if (pushed > 0) {
			*room -= pushed;
			*other += pushed;
			return pushed;
		}
	}
	return 0;
}

/* The largest flow from all sources, in whole bit/s so that sums are exact. */
static double max_flow(struct flow *f)
{
	const struct hbverify_net *net = &f->v->net;
	double sum = 0, pushed;
	size_t i;

	for (i = 0; i < net->n_links; i++) {
		f->left[i] = rint(net->links[i].mbps * 1e6);
		f->back[i] = 0;
	}
	while (find_levels(f)) {
		for (i = 0; i < net->n; i++) {
			if (!f->v->plan.source[i])
				continue;
			do {
				pushed = push(f, i, HUGE_VAL);
				sum += pushed;
			} while (pushed > 0);
		}
	}
	return sum / 1e6;
}

static void platform_bounds(struct hbverify *v, double *us)
{
	struct hbverify_net *net = &v->net;
	struct flow f = {
		.v = v,
		.left = hbverify_alloc(v, net->n_links, sizeof(double)),
		.back = hbverify_alloc(v, net->n_links, sizeof(double)),
		.next = hbverify_alloc(v, net->n, sizeof(size_t))
	};
	size_t i, source;

	for (i = 0; i < net->n; i++)
		us[i] = HUGE_VAL;
	for (source = 0; source < net->n; source++) {
		if (!v->plan.source[source])
			continue;
		hbverify_routes(net, source, true);
		for (i = 0; i < net->n; i++)
			if (net->ns[i] >= 0)
				us[i] = fmin(us[i], (double)net->ns[i] / 1e3);
	}
	for (i = 0; i < net->n; i++) {
		if (!net->host[i] || v->plan.source[i])
			continue;
		f.sink = i;
		us[i] += v->plan.bits / max_flow(&f);
	}
}

/*
 * Grows a tree of best paths from the root over pairs of hosts: the least sum of
 * delays, or, of a cost matrix, the largest least bandwidth.
 */
static void best_paths(struct hbverify *v, bool widest, double *best)
{
	struct hbverify_net *net = &v->net;
	bool *done = hbverify_alloc(v, net->n, sizeof(*done));
	size_t at, i, link;
	double us;

	for (i = 0; i < net->n; i++)
		best[i] = widest ? 0 : HUGE_VAL;
	best[v->plan.root] = widest ? HUGE_VAL : 0;
	for (;;) {
		at = HBVERIFY_NONE;
		for (i = 0; i < net->n; i++)
			if (net->host[i] && !done[i] &&
			    (at == HBVERIFY_NONE ||
			     (widest ? best[i] > best[at] : best[i] < best[at])))
				at = i;
		if (at == HBVERIFY_NONE)
			return;
		done[at] = true;
		hbverify_routes(net, at, false);
		for (i = 0; i < net->n; i++) {
			if (!net->host[i] || done[i])
				continue;
			if (net->ns[i] < 0)
				continue;
			if (widest) {
				link = hbverify_link(net, at, i);
				best[i] = fmax(best[i], fmin(best[at], net->links[link].mbps));
			} else {
				us = (double)(net->ns[i] + net->send_ns[at] +
					      net->recv_ns[i]) / 1e3;
				best[i] = fmin(best[i], best[at] + us);
			}
		}
	}
}

/* Which part of the time 1 Mbit/s over an arc keeps something busy. */
static double use_of(const struct hbverify_arc *arc, size_t row)
{
	size_t k;

	for (k = 0; k < arc->n; k++)
		if (arc->rows[k] == row)
			return arc->uses[k];
	return 0;
}

struct cut {
	struct hbverify_arc *arc;	/* that is looked at */
	struct hbverify_arc *shared;	/* rows of the first, and their prices */
	double *most;			/* of each row that is the busiest of an arc */
	size_t *priced;			/* those that are */
	size_t n_priced;
};

/* Adds what an arc keeps busiest; returns what all of these together let through more. */
static double add_busiest(struct cut *c)
{
	const struct hbverify_arc *arc = c->arc;
	size_t k, busiest, row;
	double price, old;

	for (k = 1, busiest = 0; k < arc->n; k++)
		if (arc->uses[k] > arc->uses[busiest])
			busiest = k;
	row = arc->rows[busiest];
	price = 1 / arc->uses[busiest];
	old = c->most[row];
	if (old == 0)
		c->priced[c->n_priced++] = row;
	c->most[row] = fmax(old, price);
	return c->most[row] - old;
}

/* Keeps what a thing lets through that all arcs keep busy. */
static void share(struct cut *c, bool first)
{
	size_t k;
	double use;

	if (first) {
		c->shared->n = c->arc->n;
		memcpy(c->shared->rows, c->arc->rows, c->arc->n * sizeof(*c->arc->rows));
		memset(c->shared->uses, 0, c->arc->n * sizeof(*c->arc->uses));
	}
	for (k = 0; k < c->shared->n; k++) {
		use = use_of(c->arc, c->shared->rows[k]);
		c->shared->uses[k] = use > 0 ? fmax(c->shared->uses[k], 1 / use) : HUGE_VAL;
	}
}

/*
 * What can leave the root, or enter a node: what one thing that all pairs keep
 * busy lets through, or all that they keep busiest together, whichever is less.
 */
static double cut_around(struct hbverify *v, struct cut *c, size_t node)
{
	bool root = node == v->plan.root, any = false;
	double one = HUGE_VAL, all = 0;
	size_t i;

	for (i = 0; i < v->net.n; i++) {
		if (!hbverify_arc(v, root ? node : i, root ? i : node, c->arc))
			continue;
		share(c, !any);
		any = true;
		all += add_busiest(c);
	}
	for (i = 0; any && i < c->shared->n; i++)
		one = fmin(one, c->shared->uses[i]);
	while (c->n_priced)
		c->most[c->priced[--c->n_priced]] = 0;
	return fmin(one, all);
}

/* Whole bit/s, as rates are; rounding does not make one more of whole ones. */
static double round_up(double mbps)
{
	return ceil(mbps * 1e6 * (1 - ROUNDING)) / 1e6;
}

static void ports_bounds(struct hbverify *v, double *us)
{
	size_t rows = v->net.n_links + 2 * v->net.n, node;
	struct cut c = {
		.arc = hbverify_arc_alloc(v),
		.shared = hbverify_arc_alloc(v),
		.most = hbverify_alloc(v, rows, sizeof(double)),
		.priced = hbverify_alloc(v, rows, sizeof(size_t))
	};
	double out;

	hbverify_find_ways(v);
	best_paths(v, false, us);
	out = cut_around(v, &c, v->plan.root);
	for (node = 0; node < v->net.n; node++)
		if (v->net.host[node] && node != v->plan.root)
			us[node] += v->plan.bits /
				    round_up(fmin(cut_around(v, &c, node), out));
}

/**
 * hbverify_bounds() - the earliest that nodes can have the message
 * @v: net and plan are there
 * @us: receives microseconds for each host
 */
void hbverify_bounds(struct hbverify *v, double *us)
{
	double *wide;
	size_t i;

	if (!strcmp(v->plan.model, "one-port") ||
	    !strcmp(v->plan.model, "multi-port")) {
		ports_bounds(v, us);
	} else if (!strcmp(v->plan.model, "hnow")) {
		hbverify_wormhole_bounds(v, us);
	} else if (!v->net.costs) {
		platform_bounds(v, us);
	} else {
		wide = hbverify_alloc(v, v->net.n, sizeof(*wide));
		best_paths(v, true, wide);
		best_paths(v, false, us);
		for (i = 0; i < v->net.n; i++)
			us[i] += i == v->plan.root ? 0 : v->plan.bits / wide[i];
	}
}
