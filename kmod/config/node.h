/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A node: one network namespace with hbcast configured, its listener and
 * everything else that leaves with the namespace.
 */
#ifndef _HBC_NODE_H
#define _HBC_NODE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ratelimit_types.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct hbc_files;
struct hbc_probe_round;
struct net;
struct netlink_ext_ack;
struct sock;
struct socket;

/**
 * struct hbc_net - hbcast's part of a network namespace
 * @net: the namespace
 * @lock: configuration: @id, @addr, @listener, @peers, @groups and their lists of
 *	sessions, @plans, @generation, @leaving
 * @id: the node's id, 0 while not configured; read without @lock by READ_ONCE
 * @addr: the listening address and port
 * @listener: listening socket, NULL while not configured; set and cleared
 *	while @accept_work is not queued
 * @data_ready: what @listener's callback was
 * @accept_work: takes connections off @listener
 * @files: workers of its own for files, once it has been a node; NULL before
 * @peers: struct hbc_peer by id
 * @nr_peers: their number
 * @groups: struct hbc_group by id; read under RCU, too
 * @nr_groups: their number
 * @plans: struct hbc_plan, uploads that are not committed yet
 * @nr_plans: their number
 * @generation: counts changes of @peers and @groups, for dumps; never 0
 * @leaving: the node is being taken down, or the namespace or the module goes: nothing new begins
 * @lanes_lock: @lanes, @half_open and @lane_ids
 * @lanes: every struct hbc_lane of the namespace by ascending id
 * @lane_ids: the last lane's id
 * @half_open: struct hbc_lane that wait for the handshake's end, the oldest first
 * @nr_half_open: entries of @half_open
 * @gauge_events: how many events tell what lanes' ways are like
 * @nr_lanes: lanes that have not been freed
 * @nr_sessions: sessions that have not been freed
 * @probes_lock: @probes
 * @probes: every struct hbc_probe that lives
 * @probe_round: the round of a measurement that this node has a part in, or NULL; cmpxchg()
 * @nr_probes: probes that have not been freed
 */
struct hbc_net {
	struct net *net;
	struct mutex lock; /* configuration */
	u32 id;
	struct sockaddr_storage addr;
	struct socket *listener;
	void (*data_ready)(struct sock *sk);
	struct work_struct accept_work;
	struct hbc_files *files;
	struct xarray peers;
	unsigned int nr_peers;
	struct xarray groups;
	unsigned int nr_groups;
	struct list_head plans;
	unsigned int nr_plans;
	unsigned int generation;
	bool leaving;
	spinlock_t lanes_lock; /* lanes */
	struct list_head lanes;
	u32 lane_ids;
	struct list_head half_open;
	unsigned int nr_half_open;
	struct ratelimit_state gauge_events;
	atomic_t nr_lanes;
	atomic_t nr_sessions;
	spinlock_t probes_lock; /* probes */
	struct list_head probes;
	struct hbc_probe_round *probe_round;
	atomic_t nr_probes;
};

/* What the lanes of a node do; lane/ has these. */

/* A connection of the listener has come, and is taken over. Context: process, no locks. */
void hbc_lane_accept(struct hbc_net *hn, struct socket *sock);
/* The node goes, and its lanes end soon. hn->lock held. */
void hbc_lane_clear(struct hbc_net *hn);

/* What reads and writes the files of a node; store/ has these. */

/* NULL without memory. Context: process. */
struct hbc_files *hbc_files_begin(void);
/* Lets go of them, if not NULL: they end when no file is waited for any more. Context: any. */
void hbc_files_put(struct hbc_files *files);

struct hbc_net *hbc_net(struct net *net);

/**
 * hbc_node_check_addr() - whether other nodes can reach an address
 * @addr: IPv4 or IPv6, with a port
 * @extack: why not
 *
 * Return: 0 or -EINVAL.
 */
int hbc_node_check_addr(const struct sockaddr_storage *addr, struct netlink_ext_ack *extack);

/**
 * hbc_node_set() - make the namespace a node
 * @hn: the namespace's part
 * @id: never 0
 * @addr: where to listen; good for hbc_node_check_addr()
 * @extack: why not
 *
 * Context: process, hn->lock held.
 * Return: 0, also when the node is like that already; -EEXIST when it is
 * another one; -EBUSY while the last one is taken down; what binding and
 * listening say.
 */
int hbc_node_set(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack);

/**
 * hbc_node_clear() - take the node down: listener, uploads, groups, peers, lanes
 * @hn: the namespace's part
 * @extack: why not
 *
 * Context: process, hn->lock held; let go of while it waits until the last lane has gone.
 * Return: 0; -ENODEV where there is none; -EBUSY while that goes on already.
 */
int hbc_node_clear(struct hbc_net *hn, struct netlink_ext_ack *extack);
/* Whether the namespace is a node: 0 or -ENODEV. hn->lock held. */
int hbc_node_check(const struct hbc_net *hn, struct netlink_ext_ack *extack);

/* Peers or groups change: dumps that go on say so. hn->lock held. */
static inline void hbc_node_changed(struct hbc_net *hn)
{
	if (!++hn->generation)
		hn->generation = 1;
}

/* A lane, a session or a probe has been freed: @n, its counter, falls. Context: any. */
void hbc_node_end(struct hbc_net *hn, atomic_t *n);

int hbc_node_init(void);
void hbc_node_exit(void);

#endif /* _HBC_NODE_H */
