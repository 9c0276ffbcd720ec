// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: the model of HNOWs, and its bounds. */
#include <math.h>
#include <stdlib.h>

#include "verify.h"

#define MBPS_MAX	1e7

/* What a tree says of a node. */
struct seen {
	bool sends;
	size_t after;		/* siblings that are sent to after it */
	double busy;		/* until when, in us */
	double mbps;
};

struct phases {
	struct hbverify *v;
	double bytes;		/* of each tree */
	const struct hbverify_edge **order;	/* tree by tree, as they send */
	size_t *side;		/* of each node */
	struct seen *seen[2];
};

/**
 * hbverify_transfer() - how long a message takes from host to host
 * @v: its net is an HNOW
 * @from: index of the sender
 * @to: index of the receiver
 * @bytes: size of the message
 *
 * Return: microseconds.
 */
double hbverify_transfer(const struct hbverify *v, size_t from, size_t to,
			 double bytes)
{
	const struct hbverify_hnow *h = v->net.hnow;
	const struct hbverify_speed *s = &h->speed[from], *r = &h->speed[to];
	double steps = h->steps[h->number[from] * h->hosts + h->number[to]];

	return s->send + s->send_byte * bytes + h->fixed +
	       h->byte * (bytes + steps) + r->receive + r->receive_byte * bytes;
}

static double half_of(double bytes)
{
	return ceil(bytes / 2);
}

static int by_sending(const void *a, const void *b)
{
	const struct hbverify_edge *x = *(const struct hbverify_edge **)a;
	const struct hbverify_edge *y = *(const struct hbverify_edge **)b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void look_at_trees(struct phases *p)
{
	const struct hbverify_plan *plan = &p->v->plan;
	const struct hbverify_edge *e, *other;
	size_t i, k;

	for (i = 0; i < plan->n; i++) {
		e = p->order[i];
		p->seen[e->tree][e->from].sends = true;
		for (k = i + 1; k < plan->n; k++) {
			other = p->order[k];
			p->seen[e->tree][e->to].after += other->tree == e->tree &&
							 other->from == e->from;
		}
	}
}

/* On which side each host is; false if the trees are no two sub-networks. */
static bool take_sides(struct phases *p)
{
	const struct hbverify_plan *plan = &p->v->plan;
	size_t second = HBVERIFY_NONE, i;
	const struct seen *a, *b;

	if (plan->n_trees != 2 || plan->n != 2 * (p->v->net.hosts - 1))
		return false;
	look_at_trees(p);
	for (i = 0; i < plan->n; i++) {
		if (!p->order[i]->tree || p->order[i]->from != plan->root)
			continue;
		if (second != HBVERIFY_NONE)
			return false;
		second = p->order[i]->to;
	}
	for (i = 0; i < p->v->net.n; i++) {
		a = &p->seen[0][i];
		b = &p->seen[1][i];
		if (!p->v->net.host[i] || i == plan->root)
			continue;
		if (a->sends && (b->sends || i == second))
			return false;
		p->side[i] = i == second || b->sends ||
			     (!a->sends && a->after <= b->after);
	}
	return true;
}

/* Sends to those of a tree's side, or to all others, one after the other. */
static double send_to(struct phases *p, size_t tree, bool same, double *us)
{
	const struct hbverify_plan *plan = &p->v->plan;
	const struct hbverify_edge *e;
	double last = 0;
	bool within;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		e = p->order[i];
		within = p->side[e->to] == tree;
		if (e->tree != tree || within != same ||
		    (tree && e->from == plan->root))
			continue;
		p->seen[tree][e->from].busy +=
			hbverify_transfer(p->v, e->from, e->to, p->bytes);
		us[e->to] = p->seen[tree][e->from].busy;
		if (same)
			p->seen[tree][e->to].busy = us[e->to];
		last = fmax(last, us[e->to]);
	}
	return last;
}

static void run_phases(struct phases *p, double *us)
{
	const struct hbverify_plan *plan = &p->v->plan;
	double start = 0;
	size_t i, t;

	for (i = 0; i < plan->n; i++)
		if (p->order[i]->tree && p->order[i]->from == plan->root)
			start = hbverify_transfer(p->v, plan->root,
						  p->order[i]->to, p->bytes);
	start += fmax(send_to(p, 0, true, us), send_to(p, 1, true, us));
	for (t = 0; t < 2; t++) {
		for (i = 0; i < p->v->net.n; i++)
			p->seen[t][i].busy = start;
		send_to(p, t, false, us);
	}
}

/*
 * What the slowest transfer on the way lets through, in all trees together. A
 * tree is no faster than any of its transfers.
 */
static int add_rates(struct phases *p, double *mbps)
{
	const struct hbverify_plan *plan = &p->v->plan;
	const struct hbverify_edge *e;
	double rate;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		e = p->order[i];
		rate = 8 * p->bytes /
		       hbverify_transfer(p->v, e->from, e->to, p->bytes);
		rate = fmin(rate, MBPS_MAX);
		if (plan->rate[e->tree] > rate * (1 + HBVERIFY_SLACK))
			return hbverify_fail(p->v,
					     "%s: trees[%zu].rate_mbps is %.6f, but from node %u to node %u a transfer reaches %.6f",
					     plan->file, e->tree,
					     plan->rate[e->tree],
					     p->v->net.id[e->from],
					     p->v->net.id[e->to], rate);
		if (e->from != plan->root)
			rate = fmin(rate, p->seen[e->tree][e->from].mbps);
		p->seen[e->tree][e->to].mbps = rate;
		mbps[e->to] += rate;
	}
	return 0;
}

/**
 * hbverify_wormhole() - what the model of HNOWs predicts
 * @v: net and plan are there
 * @us: receives when each host is done
 * @mbps: receives the rate of each; 0 before
 *
 * Return: 0, or -1 after hbverify_fail().
 */
int hbverify_wormhole(struct hbverify *v, double *us, double *mbps)
{
	struct phases p = { .v = v, .bytes = v->plan.bits / 8 };
	size_t i;

	p.order = hbverify_alloc(v, v->plan.n, sizeof(*p.order));
	p.side = hbverify_alloc(v, v->net.n, sizeof(*p.side));
	p.seen[0] = hbverify_alloc(v, v->net.n, sizeof(*p.seen[0]));
	p.seen[1] = hbverify_alloc(v, v->net.n, sizeof(*p.seen[1]));
	for (i = 0; i < v->plan.n; i++)
		p.order[i] = &v->plan.edges[i];
	qsort(p.order, v->plan.n, sizeof(*p.order), by_sending);
	if (v->plan.n_trees == 1) {
		send_to(&p, 0, true, us);
	} else if (take_sides(&p)) {
		p.bytes = half_of(p.bytes);
		run_phases(&p, us);
	} else {
		return hbverify_fail(v,
				     "%s: trees: these %zu are no two sub-networks, which hnow needs",
				     v->plan.file, v->plan.n_trees);
	}
	return add_rates(&p, mbps);
}

/* The least sum of transfers over hosts, until nothing becomes shorter. */
static void shortest(struct hbverify *v, double bytes, double *us)
{
	const struct hbverify_link *pair;
	bool shorter = true;
	double via;
	size_t i;

	for (i = 0; i < v->net.n; i++)
		us[i] = i == v->plan.root ? 0 : HUGE_VAL;
	while (shorter) {
		shorter = false;
		for (i = 0; i < v->net.n_links; i++) {
			pair = &v->net.links[i];
			via = us[pair->from] + hbverify_transfer(v, pair->from,
								 pair->to, bytes);
			if (via < us[pair->to]) {
				us[pair->to] = via;
				shorter = true;
			}
		}
	}
}

/**
 * hbverify_wormhole_bounds() - the earliest that hosts can have the message
 * @v: net and plan are there
 * @us: receives microseconds for each host
 */
void hbverify_wormhole_bounds(struct hbverify *v, double *us)
{
	double *halves = hbverify_alloc(v, v->net.n, sizeof(*halves));
	double *last = hbverify_alloc(v, v->net.n, sizeof(*last));
	double half = half_of(v->plan.bits / 8);
	const struct hbverify_link *pair;
	size_t i;

	shortest(v, v->plan.bits / 8, us);
	shortest(v, half, halves);
	for (i = 0; i < v->net.n; i++)
		last[i] = HUGE_VAL;
	for (i = 0; i < v->net.n_links; i++) {
		pair = &v->net.links[i];
		last[pair->to] = fmin(last[pair->to],
				      hbverify_transfer(v, pair->from, pair->to,
							half));
	}
	for (i = 0; i < v->net.n; i++)
		if (i != v->plan.root)
			us[i] = fmin(us[i], halves[i] + last[i]);
}
