// SPDX-License-Identifier: GPL-2.0-or-later
/* Small networks that are found by tests; what is expected is worked out by hand. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "measure/matrix.h"
#include "measure/spread.h"
#include "measure/picture.h"
#include "measure/record.h"
#include "measure/settle.h"
#include "truth.h"
#include "units.h"

/* The capacity, in Mbit/s, of what a host sends or receives by. */
static double of_host(struct hbp_inferred *found, size_t host, bool sends)
{
	struct hbp_sketch *s = found->sketch;
	size_t lower = host ? host : hbp_sketch_neighbour(s, 0);

	return s->nodes[lower].link[sends == !!host ? HBP_UP : HBP_DOWN].mbps;
}

/* Hosts 1 to 4 at one switch; 4 sends at 30 and receives at 60 Mbit/s. */
#define FOUR \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':9,'kind':'switch'}],'links':[" \
	"{'from':1,'to':9,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':2,'to':9,'bandwidth_mbps':100,'latency_us':1000,'symmetric':true}," \
	"{'from':3,'to':9,'bandwidth_mbps':100,'latency_us':1500,'symmetric':true}," \
	"{'from':4,'to':9,'bandwidth_mbps':30,'latency_us':3000}," \
	"{'from':9,'to':4,'bandwidth_mbps':60,'latency_us':1000}]}"

static void add_name(void *arg, uint32_t id, char *buf, size_t len)
{
	(void)arg;
	if (id == 4)
		snprintf(buf, len, "slow");
}

static bool is_drawn(const struct hbp_inferred *found, const char *want,
		     void (*draw)(const struct hbp_inferred *inferred,
				  hbp_label_fn label, void *arg, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool same;

	draw(found, add_name, NULL, out);
	fclose(out);
	same = !strcmp(text, want);
	if (!same)
		printf("# %s", text);
	free(text);
	return same;
}

static void test_four(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR);
	struct hbp_inferred found;
	size_t i;
	bool good = true;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(found.complete && found.tree && found.sketch->n == 5 && !found.n_lost,
	   "four hosts: a tree with one switch");
	for (i = 0; i < 3; i++)
		good = good && near(of_host(&found, i, true), 100, 0.01) &&
		       near(of_host(&found, i, false), 100, 0.01);
	ok(good && near(of_host(&found, 3, true), 30, 0.01) &&
	   near(of_host(&found, 3, false), 60, 0.01), "four hosts: their links");
	ok(near(hbp_sketch_rtt(found.sketch, 0, 1), 3000, 0.000001) &&
	   near(hbp_sketch_rtt(found.sketch, 2, 3), 7000, 0.000001) &&
	   found.misfit_us < 0.001, "four hosts: round trips");
	ok(is_drawn(&found, "switch 5\n"
			    "|- 1  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 2  100 / 100 Mbit/s, 1.00 ms\n"
			    "|- 3  100 / 100 Mbit/s, 1.50 ms\n"
			    "`- 4 slow  60.0 / 30.0 Mbit/s, 2.00 ms\n",
		    hbp_picture_text), "four hosts: as text");
	ok(is_drawn(&found, "graph network {\n"
			    "\t0 [shape=box, label=\"1\"];\n"
			    "\t1 [shape=box, label=\"2\"];\n"
			    "\t2 [shape=box, label=\"3\"];\n"
			    "\t3 [shape=box, label=\"4 slow\"];\n"
			    "\t4 [shape=ellipse, label=\"switch 5\"];\n"
			    "\t4 -- 1 [label=\"100 / 100 Mbit/s, 1.00 ms\"];\n"
			    "\t4 -- 2 [label=\"100 / 100 Mbit/s, 1.50 ms\"];\n"
			    "\t4 -- 3 [label=\"60.0 / 30.0 Mbit/s, 2.00 ms\"];\n"
			    "\t0 -- 4 [label=\"100 / 100 Mbit/s, 0.50 ms\"];\n}\n",
		    hbp_picture_dot), "four hosts: for Graphviz");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Nothing is between them, and nothing but their link bounds what they get. */
#define TWO \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'}],'links':[" \
	"{'from':1,'to':2,'bandwidth_mbps':100,'latency_us':500}," \
	"{'from':2,'to':1,'bandwidth_mbps':10,'latency_us':500}]}"

static void test_two(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(TWO);
	struct hbp_inferred found;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(found.complete && found.tree && found.sketch->n == 2 &&
	   near(of_host(&found, 0, true), 100, 0.01) &&
	   near(of_host(&found, 0, false), 10, 0.01), "two hosts: the link between them");
	ok(is_drawn(&found, "2\n`- 1  10.0 / 100 Mbit/s, 0.50 ms\n", hbp_picture_text),
	   "two hosts: as text");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Six hosts in two racks that are 400 and 100 Mbit/s apart, as far as all others. */
#define RACKS \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':5,'kind':'host'},{'id':6,'kind':'host'}," \
	"{'id':7,'kind':'switch'},{'id':8,'kind':'switch'}],'links':[" \
	"{'from':1,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':2,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':3,'to':7,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':4,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':5,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':6,'to':8,'bandwidth_mbps':100,'latency_us':500,'symmetric':true}," \
	"{'from':7,'to':8,'bandwidth_mbps':150,'latency_us':0}," \
	"{'from':8,'to':7,'bandwidth_mbps':60,'latency_us':0}]}"

static void test_racks(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(RACKS);
	struct hbp_inferred found;
	const struct hbp_sketch_node *inner = NULL;
	size_t i;

	truth_begin(&t, in, 1);
	t.trip_noise_us = 30;
	truth_find(&t, &found);
	for (i = 6; i < found.sketch->n; i++)
		if (hbp_sketch_inner(found.sketch, i))
			inner = &found.sketch->nodes[i];
	ok(found.hidden && found.sketch->n == 8 && inner && inner->hidden,
	   "two racks: their link is found by what hosts do to one another");
	ok(hbp_sketch_neighbour(found.sketch, 0) == hbp_sketch_neighbour(found.sketch, 2) &&
	   hbp_sketch_neighbour(found.sketch, 3) == hbp_sketch_neighbour(found.sketch, 5),
	   "two racks: who is in which");
	ok(inner && near(inner->link[HBP_DOWN].mbps, 150, 0.01) &&
	   near(inner->link[HBP_UP].mbps, 60, 0.01), "two racks: what is between them");
	/* The new switch is the upper one, since the tree is held at host 1. */
	ok(is_drawn(&found, "switch 8\n"
			    "|- 1  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 2  100 / 100 Mbit/s, 0.50 ms\n"
			    "|- 3  100 / 100 Mbit/s, 0.50 ms\n"
			    "`- switch 7  150 / 60.0 Mbit/s, 0.00 ms, seen in rates only\n"
			    "   |- 4 slow  100 / 100 Mbit/s, 0.50 ms\n"
			    "   |- 5  100 / 100 Mbit/s, 0.50 ms\n"
			    "   `- 6  100 / 100 Mbit/s, 0.50 ms\n",
		    hbp_picture_text), "two racks: as text");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Four switches in a circle: those that are opposite are two links apart. */
#define CIRCLE \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':11,'kind':'switch'},{'id':12,'kind':'switch'}," \
	"{'id':13,'kind':'switch'},{'id':14,'kind':'switch'}],'links':[" \
	"{'from':1,'to':11,'bandwidth_mbps':100,'latency_us':100,'symmetric':true}," \
	"{'from':2,'to':12,'bandwidth_mbps':100,'latency_us':100,'symmetric':true}," \
	"{'from':3,'to':13,'bandwidth_mbps':100,'latency_us':100,'symmetric':true}," \
	"{'from':4,'to':14,'bandwidth_mbps':100,'latency_us':100,'symmetric':true}," \
	"{'from':11,'to':12,'bandwidth_mbps':50,'latency_us':5000,'symmetric':true}," \
	"{'from':12,'to':13,'bandwidth_mbps':50,'latency_us':5000,'symmetric':true}," \
	"{'from':13,'to':14,'bandwidth_mbps':50,'latency_us':5000,'symmetric':true}," \
	"{'from':14,'to':11,'bandwidth_mbps':50,'latency_us':5000,'symmetric':true}]}"

static void test_circle(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(CIRCLE);
	struct hbp_inferred found;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(found.complete && !found.tree && found.misfit_us > 1000,
	   "a circle: no tree fits, and it is told by how much");
	ok(found.sketch->n == 5 && found.sketch->n_hosts == 4,
	   "a circle: one switch stands for it");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

static void test_faults(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR);
	struct hbp_inferred found;
	size_t last;
	bool good = true;

	truth_begin(&t, in, 1);
	t.dead = 1;
	truth_find(&t, &found);
	ok(found.n_lost == 1 && found.lost[0] == 2 && found.sketch->n_hosts == 3 &&
	   found.ids[1] == 3, "a dead host is named, and the others are found");
	ok(near(of_host(&found, 2, true), 30, 0.01), "and so are their links");
	hbp_inferred_clear(&found);
	truth_begin(&t, in, 1);
	t.liar = 1;
	truth_find(&t, &found);
	ok(near(of_host(&found, 0, true), 100, 0.01) &&
	   near(of_host(&found, 0, false), 100, 0.01) &&
	   near(of_host(&found, 3, false), 60, 0.01),
	   "a host that says ten times as much makes nobody faster");
	hbp_inferred_clear(&found);
	for (last = 0; last < 10; last++) {
		truth_begin(&t, in, 1);
		t.last = last;
		truth_find(&t, &found);
		good = good && found.complete == (t.calls <= last);
		hbp_inferred_clear(&found);
	}
	ok(good, "whoever ends it gets what is known, and that it is not all");
	hbp_input_free(in);
}

/* What somebody says who says anything. */
static void test_words(void)
{
	static const double words[] = { NAN, -1, 0, DBL_MIN / 1024, 1 / 1e9, 1e8, INFINITY };
	struct hbp_flow flow = { };
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		flow.sent_mbps = words[i];
		flow.received_mbps = words[i];
		good = good && hbp_flow_mbps(&flow) == 0;
	}
	flow.sent_mbps = 2;
	flow.received_mbps = 1;
	ok(good && hbp_flow_mbps(&flow) == 1, "rates that no link has are not believed");
}

static size_t count_unsteady(const struct hbp_inferred *found)
{
	size_t i, n = 0;

	for (i = 2; i < 2 * found->sketch->n; i++)
		n += hbp_spread_unsteady(hbp_sketch_capacity(found->sketch, i));
	return n;
}

/* The number of the link from the switch, which is behind four hosts, to one of them. */
static size_t link_to(const struct hbp_input *in, size_t host)
{
	return (size_t)(hbp_platform_link(in->platform, 4, host) - in->platform->links);
}

/* Host 4 gets 60 Mbit/s while links are filled, and 20 from then on, which binds plans. */
static void test_change(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR);
	struct hbp_inferred found;

	truth_begin(&t, in, 1);
	t.noise = 0.01;
	truth_find(&t, &found);
	ok(!count_unsteady(&found), "a network that stays as it is: all links are steady");
	hbp_inferred_clear(&found);
	truth_begin(&t, in, 1);
	t.changing = link_to(in, 3);
	t.changes = 8;
	truth_find(&t, &found);
	ok(hbp_spread_unsteady(hbp_sketch_capacity(found.sketch, hbp_arc(3, HBP_DOWN))),
	   "a link that changes meanwhile is not steady");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* Hosts 1 to 4 at one switch, all alike. */
#define ALIKE \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'}," \
	"{'id':4,'kind':'host'},{'id':9,'kind':'switch'}],'links':[" \
	"{'from':1,'to':9,'bandwidth_mbps':20,'latency_us':500,'symmetric':true}," \
	"{'from':2,'to':9,'bandwidth_mbps':20,'latency_us':500,'symmetric':true}," \
	"{'from':3,'to':9,'bandwidth_mbps':20,'latency_us':500,'symmetric':true}," \
	"{'from':4,'to':9,'bandwidth_mbps':20,'latency_us':500,'symmetric':true}]}"

/* Rounds 1 to 8 fill the links of hosts, host 3's down in 4; then come pairs both ways. */
static void test_slower(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(ALIKE);
	struct hbp_inferred found;
	uint64_t seed;
	size_t told = 0, shared = 0;

	for (seed = 1; seed <= 50; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		t.changing = link_to(in, 2);
		t.changes = 5 + seed % 5;
		truth_find(&t, &found);
		told += hbp_spread_unsteady(hbp_sketch_capacity(found.sketch,
								hbp_arc(2, HBP_DOWN)));
		shared += found.sketch->nodes[2].shared;
		hbp_inferred_clear(&found);
	}
	ok(told == 50, "a direction that gets slower after it was filled is not steady");
	ok(!shared, "and is not taken for one that shares a capacity with the other one");
	hbp_input_free(in);
}

/* The rate of each pair is that of the slower end; node 2 is dead. */
static void test_matrix(void)
{
	static const double want[4][4] = {
		{ NAN, NAN, 100, 60 }, { NAN, NAN, NAN, NAN },
		{ 100, NAN, NAN, 60 }, { 30, NAN, 30, NAN },
	};
	static const uint32_t ids[] = { 1, 2, 3, 4 };
	static struct truth t;
	struct hbp_prober prober = truth_prober(&t);
	struct hbp_input *in = make_input(FOUR);
	struct hbp_costs *costs;
	struct hbp_matrix m;
	struct hbp_error err;
	bool good = true;
	size_t i;

	truth_begin(&t, in, 1);
	t.dead = 1;
	if (hbp_matrix_find(ids, 4, &prober, &m, &err) || hbp_matrix_costs(&m, &costs, &err))
		tap_bail_out("%s", err.text);
	for (i = 0; i < 16; i++)
		good = good && (isnan(want[i / 4][i % 4]) ? isnan(m.mbps[i]) :
				near(m.mbps[i], want[i / 4][i % 4], 0.001));
	ok(good && m.complete, "a matrix: rates of pairs");
	/* A frame takes 45.9 us on its way from 1 to 4 and back, half of which is there. */
	ok(near((double)costs->latency_ns[3], 2522960, 0.00001) &&
	   costs->bandwidth_bps[3] == 60000000 &&
	   costs->latency_ns[1] == INT64_MAX && !costs->bandwidth_bps[1],
	   "a matrix: costs, and no links of a dead host");
	hbp_costs_free(costs);
	hbp_matrix_clear(&m);
	hbp_input_free(in);
}

/* Of six pairs at once up to three cross what is between the racks. */
static void test_matrix_racks(void)
{
	static const uint32_t ids[] = { 1, 2, 3, 4, 5, 6 };
	static struct truth t;
	struct hbp_prober prober = truth_prober(&t);
	struct hbp_input *in = make_input(RACKS);
	struct hbp_matrix m;
	struct hbp_error err;
	bool inside = false;
	size_t a, b, crossing = 0;

	truth_begin(&t, in, 1);
	if (hbp_matrix_find(ids, 6, &prober, &m, &err))
		tap_bail_out("%s", err.text);
	for (a = 0; a < 6; a++)
		for (b = 0; b < 6; b++) {
			if (a / 3 == b / 3)
				inside = inside || m.slowed[a * 6 + b];
			else
				crossing += m.slowed[a * 6 + b];
		}
	ok(!inside && crossing >= 9, "a matrix of racks: who slows whom down");
	ok(near(m.mbps[3], 100, 0.001) && near(m.mbps[18], 60, 0.001),
	   "a matrix of racks: what pairs get alone");
	hbp_matrix_clear(&m);
	hbp_input_free(in);
}

/* A flow of 10 Mbit/s that begins after so many seconds, seen every 50 ms. */
static void grow(struct hbp_growth *growth, double begin, double end)
{
	double s;

	for (s = 0.05; s < end; s += 0.05)
		if (hbp_growth_add(growth, s, fmax(s - begin, 0) * 1.25e6))
			tap_bail_out("no memory");
}

static void test_settle(void)
{
	struct hbp_growth flows[2] = { };
	struct hbp_settling s = { .rtt_s = 0.01 };

	grow(&flows[0], 0, 1);
	grow(&flows[1], 0.3, 1);
	ok(hbp_settle(flows, 2, &s) && near(s.mbps, 20, 0.001),
	   "two flows: settled, at what they have together");
	ok(near(s.spent_s, (0.95 + 0.65) / 2, 0.001), "in 0.8 s they would have done as much");
	ok(s.from_s > 0.25 && s.from_s < 0.36, "since the second one has begun");
	ok(near(hbp_growth_mbps(&flows[1], s.from_s, s.to_s), 10, 0.01), "each has its part");
	s.rtt_s = 0.2;
	ok(!hbp_settle(flows, 2, &s), "five long round trips are not enough");
	s = (struct hbp_settling){ .least_s = 1.5 };
	ok(!hbp_settle(flows, 2, &s), "nor is a second where more is wanted");
	hbp_growth_clear(&flows[1]);
	grow(&flows[1], 0.8, 1);
	s = (struct hbp_settling){ };
	ok(!hbp_settle(flows, 2, &s), "a sum that still grows has not settled");
	hbp_growth_clear(&flows[0]);
	hbp_growth_clear(&flows[1]);
	ok(!hbp_settle(flows, 2, &s) && isnan(hbp_growth_mbps(&flows[0], 0, 1)),
	   "nor have flows that have not begun");
}

/* What is written is a platform that is read again, capacities in place. */
static void test_record(void)
{
	const char *times[64] = { "2026-01-01T00:00:00Z" };
	static const struct hbp_lost lost = { 7, "its key differs" };
	static struct truth t;
	struct hbp_input *in = make_input(FOUR), *again;
	struct hbp_record record = { .n_times = 64, .times = times, .n_lost = 1, .lost = &lost };
	struct hbp_inferred found;
	const struct hbp_link *link;
	struct hbp_error err;
	char *text;
	size_t i;

	for (i = 1; i < 64; i++)
		times[i] = "2026-01-01T00:00:01Z";
	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	record.inferred = &found;
	text = hbp_record_text(&record, &err);
	if (!text || hbp_input_parse(text, strlen(text), "record", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	link = hbp_platform_link(again->platform, 3, 4);
	ok(near(hbp_mbps_from_bps(link->bandwidth_bps), 30, 0.02), "a record: read as a platform");
	ok(strstr(text, "\"reason\": \"its key differs\"") &&
	   strstr(text, "\"latency_time\": \"2026-01-01T00:00:00Z\"") &&
	   strstr(text, "\"bandwidth_time\": \"2026-01-01T00:00:01Z\""),
	   "and tells who is lost, and when it was found");
	free(text);
	hbp_inferred_clear(&found);
	hbp_input_free(again);
	hbp_input_free(in);
}

/* What liars say together is more than a platform takes. */
static void test_record_fast(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(FOUR), *again;
	struct hbp_record record = { };
	struct hbp_inferred found;
	struct hbp_error err;
	char *text;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	hbp_sketch_capacity(found.sketch, hbp_arc(3, HBP_UP))->mbps = 4 * HBP_BANDWIDTH_MAX_MBPS;
	record.inferred = &found;
	text = hbp_record_text(&record, &err);
	if (!text)
		tap_bail_out("%s", err.text);
	if (hbp_input_parse(text, strlen(text), "record", NULL, &again, &err)) {
		ok(false, "%s", err.text);
	} else {
		ok(true, "a record of what is too fast to be: read as a platform");
		hbp_input_free(again);
	}
	free(text);
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

int main(void)
{
	test_four();
	test_two();
	test_racks();
	test_circle();
	test_faults();
	test_words();
	test_change();
	test_slower();
	test_matrix();
	test_matrix_racks();
	test_settle();
	test_record();
	test_record_fast();
	return tap_done();
}
