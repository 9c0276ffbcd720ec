// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: what is read off a lane's socket goes to children and sockets.
 *
 * A turn drains the socket under its lock into a few bursts without copying,
 * lets go of it, and then forwards and delivers: the locks of two sockets are
 * never held together.
 */
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "burst.h"
#include "forward.h"
#include "group.h"
#include "handshake.h"
#include "lack.h"
#include "lane.h"
#include "message.h"
#include "read.h"
#include "receive.h"
#include "schedule.h"
#include "shortcut.h"
#include "trace.h"
#include "transmit.h"

int hbc_receive_alloc(struct hbc_receive *rx)
{
	rx->head = kmalloc(HBC_CONTROL_MAX, GFP_KERNEL);
	rx->inflow = kcalloc(HBC_INFLOWS + 2, sizeof(*rx->inflow), GFP_KERNEL);
	if (rx->head && rx->inflow)
		return 0;
	hbc_receive_free(rx);
	return -ENOMEM;
}

void hbc_inflow_clear(struct hbc_inflow *in)
{
	unsigned int i;

	for (i = 0; i < in->nr_runs; i++)
		hbc_message_put(in->run[i].message);
	in->nr_runs = 0;
	if (in->tree)
		hbc_tree_put(in->tree);
	in->tree = NULL;
	if (in->burst)
		hbc_burst_put(in->burst);
	in->burst = NULL;
}

void hbc_receive_reset(struct hbc_receive *rx)
{
	while (rx->nr)
		hbc_inflow_clear(&rx->inflow[--rx->nr]);
	if (rx->message)
		hbc_message_put(rx->message);
	if (rx->tree)
		hbc_tree_put(rx->tree);
	hbc_shortcut_reset(rx);
	rx->message = NULL;
	rx->tree = NULL;
	rx->sent = 0;
	rx->have = 0;
	rx->left = 0;
	rx->whole = 0;
	rx->judged = false;
	rx->placed = false;
	rx->skip = false;
	rx->alike = false;
	rx->control = false;
}

void hbc_receive_free(struct hbc_receive *rx)
{
	if (rx->inflow)
		hbc_receive_reset(rx);
	kfree(rx->inflow);
	kfree(rx->head);
}

/* Control frames. */

static int hbc_receive_ack(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_ack *entry;
	u16 count = 0, i;
	int err;

	entry = kmalloc_array(HBC_ACK_MAX_ENTRIES, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	err = hbc_wire_get_ack(rx->head, &rx->hdr, entry, &count);
	for (i = 0; i < count && !err; i++)
		hbc_schedule_child_ack(lane, &entry[i]);
	kfree(entry);
	return err;
}

static int hbc_receive_lost(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_lost f;
	u32 *node;
	int err;

	node = kmalloc_array(HBC_LOST_MAX_NODES, sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	err = hbc_wire_get_lost(rx->head, &rx->hdr, &f, node);
	if (!err)
		hbc_schedule_lost(lane, rx->hdr.flags, &f, node);
	kfree(node);
	return err;
}

static int hbc_receive_tree(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_tree_node *node;
	struct hbc_tree_frame f;
	int err;

	node = kmalloc_array(HBC_TREE_MAX_NODES, sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	err = hbc_wire_get_tree(rx->head, &rx->hdr, &f, node);
	if (!err)
		err = hbc_schedule_tree(lane, &f, node);
	kfree(node);
	return err;
}

static int hbc_receive_ping(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	u8 frame[HBC_HDR_LEN + sizeof(u64)];
	struct hbc_ping ping;

	if (hbc_wire_get_ping(rx->head, &rx->hdr, &ping))
		return -EBADMSG;
	/* One who asks and does not read the answers gets no more of them. */
	if (rx->hdr.type == HBC_FRAME_PONG || !hbc_transmit_room(lane) ||
	    test_bit(HBC_LANE_FINISHED, &lane->flags))
		return 0;
	hbc_transmit_frame(lane, frame, hbc_wire_put_ping(frame, HBC_FRAME_PONG, &ping));
	hbc_transmit_send(lane);
	return 0;
}

static int hbc_receive_nack(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_range *range;
	struct hbc_nack f;
	int err;

	range = kmalloc_array(HBC_NACK_MAX_RANGES, sizeof(*range), GFP_KERNEL);
	if (!range)
		return -ENOMEM;
	err = hbc_wire_get_nack(rx->head, &rx->hdr, &f, range);
	if (!err)
		hbc_schedule_child_nack(lane, &f, range);
	kfree(range);
	return err;
}

static int hbc_receive_block_ack(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_block_ack f;

	if (hbc_wire_get_block_ack(rx->head, &rx->hdr, &f))
		return -EBADMSG;
	hbc_schedule_child_block_ack(lane, &f);
	return 0;
}

static int hbc_receive_block_end(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_block_end f;
	struct hbc_tree *tree;
	int err;

	if (hbc_wire_get_block_end(rx->head, &rx->hdr, &f))
		return -EBADMSG;
	tree = hbc_tree_get(lane->sched, f.epoch, lane->slot);
	if (!tree) {
		hbc_group_drop(lane->sched->group, HBC_DROP_NO_TREE);
		return 0;
	}
	WRITE_ONCE(tree->heard, jiffies);
	err = hbc_message_block_end(lane, tree, &f, rx->head);
	hbc_tree_put(tree);
	return err;
}

/* What a child says of messages, which he does where all are reached. */
static int hbc_receive_report(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	if (lane->slot != HBC_SLOT_ALL)
		return -EPROTO;
	switch (rx->hdr.type) {
	case HBC_FRAME_NACK:
		return hbc_receive_nack(lane, rx);
	case HBC_FRAME_BLOCK_ACK:
		return hbc_receive_block_ack(lane, rx);
	}
	return hbc_receive_ack(lane, rx);
}

/* What a child says. */
static int hbc_receive_from_child(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_tree_ack f;

	switch (rx->hdr.type) {
	case HBC_FRAME_NACK:
	case HBC_FRAME_BLOCK_ACK:
	case HBC_FRAME_ACK:
		return hbc_receive_report(lane, rx);
	case HBC_FRAME_LOST:
		return hbc_receive_lost(lane, rx);
	case HBC_FRAME_TREE_ACK:
		if (hbc_wire_get_tree_ack(rx->head, &rx->hdr, &f))
			return -EBADMSG;
		hbc_schedule_tree_ack(lane, &f);
		return 0;
	}
	return -EPROTO;
}

/* What a parent says, but for fragments. */
static int hbc_receive_from_parent(struct hbc_lane *lane, const struct hbc_receive *rx)
{
	struct hbc_epoch_end f;

	switch (rx->hdr.type) {
	case HBC_FRAME_BLOCK_END:
		return hbc_receive_block_end(lane, rx);
	case HBC_FRAME_TREE:
		return hbc_receive_tree(lane, rx);
	case HBC_FRAME_EPOCH_END:
		if (hbc_wire_get_epoch_end(rx->head, &rx->hdr, &f))
			return -EBADMSG;
		hbc_schedule_epoch_end(lane, f.epoch);
		return 0;
	}
	return -EPROTO;
}

/* A tree that has ended keeps its lanes' memory: it does not wait for a fragment. */
static void hbc_receive_forget(struct hbc_receive *rx)
{
	if (!rx->tree || !READ_ONCE(rx->tree->gone))
		return;
	hbc_tree_put(rx->tree);
	rx->tree = NULL;
}

static int hbc_receive_control(struct hbc_lane *lane)
{
	struct hbc_receive *rx = &lane->rx;
	int err;

	if (READ_ONCE(lane->state) != HBC_LANE_READY)
		err = hbc_handshake_frame(lane, &rx->hdr, rx->head);
	else if (rx->hdr.type == HBC_FRAME_PING || rx->hdr.type == HBC_FRAME_PONG)
		err = hbc_receive_ping(lane, rx);
	else if (rx->hdr.slot != lane->slot)
		err = -EPROTO;
	else if (lane->connector)
		err = hbc_receive_from_child(lane, rx);
	else
		err = hbc_receive_from_parent(lane, rx);
	hbc_receive_forget(rx);
	rx->control = false;
	rx->have = 0;
	return err;
}

/* From the bursts to children and sockets. */

/* Where whole messages are handed on, it is of one. */
static struct hbc_part hbc_receive_part(const struct hbc_inflow *in)
{
	const struct hbc_run *last = in->nr_runs ? &in->run[in->nr_runs - 1] : NULL;
	struct hbc_part part = {};

	if (last) {
		part.message = last->id;
		part.last = last->end || last->offset + last->bytes == last->message->total;
	}
	return part;
}

static void hbc_receive_dispatch(struct hbc_receive *rx, unsigned int nr)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		struct hbc_inflow *in = &rx->inflow[i];
		struct hbc_part part = hbc_receive_part(in);

		WRITE_ONCE(in->tree->heard, jiffies);
		if (in->repair)
			hbc_forward_repair(in->tree, in->burst, in->run, in->nr_runs);
		else
			hbc_forward_queue(in->tree, in->burst, in->ahead, in->used, &part);
		if (i + 1 == nr || rx->inflow[i + 1].tree != in->tree)
			hbc_forward_send(in->tree);
	}
	for (i = 0; i < nr; i++) {
		struct hbc_inflow *in = &rx->inflow[i];

		for (k = 0; k < in->nr_runs; k++) {
			const struct hbc_run *run = &in->run[k];

			hbc_message_deliver(run, in->burst);
			if (!in->repair)
				hbc_lack_reach(run->message, in->tree, run->offset,
					       run->offset + run->bytes);
		}
		hbc_inflow_clear(in);
	}
}

static int hbc_receive_forward(struct hbc_receive *rx)
{
	struct hbc_inflow *last = hbc_read_last(rx);
	struct hbc_burst *half = NULL;
	struct hbc_tree *tree = NULL;
	bool repair = last && last->repair;
	u64 used = last ? last->used : 0;

	/* What is not whole stays for the next turn. */
	if (last && !rx->whole) {
		swap(half, last->burst);
		swap(tree, last->tree);
		rx->nr--;
	} else if (last && last->burst->len > rx->whole) {
		half = hbc_read_carry(last->burst, rx->whole, HBC_BURST_VECTORS);
		if (!half)
			return -ENOMEM;
		tree = last->tree;
		refcount_inc(&tree->ref);
	}
	hbc_receive_dispatch(rx, rx->nr);
	rx->nr = 0;
	rx->whole = 0;
	if (half) {
		rx->inflow[0].burst = half;
		rx->inflow[0].ahead = 0;
		rx->inflow[0].used = used;
		rx->inflow[0].repair = repair;
		rx->inflow[0].tree = tree;
		rx->nr = 1;
	}
	return 0;
}

/* Whether what is read can go on: down and to sockets, or up. */
static bool hbc_receive_room(struct hbc_lane *lane)
{
	struct hbc_schedule *sched = lane->sched;
	const struct hbc_lane *up;
	struct hbc_tree *tree;
	bool room = true;

	if (READ_ONCE(lane->state) != HBC_LANE_READY)
		return true;
	if (lane->connector) {
		spin_lock_bh(&sched->lock);
		list_for_each_entry(up, &sched->parents, sched_link)
			room = room && (up->slot != lane->slot || hbc_transmit_room(up));
		spin_unlock_bh(&sched->lock);
		return room;
	}
	/* What comes is answered: a parent that does not read gets no more answers. */
	if (!hbc_transmit_room(lane))
		return false;
	rcu_read_lock();
	list_for_each_entry_rcu(tree, &sched->trees, link)
		room = room && (tree->slot != lane->slot || tree->adopted ||
				hbc_forward_room(tree));
	rcu_read_unlock();
	return room && hbc_message_room(sched);
}

/* The same, and if there is none whoever makes it will start the lane again. */
static bool hbc_receive_may(struct hbc_lane *lane)
{
	if (hbc_receive_room(lane))
		return true;
	set_bit(HBC_LANE_PAUSED, &lane->flags);
	set_bit(HBC_SCHEDULE_WAITING, &lane->sched->flags);
	smp_mb__after_atomic(); /* pairs with hbc_schedule_resume() */
	if (!hbc_receive_room(lane)) {
		lane->stats.rx_paused++;
		return false;
	}
	clear_bit(HBC_LANE_PAUSED, &lane->flags);
	return true;
}

static int hbc_receive_read(struct hbc_lane *lane)
{
	read_descriptor_t desc = { .arg.data = lane, .count = 1 };
	struct sock *sk = lane->sock->sk;
	bool more, closed, urgent;
	int n, err;

	lock_sock(sk);
	set_bit(HBC_LANE_READING, &lane->flags);
	n = tcp_read_sock(sk, &desc, hbc_read_actor);
	more = !skb_queue_empty(&sk->sk_receive_queue);
	urgent = tcp_sk(sk)->urg_data;
	closed = sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_state == TCP_CLOSE;
	release_sock(sk);
	if (n > 0)
		WRITE_ONCE(lane->last_rx, jiffies);
	trace_hbc_receive(lane, n, lane->rx.nr);
	err = hbc_receive_forward(&lane->rx);
	if (!err)
		err = desc.error ?: min(n, 0);
	/* Reading would stop at urgent data for ever; nobody sends any. */
	if (!err && urgent)
		err = -EPROTO;
	if (!err && lane->rx.control)
		err = hbc_receive_control(lane);
	if (err)
		return err;
	if (closed && !more)
		return -(READ_ONCE(sk->sk_err) ?: ESHUTDOWN);
	return more;
}

int hbc_receive_turn(struct hbc_lane *lane)
{
	int ret;

	if (!hbc_receive_may(lane))
		return -EAGAIN;
	ret = hbc_receive_read(lane);
	smp_mb__before_atomic(); /* pairs with hbc_shortcut_skb() */
	clear_bit(HBC_LANE_READING, &lane->flags);
	return ret;
}
