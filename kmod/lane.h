/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lane: one TCP connection, one edge of one tree, parent connects to child.
 *
 * Life is one work item (connect, handshake's clock, keepalive, reconnect,
 * end), receiving is another, and sending is done by whoever queued or by a
 * third one when the socket has room again.
 */
#ifndef _HBC_LANE_H
#define _HBC_LANE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "receive.h"
#include "wire.h"

struct hbc_burst;
struct hbc_group;
struct hbc_net;
struct hbc_schedule;
struct sock;
struct socket;

enum hbc_lane_state {
	HBC_LANE_CONNECTING,	/* connector: TCP is not established */
	HBC_LANE_HANDSHAKE,	/* neither side has proved itself, or one */
	HBC_LANE_READY,
	HBC_LANE_BACKOFF,	/* connector: waits before the next try */
	HBC_LANE_CLOSED,
};

/* Written by one work item each; read by anybody without a lock. */
struct hbc_lane_stats {
	u64 tx_bytes;
	u64 tx_bursts;
	u64 rx_bytes;
	u64 rx_fragments;
	u64 tx_full;		/* times that the socket had no room */
	u64 rx_paused;		/* times that reading stopped for lack of room below */
	u64 dropped;		/* bursts that a broken connection took with it */
	u32 connects;
	u32 rejects;
};

/**
 * struct hbc_lane - one connection's life
 * @ref: references; the life work holds one until the lane is closed
 * @hn: the node
 * @link: hn->lanes; hn->lanes_lock
 * @half_link: hn->half_open; hn->lanes_lock
 * @sched_link: sched->lanes (connectors); hn->lock
 * @sched: schedule; set at birth (connector) or by the handshake (acceptor),
 *	a reference
 * @peer: the other's node id; 0 before an acceptor has seen HELLO
 * @slot: number of the tree
 * @connector: this node is the parent
 * @users: trees that send over this lane (connectors); hn->lock
 * @addr: the child's address (connectors)
 * @state: enum hbc_lane_state; written by the life and receive work
 * @error: why the connection ends, a positive errno; first one wins
 * @reason: enum hbc_reject_reason that the other side gave
 * @closing: the lane shall end; set once by hbc_lane_close()
 * @draining: end when the queue is empty
 * @sock: the connection; set and cleared by the life work under @tx_mutex
 * @life: connects, watches, reconnects, ends
 * @rx_work: reads; runs until the socket is empty or somebody is full
 * @tx_work: sends when the socket has room again
 * @rx: the receive side's state; @rx_work only
 * @rx_paused: bit 0: reading waits for room below
 * @last_rx: jiffies of the last byte that came
 * @last_tx: jiffies of the last byte that went
 * @handshake: nonces and transcript while the handshake lasts, else NULL
 * @queue_lock: @queue, @queued, @acks, @nr_acks
 * @queue: bursts to be sent (struct hbc_lane_entry)
 * @queued: truesize of @queue in bytes
 * @acks: reports for the parent that are not in a frame yet
 * @nr_acks: entries of @acks in use
 * @tx_mutex: @sock against its end, @tx_off; held while sending
 * @tx_off: bytes of the queue's first burst that have been sent
 * @stats: counters
 */
struct hbc_lane {
	struct kref ref;
	struct hbc_net *hn;
	struct list_head link;
	struct list_head half_link;
	struct list_head sched_link;
	struct hbc_schedule *sched;
	u32 peer;
	u8 slot;
	bool connector;
	unsigned int users;
	struct sockaddr_storage addr;

	enum hbc_lane_state state;
	int error;
	u16 reason;
	unsigned long flags;

	struct socket *sock;
	struct delayed_work life;
	struct work_struct rx_work;
	struct work_struct tx_work;
	struct hbc_receive rx;
	unsigned long last_rx;
	unsigned long last_tx;
	unsigned long down_since;
	unsigned long stalled_since;
	struct hbc_handshake *handshake;

	spinlock_t queue_lock;
	struct list_head queue;
	unsigned int queued;
	struct hbc_ack *acks;
	unsigned int nr_acks;

	struct mutex tx_mutex;
	unsigned int tx_off;

	struct hbc_lane_stats stats;
};

/*
 * A lane to the child @peer at @addr, for @sched and @slot; begins to connect.
 * hn->lock held. Return: with a reference for the caller, or an ERR_PTR.
 */
struct hbc_lane *hbc_lane_connect(struct hbc_schedule *sched, u8 slot, u32 peer,
				  const struct sockaddr_storage *addr);
/* Takes over an accepted socket, whatever becomes of it. Context: process. */
void hbc_lane_accept(struct hbc_net *hn, struct socket *sock);
/* Ends the lane soon: at once, or after its queue is empty. Context: any. */
void hbc_lane_close(struct hbc_lane *lane, bool drain);

void hbc_lane_get(struct hbc_lane *lane);
void hbc_lane_put(struct hbc_lane *lane);

/* Whether the queue is below its bound. Context: any. */
bool hbc_lane_room(const struct hbc_lane *lane);
/* Append; takes a reference on @b. Never fails; who queues asks for room first. */
int hbc_lane_queue(struct hbc_lane *lane, struct hbc_burst *b);
/* Append one frame, copied: 0 or -ENOMEM. Context: process. */
int hbc_lane_frame(struct hbc_lane *lane, const void *frame, unsigned int len);
/* Append a report for the parent. Context: any but hard irq. */
void hbc_lane_ack(struct hbc_lane *lane, const struct hbc_ack *ack);
/* Send what is queued as far as the socket takes it. Context: process. */
void hbc_lane_send(struct hbc_lane *lane);
/* The connection is of no use any more; @error is a positive errno. Context: any. */
void hbc_lane_fail(struct hbc_lane *lane, int error);
/* Reading may go on. Context: any. */
void hbc_lane_unpause(struct hbc_lane *lane);

int hbc_lane_init(void);
void hbc_lane_exit(void);

#endif /* _HBC_LANE_H */
