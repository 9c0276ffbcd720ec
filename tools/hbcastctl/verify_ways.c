// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: which hosts can send to each other, and what that keeps busy. */
#include <math.h>
#include <string.h>

#include "verify.h"

/* A transfer keeps a sender of several ports busy for so much of the fastest. */
#define SEND_PART	0.8

/* Does a host only send to hosts, over its own links? */
static bool is_direct(const struct hbverify_net *net, size_t from)
{
	size_t i;

	for (i = net->first[from]; i < net->first[from + 1]; i++)
		if (!net->host[net->links[i].to])
			return false;
	return true;
}

/* The links of a way, the last first; returns how many, 0 if there is no way. */
static size_t list_links(const struct hbverify *v, size_t from, size_t to, size_t *links)
{
	const struct hbverify_net *net = &v->net;
	const uint32_t *last = v->ways->last[from];
	size_t n = 0;

	if (from == to || !net->host[from] || !net->host[to])
		return 0;
	if (!last) {
		links[0] = hbverify_link(net, from, to);
		return links[0] != HBVERIFY_NONE;
	}
	/* Numbers of links are counted from 1 there. */
	for (; last[to]; to = net->links[links[n - 1]].from)
		links[n++] = last[to] - 1;
	return n;
}

static void find_from(struct hbverify *v, size_t from, size_t *links)
{
	struct hbverify_ways *ways = v->ways;
	struct hbverify_net *net = &v->net;
	uint32_t *last = NULL;
	double fastest = 0;
	size_t i, n;

	if (!is_direct(net, from)) {
		last = hbverify_alloc(v, net->n, sizeof(*last));
		hbverify_routes(net, from, false);
		for (i = 0; i < net->n; i++)
			if (i != from && net->ns[i] >= 0)
				last[i] = (uint32_t)hbverify_last(net, from, i) + 1;
	}
	ways->last[from] = last;
	for (i = 0; i < net->n; i++) {
		n = list_links(v, from, i, links);
		if (!n)
			continue;
		ways->pairs++;
		fastest = fmax(fastest, hbverify_width(net, links, n));
	}
	ways->port[from] = SEND_PART / fastest;
}

/**
 * hbverify_find_ways() - find the ways between all hosts, if they are not known
 * @v: its net is there; its ways are filled
 */
void hbverify_find_ways(struct hbverify *v)
{
	size_t *links, from;

	if (v->ways)
		return;
	v->ways = hbverify_alloc(v, 1, sizeof(*v->ways));
	v->ways->last = hbverify_alloc(v, v->net.n, sizeof(*v->ways->last));
	v->ways->port = hbverify_alloc(v, v->net.n, sizeof(double));
	links = hbverify_alloc(v, v->net.n, sizeof(*links));
	for (from = 0; from < v->net.n; from++)
		if (v->net.host[from])
			find_from(v, from, links);
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

/**
 * hbverify_arc_alloc() - room for what a pair keeps busy
 * @v: its net is there
 *
 * Return: it, to be filled by hbverify_arc().
 */
struct hbverify_arc *hbverify_arc_alloc(struct hbverify *v)
{
	struct hbverify_arc *arc = hbverify_alloc(v, 1, sizeof(*arc));

	arc->rows = hbverify_alloc(v, 2 * v->net.n + 2, sizeof(*arc->rows));
	arc->uses = hbverify_alloc(v, 2 * v->net.n + 2, sizeof(*arc->uses));
	arc->back = hbverify_alloc(v, v->net.n, sizeof(*arc->back));
	return arc;
}

static void add_port(struct hbverify_arc *arc, size_t row, double use)
{
	arc->rows[arc->n] = row;
	arc->uses[arc->n++] = use;
}

/**
 * hbverify_arc() - what a pair keeps busy by the plan's model
 * @v: after hbverify_find_ways()
 * @from: index of the sender
 * @to: index of the receiver
 * @arc: receives it
 *
 * Return: whether the one can send to the other.
 */
bool hbverify_arc(const struct hbverify *v, size_t from, size_t to,
		  struct hbverify_arc *arc)
{
	size_t n_back = 0;
	double mbps;

	arc->n = list_links(v, from, to, arc->rows);
	if (!arc->n)
		return false;
	mbps = hbverify_width(&v->net, arc->rows, arc->n);
	if (v->net.headers && !v->net.costs)
		n_back = list_links(v, to, from, arc->back);
	hbverify_way_uses(v, arc->rows, &arc->n, arc->uses, arc->back, n_back);
	if (!strcmp(v->plan.model, "one-port")) {
		add_port(arc, hbverify_row(v, false, from), 1 / mbps);
		add_port(arc, hbverify_row(v, true, to), 1 / mbps);
	} else if (!strcmp(v->plan.model, "multi-port")) {
		add_port(arc, hbverify_row(v, false, from), v->ways->port[from]);
	}
	return true;
}
