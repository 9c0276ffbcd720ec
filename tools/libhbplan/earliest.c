// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Growing a tree by earliest completion (paper 002, its reference 1): the step
 * that several planners share.
 *
 * Each sender offers the receiver whom it reaches for the least, and the offers
 * are in a heap. An offer may be out of date: its receiver may have been reached
 * by another, or its look-ahead value may have risen. But an offer never
 * improves, as the receivers become fewer and a look-ahead value is a minimum
 * over them. So the top of the heap is the best of all once it has been looked
 * at again and is what it was. A sender that has often had to look for another
 * receiver keeps a heap of its own; most never need it.
 */
#include <stdlib.h>

#include "growth.h"
#include "node.h"
#include "units.h"

/* How often a sender looks at all receivers before it keeps a heap of them. */
#define LOOKS	4

/* What it costs a sender to reach a receiver, or when it would have. */
struct offer {
	int64_t ns;
	uint32_t to;
	uint32_t from;
};

struct heap {
	size_t n;
	struct offer *offers;
};

struct earliest {
	struct hbp_growth *g;
	const struct hbp_pairs *pairs;
	const bool *skip;
	bool look_ahead;
	int64_t *ready;		/* when a sender has finished what it sent */
	struct heap best;	/* the best offer of each sender, with its time */
	unsigned int *renewed;	/* how often each sender has renewed its offer */
	struct heap *reach;	/* of each sender, once it has done so often */
	struct heap *nearest;	/* of each node: whom it could reach, by cost */
	struct hbp_error *err;
};

/* The lowest receiver first, then the lowest sender, if times are equal. */
static bool before(const struct offer *a, const struct offer *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	return a->to != b->to ? a->to < b->to : a->from < b->from;
}

static void sift_down(struct heap *h, size_t at)
{
	struct offer moved = h->offers[at];
	size_t child;

	while ((child = 2 * at + 1) < h->n) {
		if (child + 1 < h->n &&
		    before(&h->offers[child + 1], &h->offers[child]))
			child++;
		if (!before(&h->offers[child], &moved))
			break;
		h->offers[at] = h->offers[child];
		at = child;
	}
	h->offers[at] = moved;
}

static void drop_top(struct heap *h)
{
	h->offers[0] = h->offers[--h->n];
	if (h->n)
		sift_down(h, 0);
}

static void push(struct heap *h, const struct offer *offer)
{
	size_t at = h->n++, parent;

	while (at) {
		parent = (at - 1) / 2;
		if (!before(offer, &h->offers[parent]))
			break;
		h->offers[at] = h->offers[parent];
		at = parent;
	}
	h->offers[at] = *offer;
}

/* Is a node still to be reached? */
static bool is_open(const struct earliest *e, size_t node)
{
	return !e->g->placed[node] && !(e->skip && e->skip[node]);
}

static int64_t cost(const struct earliest *e, size_t from, size_t to)
{
	return e->pairs->ns[from * e->g->n + to];
}

/* Whom a node reaches, by cost alone. */
static int fill(const struct earliest *e, size_t from, struct heap *h)
{
	size_t i, n = 0;

	for (i = 0; i < e->g->n; i++)
		n += is_open(e, i);
	free(h->offers);
	h->n = 0;
	h->offers = calloc(n + 1, sizeof(*h->offers));
	if (!h->offers)
		return hbp_nomem(e->err);
	for (i = 0; i < e->g->n; i++) {
		if (!is_open(e, i) || cost(e, from, i) == HBP_NEVER)
			continue;
		h->offers[h->n].ns = cost(e, from, i);
		h->offers[h->n].to = (uint32_t)i;
		h->offers[h->n++].from = (uint32_t)from;
	}
	for (i = h->n / 2; i-- > 0;)
		sift_down(h, i);
	return 0;
}

/* The least cost to one that is still to be reached; HBP_NEVER if none is. */
static int64_t ahead_of(const struct earliest *e, size_t from)
{
	struct heap *h = &e->nearest[from];

	while (h->n && !is_open(e, h->offers[0].to))
		drop_top(h);
	return h->n ? h->offers[0].ns : HBP_NEVER;
}

static int64_t cost_now(const struct earliest *e, size_t from, size_t to)
{
	int64_t ns = cost(e, from, to);

	return e->look_ahead ? hbp_ns_add(ns, ahead_of(e, to)) : ns;
}

/* Whom a sender reaches for the least now, or NULL. */
static const struct offer *best_reach(const struct earliest *e, size_t from)
{
	struct heap *h = &e->reach[from];
	int64_t ns;

	while (h->n) {
		if (!is_open(e, h->offers[0].to)) {
			drop_top(h);
			continue;
		}
		ns = cost_now(e, from, h->offers[0].to);
		if (ns == h->offers[0].ns)
			return ns == HBP_NEVER ? NULL : &h->offers[0];
		h->offers[0].ns = ns;
		sift_down(h, 0);
	}
	return NULL;
}

/* Whom a sender reaches for the least, by cost alone, as @offer. */
static void look(const struct earliest *e, size_t from, struct offer *offer)
{
	const int64_t *row = &e->pairs->ns[from * e->g->n];
	size_t i;

	offer->ns = HBP_NEVER;
	for (i = 0; i < e->g->n; i++) {
		if (row[i] >= offer->ns || !is_open(e, i))
			continue;
		offer->ns = row[i];
		offer->to = (uint32_t)i;
	}
	offer->ns = hbp_ns_add(e->ready[from], offer->ns);
}

/*
 * The next receiver that costs a sender what the last one did, as @offer; false
 * if there is none. Many pairs may cost the same.
 */
static bool look_on(const struct earliest *e, size_t from, struct offer *offer)
{
	const int64_t *row = &e->pairs->ns[from * e->g->n];
	int64_t ns = row[offer->to];
	size_t i;

	for (i = offer->to; i < e->g->n; i++) {
		if (row[i] != ns || !is_open(e, i))
			continue;
		offer->ns = hbp_ns_add(e->ready[from], ns);
		offer->to = (uint32_t)i;
		return true;
	}
	return false;
}

static void first_offer(struct earliest *e, size_t from)
{
	struct offer offer = { .from = (uint32_t)from };

	look(e, from, &offer);
	if (offer.ns != HBP_NEVER)
		push(&e->best, &offer);
}

/* Another offer of a sender by looking around; false if its heap must tell. */
static bool look_again(const struct earliest *e, size_t from, struct offer *offer)
{
	if (e->look_ahead)
		return false;
	if (look_on(e, from, offer))
		return true;
	if (e->renewed[from]++ >= LOOKS)
		return false;
	look(e, from, offer);
	return true;
}

/* Puts what a sender can do now in the place of its offer at the top. */
static int renew(struct earliest *e)
{
	struct offer *top = &e->best.offers[0];
	const struct offer *r = NULL;
	size_t from = top->from;
	int ret;

	if (!look_again(e, from, top)) {
		ret = e->reach[from].offers ? 0 : fill(e, from, &e->reach[from]);
		if (ret)
			return ret;
		r = best_reach(e, from);
		top->ns = r ? hbp_ns_add(e->ready[from], r->ns) : HBP_NEVER;
		top->to = r ? r->to : 0;
	}
	if (top->ns == HBP_NEVER)
		drop_top(&e->best);
	else
		sift_down(&e->best, 0);
	return 0;
}

/* Is the top of all offers what its sender can do now? */
static bool is_current(const struct earliest *e)
{
	const struct offer *top = &e->best.offers[0];

	return is_open(e, top->to) &&
	       top->ns == hbp_ns_add(e->ready[top->from],
				     cost_now(e, top->from, top->to));
}

static void accept(struct earliest *e)
{
	size_t from = e->best.offers[0].from, to = e->best.offers[0].to;

	e->ready[from] = hbp_ns_add(e->ready[from], cost(e, from, to));
	e->ready[to] = e->ready[from];
	hbp_growth_place(e->g, from, to, e->ready[to]);
	first_offer(e, to);
}

/*
 * Whoever is left reaches nobody else who is: nothing to look ahead to, now or
 * later, but they are to be reached themselves.
 */
static void stop_looking(struct earliest *e)
{
	size_t i, from;

	e->look_ahead = false;
	for (i = 0; i < e->g->reached; i++) {
		from = e->g->order[i];
		free(e->reach[from].offers);
		e->reach[from].offers = NULL;
		first_offer(e, from);
	}
}

static int grow(struct earliest *e)
{
	int ret = 0;

	first_offer(e, e->g->root);
	while (!ret && (e->best.n || e->look_ahead)) {
		if (!e->best.n)
			stop_looking(e);
		else if (is_current(e))
			accept(e);
		else
			ret = renew(e);
	}
	return ret;
}

static void free_heaps(struct heap *heaps, size_t n)
{
	size_t i;

	for (i = 0; heaps && i < n; i++)
		free(heaps[i].offers);
	free(heaps);
}

/**
 * hbp_growth_earliest() - grow by earliest completion
 * @g: a tree of the root alone
 * @pairs: the pairs' completion times
 * @skip: nodes to leave out, or NULL
 * @look_ahead: add to each pair the least time in which its receiver reaches a
 *	node that is still to be reached
 * @err: receives the reason of a failure
 *
 * A sender is ready when it has the message and has finished what it sent
 * before. The next pair is that with the smallest ready time of the sender +
 * completion time (+ look-ahead); of several, the one with the lowest receiver,
 * then the lowest sender. Receivers that reach nobody who is still to be reached
 * come last. What cannot be reached, or not within HBP_NS_MAX, is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_growth_earliest(struct hbp_growth *g, const struct hbp_pairs *pairs,
			const bool *skip, bool look_ahead,
			struct hbp_error *err)
{
	struct earliest e = {
		.g = g, .pairs = pairs, .skip = skip, .look_ahead = look_ahead,
		.err = err
	};
	int ret = 0;
	size_t i;

	e.ready = calloc(g->n, sizeof(*e.ready));
	e.best.offers = calloc(g->n, sizeof(*e.best.offers));
	e.renewed = calloc(g->n, sizeof(*e.renewed));
	e.reach = calloc(g->n, sizeof(*e.reach));
	e.nearest = calloc(g->n, sizeof(*e.nearest));
	if (!e.ready || !e.best.offers || !e.renewed || !e.reach || !e.nearest)
		ret = hbp_nomem(err);
	for (i = 0; !ret && look_ahead && i < g->n; i++)
		ret = fill(&e, i, &e.nearest[i]);
	if (!ret)
		ret = grow(&e);
	free(e.ready);
	free(e.best.offers);
	free(e.renewed);
	free_heaps(e.reach, g->n);
	free_heaps(e.nearest, g->n);
	return ret;
}
