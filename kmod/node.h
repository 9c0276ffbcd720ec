/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A node: one network namespace with hbcast configured, its listener and
 * everything else that leaves with the namespace.
 */
#ifndef _HBC_NODE_H
#define _HBC_NODE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct net;
struct netlink_ext_ack;
struct socket;

#define HBC_PORT_DEFAULT	7310

/**
 * struct hbc_net - hbcast's part of a network namespace
 * @net: the namespace
 * @lock: configuration: @id, @addr, @listener, @peers, @groups, their
 *	schedules, trees and lanes, @plans
 * @id: the node's id, 0 while not configured; read without @lock by READ_ONCE
 * @addr: the listening address and port
 * @listener: listening socket, NULL while not configured
 * @accept_work: takes connections off @listener
 * @peers: struct hbc_peer
 * @groups: struct hbc_group
 * @plans: struct hbc_plan, uploads that are not committed yet
 * @lanes_lock: @lanes and @half_open
 * @lanes: every struct hbc_lane of the namespace
 * @half_open: struct hbc_lane that wait for the handshake's end, oldest first
 * @nr_half_open: entries of @half_open
 * @nr_lanes: lanes that have not been freed
 * @lanes_wait: woken when @nr_lanes falls to 0
 * @dying: the namespace or the module goes; nothing new begins
 */
struct hbc_net {
	struct net *net;
	struct mutex lock;
	u32 id;
	struct sockaddr_storage addr;
	struct socket *listener;
	struct work_struct accept_work;
	struct list_head peers;
	struct list_head groups;
	struct list_head plans;
	spinlock_t lanes_lock;
	struct list_head lanes;
	struct list_head half_open;
	unsigned int nr_half_open;
	atomic_t nr_lanes;
	wait_queue_head_t lanes_wait;
	bool dying;
};

struct hbc_net *hbc_net(struct net *net);

/*
 * Configure the node: @addr is IPv4 or IPv6 with a port. Context: process,
 * holds hn->lock. Return: 0; -EEXIST when configured otherwise (the same
 * again is 0); what binding and listening say. @extack names the reason.
 */
int hbc_node_set(struct hbc_net *hn, u32 id, const struct sockaddr_storage *addr,
		 struct netlink_ext_ack *extack);

/* Take the node down: listener, groups, peers. Context: process, takes hn->lock. */
void hbc_node_clear(struct hbc_net *hn);

int hbc_node_init(void);
void hbc_node_exit(void);

#endif /* _HBC_NODE_H */
