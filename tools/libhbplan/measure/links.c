// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that fill the links of a tree. */
#include <errno.h>
#include <stdlib.h>

#include "measure/links.h"
#include "node.h"

/* With so many other hosts a host's link is filled. */
#define FAN	4

/* The host that is nearest to another one of those that were not taken yet. */
static size_t nearest(const struct hbp_sketch *sketch, size_t host, const size_t *taken,
		      size_t n)
{
	size_t i, k, best = HBP_NONE;
	double us, least = 0;

	for (i = 0; i < sketch->n_hosts; i++) {
		for (k = 0; k < n && taken[k] != i; k++)
			;
		if (i == host || k < n)
			continue;
		us = hbp_sketch_rtt(sketch, host, i);
		if (best == HBP_NONE || us < least) {
			best = i;
			least = us;
		}
	}
	return best;
}

/**
 * hbp_links_host() - one more test: a host and those that are near to it
 * @tests: all tests
 * @sketch: the tree
 * @host: whose link is to be filled
 * @direction: HBP_UP for what it sends, whatever node the tree is held at
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_links_host(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		   size_t host, enum hbp_direction direction)
{
	size_t taken[FAN], n, other;
	int ret = hbp_tests_begin(tests);

	for (n = 0; !ret && n < FAN && n + 1 < sketch->n_hosts; n++) {
		other = nearest(sketch, host, taken, n);
		taken[n] = other;
		ret = direction == HBP_UP ? hbp_tests_flow(tests, host, other) :
					    hbp_tests_flow(tests, other, host);
	}
	return ret;
}

/* A host, and what its link is known to carry. */
struct end {
	size_t host;
	double mbps;
};

/* The fastest first; of those that are alike the first. */
static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->mbps != y->mbps)
		return x->mbps < y->mbps ? 1 : -1;
	return (x->host > y->host) - (x->host < y->host);
}

/* The hosts on one side of a link, the fastest first: how many. */
static size_t find_ends(const struct hbp_sketch *sketch, size_t node, bool below,
			bool away, struct end *ends)
{
	size_t i, n = 0;

	for (i = 0; i < sketch->n_hosts; i++)
		if (hbp_sketch_below(sketch, node, i) == below)
			ends[n++] = (struct end){ i, hbp_sketch_host_mbps(sketch, i, away) };
	qsort(ends, n, sizeof(*ends), compare_ends);
	return n;
}

/**
 * hbp_links_inner() - one more test: all that are behind a link send to all before it
 * @tests: all tests
 * @sketch: the tree, whose hosts' links are known
 * @node: the link's lower node
 * @direction: the direction to be filled
 *
 * Each host of the larger side has two flows, the fastest with the fastest.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_links_inner(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		    size_t node, enum hbp_direction direction)
{
	struct end *from = calloc(2 * sketch->n_hosts, sizeof(*from)), *to;
	size_t i, n_from, n_to, n;
	bool up = direction == HBP_UP;
	int ret;

	if (!from)
		return -ENOMEM;
	to = from + sketch->n_hosts;
	n_from = find_ends(sketch, node, up, true, from);
	n_to = find_ends(sketch, node, !up, false, to);
	n = n_from > n_to ? n_from : n_to;
	ret = hbp_tests_begin(tests);
	for (i = 0; !ret && i < n; i++) {
		ret = hbp_tests_flow(tests, from[i % n_from].host, to[i % n_to].host);
		if (!ret && n_to > 1)
			ret = hbp_tests_flow(tests, from[i % n_from].host,
					     to[(i + 1) % n_to].host);
	}
	free(from);
	return ret;
}

/* The hosts that a switch reaches by way of a neighbour, the fastest first: how many. */
static size_t find_behind(const struct hbp_sketch *sketch, size_t at, size_t neighbour,
			  bool away, struct end *ends)
{
	bool above = sketch->nodes[at].parent == neighbour;

	return find_ends(sketch, above ? at : neighbour, !above, away, ends);
}

/**
 * hbp_links_between() - more flows of the last test: between two neighbours of a switch
 * @tests: all tests, at least one of which has begun
 * @sketch: the tree, whose hosts' links are known
 * @at: the switch
 * @from: a neighbour: the fastest hosts that @at reaches by way of it send
 * @to: another one, likewise
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_links_between(struct hbp_tests *tests, const struct hbp_sketch *sketch,
		      size_t at, size_t from, size_t to)
{
	struct end *senders = calloc(2 * sketch->n_hosts, sizeof(*senders));
	struct end *receivers;
	size_t i, n_from, n_to, n;
	int ret = 0;

	if (!senders)
		return -ENOMEM;
	receivers = senders + sketch->n_hosts;
	n_from = find_behind(sketch, at, from, true, senders);
	n_to = find_behind(sketch, at, to, false, receivers);
	n = n_from > n_to ? n_from : n_to;
	for (i = 0; !ret && i < n && i < FAN; i++)
		ret = hbp_tests_flow(tests, senders[i % n_from].host,
				     receivers[i % n_to].host);
	free(senders);
	return ret;
}

/**
 * hbp_links_arc() - one more test: what fills an arc
 * @tests: all tests
 * @sketch: the tree, whose hosts' links are known
 * @arc: its number
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_links_arc(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t arc)
{
	enum hbp_direction direction = arc % 2 ? HBP_DOWN : HBP_UP;
	size_t node = arc / 2;

	if (node < sketch->n_hosts)
		return hbp_links_host(tests, sketch, node, direction);
	if (!sketch->nodes[node].parent)
		return hbp_links_host(tests, sketch, 0,
				      direction == HBP_UP ? HBP_DOWN : HBP_UP);
	return hbp_links_inner(tests, sketch, node, direction);
}

/**
 * hbp_links_all() - find the capacities of all links
 * @tests: all tests
 * @sketch: the tree; receives them
 * @prober: the network
 *
 * Return: as hbp_tests_run().
 */
int hbp_links_all(struct hbp_tests *tests, struct hbp_sketch *sketch,
		  const struct hbp_prober *prober)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < 2 * sketch->n_hosts; i++)
		ret = hbp_links_host(tests, sketch, i / 2, i % 2 ? HBP_DOWN : HBP_UP);
	if (!ret)
		ret = hbp_tests_run(tests, sketch, prober, false);
	for (i = 2 * sketch->n_hosts; !ret && i < 2 * sketch->n; i++)
		if (hbp_sketch_inner(sketch, i / 2))
			ret = hbp_links_arc(tests, sketch, i);
	return ret ?: hbp_tests_run(tests, sketch, prober, false);
}
