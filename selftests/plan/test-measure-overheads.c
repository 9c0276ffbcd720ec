// SPDX-License-Identifier: GPL-2.0-or-later
/* For how long hosts are busy with a message, found by bursts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "measure/record.h"
#include "truth.h"

/*
 * A message takes 0.7 us on a link, and 65.6 us on that of host 5. Host 2 is slow to
 * receive, host 3 is slow to send, and nobody sends fast enough for host 4.
 */
#define BUSY \
	"{'hbcast':'platform','version':1,'nodes':[" \
	"{'id':1,'kind':'host','send_overhead_us':5,'recv_overhead_us':8}," \
	"{'id':2,'kind':'host','send_overhead_us':5,'recv_overhead_us':40}," \
	"{'id':3,'kind':'host','send_overhead_us':60,'recv_overhead_us':8}," \
	"{'id':4,'kind':'host','send_overhead_us':10,'recv_overhead_us':3}," \
	"{'id':5,'kind':'host','send_overhead_us':5,'recv_overhead_us':8}," \
	"{'id':9,'kind':'switch'}],'links':[" \
	"{'from':1,'to':9,'bandwidth_mbps':1000,'latency_us':20,'symmetric':true}," \
	"{'from':2,'to':9,'bandwidth_mbps':1000,'latency_us':20,'symmetric':true}," \
	"{'from':3,'to':9,'bandwidth_mbps':1000,'latency_us':20,'symmetric':true}," \
	"{'from':4,'to':9,'bandwidth_mbps':1000,'latency_us':20,'symmetric':true}," \
	"{'from':5,'to':9,'bandwidth_mbps':10,'latency_us':20,'symmetric':true}]}"
#define BUSY_HOSTS	5

static bool busy(const struct hbp_inferred *found, const double *send, const double *recv,
		 double part)
{
	bool good = true;
	size_t i;

	for (i = 0; i < BUSY_HOSTS; i++)
		good = good && near(found->overheads[i].send.us, send[i], part) &&
		       near(found->overheads[i].recv.us, recv[i], part);
	return good;
}

static void test_overheads(void)
{
	static const double send[BUSY_HOSTS] = { 5, 5, 60, 10, 5 };
	static const double recv[BUSY_HOSTS] = { 8, 40, 8, 5, 5 };
	static struct truth t;
	struct hbp_input *in = make_input(BUSY);
	struct hbp_inferred found;
	uint64_t seed;
	size_t i, right = 0;
	bool good = true;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(busy(&found, send, recv, 0.0001), "overheads: of slow senders and receivers");
	for (i = 0; i < BUSY_HOSTS; i++)
		good = good && found.overheads[i].recv.kept_up == (i >= 3) &&
		       !found.overheads[i].send.kept_up;
	ok(good, "and who keeps up with those that send to it");
	ok(t.burst_rounds == 24, "overheads: in 24 rounds");
	hbp_inferred_clear(&found);
	for (seed = 1; seed <= 100; seed++) {
		truth_begin(&t, in, seed);
		t.noise = 0.01;
		truth_find(&t, &found);
		right += busy(&found, send, recv, 0.05);
		hbp_inferred_clear(&found);
	}
	ok(right >= 98, "overheads: some bursts are disturbed, and all others 1 %% off");
	hbp_input_free(in);
}

/* Who takes as long to receive as to send cannot be told from who takes less. */
static void test_overheads_alike(void)
{
	static const double five[BUSY_HOSTS] = { 5, 5, 5, 5, 5 };
	static struct truth t;
	struct hbp_input *in = make_input(BUSY);
	struct hbp_inferred found;
	size_t i;

	for (i = 0; i < in->platform->n; i++) {
		in->platform->nodes[i].send_overhead_ns = 5000;
		in->platform->nodes[i].recv_overhead_ns = 5000;
	}
	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	ok(busy(&found, five, five, 0.0001), "overheads: all are alike");
	ok(found.overheads[0].recv.kept_up && found.overheads[4].recv.kept_up,
	   "and may receive faster than they send");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

static void test_overheads_faults(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(BUSY);
	struct hbp_inferred found;
	const struct hbp_overheads *of;
	size_t flows;

	truth_begin(&t, in, 1);
	t.liar = 1;
	truth_find(&t, &found);
	of = found.overheads;
	ok(near(of[0].send.us, 5, 0.01) && near(of[0].recv.us, 8, 0.01) &&
	   near(of[3].send.us, 10, 0.01) && of[3].recv.us < 5.01 && of[4].recv.us < 5.01,
	   "overheads: a host that says ten times as much makes nobody else slower");
	hbp_inferred_clear(&found);
	flows = t.calls - t.burst_rounds;
	truth_begin(&t, in, 1);
	t.last = flows + 1;
	truth_find(&t, &found);
	of = found.overheads;
	ok(!found.complete && of[0].send.bursts == 1 && !of[0].recv.bursts &&
	   !of[1].send.bursts && of[1].recv.bursts == 1,
	   "overheads: ended after the first round, which is kept");
	hbp_inferred_clear(&found);
	truth_begin(&t, in, 1);
	t.dead = 0;
	truth_find(&t, &found);
	ok(found.n_lost == 1 && near(found.overheads[0].recv.us, 40, 0.01) &&
	   near(found.overheads[1].send.us, 60, 0.01), "overheads: without a dead host");
	hbp_inferred_clear(&found);
	hbp_input_free(in);
}

/* The fastest to receive has the message first, and the slowest last. */
static void test_overheads_plan(void)
{
	static struct truth t;
	struct hbp_input *in = make_input(BUSY), *guess, *bare = make_input(BUSY);
	struct hbp_inferred found;
	struct hbp_plan *plan;
	size_t i;

	for (i = 0; i < bare->platform->n; i++) {
		bare->platform->nodes[i].send_overhead_ns = 0;
		bare->platform->nodes[i].recv_overhead_ns = 0;
	}
	plan = make_plan(bare, "ecef", 1, 1000);
	ok(edges_are(plan, "1-2 1-3 1-5 2-4"), "ecef: a plan without overheads");
	hbp_plan_free(plan);
	plan = make_plan(in, "ecef", 1, 1000);
	ok(edges_are(plan, "1-4 1-3 1-5 4-2"), "ecef: with those of the truth");
	hbp_plan_free(plan);
	truth_begin(&t, in, 1);
	t.noise = 0.005;
	truth_find(&t, &found);
	guess = input_of(&found);
	plan = make_plan(guess, "ecef", 1, 1000);
	ok(edges_are(plan, "1-4 1-3 1-5 4-2"), "ecef: with those that were found");
	hbp_plan_free(plan);
	hbp_inferred_clear(&found);
	hbp_input_free(guess);
	hbp_input_free(bare);
	hbp_input_free(in);
}

static void test_overheads_record(void)
{
	const char *times[64] = { NULL };
	static struct truth t;
	struct hbp_input *in = make_input(BUSY), *again;
	struct hbp_record record = { .n_times = 64, .times = times };
	struct hbp_inferred found;
	struct hbp_error err;
	char *text;

	truth_begin(&t, in, 1);
	truth_find(&t, &found);
	times[found.rounds + found.overheads[2].send.round] = "2026-01-01T00:00:02Z";
	record.inferred = &found;
	text = hbp_record_text(&record, &err);
	if (!text || hbp_input_parse(text, strlen(text), "record", NULL, &again, &err))
		tap_bail_out("%s", err.text);
	ok(again->platform->nodes[1].recv_overhead_ns == 40000 &&
	   again->platform->nodes[2].send_overhead_ns == 60000,
	   "overheads: read from a record");
	ok(strstr(text, "\"send_overhead_method\": \"bursts\"") &&
	   strstr(text, "\"recv_overhead_method\": \"keeps-up\"") &&
	   strstr(text, "\"send_overhead_tests\": 3") &&
	   strstr(text, "\"send_overhead_time\": \"2026-01-01T00:00:02Z\""),
	   "which tells how and when they were found");
	free(text);
	hbp_inferred_clear(&found);
	hbp_input_free(again);
	hbp_input_free(in);
}

int main(void)
{
	test_overheads();
	test_overheads_alike();
	test_overheads_faults();
	test_overheads_plan();
	test_overheads_record();
	return tap_done();
}
