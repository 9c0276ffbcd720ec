// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Behind switches all pairs are joined, and what enters a node comes from a place
 * where hosts are: a row has one entry for each place, and the cheapest host there
 * sends, O(n * places + n log n) for an arborescence. With one port it is O(n^2), but
 * only circles keep their rows.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "places.h"
#include "switched.h"
#include "units.h"

/* How long one port is busy, in us for each bit of the narrowest link, and its cost. */
struct pace {
	double *up;		/* of each host, its link to its switch, or 0 */
	double *down;		/* of each host, the link from there, or 0 */
	double *between;	/* of each pair of switches, or hosts without one */
	double *send;		/* of each host, what each us costs if it sends */
	double *receive;	/* likewise, if it receives */
};

/* The cheapest way into a circle from a place, and where it ends. */
struct entry {
	double cost;
	uint32_t head;
};

/*
 * What is known of hosts behind switches. With one port a pair costs the more the
 * slower it is, whoever is narrow, so that each host that sends is a place of its own.
 */
struct hbp_places {
	const struct hbp_switched *s;
	struct hbp_circles *circles;
	enum hbp_ports ports;
	size_t n;
	size_t *first;		/* of each place, its first in @hosts; @n + 1 entries */
	uint32_t *hosts;	/* of each place, the cheapest up first */
	double *up;		/* of each host, its link to its switch, and its port */
	double *down;		/* of each host, the link from there */
	double *between;	/* of each pair of switches, or hosts without one */
	struct pace *pace;	/* with one port, or NULL */
	struct entry *host_row;	/* room for that of a host */
	uint32_t *row;		/* of each circle, in @pool */
	struct entry *pool;	/* rows of circles, of as many entries as places */
	uint32_t *spare;	/* rows that nobody has */
	size_t n_spare;
};

static void pace_free(struct pace *pace)
{
	if (!pace)
		return;
	free(pace->up);
	free(pace->down);
	free(pace->between);
	free(pace->send);
	free(pace->receive);
	free(pace);
}

/**
 * hbp_places_free() - release what hbp_places_alloc() made
 * @p: it, or NULL
 */
void hbp_places_free(struct hbp_places *p)
{
	if (!p)
		return;
	free(p->first);
	free(p->hosts);
	free(p->up);
	free(p->down);
	free(p->between);
	pace_free(p->pace);
	free(p->host_row);
	free(p->row);
	free(p->pool);
	free(p->spare);
	free(p);
}

static double us_of(const struct hbp_platform *p, size_t link)
{
	return link == HBP_NONE ? 0 : 1 / hbp_mbps_from_bps(p->links[link].bandwidth_bps);
}

static struct pace *pace_alloc(const struct hbp_switched *s)
{
	struct pace *pace = calloc(1, sizeof(*pace));
	size_t n = s->n, i;

	if (!pace)
		return NULL;
	pace->up = calloc(n, sizeof(*pace->up));
	pace->down = calloc(n, sizeof(*pace->down));
	pace->between = malloc(s->n_places * s->n_places * sizeof(*pace->between));
	pace->send = calloc(n, sizeof(*pace->send));
	pace->receive = calloc(n, sizeof(*pace->receive));
	if (!pace->up || !pace->down || !pace->between || !pace->send || !pace->receive) {
		pace_free(pace);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		pace->up[i] = us_of(s->platform, s->up[i]);
		pace->down[i] = us_of(s->platform, s->down[i]);
	}
	for (i = 0; i < s->n_places * s->n_places; i++)
		pace->between[i] = 1 / hbp_mbps_from_bps(s->width_bps[i]);
	return pace;
}

/* Where hosts that send are. */
static void list_places(struct hbp_places *p)
{
	const struct hbp_switched *s = p->s;
	size_t i;

	for (i = 0; i < s->n; i++)
		p->hosts[i] = p->pace ? (uint32_t)i : s->hosts[i];
	for (i = 0; i <= p->n; i++)
		p->first[i] = p->pace ? i : s->first[i];
}

/**
 * hbp_places_alloc() - prepare to find the cheapest arcs from places
 * @switched: the hosts, for ports with widths; must outlive the result
 * @ports: what holds them back
 * @circles: those of the hosts; must outlive the result
 *
 * The arc from host i to host j has number i * n + j.
 *
 * Return: to be released with hbp_places_free(); NULL if memory has run out.
 */
struct hbp_places *hbp_places_alloc(const struct hbp_switched *switched,
				    enum hbp_ports ports, struct hbp_circles *circles)
{
	size_t n = switched->n, places = switched->n_places;
	struct hbp_places *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->s = switched;
	p->circles = circles;
	p->ports = ports;
	p->n = ports == HBP_ONE_PORT ? n : places;
	if (ports == HBP_ONE_PORT)
		p->pace = pace_alloc(switched);
	p->first = calloc(p->n + 1, sizeof(*p->first));
	p->hosts = calloc(n, sizeof(*p->hosts));
	p->up = calloc(n, sizeof(*p->up));
	p->down = calloc(n, sizeof(*p->down));
	p->between = malloc(places * places * sizeof(*p->between));
	p->host_row = calloc(p->n, sizeof(*p->host_row));
	p->row = calloc(2 * n, sizeof(*p->row));
	/* Circles that are in no other are of at least two nodes; and a new one. */
	p->pool = malloc((n / 2 + 1) * p->n * sizeof(*p->pool));
	p->spare = calloc(n / 2 + 1, sizeof(*p->spare));
	if ((ports == HBP_ONE_PORT && !p->pace) || !p->first || !p->hosts ||
	    !p->up || !p->down || !p->between || !p->host_row || !p->row || !p->pool ||
	    !p->spare) {
		hbp_places_free(p);
		return NULL;
	}
	list_places(p);
	return p;
}

/* Sorts hosts of one place by their way up, of equal ones the lower first. */
static int compare_ups(const void *a, const void *b, void *data)
{
	const double *up = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (up[x] != up[y])
		return up[x] < up[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/**
 * hbp_places_begin() - begin with other costs, and without any circle
 * @p: from hbp_places_alloc()
 * @costs: those of links, and behind them of ports that send and, with one port, of
 *	those that receive; of one port, as if a pair had 1 Mbit/s; not negative
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_places_begin(struct hbp_places *p, const double *costs)
{
	const struct hbp_switched *s = p->s;
	const double *ports = costs + s->platform->n_links;
	double acks = hbp_switched_acks(s), up, down;
	size_t i;

	for (i = 0; i < s->n; i++) {
		up = s->up[i] == HBP_NONE ? 0 : costs[s->up[i]];
		down = s->down[i] == HBP_NONE ? 0 : costs[s->down[i]];
		/* Acknowledgements come and go by the other one. */
		p->up[i] = up + acks * down;
		p->down[i] = down + acks * up;
		if (p->ports == HBP_MULTI_PORT)
			p->up[i] += ports[i];
		if (!p->pace)
			continue;
		p->pace->send[i] = ports[i];
		p->pace->receive[i] = ports[s->n + i];
	}
	for (i = 0; i < p->n; i++)
		qsort_r(p->hosts + p->first[i], p->first[i + 1] - p->first[i],
			sizeof(*p->hosts), compare_ups, p->up);
	for (i = s->n; i < 2 * s->n; i++)
		p->row[i] = HBP_NIL;
	for (p->n_spare = 0; p->n_spare < s->n / 2 + 1; p->n_spare++)
		p->spare[p->n_spare] = (uint32_t)p->n_spare;
	return hbp_switched_costs(s, costs, p->between);
}

/* What the ports of a pair cost, if each node has one. */
static double cost_of_ports(const struct pace *pace, size_t from, size_t to, size_t pair)
{
	double us = pace->between[pair];

	us = pace->up[from] > us ? pace->up[from] : us;
	us = pace->down[to] > us ? pace->down[to] : us;
	return (pace->send[from] + pace->receive[to]) * us;
}

/* What the way into a host from a place costs, but for the link up there. */
static inline double cost_into(const struct hbp_places *p, size_t place, size_t to)
{
	const struct hbp_switched *s = p->s;
	size_t from = p->pace ? s->place[place] : place;
	size_t pair = from * s->n_places + s->place[to];

	return p->between[pair] + p->down[to] +
	       (p->pace ? cost_of_ports(p->pace, place, to, pair) : 0);
}

/* The cheapest way into a node or circle from each place, but for who sends. */
static const struct entry *row_of(const struct hbp_places *p, uint32_t node)
{
	size_t k;

	if (node >= p->s->n)
		return p->pool + p->row[node] * p->n;
	for (k = 0; k < p->n; k++) {
		p->host_row[k].cost = cost_into(p, k, node);
		p->host_row[k].head = node;
	}
	return p->host_row;
}

/**
 * hbp_places_take() - find the cheapest arc into a node from outside of it
 * @p: from hbp_places_alloc()
 * @node: the node, or a circle, that is in no other circle
 * @cost: receives what the arc costs, less what it saves within the circle
 *
 * Return: number of the arc; HBP_NIL if there is none.
 */
uint32_t hbp_places_take(struct hbp_places *p, uint32_t node, double *cost)
{
	const struct entry *row = row_of(p, node);
	uint32_t best = HBP_NIL, tail = 0;
	double sum;
	size_t k, i;

	*cost = HUGE_VAL;
	for (k = 0; k < p->n; k++) {
		/* The first there is the cheapest, but maybe in the circle. */
		if (row[k].cost == HUGE_VAL ||
		    row[k].cost + p->up[p->hosts[p->first[k]]] > *cost)
			continue;
		for (i = p->first[k]; i < p->first[k + 1]; i++)
			if (hbp_circles_outermost(p->circles, p->hosts[i]) != node)
				break;
		if (i == p->first[k + 1])
			continue;
		sum = row[k].cost + p->up[p->hosts[i]];
		if (sum > *cost || (sum == *cost && p->hosts[i] > tail))
			continue;
		*cost = sum;
		tail = p->hosts[i];
		best = tail * (uint32_t)p->s->n + row[k].head;
	}
	return best;
}

/**
 * hbp_places_cost() - what an arc costs
 * @p: from hbp_places_alloc()
 * @arc: number of the arc
 *
 * Return: its cost, without what it may save.
 */
double hbp_places_cost(const struct hbp_places *p, uint32_t arc)
{
	uint32_t tail = (uint32_t)(arc / p->s->n), head = (uint32_t)(arc % p->s->n);

	return p->up[tail] + cost_into(p, p->pace ? tail : p->s->place[tail], head);
}

/**
 * hbp_places_join() - put a node into a circle
 * @p: from hbp_places_alloc()
 * @node: the node, or another circle, which is not asked for any more
 * @circle: the circle
 * @cost: of the arc by which the node is reached: what enters it may save that
 */
void hbp_places_join(struct hbp_places *p, uint32_t node, uint32_t circle, double cost)
{
	const struct entry *from = row_of(p, node);
	bool begins = p->row[circle] == HBP_NIL;
	struct entry *to;
	size_t k;

	if (begins)
		p->row[circle] = p->spare[--p->n_spare];
	to = p->pool + p->row[circle] * p->n;
	for (k = 0; k < p->n; k++) {
		if (!begins && from[k].cost - cost >= to[k].cost)
			continue;
		to[k] = from[k];
		to[k].cost -= cost;
	}
	if (node >= p->s->n)
		p->spare[p->n_spare++] = p->row[node];
}
