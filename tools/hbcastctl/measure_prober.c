// SPDX-License-Identifier: GPL-2.0-or-later
/* What the inference asks of a network, by rounds of the kernel's. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "measure/overheads.h"
#include "measure_prober.h"
#include "output.h"
#include "stamp.h"

/* Round trips: of a pair, at most so many; of a node at once; and how long. */
#define TRIPS		40
#define TRIPS_AT_ONCE	8
#define TRIPS_MS	15000
/* Flows go on for so long at most; those whose figures matter for this at least. */
#define FLOWS_MS	1000
#define LONGER_MS	1600
#define LEAST_S		0.7
/* Flows that keep to rates, for so long; less if they had all of them for half of the time. */
#define RATES_MS	4000
#define RATES_LEAST_S	1.4
/* Rates may fill links; samples more often would be a few per cent of a slow one. */
#define RATES_EVERY_MS	250
/*
 * Or until a test has filled its links for so long. To be told to end takes up to 0.1 s more;
 * both are 100 MB for each Gbit/s.
 */
#define SPENT_S		0.75
/*
 * So many messages are a burst: TCP sends no more before the first of them is acknowledged,
 * and others would wait for that.
 */
#define BURST		10
#define BURSTS_MS	3000
/* Who says that less than this part of what was sent has come, is believed. */
#define CAME		0.7

/**
 * struct settling - when flows may end
 * @p: the prober
 * @flows: the flows
 * @least_s: not before
 */
struct settling {
	struct hbmeas_prober *p;
	const struct hbp_flow *flows;
	double least_s;
};

/**
 * struct keeping - when flows have kept their rates
 * @flows: the flows
 * @enough: whether that is what was asked for, once the answers are filled in
 * @of: for it
 */
struct keeping {
	struct hbp_flow *flows;
	bool (*enough)(void *of);
	void *of;
};

static void note_time(struct hbmeas_prober *p)
{
	char text[HBP_STAMP_LEN];

	hbp_stamp_text(time(NULL), text);
	p->times = realloc(p->times, (p->n_times + 1) * sizeof(*p->times));
	if (!p->times)
		abort();
	p->times[p->n_times] = strdup(text);
	if (!p->times[p->n_times++])
		abort();
}

/* Some trips whose nodes have not much else to do now. */
static size_t choose_trips(struct hbmeas_prober *p, const struct hbp_trip *trips, size_t n,
			   bool *done, struct hbmeas_task *tasks, size_t *which)
{
	unsigned int *load = calloc(p->rounds->n, sizeof(*load));
	size_t i, k = 0;

	if (!load)
		abort();
	for (i = 0; i < n && k < HBCAST_TASKS_MAX; i++) {
		if (done[i] || load[trips[i].from] >= TRIPS_AT_ONCE ||
		    load[trips[i].to] >= TRIPS_AT_ONCE)
			continue;
		load[trips[i].from]++;
		load[trips[i].to]++;
		done[i] = true;
		which[k] = i;
		tasks[k++] = (struct hbmeas_task){
			.kind = HBCAST_TASK_TRIP, .from = trips[i].from, .to = trips[i].to,
			.count = TRIPS,
		};
	}
	free(load);
	return k;
}

static void take_trip(struct hbmeas_prober *p, const struct hbmeas_task *task,
		      struct hbp_trip *trip)
{
	size_t n = p->rounds->n;

	if (!task->done || task->first <= 0)
		return;
	trip->least_us = task->first / 1000;
	trip->noise_us = task->second / 1000;
	p->rtt_us[trip->from * n + trip->to] = trip->least_us;
	p->rtt_us[trip->to * n + trip->from] = trip->least_us;
}

static int end_with(struct hbmeas_prober *p, int ret)
{
	p->failed = p->failed || ret == -EIO;
	return ret;
}

static int time_trips(void *arg, struct hbp_trip *trips, size_t n)
{
	struct hbmeas_prober *p = arg;
	struct hbmeas_task *tasks = calloc(n, sizeof(*tasks));
	size_t *which = calloc(n, sizeof(*which)), i, k, done_n = 0;
	bool *done = calloc(n, sizeof(*done));
	int ret = 0;

	if (!tasks || !which || !done)
		abort();
	while (!ret && (k = choose_trips(p, trips, n, done, tasks, which))) {
		ret = hbmeas_run(p->rounds, tasks, k, TRIPS_MS, 0, NULL, NULL);
		for (i = 0; i < k; i++) {
			take_trip(p, &tasks[i], &trips[which[i]]);
			hbmeas_task_clear(&tasks[i]);
		}
		done_n += k;
		hbout_progress(p->rounds->ctl, "round trips", done_n, n);
	}
	hbout_progress_end(p->rounds->ctl);
	note_time(p);
	p->trips_over = hbclock_now();
	free(tasks);
	free(which);
	free(done);
	return end_with(p, ret);
}

static double longest_rtt(const struct hbmeas_prober *p, const struct hbmeas_task *tasks,
			  size_t n)
{
	double rtt, most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		rtt = p->rtt_us[tasks[i].from * p->rounds->n + tasks[i].to];
		if (rtt > most)
			most = rtt;
	}
	return most / 1e6;
}

/* The flows of the test that begins at one of them: how many. */
static size_t test_size(const struct hbp_flow *flows, size_t n, size_t first)
{
	size_t i;

	for (i = first; i < n && flows[i].test == flows[first].test; i++)
		;
	return i - first;
}

/* How the flows have grown, in the senders' words; to be freed. */
static struct hbp_growth *sent_of(const struct hbmeas_task *tasks, size_t n)
{
	struct hbp_growth *flows = calloc(n, sizeof(*flows));
	size_t i;

	if (!flows)
		abort();
	for (i = 0; i < n; i++)
		flows[i] = tasks[i].sent;
	return flows;
}

/* How far the flows of a test are; whether they may end. */
static bool settle(const struct hbmeas_prober *p, const struct hbmeas_task *tasks, size_t n,
		   struct hbp_settling *settling)
{
	struct hbp_growth *flows = sent_of(tasks, n);
	bool settled;

	settling->rtt_s = longest_rtt(p, tasks, n);
	settled = hbp_settle(flows, n, settling);
	free(flows);
	return settled || settling->spent_s >= SPENT_S;
}

/* All that can begin have begun. */
static bool have_begun(const struct hbmeas_task *tasks, size_t n)
{
	size_t i;

	for (i = 0; i < n && tasks[i].sent.n; i++)
		;
	return i == n;
}

static bool are_settled(const struct hbmeas_task *tasks, size_t n, void *arg)
{
	const struct settling *s = arg;
	struct hbp_settling settling = { .least_s = s->least_s };
	size_t i;

	if (!have_begun(tasks, n))
		return false;
	for (i = 0; i < n; i += test_size(s->flows, n, i))
		if (!settle(s->p, &tasks[i], test_size(s->flows, n, i), &settling))
			return false;
	return true;
}

/* The sender may know of more than has come, or say so. */
static void take_flow(const struct hbmeas_task *task, const struct hbp_settling *settling,
		      struct hbp_flow *flow)
{
	double sent = hbp_growth_bytes(&task->sent);
	double received = hbp_growth_bytes(&task->received);

	flow->sent_mbps = hbp_growth_mbps(&task->sent, settling->from_s, settling->to_s);
	flow->received_mbps = flow->sent_mbps;
	flow->looked_s = settling->to_s - settling->from_s;
	if (received < CAME * sent)
		flow->received_mbps = received > 0 ? flow->sent_mbps * received / sent : 0;
}

/* What came of one test, since its flows have settled. */
static void take_test(const struct hbmeas_prober *p, const struct hbmeas_task *tasks,
		      struct hbp_flow *flows, size_t n)
{
	struct hbp_settling settling = { };
	size_t i;

	settle(p, tasks, n, &settling);
	for (i = 0; i < n; i++)
		take_flow(&tasks[i], &settling, &flows[i]);
}

/* The least that is not 0 is a rate, too. */
static uint32_t kbits_of(double mbps)
{
	return mbps > 0 ? (uint32_t)fmin(fmax(mbps * 1000, 1), UINT32_MAX) : 0;
}

/* What came of all in the second half of the time: until when. */
static double take_rates(const struct hbmeas_task *tasks, struct hbp_flow *flows, size_t n)
{
	struct hbp_growth *sent = sent_of(tasks, n);
	struct hbp_settling half = { .to_s = hbp_growth_until(sent, n) };
	size_t i;

	half.from_s = half.to_s / 2;
	for (i = 0; i < n; i++)
		take_flow(&tasks[i], &half, &flows[i]);
	free(sent);
	return half.to_s;
}

static bool have_kept(const struct hbmeas_task *tasks, size_t n, void *arg)
{
	const struct keeping *k = arg;

	return have_begun(tasks, n) && take_rates(tasks, k->flows, n) >= RATES_LEAST_S &&
	       k->enough(k->of);
}

static struct hbmeas_task *flow_tasks(const struct hbp_flow *flows, size_t n)
{
	struct hbmeas_task *tasks = calloc(n, sizeof(*tasks));
	size_t i;

	if (!tasks)
		abort();
	for (i = 0; i < n; i++)
		tasks[i] = (struct hbmeas_task){
			.kind = HBCAST_TASK_FLOW, .from = flows[i].from, .to = flows[i].to,
			.rate_kbits = kbits_of(flows[i].rate_mbps),
		};
	return tasks;
}

static void free_tasks(struct hbmeas_task *tasks, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		hbmeas_task_clear(&tasks[i]);
	free(tasks);
}

/* A round of flows, none of them from or to a node that has gone. */
static int run_flows(struct hbmeas_prober *p, struct hbp_flow *flows, size_t n, bool longer)
{
	struct hbmeas_task *tasks = flow_tasks(flows, n);
	struct settling s = {
		.p = p, .flows = flows, .least_s = longer ? LEAST_S : 0
	};
	size_t i;
	int ret;

	ret = hbmeas_run(p->rounds, tasks, n, longer ? LONGER_MS : FLOWS_MS, 0, are_settled,
			 &s);
	for (i = 0; !ret && i < n; i += test_size(flows, n, i))
		take_test(p, &tasks[i], &flows[i], test_size(flows, n, i));
	free_tasks(tasks, n);
	return ret;
}

/* The rounds that are left take as long as those that were. */
static void show_progress(struct hbmeas_prober *p)
{
	size_t done = p->n_times - 1, left;
	char label[40];

	if (p->expected < done)
		p->expected = done;
	left = p->expected - done;
	snprintf(label, sizeof(label), "rates, about %.0f s left",
		 (double)(hbclock_now() - p->trips_over) / 1e9 / done * left);
	hbout_progress(p->rounds->ctl, label, done, p->expected);
}

static int keep_rates(void *arg, struct hbp_flow *flows, size_t n, bool (*enough)(void *of),
		      void *of)
{
	struct keeping k = { .flows = flows, .enough = enough, .of = of };
	struct hbmeas_task *tasks = flow_tasks(flows, n);
	struct hbmeas_prober *p = arg;
	int ret;

	ret = hbmeas_run(p->rounds, tasks, n, RATES_MS, RATES_EVERY_MS, have_kept, &k);
	if (!ret)
		take_rates(tasks, flows, n);
	free_tasks(tasks, n);
	note_time(p);
	show_progress(p);
	return end_with(p, ret);
}

static bool has_gone(const struct hbmeas_prober *p, size_t from, size_t to)
{
	return hbmeas_node_gone(&p->rounds->nodes[from]) ||
	       hbmeas_node_gone(&p->rounds->nodes[to]);
}

static int let_flow(void *arg, struct hbp_flow *flows, size_t n, bool longer)
{
	struct hbmeas_prober *p = arg;
	struct hbp_flow *left = calloc(n, sizeof(*left));
	size_t i, k = 0;
	int ret = 0;

	if (!left)
		abort();
	for (i = 0; i < n; i++)
		if (!has_gone(p, flows[i].from, flows[i].to))
			left[k++] = flows[i];
	if (k)
		ret = run_flows(p, left, k, longer);
	/* It may have gone just now, but not come back. */
	for (i = 0, k = 0; i < n; i++)
		if (k < n && left[k].from == flows[i].from && left[k].to == flows[i].to &&
		    left[k].test == flows[i].test)
			flows[i] = left[k++];
	free(left);
	note_time(p);
	show_progress(p);
	return end_with(p, ret);
}

static void take_burst(const struct hbmeas_task *task, struct hbp_burst *burst)
{
	if (!task->done)
		return;
	burst->sent_us = task->first / 1000 / BURST;
	burst->arrived_us = task->second / 1000 / (BURST - 1);
}

static int time_bursts(void *arg, struct hbp_burst *bursts, size_t n)
{
	struct hbmeas_prober *p = arg;
	struct hbmeas_task *tasks = calloc(n, sizeof(*tasks));
	size_t *which = calloc(n, sizeof(*which)), i, k = 0;
	int ret = 0;

	if (!tasks || !which)
		abort();
	for (i = 0; i < n; i++) {
		if (has_gone(p, bursts[i].from, bursts[i].to))
			continue;
		which[k] = i;
		tasks[k++] = (struct hbmeas_task){
			.kind = HBCAST_TASK_BURST, .from = bursts[i].from,
			.to = bursts[i].to, .count = BURST,
		};
	}
	if (k)
		ret = hbmeas_run(p->rounds, tasks, k, BURSTS_MS, 0, NULL, NULL);
	for (i = 0; i < k; i++) {
		take_burst(&tasks[i], &bursts[which[i]]);
		hbmeas_task_clear(&tasks[i]);
	}
	free(tasks);
	free(which);
	note_time(p);
	hbout_progress(p->rounds->ctl, "overheads", ++p->n_bursts, HBP_OVERHEADS_ROUNDS);
	return end_with(p, ret);
}

/**
 * hbmeas_prober() - a network for the inference
 * @p: what it is asked by; valid as long as the prober is used
 *
 * Return: the prober; hosts are the nodes of @p->rounds, in their order.
 */
struct hbp_prober hbmeas_prober(struct hbmeas_prober *p)
{
	size_t i, n = p->rounds->n;

	p->rtt_us = calloc(n * n, sizeof(*p->rtt_us));
	if (!p->rtt_us)
		abort();
	for (i = 0; i < n * n; i++)
		p->rtt_us[i] = NAN;
	return (struct hbp_prober){
		.arg = p, .trips = time_trips, .flows = let_flow, .rates = keep_rates,
		.bursts = time_bursts
	};
}

/**
 * hbmeas_prober_clear() - release what has been noted
 * @p: from hbmeas_prober()
 */
void hbmeas_prober_clear(struct hbmeas_prober *p)
{
	size_t i;

	for (i = 0; i < p->n_times; i++)
		free(p->times[i]);
	free(p->times);
	free(p->rtt_us);
}
