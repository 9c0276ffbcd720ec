// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairs that can send, one by one, and what each keeps busy. */
#include <errno.h>
#include <stdlib.h>

#include "node.h"
#include "steady.h"
#include "units.h"
#include "ways.h"

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

static int grow_arcs(struct building *b)
{
	size_t room = 2 * b->room_arcs + 64, *first, *back;
	struct hbp_arc *arcs;
	double *mbps;

	arcs = realloc(b->s->arcs, room * sizeof(*arcs));
	b->s->arcs = arcs ? arcs : b->s->arcs;
	mbps = realloc(b->s->mbps, room * sizeof(*mbps));
	b->s->mbps = mbps ? mbps : b->s->mbps;
	first = realloc(b->s->first, (room + 1) * sizeof(*first));
	b->s->first = first ? first : b->s->first;
	back = realloc(b->s->back, room * sizeof(*back));
	b->s->back = back ? back : b->s->back;
	if (!arcs || !mbps || !first || !back)
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

/* Adds what the next arc takes of links: some of what has just been found. */
static void add_loads(struct building *b, size_t from, size_t to)
{
	const struct hbp_load *load;
	int64_t bps;

	for (; from < to; from++) {
		load = &b->ways->loads[from];
		bps = b->platform->links[load->link].bandwidth_bps;
		add_use(b->s, load->link, load->part * (1e6 / (double)bps));
	}
}

/*
 * Adds an arc over links of a platform, or over the pair's own. Rows are the
 * links of a platform, then ports: those that send, then those that receive; in
 * the multi-port model the rest are links of pairs.
 */
static int add_arc(struct building *b, size_t from, size_t to, double mbps,
		   const struct hbp_ways *ways)
{
	size_t n_loads = ways ? ways->n_loads : 0, n_way = ways ? ways->n_way : 0;
	struct hbp_steady *s = b->s;
	int ret = 0;

	if (s->n_arcs == b->room_arcs)
		ret = grow_arcs(b);
	if (!ret && (!s->n_arcs ||
		     s->first[s->n_arcs] + n_loads + 2 > b->room_uses))
		ret = grow_uses(b, n_loads + 2);
	if (ret)
		return ret;
	if (!s->n_arcs)
		s->first[0] = 0;
	s->first[s->n_arcs + 1] = s->first[s->n_arcs];
	add_loads(b, 0, n_way);
	if (b->ports == HBP_ONE_PORT) {
		add_use(s, s->sends + from, 1 / mbps);
		add_use(s, s->sends + s->n + to, 1 / mbps);
	} else if (b->ports == HBP_MULTI_PORT) {
		/* What the fastest needs is known when all have been added. */
		add_use(s, s->sends + from, 0);
		if (!ways)
			add_use(s, s->n + s->n_arcs, 1 / mbps);
	}
	s->back[s->n_arcs] = s->first[s->n_arcs + 1];
	add_loads(b, n_way, n_loads);
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
				s->uses[u] = HBP_SEND_PART / most;
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
					      hbp_mbps_from_bps(bps), NULL);
		}
	}
	return ret;
}

static int add_way(struct building *b, size_t from, size_t to)
{
	const struct hbp_platform *p = b->platform;
	int ret;

	ret = hbp_ways_loads(b->ways, p->hosts[from], p->hosts[to]);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return hbp_nomem(b->err);
	return add_arc(b, from, to, hbp_mbps_from_bps(b->ways->width_bps), b->ways);
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
	b.s->acks = in->platform && in->platform->counted;
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
		steady->back[at] = steady->first[at + 1];
		steady->n_arcs++;
	}
	steady->n_rows += steady->n;
	return 0;
}
