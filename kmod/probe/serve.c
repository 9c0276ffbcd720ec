// SPDX-License-Identifier: GPL-2.0
/* The acceptor's side of probes. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "config/group.h"
#include "config/node.h"
#include "lane/gauge.h"
#include "probe/round.h"
#include "probe/serve.h"
#include "probe/task.h"

#define HBC_PROBE_IDLE_MS	10000	/* who asks for nothing that long goes */

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

static struct hbc_probe_served *hbc_probe_served(struct hbc_probe *probe)
{
	return container_of(probe, struct hbc_probe_served, probe);
}

static int hbc_probe_serve_data(struct hbc_probe_served *served, const struct hbc_hdr *h)
{
	const struct hbc_wire_probe *w = (const struct hbc_wire_probe *)served->probe.frame;

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
static int hbc_probe_serve_ping(struct hbc_probe_served *served)
{
	const struct hbc_wire_ping *w = (const struct hbc_wire_ping *)served->probe.frame;

	if (!hbc_probe_round_runs(&served->round) &&
	    time_after(jiffies, served->since + msecs_to_jiffies(HBC_ASK_MS_MAX)))
		return -ETIMEDOUT;
	return hbc_probe_send_ping(&served->probe, HBC_FRAME_PONG, be64_to_cpu(w->token));
}

static int hbc_probe_serve_frame(struct hbc_probe_served *served, const struct hbc_hdr *h)
{
	int err;

	if (h->type == HBC_FRAME_PING)
		return hbc_probe_serve_ping(served);
	served->since = jiffies;
	switch (h->type) {
	case HBC_FRAME_PROBE:
		return hbc_probe_serve_data(served, h);
	case HBC_FRAME_PROBE_ASK:
		err = hbc_probe_round_ask(&served->round, h, served->probe.frame) ?:
		      hbc_probe_round_tell(&served->round);
		if (!err)
			hbc_probe_patience(&served->probe,
					   hbc_probe_round_runs(&served->round) ?
					   served->round.every : HBC_PROBE_IDLE_MS);
		return err;
	default:
		return -EPROTO;
	}
}

/* Nothing has come for as long as it has patience. */
static int hbc_probe_serve_idle(struct hbc_probe_served *served)
{
	int err;

	if (!hbc_probe_round_runs(&served->round))
		return -ETIMEDOUT;
	err = hbc_probe_round_tell(&served->round);
	if (!err && !hbc_probe_round_runs(&served->round))
		hbc_probe_patience(&served->probe, HBC_PROBE_IDLE_MS);
	return err;
}

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
			err = hbc_probe_serve_idle(served);
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

/* Flows that come in. */

static bool hbc_probe_is_inflow(const struct hbc_probe *probe, const void *arg)
{
	const struct hbc_probe_inflow *inflow = arg;
	const struct hbc_probe_served *served;

	if (probe->run != hbc_probe_serve_run || probe->group != inflow->group ||
	    probe->peer != inflow->from)
		return false;
	served = container_of_const(probe, struct hbc_probe_served, probe);
	/* Pairs with hbc_probe_serve_data(). */
	return smp_load_acquire(&served->data_round) == inflow->round &&
	       READ_ONCE(served->index) == inflow->index;
}

struct hbc_probe *hbc_probe_inflow(struct hbc_net *hn, const struct hbc_probe_inflow *inflow)
{
	return hbc_probe_find(hn, hbc_probe_is_inflow, inflow);
}

void hbc_probe_inflow_look(struct hbc_probe *probe, struct hbc_wire_figure *figure)
{
	mutex_lock(&probe->lock);
	figure->state = probe->sock ? HBC_TASK_RUNNING : HBC_TASK_DONE;
	figure->value[0] = cpu_to_be64(probe->sock ? hbc_probe_served_bytes(probe) :
						     hbc_probe_served(probe)->bytes);
	mutex_unlock(&probe->lock);
}
