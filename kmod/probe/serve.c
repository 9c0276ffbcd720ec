// SPDX-License-Identifier: GPL-2.0
/* The acceptor's side of probes, and a node's part in a round: tasks, and how they are. */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "config/group.h"
#include "config/node.h"
#include "lane/gauge.h"
#include "lane/lane.h"
#include "probe/probe.h"
#include "session/session.h"

#define HBC_PROBE_IDLE_MS	10000	/* who asks for nothing that long goes */
#define HBC_PROBE_SAMPLE_MS	25U	/* from one sample to the next, if nobody says */

static void hbc_probe_serve_run(struct hbc_probe *probe);

/**
 * struct hbc_probe_round - a round, as one node has it
 * @control: the probe from the coordinator, which has it; all fields are its @run's
 * @id: the coordinator's number for it; 0 before the first one
 * @status: enum hbcast_round_status
 * @begun: by ktime_get_ns()
 * @end: when it is over, likewise
 * @every: ms from one sample to the next
 * @count: of @parts
 * @parts: this node's tasks, and those that others do to it
 */
struct hbc_probe_round {
	struct hbc_probe *control;
	u32 id;
	enum hbcast_round_status status;
	u64 begun;
	u64 end;
	unsigned int every;
	unsigned int count;
	struct hbc_probe_part *parts;
};

/**
 * struct hbc_probe_part - a task as one end of it has it
 * @round: of which it is
 * @task: what is done
 * @probe: that sends it, or brings it if this node receives; a reference, NULL before there is one
 * @figure: how it was when it was looked at last
 */
struct hbc_probe_part {
	const struct hbc_probe_round *round;
	struct hbc_wire_task task;
	struct hbc_probe *probe;
	struct hbc_wire_figure figure;
};

/**
 * struct hbc_probe_served - a probe that has been accepted
 * @probe: the connection
 * @round: what the coordinator asks for; its run's
 * @since: jiffies when it was last of use: PINGs count for nothing; its run's
 * @index: of the task that it brings data of; before @data_round, which is released
 * @data_round: of which round; 0 before data has come
 * @first: when that was, by ktime_get_ns(); its run's
 * @bytes: bytes on the link that have come, once it has ended; the probe's lock
 */
struct hbc_probe_served {
	struct hbc_probe probe;
	struct hbc_probe_round round;
	unsigned long since;
	u16 index;
	u32 data_round;
	u64 first;
	u64 bytes;
};

#define hbc_probe_served(p)	container_of_const(p, struct hbc_probe_served, probe)

/* Whether it goes on. */
static bool hbc_probe_round_runs(const struct hbc_probe_round *round)
{
	return round->id && round->status == HBCAST_ROUND_RUNNING;
}

/* Flows that come in. */

/* What has come, also what waits for a segment before it that was lost. */
static u64 hbc_probe_came(struct sock *sk)
{
	struct rb_node *node;
	struct sk_buff *skb;
	u64 bytes;

	lock_sock(sk);
	bytes = tcp_sk(sk)->bytes_received;
	for (node = rb_first(&tcp_sk(sk)->out_of_order_queue); node; node = rb_next(node)) {
		skb = rb_to_skb(node);
		bytes += TCP_SKB_CB(skb)->end_seq - TCP_SKB_CB(skb)->seq;
	}
	release_sock(sk);
	return bytes;
}

static u64 hbc_probe_served_bytes(const struct hbc_probe *probe)
{
	struct sock *sk = probe->sock->sk;
	u64 bytes;
	u32 mss;

	lockdep_assert_held(&probe->lock);
	bytes = hbc_probe_came(sk);
	mss = max(READ_ONCE(tcp_sk(sk)->mss_cache), 1U);
	return hbc_gauge_on_link(probe->sock, DIV_ROUND_UP_ULL(bytes, mss), bytes);
}

static bool hbc_probe_is_inflow(const struct hbc_probe *probe, const void *arg)
{
	const struct hbc_probe_part *part = arg;
	const struct hbc_probe_served *served;

	if (probe->run != hbc_probe_serve_run || probe->peer != be32_to_cpu(part->task.from) ||
	    probe->group != part->round->control->group)
		return false;
	served = hbc_probe_served(probe);
	/* Pairs with hbc_probe_serve_data(). */
	return smp_load_acquire(&served->data_round) == part->round->id &&
	       READ_ONCE(served->index) == be16_to_cpu(part->task.index);
}

static void hbc_probe_inflow_look(struct hbc_probe *probe, struct hbc_wire_figure *figure)
{
	mutex_lock(&probe->lock);
	figure->state = probe->sock ? HBCAST_TASK_STATE_RUNNING : HBCAST_TASK_STATE_DONE;
	figure->value[0] = cpu_to_be64(probe->sock ? hbc_probe_served_bytes(probe) :
						     hbc_probe_served(probe)->bytes);
	mutex_unlock(&probe->lock);
}

/* Rounds. */

/* All that goes on for it ends; figures stay. */
static void hbc_probe_round_end(struct hbc_probe_round *round)
{
	unsigned int i;

	for (i = 0; i < round->count; i++)
		if (round->parts[i].probe)
			hbc_probe_end(round->parts[i].probe);
	cmpxchg(&round->control->hn->probe_round, round, NULL);
}

static void hbc_probe_round_clear(struct hbc_probe_round *round)
{
	unsigned int i;

	hbc_probe_round_end(round);
	for (i = 0; i < round->count; i++)
		if (round->parts[i].probe)
			hbc_probe_put(round->parts[i].probe);
	kvfree(round->parts);
	round->parts = NULL;
	round->count = 0;
	round->id = 0;
}

static void hbc_probe_part_fail(struct hbc_probe_part *part, int err)
{
	part->figure.state = HBCAST_TASK_STATE_FAILED;
	part->figure.error = min(-err, U8_MAX);
}

/* Whether a broadcast goes on at this node, as its root or below. */
static bool hbc_probe_broadcast(struct hbc_net *hn)
{
	const struct hbc_group *group;
	struct hbc_session *s;
	bool busy = false;
	unsigned long id;

	mutex_lock(&hn->lock);
	xa_for_each(&hn->groups, id, group)
		list_for_each_entry(s, &group->sessions, link)
			busy |= hbc_session_busy(s);
	mutex_unlock(&hn->lock);
	return busy;
}

/* All tasks are read before one of them begins. */
static int hbc_probe_round_read(struct hbc_probe_round *round, const struct hbc_wire_task *task)
{
	__be32 id = cpu_to_be32(READ_ONCE(round->control->hn->id));
	struct hbc_probe_part *part;
	unsigned int i;

	for (i = 0; i < round->count; i++, task++) {
		if (task->from != id && task->to != id)
			return -EBADMSG;
		part = &round->parts[i];
		part->round = round;
		part->task = *task;
		part->figure.index = task->index;
		part->figure.receives = task->from != id;
	}
	return 0;
}

/*
 * What each flow may send at most, in bytes/s of payload; 0 for as much as it asks for.
 * Flows whose rates fit into the group's limit together keep them; others get equal parts.
 */
static u64 hbc_probe_round_limit(const struct hbc_probe_round *round)
{
	u64 all = READ_ONCE(round->control->group->config.probe_rate), kbit = 0;
	const struct hbc_probe_part *part;
	unsigned int i, flows = 0;
	bool fit = true;

	for (i = 0; i < round->count; i++) {
		part = &round->parts[i];
		if (part->figure.receives || part->task.kind != HBCAST_TASK_FLOW)
			continue;
		flows++;
		kbit += be32_to_cpu(part->task.rate);
		fit &= !!part->task.rate;
	}
	if (!all || !flows || (fit && kbit * HBC_PROBE_KBIT <= all))
		return 0;
	return max(div_u64(all, flows), 1ULL);
}

static void hbc_probe_round_begin(struct hbc_probe_round *round)
{
	u64 limit = hbc_probe_round_limit(round);
	struct hbc_probe_part *part;
	struct hbc_probe *probe;
	unsigned int i;

	for (i = 0; i < round->count; i++) {
		part = &round->parts[i];
		if (part->figure.receives)
			continue;
		probe = hbc_probe_task_begin(round->control->group, round->id, &part->task,
					     round->end, limit);
		if (IS_ERR(probe))
			hbc_probe_part_fail(part, PTR_ERR(probe));
		else
			part->probe = probe;
	}
}

/* A coordinator asks for a round: 0, also where the answer is no; -EBADMSG; -ENOMEM. */
static int hbc_probe_round_ask(struct hbc_probe_round *round, const struct hbc_hdr *h,
			       const struct hbc_wire_ask *w)
{
	struct hbc_net *hn = round->control->hn;
	int err;

	if (be32_to_cpu(w->round) == round->id && h->n)
		return 0;
	hbc_probe_round_clear(round);
	round->id = be32_to_cpu(w->round);
	round->begun = ktime_get_ns();
	round->end = round->begun + be32_to_cpu(w->ms) * (u64)NSEC_PER_MSEC;
	/* Before the coordinator takes it for one that is silent. */
	round->every = min(be32_to_cpu(w->every) ?: HBC_PROBE_SAMPLE_MS,
			   READ_ONCE(round->control->group->config.dead_ms) / 2);
	round->status = HBCAST_ROUND_OVER;
	if (!h->n)
		return 0;
	round->parts = kvcalloc(h->n, sizeof(*round->parts), GFP_KERNEL);
	if (!round->parts)
		return -ENOMEM;
	round->count = h->n;
	err = hbc_probe_round_read(round, w->task);
	if (err)
		return err;
	/* A node has one round at a time, so that none spoils another one's figures. */
	if (!(h->tag & HBC_ASK_ANYWAY) && hbc_probe_broadcast(hn)) {
		round->status = HBCAST_ROUND_BROADCAST;
	} else if (cmpxchg(&hn->probe_round, NULL, round)) {
		round->status = HBCAST_ROUND_BUSY;
	} else {
		round->status = HBCAST_ROUND_RUNNING;
		hbc_probe_round_begin(round);
	}
	return 0;
}

static void hbc_probe_part_look(struct hbc_probe_round *round, struct hbc_probe_part *part)
{
	if (part->figure.receives && !part->probe)
		part->probe = hbc_probe_find(round->control->hn, hbc_probe_is_inflow, part);
	if (part->probe && part->figure.receives)
		hbc_probe_inflow_look(part->probe, &part->figure);
	else if (part->probe)
		hbc_probe_task_look(part->probe, &part->figure);
	/*
	 * At once: a machine that has much to do comes back to it when more has arrived. What
	 * has ended with the round has not been idle since.
	 */
	if (part->task.kind == HBCAST_TASK_FLOW)
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
		if (part->figure.receives || part->figure.state < HBCAST_TASK_STATE_DONE)
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
		if (part->figure.state == HBCAST_TASK_STATE_WAITING)
			hbc_probe_part_fail(part, -ETIMEDOUT);
		else if (part->figure.state == HBCAST_TASK_STATE_RUNNING)
			part->figure.state = HBCAST_TASK_STATE_DONE;
	}
	hbc_probe_round_end(round);
	round->status = HBCAST_ROUND_OVER;
}

/* Tells the coordinator how it is, ends what is over, and waits for the time of the next one. */
static int hbc_probe_round_tell(struct hbc_probe_round *round)
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
	if (!err)
		hbc_probe_patience(round->control, hbc_probe_round_runs(round) ?
						   round->every : HBC_PROBE_IDLE_MS);
	return err;
}

/* Life. */

static int hbc_probe_serve_data(struct hbc_probe_served *served, const struct hbc_hdr *h,
				const struct hbc_wire_probe *w)
{
	if (!served->data_round) {
		served->first = ktime_get_ns();
		WRITE_ONCE(served->index, be16_to_cpu(w->index));
		/* What finds it by its round finds its index, too. */
		smp_store_release(&served->data_round, be32_to_cpu(w->round));
	}
	if (h->tag & HBC_PROBE_LAST)
		return hbc_probe_send_ping(&served->probe, HBC_FRAME_PONG,
					   ktime_get_ns() - served->first);
	return 0;
}

/* Round trips may take a round, and no longer: a probe holds a worker. */
static int hbc_probe_serve_ping(struct hbc_probe_served *served, const struct hbc_wire_ping *w)
{
	if (!hbc_probe_round_runs(&served->round) &&
	    time_after(jiffies, served->since + msecs_to_jiffies(HBCAST_ROUND_MS_MAX)))
		return -ETIMEDOUT;
	return hbc_probe_send_ping(&served->probe, HBC_FRAME_PONG, be64_to_cpu(w->token));
}

static int hbc_probe_serve_frame(struct hbc_probe_served *served, const struct hbc_hdr *h)
{
	const void *frame = served->probe.frame;

	if (h->type == HBC_FRAME_PING)
		return hbc_probe_serve_ping(served, frame);
	served->since = jiffies;
	switch (h->type) {
	case HBC_FRAME_PROBE:
		return hbc_probe_serve_data(served, h, frame);
	case HBC_FRAME_PROBE_ASK:
		return hbc_probe_round_ask(&served->round, h, frame) ?:
		       hbc_probe_round_tell(&served->round);
	default:
		return -EPROTO;
	}
}

static void hbc_probe_serve_run(struct hbc_probe *probe)
{
	struct hbc_probe_served *served = hbc_probe_served(probe);
	struct hbc_wire_hdr ready;
	struct hbc_hdr h;
	int err;

	hbc_probe_patience(probe, HBC_PROBE_IDLE_MS);
	served->since = jiffies;
	err = hbc_probe_send(probe, &ready, hbc_wire_put_hdr(&ready, HBC_FRAME_READY, 0,
							     sizeof(ready)));
	while (!err && !READ_ONCE(probe->ended)) {
		err = hbc_probe_next(probe, &h);
		if (!err)
			err = hbc_probe_serve_frame(served, &h);
		else if (err == -EAGAIN)
			err = hbc_probe_round_runs(&served->round) ?
			      hbc_probe_round_tell(&served->round) : -ETIMEDOUT;
	}
	hbc_probe_round_clear(&served->round);
	mutex_lock(&probe->lock);
	served->bytes = hbc_probe_served_bytes(probe);
	mutex_unlock(&probe->lock);
}

void hbc_probe_accept(struct hbc_group *group, u32 peer, struct socket *sock)
{
	struct hbc_probe_served *served;

	served = hbc_probe_new(sizeof(*served), group, peer, hbc_probe_serve_run);
	if (!served) {
		sock_release(sock);
		return;
	}
	served->round.control = &served->probe;
	if (!hbc_probe_set_sock(&served->probe, sock))
		hbc_probe_begin(&served->probe);
	hbc_probe_put(&served->probe);
}
