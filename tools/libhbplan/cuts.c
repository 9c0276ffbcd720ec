// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prices that tell at once how fast no trees can be. Every tree uses an arc out
 * of the root and an arc into every other node: if each of those arcs costs at
 * least 1, no trees are faster together than the sum of all prices.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuts.h"
#include "node.h"
#include "switched.h"

/* A row that all arcs of a cut keep busy. */
struct shared {
	uint32_t row;
	double price;		/* at which all of them cost 1 */
};

struct cuts {
	size_t *first;		/* of each node: its first arc in @into */
	size_t *into;
	size_t *arcs;		/* of a cut */
	size_t *rows;		/* that a cut gives a price */
	struct shared *shared;
	double *prices;
};

/* Keeps of those shared so far what another arc shares. Returns how many. */
static size_t keep_shared(struct shared *shared, size_t n, const struct hbp_uses *of)
{
	size_t i, u, kept = 0;

	for (i = 0; i < n; i++) {
		for (u = 0; u < of->n && of->rows[u] != shared[i].row;)
			u++;
		if (u == of->n)
			continue;
		shared[kept] = shared[i];
		shared[kept++].price = fmax(shared[i].price, 1 / of->uses[u]);
	}
	return kept;
}

static size_t busiest(const struct hbp_uses *of)
{
	size_t u, most = 0;

	for (u = 1; u < of->n; u++)
		if (of->uses[u] > of->uses[most])
			most = u;
	return most;
}

/*
 * Prices at which all arcs of a cut cost at least 1: of the one row that they
 * share, or of what each of them keeps busiest. Returns their sum; the rows that
 * have a price are listed.
 */
static double price_cut(const struct hbp_steady *s, const struct cuts *c, size_t n,
			double *prices, size_t *n_rows)
{
	struct hbp_uses of = hbp_steady_uses(s, c->arcs[0]);
	size_t i, most, best = 0, n_shared = of.n;
	double sum = 0, price;

	for (i = 0; i < of.n; i++)
		c->shared[i] = (struct shared){ .row = of.rows[i] };
	*n_rows = 0;
	for (i = 0; i < n; i++) {
		of = hbp_steady_uses(s, c->arcs[i]);
		n_shared = keep_shared(c->shared, n_shared, &of);
		most = busiest(&of);
		price = 1 / of.uses[most];
		most = of.rows[most];
		if (prices[most] == 0)
			c->rows[(*n_rows)++] = most;
		if (price > prices[most]) {
			sum += price - prices[most];
			prices[most] = price;
		}
	}
	for (i = 1; i < n_shared; i++)
		if (c->shared[i].price < c->shared[best].price)
			best = i;
	if (!n_shared || c->shared[best].price >= sum)
		return sum;
	while (*n_rows)
		prices[c->rows[--*n_rows]] = 0;
	prices[c->shared[best].row] = c->shared[best].price;
	c->rows[(*n_rows)++] = c->shared[best].row;
	return c->shared[best].price;
}

/* Lists the arcs out of the root, or into another node. */
static size_t list_arcs(const struct hbp_steady *s, size_t root, size_t node,
			const size_t *first, const size_t *into, size_t *arcs)
{
	size_t n = 0, i;

	if (s->switched) {
		if (node != root)
			return hbp_steady_into(s, node, arcs);
		for (i = 0; i < s->n; i++)
			if (hbp_switched_joins(s->switched, root, i))
				arcs[n++] = root * s->n + i;
		return n;
	}
	if (node != root) {
		n = first[node + 1] - first[node];
		memcpy(arcs, into + first[node], n * sizeof(*arcs));
		return n;
	}
	for (i = 0; i < s->n_arcs; i++)
		if (s->arcs[i].from == root)
			arcs[n++] = i;
	return n;
}

static void cuts_clear(struct cuts *c)
{
	free(c->first);
	free(c->into);
	free(c->arcs);
	free(c->rows);
	free(c->shared);
	free(c->prices);
}

static int cuts_fill(struct cuts *c, const struct hbp_steady *s)
{
	c->first = calloc(s->n + 2, sizeof(*c->first));
	c->into = calloc(s->n_arcs + 1, sizeof(*c->into));
	c->arcs = calloc(s->switched ? s->n : s->n_arcs, sizeof(*c->arcs));
	c->rows = calloc(s->n_rows, sizeof(*c->rows));
	c->shared = calloc(s->n_rows, sizeof(*c->shared));
	c->prices = calloc(s->n_rows, sizeof(*c->prices));
	if (!c->first || !c->into || !c->arcs || !c->rows || !c->shared || !c->prices)
		return -ENOMEM;
	if (!s->switched)
		hbp_steady_heads(s, c->first, c->into);
	return 0;
}

/**
 * hbp_cuts_rates() - what the cuts around single nodes let through
 * @steady: what holds trees back; every node has an arc that enters it, the root
 *	one that leaves it
 * @root: number of the root
 * @rates: receives Mbit/s: at most so much leaves the root or enters a node
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_cuts_rates(const struct hbp_steady *steady, size_t root, double *rates,
		   struct hbp_error *err)
{
	struct cuts c = { 0 };
	size_t node, n, n_rows;
	int ret = 0;

	if (cuts_fill(&c, steady)) {
		ret = hbp_nomem(err);
		goto out;
	}
	for (node = 0; node < steady->n; node++) {
		n = list_arcs(steady, root, node, c.first, c.into, c.arcs);
		rates[node] = price_cut(steady, &c, n, c.prices, &n_rows);
		while (n_rows)
			c.prices[c.rows[--n_rows]] = 0;
	}
out:
	cuts_clear(&c);
	return ret;
}

/**
 * hbp_cuts_narrowest() - price the cut that lets least through
 * @steady: as for hbp_cuts_rates()
 * @root: number of the root
 * @prices: receives the price of each row
 * @err: receives the reason of a failure
 *
 * Cuts are those around one node; of equal ones that of the lowest number.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_cuts_narrowest(const struct hbp_steady *steady, size_t root,
		       double *prices, struct hbp_error *err)
{
	double *rates = calloc(steady->n, sizeof(*rates));
	struct cuts c = { 0 };
	size_t node, narrowest = 0, n, n_rows;
	int ret;

	if (!rates || cuts_fill(&c, steady))
		ret = hbp_nomem(err);
	else
		ret = hbp_cuts_rates(steady, root, rates, err);
	if (!ret) {
		for (node = 1; node < steady->n; node++)
			if (rates[node] < rates[narrowest])
				narrowest = node;
		memset(prices, 0, steady->n_rows * sizeof(*prices));
		n = list_arcs(steady, root, narrowest, c.first, c.into, c.arcs);
		price_cut(steady, &c, n, prices, &n_rows);
	}
	cuts_clear(&c);
	free(rates);
	return ret;
}

/**
 * hbp_cuts_links() - price all links that hosts behind switches send over
 * @switched: the hosts
 * @prices: receives the price of each row, all 0 before: of these links what they carry
 *
 * What leaves hosts leaves them by one of these links, and so do acknowledgements for
 * what enters them.
 */
void hbp_cuts_links(const struct hbp_switched *switched, double *prices)
{
	const struct hbp_switched *s = switched;
	const struct hbp_platform *p = s->platform;
	size_t i, link;

	for (i = 0; i < s->n; i++)
		for (link = p->first[p->hosts[i]];
		     link < p->first[p->hosts[i] + 1]; link++)
			if (s->passed[link])
				prices[link] = (double)p->links[link].bandwidth_bps / 1e6;
}

/**
 * hbp_cuts_sends() - price all that nodes send
 * @steady: what holds trees back
 * @prices: receives the price of each row
 *
 * Every tree has as many sends as nodes other than the root. Each port that
 * sends is priced by the fastest that it can do; behind switches, where links alone
 * count, each link that leaves a host by what it carries. All prices are 0 where
 * there is neither.
 */
void hbp_cuts_sends(const struct hbp_steady *steady, double *prices)
{
	const struct hbp_steady *s = steady;
	size_t i;

	memset(prices, 0, s->n_rows * sizeof(*prices));
	if (s->sends == HBP_NONE) {
		if (s->switched)
			hbp_cuts_links(s->switched, prices);
		return;
	}
	hbp_steady_least(s, 1, prices);
	for (i = 0; i < s->n_rows; i++)
		prices[i] = i - s->sends < s->n && prices[i] > 0 ? 1 / prices[i] : 0;
}
