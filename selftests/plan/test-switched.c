// SPDX-License-Identifier: GPL-2.0-or-later
/* Hosts behind switches: without a list of pairs all is as with one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "arborescence.h"
#include "colgen.h"
#include "cuts.h"
#include "helper.h"
#include "steady.h"
#include "switched.h"

/* Rounding, and what ends a search. */
#define NEAR	(1 / 1e9)
#define DONE	(1 / 1e6)

struct both {
	struct hbp_input *in;
	struct hbp_steady *listed;
	struct hbp_steady *implied;
};

static bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * fabs(b);
}

/* A platform on which pairs need not be listed; every other counts headers. */
static struct both draw(struct luck *luck, enum hbp_ports ports)
{
	struct hbp_error err;
	struct both b;

	for (;;) {
		b.in = random_platform(luck, 2 + draw_below(luck, 24),
				       1 + draw_below(luck, 6),
				       draw_below(luck, 10), draw_below(luck, 2));
		if (draw_below(luck, 2))
			hbp_input_count(b.in);
		if (hbp_steady_alloc(b.in, ports, &b.listed, &err) ||
		    hbp_steady_switched(b.in, ports, &b.implied, &err))
			tap_bail_out("%s", err.text);
		if (b.implied->switched)
			return b;
		hbp_steady_free(b.listed);
		hbp_steady_free(b.implied);
		hbp_input_free(b.in);
	}
}

static void end(struct both *b)
{
	hbp_steady_free(b->listed);
	hbp_steady_free(b->implied);
	hbp_input_free(b->in);
}

static bool same_uses(struct hbp_uses a, struct hbp_uses b)
{
	bool good = a.n == b.n;
	size_t i, k;

	for (i = 0; good && i < a.n; i++) {
		for (k = 0; k < b.n && b.rows[k] != a.rows[i];)
			k++;
		good = k < b.n && near(a.uses[i], b.uses[k], DONE);
	}
	return good;
}

/* The same pairs, and they keep busy the same. */
static bool same_pairs(const struct both *b)
{
	size_t n = b->listed->n, from, to, x, y, k, n_into, *into;
	bool good = b->implied->n == n && b->implied->n_rows == b->listed->n_rows;
	struct hbp_arc pair;

	into = calloc(n, sizeof(*into));
	for (to = 0; good && to < n; to++) {
		n_into = hbp_steady_into(b->implied, to, into);
		for (from = 0, k = 0; good && from < n; from++) {
			x = hbp_steady_arc(b->listed, from, to);
			y = hbp_steady_arc(b->implied, from, to);
			good = (x == HBP_NONE) == (y == HBP_NONE);
			if (!good || y == HBP_NONE)
				continue;
			pair = hbp_steady_pair(b->implied, y);
			good = k < n_into && into[k++] == y &&
			       pair.from == from && pair.to == to &&
			       same_uses(hbp_steady_uses(b->listed, x),
					 hbp_steady_uses(b->implied, y));
		}
		good = good && k == n_into;
	}
	free(into);
	return good;
}

/* What a tree of pairs costs, by all that it keeps busy; below 0 if it is none. */
static double cost_of(const struct both *b, const size_t *into, const double *prices)
{
	const struct hbp_steady *s = b->implied;
	size_t i, u, at, steps;
	struct hbp_uses of;
	double sum = 0;

	for (i = 1; i < s->n; i++) {
		for (at = i, steps = 0; at && steps < s->n; steps++)
			at = hbp_steady_pair(s, into[at]).from;
		if (at || hbp_steady_pair(s, into[i]).to != i)
			return -1;
		of = hbp_steady_uses(s, into[i]);
		for (u = 0; u < of.n; u++)
			sum += prices[of.rows[u]] * of.uses[u];
	}
	return sum;
}

/* The cheapest tree, at prices that are often 0 and often equal. */
static bool same_arborescence(const struct both *b, struct luck *luck)
{
	const struct hbp_steady *s = b->listed;
	double *prices = calloc(s->n_rows, sizeof(*prices));
	double *rows = calloc(s->n_rows, sizeof(*rows));
	double *arcs = calloc(s->n_arcs, sizeof(*arcs)), x = 0, y = 0;
	size_t *into = calloc(s->n, sizeof(*into)), i;
	struct hbp_arborescence *listed, *implied;
	int ret, other;
	bool good;

	for (i = 0; i < s->n_rows; i++)
		prices[i] = draw_below(luck, 3) ? draw_below(luck, 20) : 0;
	hbp_steady_costs(b->listed, prices, 1, arcs);
	hbp_steady_costs(b->implied, prices, 1, rows);
	listed = hbp_arborescence_alloc(s->n, 0, s->arcs, s->n_arcs);
	implied = hbp_arborescence_switched(b->implied->switched, s->ports, 0);
	ret = hbp_arborescence_find(listed, arcs, into, &x);
	other = hbp_arborescence_find(implied, rows, into, &y);
	good = ret == other && (ret || (near(x, y, NEAR) &&
					near(cost_of(b, into, prices), y, NEAR)));
	hbp_arborescence_free(listed);
	hbp_arborescence_free(implied);
	free(prices);
	free(rows);
	free(arcs);
	free(into);
	return good;
}

/* What rows are used for at least, and what they cost if all that is sent does. */
static bool same_rows(const struct both *b)
{
	size_t n = b->listed->n_rows, size = n * sizeof(double);
	double *x = calloc(n, sizeof(*x)), *y = calloc(n, sizeof(*y));
	bool good;

	hbp_steady_least(b->listed, 3, x);
	hbp_steady_least(b->implied, 3, y);
	good = !memcmp(x, y, size);
	hbp_cuts_sends(b->listed, x);
	hbp_cuts_sends(b->implied, y);
	/* Without ports links are priced if pairs are not listed. */
	good = good && (b->listed->sends == HBP_NONE || !memcmp(x, y, size));
	free(x);
	free(y);
	return good;
}

/*
 * Single nodes' cuts let the same through, and at the prices of the narrowest the
 * cheapest tree costs 1 at least, so that they prove their sum.
 */
static bool cuts_hold(const struct both *b)
{
	size_t n = b->in->n, rows = b->implied->n_rows, *into = calloc(n, sizeof(*into)), i;
	double *prices = calloc(rows, sizeof(*prices)), cost = 0, sum = 0, least = HUGE_VAL;
	double *costs = calloc(rows, sizeof(*costs));
	double *rates = calloc(n, sizeof(*rates)), *other = calloc(n, sizeof(*other));
	struct hbp_arborescence *a;
	struct hbp_error err;
	bool good = true;

	if (hbp_cuts_narrowest(b->implied, 0, prices, &err) ||
	    hbp_cuts_rates(b->implied, 0, rates, &err) ||
	    hbp_cuts_rates(b->listed, 0, other, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < n; i++) {
		least = fmin(least, rates[i]);
		good = good && near(rates[i], other[i], NEAR);
	}
	for (i = 0; i < rows; i++)
		sum += prices[i];
	hbp_steady_costs(b->implied, prices, 1, costs);
	a = hbp_arborescence_switched(b->implied->switched, b->implied->ports, 0);
	good = good && !hbp_arborescence_find(a, costs, into, &cost) &&
	       cost >= 1 - NEAR && near(sum, least, NEAR);
	hbp_arborescence_free(a);
	free(prices);
	free(costs);
	free(rates);
	free(other);
	free(into);
	return good;
}

static bool same_optimum(const struct both *b)
{
	struct hbp_colgen *x, *y;
	struct hbp_error err;
	bool good;

	if (hbp_colgen_run(b->listed, 0, NULL, &x, &err) ||
	    hbp_colgen_run(b->implied, 0, NULL, &y, &err))
		tap_bail_out("%s", err.text);
	good = near(x->rate, y->rate, DONE) && near(x->bound, y->bound, DONE);
	if (!good)
		printf("# listed %.9f to %.9f, implied %.9f to %.9f\n", x->rate,
		       x->bound, y->rate, y->bound);
	hbp_colgen_free(x);
	hbp_colgen_free(y);
	return good;
}

static void check_random(enum hbp_ports ports, const char *name)
{
	size_t round, pairs = 0, trees = 0, rows = 0, cuts = 0, optima = 0, i;
	struct luck luck = { 31 };
	struct both b;

	for (round = 0; round < 300; round++) {
		b = draw(&luck, ports);
		pairs += same_pairs(&b);
		for (i = 0; i < 5; i++)
			trees += same_arborescence(&b, &luck);
		rows += same_rows(&b);
		cuts += cuts_hold(&b);
		optima += same_optimum(&b);
		end(&b);
	}
	printf("# seed 31\n");
	ok(pairs == 300, "300 platforms, %s: the same pairs keep the same busy", name);
	ok(trees == 1500, "... the cheapest trees cost the same");
	ok(rows == 300, "... rows are used as much");
	ok(cuts == 300, "... single nodes' cuts prove what they let through");
	ok(optima == 300, "... and so do all together");
}

/*
 * One switch, from which hosts receive as much as there is: the root's link, or the
 * links of all together for each of the others, whichever is less, is known to be
 * the best rate.
 */
static void check_star(size_t n, double least)
{
	double sum = 0, first = 0, best, rate;
	struct luck luck = { n };
	struct hbp_plan *plan;
	struct hbp_input *in;
	uint32_t mbps;
	char *text;
	size_t len, i;
	FILE *f;

	f = open_memstream(&text, &len);
	fputs("{'hbcast':'platform','version':1,'nodes':[{'id':0,'kind':'switch'}", f);
	for (i = 1; i <= n; i++)
		fprintf(f, ",{'id':%zu,'kind':'host'}", i);
	fputs("],'links':[", f);
	for (i = 1; i <= n; i++) {
		mbps = i == 1 ? 60 : 10 + draw_below(&luck, 51);
		first = i == 1 ? mbps : first;
		sum += mbps;
		fprintf(f, "{'from':%zu,'to':0,'bandwidth_mbps':%u,'latency_us':1},", i, mbps);
		fprintf(f, "{'from':0,'to':%zu,'bandwidth_mbps':1000,'latency_us':1},", i);
	}
	in = close_links(f, &text);
	plan = make_plan(in, "mtp", 1, (uint64_t)1 << 40);
	best = fmin(first, sum / (double)(n - 1));
	ok(near((double)plan->bound_bps / 1e6, best, DONE),
	   "%zu hosts at a switch: the bound is the rate that is known", n);
	rate = (double)hbp_evaluation_rate(plan->predicted) / 1e6;
	ok(rate > best * least && rate <= best * (1 + DONE),
	   "... of which 64 trees reach %.3f", rate / best);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

int main(void)
{
	check_random(HBP_ANY_PORTS, "links alone");
	check_random(HBP_ONE_PORT, "one port");
	check_random(HBP_MULTI_PORT, "several ports");
	check_star(40, 1 - DONE);
	check_star(250, 0.97);
	return tap_done();
}
