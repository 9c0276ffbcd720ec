// SPDX-License-Identifier: GPL-2.0-or-later
/* What all pairs cost for one message size. */
#include <stdlib.h>

#include "pair.h"
#include "units.h"

/**
 * hbp_pairs_init() - what all pairs cost
 * @pairs: filled; to be released with hbp_pairs_free()
 * @costs: the cost matrix; must stay
 * @distances: whether to take distances, see hbp_costs_delay_ns(), rather than
 *	completion times, see hbp_costs_pair_ns(), which are at least 1
 * @bytes: message size, for completion times
 * @err: receives the reason of a failure
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_pairs_init(struct hbp_pairs *pairs, const struct hbp_costs *costs,
		   bool distances, uint64_t bytes, struct hbp_error *err)
{
	size_t n = costs->n, from, to;

	pairs->costs = costs;
	pairs->n = n;
	pairs->ns = calloc(n * n, sizeof(*pairs->ns));
	if (!pairs->ns)
		return hbp_nomem(err);
	for (from = 0; from < n; from++)
		for (to = 0; to < n; to++)
			pairs->ns[from * n + to] = distances ?
				hbp_costs_delay_ns(costs, from, to) :
				hbp_costs_pair_ns(costs, from, to, bytes);
	return 0;
}

/**
 * hbp_pairs_free() - release what all pairs cost
 * @pairs: filled, or zeroed
 */
void hbp_pairs_free(struct hbp_pairs *pairs)
{
	free(pairs->ns);
}

/* What a node needs on average to send to those that it has a link to. */
static int64_t mean_of_row(const struct hbp_pairs *pairs, size_t from)
{
	const int64_t *row = &pairs->ns[from * pairs->n];
	int64_t links = 0, whole = 0, rest = 0;
	size_t to;

	for (to = 0; to < pairs->n; to++)
		links += row[to] != HBP_NEVER;
	if (!links)
		return HBP_NEVER;
	for (to = 0; to < pairs->n; to++) {
		if (row[to] == HBP_NEVER)
			continue;
		whole += row[to] / links;
		rest += row[to] % links;
	}
	return whole + rest / links;
}

struct sender {
	int64_t ns;
	size_t at;
};

static int compare_senders(const void *a, const void *b)
{
	const struct sender *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/**
 * hbp_pairs_initiation() - each node's message initiation cost
 * @pairs: the pairs' completion times
 * @ns: receives for each node nanoseconds: the mean of its times to those that
 *	it has a link to, rounded down; HBP_NEVER if it has none
 * @order: receives the nodes, the fastest first; equal ones by ascending id
 * @err: receives the reason of a failure
 *
 * SPOC and FNF (paper 002, section 2.2 and table 1) know one cost for each node,
 * whoever receives. A cost matrix has one for each pair.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_pairs_initiation(const struct hbp_pairs *pairs, int64_t *ns,
			 size_t *order, struct hbp_error *err)
{
	struct sender *senders = calloc(pairs->n, sizeof(*senders));
	size_t i;

	if (!senders)
		return hbp_nomem(err);
	for (i = 0; i < pairs->n; i++) {
		ns[i] = mean_of_row(pairs, i);
		senders[i].ns = ns[i];
		senders[i].at = i;
	}
	qsort(senders, pairs->n, sizeof(*senders), compare_senders);
	for (i = 0; i < pairs->n; i++)
		order[i] = senders[i].at;
	free(senders);
	return 0;
}
