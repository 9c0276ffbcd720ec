// SPDX-License-Identifier: GPL-2.0
/* A node's part in a round: tasks that begin at once, and how they are. */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "config/group.h"
#include "config/node.h"
#include "probe/round.h"
#include "probe/serve.h"
#include "probe/task.h"
#include "session/session.h"

#define HBC_PROBE_SAMPLE_MS	25U	/* from one sample to the next, if nobody says */

/**
 * struct hbc_probe_part - a task as one end of it has it
 * @from: who sends
 * @flow: it is a flow
 * @task: the task, if this node sends; a reference
 * @inflow: the probe that brings it, if this node receives; a reference, NULL before
 *	it has come
 * @figure: how it was when it was looked at last
 */
struct hbc_probe_part {
	u32 from;
	bool flow;
	struct hbc_probe_task *task;
	struct hbc_probe *inflow;
	struct hbc_wire_figure figure;
};

/* A node has one round at a time, so that none spoils another one's figures. */
static bool hbc_probe_round_take(struct hbc_probe_round *round)
{
	struct hbc_net *hn = round->control->hn;
	bool mine;

	spin_lock(&hn->probes_lock);
	mine = !hn->probe_round || hn->probe_round == round;
	if (mine)
		hn->probe_round = round;
	spin_unlock(&hn->probes_lock);
	return mine;
}

static void hbc_probe_round_give(struct hbc_probe_round *round)
{
	struct hbc_net *hn = round->control->hn;

	spin_lock(&hn->probes_lock);
	if (hn->probe_round == round)
		hn->probe_round = NULL;
	spin_unlock(&hn->probes_lock);
}

/* All that goes on for it ends; figures stay. */
static void hbc_probe_round_end(struct hbc_probe_round *round)
{
	struct hbc_probe_part *part;
	unsigned int i;

	for (i = 0; i < round->count; i++) {
		part = &round->parts[i];
		if (part->task)
			hbc_probe_end(&part->task->probe);
		if (part->inflow)
			hbc_probe_end(part->inflow);
	}
	hbc_probe_round_give(round);
}

void hbc_probe_round_clear(struct hbc_probe_round *round)
{
	unsigned int i;

	hbc_probe_round_end(round);
	for (i = 0; i < round->count; i++) {
		if (round->parts[i].task)
			hbc_probe_put(&round->parts[i].task->probe);
		if (round->parts[i].inflow)
			hbc_probe_put(round->parts[i].inflow);
	}
	kvfree(round->parts);
	round->parts = NULL;
	round->count = 0;
	round->id = 0;
}

static void hbc_probe_part_fail(struct hbc_probe_part *part, int err)
{
	part->figure.state = HBC_TASK_FAILED;
	part->figure.error = min(-err, U8_MAX);
}

/* Whether a broadcast goes on at this node, as its root or below. */
static bool hbc_probe_broadcast(struct hbc_net *hn)
{
	const struct hbc_group *group;
	struct hbc_session *s;
	bool busy = false;

	mutex_lock(&hn->lock);
	list_for_each_entry(group, &hn->groups, link)
		list_for_each_entry(s, &group->sessions, link)
			busy |= hbc_session_busy(s);
	mutex_unlock(&hn->lock);
	return busy;
}

static enum hbc_sample_status hbc_probe_round_judge(struct hbc_probe_round *round, bool anyway)
{
	if (!anyway && hbc_probe_broadcast(round->control->hn))
		return HBC_SAMPLE_BROADCAST;
	return hbc_probe_round_take(round) ? HBC_SAMPLE_RUNNING : HBC_SAMPLE_BUSY;
}

/* All tasks are read before one of them begins. */
static int hbc_probe_round_read(struct hbc_probe_round *round, const struct hbc_wire_task *task)
{
	u32 id = READ_ONCE(round->control->hn->id);
	struct hbc_probe_part *part;
	unsigned int i;

	for (i = 0; i < round->count; i++, task++) {
		part = &round->parts[i];
		part->from = be32_to_cpu(task->from);
		if (part->from != id && be32_to_cpu(task->to) != id)
			return -EBADMSG;
		part->flow = task->kind == HBC_TASK_FLOW;
		part->figure.index = task->index;
		part->figure.receives = part->from != id;
	}
	return 0;
}

/*
 * What each flow may send at most, in bytes/s of payload; 0 for as much as it asks for.
 * Flows whose rates fit into the group's limit together keep them; others get equal parts.
 */
static u64 hbc_probe_round_limit(const struct hbc_probe_round *round,
				 const struct hbc_wire_task *tasks)
{
	u64 all = READ_ONCE(round->control->group->config.probe_rate), kbit = 0;
	unsigned int i, flows = 0;
	bool fit = true;

	for (i = 0; i < round->count; i++) {
		if (round->parts[i].figure.receives || !round->parts[i].flow)
			continue;
		flows++;
		kbit += be32_to_cpu(tasks[i].rate);
		fit &= !!tasks[i].rate;
	}
	if (!all || !flows || (fit && kbit * HBC_PROBE_KBIT <= all))
		return 0;
	return max(div_u64(all, flows), 1ULL);
}

static void hbc_probe_round_begin(struct hbc_probe_round *round, const struct hbc_wire_task *tasks)
{
	u64 limit = hbc_probe_round_limit(round, tasks);
	struct hbc_group *group = round->control->group;
	struct hbc_probe_task *task;
	unsigned int i;

	for (i = 0; i < round->count; i++) {
		if (round->parts[i].figure.receives)
			continue;
		task = hbc_probe_task_begin(group, round->id, &tasks[i], round->end, limit);
		if (IS_ERR(task))
			hbc_probe_part_fail(&round->parts[i], PTR_ERR(task));
		else
			round->parts[i].task = task;
	}
}

/* Before the coordinator takes it for one that is silent. */
static unsigned int hbc_probe_round_every(const struct hbc_probe_round *round, u32 every)
{
	u32 dead_ms = READ_ONCE(round->control->group->config.dead_ms);

	return min(every ?: HBC_PROBE_SAMPLE_MS, dead_ms / 2);
}

int hbc_probe_round_ask(struct hbc_probe_round *round, const struct hbc_hdr *h,
			const u8 *frame)
{
	const struct hbc_wire_ask *w = (const struct hbc_wire_ask *)frame;
	unsigned int count = hbc_wire_count(h, sizeof(*w), sizeof(w->task[0]));
	int err;

	if (be32_to_cpu(w->round) == round->id && count)
		return 0;
	hbc_probe_round_clear(round);
	round->id = be32_to_cpu(w->round);
	round->begun = ktime_get_ns();
	round->end = round->begun + be32_to_cpu(w->ms) * (u64)NSEC_PER_MSEC;
	round->every = hbc_probe_round_every(round, be32_to_cpu(w->every));
	round->status = HBC_SAMPLE_OVER;
	if (!count)
		return 0;
	round->parts = kvcalloc(count, sizeof(*round->parts), GFP_KERNEL);
	if (!round->parts)
		return -ENOMEM;
	round->count = count;
	err = hbc_probe_round_read(round, w->task);
	if (err)
		return err;
	round->status = hbc_probe_round_judge(round, h->tag & HBC_ASK_ANYWAY);
	if (round->status == HBC_SAMPLE_RUNNING)
		hbc_probe_round_begin(round, w->task);
	return 0;
}

static void hbc_probe_part_look(struct hbc_probe_round *round, struct hbc_probe_part *part)
{
	const struct hbc_probe_inflow inflow = {
		.group = round->control->group, .from = part->from, .round = round->id,
		.index = be16_to_cpu(part->figure.index),
	};

	if (part->figure.receives && !part->inflow)
		part->inflow = hbc_probe_inflow(round->control->hn, &inflow);
	if (part->task)
		hbc_probe_task_look(part->task, &part->figure);
	else if (part->inflow)
		hbc_probe_inflow_look(part->inflow, &part->figure);
	/*
	 * At once: a machine that has much to do comes back to it when more has arrived. What
	 * has ended with the round has not been idle since.
	 */
	if (part->flow)
		part->figure.value[1] = cpu_to_be64(min(ktime_get_ns(), round->end) -
						    round->begun);
}

/* Tasks end by themselves, but flows that come in end with the round. */
static bool hbc_probe_round_over(const struct hbc_probe_round *round)
{
	const struct hbc_probe_part *part;
	unsigned int i;

	if (ktime_get_ns() >= round->end)
		return true;
	for (i = 0; i < round->count; i++) {
		part = &round->parts[i];
		if (part->figure.receives || part->figure.state < HBC_TASK_DONE)
			return false;
	}
	return true;
}

/* What has not come to its end by the end of the round has not come in time. */
static void hbc_probe_round_close(struct hbc_probe_round *round)
{
	struct hbc_probe_part *part;
	unsigned int i;

	for (i = 0; i < round->count; i++) {
		part = &round->parts[i];
		if (part->figure.state == HBC_TASK_WAITING)
			hbc_probe_part_fail(part, -ETIMEDOUT);
		else if (part->figure.state == HBC_TASK_RUNNING)
			part->figure.state = HBC_TASK_DONE;
	}
	hbc_probe_round_end(round);
	round->status = HBC_SAMPLE_OVER;
}

int hbc_probe_round_tell(struct hbc_probe_round *round)
{
	unsigned int len = sizeof(struct hbc_wire_sample) +
			   round->count * sizeof(struct hbc_wire_figure), i;
	struct hbc_wire_sample *w = kvzalloc(len, GFP_KERNEL);
	int err;

	if (!w)
		return -ENOMEM;
	for (i = 0; hbc_probe_round_runs(round) && i < round->count; i++)
		hbc_probe_part_look(round, &round->parts[i]);
	w->round = cpu_to_be32(round->id);
	w->ns = cpu_to_be64(ktime_get_ns() - round->begun);
	if (hbc_probe_round_runs(round) && hbc_probe_round_over(round))
		hbc_probe_round_close(round);
	w->status = cpu_to_be16(round->status);
	for (i = 0; i < round->count; i++)
		w->figure[i] = round->parts[i].figure;
	err = hbc_probe_send(round->control, w,
			     hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE_SAMPLE, 0, len));
	/* Another one follows, unless it was the last. */
	if (err == -EAGAIN && hbc_probe_round_runs(round))
		err = 0;
	kvfree(w);
	return err;
}
