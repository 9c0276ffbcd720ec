// SPDX-License-Identifier: GPL-2.0
/*
 * The send side of a lane. Nothing is queued here: each time that the socket has room, the
 * owner is asked for what is due, control frames first.
 */
#include <linux/net.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "compat/send.h"
#include "lane/burst.h"
#include "lane/gauge.h"
#include "lane/lane.h"
#include "lane/pace.h"
#include "lane/tx.h"
#include "trace.h"

#define HBC_TX_PARTS	16	/* sent before something else has a turn */

void hbc_tx_reset(struct hbc_lane *lane)
{
	struct hbc_tx *tx = &lane->tx;

	if (tx->rest.burst)
		hbc_burst_put(tx->rest.burst);
	kfree(tx->frame);
	memset(tx, 0, sizeof(*tx));
}

int hbc_tx_now(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = (void *)frame, .iov_len = len };
	int n = -ENOTCONN;

	mutex_lock(&lane->tx_mutex);
	if (lane->sock)
		n = kernel_sendmsg(lane->sock, &msg, &vec, 1, len);
	mutex_unlock(&lane->tx_mutex);
	if (n < 0)
		return n;
	WRITE_ONCE(lane->last_tx, jiffies);
	lane->stats.tx_bytes += n;
	return n == len ? 0 : -ENOBUFS;
}

/*
 * Bytes have gone; or the socket has no room, or is of no use. Return: 1 if it may take more,
 * else -1.
 */
static int hbc_tx_went(struct hbc_lane *lane, int n)
{
	if (n >= 0) {
		trace_hbc_transmit(lane, n);
		lane->stats.tx_bytes += n;
		WRITE_ONCE(lane->last_tx, jiffies);
		return 1;
	}
	if (n != -EAGAIN) {
		hbc_lane_fail(lane, -n);
		return -1;
	}
	lane->stats.tx_full++;
	set_bit(HBC_LANE_CONGESTED, &lane->flags);
	/* TCP calls when it has room if this is set. It had room meanwhile, perhaps. */
	set_bit(SOCK_NOSPACE, &lane->sock->flags);
	smp_mb__after_atomic(); /* pairs with tcp_check_space() */
	if (!sk_stream_is_writeable(lane->sock->sk) ||
	    !test_and_clear_bit(SOCK_NOSPACE, &lane->sock->flags)) {
		hbc_pace_full(lane);
		return -1;
	}
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	return 1;
}

/* A PONG or a frame of the owner's becomes the one that is under way: whether there is one. */
static bool hbc_tx_control(struct hbc_lane *lane)
{
	struct hbc_wire_ping *pong = (struct hbc_wire_ping *)lane->tx.frame;

	if (lane->tx.len)
		return true;
	lane->tx.off = 0;
	spin_lock_bh(&lane->lock);
	if (lane->ponging) {
		lane->tx.len = hbc_wire_put_hdr(&pong->hdr, HBC_FRAME_PONG, 0, sizeof(*pong));
		pong->token = cpu_to_be64(lane->pong);
		lane->ponging = false;
	}
	spin_unlock_bh(&lane->lock);
	if (!lane->tx.len)
		lane->tx.len = hbc_lane_ops->control(lane, lane->tx.frame);
	return lane->tx.len;
}

static int hbc_tx_send_control(struct hbc_lane *lane)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct hbc_tx *tx = &lane->tx;
	struct kvec vec = { .iov_base = tx->frame + tx->off, .iov_len = tx->len - tx->off };
	int n = kernel_sendmsg(lane->sock, &msg, &vec, 1, vec.iov_len);

	if (n > 0) {
		tx->off += n;
		if (tx->off == tx->len)
			tx->len = 0;
	}
	return hbc_tx_went(lane, n);
}

static int hbc_tx_part(struct hbc_lane *lane, const struct hbc_tx_part *part)
{
	return hbc_compat_send(lane->sock, part->burst->bv, part->burst->nr, part->pos,
			       part->pos + part->len);
}

/* The end of a fragment of which the beginning has gone. */
static int hbc_tx_rest(struct hbc_lane *lane)
{
	struct hbc_tx_part *rest = &lane->tx.rest;
	int n = hbc_tx_part(lane, rest);

	if (n > 0) {
		rest->pos += n;
		rest->len -= n;
	}
	if (!rest->len) {
		hbc_burst_put(rest->burst);
		rest->burst = NULL;
	}
	return hbc_tx_went(lane, n);
}

/* The owner's next data. A fragment that TCP takes in part will be taken whole. */
static int hbc_tx_data(struct hbc_lane *lane, struct hbc_tx_part *part)
{
	struct hbc_tx_part *rest = &lane->tx.rest;
	u32 whole;
	int n;

	n = hbc_tx_part(lane, part);
	if (n > 0) {
		whole = min(roundup((u32)n, part->frame), part->len);
		hbc_lane_ops->sent(lane, part, whole);
		lane->stats.tx_bursts++;
		if (whole > n) {
			*rest = *part;
			rest->pos += n;
			rest->len = whole - n;
			hbc_burst_get(rest->burst);
		}
	}
	hbc_burst_put(part->burst);
	return hbc_tx_went(lane, n);
}

/* Return: 1 if something went and more may go, 0 if nothing is due, -1 to stop. */
static int hbc_tx_one(struct hbc_lane *lane)
{
	struct hbc_tx_part part;

	if (lane->tx.rest.burst)
		return hbc_tx_rest(lane);
	if (hbc_tx_control(lane))
		return hbc_tx_send_control(lane);
	if (!lane->connector || !hbc_lane_ops->next(lane, &part))
		return 0;
	hbc_gauge_send(lane);
	return hbc_tx_data(lane, &part);
}

/* All has been sent: says so, and the other side ends the connection when it has read that. */
static void hbc_tx_finish(struct hbc_lane *lane)
{
	if (test_and_set_bit(HBC_LANE_FINISHED, &lane->flags))
		return;
	WRITE_ONCE(lane->begun, jiffies);
	kernel_sock_shutdown(lane->sock, SHUT_WR);
}

void hbc_tx_run(struct hbc_lane *lane)
{
	unsigned int left = HBC_TX_PARTS;
	bool draining = false;
	int ret = 1;

	mutex_lock(&lane->tx_mutex);
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	while (ret > 0 && left && lane->sock && hbc_lane_is_ready(lane) &&
	       !test_bit(HBC_LANE_FINISHED, &lane->flags)) {
		left--;
		/* What the owner says last, it says before: looked at later, it may be missed. */
		draining = test_bit(HBC_LANE_DRAINING, &lane->flags);
		ret = hbc_tx_one(lane);
	}
	if (!ret && draining)
		hbc_tx_finish(lane);
	mutex_unlock(&lane->tx_mutex);
	if (ret > 0 && !left)
		hbc_lane_kick(lane);
}
