// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: what no plan can do better. */
#include <math.h>
#include <string.h>

#include "verify.h"

#define SEND_PART	0.8

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
 * delays, or the largest least bandwidth.
 */
static void best_paths(struct hbverify *v, bool widest, double *best)
{
	struct hbverify_net *net = &v->net;
	bool *done = hbverify_alloc(v, net->n, sizeof(*done));
	size_t *links = hbverify_alloc(v, net->n, sizeof(*links));
	size_t at, i, k, n;
	double mbps, us;

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
			n = hbverify_way(net, at, i, links);
			mbps = n ? best[at] : 0;
			for (k = 0; k < n; k++)
				mbps = fmin(mbps, net->links[links[k]].mbps);
			us = n ? best[at] + (double)(net->ns[i] + net->send_ns[at] +
						     net->recv_ns[i]) / 1e3 :
			     HUGE_VAL;
			best[i] = widest ? fmax(best[i], mbps) : fmin(best[i], us);
		}
	}
}

/**
 * hbverify_row() - number of a port, beside which links have theirs
 * @v: its net is there
 * @receiver: it is the port that receives
 * @node: index of its node
 *
 * Return: the number.
 */
size_t hbverify_row(const struct hbverify *v, bool receiver, size_t node)
{
	return v->net.n_links + (receiver ? v->net.n : 0) + node;
}

static void add_arc(struct hbverify *v, const char *model, struct hbverify_arcs *arcs,
		    size_t from, size_t to, const size_t *links, size_t n)
{
	struct hbverify_arc *arc = &arcs->arcs[arcs->n++];
	size_t k;

	arc->from = from;
	arc->to = to;
	arc->mbps = HUGE_VAL;
	arc->rows = hbverify_alloc(v, n + 2, sizeof(*arc->rows));
	arc->uses = hbverify_alloc(v, n + 2, sizeof(*arc->uses));
	for (k = 0; k < n; k++) {
		arc->rows[k] = links[k];
		arc->uses[k] = 1 / v->net.links[links[k]].mbps;
		arc->mbps = fmin(arc->mbps, v->net.links[links[k]].mbps);
	}
	arc->n = n;
	arcs->fastest[from] = fmax(arcs->fastest[from], arc->mbps);
	if (!strcmp(model, "one-port")) {
		arc->rows[arc->n] = hbverify_row(v, false, from);
		arc->uses[arc->n++] = 1 / arc->mbps;
		arc->rows[arc->n] = hbverify_row(v, true, to);
		arc->uses[arc->n++] = 1 / arc->mbps;
	} else if (!strcmp(model, "multi-port")) {
		/* What the fastest needs is known when all are there. */
		arc->rows[arc->n++] = hbverify_row(v, false, from);
	}
}

/**
 * hbverify_find_arcs() - all pairs of hosts that can send
 * @v: its net is there
 * @model: fluid, one-port or multi-port
 * @arcs: receives them
 */
void hbverify_find_arcs(struct hbverify *v, const char *model,
			struct hbverify_arcs *arcs)
{
	size_t *links = hbverify_alloc(v, v->net.n, sizeof(*links));
	size_t from, to, n, i, pass, count = 0;

	arcs->fastest = hbverify_alloc(v, v->net.n, sizeof(double));
	for (pass = 0; pass < 2; pass++) {
		if (pass)
			arcs->arcs = hbverify_alloc(v, count, sizeof(*arcs->arcs));
		for (from = 0; from < v->net.n; from++) {
			if (!v->net.host[from])
				continue;
			hbverify_routes(&v->net, from, false);
			for (to = 0; to < v->net.n; to++) {
				if (to == from || !v->net.host[to] ||
				    v->net.ns[to] < 0)
					continue;
				count += !pass;
				if (!pass)
					continue;
				n = hbverify_way(&v->net, from, to, links);
				add_arc(v, model, arcs, from, to, links, n);
			}
		}
	}
	for (i = 0; i < arcs->n && !strcmp(model, "multi-port"); i++)
		arcs->arcs[i].uses[arcs->arcs[i].n - 1] =
			SEND_PART / arcs->fastest[arcs->arcs[i].from];
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

static bool crosses(const struct hbverify *v, const struct hbverify_arc *arc, size_t node)
{
	return node == v->plan.root ? arc->from == node : arc->to == node;
}

/*
 * What can leave the root, or enter a node: what one thing that all pairs keep
 * busy lets through, or all that they keep busiest together, whichever is less.
 */
static double cut_around(const struct hbverify_arcs *arcs, const size_t *around,
			 size_t n, double *most)
{
	const struct hbverify_arc *arc = &arcs->arcs[around[0]];
	double one = HUGE_VAL, all = 0, price, use;
	size_t i, k, busiest;

	for (k = 0; k < arc->n; k++) {
		for (i = 0, price = 0; i < n; i++) {
			use = use_of(&arcs->arcs[around[i]], arc->rows[k]);
			price = use > 0 ? fmax(price, 1 / use) : HUGE_VAL;
		}
		one = fmin(one, price);
	}
	for (i = 0; i < n; i++) {
		arc = &arcs->arcs[around[i]];
		for (k = 1, busiest = 0; k < arc->n; k++)
			if (arc->uses[k] > arc->uses[busiest])
				busiest = k;
		price = 1 / arc->uses[busiest];
		if (price > most[arc->rows[busiest]]) {
			all += price - most[arc->rows[busiest]];
			most[arc->rows[busiest]] = price;
		}
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < arcs->arcs[around[i]].n; k++)
			most[arcs->arcs[around[i]].rows[k]] = 0;
	return fmin(one, all);
}

static void ports_bounds(struct hbverify *v, double *us)
{
	struct hbverify_arcs arcs = { 0 };
	size_t *around, i, node, n;
	double *most, *cut;

	hbverify_find_arcs(v, v->plan.model, &arcs);
	around = hbverify_alloc(v, arcs.n, sizeof(*around));
	cut = hbverify_alloc(v, v->net.n, sizeof(*cut));
	most = hbverify_alloc(v, v->net.n_links + 2 * v->net.n, sizeof(*most));
	for (node = 0; node < v->net.n; node++) {
		if (!v->net.host[node])
			continue;
		for (i = 0, n = 0; i < arcs.n; i++)
			if (crosses(v, &arcs.arcs[i], node))
				around[n++] = i;
		cut[node] = n ? cut_around(&arcs, around, n, most) : 0;
	}
	best_paths(v, false, us);
	for (node = 0; node < v->net.n; node++)
		if (v->net.host[node] && node != v->plan.root)
			us[node] += v->plan.bits /
				    fmin(cut[node], cut[v->plan.root]);
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
