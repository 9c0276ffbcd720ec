// SPDX-License-Identifier: GPL-2.0
/* A lane: one TCP connection, one edge of one slot; the parent connects to the child. */
#include <linux/hbcast.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/gauge.h"
#include "lane/handshake.h"
#include "lane/lane.h"
#include "lane/pace.h"
#include "lane/tx.h"
#include "trace.h"

#define HBC_LANE_HANDSHAKE_MS	5000
#define HBC_LANE_FINISH	(60 * HZ)	/* for what was sent to be read, and written */
#define HBC_LANE_RETRY_MIN_MS	50
#define HBC_LANE_RETRY_MAX_MS	2000
#define HBC_LANE_HALF_OPEN	512	/* handshakes of a node at once, */
#define HBC_LANE_HALF_OPEN_FROM	128	/* and those from one address */
#define HBC_LANE_LOOKS		4	/* in a dead-interval */

static struct workqueue_struct *hbc_lane_wq;
static struct workqueue_struct *hbc_lane_tx_wq;

const struct hbc_lane_ops *hbc_lane_ops;
void (*hbc_lane_probe)(struct hbc_group *group, u32 peer, struct socket *sock);

void hbc_lane_get(struct hbc_lane *lane)
{
	kref_get(&lane->ref);
}

static void hbc_lane_free(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(to_rcu_work(work), struct hbc_lane, free);
	struct hbc_net *hn = lane->hn;

	hbc_handshake_free(lane);
	hbc_rx_reset(&lane->rx);
	hbc_tx_reset(lane);
	if (lane->group)
		hbc_group_put(lane->group);
	mutex_destroy(&lane->tx_mutex);
	kfree(lane);
	hbc_node_end(hn, &hn->nr_lanes);
}

static void hbc_lane_release(struct kref *ref)
{
	struct hbc_lane *lane = container_of(ref, struct hbc_lane, ref);

	INIT_RCU_WORK(&lane->free, hbc_lane_free);
	queue_rcu_work(hbc_lane_wq, &lane->free);
}

void hbc_lane_put(struct hbc_lane *lane)
{
	kref_put(&lane->ref, hbc_lane_release);
}

bool hbc_lane_event(struct hbc_event *e, const struct hbc_lane *lane, int type)
{
	if (!hbc_event_begin(e, lane->hn, type, 0))
		return false;
	if (lane->group)
		hbc_event_u32(e, HBCAST_A_EVENT_GROUP, lane->group->id);
	if (lane->root)
		hbc_event_u32(e, HBCAST_A_EVENT_ROOT, lane->root);
	hbc_event_u32(e, HBCAST_A_EVENT_PEER, lane->peer);
	hbc_event_u32(e, HBCAST_A_EVENT_DIRECTION,
		      lane->connector ? HBCAST_DIRECTION_DOWN : HBCAST_DIRECTION_UP);
	e->err = e->err ?: nla_put_u8(e->skb, HBCAST_A_EVENT_SLOT, lane->slot);
	return true;
}

static void hbc_lane_tell(const struct hbc_lane *lane, bool up, int error)
{
	struct hbc_event e;

	if (!hbc_lane_event(&e, lane, up ? HBCAST_EVENT_LANE_UP : HBCAST_EVENT_LANE_DOWN))
		return;
	if (!up)
		hbc_event_u32(&e, HBCAST_A_EVENT_ERROR, error);
	hbc_event_send(&e);
}

/*
 * Work that is queued holds no reference: the life work cancels it when it
 * closes the lane, and nothing is queued from then on.
 */
static void hbc_lane_run(struct hbc_lane *lane, struct work_struct *work)
{
	spin_lock_bh(&lane->lock);
	if (lane->state != HBC_LANE_CLOSED)
		queue_work(work == &lane->tx_work ? hbc_lane_tx_wq : hbc_lane_wq, work);
	spin_unlock_bh(&lane->lock);
}

static void hbc_lane_wake(struct hbc_lane *lane, unsigned long delay)
{
	spin_lock_bh(&lane->lock);
	if (lane->state != HBC_LANE_CLOSED && test_bit(HBC_LANE_BORN, &lane->flags))
		mod_delayed_work(hbc_lane_wq, &lane->life, delay);
	spin_unlock_bh(&lane->lock);
}

void hbc_lane_kick(struct hbc_lane *lane)
{
	/* Else the socket's room, or READY, lets it run. */
	if (hbc_lane_is_ready(lane) && !test_bit(HBC_LANE_CONGESTED, &lane->flags))
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
	if (drain)
		hbc_lane_kick(lane);
}

/* Callbacks of the socket, in softirq or under its lock. */

static void hbc_lane_data_ready(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane)
		hbc_lane_run(lane, &lane->rx_work);
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
		/* A side that refuses resets the connection, but says why before. */
		hbc_lane_run(lane, &lane->rx_work);
	else if (lane)
		hbc_lane_fail(lane, READ_ONCE(sk->sk_err) ?: ECONNRESET);
	read_unlock_bh(&sk->sk_callback_lock);
}

void hbc_lane_set_rate(struct hbc_lane *lane, u64 rate, bool strict)
{
	mutex_lock(&lane->tx_mutex);
	hbc_pace_set(lane, rate, strict);
	mutex_unlock(&lane->tx_mutex);
	hbc_lane_kick(lane);
}

static void hbc_lane_set_sock(struct hbc_lane *lane, struct socket *sock)
{
	mutex_lock(&lane->tx_mutex);
	spin_lock_bh(&lane->lock);
	lane->sock = sock;
	spin_unlock_bh(&lane->lock);
	if (sock) {
		hbc_gauge_begin(lane);
		if (lane->connector)
			hbc_pace_begin(lane);
	} else {
		hbc_tx_reset(lane);
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
 * A connection that has said goodbye, and was heard, ends in peace; another leaves nothing
 * behind. TCP stops the timers of a kernel's socket when it is released: one that would have
 * to send once more, or to wait by a timer, would stay for ever.
 */
static void hbc_lane_drop(struct socket *sock)
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
	cancel_work_sync(&lane->rx_work);
	cancel_work_sync(&lane->tx_work);
	hbc_lane_set_sock(lane, NULL);
	if (test_bit(HBC_LANE_PROBE, &lane->flags))
		hbc_lane_probe(lane->group, lane->peer, sock);
	else
		hbc_lane_drop(sock);
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

static void hbc_lane_open(struct hbc_lane *lane)
{
	struct sockaddr *addr = (struct sockaddr *)&lane->addr;
	struct socket *sock;
	int err;

	WRITE_ONCE(lane->state, HBC_LANE_CONNECTING);
	err = sock_create_kern(lane->hn->net, addr->sa_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (err)
		goto fail;
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

static void hbc_lane_half_del(struct hbc_lane *lane)
{
	lockdep_assert_held(&lane->hn->lanes_lock);
	if (list_empty(&lane->half_link))
		return;
	list_del_init(&lane->half_link);
	lane->hn->nr_half_open--;
}

static int hbc_lane_prepare(struct hbc_lane *lane)
{
	int err;

	mutex_lock(&lane->tx_mutex);
	lane->tx.frame = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);
	WRITE_ONCE(lane->mss, tcp_sk(lane->sock->sk)->mss_cache);
	if (lane->connector)
		hbc_pace_begin(lane);
	mutex_unlock(&lane->tx_mutex);
	err = lane->tx.frame ? hbc_rx_ready(&lane->rx) : -ENOMEM;
	return err ?: hbc_lane_ops->up(lane);
}

void hbc_lane_ready(struct hbc_lane *lane)
{
	int err;

	hbc_handshake_free(lane);
	spin_lock(&lane->hn->lanes_lock);
	hbc_lane_half_del(lane);
	spin_unlock(&lane->hn->lanes_lock);
	trace_hbc_lane_state(lane, HBC_LANE_READY, 0);
	err = hbc_lane_prepare(lane);
	if (err) {
		hbc_lane_fail(lane, -err);
		return;
	}
	set_bit(HBC_LANE_UP, &lane->flags);
	lane->stats.connects += lane->connector;
	lane->retry = HBC_LANE_RETRY_MIN_MS;
	lane->reason = HBC_REJECT_NONE;
	lane->looked = jiffies;
	lane->silent = 0;
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	/* What sees READY sees what has been set up before. */
	smp_store_release(&lane->state, HBC_LANE_READY);
	hbc_lane_tell(lane, true, 0);
	hbc_lane_wake(lane, 0);
	hbc_lane_kick(lane);
}

/* Life. */

static void hbc_lane_lists_del(struct hbc_lane *lane)
{
	spin_lock(&lane->hn->lanes_lock);
	list_del_init(&lane->link);
	hbc_lane_half_del(lane);
	spin_unlock(&lane->hn->lanes_lock);
}

/* The connection is over, for good or for now. */
static void hbc_lane_disconnect(struct hbc_lane *lane)
{
	int error = test_bit(HBC_LANE_FINISHED, &lane->flags) ? 0 : READ_ONCE(lane->error);

	trace_hbc_lane_state(lane, lane->state, error);
	hbc_lane_drop_sock(lane);
	if (!test_and_clear_bit(HBC_LANE_UP, &lane->flags))
		return;
	/* One that fell silent has been away since then. */
	WRITE_ONCE(lane->since, error == ETIMEDOUT ? READ_ONCE(lane->last_rx) : jiffies);
	hbc_lane_ops->down(lane);
	hbc_lane_tell(lane, false, error);
}

static void hbc_lane_end(struct hbc_lane *lane)
{
	hbc_lane_disconnect(lane);
	hbc_lane_lists_del(lane);
	spin_lock_bh(&lane->lock);
	WRITE_ONCE(lane->state, HBC_LANE_CLOSED);
	spin_unlock_bh(&lane->lock);
	cancel_work_sync(&lane->rx_work);
	cancel_work_sync(&lane->tx_work);
	cancel_delayed_work(&lane->life);
	if (lane->owner)
		hbc_lane_ops->gone(lane);
	hbc_lane_put(lane);
}

/* A connector tries again after a pause; returns the pause in jiffies. */
static unsigned long hbc_lane_backoff(struct hbc_lane *lane)
{
	unsigned int ms = lane->retry;

	hbc_handshake_free(lane);
	hbc_rx_reset(&lane->rx);
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
 * Whether nothing has come at so many looks in a row, each of them an interval
 * after the one before; what waits to be read has come. A machine that stood
 * still itself finds that it has looked once, not that the others were silent.
 */
static bool hbc_lane_silent(struct hbc_lane *lane, unsigned long interval)
{
	if (time_before(jiffies, lane->looked + interval))
		return false;
	if (!time_before(READ_ONCE(lane->last_rx), lane->looked) ||
	    !skb_queue_empty_lockless(&lane->sock->sk->sk_receive_queue))
		lane->silent = 0;
	else
		lane->silent++;
	lane->looked = jiffies;
	return lane->silent >= HBC_LANE_LOOKS;
}

unsigned long hbc_lane_interval(const struct hbc_lane *lane)
{
	u32 dead_ms = READ_ONCE(lane->group->config.dead_ms);

	return max(msecs_to_jiffies(dead_ms) / HBC_LANE_LOOKS, 1UL);
}

/* Nothing was sent for an interval: the other side is not to take this one for silent. */
static void hbc_lane_ping(struct hbc_lane *lane)
{
	struct hbc_wire_ping ping = { .token = cpu_to_be64(ktime_get_ns()) };

	hbc_wire_put_hdr(&ping.hdr, HBC_FRAME_PING, 0, sizeof(ping));
	/* Not between the parts of another frame. */
	mutex_lock(&lane->tx_mutex);
	if (lane->sock && !lane->tx.len && !lane->tx.rest.burst) {
		struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
		struct kvec vec = { .iov_base = &ping, .iov_len = sizeof(ping) };
		int n = kernel_sendmsg(lane->sock, &msg, &vec, 1, sizeof(ping));

		if (n > 0 && n < sizeof(ping))
			hbc_lane_fail(lane, ENOBUFS);
		else if (n > 0)
			WRITE_ONCE(lane->last_tx, jiffies);
	}
	mutex_unlock(&lane->tx_mutex);
}

static unsigned long hbc_lane_keepalive(struct hbc_lane *lane)
{
	unsigned long stall = msecs_to_jiffies(2 * READ_ONCE(lane->group->config.stall_ms));
	bool full = test_bit(HBC_LANE_CONGESTED, &lane->flags);
	unsigned long interval = hbc_lane_interval(lane);

	if (hbc_lane_silent(lane, interval))
		hbc_lane_fail(lane, ETIMEDOUT);
	else if (test_bit(HBC_LANE_FINISHED, &lane->flags) &&
		 time_after(jiffies, READ_ONCE(lane->begun) + HBC_LANE_FINISH))
		hbc_lane_fail(lane, ETIMEDOUT);
	else if (full && time_after(jiffies, READ_ONCE(lane->last_tx) + stall))
		hbc_lane_fail(lane, ETIME);
	else if (!full && time_after_eq(jiffies, READ_ONCE(lane->last_tx) + interval))
		hbc_lane_ping(lane);
	return interval;
}

/* What is due in the present state; returns jiffies to the next look. */
static unsigned long hbc_lane_step(struct hbc_lane *lane)
{
	unsigned long limit = msecs_to_jiffies(HBC_LANE_HANDSHAKE_MS);
	enum hbc_lane_state state = READ_ONCE(lane->state);

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
	/* What woke the lane meanwhile comes first. */
	queue_delayed_work(hbc_lane_wq, &lane->life, next);
}

static void hbc_lane_tx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, tx_work);

	hbc_tx_run(lane);
}

static void hbc_lane_rx_work(struct work_struct *work)
{
	struct hbc_lane *lane = container_of(work, struct hbc_lane, rx_work);
	int err;

	if (!lane->sock || READ_ONCE(lane->error))
		return;
	err = hbc_rx_turn(lane);
	if (err > 0)
		hbc_lane_run(lane, &lane->rx_work);
	else if (err < 0)
		hbc_lane_fail(lane, -err);
}

/* Birth. */

static struct hbc_lane *hbc_lane_new(struct hbc_net *hn, bool connector)
{
	struct hbc_lane *lane = kzalloc(sizeof(*lane), GFP_KERNEL);

	if (!lane)
		return NULL;
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
	spin_lock_init(&lane->lock);
	mutex_init(&lane->tx_mutex);
	INIT_DELAYED_WORK(&lane->life, hbc_lane_life);
	INIT_WORK(&lane->rx_work, hbc_lane_rx_work);
	INIT_WORK(&lane->tx_work, hbc_lane_tx_work);
	hbc_rx_init(&lane->rx);
	atomic_inc(&hn->nr_lanes);
	return lane;
}

struct hbc_lane *hbc_lane_connect(struct hbc_net *hn, const struct hbc_lane_target *to)
{
	struct hbc_lane *lane = hbc_lane_new(hn, true);

	if (!lane)
		return NULL;
	kref_get(&to->group->ref);
	lane->group = to->group;
	lane->root = to->root;
	lane->incarnation = to->incarnation;
	lane->peer = to->peer;
	lane->slot = to->slot;
	lane->addr = to->addr;
	lane->owner = to->owner;
	return lane;
}

void hbc_lane_begin(struct hbc_lane *lane)
{
	struct hbc_net *hn = lane->hn;

	hbc_lane_get(lane);
	spin_lock(&hn->lanes_lock);
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	set_bit(HBC_LANE_BORN, &lane->flags);
	hbc_lane_wake(lane, 0);
}

/* Whether two connections come from one address. */
static bool hbc_lane_same_source(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return ipv6_addr_equal(&((const struct sockaddr_in6 *)a)->sin6_addr,
			       &((const struct sockaddr_in6 *)b)->sin6_addr);
}

/*
 * Room for one more handshake, at the cost of the oldest from the same address if that has
 * too many, else of the oldest of all.
 */
static void hbc_lane_evict(struct hbc_net *hn, const struct hbc_lane *lane)
{
	struct hbc_lane *other, *oldest = NULL;
	unsigned int same = 0;

	lockdep_assert_held(&hn->lanes_lock);
	list_for_each_entry(other, &hn->half_open, half_link)
		if (hbc_lane_same_source(&other->addr, &lane->addr)) {
			oldest = oldest ?: other;
			same++;
		}
	if (same < HBC_LANE_HALF_OPEN_FROM)
		oldest = hn->nr_half_open < HBC_LANE_HALF_OPEN ? NULL :
			 list_first_entry(&hn->half_open, struct hbc_lane, half_link);
	if (!oldest)
		return;
	hbc_lane_half_del(oldest);
	hbc_lane_fail(oldest, EBUSY);
}

static void hbc_lane_accept(struct hbc_net *hn, struct socket *sock)
{
	struct hbc_lane *lane = hbc_lane_new(hn, false);

	if (!lane) {
		hbc_lane_drop(sock);
		return;
	}
	lane->state = HBC_LANE_HANDSHAKE;
	kernel_getpeername(sock, (struct sockaddr *)&lane->addr);
	spin_lock(&hn->lanes_lock);
	hbc_lane_evict(hn, lane);
	list_add_tail(&lane->half_link, &hn->half_open);
	hn->nr_half_open++;
	lane->id = ++hn->lane_ids;
	list_add_tail(&lane->link, &hn->lanes);
	spin_unlock(&hn->lanes_lock);
	/* The life work does not run yet: nothing ends the lane meanwhile. */
	hbc_lane_adopt_sock(lane, sock);
	hbc_lane_run(lane, &lane->rx_work);
	spin_lock_bh(&lane->lock);
	set_bit(HBC_LANE_BORN, &lane->flags);
	mod_delayed_work(hbc_lane_wq, &lane->life, 0);
	spin_unlock_bh(&lane->lock);
}

void hbc_lane_expel(struct hbc_group *group, bool all)
{
	struct hbc_net *hn = group->hn;
	struct hbc_lane *lane;

	spin_lock(&hn->lanes_lock);
	list_for_each_entry(lane, &hn->lanes, link)
		if (lane->group == group && (all || !hbc_group_is_member(group, lane->peer)))
			hbc_lane_fail(lane, EKEYREJECTED);
	spin_unlock(&hn->lanes_lock);
}

static void hbc_lane_changed(struct hbc_group *group, bool members, bool key)
{
	if (members || key)
		hbc_lane_expel(group, key);
}

static void hbc_lane_clear(struct hbc_net *hn)
{
	struct hbc_lane *lane;

	spin_lock(&hn->lanes_lock);
	list_for_each_entry(lane, &hn->lanes, link)
		hbc_lane_close(lane, false);
	spin_unlock(&hn->lanes_lock);
}

static struct hbc_node_user hbc_lane_user = {
	.accept = hbc_lane_accept,
	.clear = hbc_lane_clear,
	.changed = hbc_lane_changed,
};

int hbc_lane_init(void)
{
	hbc_lane_tx_wq = alloc_workqueue("hbcast_tx", WQ_MEM_RECLAIM | WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!hbc_lane_tx_wq)
		return -ENOMEM;
	hbc_lane_wq = alloc_workqueue("hbcast", WQ_MEM_RECLAIM, 0);
	if (!hbc_lane_wq) {
		destroy_workqueue(hbc_lane_tx_wq);
		return -ENOMEM;
	}
	hbc_node_use(&hbc_lane_user);
	return 0;
}

void hbc_lane_exit(void)
{
	destroy_workqueue(hbc_lane_wq);
	destroy_workqueue(hbc_lane_tx_wq);
}
