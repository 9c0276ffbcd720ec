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
#include "ways.h"

/* Paper 001: a transfer keeps its sender busy for so much of the fastest one. */
#define SEND_PART	0.8
/* What transfers are compared for: 10^9 bits. */
#define MESSAGE_BYTES	125000000

struct building {
	struct hbp_steady *s;
	const struct hbp_costs *costs;	/* of a matrix, or NULL */
	const struct hbp_platform *platform;	/* or NULL */
	struct hbp_ways *ways;
	size_t *place;		/* of each node of a platform: its member */
	enum hbp_ports ports;
	size_t room_arcs;
	size_t room_uses;
	struct hbp_error *err;
};

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
	free(steady->rows);
	free(steady->uses);
	hbp_switched_free(steady->switched);
	free(steady->ports_least);
	free(steady->own.rows);
	free(steady->own.uses);
	free(steady);
}

static int grow_arcs(struct building *b)
{
	size_t room = 2 * b->room_arcs + 64, *first;
	struct hbp_arc *arcs;
	double *mbps;

	arcs = realloc(b->s->arcs, room * sizeof(*arcs));
	b->s->arcs = arcs ? arcs : b->s->arcs;
	mbps = realloc(b->s->mbps, room * sizeof(*mbps));
	b->s->mbps = mbps ? mbps : b->s->mbps;
	first = realloc(b->s->first, (room + 1) * sizeof(*first));
	b->s->first = first ? first : b->s->first;
	if (!arcs || !mbps || !first)
		return hbp_nomem(b->err);
	b->room_arcs = room;
	return 0;
}

static int grow_uses(struct building *b, size_t n)
{
	size_t room = 2 * (b->room_uses + n) + 64;
	uint32_t *rows;
	double *uses;

	rows = realloc(b->s->rows, room * sizeof(*rows));
	b->s->rows = rows ? rows : b->s->rows;
	uses = realloc(b->s->uses, room * sizeof(*uses));
	b->s->uses = uses ? uses : b->s->uses;
	if (!rows || !uses)
		return hbp_nomem(b->err);
	b->room_uses = room;
	return 0;
}

static void add_use(struct hbp_steady *s, size_t row, double use)
{
	s->rows[s->first[s->n_arcs + 1]] = (uint32_t)row;
	s->uses[s->first[s->n_arcs + 1]++] = use;
}

/*
 * Adds an arc over links of a platform, or over the pair's own. Rows are the
 * links of a platform, then ports: those that send, then those that receive; in
 * the multi-port model the rest are links of pairs.
 */
static int add_arc(struct building *b, size_t from, size_t to, double mbps,
		   const size_t *links, size_t n_links)
{
	struct hbp_steady *s = b->s;
	size_t i;
	int ret = 0;

	if (s->n_arcs == b->room_arcs)
		ret = grow_arcs(b);
	if (!ret && (!s->n_arcs ||
		     s->first[s->n_arcs] + n_links + 2 > b->room_uses))
		ret = grow_uses(b, n_links + 2);
	if (ret)
		return ret;
	if (!s->n_arcs)
		s->first[0] = 0;
	s->first[s->n_arcs + 1] = s->first[s->n_arcs];
	for (i = 0; i < n_links; i++)
		add_use(s, links[i], 1e6 / (double)b->platform->links[links[i]].bandwidth_bps);
	if (b->ports == HBP_ONE_PORT) {
		add_use(s, s->sends + from, 1 / mbps);
		add_use(s, s->sends + s->n + to, 1 / mbps);
	} else if (b->ports == HBP_MULTI_PORT) {
		/* What the fastest needs is known when all have been added. */
		add_use(s, s->sends + from, 0);
		if (!n_links)
			add_use(s, s->n + s->n_arcs, 1 / mbps);
	}
	s->arcs[s->n_arcs].from = (uint32_t)from;
	s->arcs[s->n_arcs].to = (uint32_t)to;
	s->mbps[s->n_arcs++] = mbps;
	return 0;
}

/* Fills in how long a transfer keeps its sender busy. */
static void set_sends(struct building *b)
{
	struct hbp_steady *s = b->s;
	size_t i, u, end = 0;
	double most = 0;

	for (i = 0; i < s->n_arcs; i++) {
		if (i == end)
			for (most = 0; end < s->n_arcs &&
			     s->arcs[end].from == s->arcs[i].from; end++)
				most = s->mbps[end] > most ? s->mbps[end] : most;
		for (u = s->first[i]; u < s->first[i + 1]; u++)
			if (s->rows[u] == s->sends + s->arcs[i].from)
				s->uses[u] = SEND_PART / most;
	}
}

static int add_pairs(struct building *b)
{
	size_t n = b->costs->n, from, to;
	int64_t bps;
	int ret = 0;

	for (from = 0; from < n; from++) {
		for (to = 0; !ret && to < n; to++) {
			bps = b->costs->bandwidth_bps[from * n + to];
			if (bps && from != to)
				ret = add_arc(b, from, to,
					      hbp_mbps_from_bps(bps), NULL, 0);
		}
	}
	return ret;
}

static int add_way(struct building *b, size_t from, size_t to)
{
	const struct hbp_platform *p = b->platform;
	int64_t bps = INT64_MAX;
	size_t i, link;
	int ret;

	ret = hbp_ways_find(b->ways, p->hosts[from], p->hosts[to]);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return hbp_nomem(b->err);
	for (i = 0; i < b->ways->n_path; i++) {
		link = b->ways->path[i];
		if (p->links[link].bandwidth_bps < bps)
			bps = p->links[link].bandwidth_bps;
	}
	return add_arc(b, from, to, hbp_mbps_from_bps(bps), b->ways->path,
		       b->ways->n_path);
}

/* Where hosts are joined directly, looking at the neighbours is enough. */
static int add_ways(struct building *b)
{
	const struct hbp_platform *p = b->platform;
	size_t from, to, i;
	int ret = 0;

	for (from = 0; from < b->s->n; from++) {
		if (hbp_ways_direct(b->ways, p->hosts[from])) {
			i = p->first[p->hosts[from]];
			for (; !ret && i < p->first[p->hosts[from] + 1]; i++)
				ret = add_way(b, from, b->place[p->links[i].to]);
			continue;
		}
		for (to = 0; !ret && to < b->s->n; to++)
			if (to != from)
				ret = add_way(b, from, to);
	}
	return ret;
}

static int build(struct building *b)
{
	struct hbp_steady *s = b->s;
	size_t i;
	int ret;

	if (b->platform) {
		b->ways = hbp_ways_alloc(b->platform);
		b->place = calloc(b->platform->n, sizeof(*b->place));
		if (!b->ways || !b->place)
			return hbp_nomem(b->err);
		for (i = 0; i < s->n; i++)
			b->place[b->platform->hosts[i]] = i;
		ret = add_ways(b);
		s->n_rows = b->platform->n_links;
	} else {
		ret = add_pairs(b);
	}
	if (b->ports == HBP_ONE_PORT)
		s->n_rows += 2 * s->n;
	if (b->ports == HBP_MULTI_PORT) {
		s->n_rows += s->n + (b->platform ? 0 : s->n_arcs);
		set_sends(b);
	}
	return ret;
}

/**
 * hbp_steady_alloc() - find out what sending keeps busy
 * @in: the input
 * @ports: what holds nodes back
 * @out: receives it, to be released with hbp_steady_free()
 * @err: receives the reason of a failure
 *
 * On a platform links are shared in every model. In the multi-port model of a
 * cost matrix each pair has a link of its own, as in the paper.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_steady_alloc(struct hbp_input *in, enum hbp_ports ports,
		     struct hbp_steady **out, struct hbp_error *err)
{
	struct building b = {
		.platform = in->platform, .ports = ports, .err = err
	};
	int ret;

	b.s = calloc(1, sizeof(*b.s));
	if (!b.s)
		return hbp_nomem(err);
	b.s->n = in->n;
	if (!in->platform) {
		b.costs = in->costs;
		if (ports == HBP_ANY_PORTS)
			b.ports = HBP_ONE_PORT;
	}
	b.s->ports = b.ports;
	b.s->sends = b.ports == HBP_ANY_PORTS ? HBP_NONE :
		     in->platform ? in->platform->n_links : 0;
	ret = build(&b);
	hbp_ways_free(b.ways);
	free(b.place);
	if (ret)
		hbp_steady_free(b.s);
	else
		*out = b.s;
	return ret;
}

/* What the fastest pair of each port uses of it. */
static int find_ports_least(struct hbp_steady *s)
{
	double *most = calloc(2 * s->n, sizeof(*most)), mbps;
	double part = s->ports == HBP_MULTI_PORT ? SEND_PART : 1;
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
	size_t room;
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
	s->n = in->n;
	s->n_rows = in->platform->n_links;
	s->sends = ports == HBP_ANY_PORTS ? HBP_NONE : s->n_rows;
	if (ports != HBP_ANY_PORTS)
		s->n_rows += ports == HBP_ONE_PORT ? 2 * s->n : s->n;
	/* The links of a route, and two ports. */
	room = switched->n_core + 4;
	s->own.rows = calloc(room, sizeof(*s->own.rows));
	s->own.uses = calloc(room, sizeof(*s->own.uses));
	ret = s->own.rows && s->own.uses ? 0 : -ENOMEM;
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

/* For which part of the time 1 Mbit/s keeps a link busy. */
static double link_use(const struct hbp_steady *s, size_t link)
{
	return 1e6 / (double)s->switched->platform->links[link].bandwidth_bps;
}

static size_t add_own(const struct hbp_steady *s, size_t n, size_t row, double use)
{
	s->own.rows[n] = (uint32_t)row;
	s->own.uses[n] = use;
	return n + 1;
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
	size_t i, n, from, to;
	double use;

	if (!s->switched) {
		n = s->first[arc];
		return (struct hbp_uses){ s->first[arc + 1] - n, s->rows + n, s->uses + n };
	}
	from = arc / s->n;
	to = arc % s->n;
	n = hbp_switched_path(s->switched, from, to, s->own.rows);
	for (i = 0; i < n; i++)
		s->own.uses[i] = link_use(s, s->own.rows[i]);
	if (s->ports == HBP_ONE_PORT) {
		use = 1 / hbp_mbps_from_bps(hbp_switched_bps(s->switched, from, to));
		n = add_own(s, n, s->sends + from, use);
		n = add_own(s, n, s->sends + s->n + to, use);
	} else if (s->ports == HBP_MULTI_PORT) {
		n = add_own(s, n, s->sends + from, s->ports_least[from]);
	}
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
		costs[i] = prices[i] * link_use(s, i) * mbps;
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
 *	that uses it does at least
 */
void hbp_steady_least(const struct hbp_steady *steady, double mbps, double *least)
{
	const struct hbp_steady *s = steady;
	double use;
	size_t u, links = s->switched ? s->switched->platform->n_links : 0;

	for (u = 0; u < links; u++)
		if (s->switched->passed[u])
			least[u] = link_use(s, u) * mbps;
	for (u = links; s->switched && u < s->n_rows; u++)
		least[u] = s->ports_least[u - links] * mbps;
	for (u = 0; !s->switched && u < s->first[s->n_arcs]; u++) {
		use = s->uses[u] * mbps;
		if (least[s->rows[u]] == 0 || use < least[s->rows[u]])
			least[s->rows[u]] = use;
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

/**
 * hbp_steady_idle() - add arcs that join nobody
 * @steady: who can send to whom; gets one more arc from the root to each other
 *	node, behind all others, and a row for each node
 * @root: number of the root
 * @mbps: of each node, how much makes its arc busy, positive
 *
 * Return: 0 or -ENOMEM; then @steady is still to be released.
 */
int hbp_steady_idle(struct hbp_steady *steady, size_t root, const double *mbps)
{
	struct building b = {
		.s = steady, .room_arcs = steady->n_arcs,
		.room_uses = steady->first[steady->n_arcs], .err = &(struct hbp_error){ }
	};
	size_t i, at;

	for (i = 0; i < steady->n; i++) {
		if (i == root)
			continue;
		at = steady->n_arcs;
		if (at == b.room_arcs && grow_arcs(&b))
			return -ENOMEM;
		if (steady->first[at] + 1 > b.room_uses && grow_uses(&b, 1))
			return -ENOMEM;
		steady->arcs[at].from = (uint32_t)root;
		steady->arcs[at].to = (uint32_t)i;
		steady->mbps[at] = mbps[i];
		steady->first[at + 1] = steady->first[at];
		add_use(steady, steady->n_rows + i, 1 / mbps[i]);
		steady->n_arcs++;
	}
	steady->n_rows += steady->n;
	return 0;
}
