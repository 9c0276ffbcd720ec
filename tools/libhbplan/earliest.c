// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Growing a tree by earliest completion (paper 002, its reference 1): the step
 * that several planners share.
 *
 * Each sender keeps those whom it may still reach in a heap. What a receiver
 * costs a sender never falls, as its look-ahead value is a minimum over fewer
 * and fewer nodes. So the top of a heap is right once its cost has been looked
 * up again and is what it was.
 */
#include <stdlib.h>

#include "growth.h"
#include "node.h"
#include "units.h"

/* A receiver and what it costs a sender to reach it, look-ahead included. */
struct reach {
	int64_t ns;
	size_t to;
};

struct heap {
	size_t n;
	struct reach *reach;
};

struct earliest {
	struct hbp_growth *g;
	const struct hbp_pairs *pairs;
	const bool *skip;
	bool look_ahead;
	int64_t *ready;		/* when a sender has finished what it sent */
	struct heap *senders;	/* of each sender: whom it may reach */
	struct heap *nearest;	/* of each node: whom it could reach, by cost */
	struct hbp_error *err;
};

static bool before(const struct reach *a, const struct reach *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->to < b->to);
}

static void sift_down(struct heap *h, size_t at)
{
	struct reach moved = h->reach[at];
	size_t child;

	while ((child = 2 * at + 1) < h->n) {
		if (child + 1 < h->n &&
		    before(&h->reach[child + 1], &h->reach[child]))
			child++;
		if (!before(&h->reach[child], &moved))
			break;
		h->reach[at] = h->reach[child];
		at = child;
	}
	h->reach[at] = moved;
}

static void drop_top(struct heap *h)
{
	h->reach[0] = h->reach[--h->n];
	if (h->n)
		sift_down(h, 0);
}

/* Can a node still be reached by anybody? */
static bool is_open(const struct earliest *e, size_t node)
{
	return !e->g->placed[node] && !(e->skip && e->skip[node]);
}

/* Whom a node reaches, by cost alone. */
static int fill(const struct earliest *e, size_t from, struct heap *h)
{
	const int64_t *row = &e->pairs->ns[from * e->g->n];
	size_t i;

	free(h->reach);
	h->n = 0;
	h->reach = calloc(e->g->n, sizeof(*h->reach));
	if (!h->reach)
		return hbp_nomem(e->err);
	for (i = 0; i < e->g->n; i++) {
		if (!is_open(e, i) || row[i] == HBP_NEVER)
			continue;
		h->reach[h->n].ns = row[i];
		h->reach[h->n++].to = i;
	}
	for (i = h->n / 2; i-- > 0;)
		sift_down(h, i);
	return 0;
}

/* The least cost to one that is still to be reached; HBP_NEVER if none is. */
static int64_t ahead_of(const struct earliest *e, size_t from)
{
	struct heap *h = &e->nearest[from];

	while (h->n && !is_open(e, h->reach[0].to))
		drop_top(h);
	return h->n ? h->reach[0].ns : HBP_NEVER;
}

static int64_t cost_now(const struct earliest *e, size_t from, size_t to)
{
	int64_t ns = e->pairs->ns[from * e->g->n + to];

	return e->look_ahead ? hbp_ns_add(ns, ahead_of(e, to)) : ns;
}

/* Whom a sender reaches for the least, or NULL. */
static const struct reach *top(const struct earliest *e, size_t from)
{
	struct heap *h = &e->senders[from];
	int64_t ns;

	while (h->n) {
		if (!is_open(e, h->reach[0].to)) {
			drop_top(h);
			continue;
		}
		ns = cost_now(e, from, h->reach[0].to);
		if (ns == h->reach[0].ns)
			return &h->reach[0];
		h->reach[0].ns = ns;
		sift_down(h, 0);
	}
	return NULL;
}

/*
 * The sender whose next message would arrive first; of several, the one with
 * the lowest receiver, then the lowest sender.
 */
static size_t first_sender(const struct earliest *e, size_t *to)
{
	int64_t ns, least = HBP_NEVER;
	size_t i, s, best = HBP_NONE;
	const struct reach *r;

	for (i = 0; i < e->g->reached; i++) {
		s = e->g->order[i];
		r = top(e, s);
		ns = r ? hbp_ns_add(e->ready[s], r->ns) : HBP_NEVER;
		if (ns == HBP_NEVER || ns > least)
			continue;
		if (ns < least || r->to < *to || (r->to == *to && s < best)) {
			best = s;
			*to = r->to;
			least = ns;
		}
	}
	return best;
}

/*
 * Whoever is left reaches nobody else who is: nothing to look ahead to, now or
 * later, but they are to be reached themselves.
 */
static int stop_looking(struct earliest *e)
{
	size_t i;
	int ret = 0;

	e->look_ahead = false;
	for (i = 0; !ret && i < e->g->reached; i++)
		ret = fill(e, e->g->order[i], &e->senders[e->g->order[i]]);
	return ret;
}

static int grow(struct earliest *e)
{
	size_t from, to = 0;
	int ret;

	ret = fill(e, e->g->root, &e->senders[e->g->root]);
	while (!ret) {
		from = first_sender(e, &to);
		if (from != HBP_NONE) {
			e->ready[from] = hbp_ns_add(e->ready[from],
						    e->pairs->ns[from * e->g->n + to]);
			e->ready[to] = e->ready[from];
			hbp_growth_place(e->g, from, to, e->ready[from]);
			ret = fill(e, to, &e->senders[to]);
		} else if (e->look_ahead) {
			ret = stop_looking(e);
		} else {
			break;
		}
	}
	return ret;
}

static void free_heaps(struct heap *heaps, size_t n)
{
	size_t i;

	for (i = 0; heaps && i < n; i++)
		free(heaps[i].reach);
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
	e.senders = calloc(g->n, sizeof(*e.senders));
	e.nearest = calloc(g->n, sizeof(*e.nearest));
	if (!e.ready || !e.senders || !e.nearest)
		ret = hbp_nomem(err);
	for (i = 0; !ret && look_ahead && i < g->n; i++)
		ret = fill(&e, i, &e.nearest[i]);
	if (!ret)
		ret = grow(&e);
	free(e.ready);
	free_heaps(e.senders, g->n);
	free_heaps(e.nearest, g->n);
	return ret;
}
