// SPDX-License-Identifier: GPL-2.0
/* The life of a lane: it connects, proves itself, is watched, tries again, ends. */
#include <linux/hbcast.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "config/event.h"
#include "config/group.h"
#include "lane/conn.h"
#include "lane/handshake.h"
#include "lane/lane.h"
#include "lane/life.h"
#include "lane/pace.h"
#include "trace.h"

#define HBC_LIFE_HANDSHAKE_MS	5000
#define HBC_LIFE_RETRY_MIN_MS	50U
#define HBC_LIFE_RETRY_MAX_MS	2000U
#define HBC_LIFE_LOOKS		4	/* in a dead-interval */
#define HBC_LIFE_FINISH		(4 * HBC_LIFE_LOOKS)	/* of these, to drain */

static void hbc_life_tell(const struct hbc_lane *lane, bool up, int error)
{
	struct hbc_event e;

	if (!hbc_lane_event(&e, lane, up ? HBCAST_EVENT_LANE_UP : HBCAST_EVENT_LANE_DOWN))
		return;
	if (!up)
		hbc_event_u32(&e, HBCAST_A_EVENT_ERROR, error);
	hbc_event_send(&e);
}

static void hbc_life_greet(struct hbc_lane *lane)
{
	int err;

	if (lane->sock->sk->sk_state != TCP_ESTABLISHED)
		return;
	WRITE_ONCE(lane->state, HBCAST_LANE_STATE_HANDSHAKE);
	err = hbc_handshake_start(lane);
	if (err)
		hbc_lane_fail(lane, -err);
}

static int hbc_life_prepare(struct hbc_lane *lane)
{
	int err;

	mutex_lock(&lane->tx_mutex);
	lane->tx.frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);
	WRITE_ONCE(lane->mss, tcp_sk(lane->sock->sk)->mss_cache);
	if (lane->connector)
		hbc_pace_begin(lane);
	mutex_unlock(&lane->tx_mutex);
	err = lane->tx.frame ? hbc_rx_ready(&lane->rx) : -ENOMEM;
	return err ?: hbc_owner_up(lane);
}

void hbc_life_ready(struct hbc_lane *lane)
{
	int err;

	hbc_handshake_free(lane);
	hbc_lane_proved(lane);
	trace_hbc_lane_state(lane, HBCAST_LANE_STATE_READY, 0);
	err = hbc_life_prepare(lane);
	if (err) {
		hbc_lane_fail(lane, -err);
		return;
	}
	WRITE_ONCE(lane->stats.connects, lane->stats.connects + lane->connector);
	WRITE_ONCE(lane->reason, HBCAST_REJECT_NONE);
	lane->begun = jiffies;
	lane->looked = jiffies;
	lane->silent = 0;
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	/* What sees READY sees what has been set up before. */
	smp_store_release(&lane->state, HBCAST_LANE_STATE_READY);
	hbc_life_tell(lane, true, 0);
	hbc_lane_wake(lane);
	hbc_lane_kick(lane);
}

/* The connection is over, for good or for now. */
static void hbc_life_disconnect(struct hbc_lane *lane)
{
	int error = test_bit(HBC_LANE_FINISHED, &lane->flags) ? 0 : READ_ONCE(lane->error);
	unsigned long dead;

	trace_hbc_lane_state(lane, READ_ONCE(lane->state), error);
	hbc_conn_end(lane);
	if (READ_ONCE(lane->state) != HBCAST_LANE_STATE_READY)
		return;
	dead = msecs_to_jiffies(READ_ONCE(lane->group->config.dead_ms));
	/* Who always fails at once is as good as away; it cannot help this node's own lack. */
	if ((test_and_clear_bit(HBC_LANE_SETTLED, &lane->flags) &&
	     time_after(jiffies, lane->begun + dead / HBC_LIFE_LOOKS)) || error == ENOMEM) {
		lane->retry = 0;
		/* One that fell silent has been away since then. */
		WRITE_ONCE(lane->since, error == ETIMEDOUT ? READ_ONCE(lane->last_rx) : jiffies);
	}
	hbc_owner_down(lane);
	hbc_life_tell(lane, false, error);
}

static void hbc_life_end(struct hbc_lane *lane)
{
	hbc_life_disconnect(lane);
	hbc_lane_unlist(lane);
	spin_lock_bh(&lane->lock);
	WRITE_ONCE(lane->state, HBCAST_LANE_STATE_CLOSED);
	spin_unlock_bh(&lane->lock);
	cancel_work_sync(&lane->rx_work);
	cancel_work_sync(&lane->tx_work);
	cancel_delayed_work(&lane->life);
	if (lane->owner)
		hbc_owner_gone(lane);
	hbc_lane_put(lane);
}

/* A connector tries again after a pause; returns the pause in jiffies. */
static unsigned long hbc_life_backoff(struct hbc_lane *lane)
{
	unsigned int ms = max(lane->retry, HBC_LIFE_RETRY_MIN_MS);

	hbc_handshake_free(lane);
	hbc_rx_reset(&lane->rx);
	WRITE_ONCE(lane->state, HBCAST_LANE_STATE_BACKOFF);
	WRITE_ONCE(lane->error, 0);
	lane->retry = min(2 * ms, HBC_LIFE_RETRY_MAX_MS);
	return msecs_to_jiffies(ms);
}

static bool hbc_life_ends(struct hbc_lane *lane)
{
	if (test_bit(HBC_LANE_CLOSING, &lane->flags))
		return true;
	if (READ_ONCE(lane->error) && !lane->connector)
		return true;
	return test_bit(HBC_LANE_DRAINING, &lane->flags) &&
	       (READ_ONCE(lane->state) != HBCAST_LANE_STATE_READY || READ_ONCE(lane->error));
}

/*
 * Whether nothing has come at so many looks in a row, an interval one after the other, and after
 * what came last; what waits to be read has come. A machine that stood still itself finds that it
 * has looked once, not that the others were silent.
 */
static bool hbc_life_silent(struct hbc_lane *lane, unsigned long interval)
{
	unsigned long last = READ_ONCE(lane->last_rx), looked = lane->looked;

	if (time_before(jiffies, looked + interval))
		return false;
	lane->looked = time_before(last, looked) ? jiffies : last + 1;
	lane->silent++;
	if (!time_before(last, looked) ||
	    !skb_queue_empty_lockless(&lane->sock->sk->sk_receive_queue))
		lane->silent = 0;
	return lane->silent >= HBC_LIFE_LOOKS;
}

/* Nothing was sent for an interval: the other side is not to take this one for silent. */
static void hbc_life_ping(struct hbc_lane *lane)
{
	struct hbc_wire_ping ping = { .token = cpu_to_be64(ktime_get_ns()) };

	hbc_wire_put_hdr(&ping.hdr, HBC_FRAME_PING, 0, sizeof(ping));
	/* A part of it cannot stay. */
	if (hbc_tx_now(lane, &ping, sizeof(ping)) == -ENOBUFS)
		hbc_lane_fail(lane, ENOBUFS);
}

/* A lane that is not congested sends nothing for an interval, at the most. */
static unsigned long hbc_life_keepalive(struct hbc_lane *lane)
{
	unsigned long stall = msecs_to_jiffies(2 * READ_ONCE(lane->group->config.stall_ms));
	unsigned long dead = msecs_to_jiffies(READ_ONCE(lane->group->config.dead_ms));
	unsigned long interval = max(dead / HBC_LIFE_LOOKS, 1UL);
	bool full = test_bit(HBC_LANE_CONGESTED, &lane->flags);

	if (hbc_life_silent(lane, interval))
		hbc_lane_fail(lane, ETIMEDOUT);
	else if (test_bit(HBC_LANE_DRAINING, &lane->flags) &&
		 time_after(jiffies, READ_ONCE(lane->begun) + HBC_LIFE_FINISH * interval))
		hbc_lane_fail(lane, ETIMEDOUT);
	else if (full && time_after(jiffies, READ_ONCE(lane->last_tx) + stall))
		hbc_lane_fail(lane, ETIME);
	else if (!full && time_after_eq(jiffies, READ_ONCE(lane->last_tx) + interval))
		hbc_life_ping(lane);
	/* Nobody tells a lane that drains of the session's end. */
	if (test_bit(HBC_LANE_DRAINING, &lane->flags))
		hbc_lane_kick(lane);
	return max_t(long, lane->looked + interval - jiffies, 1);
}

/* What is due in the present state; returns jiffies to the next look. */
static unsigned long hbc_life_step(struct hbc_lane *lane)
{
	unsigned long limit = msecs_to_jiffies(HBC_LIFE_HANDSHAKE_MS);
	enum hbcast_lane_state state = READ_ONCE(lane->state);

	switch (state) {
	case HBCAST_LANE_STATE_BACKOFF:
		hbc_conn_open(lane);
		break;
	case HBCAST_LANE_STATE_CONNECTING:
		if (!lane->sock)
			hbc_conn_open(lane);
		else
			hbc_life_greet(lane);
		fallthrough;
	case HBCAST_LANE_STATE_HANDSHAKE:
		if (time_after(jiffies, lane->begun + limit))
			hbc_lane_fail(lane, ETIMEDOUT);
		break;
	case HBCAST_LANE_STATE_READY:
		return hbc_life_keepalive(lane);
	case HBCAST_LANE_STATE_CLOSED:
		break;
	}
	return limit / 4;
}

void hbc_life_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(to_delayed_work(work), struct hbc_lane, life);
	unsigned long next;

	if (hbc_life_ends(lane)) {
		hbc_life_end(lane);
		return;
	}
	if (READ_ONCE(lane->error)) {
		hbc_life_disconnect(lane);
		next = hbc_life_backoff(lane);
	} else {
		next = hbc_life_step(lane);
	}
	/* What woke the lane meanwhile comes first. */
	queue_delayed_work(hbc_lane_wq, &lane->life, next);
}
