// SPDX-License-Identifier: GPL-2.0-or-later
/* A round of a measurement: tasks of nodes that begin at once, by way of the kernel. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"
#include "clock.h"
#include "json.h"
#include "measure_round.h"
#include "output.h"

#define MS		INT64_C(1000000)
/* How long a node may say nothing about a round that should be over. */
#define SILENCE_MS	5000
#define ASKS_MAX	8	/* in a round of which samples are lost again and again */
/*
 * From one try to the next while a node has no time, and as much again at random: two that try at
 * the same time would have a node each, and wait for each other for ever.
 */
#define PAUSE_MS	500
/* A node that was not reached in so many rounds in a row does not come back. */
#define MISSES		2

/**
 * struct round - one try of a round
 * @r: the rounds
 * @tasks: what is done
 * @n: how many
 * @ms: how long it goes on
 * @every: from one sample of a node to the next, in ms; 0 for what is usual
 * @settled: whether it may end before; NULL for no
 * @arg: for @settled
 * @begun: when it began, of hbclock_now()
 * @stopped: it has been told to end
 * @asked: how often it has been asked how it is, for lack of an answer
 * @missed: samples have been lost since
 * @due: when all has been said at the latest, of hbclock_now()
 */
struct round {
	struct hbmeas_rounds *r;
	struct hbmeas_task *tasks;
	size_t n;
	unsigned int ms;
	unsigned int every;
	hbmeas_settled settled;
	void *arg;
	int64_t begun;
	bool stopped;
	unsigned int asked;
	bool missed;
	int64_t due;
};

/**
 * hbmeas_task_clear() - forget what came of a task
 * @task: the task
 */
void hbmeas_task_clear(struct hbmeas_task *task)
{
	hbp_growth_clear(&task->sent);
	hbp_growth_clear(&task->received);
	task->done = false;
	task->first = NAN;
	task->second = NAN;
}

/**
 * hbmeas_node_gone() - whether a node has died meanwhile
 * @node: the node
 *
 * Return: whether rounds no longer reach it; @node->why says why.
 */
bool hbmeas_node_gone(const struct hbmeas_node *node)
{
	return node->misses >= MISSES;
}

/**
 * hbmeas_open() - get ready for rounds
 * @rounds: filled in, but for limits; to be closed whatever is returned
 * @ctl: the run
 * @group: the group's id
 * @nodes: that may have a part in them
 *
 * Return: HBCTL_OK, or HBCTL_KERNEL after the error has been reported.
 */
int hbmeas_open(struct hbmeas_rounds *rounds, struct hbctl *ctl, uint32_t group,
		const struct hbmeas_members *nodes)
{
	size_t i;
	int ret;

	rounds->ctl = ctl;
	rounds->group = group;
	rounds->n = nodes->n;
	rounds->nodes = calloc(nodes->n, sizeof(*rounds->nodes));
	if (!rounds->nodes)
		abort();
	for (i = 0; i < nodes->n; i++)
		rounds->nodes[i].id = nodes->ids[i];
	ret = hbgenl_open(ctl, &rounds->g);
	return ret ? ret : hbgenl_attend(ctl, &rounds->g);
}

/**
 * hbmeas_close() - end rounds
 * @rounds: from hbmeas_open()
 */
void hbmeas_close(struct hbmeas_rounds *rounds)
{
	hbgenl_close(&rounds->g);
	free(rounds->nodes);
}

static int start(struct round *round)
{
	struct nl_msg *msg = hbgenl_msg(&round->r->g, HBCAST_CMD_PROBE_START);
	const struct hbmeas_node *nodes = round->r->nodes;
	const struct hbmeas_task *task;
	struct nlattr *nest;
	size_t i;

	hbgenl_put_u32(msg, HBCAST_A_PROBE_GROUP, round->r->group);
	hbgenl_put_u32(msg, HBCAST_A_PROBE_ROUND, round->r->number);
	hbgenl_put_u32(msg, HBCAST_A_PROBE_MS, round->ms);
	if (round->every)
		hbgenl_put_u32(msg, HBCAST_A_PROBE_EVERY, round->every);
	if (round->r->anyway)
		hbgenl_put_flag(msg, HBCAST_A_PROBE_ANYWAY);
	for (i = 0; i < round->n; i++) {
		task = &round->tasks[i];
		nest = nla_nest_start(msg, HBCAST_A_PROBE_TASK);
		if (!nest)
			abort();
		hbgenl_put_u32(msg, HBCAST_A_TASK_KIND, task->kind);
		hbgenl_put_u32(msg, HBCAST_A_TASK_FROM, nodes[task->from].id);
		hbgenl_put_u32(msg, HBCAST_A_TASK_TO, nodes[task->to].id);
		if (task->count)
			hbgenl_put_u32(msg, HBCAST_A_TASK_COUNT, task->count);
		if (task->rate_kbits)
			hbgenl_put_u32(msg, HBCAST_A_TASK_RATE, task->rate_kbits);
		nla_nest_end(msg, nest);
	}
	return hbgenl_send(round->r->ctl, &round->r->g, msg, "a round cannot be begun");
}

static int stop(struct round *round)
{
	struct nl_msg *msg;

	if (round->stopped)
		return HBCTL_OK;
	round->stopped = true;
	msg = hbgenl_msg(&round->r->g, HBCAST_CMD_PROBE_STOP);
	hbgenl_put_u32(msg, HBCAST_A_PROBE_GROUP, round->r->group);
	return hbgenl_send(round->r->ctl, &round->r->g, msg, "a round cannot be ended");
}

static double real_of(const json_t *object, const char *key)
{
	return (double)json_integer_value(json_object_get(object, key));
}

/* Why a node is not reached: its reason, or that of the connection. */
static void note_why(struct hbmeas_node *node, const json_t *said)
{
	const char *reject = json_string_value(json_object_get(said, "reject"));
	int error = json_integer_value(json_object_get(said, "error"));

	snprintf(node->why, sizeof(node->why), "%s",
		 reject && strcmp(reject, "none") ? hbattrs_reject_means(reject) :
						    strerror(error));
}

/* What its own group does not let a node send, in its words. */
static void note_limit(struct hbmeas_node *node, const json_t *figure)
{
	if (json_is_true(json_object_get(figure, "receives")))
		return;
	if (json_integer_value(json_object_get(figure, "error")) == EDQUOT)
		node->limit = "probe-total";
	else if (!hbp_json_says(json_object_get(figure, "state"), "failed") &&
		 hbp_json_says(json_object_get(figure, "reject"), "policy"))
		node->limit = "probe-rate";
}

static void take_figure(struct round *round, const json_t *figure)
{
	size_t index = json_integer_value(json_object_get(figure, "index"));
	bool receives = json_is_true(json_object_get(figure, "receives"));
	struct hbmeas_task *task;

	if (index >= round->n || hbp_json_says(json_object_get(figure, "state"), "waiting"))
		return;
	task = &round->tasks[index];
	note_limit(&round->r->nodes[task->from], figure);
	if (hbp_json_says(json_object_get(figure, "state"), "failed") && !receives &&
	    json_integer_value(json_object_get(figure, "error")) != EDQUOT)
		note_why(&round->r->nodes[task->to], figure);
	if (task->kind != HBCAST_TASK_FLOW) {
		task->done = hbp_json_says(json_object_get(figure, "state"), "done");
		task->first = real_of(figure, "first");
		task->second = real_of(figure, "second");
	} else if (hbp_growth_add(receives ? &task->received : &task->sent,
				  real_of(figure, "second") / 1e9,
				  real_of(figure, "first"))) {
		abort();
	}
}

static void take_sample(struct round *round, const json_t *sample)
{
	uint32_t id = json_integer_value(json_object_get(sample, "node"));
	struct hbmeas_node *node;
	json_t *figure;
	size_t i;

	if (json_integer_value(json_object_get(sample, "round")) != round->r->number)
		return;
	for (i = 0; i < round->r->n && round->r->nodes[i].id != id; i++)
		;
	if (i == round->r->n)
		return;
	node = &round->r->nodes[i];
	node->over = !hbp_json_says(json_object_get(sample, "status"), "running");
	/* It stays so in this round, which is then ended and over for it. */
	if (hbp_json_says(json_object_get(sample, "status"), "busy"))
		node->waits = "it has a part in another measurement";
	else if (hbp_json_says(json_object_get(sample, "status"), "broadcast"))
		node->waits = "a broadcast goes on there";
	node->lost = hbp_json_says(json_object_get(sample, "status"), "lost");
	if (node->lost)
		note_why(node, sample);
	json_array_foreach(json_object_get(sample, "figures"), i, figure)
		take_figure(round, figure);
}

static bool is_over(const struct round *round)
{
	size_t i;

	for (i = 0; i < round->r->n; i++)
		if (round->r->nodes[i].asked && !round->r->nodes[i].over)
			return false;
	return true;
}

/* Whether some node cannot have a part in it now. */
static bool must_wait(const struct round *round)
{
	size_t i;

	for (i = 0; i < round->r->n; i++)
		if (round->r->nodes[i].asked && round->r->nodes[i].waits)
			return true;
	return false;
}

/* Asks how it is; -EIO after an error has been reported. */
static int ask_again(struct round *round)
{
	int64_t due = hbclock_now() + SILENCE_MS * MS;

	round->asked++;
	round->missed = false;
	if (round->due < due)
		round->due = due;
	return start(round) ? -EIO : 0;
}

/* All that has come; -EINTR to end it, -EIO after an error has been reported. */
static int hear(struct round *round)
{
	struct hbmeas_rounds *r = round->r;
	enum hbgenl_heard heard;
	json_t *samples, *sample;
	size_t i;

	do {
		samples = json_array();
		heard = hbgenl_events(r->ctl, &r->g, hbattrs_probe, samples);
		json_array_foreach(samples, i, sample)
			take_sample(round, sample);
		json_decref(samples);
		if (heard == HBGENL_LOST)
			round->missed = true;
		if (heard == HBGENL_LOST && !round->asked) {
			hbctl_warning(r->ctl, "samples were lost, for this program is too slow: the round is asked for again");
			if (ask_again(round))
				return -EIO;
		}
	} while (heard == HBGENL_EVENT || heard == HBGENL_LOST);
	return heard == HBGENL_FAILED ? -EIO : 0;
}

/* Asks again for what should have come, while answers are lost; then who says nothing is lost. */
static int mind_silence(struct round *round, int64_t now)
{
	struct hbmeas_node *node;
	size_t i;

	if (now < round->due)
		return 0;
	if (!round->asked || (round->missed && round->asked < ASKS_MAX))
		return ask_again(round);
	for (i = 0; i < round->r->n; i++) {
		node = &round->r->nodes[i];
		if (!node->asked || node->over)
			continue;
		node->over = true;
		node->lost = true;
		snprintf(node->why, sizeof(node->why), "it says nothing any more");
	}
	return 0;
}

/* Waits for at most so long, or until something comes: -EINTR if it is a signal. */
static int pause_for(struct hbmeas_rounds *r, int ms)
{
	struct pollfd fds[2] = {
		{ .fd = nl_socket_get_fd(r->g.sock), .events = POLLIN },
		{ .fd = r->stop.fd, .events = POLLIN },
	};

	poll(fds, 2, ms);
	return hbstop_asked(&r->stop) || (r->end && hbclock_now() >= r->end) ? -EINTR : 0;
}

static void mark_nodes(struct round *round)
{
	struct hbmeas_node *nodes = round->r->nodes;
	size_t i;

	for (i = 0; i < round->r->n; i++) {
		nodes[i].asked = false;
		nodes[i].over = false;
		nodes[i].waits = NULL;
		nodes[i].limit = NULL;
		nodes[i].lost = false;
	}
	for (i = 0; i < round->n; i++) {
		hbmeas_task_clear(&round->tasks[i]);
		nodes[round->tasks[i].from].asked = true;
		if (round->tasks[i].kind == HBCAST_TASK_FLOW)
			nodes[round->tasks[i].to].asked = true;
	}
}

static int try(struct round *round)
{
	int ret;

	round->r->number++;
	round->begun = hbclock_now();
	round->stopped = false;
	round->asked = 0;
	round->missed = false;
	round->due = round->begun + (round->ms + SILENCE_MS) * MS;
	mark_nodes(round);
	ret = start(round) ? -EIO : 0;
	while (!ret && !is_over(round)) {
		ret = pause_for(round->r, 100);
		if (!ret)
			ret = hear(round);
		if (!ret)
			ret = mind_silence(round, hbclock_now());
		if (!ret && (must_wait(round) ||
			     (round->settled &&
			      round->settled(round->tasks, round->n, round->arg))))
			ret = stop(round) ? -EIO : 0;
	}
	if (ret && ret != -EIO)
		stop(round);
	return ret;
}

/* Once is enough, for it may take long. */
static void tell_wait(struct hbmeas_rounds *r)
{
	size_t i;

	for (i = 0; i < r->n && !r->nodes[i].waits; i++)
		;
	if (r->told || i == r->n)
		return;
	r->told = true;
	hbctl_warning(r->ctl, "waiting for node %u, as %s", r->nodes[i].id, r->nodes[i].waits);
}

static void count_misses(struct hbmeas_rounds *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->nodes[i].asked)
			r->nodes[i].misses = r->nodes[i].lost ? r->nodes[i].misses + 1 : 0;
}

static void count_bytes(struct round *round)
{
	size_t i;

	for (i = 0; i < round->n; i++)
		round->r->bytes += hbp_growth_bytes(&round->tasks[i].sent);
}

/**
 * hbmeas_run() - have nodes do tasks, and hear what came of it
 * @rounds: the rounds
 * @tasks: what is to be done; each is cleared first, and to be cleared afterwards
 * @n: how many, at most HBCAST_TASKS_MAX
 * @ms: how long flows go on
 * @every: from one sample of a node to the next, in ms; 0 for what is usual
 * @settled: whether they may end before, or NULL
 * @arg: for @settled
 *
 * A round in which a node cannot have a part now is tried again until it can.
 *
 * Return: 0, also where nodes are lost; -EINTR if a signal, or a limit, ends the
 * measurement; -EIO after an error has been reported.
 */
int hbmeas_run(struct hbmeas_rounds *rounds, struct hbmeas_task *tasks, size_t n,
	       unsigned int ms, unsigned int every, hbmeas_settled settled, void *arg)
{
	struct round round = {
		.r = rounds, .tasks = tasks, .n = n, .ms = ms, .every = every,
		.settled = settled, .arg = arg,
	};
	int ret;

	/* What the round that went beyond it has brought is taken. */
	if (rounds->most_bytes > 0 && rounds->bytes >= rounds->most_bytes)
		return -EINTR;
	ret = try(&round);
	while (!ret && must_wait(&round)) {
		tell_wait(rounds);
		ret = pause_for(rounds, PAUSE_MS + (int)arc4random_uniform(PAUSE_MS));
		if (!ret)
			ret = try(&round);
	}
	count_misses(rounds);
	count_bytes(&round);
	return ret;
}
