// SPDX-License-Identifier: GPL-2.0-or-later
/* What rows that have a price are, and what the prices prove together. */
#include <math.h>

#include "plan.h"
#include "prices.h"

/**
 * hbp_prices_row() - say what the price of a row is for
 * @steady: what sending keeps busy
 * @in: the input that it was made from
 * @row: number of the row
 * @mbps: its price
 *
 * Return: the price, with what has it.
 */
struct hbp_price hbp_prices_row(const struct hbp_steady *steady,
				const struct hbp_input *in, size_t row, double mbps)
{
	struct hbp_price price = { .what = HBP_PRICED_LINK, .mbps = mbps };
	const struct hbp_platform *p = in->platform;
	const struct hbp_arc *arc;

	if (p && row < p->n_links) {
		price.from = p->nodes[p->links[row].from].id;
		price.to = p->nodes[p->links[row].to].id;
		return price;
	}
	row -= steady->sends;
	if (row < steady->n) {
		price.what = HBP_PRICED_SENDER;
		price.from = in->members[row];
	} else if (steady->ports == HBP_ONE_PORT) {
		price.what = HBP_PRICED_RECEIVER;
		price.from = in->members[row - steady->n];
	} else {
		arc = &steady->arcs[row - steady->n];
		price.from = in->members[arc->from];
		price.to = in->members[arc->to];
	}
	return price;
}

/**
 * hbp_prices_prove() - give a plan its bound, and the prices that prove it
 * @steady: who can send to whom
 * @in: the input that it was made from
 * @prices: of each row; not all 0
 * @bound: what they prove, Mbit/s
 * @plan: receives bound and certificate
 * @err: receives the reason of a failure
 *
 * Prices are made such that the cheapest tree costs 1.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_prices_prove(const struct hbp_steady *steady, const struct hbp_input *in,
		     const double *prices, double bound, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	const struct hbp_steady *s = steady;
	enum hbp_model model = s->ports == HBP_ONE_PORT ? HBP_MODEL_ONE_PORT :
			       s->ports == HBP_MULTI_PORT ? HBP_MODEL_MULTI_PORT :
			       HBP_MODEL_FLUID;
	size_t i, n = 0;
	double all = 0;

	for (i = 0; i < s->n_rows; i++) {
		all += prices[i];
		n += prices[i] > 0;
	}
	plan->certificate = hbp_certificate_alloc(model, n, 0);
	if (!plan->certificate)
		return hbp_nomem(err);
	for (i = 0, n = 0; i < s->n_rows; i++)
		if (prices[i] > 0)
			plan->certificate->prices[n++] =
				hbp_prices_row(s, in, i, prices[i] / all * bound);
	/* Rounded up, as it must hold. */
	plan->bound_bps = (int64_t)ceil(bound * 1e6);
	return 0;
}
