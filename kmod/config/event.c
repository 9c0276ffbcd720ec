// SPDX-License-Identifier: GPL-2.0
/* Events for the netlink multicast group. */
#include <linux/rwsem.h>
#include <net/genetlink.h>

#include "config/event.h"
#include "config/node.h"

/* Attributes of an event but its nodes; none is longer than eight bytes. */
#define HBC_EVENT_ATTRS	12

/* The family is there: events only while it is held. */
static DECLARE_RWSEM(hbc_event_sem);
static struct genl_family *hbc_event_family;

void hbc_event_u32(struct hbc_event *e, int attr, u32 value)
{
	e->err = e->err ?: nla_put_u32(e->skb, attr, value);
}

void hbc_event_u64(struct hbc_event *e, int attr, u64 value)
{
	e->err = e->err ?: nla_put_u64_64bit(e->skb, attr, value, HBCAST_A_EVENT_PAD);
}

bool hbc_event_begin(struct hbc_event *e, struct hbc_net *hn, enum hbcast_event_type type,
		     unsigned int nodes)
{
	size_t size = (HBC_EVENT_ATTRS + nodes) * nla_total_size(sizeof(u64));
	struct genl_family *family;

	memset(e, 0, sizeof(*e));
	e->hn = hn;
	down_read(&hbc_event_sem);
	family = hbc_event_family;
	if (!family || !genl_has_listeners(family, hn->net, HBC_EVENT_MCGRP))
		goto none;
	e->skb = genlmsg_new(size, GFP_KERNEL);
	if (!e->skb)
		goto lost;
	e->hdr = genlmsg_put(e->skb, 0, 0, family, 0, HBCAST_CMD_EVENT);
	if (!e->hdr)
		goto lost;
	hbc_event_u32(e, HBCAST_A_EVENT_TYPE, type);
	return true;
lost:
	nlmsg_free(e->skb);
	genl_set_err(family, hn->net, 0, HBC_EVENT_MCGRP, ENOBUFS);
none:
	up_read(&hbc_event_sem);
	return false;
}

void hbc_event_send(struct hbc_event *e)
{
	if (WARN_ON_ONCE(e->err)) {
		nlmsg_free(e->skb);
	} else {
		genlmsg_end(e->skb, e->hdr);
		genlmsg_multicast_netns(hbc_event_family, e->hn->net, e->skb, 0,
					HBC_EVENT_MCGRP, GFP_KERNEL);
	}
	up_read(&hbc_event_sem);
}

void hbc_event_enable(struct genl_family *family)
{
	down_write(&hbc_event_sem);
	hbc_event_family = family;
	up_write(&hbc_event_sem);
}
