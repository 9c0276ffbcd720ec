// SPDX-License-Identifier: GPL-2.0-or-later
/* Flows that fill the links of a tree. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/links.h"
#include "measure/spare.h"
#include "node.h"

/* With so many other hosts a host's link is filled, if they are as fast. */
#define FAN	4
/* If they are slower, it is with so many at most. */
#define FAN_MAX	16
/* Who is behind a link that round trips do not show is further than who is not. */
#define HIDDEN_US	1000

/* A round trip, to which links that it does not show add something. */
static double distance(const struct hbp_sketch *sketch, size_t a, size_t b)
{
	const struct hbp_sketch_node *nodes = sketch->nodes;
	double us = hbp_sketch_rtt(sketch, a, b);
	size_t *lower;

	while (a != b) {
		lower = nodes[a].depth >= nodes[b].depth ? &a : &b;
		us += nodes[*lower].hidden ? HIDDEN_US : 0;
		*lower = nodes[*lower].parent;
	}
	return us;
}

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
		us = distance(sketch, host, i);
		if (best == HBP_NONE || us < least) {
			best = i;
			least = us;
		}
	}
	return best;
}

/* A host, and as many as possible that are near to it. */
static int add_host(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t host,
		    bool sends, size_t most)
{
	size_t taken[FAN_MAX], n, other;
	int ret = 0;

	for (n = 0; !ret && n < most; n++) {
		other = nearest(sketch, host, taken, n);
		taken[n] = other;
		ret = sends ? hbp_tests_flow(tests, host, other) :
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

/* The one whose way to a link, or from it, has most left; @mbps receives how much. */
static size_t find_spare(struct hbp_spare *spare, const struct end *ends, size_t n, bool sends,
			 double *mbps)
{
	size_t i, best = 0;
	double left;

	*mbps = 0;
	for (i = 0; i < n; i++) {
		left = hbp_spare_find(spare, ends[i].host, sends);
		if (left <= *mbps)
			continue;
		best = ends[i].host;
		*mbps = left;
	}
	return best;
}

/*
 * Hosts on one side of a link send to hosts on the other. The next flow goes where most is
 * left, and is given that, until nothing is left; then the fastest send to the fastest.
 */
static int add_across(struct hbp_tests *tests, struct hbp_spare *spare, const struct end *from,
		      size_t n_from, const struct end *to, size_t n_to, size_t most)
{
	size_t n = n_from > n_to ? n_from : n_to, end = tests->first[tests->n - 1] + most;
	size_t sender, receiver, i;
	double mbps, other;
	int ret = 0;

	while (!ret && tests->first[tests->n] < end) {
		sender = find_spare(spare, from, n_from, true, &mbps);
		receiver = find_spare(spare, to, n_to, false, &other);
		mbps = fmin(mbps, other);
		if (mbps <= 0)
			break;
		ret = hbp_tests_flow(tests, sender, receiver);
		hbp_spare_take(spare, sender, true, mbps);
		hbp_spare_take(spare, receiver, false, mbps);
	}
	for (i = 0; !ret && i < 2 * n && tests->first[tests->n] < end; i++)
		ret = hbp_tests_flow(tests, from[i % n_from].host,
				     to[(i + i / n) % n_to].host);
	return ret;
}

static int add_inner(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t node,
		     bool up, size_t most)
{
	struct end *from = calloc(2 * sketch->n_hosts, sizeof(*from));
	struct end *to = from ? from + sketch->n_hosts : NULL;
	struct hbp_spare spare = { 0 };
	int ret = from ? hbp_spare_begin(&spare, sketch, node) : -ENOMEM;

	if (!ret)
		ret = add_across(tests, &spare, from,
				 find_ends(sketch, node, up, true, from), to,
				 find_ends(sketch, node, !up, false, to), most);
	hbp_spare_clear(&spare);
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

/* The host at the lower end of an arc; the one that the tree is held at has an upper end. */
static size_t host_of(const struct hbp_sketch *sketch, size_t arc)
{
	if (hbp_arc_is_both(sketch, arc))
		return hbp_arc_node(sketch, arc);
	return sketch->nodes[arc / 2].parent && arc / 2 < sketch->n_hosts ? arc / 2 : 0;
}

/**
 * hbp_links_most() - how many flows there are to fill an arc
 * @sketch: the tree
 * @arc: its number
 *
 * Return: how many hbp_links_arc() adds at most.
 */
size_t hbp_links_most(const struct hbp_sketch *sketch, size_t arc)
{
	size_t i, below = 0, above, others = sketch->n_hosts - 1;

	if (hbp_arc_is_both(sketch, arc))
		return 2 * (others < FAN ? others : FAN);
	if (!hbp_sketch_inner(sketch, arc / 2))
		return others < FAN_MAX ? others : FAN_MAX;
	for (i = 0; i < sketch->n_hosts; i++)
		below += hbp_sketch_below(sketch, arc / 2, i);
	above = sketch->n_hosts - below;
	return 2 * (below > above ? below : above);
}

/**
 * hbp_links_arc() - more flows of the last test: across an arc
 * @tests: all tests, at least one of which has begun
 * @sketch: the tree; those of its hosts' links that are known are used
 * @arc: its number
 * @most: how many flows at most
 *
 * Between switches hosts of both sides have them, so that they fill the arc as far as
 * the links beside it that are known allow. For what a host sends and
 * receives together half of them leave it, and half come to it. With a larger @most come
 * those of a smaller one and some more.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_links_arc(struct hbp_tests *tests, const struct hbp_sketch *sketch, size_t arc,
		  size_t most)
{
	size_t all = hbp_links_most(sketch, arc), host = host_of(sketch, arc);
	bool up = !(arc % 2);

	most = most < all ? most : all;
	if (hbp_arc_is_both(sketch, arc))
		return add_host(tests, sketch, host, true, most / 2) ?:
		       add_host(tests, sketch, host, false, most / 2);
	if (hbp_sketch_inner(sketch, arc / 2))
		return add_inner(tests, sketch, arc / 2, up, most);
	return add_host(tests, sketch, host, up == (host == arc / 2), most);
}
