// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All pairs of hosts behind switches, without a list of them. What a route has
 * besides the links of its two hosts is the same for all hosts of two switches, so
 * that routes between places are enough: as many as hosts times switches, at most.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "node.h"
#include "route.h"
#include "switched.h"
#include "wire.h"

#define NO_LINK		UINT32_MAX

/**
 * hbp_switched_free() - release what hbp_switched_alloc() made
 * @switched: it, or NULL
 */
void hbp_switched_free(struct hbp_switched *switched)
{
	if (!switched)
		return;
	free(switched->place);
	free(switched->up);
	free(switched->down);
	free(switched->first);
	free(switched->hosts);
	free(switched->core);
	free(switched->number);
	free(switched->before);
	free(switched->last);
	free(switched->passed);
	free(switched->width_bps);
	free(switched);
}

/* Finds the links of hosts that have one there and one back, to one switch. */
static int find_leaves(struct hbp_switched *s)
{
	const struct hbp_platform *p = s->platform;
	size_t *into = calloc(p->n, sizeof(*into)), i, node, link;
	size_t *degree = calloc(p->n, sizeof(*degree));
	int ret = into && degree ? 0 : -ENOMEM;

	for (i = 0; !ret && i < p->n_links; i++) {
		into[p->links[i].to] = i;
		degree[p->links[i].to]++;
	}
	for (i = 0; !ret && i < s->n; i++) {
		node = p->hosts[i];
		link = p->first[node];
		s->up[i] = HBP_NONE;
		s->down[i] = HBP_NONE;
		if (p->first[node + 1] - link != 1 || degree[node] != 1 ||
		    p->links[link].to != p->links[into[node]].from ||
		    p->nodes[p->links[link].to].host)
			continue;
		s->up[i] = link;
		s->down[i] = into[node];
	}
	free(into);
	free(degree);
	return ret;
}

/* Numbers places, and switches behind them. */
static void number_nodes(struct hbp_switched *s)
{
	const struct hbp_platform *p = s->platform;
	size_t i, node;

	for (i = 0; i < p->n; i++)
		s->number[i] = NO_LINK;
	for (i = 0; i < s->n; i++) {
		node = s->up[i] == HBP_NONE ? p->hosts[i] :
		       p->links[s->up[i]].to;
		if (s->number[node] == NO_LINK) {
			s->number[node] = (uint32_t)s->n_places;
			s->core[s->n_places++] = node;
		}
		s->place[i] = s->number[node];
		s->first[s->place[i] + 1]++;
	}
	s->n_core = s->n_places;
	for (i = 0; i < p->n; i++) {
		if (p->nodes[i].host || s->number[i] != NO_LINK)
			continue;
		s->number[i] = (uint32_t)s->n_core;
		s->core[s->n_core++] = i;
	}
}

static void list_hosts(struct hbp_switched *s)
{
	size_t i, k;

	for (k = 0; k < s->n_places; k++)
		s->first[k + 1] += s->first[k];
	for (i = s->n; i--;)
		s->hosts[--s->first[s->place[i] + 1]] = (uint32_t)i;
	/* Each place's end has become its beginning. */
	for (k = 0; k < s->n_places; k++)
		s->first[k] = s->first[k + 1];
	s->first[s->n_places] = s->n;
}

/* Where each link comes from. */
static int find_before(struct hbp_switched *s)
{
	const struct hbp_platform *p = s->platform;
	size_t i;

	s->before = calloc(p->n_links, sizeof(*s->before));
	for (i = 0; s->before && i < p->n_links; i++)
		s->before[i] = s->number[p->links[i].from];
	return s->before ? 0 : -ENOMEM;
}

static int find_routes(struct hbp_switched *s)
{
	struct hbp_routes *routes = hbp_routes_alloc(s->platform);
	size_t k, c, link;

	s->last = malloc(s->n_places * s->n_core * sizeof(*s->last));
	if (!routes || !s->last || find_before(s)) {
		hbp_routes_free(routes);
		return -ENOMEM;
	}
	for (k = 0; k < s->n_places; k++) {
		hbp_routes_find(s->platform, s->core[k], false, routes);
		for (c = 0; c < s->n_core; c++) {
			link = routes->last[s->core[c]];
			s->last[k * s->n_core + c] = link == HBP_NONE ? NO_LINK :
						     (uint32_t)link;
		}
	}
	hbp_routes_free(routes);
	return 0;
}

/* Tells which links routes of hosts pass. */
static int mark_links(struct hbp_switched *s)
{
	bool *seen = calloc(s->n_core, sizeof(*seen));
	const uint32_t *last;
	size_t k, c, at;

	s->passed = calloc(s->platform->n_links, sizeof(*s->passed));
	if (!seen || !s->passed) {
		free(seen);
		return -ENOMEM;
	}
	for (k = 0; k < s->n; k++) {
		if (s->up[k] == HBP_NONE)
			continue;
		s->passed[s->up[k]] = true;
		s->passed[s->down[k]] = true;
	}
	for (k = 0; k < s->n_places; k++) {
		last = s->last + k * s->n_core;
		for (c = 0; c < s->n_core; c++)
			seen[c] = false;
		for (c = 0; c < s->n_places; c++)
			for (at = c; !seen[at] && last[at] != NO_LINK;
			     at = s->before[last[at]]) {
				seen[at] = true;
				s->passed[last[at]] = true;
			}
	}
	free(seen);
	return 0;
}

/* Does what data and acknowledgements take of a link depend on the route? */
static bool is_mixed(const struct hbp_platform *p)
{
	size_t i;

	for (i = 1; p->counted && i < p->n_links; i++)
		if (hbp_link_mtu(&p->links[i]) != hbp_link_mtu(p->links))
			return true;
	return false;
}

static bool is_led(const struct hbp_switched *s, size_t from, size_t to)
{
	return s->last[from * s->n_core + to] != NO_LINK;
}

/* Is there a way between two places without one back? */
static bool has_one_way(const struct hbp_switched *s)
{
	size_t a, b;

	for (a = 0; s->platform->counted && a < s->n_places; a++)
		for (b = 0; b < a; b++)
			if (is_led(s, a, b) != is_led(s, b, a))
				return true;
	return false;
}

/**
 * hbp_switched_alloc() - find out which hosts share their routes
 * @platform: the platform; must outlive the result
 * @out: receives it, to be released with hbp_switched_free(); NULL if fewer than
 *	half of the hosts are alone with a switch at their only link, as pairs are few
 *	then, or do not share much; or if headers count, and links have other MTUs or
 *	some route has none back, as then what is taken of links differs from pair to pair
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_switched_alloc(const struct hbp_platform *platform,
		       struct hbp_switched **out)
{
	size_t n = platform->n_hosts, i, leaves = 0;
	struct hbp_switched *s;
	int ret = -ENOMEM;

	*out = NULL;
	if (is_mixed(platform))
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->platform = platform;
	s->n = n;
	s->place = calloc(n, sizeof(*s->place));
	s->up = calloc(n, sizeof(*s->up));
	s->down = calloc(n, sizeof(*s->down));
	s->first = calloc(n + 1, sizeof(*s->first));
	s->hosts = calloc(n, sizeof(*s->hosts));
	s->core = calloc(platform->n, sizeof(*s->core));
	s->number = calloc(platform->n, sizeof(*s->number));
	if (s->place && s->up && s->down && s->first && s->hosts && s->core &&
	    s->number)
		ret = find_leaves(s);
	for (i = 0; !ret && i < n; i++)
		leaves += s->up[i] != HBP_NONE;
	if (ret || leaves * 2 < n) {
		hbp_switched_free(s);
		return ret;
	}
	number_nodes(s);
	list_hosts(s);
	ret = find_routes(s);
	if (!ret && has_one_way(s)) {
		hbp_switched_free(s);
		return 0;
	}
	if (!ret)
		ret = mark_links(s);
	if (ret)
		hbp_switched_free(s);
	else
		*out = s;
	return ret;
}

/**
 * hbp_switched_acks() - what acknowledgements take of links
 * @switched: from hbp_switched_alloc()
 *
 * Return: of each link on the way back, which part of its bandwidth if the pair carries
 * 1 bit/s; 0 if they do not count.
 */
double hbp_switched_acks(const struct hbp_switched *switched)
{
	const struct hbp_platform *p = switched->platform;

	/* All links have one MTU. */
	return p->counted ? hbp_wire_acks(hbp_link_mtu(p->links), hbp_link_mtu(p->links)) : 0;
}

/**
 * hbp_switched_joins() - does a route lead from one host to another
 * @switched: from hbp_switched_alloc()
 * @from: number of the host that sends
 * @to: number of the host that receives
 *
 * Return: whether one does; no host sends to itself.
 */
bool hbp_switched_joins(const struct hbp_switched *switched, size_t from, size_t to)
{
	const struct hbp_switched *s = switched;
	size_t a = s->place[from], b = s->place[to];

	return a == b ? from != to : is_led(s, a, b);
}

/**
 * hbp_switched_path() - the links of a route
 * @switched: from hbp_switched_alloc()
 * @from: number of the host that sends
 * @to: number of the host that receives, which a route leads to
 * @links: receives the links, the last first; room for @n_core + 2
 *
 * Return: how many.
 */
size_t hbp_switched_path(const struct hbp_switched *switched, size_t from,
			 size_t to, uint32_t *links)
{
	const struct hbp_switched *s = switched;
	const uint32_t *last = s->last + s->place[from] * s->n_core;
	size_t at = s->place[to], n = 0;

	if (s->down[to] != HBP_NONE)
		links[n++] = (uint32_t)s->down[to];
	while (at != s->place[from]) {
		links[n++] = last[at];
		at = s->before[last[at]];
	}
	if (s->up[from] != HBP_NONE)
		links[n++] = (uint32_t)s->up[from];
	return n;
}

/**
 * hbp_switched_widths() - find out how wide routes between places are
 * @switched: from hbp_switched_alloc(); its widths are filled
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_switched_widths(struct hbp_switched *switched)
{
	const struct hbp_platform *p = switched->platform;
	size_t n = switched->n_places, a, b, at;
	const uint32_t *last;
	int64_t *width;

	switched->width_bps = malloc(n * n * sizeof(*switched->width_bps));
	if (!switched->width_bps)
		return -ENOMEM;
	for (a = 0; a < n; a++) {
		last = switched->last + a * switched->n_core;
		for (b = 0; b < n; b++) {
			width = &switched->width_bps[a * n + b];
			*width = INT64_MAX;
			for (at = b; last[at] != NO_LINK;
			     at = switched->before[last[at]])
				if (p->links[last[at]].bandwidth_bps < *width)
					*width = p->links[last[at]].bandwidth_bps;
		}
	}
	return 0;
}

/**
 * hbp_switched_bps() - how wide a route is
 * @switched: from hbp_switched_alloc(), with widths
 * @from: number of the host that sends
 * @to: number of the host that receives, which a route leads to
 *
 * Return: the bandwidth of its narrowest link, bit/s.
 */
int64_t hbp_switched_bps(const struct hbp_switched *switched, size_t from, size_t to)
{
	const struct hbp_switched *s = switched;
	const struct hbp_link *links = s->platform->links;
	int64_t bps = s->width_bps[s->place[from] * s->n_places + s->place[to]];

	if (s->up[from] != HBP_NONE && links[s->up[from]].bandwidth_bps < bps)
		bps = links[s->up[from]].bandwidth_bps;
	if (s->down[to] != HBP_NONE && links[s->down[to]].bandwidth_bps < bps)
		bps = links[s->down[to]].bandwidth_bps;
	return bps;
}

/* The cost of the route from a place to a node, and of all on the way. */
static void add_up(const struct hbp_switched *s, const double *costs,
		   const uint32_t *last, size_t to, double *sums, uint32_t *stack)
{
	size_t depth = 0, at = to;

	for (; isnan(sums[at]) && last[at] != NO_LINK;
	     at = s->before[last[at]])
		stack[depth++] = (uint32_t)at;
	/* No route leads to what is still unknown. */
	if (isnan(sums[at]))
		sums[at] = HUGE_VAL;
	while (depth) {
		to = stack[--depth];
		sums[to] = sums[at] + costs[last[to]];
		at = to;
	}
}

/* Adds to what each way costs the acknowledgements' part of the way back. */
static void add_acks(const struct hbp_switched *s, double *sums)
{
	double acks = hbp_switched_acks(s), *there, *back, old;
	size_t a, b;

	for (a = 0; acks > 0 && a < s->n_places; a++) {
		for (b = 0; b < a; b++) {
			there = &sums[a * s->n_places + b];
			back = &sums[b * s->n_places + a];
			old = *there;
			*there += acks * *back;
			*back += acks * old;
		}
	}
}

/**
 * hbp_switched_costs() - what routes between places cost
 * @switched: from hbp_switched_alloc()
 * @costs: of each link, not negative
 * @sums: receives for each pair of places the sum of the route's links, and the
 *	acknowledgements' part of those back; infinite where no route leads
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_switched_costs(const struct hbp_switched *switched, const double *costs,
		       double *sums)
{
	const struct hbp_switched *s = switched;
	double *core = calloc(s->n_core, sizeof(*core));
	uint32_t *stack = calloc(s->n_core, sizeof(*stack));
	int ret = core && stack ? 0 : -ENOMEM;
	size_t k, c;

	for (k = 0; !ret && k < s->n_places; k++) {
		for (c = 0; c < s->n_core; c++)
			core[c] = NAN;
		core[k] = 0;
		for (c = 0; c < s->n_places; c++) {
			add_up(s, costs, s->last + k * s->n_core, c, core, stack);
			sums[k * s->n_places + c] = core[c];
		}
	}
	if (!ret)
		add_acks(s, sums);
	free(core);
	free(stack);
	return ret;
}
