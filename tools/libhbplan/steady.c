// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steady state of many messages, and what it keeps busy. Everything that can
 * be busy, a port or a link, is a row: what passes it may keep it busy all the
 * time, and no longer.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "node.h"
#include "steady.h"
#include "switched.h"
#include "units.h"

/* What transfers are compared for: 10^9 bits. */
#define MESSAGE_BYTES	125000000

/**
 * hbp_steady_free() - release what hbp_steady_alloc() made
 * @steady: it, or NULL
 */
void hbp_steady_free(struct hbp_steady *steady)
{
	if (!steady)
		return;
	free(steady->arcs);
	free(steady->mbps);
	free(steady->first);
	free(steady->back);
	free(steady->rows);
	free(steady->uses);
	hbp_switched_free(steady->switched);
	free(steady->ports_least);
	free(steady->own.rows);
	free(steady->own.uses);
	free(steady->own.back);
	free(steady->own.link_uses);
	free(steady);
}

/* What the fastest pair of each port uses of it. */
static int find_ports_least(struct hbp_steady *s)
{
	double *most = calloc(2 * s->n, sizeof(*most)), mbps;
	double part = s->ports == HBP_MULTI_PORT ? HBP_SEND_PART : 1;
	size_t from, to;

	s->ports_least = most;
	if (!most || hbp_switched_widths(s->switched))
		return -ENOMEM;
	for (from = 0; from < s->n; from++) {
		for (to = 0; to < s->n; to++) {
			if (!hbp_switched_joins(s->switched, from, to))
				continue;
			mbps = hbp_mbps_from_bps(hbp_switched_bps(s->switched, from, to));
			most[from] = fmax(most[from], mbps);
			most[s->n + to] = fmax(most[s->n + to], mbps);
		}
	}
	for (from = 0; from < 2 * s->n; from++)
		s->ports_least[from] = most[from] > 0 ? part / most[from] : 0;
	return 0;
}

/* Room for a pair's uses, and what they are worked out from. */
static int make_own(struct hbp_steady *s)
{
	const struct hbp_platform *p = s->switched->platform;
	/* The links of a route, and of that back, and two ports. */
	size_t room = 2 * (s->switched->n_core + 2) + 2, i;

	s->own.rows = calloc(room, sizeof(*s->own.rows));
	s->own.uses = calloc(room, sizeof(*s->own.uses));
	s->own.back = calloc(room, sizeof(*s->own.back));
	s->own.link_uses = calloc(p->n_links, sizeof(*s->own.link_uses));
	if (!s->own.rows || !s->own.uses || !s->own.back || !s->own.link_uses)
		return -ENOMEM;
	for (i = 0; i < p->n_links; i++)
		s->own.link_uses[i] = 1e6 / (double)p->links[i].bandwidth_bps;
	s->own.acks = hbp_switched_acks(s->switched);
	return 0;
}

/**
 * hbp_steady_switched() - find out what sending keeps busy, without a list of pairs
 * @in: the input
 * @ports: what holds nodes back
 * @out: as of hbp_steady_alloc()
 * @err: receives the reason of a failure
 *
 * Pairs are listed unless most hosts are behind switches.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_steady_switched(struct hbp_input *in, enum hbp_ports ports,
			struct hbp_steady **out, struct hbp_error *err)
{
	struct hbp_switched *switched = NULL;
	struct hbp_steady *s;
	int ret;

	if (in->platform && hbp_switched_alloc(in->platform, &switched))
		return hbp_nomem(err);
	if (!switched)
		return hbp_steady_alloc(in, ports, out, err);
	s = calloc(1, sizeof(*s));
	if (!s) {
		hbp_switched_free(switched);
		return hbp_nomem(err);
	}
	s->switched = switched;
	s->ports = ports;
	s->acks = in->platform->counted;
	s->n = in->n;
	s->n_rows = in->platform->n_links;
	s->sends = ports == HBP_ANY_PORTS ? HBP_NONE : s->n_rows;
	if (ports != HBP_ANY_PORTS)
		s->n_rows += ports == HBP_ONE_PORT ? 2 * s->n : s->n;
	ret = make_own(s);
	if (!ret && ports != HBP_ANY_PORTS)
		ret = find_ports_least(s);
	if (ret) {
		hbp_steady_free(s);
		return hbp_nomem(err);
	}
	*out = s;
	return 0;
}

/**
 * hbp_steady_pair() - who a pair is
 * @steady: who can send to whom
 * @arc: number of the pair
 *
 * Return: its sender and receiver.
 */
struct hbp_arc hbp_steady_pair(const struct hbp_steady *steady, size_t arc)
{
	if (!steady->switched)
		return steady->arcs[arc];
	return (struct hbp_arc){ (uint32_t)(arc / steady->n),
				 (uint32_t)(arc % steady->n) };
}

static size_t add_own(const struct hbp_steady *s, size_t n, size_t row, double use)
{
	s->own.rows[n] = (uint32_t)row;
	s->own.uses[n] = use;
	return n + 1;
}

/* Adds what acknowledgements take, in one row with data where both pass a link. */
static size_t add_back(const struct hbp_steady *s, size_t n, size_t n_way, size_t from,
		       size_t to)
{
	double use;
	size_t n_back, i, k;

	if (!s->own.acks)
		return n;
	n_back = hbp_switched_path(s->switched, to, from, s->own.back);
	for (i = 0; i < n_back; i++) {
		use = s->own.acks * s->own.link_uses[s->own.back[i]];
		for (k = 0; k < n_way && s->own.rows[k] != s->own.back[i];)
			k++;
		if (k < n_way)
			s->own.uses[k] += use;
		else
			n = add_own(s, n, s->own.back[i], use);
	}
	return n;
}

/**
 * hbp_steady_uses() - what a pair keeps busy
 * @steady: who can send to whom
 * @arc: number of the pair
 *
 * Return: it; of a pair that is not listed, to be used before the next one.
 */
struct hbp_uses hbp_steady_uses(const struct hbp_steady *steady, size_t arc)
{
	const struct hbp_steady *s = steady;
	size_t i, n, n_way, from, to;
	double use;

	if (!s->switched) {
		n = s->first[arc];
		return (struct hbp_uses){ s->first[arc + 1] - n, s->rows + n, s->uses + n };
	}
	from = arc / s->n;
	to = arc % s->n;
	n_way = hbp_switched_path(s->switched, from, to, s->own.rows);
	n = n_way;
	for (i = 0; i < n; i++)
		s->own.uses[i] = s->own.link_uses[s->own.rows[i]];
	if (s->ports == HBP_ONE_PORT) {
		use = 1 / hbp_mbps_from_bps(hbp_switched_bps(s->switched, from, to));
		n = add_own(s, n, s->sends + from, use);
		n = add_own(s, n, s->sends + s->n + to, use);
	} else if (s->ports == HBP_MULTI_PORT) {
		n = add_own(s, n, s->sends + from, s->ports_least[from]);
	}
	n = add_back(s, n, n_way, from, to);
	return (struct hbp_uses){ n, s->own.rows, s->own.uses };
}

/**
 * hbp_steady_into() - list who can send to a node, where pairs are not listed
 * @steady: who can send to whom
 * @to: number of the node
 * @arcs: receives the pairs, ascending by sender; room for @steady->n
 *
 * Return: how many.
 */
size_t hbp_steady_into(const struct hbp_steady *steady, size_t to, size_t *arcs)
{
	size_t from, n = 0;

	for (from = 0; from < steady->n; from++)
		if (hbp_switched_joins(steady->switched, from, to))
			arcs[n++] = from * steady->n + to;
	return n;
}

/**
 * hbp_steady_costs() - what pairs cost at some prices
 * @steady: who can send to whom
 * @prices: of each row, for being busy all the time
 * @mbps: what the pair is to carry
 * @costs: receives the cost of each pair; where pairs are not listed, of each row, of
 *	one port as if a pair's bandwidth were 1 Mbit/s
 */
void hbp_steady_costs(const struct hbp_steady *steady, const double *prices,
		      double mbps, double *costs)
{
	const struct hbp_steady *s = steady;
	size_t i, u, links = s->switched ? s->switched->platform->n_links : 0;

	for (i = 0; i < links; i++)
		costs[i] = prices[i] * s->own.link_uses[i] * mbps;
	for (i = links; s->switched && i < s->n_rows; i++)
		costs[i] = prices[i] * mbps *
			   (s->ports == HBP_ONE_PORT ? 1 : s->ports_least[i - links]);
	for (i = 0; i < s->n_arcs; i++) {
		costs[i] = 0;
		for (u = s->first[i]; u < s->first[i + 1]; u++)
			costs[i] += prices[s->rows[u]] * s->uses[u] * mbps;
	}
}

/**
 * hbp_steady_least() - how little of a row a pair uses
 * @steady: who can send to whom
 * @mbps: what the pair is to carry
 * @least: of each row, 0 before; receives the part of the time for which any pair
 *	that uses it for data does at least
 */
void hbp_steady_least(const struct hbp_steady *steady, double mbps, double *least)
{
	const struct hbp_steady *s = steady;
	double use;
	size_t i, u, links = s->switched ? s->switched->platform->n_links : 0;

	for (u = 0; u < links; u++)
		if (s->switched->passed[u])
			least[u] = s->own.link_uses[u] * mbps;
	for (u = links; s->switched && u < s->n_rows; u++)
		least[u] = s->ports_least[u - links] * mbps;
	for (i = 0; i < s->n_arcs; i++) {
		for (u = s->first[i]; u < s->back[i]; u++) {
			use = s->uses[u] * mbps;
			if (least[s->rows[u]] == 0 || use < least[s->rows[u]])
				least[s->rows[u]] = use;
		}
	}
}

/**
 * hbp_steady_times() - how long transfers take
 * @steady: who can send to whom
 *
 * Return: of each arc the whole nanoseconds for 10^9 bits, so that equal sums
 * are equal, to be released with free(); NULL if memory has run out.
 */
int64_t *hbp_steady_times(const struct hbp_steady *steady)
{
	int64_t *ns = calloc(steady->n_arcs, sizeof(*ns));
	size_t i;

	for (i = 0; ns && i < steady->n_arcs; i++)
		ns[i] = hbp_transfer_ns(MESSAGE_BYTES,
					hbp_bps_from_mbps(steady->mbps[i]));
	return ns;
}

/**
 * hbp_steady_arc() - find a pair
 * @steady: who can send to whom
 * @from: number of the sender
 * @to: number of the receiver
 *
 * Return: index of the arc, HBP_NONE if the pair cannot send.
 */
size_t hbp_steady_arc(const struct hbp_steady *steady, size_t from, size_t to)
{
	const struct hbp_arc *arcs = steady->arcs;
	size_t low = 0, n = steady->n_arcs, half;

	if (steady->switched)
		return hbp_switched_joins(steady->switched, from, to) ?
		       from * steady->n + to : HBP_NONE;
	if (!n)
		return HBP_NONE;
	while (n > 1) {
		half = n / 2;
		if (arcs[low + half].from < from ||
		    (arcs[low + half].from == from && arcs[low + half].to <= to))
			low += half;
		n -= half;
	}
	return arcs[low].from == from && arcs[low].to == to ? low : HBP_NONE;
}

/**
 * hbp_steady_heads() - list pairs by receiver
 * @steady: who can send to whom
 * @first: of each node, its first place in @arcs; @steady->n + 2 entries, all 0
 * @arcs: receives the arcs, ascending by receiver, then sender
 */
void hbp_steady_heads(const struct hbp_steady *steady, size_t *first,
		      size_t *arcs)
{
	size_t i;

	for (i = 0; i < steady->n_arcs; i++)
		first[steady->arcs[i].to + 2]++;
	for (i = 2; i < steady->n + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; i < steady->n_arcs; i++)
		arcs[first[steady->arcs[i].to + 1]++] = i;
}

