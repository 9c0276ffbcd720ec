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

#include "gauge.h"
#include "pace.h"
#include "receive.h"
#include "wire.h"

struct hbc_ack;
struct hbc_assembly;
struct hbc_handshake;
struct hbc_net;
struct hbc_schedule;
struct sock;
struct socket;

enum hbc_lane_state {
	HBC_LANE_CONNECTING,	/* connector: TCP is not established */
	HBC_LANE_HANDSHAKE,	/* the two sides have not proved themselves */
	HBC_LANE_READY,
	HBC_LANE_BACKOFF,	/* connector: waits before the next try */
	HBC_LANE_CLOSED,
};

/* Bits of struct hbc_lane's flags. */
enum {
	HBC_LANE_BORN,		/* the life work may run */
	HBC_LANE_CLOSING,	/* shall end */
	HBC_LANE_DRAINING,	/* shall end when its queue is empty */
	HBC_LANE_FINISHED,	/* has sent all and said so; waits for the other's end */
	HBC_LANE_PAUSED,	/* reading waits for room elsewhere */
	HBC_LANE_READING,	/* a turn of the receive work is under way */
	HBC_LANE_CONGESTED,	/* the socket had no room; tx_work will be told */
	HBC_LANE_HELD,		/* the queue's first waits for its message, or its turn */
	HBC_LANE_TORN,		/* something that was to go over it has been lost */
	HBC_LANE_DEAD,		/* has been away for dead-interval */
	HBC_LANE_ANNOUNCED,	/* lane_up was told, lane_down was not yet */
	HBC_LANE_PROBE,		/* its connection goes on as one of a measurement */
};

/* Counters; each has one writer at a time, readers take what they see. */
struct hbc_lane_stats {
	u64 tx_bytes;
	u64 tx_bursts;
	u64 rx_bytes;
	u64 rx_fragments;
	u64 tx_full;		/* times that the socket had no room */
	u64 rx_paused;		/* times that reading stopped for lack of room */
	u64 dropped;		/* bursts that a broken connection took with it */
	u32 connects;
	u32 rejects;
};

/* A socket's callbacks as they were before a lane took it over. */
struct hbc_lane_callbacks {
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*error_report)(struct sock *sk);
};

/**
 * struct hbc_lane - one connection's life
 * @ref: references; the life work holds one until the lane is closed
 * @hn: the node
 * @id: unique in the namespace; set once, under hn->lanes_lock
 * @link: hn->lanes; hn->lanes_lock
 * @half_link: hn->half_open, empty when not on it; hn->lanes_lock
 * @sched_link: sched->children or sched->parents; sched->lock
 * @sched: schedule, a reference; set at birth (connector) or by the
 *	handshake (acceptor) before the lane is READY
 * @peer: the other's node id; 0 before an acceptor has seen HELLO
 * @slot: number of the tree
 * @mss: payload bytes of a TCP segment when it was READY last, 0 before
 * @connector: this node is the parent
 * @users: trees that send over this lane (connectors); hn->lock
 * @tree_sent: the child knows all trees of this lane (connectors); hn->lock
 * @addr: the child's address (connectors)
 * @pace: how fast it may send (connectors); @tx_mutex
 * @gauge: what TCP has told of the way; @tx_mutex
 * @state: enum hbc_lane_state; written by the life and receive work
 * @error: why the connection ends, a positive errno; the first one wins
 * @reason: enum hbc_reject_reason that the other side gave last
 * @flags: HBC_LANE_* bits
 * @sock: the connection; set and cleared by the life work under @tx_mutex and
 *	@queue_lock
 * @saved: what @sock's callbacks were
 * @life: connects, watches, reconnects, ends
 * @rx_work: reads; runs until the socket is empty or somebody is full
 * @rx_later: lets @rx_work run when nothing that carries data down is left
 * @tx_work: sends when the socket has room again
 * @rx: the receive side's state; @rx_work only
 * @assembly: nodes of a TREE that has not come whole; @rx_work only
 * @handshake: nonces and transcript while the handshake lasts, else NULL;
 *	@rx_work, and @life while @rx_work is cancelled
 * @last_rx: jiffies of the last byte that came
 * @last_tx: jiffies of the last byte that went
 * @since: jiffies of birth, or when the lane was READY and heard last, or waited for the one
 *	before it
 * @begun: jiffies of birth, or when the connection, or its end, was begun
 * @looked: jiffies when @life looked for silence last; @life only, set before
 *	the lane is READY
 * @silent: looks in a row that found that nothing had come; as @looked
 * @retry: next pause before a reconnect in ms; @life only
 * @queue_lock: @queue, @spare, @queued, @acks, @nr_acks, @asks, @nr_asks, and @state's
 *	turn to CLOSED
 * @queue: bursts to be sent (struct hbc_lane_entry)
 * @spare: entries that were on @queue, for the next bursts; as @queue
 * @queued: truesize of @queue in bytes
 * @acks: reports for the parent that are not in a frame yet (acceptors)
 * @nr_acks: entries of @acks in use
 * @asks: what the child lacks (struct hbc_ask), the message that was asked for
 *	last at the end (connectors)
 * @nr_asks: their number
 * @tx_mutex: @sock against its end, @tx_off; held while sending
 * @tx_off: bytes of the queue's first burst that have been sent
 * @stats: counters
 */
struct hbc_lane {
	struct kref ref;
	struct hbc_net *hn;
	u32 id;
	struct list_head link;
	struct list_head half_link;
	struct list_head sched_link;
	struct hbc_schedule *sched;
	u32 peer;
	u8 slot;
	u32 mss;
	bool connector;
	unsigned int users;
	bool tree_sent;
	struct sockaddr_storage addr;
	struct hbc_pace pace;
	struct hbc_gauge gauge;

	enum hbc_lane_state state;
	int error;
	u16 reason;
	unsigned long flags;

	struct socket *sock;
	struct hbc_lane_callbacks saved;
	struct delayed_work life;
	struct work_struct rx_work;
	struct work_struct rx_later;
	struct work_struct tx_work;
	struct hbc_receive rx;
	struct hbc_assembly *assembly;
	struct hbc_handshake *handshake;
	unsigned long last_rx;
	unsigned long last_tx;
	unsigned long since;
	unsigned long begun;
	unsigned long looked;
	unsigned int silent;
	unsigned int retry;

	spinlock_t queue_lock; /* the queue */
	struct list_head queue;
	struct list_head spare;
	unsigned int queued;
	struct hbc_ack *acks;
	unsigned int nr_acks;
	struct list_head asks;
	unsigned int nr_asks;

	struct mutex tx_mutex; /* sending */
	unsigned int tx_off;

	struct hbc_lane_stats stats;
};

/*
 * A lane to the child @peer at @addr, for @sched and @slot; begins to connect.
 * hn->lock held. Return: with a reference for the caller, or an ERR_PTR.
 */
struct hbc_lane *hbc_lane_connect(struct hbc_schedule *sched, u8 slot, u32 peer,
				  const struct sockaddr_storage *addr);
/*
 * The plan gives the lane @rate bytes/s from now on, 0 for as fast as TCP can; if it is
 * strict, no more than that.
 * Context: process; takes tx_mutex and the lock of the lane's socket.
 */
void hbc_lane_set_rate(struct hbc_lane *lane, u64 rate, bool strict);
/* Takes over an accepted socket, whatever becomes of it. Context: process. */
void hbc_lane_accept(struct hbc_net *hn, struct socket *sock);
/* Ends the lane soon: at once, or after its queue is empty. Context: any. */
void hbc_lane_close(struct hbc_lane *lane, bool drain);

/* So long a lane that is not congested sends nothing, at the most; in jiffies. Context: any. */
unsigned long hbc_lane_interval(const struct hbc_lane *lane);

void hbc_lane_get(struct hbc_lane *lane);
void hbc_lane_put(struct hbc_lane *lane);

/* The connection is of no use any more; @error is a positive errno. Context: any. */
void hbc_lane_fail(struct hbc_lane *lane, int error);
/* The handshake's end, from the receive work: both sides have proved themselves. */
void hbc_lane_ready(struct hbc_lane *lane);
/* Reading may go on, if it had stopped for lack of room. Context: any. */
void hbc_lane_unpause(struct hbc_lane *lane);
/* Let the sending work item run. Context: any. */
void hbc_lane_kick(struct hbc_lane *lane);
/* Run @work on the lanes' queue after a grace period. Context: any. */
void hbc_lane_defer(struct rcu_work *work);

int hbc_lane_init(void);
void hbc_lane_exit(void);

#endif /* _HBC_LANE_H */
