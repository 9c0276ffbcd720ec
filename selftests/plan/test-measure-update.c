// SPDX-License-Identifier: GPL-2.0-or-later
/* What broadcasts show of a network that is known from before. */
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "../lib/tap.h"
#include "measure/update.h"
#include "stamp.h"
#include "truth.h"

#define EXACT	0.000001

/* Hosts 1 to 4 at one switch, each link 100 Mbit/s in each direction. */
static struct hbp_input *star(void)
{
	char *text;
	FILE *f = open_links(&text, 4, 100, 1);
	int i;

	for (i = 1; i <= 4; i++) {
		put_link(f, i, 100, 100, 500);
		put_link(f, 100, i, 100, 500);
	}
	return close_links(f, &text);
}

/* What is told of a link; 0 for nothing. */
static double told(const struct hbp_news *updates, size_t n, uint32_t from, uint32_t to)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (updates[i].from == from && updates[i].to == to)
			return updates[i].mbps;
	return 0;
}

struct scene {
	const char *name;
	size_t lanes;
	struct hbp_seen seen[6];
	size_t links;		/* of which something is told */
	uint32_t from;		/* one of them */
	uint32_t to;
	double mbps;		/* and what it carries */
};

static const struct scene scenes[] = {
	{ "nothing is said of lanes that are held back", 2,
	  { { 1, 2, 0, 10, 30, 0, 0, 0 }, { 2, 3, 0, 10, 30, 0, 0, 0 } }, 0, 0, 0, 0 },
	{ "two lanes that are limited share a link", 2,
	  { { 1, 2, 0, 10, 25, 25, 0, 1 }, { 1, 3, 0, 10, 30, 30, 0, 1 } }, 1, 1, 100, 55 },
	{ "and by plan if one was to get more", 2,
	  { { 1, 2, 0, 10, 10, 10, 20, 1 }, { 1, 3, 0, 10, 40, 40, 80, 1 } },
	  1, 1, 100, 50 },
	{ "a lane that is not says it is another one's own link", 2,
	  { { 1, 2, 0, 10, 20, 20, 0, 1 }, { 1, 3, 0, 10, 30, 0, 0, 0 } }, 1, 100, 2, 20 },
	{ "one that is for a part of the time does not say so", 2,
	  { { 1, 2, 0, 10, 20, 20, 0, 1 }, { 1, 3, 0, 10, 30, 30, 0, 0.2 } },
	  1, 1, 100, 50 },
	{ "a limited lane over a link that is full as known is no news", 2,
	  { { 1, 2, 0, 10, 49, 49, 0, 1 }, { 1, 3, 0, 10, 48, 0, 0, 0 } }, 1, 1, 100, 100 },
	{ "who receives from two is the end of what they share", 3,
	  { { 1, 4, 0, 10, 11, 11, 0, 1 }, { 2, 4, 0, 10, 14, 14, 0, 1 },
	    { 2, 3, 0, 10, 40, 0, 0, 0 } },
	  1, 100, 4, 25 },
	{ "no link carries less than was seen", 2,
	  { { 1, 2, 0, 10, 70, 0, 0, 0 }, { 1, 3, 0, 10, 60, 0, 0, 0 } }, 1, 1, 100, 130 },
	{ "what was seen at different times is not added", 2,
	  { { 1, 2, 0, 10, 70, 0, 0, 0 }, { 1, 3, 10, 20, 60, 0, 0, 0 } }, 0, 0, 0, 0 },
	{ "nor is what one has brought before the other one began", 2,
	  { { 1, 2, 0, 10, 70, 0, 0, 0 }, { 1, 3, 8, 10, 60, 0, 0, 0 } },
	  0, 0, 0, 0 },
	{ "what both have brought together has crossed", 2,
	  { { 1, 2, 0, 10, 90, 0, 0, 0 }, { 1, 3, 2, 12, 90, 0, 0, 0 } },
	  1, 1, 100, 150 },
	/* With the first one 40 + 15, with the second one 30 + 20, each for as long. */
	{ "what was there for half of the time counts half", 2,
	  { { 1, 2, 0, 10, 40, 40, 0, 1 }, { 1, 3, 5, 15, 30, 30, 0, 1 } }, 1, 1, 100, 52.5 },
	/* With the first one 20 + 16, with the second one 24 + 18: that for a quarter as long. */
	{ "one that was limited for longer tells more", 2,
	  { { 1, 2, 0, 10, 18, 20, 0, 0.8 }, { 1, 3, 0, 10, 16, 24, 0, 0.2 } }, 1, 1, 100, 37.2 },
	/* All that enters node 4 together says more than that two lanes come from node 3. */
	{ "lanes that are limited for a part of the time count for that part", 4,
	  { { 3, 4, 0, 10, 8, 8, 0, 0.5 }, { 3, 4, 0, 10, 8, 8, 0, 0.5 },
	    { 1, 4, 0, 10, 8, 8, 0, 0.3 }, { 2, 4, 0, 10, 8, 8, 0, 0.35 } }, 1, 100, 4, 32 },
	/* 105 for 5 s, which are most of 6, and then 70 and 30. */
	{ "lanes that end one after the other have filled what they share until then", 3,
	  { { 1, 2, 0, 6, 40, 40, 0, 0.9 }, { 1, 3, 0, 10, 30, 30, 0, 0.6 },
	    { 1, 4, 0, 5, 35, 35, 0, 0.9 } }, 0, 0, 0, 0 },
	{ "but one that is limited for long after that has another limit", 3,
	  { { 1, 2, 0, 6, 40, 40, 0, 0.9 }, { 1, 3, 0, 10, 30, 30, 0, 0.9 },
	    { 1, 4, 0, 5, 35, 35, 0, 0.9 } }, 1, 100, 3, 30 },
};

static void test_scenes(void)
{
	struct hbp_news *updates;
	struct hbp_error err;
	struct hbp_input *in;
	size_t i, n;

	in = star();
	for (i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
		const struct scene *s = &scenes[i];

		if (hbp_update_platform(in->platform, s->seen, s->lanes, &updates, &n, &err))
			tap_bail_out("%s", err.text);
		if (!ok(n == s->links &&
			(!n || near(told(updates, n, s->from, s->to), s->mbps, EXACT)),
			"%s", s->name) && n)
			printf("# %zu links, %u to %u: %g\n", n, updates[0].from,
			       updates[0].to, updates[0].mbps);
		free(updates);
	}
	hbp_input_free(in);
}

static void test_refusals(void)
{
	static const struct hbp_seen stranger = { 1, 9, 0, 10, 10, 10, 0, 1 };
	static const struct hbp_seen a_switch = { 1, 100, 0, 10, 10, 10, 0, 1 };
	static const struct hbp_seen cut = { 1, 2, 0, 10, 10, 10, 0, 1 };
	struct hbp_news *updates;
	struct hbp_error err;
	struct hbp_input *in;
	size_t n;

	in = star();
	is_refused(hbp_update_platform(in->platform, &stranger, 1, &updates, &n, &err), &err,
		   "a lane to a stranger",
		   "node 9 has a lane but is no host of the platform: it is one of other nodes; measure again, or choose the right file");
	free(updates);
	is_refused(hbp_update_platform(in->platform, &a_switch, 1, &updates, &n, &err), &err,
		   "a lane to a switch",
		   "node 100 has a lane but is no host of the platform: it is one of other nodes; measure again, or choose the right file");
	free(updates);
	hbp_input_free(in);
	in = make_input("{'hbcast':'platform','version':1,\n"
			"'nodes':[{'id':1,'kind':'host'},{'id':2,'kind':'host'}],\n"
			"'links':[{'from':2,'to':1,'bandwidth_mbps':1,'latency_us':1}]}");
	is_refused(hbp_update_platform(in->platform, &cut, 1, &updates, &n, &err), &err,
		   "a lane where no link is",
		   "a lane leads from node 1 to node 2, but no links of the platform do: measure again");
	free(updates);
	hbp_input_free(in);
}

static void test_costs(void)
{
	static const struct hbp_seen alone = { 1, 2, 0, 10, 20, 20, 0, 1 };
	static const struct hbp_seen both[] = {
		{ 1, 2, 0, 10, 20, 20, 0, 1 }, { 1, 3, 0, 10, 60, 60, 0, 1 }
	};
	struct hbp_input *in = make_input("{'hbcast':'costs','version':1,\n"
					   "'nodes':[{'id':1},{'id':2},{'id':3}],\n"
					   "'latency_us':[[0,1,1],[1,0,null],[1,1,0]],\n"
					   "'bandwidth_mbps':[[null,50,50],[50,null,null],\n"
					   "[50,50,null]]}");
	static const struct hbp_seen cut = { 2, 3, 0, 10, 20, 20, 0, 1 };
	static const struct hbp_seen later[] = {
		{ 1, 2, 20, 30, 40, 0, 0, 0 }, { 1, 2, 0, 10, 20, 20, 0, 1 },
		{ 1, 2, 20, 30, 40, 0, 0, 0 }
	};
	static const struct hbp_seen known = { 1, 2, 0, 10, 50, 50, 0, 1 };
	struct hbp_news *updates;
	struct hbp_error err;
	size_t i, n;

	if (hbp_update_costs(in->costs, &alone, 1, &updates, &n, &err))
		tap_bail_out("%s", err.text);
	ok(n == 1 && near(told(updates, n, 1, 2), 20, EXACT),
	   "a pair alone carries what it has got");
	free(updates);
	if (hbp_update_costs(in->costs, both, 2, &updates, &n, &err))
		tap_bail_out("%s", err.text);
	ok(n == 1 && near(told(updates, n, 1, 3), 60, EXACT),
	   "pairs that may share something carry what they got, or more");
	free(updates);
	for (i = 0; i < 2; i++) {
		if (hbp_update_costs(in->costs, &later[i], 2, &updates, &n, &err))
			tap_bail_out("%s", err.text);
		ok(n == 1 && near(told(updates, n, 1, 2), 40, EXACT),
		   "no pair carries less than was seen of it, told %s", i ? "last" : "first");
		free(updates);
	}
	if (hbp_update_costs(in->costs, &known, 1, &updates, &n, &err))
		tap_bail_out("%s", err.text);
	ok(n == 1 && near(told(updates, n, 1, 2), 50, EXACT),
	   "a pair that is full as known is known anew");
	free(updates);
	is_refused(hbp_update_costs(in->costs, &cut, 1, &updates, &n, &err), &err,
		   "a lane where the matrix has no link",
		   "a lane leads from node 2 to node 3, but the matrix has no link there: measure again");
	free(updates);
	hbp_input_free(in);
}

static void check_text(const char *name, const json_t *root, const char *text)
{
	char *want = quoted(text);

	ok(text_is("JSON", json_dumps(root, JSON_COMPACT), want), "%s", name);
	free(want);
}

static void test_json(void)
{
	const struct hbp_news update = { 1, 2, 100, 25, 3, 0 };
	char *platform = quoted("{'links':[{'from':2,'to':1,'bandwidth_mbps':100,\n"
				"'symmetric':true,'x':1},{'from':3,'to':1}]}");
	char *costs = quoted("{'nodes':[{'id':2},{'id':1}],'bandwidth_mbps':[[0,5],[6,0]]}");
	json_t *root = json_loads(platform, 0, NULL);

	hbp_news_json(root, &update, "T");
	check_text("a symmetric link of which one direction differs", root,
		   "{'links':[{'from':2,'to':1,'bandwidth_mbps':100,'x':1},{'from':1,'to':2,'bandwidth_mbps':25.0,'x':1,'measured':{'bandwidth_method':'broadcast','bandwidth_time':'T','bandwidth_tests':3}},{'from':3,'to':1}]}");
	json_decref(root);
	root = json_loads(costs, 0, NULL);
	hbp_news_json(root, &update, "T");
	check_text("an entry of a matrix, whose nodes are in any order", root,
		   "{'nodes':[{'id':2},{'id':1}],'bandwidth_mbps':[[0,5],[25.0,0]],'measured':{'bandwidth_method':'broadcast','bandwidth_time':'T','bandwidth_tests':3}}");
	json_decref(root);
	free(platform);
	free(costs);
}

/* Somebody else has written the file since it was read. */
static void test_gone(void)
{
	static const char *const texts[] = {
		"{'links':[{'from':2,'to':1,'bandwidth_mbps':100}]}",
		"{'nodes':[{'id':3},{'id':1}],'bandwidth_mbps':[[0,5],[6,0]]}",
	};
	struct hbp_error err;
	size_t i, n;

	for (i = 0; i < 2; i++) {
		struct hbp_news update = { 1, 2, 100, 25, 3, 0 };
		char path[] = "/tmp/hbcast-update-XXXXXX";
		char *text = quoted(texts[i]), sentence[200];
		FILE *f = fdopen(mkstemp(path), "w");

		fputs(text, f);
		fclose(f);
		n = 1;
		snprintf(sentence, sizeof(sentence),
			 "%s: the bandwidth from 1 to 2 is not there any more: look whether somebody else has written the file",
			 path);
		is_refused(hbp_news_save(&update, &n, path, &err), &err,
			   i ? "a pair that has gone" : "a link that has gone", sentence);
		unlink(path);
		free(text);
	}
}

static void test_times(void)
{
	static const char *const bad[] = {
		"2026-01-31T12:00:00.Z", "2026-01-31T12:00:00.5", "2026-01-31T12:00:00.5+1",
		"2026-01-31T12:00.5Z", "2026-01-31T12:00:00", "", ".5Z", "2026-01-31T12:00:00.5ZZ",
	};
	char text[HBP_STAMP_LEN];
	double s, whole = 0;
	size_t i, n = 0;

	/* 31 January 2026 is day 20484 since 1970. */
	ok(hbp_stamp_seconds("2026-01-31T12:00:00Z", &s) && s == 20484 * 86400.0 + 43200,
	   "a time in whole seconds");
	ok(hbp_stamp_seconds("2026-01-31T12:00:00.250000Z", &s) &&
	   s == 20484 * 86400.0 + 43200.25, "and one with a fraction");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		n += hbp_stamp_seconds(bad[i], &s);
	ok(!n && !hbp_stamp_seconds(NULL, &s), "what is no time is not taken for one");
	whole = (double)time(NULL);
	hbp_stamp_now(text);
	ok(hbp_stamp_seconds(text, &s) && s >= whole && s < whole + 60, "now is told so, too");
}

int main(void)
{
	test_scenes();
	test_refusals();
	test_costs();
	test_times();
	test_json();
	test_gone();
	return tap_done();
}
