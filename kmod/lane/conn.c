// SPDX-License-Identifier: GPL-2.0
/* The TCP connection of a lane. */
#include <linux/in.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <net/tcp.h>

#include "config/addr.h"
#include "config/node.h"
#include "lane/conn.h"
#include "lane/gauge.h"
#include "lane/lane.h"
#include "lane/pace.h"
#include "lane/tx.h"

/* Callbacks of the socket, in softirq or under its lock. */

static void hbc_conn_write_space(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && sk_stream_is_writeable(sk) &&
	    test_and_clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags))
		hbc_lane_run(lane, &lane->tx_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

/* It is connected, or something has come, or the end, before which all is to be read. */
static void hbc_conn_news(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && READ_ONCE(lane->state) == HBCAST_LANE_STATE_CONNECTING &&
	    sk->sk_state == TCP_ESTABLISHED)
		hbc_lane_wake(lane);
	if (lane)
		hbc_lane_run(lane, &lane->rx_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_conn_error_report(struct sock *sk)
{
	struct hbc_lane *lane;

	read_lock_bh(&sk->sk_callback_lock);
	lane = sk->sk_user_data;
	if (lane && READ_ONCE(lane->state) == HBCAST_LANE_STATE_HANDSHAKE)
		/* A side that refuses resets the connection, but says why before. */
		hbc_lane_run(lane, &lane->rx_work);
	else if (lane)
		hbc_lane_fail(lane, READ_ONCE(sk->sk_err) ?: ECONNRESET);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void hbc_conn_set(struct hbc_lane *lane, struct socket *sock)
{
	mutex_lock(&lane->tx_mutex);
	lane->sock = sock;
	if (sock) {
		hbc_gauge_begin(lane);
		if (lane->connector)
			hbc_pace_begin(lane);
	} else {
		hbc_tx_reset(lane);
	}
	mutex_unlock(&lane->tx_mutex);
}

void hbc_conn_adopt(struct hbc_lane *lane, struct socket *sock)
{
	struct sock *sk = sock->sk;

	tcp_sock_set_nodelay(sk);
	hbc_conn_set(lane, sock);
	lock_sock(sk);
	sk->sk_allocation = GFP_KERNEL;
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = lane;
	lane->saved.data_ready = sk->sk_data_ready;
	lane->saved.write_space = sk->sk_write_space;
	lane->saved.state_change = sk->sk_state_change;
	lane->saved.error_report = sk->sk_error_report;
	sk->sk_data_ready = hbc_conn_news;
	sk->sk_write_space = hbc_conn_write_space;
	sk->sk_state_change = hbc_conn_news;
	sk->sk_error_report = hbc_conn_error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

/*
 * One that has said goodbye, and was heard, ends in peace; another leaves nothing behind. TCP
 * stops the timers of a kernel's socket when it is released: one that would have to send once
 * more, or to wait by a timer, would stay for ever.
 */
void hbc_conn_drop(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (sk->sk_state != TCP_FIN_WAIT2 || tcp_fin_time(sk) > TCP_TIMEWAIT_LEN)
		sock_no_linger(sk);
	sock_release(sock);
}

int hbc_conn_send(struct socket *sock, const void *data, unsigned int len, int flags)
{
	struct kvec vec = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_flags = flags | MSG_NOSIGNAL };

	return kernel_sendmsg(sock, &msg, &vec, 1, len);
}

/* Flag, callbacks, work, release: in this order nobody finds a dead socket. */
void hbc_conn_end(struct hbc_lane *lane)
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
	hbc_conn_set(lane, NULL);
	if (test_bit(HBC_LANE_PROBE, &lane->flags))
		hbc_probe_accept(lane->group, lane->peer, sock);
	else
		hbc_conn_drop(sock);
}

void hbc_conn_open(struct hbc_lane *lane)
{
	struct sockaddr *addr = (struct sockaddr *)&lane->addr;
	struct socket *sock;
	int err;

	WRITE_ONCE(lane->state, HBCAST_LANE_STATE_CONNECTING);
	err = sock_create_kern(lane->hn->net, addr->sa_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (!err) {
		lane->begun = jiffies;
		WRITE_ONCE(lane->last_rx, jiffies);
		hbc_conn_adopt(lane, sock);
		err = hbc_addr_bind(sock, &lane->hn->addr) ?:
		      kernel_connect(sock, addr, sizeof(lane->addr), O_NONBLOCK);
	}
	if (err && err != -EINPROGRESS)
		hbc_lane_fail(lane, -err);
}
