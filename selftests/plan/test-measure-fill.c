// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How links between switches are filled, and what tests say of them.
 *
 * here: timeout=300
 */
#include "../lib/tap.h"
#include "measure/binding.h"
#include "measure/links.h"
#include "measure/share.h"
#include "node.h"
#include "truth.h"

#define PART	0.000001	/* that numbers may differ by */

/*
 * Hosts 0 and 3 at switches A and B, hosts 1 and 2 behind Z, which A has 40 Mbit/s to, and 4
 * and 5 behind W, likewise of B. Of the hosts 1, 2 and 3 are fastest.
 */
enum { HOSTS = 6, A = HOSTS, Z, B, W, ALL };

static void put(struct hbp_sketch *s, size_t node, size_t parent, double mbps)
{
	size_t k;

	s->nodes[node].parent = parent;
	for (k = 0; k < 2; k++)
		s->nodes[node].link[k].mbps = mbps;
}

static struct hbp_sketch *make_sketch(void)
{
	struct hbp_sketch *s = hbp_sketch_alloc(HOSTS);

	if (!s)
		tap_bail_out("no memory");
	s->n = ALL;
	put(s, 0, HBP_NONE, 0);
	put(s, 1, Z, 100);
	put(s, 2, Z, 100);
	put(s, 3, B, 100);
	put(s, 4, W, 90);
	put(s, 5, W, 90);
	put(s, A, 0, 90);
	put(s, Z, A, 40);
	put(s, B, A, 0);
	put(s, W, B, 40);
	hbp_sketch_deepen(s);
	return s;
}

/* One flow where 90 are left, then one where 40 are: the fastest to the fastest get 60. */
static void test_few(void)
{
	struct hbp_sketch *s = make_sketch();
	struct hbp_tests tests = { };
	size_t arc = hbp_arc(B, HBP_DOWN);

	if (hbp_tests_begin(&tests, arc) || hbp_links_arc(&tests, s, arc, 2))
		tap_bail_out("no memory");
	ok(tests.first[1] == 2 && tests.flows[0].from == 0 && tests.flows[0].to == 3 &&
	   tests.flows[1].from == 1 && tests.flows[1].to == 4 &&
	   near(hbp_share_sum(s, tests.flows, 2, arc), 90 + 40, PART),
	   "flows go where others have left most");
	if (hbp_tests_begin(&tests, arc) || hbp_links_arc(&tests, s, arc, 100))
		tap_bail_out("no memory");
	ok(tests.first[2] - tests.first[1] == hbp_links_most(s, arc),
	   "those that there are beside them are between others");
	hbp_tests_clear(&tests);
	hbp_sketch_free(s);
}

/* A test of two flows from one side to the other. */
static void add_test(struct hbp_tests *tests, size_t aim, bool longer, double mbps)
{
	size_t i;

	if (hbp_tests_begin(tests, aim) || hbp_tests_flow(tests, 0, 3) ||
	    hbp_tests_flow(tests, 1, 4))
		tap_bail_out("no memory");
	tests->longer[tests->n - 1] = longer;
	for (i = tests->first[tests->n - 1]; i < tests->first[tests->n]; i++) {
		tests->flows[i].sent_mbps = mbps / 2;
		tests->flows[i].received_mbps = mbps / 2;
	}
}

static double learnt(const struct hbp_tests *tests, struct hbp_sketch *s)
{
	if (hbp_tests_learn(tests, s))
		tap_bail_out("no memory");
	return hbp_sketch_capacity(s, hbp_arc(B, HBP_DOWN))->mbps;
}

static void test_longer(void)
{
	struct hbp_sketch *s = make_sketch();
	struct hbp_tests tests = { };
	size_t arc = hbp_arc(B, HBP_DOWN);

	add_test(&tests, arc, false, 108);
	ok(near(learnt(&tests, s), 108, PART), "a link carries what was seen to cross it");
	add_test(&tests, hbp_arc(W, HBP_DOWN), true, 96);
	ok(near(learnt(&tests, s), 108, PART), "also if a longer test of another link has less");
	add_test(&tests, arc, true, 60);
	ok(near(learnt(&tests, s), 108, PART), "or one of it has had no chance");
	add_test(&tests, arc, true, 100);
	ok(near(learnt(&tests, s), 100, PART), "a longer test of it knows better than a short one");
	hbp_tests_clear(&tests);
	hbp_sketch_free(s);
}

/*
 * The hosts 1 to 4 have 10 Mbit/s and are nearest to host 0, which has 100; ten others of 15
 * are further away.
 */
#define NEAR	4
#define STAR	15	/* hosts */

static double star_mbps(size_t host)
{
	if (!host)
		return 100;
	return host <= NEAR ? 10 : 15;
}

static struct hbp_input *star(void)
{
	char *text = NULL;
	FILE *f = open_links(&text, STAR, STAR + 1, 1);
	double us;
	size_t i;

	for (i = 0; i < STAR; i++) {
		us = i > NEAR ? 2000 : 500;
		put_link(f, i + 1, STAR + 1, star_mbps(i), us);
		put_link(f, STAR + 1, i + 1, star_mbps(i), us);
	}
	return close_links(f, &text);
}

static void test_slow_near(void)
{
	static struct truth t;
	struct hbp_input *in = star();
	struct hbp_inferred found;
	struct hbp_sketch *s;
	size_t lower;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	s = found.sketch;
	lower = hbp_sketch_neighbour(s, 0);
	ok(found.complete && near(s->nodes[lower].link[HBP_UP].mbps, 100, 0.01) &&
	   near(s->nodes[lower].link[HBP_DOWN].mbps, 100, 0.01),
	   "hosts further away fill a link that near ones are too slow for");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Of three hosts at a switch host 0 has 100 Mbit/s, the others more; host 2 sends at 200. */
static struct hbp_sketch *make_three(void)
{
	struct hbp_sketch *s = hbp_sketch_alloc(3);
	size_t i;

	if (!s)
		tap_bail_out("no memory");
	s->n = 4;
	put(s, 3, 0, 100);
	put(s, 1, 3, 103);
	put(s, 2, 3, 103);
	s->nodes[2].link[HBP_UP].mbps = 200;
	hbp_sketch_deepen(s);
	for (i = 2; i < 2 * s->n; i++)
		hbp_sketch_capacity(s, i)->tests = 2;
	return s;
}

/* Only what host 0 sends keeps the plan from being faster; what others receive is full. */
static void test_full(void)
{
	uint32_t ids[] = { 1, 2, 3 };
	struct hbp_overheads overheads[3] = { };
	struct hbp_inferred found = {
		.sketch = make_three(), .ids = ids, .overheads = overheads
	};
	bool arcs[2][8] = { };
	struct hbp_error err;

	if (hbp_binding_find(&found, 1, arcs[0], &err))
		tap_bail_out("%s", err.text);
	found.sketch->nodes[2].link[HBP_DOWN].tests = 1;
	found.sketch->nodes[2].link[HBP_UP].tests = 1;
	if (hbp_binding_find(&found, 1, arcs[1], &err))
		tap_bail_out("%s", err.text);
	ok(arcs[0][hbp_arc(3, HBP_DOWN)] && arcs[1][hbp_arc(3, HBP_DOWN)],
	   "a link that bounds plans binds");
	ok(!arcs[0][hbp_arc(2, HBP_DOWN)] && arcs[1][hbp_arc(2, HBP_DOWN)] &&
	   !arcs[1][hbp_arc(2, HBP_UP)],
	   "and so does one that plans fill, unless two tests agree on it");
	hbp_sketch_free(found.sketch);
}

int main(void)
{
	test_few();
	test_slow_near();
	test_longer();
	test_full();
	return tap_done();
}
