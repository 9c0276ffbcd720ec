/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A probe: one connection of a measurement, beside the lanes. It carries what the
 * coordinator asks of a node, or the data of a task.
 *
 * A work item does all of a probe's life, one step after the other: it connects, sends,
 * receives and waits. Whoever ends a probe shuts its socket down, and the work item
 * finds that out; one that has not begun is cancelled.
 */
#ifndef _HBC_PROBE_H
#define _HBC_PROBE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "wire/probe.h"

struct hbc_group;
struct hbc_net;
struct socket;

/**
 * struct hbc_probe - what all kinds of probes have
 * @ref: references; @work holds one
 * @link: hn->probes; hn->probes_lock
 * @hn: the node
 * @group: the group, a reference
 * @peer: the other's node id
 * @run: a probe's life; its kind
 * @work: runs it
 * @lock: @sock against its end; serializes what is sent while others may send
 * @sock: the connection, NULL before and behind
 * @ended: nobody wants it any more; written under hn->probes_lock
 * @reject: enum hbcast_reject_reason that the other side gave; @run only
 * @have: bytes of @frame; @run only
 * @frame: what has come last; @run only
 */
struct hbc_probe {
	struct kref ref;
	struct list_head link;
	struct hbc_net *hn;
	struct hbc_group *group;
	u32 peer;
	void (*run)(struct hbc_probe *probe);
	struct work_struct work;
	struct mutex lock; /* the socket */
	struct socket *sock;
	bool ended;
	u8 reject;
	unsigned int have;
	u8 frame[HBC_CONTROL_MAX];
};

/**
 * hbc_probe_new() - a probe that does nothing yet
 * @size: of a struct that begins with a struct hbc_probe; the rest is zero
 * @group: takes a reference
 * @peer: the other node
 * @run: its life
 *
 * Context: process.
 * Return: with a reference for the caller, or NULL.
 */
void *hbc_probe_new(size_t size, struct hbc_group *group, u32 peer,
		    void (*run)(struct hbc_probe *probe));
void hbc_probe_put(struct hbc_probe *probe);

/**
 * hbc_probe_begin() - let its life begin
 * @probe: it
 *
 * Return: 0; -ESHUTDOWN where the group goes; -EBUSY for one too many.
 */
int hbc_probe_begin(struct hbc_probe *probe);

/*
 * Takes over @sock, whatever becomes of it: 0, or -ESHUTDOWN if the probe has ended.
 * From @run, or before hbc_probe_begin().
 */
int hbc_probe_set_sock(struct hbc_probe *probe, struct socket *sock);
/* Its connection goes. From @run, or before hbc_probe_begin(). */
void hbc_probe_drop_sock(struct hbc_probe *probe);
/* It waits so long for the other side, in ms. From @run. */
void hbc_probe_patience(struct hbc_probe *probe, unsigned int ms);

/* Nobody wants it any more. Context: process, may sleep; no lock of a probe. */
void hbc_probe_end(struct hbc_probe *probe);

/**
 * hbc_probe_find() - one of a node's probes
 * @hn: the node
 * @match: whether this is the one; hn->probes_lock held
 * @arg: for @match
 *
 * Return: with a reference, or NULL.
 */
struct hbc_probe *hbc_probe_find(struct hbc_net *hn,
				 bool (*match)(const struct hbc_probe *probe, const void *arg),
				 const void *arg);

/* Ends all of which @match says so, once; not of those that have ended. Context: as above. */
void hbc_probe_end_each(struct hbc_net *hn,
			bool (*match)(const struct hbc_probe *probe, const void *arg),
			const void *arg);

/*
 * Sends all of a frame of up to HBC_CONTROL_MAX bytes: 0; -EAGAIN for nothing of it where
 * there is no room; another -errno. Context: process; takes @lock, or it is held.
 */
int hbc_probe_send(struct hbc_probe *probe, const void *frame, unsigned int len);
int hbc_probe_send_locked(struct hbc_probe *probe, const void *frame, unsigned int len);
/* Sends PING or PONG. Context: process; takes @lock. Return: as above. */
int hbc_probe_send_ping(struct hbc_probe *probe, u8 type, u64 token);

/**
 * hbc_probe_next() - receive a frame
 * @probe: it
 * @h: filled in
 *
 * What follows the fixed part of a PROBE is thrown away, the rest is in @probe->frame.
 *
 * Context: @run, without @lock.
 * Return: 0; -EAGAIN when patience ends, and it can go on; -ECONNRESET at the end;
 * what the frame or the socket is wrong with.
 */
int hbc_probe_next(struct hbc_probe *probe, struct hbc_hdr *h);

/*
 * Connects to where the peer listens, which may be this node itself, and proves who both are.
 * From @run. Return: 0; -EKEYREJECTED, with @reject, if one of them does not accept the other;
 * -ESHUTDOWN if the probe has ended; what the socket or a frame says.
 */
int hbc_probe_connect(struct hbc_probe *probe, const struct sockaddr_storage *addr);

#define HBC_PROBE_KBIT	125	/* bytes */

/**
 * hbc_probe_task_begin() - begin a task of a round: what this node does to another one
 * @group: in which group
 * @round: in which round
 * @task: what is to be done; from this node
 * @end: when it ends at the latest, by ktime_get_ns()
 * @limit: bytes/s of payload that the group lets it send, 0 for as many as go
 *
 * Context: process.
 * Return: a probe of its own, with a reference, or an ERR_PTR.
 */
struct hbc_probe *hbc_probe_task_begin(struct hbc_group *group, u32 round,
				       const struct hbc_wire_task *task, u64 end, u64 limit);
/* How it is by now. @probe is that of a task. Context: process. */
void hbc_probe_task_look(struct hbc_probe *probe, struct hbc_wire_figure *figure);

int hbc_probe_init(void);
void hbc_probe_exit(void);

#endif /* _HBC_PROBE_H */
