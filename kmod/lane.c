// SPDX-License-Identifier: GPL-2.0
/* A lane: one TCP connection, one edge of one tree, parent connects to child. */
#include <linux/hbcast.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "event.h"
#include "gauge.h"
#include "group.h"
#include "handshake.h"
#include "lane.h"
#include "node.h"
#include "pace.h"
#include "probe_serve.h"
#include "schedule.h"
#include "shortcut.h"
#include "trace.h"
#include "transmit.h"

#define HBC_LANE_HANDSHAKE_MS	5000
#define HBC_LANE_FINISH_MS	60000	/* for what was sent to be read, and forwarded */
#define HBC_LANE_RETRY_MIN_MS	50
#define HBC_LANE_RETRY_MAX_MS	2000
#define HBC_LANE_FOLLOW_MS	20	/* to the next look whether the one before is over */
#define HBC_LANE_HALF_OPEN_MAX	256
#define HBC_LANE_LOOKS		4	/* in a dead-interval */

/*
 * Data comes first: what goes up, and all else, waits until no work that
 * carries data down is left.
 */
static struct workqueue_struct *hbc_lane_down_wq;
static struct workqueue_struct *hbc_lane_wq;

void hbc_lane_get(struct hbc_lane *lane)
{
	kref_get(&lane->ref);
}

static void hbc_lane_free(struct kref *ref)
{
	struct hbc_lane *lane = container_of(ref, struct hbc_lane, ref);
	struct hbc_net *hn = lane->hn;

	hbc_transmit_purge(lane);
	hbc_handshake_free(lane);
	hbc_receive_free(&lane->rx);
	kvfree(lane->assembly);
	kfree(lane->acks);
	if (lane->sched)
		hbc_schedule_put(lane->sched);
	mutex_destroy(&lane->tx_mutex);
	kfree(lane);
	hbc_node_lane_end(hn);
}

void hbc_lane_put(struct hbc_lane *lane)
{
	kref_put(&lane->ref, hbc_lane_free);
}

/*
 * Work that is queued holds no reference: the life work cancels it when it
 * closes the lane, and nothing is queued from then on.
 */
static void hbc_lane_run(struct hbc_lane *lane, struct work_struct *work)
{
	bool down = work != &lane->rx_later && (work == &lane->tx_work) == lane->connector;

	spin_lock_bh(&lane->queue_lock);
	if (lane->state != HBC_LANE_CLOSED)
		queue_work(down ? hbc_lane_down_wq : hbc_lane_wq, work);
	spin_unlock_bh(&lane->queue_lock);
}

static void hbc_lane_wake(struct hbc_lane *lane, unsigned long delay)
{
	spin_lock_bh(&lane->queue_lock);
	if (lane->state != HBC_LANE_CLOSED && test_bit(HBC_LANE_BORN, &lane->flags))
		mod_delayed_work(hbc_lane_wq, &lane->life, delay);
	spin_unlock_bh(&lane->queue_lock);
}

void hbc_lane_defer(struct rcu_work *work)
{
	queue_rcu_work(hbc_lane_wq, work);
}

void hbc_lane_kick(struct hbc_lane *lane)
{
	hbc_lane_run(lane, &lane->tx_work);
}

void hbc_lane_fail(struct hbc_lane *lane, int error)
{
	cmpxchg(&lane->error, 0, error);
	hbc_lane_wake(lane, 0);
}

void hbc_lane_close(struct hbc_lane *lane, bool drain)
{
	set_bit(drain ? HBC_LANE_DRAINING : HBC_LANE_CLOSING, &lane->flags);
	hbc_lane_wake(lane, 0);
}

void hbc_lane_unpause(struct hbc_lane *lane)
{
	if (!test_bit(HBC_LANE_PAUSED, &lane->flags))
		return;
	/* Silence counts from now on; that of a lane which was read counts already. */
	WRITE_ONCE(lane->last_rx, jiffies);
	if (test_and_clear_bit(HBC_LANE_PAUSED, &lane->flags))
		hbc_lane_run(lane, &lane->rx_work);
}

/* Callbacks of the socket, in softirq or under its lock. */

static void hbc_lane_data_ready(struct sock *sk)
{
	struct hbc_lane *lane;
	bool later;

	/* An owner of the socket might be about to take it from the lane. */
	later = !sock_owned_by_user(sk) && sk->sk_user_data &&
		hbc_shortcut(sk->sk_user_data, sk);
	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && !test_bit(HBC_LANE_PAUSED, &lane->flags))
		hbc_lane_run(lane, later ? &lane->rx_later : &lane->rx_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_lane_write_space(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && sk_stream_is_writeable(sk) &&
	    test_and_clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags))
		hbc_lane_run(lane, &lane->tx_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_lane_state_change(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane) {
		if (sk->sk_state == TCP_ESTABLISHED)
			hbc_lane_wake(lane, 0);
		else
			/* What came before the end is still to be read. */
			hbc_lane_run(lane, &lane->rx_work);
	}
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_lane_error_report(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && READ_ONCE(lane->state) == HBC_LANE_HANDSHAKE)
		/* Who refuses resets the connection, but says why before. */
		hbc_lane_run(lane, &lane->rx_work);
	else if (lane)
		hbc_lane_fail(lane, READ_ONCE(sk->sk_err) ?: ECONNRESET);
	read_unlock_bh(&sk->sk_callback_lock);
}

void hbc_lane_set_rate(struct hbc_lane *lane, u64 rate, bool strict)
{
	mutex_lock(&lane->tx_mutex);
	hbc_pace_set(lane, rate, strict);
	hbc_transmit_unlock(lane);
}

static void hbc_lane_set_sock(struct hbc_lane *lane, struct socket *sock)
{
	mutex_lock(&lane->tx_mutex);
	spin_lock_bh(&lane->queue_lock);
	lane->sock = sock;
	spin_unlock_bh(&lane->queue_lock);
	if (sock) {
		hbc_pace_begin(lane);
		hbc_gauge_begin(lane);
	}
	mutex_unlock(&lane->tx_mutex);
}

static void hbc_lane_adopt_sock(struct hbc_lane *lane, struct socket *sock)
{
	struct sock *sk = sock->sk;

	tcp_sock_set_nodelay(sk);
	hbc_lane_set_sock(lane, sock);
	lock_sock(sk);
	sk->sk_allocation = GFP_KERNEL;
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = lane;
	lane->saved.data_ready = sk->sk_data_ready;
	lane->saved.write_space = sk->sk_write_space;
	lane->saved.state_change = sk->sk_state_change;
	lane->saved.error_report = sk->sk_error_report;
	sk->sk_data_ready = hbc_lane_data_ready;
	sk->sk_write_space = hbc_lane_write_space;
	sk->sk_state_change = hbc_lane_state_change;
	sk->sk_error_report = hbc_lane_error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

/*
 * A connection that has said goodbye, and was heard, ends in peace; another leaves
 * nothing behind. TCP stops the timers of a kernel's socket when it is released: who
 * would have to send once more, or to wait by a timer of his own, would stay for ever.
 */
static void hbc_lane_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (sk->sk_state != TCP_FIN_WAIT2 || tcp_fin_time(sk) > TCP_TIMEWAIT_LEN)
		sock_no_linger(sk);
	sock_release(sock);
}

/* Flag, callbacks, work, release: in this order nobody finds a dead socket. */
static void hbc_lane_drop_sock(struct hbc_lane *lane)
{
	struct socket *sock = lane->sock;
	struct sock *sk;

	if (!sock)
		return;
	/* Nothing that still runs touches the socket when it sees an error. */
	cmpxchg(&lane->error, 0, ESHUTDOWN);
	sk = sock->sk;
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = lane->saved.data_ready;
	sk->sk_write_space = lane->saved.write_space;
	sk->sk_state_change = lane->saved.state_change;
	sk->sk_error_report = lane->saved.error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
	cancel_work_sync(&lane->rx_later);
	cancel_work_sync(&lane->rx_work);
	cancel_work_sync(&lane->tx_work);
	hbc_lane_set_sock(lane, NULL);
	if (test_bit(HBC_LANE_PROBE, &lane->flags))
		hbc_probe_accept(hbc_handshake_group(lane), lane->peer, sock);
	else
		hbc_lane_release(sock);
}

/* Connecting. */

static int hbc_lane_bind(struct hbc_lane *lane, struct socket *sock)
{
	struct sockaddr_storage addr = lane->hn->addr;

	if (addr.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&addr)->sin6_port = 0;
	else
		((struct sockaddr_in *)&addr)->sin_port = 0;
	return kernel_bind(sock, (struct sockaddr *)&addr, sizeof(addr));
}

/* Whoever has not read for so long, in jiffies, does not read. */
static unsigned long hbc_lane_stall(const struct hbc_lane *lane)
{
	return 2 * msecs_to_jiffies(READ_ONCE(lane->sched->group->config.stall_ms));
}

/*
 * Whether one that was there before it still has something to send. The other side would
 * take this one for the same connection made anew, and end that.
 */
static bool hbc_lane_follows(struct hbc_lane *lane)
{
	const struct hbc_lane *other;
	bool follows = false;

	spin_lock(&lane->hn->lanes_lock);
	list_for_each_entry(other, &lane->hn->lanes, link)
		if (other->connector && other->sched == lane->sched &&
		    other->peer == lane->peer && other->slot == lane->slot &&
		    other->id < lane->id && test_bit(HBC_LANE_DRAINING, &other->flags))
			follows = true;
	spin_unlock(&lane->hn->lanes_lock);
	return follows;
}

static void hbc_lane_open(struct hbc_lane *lane)
{
	struct sockaddr *addr = (struct sockaddr *)&lane->addr;
	struct socket *sock;
	int err;

	WRITE_ONCE(lane->state, HBC_LANE_CONNECTING);
	err = sock_create_kern(lane->hn->net, addr->sa_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (err)
		goto fail;
	lane->stats.connects++;
	lane->begun = jiffies;
	WRITE_ONCE(lane->last_rx, jiffies);
	hbc_lane_adopt_sock(lane, sock);
	err = hbc_lane_bind(lane, sock);
	if (!err)
		err = kernel_connect(sock, addr, sizeof(lane->addr), O_NONBLOCK);
	if (err && err != -EINPROGRESS)
		goto fail;
	return;
fail:
	hbc_lane_fail(lane, -err);
}

static void hbc_lane_greet(struct hbc_lane *lane)
{
	int err;

	if (lane->sock->sk->sk_state != TCP_ESTABLISHED)
		return;
	WRITE_ONCE(lane->state, HBC_LANE_HANDSHAKE);
	err = hbc_handshake_start(lane);
	if (err)
		hbc_lane_fail(lane, -err);
}

void hbc_lane_ready(struct hbc_lane *lane)
{
	int err;

	hbc_handshake_free(lane);
	spin_lock(&lane->hn->lanes_lock);
	if (!list_empty(&lane->half_link)) {
		list_del_init(&lane->half_link);
		lane->hn->nr_half_open--;
	}
	spin_unlock(&lane->hn->lanes_lock);
	trace_hbc_lane_state(lane, HBC_LANE_READY, 0);
	err = hbc_schedule_lane_up(lane);
	if (err) {
		hbc_lane_fail(lane, -err);
		return;
	}
	set_bit(HBC_LANE_ANNOUNCED, &lane->flags);
	lane->retry = HBC_LANE_RETRY_MIN_MS;
	lane->reason = HBC_REJECT_NONE;
	lane->looked = jiffies;
	lane->silent = 0;
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	WRITE_ONCE(lane->mss, tcp_sk(lane->sock->sk)->mss_cache);
	/* Whoever sees READY sees what the handshake has set up. */
	smp_store_release(&lane->state, HBC_LANE_READY);
	hbc_event_lane(lane, true, 0);
	hbc_lane_wake(lane, 0);
	hbc_transmit_send(lane);
}

/* Life. */

static void hbc_lane_lists_del(struct hbc_lane *lane)
{
	spin_lock(&lane->hn->lanes_lock);
	list_del_init(&lane->link);
	if (!list_empty(&lane->half_link)) {
		list_del_init(&lane->half_link);
		lane->hn->nr_half_open--;
	}
	spin_unlock(&lane->hn->lanes_lock);
}

/* The connection is over, for good or for now. */
static void hbc_lane_disconnect(struct hbc_lane *lane)
{
	int error = test_bit(HBC_LANE_FINISHED, &lane->flags) ? 0 : READ_ONCE(lane->error);
	bool announced, torn;

	trace_hbc_lane_state(lane, lane->state, error);
	hbc_lane_drop_sock(lane);
	announced = test_and_clear_bit(HBC_LANE_ANNOUNCED, &lane->flags);
	torn = test_and_clear_bit(HBC_LANE_TORN, &lane->flags);
	/* One that fell silent has been away since then. */
	if (announced)
		WRITE_ONCE(lane->since, error == ETIMEDOUT ? READ_ONCE(lane->last_rx) : jiffies);
	/* What waited for a lane that was not there yet is missed, too. */
	if (announced || torn)
		hbc_schedule_lane_down(lane);
	if (announced)
		hbc_event_lane(lane, false, error);
}

static void hbc_lane_end(struct hbc_lane *lane)
{
	hbc_lane_disconnect(lane);
	hbc_lane_lists_del(lane);
	spin_lock_bh(&lane->queue_lock);
	WRITE_ONCE(lane->state, HBC_LANE_CLOSED);
	spin_unlock_bh(&lane->queue_lock);
	cancel_work_sync(&lane->rx_later);
	cancel_work_sync(&lane->rx_work);
	cancel_work_sync(&lane->tx_work);
	cancel_delayed_work(&lane->life);
	hbc_lane_put(lane);
}

/* A connector tries again after a pause; returns the pause in jiffies. */
static unsigned long hbc_lane_backoff(struct hbc_lane *lane)
{
	unsigned int ms = lane->retry;

	hbc_handshake_free(lane);
	hbc_receive_reset(&lane->rx);
	kvfree(lane->assembly);
	lane->assembly = NULL;
	clear_bit(HBC_LANE_PAUSED, &lane->flags);
	WRITE_ONCE(lane->state, HBC_LANE_BACKOFF);
	WRITE_ONCE(lane->error, 0);
	lane->retry = min_t(unsigned int, 2 * ms, HBC_LANE_RETRY_MAX_MS);
	return msecs_to_jiffies(ms);
}

static bool hbc_lane_ends(struct hbc_lane *lane)
{
	if (test_bit(HBC_LANE_CLOSING, &lane->flags))
		return true;
	if (READ_ONCE(lane->error) && !lane->connector)
		return true;
	return test_bit(HBC_LANE_DRAINING, &lane->flags) &&
	       (READ_ONCE(lane->state) != HBC_LANE_READY || READ_ONCE(lane->error));
}

/*
 * All is sent: says so, and gives the other side @stall to end the connection, which it
 * does when it has read all of it.
 */
static void hbc_lane_finish(struct hbc_lane *lane, unsigned long stall)
{
	unsigned long limit = max(msecs_to_jiffies(HBC_LANE_FINISH_MS), stall);

	if (!test_and_set_bit(HBC_LANE_FINISHED, &lane->flags)) {
		lane->begun = jiffies;
		kernel_sock_shutdown(lane->sock, SHUT_WR);
	} else if (time_after(jiffies, lane->begun + limit)) {
		hbc_lane_fail(lane, ETIMEDOUT);
	}
}

/*
 * Whether nothing has come at so many looks in a row, each of them an interval
 * after the one before; what waits to be read has come. A machine that stood
 * still itself finds that it has looked once, not that the others were silent.
 */
static bool hbc_lane_silent(struct hbc_lane *lane, unsigned long interval)
{
	if (time_before(jiffies, lane->looked + interval))
		return false;
	if (test_bit(HBC_LANE_PAUSED, &lane->flags) ||
	    !time_before(READ_ONCE(lane->last_rx), lane->looked) ||
	    !skb_queue_empty_lockless(&lane->sock->sk->sk_receive_queue))
		lane->silent = 0;
	else
		lane->silent++;
	lane->looked = jiffies;
	return lane->silent >= HBC_LANE_LOOKS;
}

unsigned long hbc_lane_interval(const struct hbc_lane *lane)
{
	u32 dead_ms = READ_ONCE(lane->sched->group->config.dead_ms);

	return max(msecs_to_jiffies(dead_ms) / HBC_LANE_LOOKS, 1UL);
}

static unsigned long hbc_lane_keepalive(struct hbc_lane *lane)
{
	unsigned long stall = hbc_lane_stall(lane);
	unsigned long interval = hbc_lane_interval(lane);
	bool idle = hbc_transmit_idle(lane);

	/* The schedule does not know it any more. */
	if (test_bit(HBC_LANE_DRAINING, &lane->flags))
		hbc_lane_unpause(lane);
	if (hbc_lane_silent(lane, interval)) {
		hbc_lane_fail(lane, ETIMEDOUT);
	} else if (test_bit(HBC_LANE_DRAINING, &lane->flags) && idle) {
		hbc_lane_finish(lane, stall);
	} else if (!idle && time_after(jiffies, READ_ONCE(lane->last_tx) + stall)) {
		hbc_lane_fail(lane, ETIME);
	} else if (idle && time_after_eq(jiffies, READ_ONCE(lane->last_tx) + interval)) {
		struct hbc_ping ping = { .token = ktime_get_ns() };
		u8 frame[HBC_HDR_LEN + sizeof(u64)];

		hbc_transmit_frame(lane, frame,
				   hbc_wire_put_ping(frame, HBC_FRAME_PING, &ping));
		hbc_transmit_send(lane);
	} else if (test_bit(HBC_LANE_HELD, &lane->flags)) {
		hbc_transmit_send(lane);
	}
	return interval;
}

/* What is due in the present state; returns jiffies to the next look. */
static unsigned long hbc_lane_step(struct hbc_lane *lane)
{
	unsigned long limit = msecs_to_jiffies(HBC_LANE_HANDSHAKE_MS);
	enum hbc_lane_state state = READ_ONCE(lane->state);

	if (lane->connector && !lane->sock && hbc_lane_follows(lane)) {
		/* Till then the child is not away, unless he does not read. */
		if (time_before(jiffies, lane->begun + hbc_lane_stall(lane)))
			WRITE_ONCE(lane->since, jiffies);
		return msecs_to_jiffies(HBC_LANE_FOLLOW_MS);
	}
	switch (state) {
	case HBC_LANE_BACKOFF:
		hbc_lane_open(lane);
		break;
	case HBC_LANE_CONNECTING:
		if (!lane->sock)
			hbc_lane_open(lane);
		else
			hbc_lane_greet(lane);
		fallthrough;
	case HBC_LANE_HANDSHAKE:
		if (time_after(jiffies, lane->begun + limit))
			hbc_lane_fail(lane, ETIMEDOUT);
		break;
	case HBC_LANE_READY:
		return hbc_lane_keepalive(lane);
	case HBC_LANE_CLOSED:
		break;
	}
	return limit / 4;
}

/* Whether a connector has been away for dead-interval; told once. */
static void hbc_lane_check_dead(struct hbc_lane *lane)
{
	unsigned long dead = msecs_to_jiffies(READ_ONCE(lane->sched->group->config.dead_ms));

	if (READ_ONCE(lane->state) == HBC_LANE_READY || !time_after(jiffies, lane->since + dead))
		return;
	if (!test_bit(HBC_LANE_DEAD, &lane->flags))
		hbc_schedule_lane_dead(lane);
}

static void hbc_lane_life(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(to_delayed_work(work), struct hbc_lane, life);
	unsigned long next;

	if (hbc_lane_ends(lane)) {
		hbc_lane_end(lane);
		return;
	}
	if (READ_ONCE(lane->error)) {
		hbc_lane_disconnect(lane);
		next = hbc_lane_backoff(lane);
	} else {
		next = hbc_lane_step(lane);
	}
	if (lane->connector)
		hbc_lane_check_dead(lane);
	/* Whoever woke the lane meanwhile comes first. */
	queue_delayed_work(hbc_lane_wq, &lane->life, next);
}

static void hbc_lane_tx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, tx_work);

	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	hbc_transmit_send(lane);
}

static void hbc_lane_rx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, rx_work);
	int err;

	if (!lane->sock || READ_ONCE(lane->error))
		return;
	err = hbc_receive_turn(lane);
	if (err > 0)
		hbc_lane_run(lane, &lane->rx_work);
	else if (err < 0 && err != -EAGAIN)
		hbc_lane_fail(lane, -err);
}

static void hbc_lane_rx_later(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, rx_later);

	hbc_lane_run(lane, &lane->rx_work);
}

/* Birth. */

static struct hbc_lane *hbc_lane_new(struct hbc_net *hn, bool connector)
{
	struct hbc_lane *lane = kzalloc(sizeof(*lane), GFP_KERNEL);

	if (!lane)
		return NULL;
	if (hbc_receive_alloc(&lane->rx))
		goto free;
	if (!connector) {
		lane->acks = kmalloc_array(HBC_ACK_MAX_ENTRIES, sizeof(*lane->acks), GFP_KERNEL);
		if (!lane->acks)
			goto free_rx;
	}
	kref_init(&lane->ref);
	lane->hn = hn;
	lane->connector = connector;
	lane->retry = HBC_LANE_RETRY_MIN_MS;
	lane->since = jiffies;
	lane->begun = jiffies;
	lane->last_rx = jiffies;
	lane->last_tx = jiffies;
	INIT_LIST_HEAD(&lane->link);
	INIT_LIST_HEAD(&lane->half_link);
	INIT_LIST_HEAD(&lane->sched_link);
	INIT_LIST_HEAD(&lane->queue);
	INIT_LIST_HEAD(&lane->spare);
	INIT_LIST_HEAD(&lane->asks);
	spin_lock_init(&lane->queue_lock);
	mutex_init(&lane->tx_mutex);
	INIT_DELAYED_WORK(&lane->life, hbc_lane_life);
	INIT_WORK(&lane->rx_work, hbc_lane_rx_work);
	INIT_WORK(&lane->rx_later, hbc_lane_rx_later);
	INIT_WORK(&lane->tx_work, hbc_lane_tx_work);
	atomic_inc(&hn->nr_lanes);
	return lane;
free_rx:
	hbc_receive_free(&lane->rx);
free:
	kfree(lane);
	return NULL;
}

struct hbc_lane *hbc_lane_connect(struct hbc_schedule *sched, u8 slot, u32 peer,
				  const struct sockaddr_storage *addr)
{
	struct hbc_net *hn = sched->hn;
	struct hbc_lane *lane = hbc_lane_new(hn, true);

	lockdep_assert_held(&hn->lock);
	if (!lane)
		return ERR_PTR(-ENOMEM);
	kref_get(&sched->ref);
	lane->sched = sched;
	lane->slot = slot;
	lane->peer = peer;
	lane->addr = *addr;
	hbc_lane_get(lane);
	spin_lock(&hn->lanes_lock);
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	set_bit(HBC_LANE_BORN, &lane->flags);
	hbc_lane_wake(lane, 0);
	return lane;
}

/* Makes room for one more handshake at the cost of the oldest. lanes_lock held. */
static void hbc_lane_evict(struct hbc_net *hn)
{
	struct hbc_lane *oldest;

	lockdep_assert_held(&hn->lanes_lock);
	if (hn->nr_half_open < HBC_LANE_HALF_OPEN_MAX)
		return;
	oldest = list_first_entry(&hn->half_open, struct hbc_lane, half_link);
	list_del_init(&oldest->half_link);
	hn->nr_half_open--;
	hbc_lane_fail(oldest, EBUSY);
}

void hbc_lane_accept(struct hbc_net *hn, struct socket *sock)
{
	struct hbc_lane *lane = hbc_lane_new(hn, false);

	if (!lane) {
		hbc_lane_release(sock);
		return;
	}
	lane->state = HBC_LANE_HANDSHAKE;
	spin_lock(&hn->lanes_lock);
	hbc_lane_evict(hn);
	list_add_tail(&lane->half_link, &hn->half_open);
	hn->nr_half_open++;
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	/* The life work does not run yet: nobody ends the lane under us. */
	hbc_lane_adopt_sock(lane, sock);
	hbc_lane_run(lane, &lane->rx_work);
	spin_lock_bh(&lane->queue_lock);
	set_bit(HBC_LANE_BORN, &lane->flags);
	mod_delayed_work(hbc_lane_wq, &lane->life, 0);
	spin_unlock_bh(&lane->queue_lock);
}

int hbc_lane_init(void)
{
	hbc_lane_down_wq = alloc_workqueue("hbcast_down", WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	if (!hbc_lane_down_wq)
		return -ENOMEM;
	hbc_lane_wq = alloc_workqueue("hbcast", WQ_MEM_RECLAIM, 0);
	if (hbc_lane_wq)
		return 0;
	destroy_workqueue(hbc_lane_down_wq);
	return -ENOMEM;
}

void hbc_lane_exit(void)
{
	destroy_workqueue(hbc_lane_wq);
	destroy_workqueue(hbc_lane_down_wq);
}
