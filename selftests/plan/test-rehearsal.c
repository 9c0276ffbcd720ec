// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans that are rehearsed on a network that carries less than its platform says, and what
 * that tells of the platform.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "again.h"
#include "json.h"
#include "measure/correction.h"
#include "stamp.h"
#include "truth.h"

#define EDGE(a, b, planned, reached) \
	{ .from = a, .to = b, .planned_mbps = planned, .reached_mbps = reached }

/* What is planned and reached, and which link explains it. */
struct answer {
	const char *name;
	const char *links;	/* from-to before after, in Mbit/s; each rounded */
	size_t n;
	struct hbp_rehearsed edges[7];
};

/*
 * Hosts 1 and 2 at switch 100, hosts 3 and 4 at 101, 1000 Mbit/s each; 400 between the
 * switches. Host 4 sends no more than that.
 */
static struct hbp_input *two_switches(double mbps)
{
	char *text;
	FILE *f = open_links(&text, 4, 100, 2);
	struct hbp_input *in;
	size_t host;

	for (host = 1; host <= 4; host++) {
		put_link(f, host, host < 3 ? 100 : 101, host == 4 ? mbps : 1000, 50);
		put_link(f, host < 3 ? 100 : 101, host, 1000, 50);
	}
	put_link(f, 100, 101, 400, 50);
	put_link(f, 101, 100, 400, 50);
	in = close_links(f, &text);
	hbp_input_count(in);
	return in;
}

/* "100-101 400>200 " for each link. */
static void write_links(const struct hbp_corrections *found, char *text, size_t len)
{
	const struct hbp_correction *c;
	size_t at = 0, i;

	*text = '\0';
	for (i = 0; i < found->n; i++) {
		c = &found->links[i];
		at += (size_t)snprintf(text + at, len - at, "%u-%u %.0f>%.0f%s ", c->from, c->to,
				       (double)c->before_bps / 1e6, (double)c->after_bps / 1e6,
				       c->acks ? " acks" : "");
	}
}

static void check_answer(const struct answer *answer, struct hbp_input *in)
{
	struct hbp_rehearsal rehearsal = {
		.n = answer->n, .edges = (struct hbp_rehearsed *)answer->edges
	};
	struct hbp_corrections found = { };
	struct hbp_error err;
	char text[256];

	if (hbp_correct(&rehearsal, in, &found, &err))
		tap_bail_out("%s", err.text);
	write_links(&found, text, sizeof(text));
	if (!ok(!strcmp(text, answer->links), "%s", answer->name))
		printf("# %snot %s\n", text, answer->links);
	hbp_corrections_clear(&found);
	hbp_input_free(in);
}

/* 1514 bytes on the link are 1432 of payload; 66 acknowledge two of them. */
static void test_answers(void)
{
	static const struct answer answers[] = {
		{ "all as planned: nothing is wrong", "", 2,
		  { EDGE(1, 3, 300, 300), EDGE(3, 4, 300, 292) } },
		/* 189.2 x 1514 / 1432 = 200.0. */
		{ "two edges share a link: it carries what they reached", "100-101 400>200 ", 2,
		  { EDGE(1, 3, 180, 94.6), EDGE(2, 4, 180, 94.6) } },
		{ "one of them gets its rate, as it is small", "100-101 400>200 ", 2,
		  { EDGE(1, 3, 270, 94.6), EDGE(2, 4, 94.6, 94.6) } },
		/* Through node 1's link node 2 reached more; 100 x 1514 / 1432. */
		{ "what others cross as planned is not it", "100-101 400>106 ", 3,
		  { EDGE(1, 2, 500, 500), EDGE(1, 3, 180, 60), EDGE(2, 4, 180, 40) } },
		/* All that node 1 sends: 460 x 1514 / 1432 = 486.3. */
		{ "what one node sends", "1-100 1000>486 ", 2,
		  { EDGE(1, 2, 600, 300), EDGE(1, 3, 300, 160) } },
		/* 500 x 1514 / 1432, and acknowledgements: 189.2 x 33 / 1432. */
		{ "two links that have nothing to do with each other",
		  "3-101 1000>533 100-101 400>200 ", 3,
		  { EDGE(1, 3, 300, 189.2), EDGE(3, 4, 700, 500), EDGE(2, 1, 300, 300) } },
		/* It carries its 400, of which the planner has counted 400 / 1.174 as 444. */
		{ "more is planned than the platform has: the planner gets less",
		  "100-101 400>341 ", 2, { EDGE(1, 3, 222, 189.2), EDGE(2, 4, 222, 189.2) } },
		/* Acknowledgements of 450 Mbit/s are 10.4, of 300 they are 6.9. */
		{ "acknowledgements that a narrow way back holds up", "4-101 10>7 acks ", 1,
		  { EDGE(3, 4, 450, 300) } },
		{ "but they do not hold up what did not fall short", "", 1,
		  { EDGE(3, 4, 450, 440) } },
	};
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		check_answer(&answers[i], two_switches(10));
}

/*
 * All that mtp plans from node 1 if nobody is slow, on a network that carries half between the
 * switches: of 400 Mbit/s 189 are payload. (58.7 + 63.8 + 61.0) x 1514 / 1432, and
 * acknowledgements of 116.8 on the way back: 116.8 x 33 / 1432.
 */
static void test_busy(void)
{
	static const struct answer answer = {
		"what is held up by its acknowledgements is explained with the data before these",
		"100-101 400>197 ", 7,
		{ EDGE(1, 2, 252.2, 252.1), EDGE(1, 4, 126.1, 58.7), EDGE(2, 3, 126.1, 63.8),
		  EDGE(2, 4, 120.8, 61.0), EDGE(3, 2, 120.8, 116.8), EDGE(3, 4, 126.1, 125.8),
		  EDGE(4, 3, 246.8, 246.5) }
	};

	check_answer(&answer, two_switches(1000));
}

/* What one rehearsal has shown the next one knows. */
static void test_again(void)
{
	static const struct hbp_rehearsed first[] = {
		EDGE(1, 3, 200, 150), EDGE(2, 4, 150, 150)
	};
	static const struct hbp_rehearsed second[] = { EDGE(2, 3, 300, 170) };
	struct hbp_rehearsal rehearsal = { .n = 2, .edges = (struct hbp_rehearsed *)first };
	struct hbp_input *in = two_switches(10);
	struct hbp_corrections found = { };
	struct hbp_error err;
	char text[256];

	if (hbp_correct(&rehearsal, in, &found, &err))
		tap_bail_out("%s", err.text);
	rehearsal = (struct hbp_rehearsal){ .n = 1, .edges = (struct hbp_rehearsed *)second };
	if (hbp_correct(&rehearsal, in, &found, &err))
		tap_bail_out("%s", err.text);
	write_links(&found, text, sizeof(text));
	/*
	 * The plan fills the link between the switches most; but that has carried 300 x 1514 /
	 * 1432 before, and now 170 x 1514 / 1432.
	 */
	if (!ok(!strcmp(text, "100-101 400>317 2-100 1000>180 "),
		"a link that has carried more before is not what holds edges up now"))
		printf("# %s\n", text);
	hbp_corrections_clear(&found);
	hbp_input_free(in);
}

/* A plan from node 1: each text is a tree, its rate in Mbit/s, then its edges. */
static struct hbp_plan *plan_of(const char *const *trees, size_t n)
{
	struct hbp_plan *plan = hbp_plan_alloc("by-hand", 1, 1000);
	struct hbp_tree *tree;
	struct hbp_error err;
	char *edges;
	size_t i;

	for (i = 0; i < n; i++) {
		tree = hbp_plan_add_tree(plan, (unsigned int)i);
		tree->rate_bps = hbp_bps_from_mbps(strtod(trees[i], &edges));
		add_edges(tree, edges);
	}
	if (hbp_plan_check(plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

/* A segment in 0.9 s is 0.01273 Mbit/s of payload, so that 9.74 are planned. */
static void test_grain(struct hbp_rehearsed *edge)
{
	const double segment = 8 * 1432 / 0.9 / 1e6;

	*edge = (struct hbp_rehearsed){
		.planned_mbps = 0.123979, .reached_mbps = 9 * segment,
	};
	ok(hbp_rehearsed_short(edge), "9 segments of 9.74 are not enough");
	edge->grain_mbps = 2 * segment;
	ok(!hbp_rehearsed_short(edge), "but where two more may have been on their way");
	edge->reached_mbps = 7 * segment;
	ok(hbp_rehearsed_short(edge), "which do not make up for three");
}

static void test_list(void)
{
	static const char *const trees[] = { "30 1-2 1-3 3-4", "20 1-3 3-4 4-2", "0.5 1-3 3-4" };
	static const char *const without[] = { "30 1-2 1-3 3-4", "0 1-3" };
	static const struct hbp_rehearsed want[] = {
		EDGE(1, 2, 30, 0), EDGE(1, 3, 50.5, 0), EDGE(3, 4, 50.5, 0), EDGE(4, 2, 20, 0)
	};
	struct hbp_plan *plan = plan_of(trees, 3);
	struct hbp_rehearsal rehearsal;
	struct hbp_error err;
	bool same;
	size_t i;

	if (hbp_rehearsal_list(plan, NULL, &rehearsal, &err))
		tap_bail_out("%s", err.text);
	same = rehearsal.n == 4;
	for (i = 0; same && i < 4; i++)
		same = rehearsal.edges[i].from == want[i].from &&
		       rehearsal.edges[i].to == want[i].to &&
		       near(rehearsal.edges[i].planned_mbps, want[i].planned_mbps, 1 / 1e9);
	ok(same, "trees that use the same edge are one flow there");
	ok(!hbp_rehearsal_good(&rehearsal), "nothing is reached yet");
	for (i = 0; i < rehearsal.n; i++)
		rehearsal.edges[i].reached_mbps = 0.9701 * rehearsal.edges[i].planned_mbps;
	ok(hbp_rehearsal_good(&rehearsal), "97 %% are enough");
	rehearsal.edges[3].reached_mbps = 0.9699 * rehearsal.edges[3].planned_mbps;
	ok(!hbp_rehearsal_good(&rehearsal) && hbp_rehearsed_short(&rehearsal.edges[3]),
	   "less is not, at one edge of all");
	test_grain(&rehearsal.edges[3]);
	hbp_rehearsal_clear(&rehearsal);
	hbp_plan_free(plan);
	plan = plan_of(without, 2);
	ok(hbp_rehearsal_list(plan, NULL, &rehearsal, &err) &&
	   strstr(err.text, "slot 1 has no rate_mbps"),
	   "a tree without a rate cannot be rehearsed");
	hbp_plan_free(plan);
}

/* A network in which all reach a part of their rate: the first rate, and who has had enough. */
struct parts {
	double asked;
	bool enough;
	bool enough_of_half;
};

static void bring(struct hbp_flow *flows, size_t n, double part)
{
	size_t i;

	for (i = 0; i < n; i++) {
		flows[i].sent_mbps = flows[i].rate_mbps * part;
		flows[i].received_mbps = flows[i].rate_mbps * part;
		flows[i].looked_s = 0.9;
	}
}

/* All of it at first, and half in the end. */
static int half_rates(void *arg, struct hbp_flow *flows, size_t n, bool (*enough)(void *of),
		      void *of)
{
	struct parts *parts = arg;

	parts->asked = flows->rate_mbps;
	bring(flows, n, 1);
	parts->enough = enough(of);
	bring(flows, n, 0.5);
	parts->enough_of_half = enough(of);
	return 0;
}

/* Of a frame of 9014 bytes 8932 are payload, and two of these in 0.9 s 0.158791 Mbit/s. */
static void test_frames(void)
{
	static const char *const trees[] = { "89.32 1-2" };
	struct hbp_input *in =
		make_input("{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host'},\n"
			   "{'id':2,'kind':'host'},{'id':9,'kind':'switch'}],'links':[\n"
			   "{'from':1,'to':9,'bandwidth_mbps':99,'latency_us':9,'mtu':9000},\n"
			   "{'from':9,'to':2,'bandwidth_mbps':99,'latency_us':9,'mtu':16000}]}");
	struct hbp_plan *plan = plan_of(trees, 1);
	struct hbp_rehearsal rehearsal;
	struct parts parts = { };
	struct hbp_prober prober = { .arg = &parts, .rates = half_rates };
	struct hbp_error err;

	hbp_input_count(in);
	if (hbp_rehearsal_list(plan, in->platform, &rehearsal, &err) ||
	    hbp_rehearsal_run(&rehearsal, in->members, in->n, &prober))
		tap_bail_out("a plan cannot be rehearsed");
	ok(near(parts.asked, 90.14, 1 / 1e6), "headers are those of the MTU of an edge's way");
	ok(near(rehearsal.edges->reached_mbps, 44.66, 1 / 1e6), "and what comes is of payload");
	ok(near(rehearsal.edges->grain_mbps, 0.158791, 1 / 1e6), "in segments, two at a time");
	ok(parts.enough && !parts.enough_of_half, "it goes on until all reach their rates");
	hbp_rehearsal_clear(&rehearsal);
	plan->trees->edges->parent = 2;
	plan->trees->edges->child = 1;
	ok(hbp_rehearsal_list(plan, in->platform, &rehearsal, &err) == -EINVAL &&
	   strstr(err.text, "no route leads from node 2 to node 1"),
	   "a platform on which there is no way for an edge is refused");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void test_short(void)
{
	struct hbp_rehearsed edge = { .planned_mbps = 0.1, .reached_mbps = 0, .grain_mbps = 0.5 };

	ok(hbp_rehearsed_short(&edge), "an edge that nothing comes along falls short");
	edge.reached_mbps = 0.01;
	ok(!hbp_rehearsed_short(&edge), "unless it is so slow that the next segment is all of it");
	edge.grain_mbps = 0.08;
	ok(hbp_rehearsed_short(&edge), "and not much less");
}

/*
 * From host 1 all others are reached at 100 Mbit/s, and host 2 sends at so many. So a chain
 * is worth as much as its slowest host sends.
 */
static struct hbp_input *relayed(const char *mbps)
{
	char text[600];

	snprintf(text, sizeof(text), "{'hbcast':'costs','version':1,'nodes':[{'id':1},{'id':2},\n"
		 "{'id':3}],'latency_us':[[0,10,10],[10,0,10],[10,10,0]],\n"
		 "'bandwidth_mbps':[[null,100,100],[%s,null,%s],[1,1,null]]}", mbps, mbps);
	return make_input(text);
}

/* What auto makes again is what it makes of the network as it is now. */
static void test_again_by_auto(void)
{
	struct hbp_input *was = relayed("100"), *is = relayed("1");
	struct hbp_plan *plan = make_plan(was, "auto", 1, 16 << 20), *again, *anew;
	struct hbp_error err;

	ok(plan->asked.automatic && strcmp(plan->algorithm, "auto"), "auto has chosen a planner");
	if (hbp_again(plan, is, &again, &err))
		tap_bail_out("%s", err.text);
	anew = make_plan(is, "auto", 1, 16 << 20);
	ok(again->asked.automatic && again->why &&
	   hbp_evaluation_mean(again->predicted) ==
		hbp_evaluation_mean(anew->predicted) &&
	   !strcmp(again->algorithm, anew->algorithm),
	   "where the network has changed it chooses anew");
	hbp_plan_free(anew);
	hbp_plan_free(again);
	hbp_plan_free(plan);
	hbp_input_free(was);
	hbp_input_free(is);
}

/* Writes text to a file. */
static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		tap_bail_out("%s cannot be written", path);
}

static const char measured[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host'},\n"
	"{'id':2,'kind':'host','measured':{'send_overhead_method':'bursts'}},\n"
	"{'id':9,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':9,'bandwidth_mbps':80,'latency_us':50,'symmetric':true},\n"
	"{'from':9,'to':2,'bandwidth_mbps':60,'latency_us':70},\n"
	"{'from':2,'to':9,'bandwidth_mbps':60,'latency_us':70,'measured':\n"
	"{'latency_method':'trips','bandwidth_method':'flows','bandwidth_tests':3,\n"
	"'bandwidth_spread_mbps':1}}]}";

static void test_save(void)
{
	/* Twice the same one: to a half, then to a fifth of that. */
	struct hbp_correction links[] = {
		{ 9, 1, 80000000, 40000000, false }, { 2, 9, 60000000, 30000000, false },
		{ 9, 1, 40000000, 8000000, false },
	};
	struct hbp_corrections corrections = { .n = 3, .links = links };
	char from[] = "/tmp/rehearsal-XXXXXX", to[sizeof(from) + 4], *text;
	const struct hbp_link *l;
	struct hbp_input *in;
	time_t before = time(NULL), when;
	json_t *root, *told;
	struct hbp_error err;

	close(mkstemp(from));
	snprintf(to, sizeof(to), "%s.new", from);
	text = quoted(measured);
	put_file(from, text);
	free(text);
	if (hbp_corrections_save(&corrections, from, to, &err) ||
	    hbp_input_load(to, NULL, &in, &err))
		tap_bail_out("%s", err.text);
	l = in->platform->links;
	ok(in->platform->n_links == 4 && l[0].bandwidth_bps == 80000000 &&
	   l[1].bandwidth_bps == 30000000 && l[2].bandwidth_bps == 8000000 &&
	   l[3].bandwidth_bps == 60000000, "one direction of a symmetric link is corrected");
	ok(l[2].latency_ns == 50000, "and has its latency");
	root = json_load_file(to, 0, NULL);
	ok(json_object_get(json_array_get(json_object_get(root, "nodes"), 1), "measured") &&
	   !json_object_get(json_array_get(json_object_get(root, "links"), 0), "measured") &&
	   json_object_get(json_array_get(json_object_get(root, "links"), 1), "measured"),
	   "what was measured stays, and what was corrected is said");
	told = json_object_get(json_array_get(json_object_get(root, "links"), 3), "measured");
	ok(json_object_size(told) == 3 &&
	   hbp_json_says(json_object_get(told, "latency_method"), "trips") &&
	   hbp_json_says(json_object_get(told, "bandwidth_method"), "rehearsal") &&
	   hbp_stamp_parse(json_string_value(json_object_get(told, "bandwidth_time")), &when) &&
	   when >= before && when <= time(NULL),
	   "of a link what is known of its latency stays, and when it was corrected is told");
	json_decref(root);
	corrections.links[1].from = 3;
	ok(hbp_corrections_save(&corrections, from, to, &err) &&
	   strstr(err.text, "links: that from 3 to 9 is not there any more"),
	   "a link that has gone is named");
	hbp_input_free(in);
	unlink(from);
	unlink(to);
	ok(hbp_corrections_save(&corrections, from, to, &err) && strstr(err.text, from),
	   "a file that has gone is named");
}

/* How rehearsals of plans for random networks came out. */
struct tally {
	unsigned int networks;
	unsigned int short_ones;	/* the first plan fell short */
	unsigned int found;		/* and the wrong link was corrected, and no other */
	unsigned int good;		/* in the end */
};

static void rehearse(struct hbp_rehearsal *rehearsal, const struct hbp_plan *plan,
		     const struct hbp_input *in, struct truth *t)
{
	struct hbp_prober prober = truth_prober(t);
	struct hbp_error err;

	if (hbp_rehearsal_list(plan, in->platform, rehearsal, &err) ||
	    hbp_rehearsal_run(rehearsal, in->members, in->n, &prober))
		tap_bail_out("a plan cannot be rehearsed");
}

/* A plan for a platform on a true network, made again up to three times. */
static void try_network(struct tally *tally, struct hbp_input *in, struct truth *t,
			size_t wrong, const char *planner)
{
	struct hbp_plan *plan = make_plan(in, planner, 1, 16 << 20), *again;
	const struct hbp_link *link = &in->platform->links[wrong];
	struct hbp_corrections found = { };
	struct hbp_rehearsal r;
	struct hbp_error err;
	unsigned int made = 0;
	bool good;

	rehearse(&r, plan, in, t);
	good = hbp_rehearsal_good(&r);
	tally->networks++;
	tally->short_ones += !good;
	for (; !good && made < 3; made++) {
		if (hbp_correct(&r, in, &found, &err) || hbp_again(plan, in, &again, &err))
			tap_bail_out("%s", err.text);
		tally->found += !made && found.n == 1 &&
				found.links->from == in->platform->nodes[link->from].id &&
				found.links->to == in->platform->nodes[link->to].id;
		hbp_rehearsal_clear(&r);
		hbp_plan_free(plan);
		plan = again;
		rehearse(&r, plan, in, t);
		good = hbp_rehearsal_good(&r);
	}
	tally->good += good;
	hbp_corrections_clear(&found);
	hbp_rehearsal_clear(&r);
	hbp_plan_free(plan);
}

/* A random tree of switches. */
static struct hbp_input *draw_network(size_t i)
{
	struct luck luck = { i };

	return random_platform(&luck, 4 + i % 9, 2 + i % 4, 0, i % 2);
}

/* Of each link in turn a platform says that it carries twice as much. */
static void test_random(const char *planner, unsigned int found, unsigned int good)
{
	struct tally tally = { };
	struct hbp_input *in, *true_in;
	static struct truth t;
	size_t i, wrong;

	for (i = 1; i <= 40; i++) {
		true_in = draw_network(i);
		for (wrong = 0; wrong < true_in->platform->n_links; wrong++) {
			in = draw_network(i);
			in->platform->links[wrong].bandwidth_bps *= 2;
			hbp_input_count(in);
			truth_begin(&t, true_in, i);
			try_network(&tally, in, &t, wrong, planner);
			hbp_input_free(in);
		}
		hbp_input_free(true_in);
	}
	printf("# %s: of %u plans %u fell short; the link was found for %u; %u good in the end\n",
	       planner, tally.networks, tally.short_ones, tally.found, tally.good);
	ok(tally.found * 100 >= found * tally.short_ones, "%s: the link that is wrong is found",
	   planner);
	ok(tally.good * 100 >= good * tally.networks, "%s: plans are good in the end", planner);
}

int main(void)
{
	test_answers();
	test_busy();
	test_again();
	test_again_by_auto();
	test_short();
	test_list();
	test_frames();
	test_save();
	test_random("stable", 45, 96);
	test_random("mtp", 80, 98);
	test_random("ecef", 85, 99);
	return tap_done();
}
