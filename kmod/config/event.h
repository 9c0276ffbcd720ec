/* SPDX-License-Identifier: GPL-2.0 */
/* Events for the netlink multicast group: each layer writes its own with these. */
#ifndef _HBC_EVENT_H
#define _HBC_EVENT_H

#include <linux/hbcast_netlink.h>
#include <linux/types.h>

#define HBC_EVENT_MCGRP	0	/* of the family, which has one multicast group */

struct genl_family;
struct hbc_net;
struct sk_buff;

/* An event while it is written; on the writer's stack. */
struct hbc_event {
	struct hbc_net *hn;
	struct sk_buff *skb;
	void *hdr;
	int err;
};

/**
 * hbc_event_begin() - begin an event for the listeners of a node's namespace
 * @e: filled in
 * @hn: the node
 * @type: what has happened
 * @nodes: ids of nodes that it tells beside its other attributes
 *
 * Context: process, any locks but spinlocks. Return: whether anybody is to be told; then
 * hbc_event_send() has to follow.
 */
bool hbc_event_begin(struct hbc_event *e, struct hbc_net *hn, enum hbcast_event_type type,
		     unsigned int nodes);
void hbc_event_u32(struct hbc_event *e, int attr, u32 value);
void hbc_event_u64(struct hbc_event *e, int attr, u64 value);
void hbc_event_send(struct hbc_event *e);

/*
 * The netlink family is there, or with NULL is about to go: on return nobody sends an event
 * any more. Context: process, no locks.
 */
void hbc_event_enable(struct genl_family *family);

#endif /* _HBC_EVENT_H */
