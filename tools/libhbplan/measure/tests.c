// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests: flows that go on at once, and what has come of them. Tests whose ways
 * share no link do not disturb one another, and are run in one round. The capacity
 * of an arc is the most that was seen to cross it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/tests.h"
#include "units.h"

/* Loads of an arc that differ by less have filled it alike. */
#define ALIKE	0.03
/* For how many usual ones a longer test counts. */
#define LONGER	4
/* A short test that says so much more than a longer one has only seen a queue drain. */
#define DRAINS	0.15

/* Room for one more test. */
static int make_room(struct hbp_tests *tests)
{
	size_t room = 2 * tests->room + 16, *first, *round, *aim;
	bool *longer;

	first = realloc(tests->first, room * sizeof(*first));
	if (!first)
		return -ENOMEM;
	if (!tests->room)
		first[0] = 0;
	tests->first = first;
	longer = realloc(tests->longer, room * sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	tests->longer = longer;
	aim = realloc(tests->aim, room * sizeof(*aim));
	if (!aim)
		return -ENOMEM;
	tests->aim = aim;
	round = realloc(tests->round, room * sizeof(*round));
	if (!round)
		return -ENOMEM;
	tests->round = round;
	tests->room = room;
	return 0;
}

/**
 * hbp_tests_begin() - one more test, without flows yet
 * @tests: all tests; filled with zeros at first
 * @aim: the arc that it is to fill, or HBP_NONE
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_tests_begin(struct hbp_tests *tests, size_t aim)
{
	if (tests->n + 2 > tests->room && make_room(tests))
		return -ENOMEM;
	tests->round[tests->n] = 0;
	tests->aim[tests->n] = aim;
	tests->longer[tests->n++] = false;
	tests->first[tests->n] = tests->first[tests->n - 1];
	return 0;
}

/**
 * hbp_tests_drop() - without the last test, which has not been run
 * @tests: all tests
 */
void hbp_tests_drop(struct hbp_tests *tests)
{
	tests->n--;
}

/**
 * hbp_tests_flow() - one more flow of the last test, unless that has it
 * @tests: all tests, at least one of which has begun
 * @from: index of the host that sends
 * @to: index of another one
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_tests_flow(struct hbp_tests *tests, size_t from, size_t to)
{
	size_t at = tests->first[tests->n], room = 2 * at + 16;
	struct hbp_flow *flows;
	size_t i;

	for (i = tests->first[tests->n - 1]; i < at; i++)
		if (tests->flows[i].from == from && tests->flows[i].to == to)
			return 0;
	if (at == tests->room_flows) {
		flows = realloc(tests->flows, room * sizeof(*flows));
		if (!flows)
			return -ENOMEM;
		tests->flows = flows;
		tests->room_flows = room;
	}
	tests->flows[at] = (struct hbp_flow){
		.from = from, .to = to, .test = tests->n - 1,
		.sent_mbps = NAN, .received_mbps = NAN
	};
	tests->first[tests->n]++;
	return 0;
}

/**
 * struct running - how far tests are
 * @tests: all tests
 * @sketch: whose arcs they use
 * @over: of each test, whether it has been run
 * @used: of the link above each node, whether a test of this round uses it
 * @arcs: a way
 * @flows: of this round
 * @origin: of each of them, which of all it is
 * @n: how many
 */
struct running {
	struct hbp_tests *tests;
	const struct hbp_sketch *sketch;
	bool *over;
	bool *used;
	size_t *arcs;
	struct hbp_flow *flows;
	size_t *origin;
	size_t n;
};

static bool alloc_running(struct running *r)
{
	size_t flows = r->tests->first[r->tests->n];

	r->over = calloc(r->tests->n, sizeof(*r->over));
	r->used = calloc(r->sketch->n, sizeof(*r->used));
	r->arcs = calloc(r->sketch->n + 2, sizeof(*r->arcs));
	r->flows = calloc(flows + 1, sizeof(*r->flows));
	r->origin = calloc(flows + 1, sizeof(*r->origin));
	return r->over && r->used && r->arcs && r->flows && r->origin;
}

static void free_running(struct running *r)
{
	free(r->over);
	free(r->used);
	free(r->arcs);
	free(r->flows);
	free(r->origin);
}

/*
 * Whether no link of the test is used in this round; with @take they are now. What goes
 * the other way is disturbed as well: its acknowledgements wait in the same queues.
 */
static bool links_are_free(struct running *r, size_t test, bool take)
{
	const struct hbp_tests *tests = r->tests;
	size_t i, k, n, link;

	for (i = tests->first[test]; i < tests->first[test + 1]; i++) {
		n = hbp_sketch_path(r->sketch, tests->flows[i].from,
				    tests->flows[i].to, r->arcs);
		for (k = 0; k < n; k++) {
			link = hbp_arc_node(r->sketch, r->arcs[k]);
			if (!take && r->used[link])
				return false;
			r->used[link] = r->used[link] || take;
		}
	}
	return true;
}

/* The flows of all that can go on at once with the first one that has not run. */
static void gather(struct running *r, bool longer)
{
	const struct hbp_tests *tests = r->tests;
	size_t test, i;

	memset(r->used, 0, r->sketch->n * sizeof(*r->used));
	r->n = 0;
	for (test = tests->done; test < tests->n; test++) {
		if (r->over[test] || !links_are_free(r, test, false))
			continue;
		links_are_free(r, test, true);
		r->over[test] = true;
		tests->longer[test] = longer;
		tests->round[test] = tests->rounds + 1;
		for (i = tests->first[test]; i < tests->first[test + 1]; i++) {
			r->origin[r->n] = i;
			r->flows[r->n++] = tests->flows[i];
		}
	}
}

/**
 * hbp_tests_run() - run the tests that have not been run
 * @tests: all tests
 * @sketch: the tree; learns what they show
 * @prober: the network
 * @longer: whether these figures matter more than usual
 *
 * Return: 0, -ENOMEM, or what the prober has ended it with; then what is known
 * until then has been learnt.
 */
int hbp_tests_run(struct hbp_tests *tests, struct hbp_sketch *sketch,
		  const struct hbp_prober *prober, bool longer)
{
	struct running r = { .tests = tests, .sketch = sketch };
	size_t i;
	int ret;

	if (tests->done == tests->n)
		return 0;
	ret = alloc_running(&r) ? 0 : -ENOMEM;
	while (!ret) {
		gather(&r, longer);
		if (!r.n)
			break;
		ret = prober->flows(prober->arg, r.flows, r.n, longer);
		tests->rounds++;
		for (i = 0; i < r.n; i++)
			tests->flows[r.origin[i]] = r.flows[i];
	}
	free_running(&r);
	tests->done = tests->n;
	return hbp_tests_learn(tests, sketch) ?: ret;
}

/* What a test has sent over each arc. */
static void add_loads(const struct hbp_tests *tests, size_t test,
		      const struct hbp_sketch *sketch, size_t *arcs, double *load)
{
	size_t i, k, n;

	memset(load, 0, hbp_arcs(sketch) * sizeof(*load));
	for (i = tests->first[test]; i < tests->first[test + 1]; i++) {
		n = hbp_sketch_path(sketch, tests->flows[i].from, tests->flows[i].to,
				    arcs);
		for (k = 0; k < n; k++)
			load[arcs[k]] += hbp_flow_mbps(&tests->flows[i]);
	}
}

/*
 * Whether a test says nothing of an arc: what went the other way has left it less, by its
 * acknowledgements. Hosts' links are filled each way alone, so that there are others.
 */
static bool is_disturbed(const struct hbp_sketch *sketch, size_t arc, const double *load)
{
	return !hbp_arc_is_both(sketch, arc) && !hbp_sketch_inner(sketch, arc / 2) &&
	       load[arc ^ 1] > 0;
}

/* The mean of all loads that have filled the arc as well as the most has. */
static void learn_arc(struct hbp_capacity *figure, double load, double most,
		      const struct hbp_tests *tests, size_t test)
{
	unsigned int weight = tests->longer[test] ? LONGER : 1;
	double known = figure->mbps * figure->tests;

	if (load <= 0 || load < most * (1 - ALIKE) || load > most * (1 + ALIKE))
		return;
	figure->tests += weight;
	figure->mbps = (known + load * weight) / figure->tests;
	figure->spread_mbps = fmax(figure->spread_mbps, fabs(most - load));
	if (tests->round[test] > figure->round)
		figure->round = tests->round[test];
}

/*
 * The most that each arc was seen to carry, or was by longer tests that were to fill it;
 * @most has room for twice as many figures.
 */
static void find_most(const struct hbp_tests *tests, const struct hbp_sketch *sketch,
		      size_t *arcs, double *load, double *most)
{
	double *longer = most + hbp_arcs(sketch);
	size_t test, i;

	for (test = 0; test < tests->n; test++) {
		add_loads(tests, test, sketch, arcs, load);
		for (i = 0; i < hbp_arcs(sketch); i++) {
			if (is_disturbed(sketch, i, load))
				continue;
			most[i] = fmax(most[i], load[i]);
			if (tests->longer[test] && tests->aim[test] == i)
				longer[i] = fmax(longer[i], load[i]);
		}
	}
	for (i = 0; i < hbp_arcs(sketch); i++)
		if (longer[i] >= most[i] * (1 - DRAINS))
			most[i] = longer[i];
}

/**
 * hbp_tests_learn() - what all tests say of a tree
 * @tests: all tests
 * @sketch: the tree; its figures are replaced
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_tests_learn(const struct hbp_tests *tests, struct hbp_sketch *sketch)
{
	size_t n = hbp_arcs(sketch), test, i;
	size_t *arcs = calloc(sketch->n + 2, sizeof(*arcs));
	double *load = calloc(3 * n, sizeof(*load)), *most = load ? load + n : NULL;
	bool full = arcs && load;

	if (full)
		find_most(tests, sketch, arcs, load, most);
	for (i = 0; full && i < n; i++)
		*hbp_sketch_capacity(sketch, i) = (struct hbp_capacity){ 0 };
	for (test = 0; full && test < tests->n; test++) {
		add_loads(tests, test, sketch, arcs, load);
		for (i = 0; i < n; i++)
			if (!is_disturbed(sketch, i, load))
				learn_arc(hbp_sketch_capacity(sketch, i), load[i], most[i],
					  tests, test);
	}
	free(arcs);
	free(load);
	return full ? 0 : -ENOMEM;
}

/**
 * hbp_tests_clear() - release all tests
 * @tests: the tests
 */
void hbp_tests_clear(struct hbp_tests *tests)
{
	free(tests->first);
	free(tests->longer);
	free(tests->aim);
	free(tests->round);
	free(tests->flows);
	memset(tests, 0, sizeof(*tests));
}
