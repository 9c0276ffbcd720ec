// SPDX-License-Identifier: GPL-2.0
/*
 * The send side of a lane. Nothing is queued here: each time that the socket has room, the
 * owner is asked for what is due, control frames first.
 */
#include <linux/net.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "compat/send.h"
#include "lane/conn.h"
#include "lane/gauge.h"
#include "lane/lane.h"
#include "lane/pace.h"
#include "lane/tx.h"

#define HBC_TX_SENDS	16	/* before something else has a turn */
#define HBC_TX_BYTES	65536	/* and vectors of data that go at once: */
#define HBC_TX_VECTORS	(2 * MAX_SKB_FRAGS)

void hbc_tx_reset(struct hbc_lane *lane)
{
	struct hbc_tx *tx = &lane->tx;

	while (tx->nr)
		hbc_burst_put(tx->part[--tx->nr].burst);
	kfree(tx->frame);
	memset(tx, 0, sizeof(*tx));
}

int hbc_tx_now(struct hbc_lane *lane, const void *frame, unsigned int len)
{
	int n = -ENOTCONN;

	mutex_lock(&lane->tx_mutex);
	/* Not between the parts of another frame. */
	if (lane->sock && !lane->tx.len && !lane->tx.nr)
		n = hbc_conn_send(lane->sock, frame, len, MSG_DONTWAIT);
	if (n > 0) {
		WRITE_ONCE(lane->last_tx, jiffies);
		lane->stats.tx_bytes += n;
	}
	mutex_unlock(&lane->tx_mutex);
	return n < 0 ? n : n == len ? 0 : -ENOBUFS;
}

/* Bytes have gone, or the socket has no room or is of no use. Return: 1 for more, or -1. */
static int hbc_tx_went(struct hbc_lane *lane, int n)
{
	if (n >= 0) {
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
	if (READ_ONCE(lane->ponging)) {
		lane->tx.len = hbc_wire_put_hdr(&pong->hdr, HBC_FRAME_PONG, 0, sizeof(*pong));
		spin_lock_bh(&lane->lock);
		pong->token = cpu_to_be64(lane->pong);
		WRITE_ONCE(lane->ponging, false);
		spin_unlock_bh(&lane->lock);
	}
	if (!lane->tx.len)
		lane->tx.len = hbc_owner_control(lane, lane->tx.frame);
	return lane->tx.len;
}

static int hbc_tx_send_control(struct hbc_lane *lane)
{
	struct hbc_tx *tx = &lane->tx;
	int n = hbc_conn_send(lane->sock, tx->frame + tx->off, tx->len - tx->off,
			      MSG_DONTWAIT | MSG_MORE);

	if (n > 0) {
		tx->off += n;
		if (tx->off == tx->len)
			tx->len = 0;
	}
	return hbc_tx_went(lane, n);
}

/* TCP has taken bytes of what the owner has given. */
static void hbc_tx_took(struct hbc_tx *tx, u32 bytes)
{
	unsigned int done = 0;

	while (done < tx->nr && bytes >= tx->part[done].len) {
		bytes -= tx->part[done].len;
		hbc_burst_put(tx->part[done++].burst);
	}
	tx->nr -= done;
	memmove(tx->part, tx->part + done, tx->nr * sizeof(tx->part[0]));
	if (tx->nr) {
		tx->part[0].pos += bytes;
		tx->part[0].len -= bytes;
	}
}

/* Parts of several bursts. Not inline: its vector is long, and cleared each time. */
static noinline int hbc_tx_send_parts(struct hbc_lane *lane)
{
	struct bio_vec bv[HBC_TX_VECTORS];
	struct hbc_tx *tx = &lane->tx;
	unsigned int i, nr = 0;
	u32 len, bytes = 0;

	for (i = 0; i < tx->nr && nr < HBC_TX_VECTORS; i++, bytes += len) {
		len = tx->part[i].len;
		nr = hbc_burst_vectors(tx->part[i].burst, tx->part[i].pos, &len, bv, nr,
				       HBC_TX_VECTORS);
	}
	return hbc_compat_send(lane->sock, bv, nr, 0, bytes);
}

static int hbc_tx_send_data(struct hbc_lane *lane)
{
	struct hbc_tx *tx = &lane->tx;
	const struct hbc_burst *b = tx->part[0].burst;
	unsigned int at;
	u32 skip;
	int n;

	hbc_gauge_send(lane);
	if (tx->nr == 1) {
		at = hbc_burst_seek(b, tx->part[0].pos, &skip);
		n = hbc_compat_send(lane->sock, b->bv + at, b->nr - at, skip, tx->part[0].len);
	} else {
		n = hbc_tx_send_parts(lane);
	}
	if (n > 0) {
		lane->stats.tx_bursts++;
		hbc_tx_took(tx, n);
	}
	return hbc_tx_went(lane, n);
}

/* What goes on in a burst where the part before ends is no other part. */
static void hbc_tx_add(struct hbc_tx *tx)
{
	struct hbc_held *part = &tx->part[tx->nr], *last = part - 1;

	if (tx->nr && last->burst == part->burst && last->pos + last->len == part->pos) {
		last->len += part->len;
		hbc_burst_put(part->burst);
	} else {
		tx->nr++;
	}
}

/*
 * The owner's next data, as much as fills a skb, but not more than the socket is to hold
 * unsent: whether there is some.
 */
static bool hbc_tx_gather(struct hbc_lane *lane)
{
	u32 left = min_t(u32, READ_ONCE(tcp_sk(lane->sock->sk)->notsent_lowat), HBC_TX_BYTES);
	struct hbc_tx *tx = &lane->tx;

	do {
		if (!hbc_owner_next(lane, left, &tx->part[tx->nr]))
			break;
		left -= min(left, tx->part[tx->nr].len);
		hbc_tx_add(tx);
	} while (tx->nr < HBC_TX_PARTS && left >= lane->mss);
	return tx->nr;
}

/* Return: 1 if something went and more may go, 0 if nothing is due, -1 to stop. */
static int hbc_tx_one(struct hbc_lane *lane)
{
	if (lane->tx.nr)
		return hbc_tx_send_data(lane);
	if (hbc_tx_control(lane))
		return hbc_tx_send_control(lane);
	if (!lane->connector)
		return 0;
	/* The root's pieces get their slots when they can go. */
	if (!sk_stream_memory_free(lane->sock->sk))
		return hbc_tx_went(lane, -EAGAIN);
	return hbc_tx_gather(lane) ? hbc_tx_send_data(lane) : 0;
}

/* What is short has waited for what comes behind it: nothing does now. */
static void hbc_tx_push(struct hbc_lane *lane)
{
	const struct tcp_sock *tp = lane->sock ? tcp_sk(lane->sock->sk) : NULL;

	/* TCP has no other name for it. */
	if (tp && READ_ONCE(tp->write_seq) != READ_ONCE(tp->snd_nxt))
		tcp_sock_set_nodelay(lane->sock->sk);
}

void hbc_tx_run(struct hbc_lane *lane)
{
	unsigned int left = HBC_TX_SENDS;
	int ret = 1;

	lockdep_assert_held(&lane->tx_mutex);
	clear_bit(HBC_LANE_CONGESTED, &lane->flags);
	while (ret > 0 && left && lane->sock && hbc_lane_is_ready(lane) &&
	       !test_bit(HBC_LANE_FINISHED, &lane->flags)) {
		left--;
		ret = hbc_tx_one(lane);
	}
	hbc_tx_push(lane);
	/* The other side ends the connection when it has read that all has been sent. */
	if (!ret && test_bit(HBC_LANE_DRAINING, &lane->flags) &&
	    test_bit(HBC_LANE_OVER, &lane->flags)) {
		set_bit(HBC_LANE_FINISHED, &lane->flags);
		WRITE_ONCE(lane->begun, jiffies);
		kernel_sock_shutdown(lane->sock, SHUT_WR);
	}
	mutex_unlock(&lane->tx_mutex);
	if (ret > 0 && !left)
		hbc_lane_kick(lane);
}
