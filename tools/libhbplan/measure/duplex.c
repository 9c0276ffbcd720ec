// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hosts that cannot send and receive at full rate at once: on a link that is half duplex,
 * or where one processor does both. All hosts are tested in pairs that send to each other.
 * Where both do not get what their links carry, each is tested with several others, and
 * what it then sends and receives together is a capacity of its own, unless one direction
 * has got slower meanwhile.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/duplex.h"
#include "measure/links.h"
#include "measure/share.h"
#include "node.h"

/* A test tells something of a host if it is due so many times its faster direction. */
#define LOADED	1.3
/* Of what is due: what gets less cannot do both at once. */
#define LOW	0.85
/* So many that get less, and this part of all, are few. */
#define FEW	4
#define FEW_PART	0.5

/**
 * struct pairing - hosts that are tested
 * @tests: all tests
 * @sketch: the tree, with capacities
 * @order: hosts, the fastest first
 * @paired: of each host, whether it has a part in a pair
 * @suspect: of each host, whether one of its tests has brought too little
 * @test: of each host, which one tells of it, or HBP_NONE
 */
struct pairing {
	struct hbp_tests *tests;
	struct hbp_sketch *sketch;
	size_t *order;
	bool *paired;
	bool *suspect;
	size_t *test;
};

/* Mbit/s of a host's faster direction. */
static double speed(const struct hbp_sketch *sketch, size_t host)
{
	return fmax(hbp_sketch_host_mbps(sketch, host, true),
		    hbp_sketch_host_mbps(sketch, host, false));
}

/* The fastest first; of those that are alike the first. */
static void sort_hosts(struct pairing *p)
{
	size_t i, k;

	for (i = 0; i < p->sketch->n_hosts; i++) {
		for (k = i; k && speed(p->sketch, p->order[k - 1]) < speed(p->sketch, i); k--)
			p->order[k] = p->order[k - 1];
		p->order[k] = i;
	}
}

/* The nearest one without a pair that loads a host, or HBP_NONE. */
static int choose_partner(const struct pairing *p, size_t host, size_t *partner)
{
	struct hbp_flow flows[2] = { { .from = host }, { .to = host } };
	double least = INFINITY, us, due;
	size_t i;

	*partner = HBP_NONE;
	for (i = 0; i < p->sketch->n_hosts; i++) {
		us = hbp_sketch_rtt(p->sketch, host, i);
		if (i == host || p->paired[i] || us >= least)
			continue;
		flows[0].to = i;
		flows[1].from = i;
		due = hbp_share_sum(p->sketch, flows, 2, HBP_NONE);
		if (due < 0)
			return -ENOMEM;
		if (due >= LOADED * fmax(speed(p->sketch, host), speed(p->sketch, i))) {
			least = us;
			*partner = i;
		}
	}
	return 0;
}

/* What a test is due; -1: no memory. */
static double due_of(const struct pairing *p, size_t test)
{
	size_t first = p->tests->first[test];

	return hbp_share_sum(p->sketch, &p->tests->flows[first],
			     p->tests->first[test + 1] - first, HBP_NONE);
}

/* A test of two hosts that send to each other. */
static int begin_pair(struct pairing *p, size_t host, size_t partner)
{
	int ret = hbp_tests_begin(p->tests, HBP_NONE);

	p->test[host] = p->tests->n - 1;
	p->test[partner] = p->tests->n - 1;
	p->paired[host] = true;
	p->paired[partner] = true;
	return ret ?: hbp_tests_flow(p->tests, host, partner) ?:
		      hbp_tests_flow(p->tests, partner, host);
}

/* A test of an arc, with as many flows as there are. */
static int begin_arc(struct pairing *p, size_t arc)
{
	return hbp_tests_begin(p->tests, HBP_NONE) ?:
	       hbp_links_arc(p->tests, p->sketch, arc, hbp_links_most(p->sketch, arc));
}

/* A test of a host with several others, if they load it. */
static int begin_single(struct pairing *p, size_t host)
{
	int ret = begin_arc(p, hbp_arc_both(p->sketch, host));
	double due;

	p->test[host] = p->tests->n - 1;
	due = ret ? 0 : due_of(p, p->test[host]);
	if (ret || due < 0)
		return -ENOMEM;
	if (due >= LOADED * speed(p->sketch, host))
		return 0;
	hbp_tests_drop(p->tests);
	p->test[host] = HBP_NONE;
	return 0;
}

static int begin_pairs(struct pairing *p)
{
	size_t i, partner;
	int ret = 0;

	for (i = 0; !ret && i < p->sketch->n_hosts; i++) {
		if (p->paired[p->order[i]])
			continue;
		ret = choose_partner(p, p->order[i], &partner);
		if (!ret)
			ret = partner == HBP_NONE ? begin_single(p, p->order[i]) :
						    begin_pair(p, p->order[i], partner);
	}
	return ret;
}

/* Whether a test has brought too little. */
static int judge(struct pairing *p, size_t test, bool *low)
{
	double due = due_of(p, test), got = 0;
	size_t i;

	if (due < 0)
		return -ENOMEM;
	for (i = p->tests->first[test]; i < p->tests->first[test + 1]; i++)
		got += hbp_flow_mbps(&p->tests->flows[i]);
	*low = got < LOW * due;
	return 0;
}

static int judge_all(struct pairing *p)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < p->sketch->n_hosts; i++) {
		p->suspect[i] = false;
		if (p->test[i] != HBP_NONE)
			ret = judge(p, p->test[i], &p->suspect[i]);
	}
	return ret;
}

static size_t count_suspects(const struct pairing *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->sketch->n_hosts; i++)
		n += p->suspect[i];
	return n;
}

/* Those whose pairs have got too little; @apart: one after the other. */
static int run_suspects(struct pairing *p, const struct hbp_prober *prober, bool apart)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < p->sketch->n_hosts; i++) {
		if (p->suspect[i])
			ret = begin_single(p, i);
		if (!ret && apart)
			ret = hbp_tests_run(p->tests, p->sketch, prober, false);
	}
	return ret ?: hbp_tests_run(p->tests, p->sketch, prober, false) ?: judge_all(p);
}

/* Whether one direction of a suspect has brought what it is due, so that only one has not. */
static int is_lopsided(struct pairing *p, size_t host, bool *lopsided)
{
	size_t first = p->tests->first[p->test[host]], end = p->tests->first[p->test[host] + 1];
	double *due = calloc(end - first, sizeof(*due)), got[2] = { }, want[2] = { };
	size_t i;
	int ret = due ? hbp_share_find(p->sketch, &p->tests->flows[first], end - first,
				       HBP_NONE, due) : -ENOMEM;

	for (i = first; !ret && i < end; i++) {
		got[p->tests->flows[i].from == host] += hbp_flow_mbps(&p->tests->flows[i]);
		want[p->tests->flows[i].from == host] += due[i - first];
	}
	*lopsided = got[0] >= LOW * want[0] || got[1] >= LOW * want[1];
	free(due);
	return ret;
}

/* Fill a direction of a host's link once more: whether it has got slower. */
static int run_alone(struct pairing *p, const struct hbp_prober *prober, size_t host,
		     bool sends, bool *slower)
{
	return begin_arc(p, hbp_sketch_host_arc(p->sketch, host, sends)) ?:
	       hbp_tests_run(p->tests, p->sketch, prober, false) ?:
	       judge(p, p->tests->n - 1, slower);
}

/* A link that has got slower since it was filled looks alike, but carries less alone too. */
static int acquit(struct pairing *p, const struct hbp_prober *prober, size_t host)
{
	bool lopsided, slower;
	int ret = is_lopsided(p, host, &lopsided), sends;

	for (sends = 0; !ret && lopsided && sends < 2; sends++) {
		ret = run_alone(p, prober, host, sends, &slower);
		if (!ret && slower)
			p->suspect[host] = false;
	}
	return ret;
}

/* All in pairs, and then those whose pairs have got too little, unless these are many. */
static int run_all(struct pairing *p, const struct hbp_prober *prober, bool few, bool *open)
{
	size_t i;
	int ret;

	sort_hosts(p);
	ret = begin_pairs(p);
	if (!ret)
		ret = hbp_tests_run(p->tests, p->sketch, prober, false) ?: judge_all(p);
	*open = few && count_suspects(p) > fmax(FEW, FEW_PART * (double)p->sketch->n_hosts);
	if (ret || *open)
		return ret;
	ret = run_suspects(p, prober, few);
	for (i = 0; !ret && i < p->sketch->n_hosts; i++)
		if (p->suspect[i])
			ret = acquit(p, prober, i);
	for (i = 0; !ret && i < p->sketch->n_hosts; i++)
		p->sketch->nodes[i].shared = p->suspect[i];
	return ret;
}

/**
 * hbp_duplex_find() - find hosts that cannot send and receive at full rate at once
 * @tests: all tests
 * @sketch: the tree, with capacities; receives whether a host's are shared
 * @prober: the network
 * @few: only if few hosts seem to, as links that are not known yet look alike; each of
 *	them is then tested alone
 * @open: receives whether there were more, and nothing was found
 *
 * A host that no others together can keep busy both ways is taken to be able to do both.
 *
 * Return: as hbp_tests_run().
 */
int hbp_duplex_find(struct hbp_tests *tests, struct hbp_sketch *sketch,
		    const struct hbp_prober *prober, bool few, bool *open)
{
	struct pairing p = {
		.tests = tests,
		.sketch = sketch,
		.order = calloc(sketch->n_hosts, sizeof(*p.order)),
		.paired = calloc(sketch->n_hosts, sizeof(*p.paired)),
		.suspect = calloc(sketch->n_hosts, sizeof(*p.suspect)),
		.test = calloc(sketch->n_hosts, sizeof(*p.test)),
	};
	int ret = p.order && p.paired && p.suspect && p.test ? 0 : -ENOMEM;

	*open = false;
	/* Of two hosts no relay sends and receives. */
	if (!ret && sketch->n_hosts > 2)
		ret = run_all(&p, prober, few, open);
	free(p.order);
	free(p.paired);
	free(p.suspect);
	free(p.test);
	return ret ?: hbp_tests_learn(tests, sketch);
}
