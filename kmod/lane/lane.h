/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lane: one TCP connection, one edge of one slot; the parent connects to the child.
 *
 * Life is one work item (connect, the handshake's clock, keepalive, reconnect, end),
 * receiving is another, and a third one sends. What goes over a lane is its owner's: the
 * session's, hbc_owner_*().
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

#include "lane/gauge.h"
#include "lane/pace.h"
#include "lane/rx.h"
#include "lane/tx.h"
#include "wire/wire.h"

struct hbc_group;
struct hbc_handshake;
struct hbc_net;
struct sock;
struct socket;

/* Bits of struct hbc_lane's flags. */
enum {
	HBC_LANE_BORN,		/* the life work may run */
	HBC_LANE_CLOSING,	/* shall end */
	HBC_LANE_DRAINING,	/* shall end when its owner has said OVER, or soon */
	HBC_LANE_OVER,		/* its owner has said that, and says no more */
	HBC_LANE_FINISHED,	/* has sent all and said so; waits for the other's end */
	HBC_LANE_CONGESTED,	/* the socket had no room; tx_work will be told */
	HBC_LANE_DUE,		/* something is to be sent: hbc_lane_send() comes */
	HBC_LANE_READING,	/* rx_work runs, and looks for HBC_LANE_DUE in the end */
	HBC_LANE_PROBE,		/* the connection goes on as one of a measurement */
	HBC_LANE_SETTLED,	/* the other side has done all that its owner asked of it */
};

/* Counters; each has one writer at a time, readers take what they see. */
struct hbc_lane_stats {
	u64 tx_bytes;
	u64 tx_bursts;
	u64 tx_full;		/* times that the socket had no room */
	u64 rx_bytes;
	u64 rx_fragments;
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
 * @free: the end, behind an RCU grace period
 * @hn: the node
 * @id: unique in the namespace; set once, under hn->lanes_lock
 * @link: hn->lanes; hn->lanes_lock
 * @half_link: hn->half_open, empty when not on it; hn->lanes_lock
 * @group: the group, a reference; set at birth (connector) or by HELLO under hn->lanes_lock
 * @owner: the session's part of the edge; set at birth or by admit(), before READY
 * @incarnation: of @root
 * @root: whose session it belongs to
 * @peer: the other's node id; 0 before an acceptor has seen HELLO
 * @slot: number of the tree
 * @mss: payload bytes of a TCP segment when it was READY last, 0 before
 * @connector: this node is the parent
 * @addr: the child's address (connectors), or where the connection came from
 * @state: where it is in its life; connectors alone connect, and back off. Written by the life
 *	and receive work
 * @error: why the connection ends, a positive errno; the first one wins
 * @reason: enum hbcast_reject_reason that the other side gave last
 * @flags: HBC_LANE_* bits
 * @sock: the connection; set and cleared by the life work under @tx_mutex
 * @saved: what @sock's callbacks were
 * @life: connects, watches, reconnects, ends
 * @rx_work: reads until the socket is empty
 * @tx_work: sends what there is
 * @rx: the receive side; @rx_work only
 * @handshake: nonces and transcript while the handshake lasts, else NULL; @rx_work, and
 *	@life while @rx_work is cancelled
 * @last_rx: jiffies of the last byte that came
 * @last_tx: jiffies of the last byte that went
 * @since: jiffies of birth, or when the last one that was SETTLED, and not soon over, was over
 * @begun: jiffies of birth, or when the connection, or its end, was begun
 * @looked: jiffies when @life looked for silence last; @life only, set before READY
 * @silent: looks in a row that found that nothing had come; as @looked
 * @retry: next pause before a reconnect in ms, 0 for the shortest; @life only
 * @lock: @state's turn to CLOSED, @pong
 * @pong: token of the last PING, unless it was answered
 * @ponging: there is one
 * @tx_mutex: @sock against its end, @tx, @pace, @gauge; held while sending
 * @tx: the send side
 * @pace: how fast it may send (connectors)
 * @gauge: what TCP has told of the way
 * @stats: counters
 */
struct hbc_lane {
	struct kref ref;
	struct rcu_work free;
	struct hbc_net *hn;
	u32 id;
	struct list_head link;
	struct list_head half_link;
	struct hbc_group *group;
	void *owner;
	u64 incarnation;
	u32 root;
	u32 peer;
	u8 slot;
	u32 mss;
	bool connector;
	struct sockaddr_storage addr;

	enum hbcast_lane_state state;
	int error;
	u16 reason;
	unsigned long flags;

	struct socket *sock;
	struct hbc_lane_callbacks saved;
	struct delayed_work life;
	struct work_struct rx_work;
	struct work_struct tx_work;
	struct hbc_rx rx;
	struct hbc_handshake *handshake;
	unsigned long last_rx;
	unsigned long last_tx;
	unsigned long since;
	unsigned long begun;
	unsigned long looked;
	unsigned int silent;
	unsigned int retry;

	spinlock_t lock; /* the end */
	u64 pong;
	bool ponging;

	struct mutex tx_mutex; /* sending */
	struct hbc_tx tx;
	struct hbc_pace pace;
	struct hbc_gauge gauge;
	struct hbc_lane_stats stats;
};

/* What a lane's owner does; session/ has these, and probe/ the last one. */

/*
 * An acceptor's connector has proved itself: sets lane->owner. Context: receive work. Return: 0, a
 * positive enum hbcast_reject_reason, or -errno.
 */
int hbc_owner_admit(struct hbc_lane *lane);
/* The lane is about to be READY: 0 or why it must end. Context: receive work. */
int hbc_owner_up(struct hbc_lane *lane);
/* It was READY and is not any more. Context: life work; nothing else of the lane runs. */
void hbc_owner_down(struct hbc_lane *lane);
/* The lane has ended; lane->owner is not used any more. Context: life work. */
void hbc_owner_gone(struct hbc_lane *lane);
/* A whole control frame has come: 0 or why the lane must end. Context: receive work. */
int hbc_owner_frame(struct hbc_lane *lane, const struct hbc_hdr *h, const u8 *frame);
/* Fragments have come: 0 or why the lane must end. Context: receive work. */
int hbc_owner_data(struct hbc_lane *lane, const struct hbc_run *run, unsigned int nr);
/* What has come since the last time has been given to the owner. Context: receive work. */
void hbc_owner_read(struct hbc_lane *lane);
/*
 * Writes the next control frame of up to HBC_CONTROL_MAX bytes that is due, and takes it for
 * sent. tx_mutex held. Return: its length, or 0.
 */
unsigned int hbc_owner_control(struct hbc_lane *lane, u8 *frame);
/*
 * The next data, at most @most bytes or one fragment, which go from now on. tx_mutex held.
 * Return: whether there is some.
 */
bool hbc_owner_next(struct hbc_lane *lane, u32 most, struct hbc_held *part);
/* The other side refused: enum hbcast_reject_reason. Context: life or receive work. */
void hbc_owner_refused(struct hbc_lane *lane, u16 reason);
/*
 * Takes over a connection that is for measuring, whatever becomes of it: the handshake with @peer
 * has come to its good end, but for READY. Context: life work.
 */
void hbc_probe_accept(struct hbc_group *group, u32 peer, struct socket *sock);

/*
 * A lane to a child, with a reference; what is set at birth is the caller's to set, but for @group.
 * NULL: no memory. Context: process.
 */
struct hbc_lane *hbc_lane_connect(struct hbc_group *group);
/* It begins to connect. Context: process. */
void hbc_lane_begin(struct hbc_lane *lane);
/*
 * The plan gives the lane @rate bytes/s of payload from now on, 0 for as fast as TCP can, and
 * what @gain tries beyond that, which lives as long as the lane; NULL for nothing. Context:
 * process; takes tx_mutex and the socket's lock.
 */
void hbc_lane_set_rate(struct hbc_lane *lane, u64 rate, struct hbc_gain *gain);
/* Ends the lane soon: at once, or when its owner has said OVER. Context: any. */
void hbc_lane_close(struct hbc_lane *lane, bool drain);

void hbc_lane_put(struct hbc_lane *lane);

static inline bool hbc_lane_is_ready(const struct hbc_lane *lane)
{
	return READ_ONCE(lane->state) == HBCAST_LANE_STATE_READY && !READ_ONCE(lane->error);
}

/* The connection is of no use any more; @error is a positive errno. Context: any. */
void hbc_lane_fail(struct hbc_lane *lane, int error);
/* Something is to be sent: soon, by the lane's work. Context: any. */
void hbc_lane_kick(struct hbc_lane *lane);
/* The same at once, unless something else is sending. Context: process, may sleep. */
void hbc_lane_send(struct hbc_lane *lane);

/* Below: for the lane's own files. */

/* The queue of the life and receive work. */
extern struct workqueue_struct *hbc_lane_wq;
/*
 * Runs rx_work or tx_work. Work that is queued holds no reference: the life work cancels it
 * when it closes the lane, and nothing is queued from then on. Context: any.
 */
void hbc_lane_run(struct hbc_lane *lane, struct work_struct *work);
/* Runs the life work soon, once the lane is born. Context: any. */
void hbc_lane_wake(struct hbc_lane *lane);
/* The lane does not count as half open any more. Context: process. */
void hbc_lane_proved(struct hbc_lane *lane);
/* The lane is in none of the node's lists any more. Context: process. */
void hbc_lane_unlist(struct hbc_lane *lane);
/* An event of the lane: its group, root, peer, direction and slot are put. */
struct hbc_event;
bool hbc_lane_event(struct hbc_event *e, const struct hbc_lane *lane, int type);

int hbc_lane_init(void);
void hbc_lane_exit(void);

#endif /* _HBC_LANE_H */
