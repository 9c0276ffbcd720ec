// SPDX-License-Identifier: GPL-2.0
/* A task of a round: what this node does to another one, on a probe of its own. */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "config/addr.h"
#include "config/group.h"
#include "lane/conn.h"
#include "lane/gauge.h"
#include "probe/probe.h"

#define HBC_PROBE_FLOW_MS	25	/* a flow looks at the clock */
#define HBC_PROBE_ANSWER_MS	5000	/* for the other end to answer */
#define HBC_PROBE_TRIPS		64	/* round trips that are kept in order */
#define HBC_PROBE_SETTLED	8	/* round trips in a row that were not shorter by a part: */
#define HBC_PROBE_SHORTER	64

/**
 * struct hbc_probe_task - a task
 * @probe: the connection; its @lock guards @figure
 * @task: what is to be done
 * @round: in which round
 * @end: when that ends, by ktime_get_ns()
 * @limit: bytes/s of payload that the group lets it send, 0 for as many as go
 * @figure: how it is
 */
struct hbc_probe_task {
	struct hbc_probe probe;
	struct hbc_wire_task task;
	u32 round;
	u64 end;
	u64 limit;
	struct hbc_wire_figure figure;
};

#define hbc_probe_task(p)	container_of_const(p, struct hbc_probe_task, probe)

/* The probe's lock held. */
static bool hbc_probe_flow_runs(const struct hbc_probe_task *task)
{
	lockdep_assert_held(&task->probe.lock);
	return task->task.kind == HBCAST_TASK_FLOW &&
	       task->figure.state == HBCAST_TASK_STATE_RUNNING;
}

/* The probe's lock held. */
static void hbc_probe_task_count(struct hbc_probe_task *task)
{
	struct tcp_info tcp;
	u64 bytes;

	lockdep_assert_held(&task->probe.lock);
	if (!hbc_probe_flow_runs(task) || !task->probe.sock)
		return;
	tcp_get_info(task->probe.sock->sk, &tcp);
	bytes = (u64)tcp.tcpi_delivered * tcp.tcpi_snd_mss;
	task->figure.value[0] = cpu_to_be64(hbc_gauge_on_link(task->probe.sock,
							      tcp.tcpi_delivered, bytes));
}

void hbc_probe_task_look(struct hbc_probe *probe, struct hbc_wire_figure *figure)
{
	mutex_lock(&probe->lock);
	hbc_probe_task_count(hbc_probe_task(probe));
	*figure = hbc_probe_task(probe)->figure;
	mutex_unlock(&probe->lock);
}

static void hbc_probe_task_set(struct hbc_probe_task *task, enum hbcast_task_state state,
			       u64 first, u64 second)
{
	mutex_lock(&task->probe.lock);
	task->figure.state = state;
	task->figure.value[0] = cpu_to_be64(first);
	task->figure.value[1] = cpu_to_be64(second);
	mutex_unlock(&task->probe.lock);
}

static bool hbc_probe_task_over(const struct hbc_probe_task *task)
{
	return READ_ONCE(task->probe.ended) || ktime_get_ns() >= task->end;
}

/* The header of PROBE with @payload bytes. Return: its length. */
static unsigned int hbc_probe_task_frame(const struct hbc_probe_task *task, u8 *frame, u8 flags,
					 u32 payload)
{
	struct hbc_wire_probe *w = (struct hbc_wire_probe *)frame;

	w->round = cpu_to_be32(task->round);
	w->index = task->task.index;
	w->reserved = 0;
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE, flags, sizeof(*w) + payload);
	return sizeof(*w);
}

/* Flows. */

/* TCP does not pace headers: bytes/s of payload for the task's rate, 0 for as many as go. */
static u64 hbc_probe_flow_rate(const struct hbc_probe_task *task)
{
	u64 rate = (u64)be32_to_cpu(task->task.rate) * HBC_PROBE_KBIT;
	struct tcp_info tcp;

	if (!rate)
		return 0;
	tcp_get_info(task->probe.sock->sk, &tcp);
	rate = mul_u64_u32_div(rate, tcp.tcpi_snd_mss,
			       hbc_gauge_on_link(task->probe.sock, 1, tcp.tcpi_snd_mss));
	return max(rate, 1ULL);
}

/*
 * Without a rate, too, TCP spreads what it sends over a round trip: some flows that begin
 * at once would else overrun a short queue, and take long to recover.
 */
static int hbc_probe_flow_pace(struct hbc_probe_task *task)
{
	u64 asked = hbc_probe_flow_rate(task);
	u64 rate = min_not_zero(task->limit, asked);
	unsigned long pace = rate ? min_t(u64, rate, ULONG_MAX - 1) : ULONG_MAX - 1;

	/* Or else what the limit holds back would be taken for what the network does. */
	if (rate < asked) {
		mutex_lock(&task->probe.lock);
		task->figure.reject = HBCAST_REJECT_POLICY;
		mutex_unlock(&task->probe.lock);
	}
	return sock_setsockopt(task->probe.sock, SOL_SOCKET, SO_MAX_PACING_RATE,
			       KERNEL_SOCKPTR(&pace), sizeof(pace));
}

/* Sends the frame over and over again. */
static int hbc_probe_flow_send(struct hbc_probe_task *task, const u8 *frame, unsigned int len)
{
	unsigned int done = 0;
	int n;

	while (!hbc_probe_task_over(task)) {
		if (!hbc_group_probe_allows(task->probe.group))
			return -EDQUOT;
		n = hbc_conn_send(task->probe.sock, frame + done, len - done, MSG_MORE);
		if (n == -EAGAIN)
			continue;
		if (n < 0)
			return n;
		atomic64_add(n, &task->probe.group->probed);
		done = (done + n) % len;
	}
	return 0;
}

static int hbc_probe_flow(struct hbc_probe_task *task)
{
	u8 *frame = kvmalloc(HBC_FRAME_MAX, GFP_KERNEL);
	int err;

	if (!frame)
		return -ENOMEM;
	/* Of a flow that is slow the receiver would not have a whole frame in time. */
	err = hbc_probe_send(&task->probe, frame, hbc_probe_task_frame(task, frame, 0, 0));
	/* Nothing on the way makes it shorter. */
	get_random_bytes(frame, HBC_FRAME_MAX);
	hbc_probe_task_frame(task, frame, 0, HBC_FRAME_MAX - sizeof(struct hbc_wire_probe));
	hbc_probe_patience(&task->probe, HBC_PROBE_FLOW_MS);
	err = err ?: hbc_probe_flow_pace(task) ?: hbc_probe_flow_send(task, frame, HBC_FRAME_MAX);
	kvfree(frame);
	return err;
}

/* Round trips. */

/* A PONG, and what it carries. */
static int hbc_probe_pong(struct hbc_probe_task *task, u64 *token)
{
	struct hbc_hdr h;
	int err;

	err = hbc_probe_next(&task->probe, &h);
	if (err)
		return err == -EAGAIN ? -ETIMEDOUT : err;
	if (h.type != HBC_FRAME_PONG)
		return -EPROTO;
	*token = be64_to_cpu(((const struct hbc_wire_ping *)task->probe.frame)->token);
	return 0;
}

static int hbc_probe_ping(struct hbc_probe_task *task, u64 *ns)
{
	u64 begun = ktime_get_ns(), token;
	int err;

	err = hbc_probe_send_ping(&task->probe, HBC_FRAME_PING, begun) ?:
	      hbc_probe_pong(task, &token);
	*ns = ktime_get_ns() - begun;
	return err;
}

/* Keeps the shortest in ascending order. Return: how many there are. */
static unsigned int hbc_probe_trip_note(u64 *trips, unsigned int n, u64 ns)
{
	unsigned int i = min(n, HBC_PROBE_TRIPS - 1U);

	if (n == HBC_PROBE_TRIPS && trips[i] <= ns)
		return n;
	for (; i && trips[i - 1] > ns; i--)
		trips[i] = trips[i - 1];
	trips[i] = ns;
	return min(n + 1, (unsigned int)HBC_PROBE_TRIPS);
}

/*
 * Until the least has settled. TCP times the ACK, which no process has to be
 * woken up for; how much longer the shortest quarter of all took is by how much the least
 * may be too long.
 */
static int hbc_probe_trip(struct hbc_probe_task *task)
{
	u64 trips[HBC_PROBE_TRIPS], least = U64_MAX, ns;
	unsigned int i, n = 0, since = 0;
	struct tcp_info tcp;
	int err;

	for (i = 0; i < be32_to_cpu(task->task.count) && since < HBC_PROBE_SETTLED; i++) {
		if (hbc_probe_task_over(task))
			return -ETIMEDOUT;
		err = hbc_probe_ping(task, &ns);
		if (err)
			return err;
		n = hbc_probe_trip_note(trips, n, ns);
		since++;
		if (ns < least - (least / HBC_PROBE_SHORTER)) {
			least = ns;
			since = 0;
		}
	}
	tcp_get_info(task->probe.sock->sk, &tcp);
	hbc_probe_task_set(task, HBCAST_TASK_STATE_DONE,
			   min(trips[0], (u64)tcp.tcpi_min_rtt * NSEC_PER_USEC),
			   trips[n / 4] - trips[0]);
	return 0;
}

/* Small frames, one right after the other, each a segment of its own. */
static int hbc_probe_burst(struct hbc_probe_task *task)
{
	unsigned int i, len, last = be32_to_cpu(task->task.count) - 1;
	u64 begun = ktime_get_ns(), sent, received;
	u8 frame[sizeof(struct hbc_wire_probe)];
	int n;

	for (i = 0; i <= last; i++) {
		len = hbc_probe_task_frame(task, frame, i == last ? HBC_PROBE_LAST : 0, 0);
		n = hbc_conn_send(task->probe.sock, frame, len, MSG_EOR);
		if (n != len)
			return n < 0 ? n : -ETIMEDOUT;
	}
	sent = ktime_get_ns() - begun;
	n = hbc_probe_pong(task, &received);
	if (!n)
		hbc_probe_task_set(task, HBCAST_TASK_STATE_DONE, sent, received);
	return n;
}

/* Life. */

static int hbc_probe_task_do(struct hbc_probe_task *task)
{
	struct sockaddr_storage addr;
	int err;

	hbc_addr_get(&addr, task->task.family, task->task.port, task->task.addr);
	err = hbc_probe_connect(&task->probe, &addr);
	if (err)
		return err;
	hbc_probe_task_set(task, HBCAST_TASK_STATE_RUNNING, 0, 0);
	hbc_probe_patience(&task->probe, HBC_PROBE_ANSWER_MS);
	switch (task->task.kind) {
	case HBCAST_TASK_TRIP:
		return hbc_probe_trip(task);
	case HBCAST_TASK_BURST:
		return hbc_probe_burst(task);
	default:
		return hbc_probe_flow(task);
	}
}

static void hbc_probe_task_run(struct hbc_probe *probe)
{
	struct hbc_probe_task *task = hbc_probe_task(probe);
	int err = hbc_probe_task_do(task);

	mutex_lock(&probe->lock);
	hbc_probe_task_count(task);
	/* A flow that was told to end has done what it was asked for. */
	if (hbc_probe_flow_runs(task) && READ_ONCE(probe->ended))
		err = 0;
	if (err) {
		task->figure.state = HBCAST_TASK_STATE_FAILED;
		task->figure.error = min(-err, U8_MAX);
		task->figure.reject = probe->reject;
	} else {
		task->figure.state = HBCAST_TASK_STATE_DONE;
	}
	mutex_unlock(&probe->lock);
}

struct hbc_probe *hbc_probe_task_begin(struct hbc_group *group, u32 round,
				       const struct hbc_wire_task *task, u64 end, u64 limit)
{
	struct hbc_probe_task *t;
	int err;

	t = hbc_probe_new(sizeof(*t), group, be32_to_cpu(task->to), hbc_probe_task_run);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->task = *task;
	t->round = round;
	t->end = end;
	t->limit = limit;
	t->figure.index = task->index;
	err = hbc_probe_begin(&t->probe);
	if (!err)
		return &t->probe;
	hbc_probe_put(&t->probe);
	return ERR_PTR(err);
}
