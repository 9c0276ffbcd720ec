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

static double use_of(const struct hbp_steady *s, size_t arc, size_t row)
{
	struct hbp_uses of = hbp_steady_uses(s, arc);
	size_t u;

	for (u = 0; u < of.n; u++)
		if (of.rows[u] == row)
			return of.uses[u];
	return 0;
}

/* The price of a row alone at which all arcs cost 1; infinite if there is none. */
static double price_of(const struct hbp_steady *s, const size_t *arcs, size_t n,
		       size_t row)
{
	double price = 0, use;
	size_t i;

	for (i = 0; i < n; i++) {
		use = use_of(s, arcs[i], row);
		if (use == 0)
			return HUGE_VAL;
		price = 1 / use > price ? 1 / use : price;
	}
	return price;
}

/*
 * Prices at which all arcs of a cut cost at least 1: of the one row that they
 * share, or of what each of them keeps busiest. Returns their sum; the rows that
 * have a price are listed.
 */
static double price_cut(const struct hbp_steady *s, const size_t *arcs, size_t n,
			double *prices, size_t *rows, size_t *n_rows)
{
	double sum = 0, price, least = HUGE_VAL;
	size_t i, u, most, row = 0, n_first;
	struct hbp_uses of;

	*n_rows = 0;
	/* The rows that they may share are those of the first of them. */
	n_first = hbp_steady_uses(s, arcs[0]).n;
	for (u = 0; u < n_first; u++) {
		most = hbp_steady_uses(s, arcs[0]).rows[u];
		price = price_of(s, arcs, n, most);
		if (price < least) {
			least = price;
			row = most;
		}
	}
	for (i = 0; i < n; i++) {
		of = hbp_steady_uses(s, arcs[i]);
		for (u = 1, most = 0; u < of.n; u++)
			if (of.uses[u] > of.uses[most])
				most = u;
		price = 1 / of.uses[most];
		most = of.rows[most];
		if (prices[most] == 0)
			rows[(*n_rows)++] = most;
		if (price > prices[most]) {
			sum += price - prices[most];
			prices[most] = price;
		}
	}
	if (least >= sum)
		return sum;
	while (*n_rows)
		prices[rows[--*n_rows]] = 0;
	prices[row] = least;
	rows[(*n_rows)++] = row;
	return least;
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

struct cuts {
	size_t *first;		/* of each node: its first arc in @into */
	size_t *into;
	size_t *arcs;		/* of a cut */
	size_t *rows;		/* that a cut gives a price */
	double *prices;
};

static void cuts_clear(struct cuts *c)
{
	free(c->first);
	free(c->into);
	free(c->arcs);
	free(c->rows);
	free(c->prices);
}

static int cuts_fill(struct cuts *c, const struct hbp_steady *s)
{
	c->first = calloc(s->n + 2, sizeof(*c->first));
	c->into = calloc(s->n_arcs + 1, sizeof(*c->into));
	c->arcs = calloc(s->switched ? s->n : s->n_arcs, sizeof(*c->arcs));
	c->rows = calloc(s->n_rows, sizeof(*c->rows));
	c->prices = calloc(s->n_rows, sizeof(*c->prices));
	if (!c->first || !c->into || !c->arcs || !c->rows || !c->prices)
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
		rates[node] = price_cut(steady, c.arcs, n, c.prices, c.rows,
					&n_rows);
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
		price_cut(steady, c.arcs, n, prices, c.rows, &n_rows);
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
