// SPDX-License-Identifier: GPL-2.0
/* Events for the netlink multicast group. */
#include <linux/rwsem.h>
#include <net/genetlink.h>

#include "event.h"
#include "group.h"
#include "lane.h"
#include "netlink.h"
#include "node.h"
#include "schedule.h"

/* Attributes of an event but its nodes; none is longer than eight bytes. */
#define HBC_EVENT_ATTRS	12

/* The family's multicast group is there: events only while it is held. */
static DECLARE_RWSEM(hbc_event_sem);
static bool hbc_event_on;

/* An event's message while it is written. */
struct hbc_event {
	struct hbc_net *hn;
	struct sk_buff *skb;
	void *hdr;
	int err;
};

static void hbc_event_u32(struct hbc_event *e, int attr, u32 value)
{
	e->err = e->err ?: nla_put_u32(e->skb, attr, value);
}

/* Begins an event for @nodes nodes; false if nobody listens or memory is short. */
static bool hbc_event_begin(struct hbc_event *e, struct hbc_net *hn,
			    enum hbcast_event_type type, unsigned int nodes)
{
	size_t size = (HBC_EVENT_ATTRS + nodes) * nla_total_size(sizeof(u64));

	memset(e, 0, sizeof(*e));
	e->hn = hn;
	down_read(&hbc_event_sem);
	if (!hbc_event_on || !genl_has_listeners(&hbc_nl_family, hn->net, HBCAST_NLGRP_EVENTS))
		goto none;
	e->skb = genlmsg_new(size, GFP_KERNEL);
	if (!e->skb)
		goto lost;
	e->hdr = genlmsg_put(e->skb, 0, 0, &hbc_nl_family, 0, HBCAST_CMD_EVENT);
	if (!e->hdr)
		goto lost;
	hbc_event_u32(e, HBCAST_A_EVENT_TYPE, type);
	return true;
lost:
	nlmsg_free(e->skb);
	genl_set_err(&hbc_nl_family, hn->net, 0, HBCAST_NLGRP_EVENTS, ENOBUFS);
none:
	up_read(&hbc_event_sem);
	return false;
}

static void hbc_event_send(struct hbc_event *e)
{
	if (WARN_ON_ONCE(e->err)) {
		nlmsg_free(e->skb);
	} else {
		genlmsg_end(e->skb, e->hdr);
		genlmsg_multicast_netns(&hbc_nl_family, e->hn->net, e->skb, 0,
					HBCAST_NLGRP_EVENTS, GFP_KERNEL);
	}
	up_read(&hbc_event_sem);
}

static void hbc_event_put_schedule(struct hbc_event *e, const struct hbc_schedule *sched)
{
	hbc_event_u32(e, HBCAST_A_EVENT_GROUP, sched->group->id);
	hbc_event_u32(e, HBCAST_A_EVENT_ROOT, sched->root);
}

static void hbc_event_put_lane(struct hbc_event *e, const struct hbc_lane *lane)
{
	if (lane->sched)
		hbc_event_put_schedule(e, lane->sched);
	hbc_event_u32(e, HBCAST_A_EVENT_PEER, lane->peer);
	hbc_event_u32(e, HBCAST_A_EVENT_DIRECTION,
		      lane->connector ? HBCAST_DIRECTION_DOWN : HBCAST_DIRECTION_UP);
	e->err = e->err ?: nla_put_u8(e->skb, HBCAST_A_EVENT_SLOT, lane->slot);
}

void hbc_event_lane(struct hbc_lane *lane, bool up, int error)
{
	enum hbcast_event_type type = up ? HBCAST_EVENT_LANE_UP : HBCAST_EVENT_LANE_DOWN;
	struct hbc_event e;

	if (!hbc_event_begin(&e, lane->hn, type, 0))
		return;
	hbc_event_put_lane(&e, lane);
	if (!up)
		hbc_event_u32(&e, HBCAST_A_EVENT_ERROR, error);
	hbc_event_send(&e);
}

void hbc_event_reject(struct hbc_lane *lane, u16 reason)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, lane->hn, HBCAST_EVENT_LANE_REFUSED, 0))
		return;
	hbc_event_put_lane(&e, lane);
	hbc_event_u32(&e, HBCAST_A_EVENT_REJECT, reason);
	hbc_event_send(&e);
}

void hbc_event_plan(struct hbc_schedule *sched, u32 epoch, bool ready)
{
	enum hbcast_event_type type = ready ? HBCAST_EVENT_PLAN_READY : HBCAST_EVENT_PLAN_APPLIED;
	struct hbc_event e;

	if (!hbc_event_begin(&e, sched->hn, type, 0))
		return;
	hbc_event_put_schedule(&e, sched);
	hbc_event_u32(&e, HBCAST_A_EVENT_EPOCH, epoch);
	hbc_event_send(&e);
}

void hbc_event_plan_refused(struct hbc_schedule *sched, u32 epoch, u32 node, u16 reason)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, sched->hn, HBCAST_EVENT_PLAN_REFUSED, 1))
		return;
	hbc_event_put_schedule(&e, sched);
	hbc_event_u32(&e, HBCAST_A_EVENT_EPOCH, epoch);
	hbc_event_u32(&e, HBCAST_A_EVENT_NODE, node);
	hbc_event_u32(&e, HBCAST_A_EVENT_REJECT, reason);
	hbc_event_send(&e);
}

void hbc_event_members(struct hbc_schedule *sched, u8 flags, u8 reason, const u32 *node,
		       unsigned int count)
{
	bool back = flags & HBC_LOST_BACK;
	struct hbc_event e;
	unsigned int i;

	if (!hbc_event_begin(&e, sched->hn,
			     back ? HBCAST_EVENT_MEMBER_BACK : HBCAST_EVENT_MEMBER_LOST, count))
		return;
	hbc_event_put_schedule(&e, sched);
	if (!back)
		hbc_event_u32(&e, HBCAST_A_EVENT_REASON, reason);
	if (flags & HBC_LOST_DOWN)
		e.err = e.err ?: nla_put_flag(e.skb, HBCAST_A_EVENT_DOWN);
	for (i = 0; i < count; i++)
		hbc_event_u32(&e, HBCAST_A_EVENT_NODE, node[i]);
	hbc_event_send(&e);
}

void hbc_event_stall(struct hbc_group *group, u16 port)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, group->hn, HBCAST_EVENT_RECEIVER_STALLED, 0))
		return;
	hbc_event_u32(&e, HBCAST_A_EVENT_GROUP, group->id);
	e.err = e.err ?: nla_put_u16(e.skb, HBCAST_A_EVENT_PORT, port);
	hbc_event_send(&e);
}

void hbc_event_node(struct hbc_net *hn, u32 id, bool up)
{
	struct hbc_event e;

	if (!hbc_event_begin(&e, hn, up ? HBCAST_EVENT_NODE_UP : HBCAST_EVENT_NODE_DOWN, 1))
		return;
	hbc_event_u32(&e, HBCAST_A_EVENT_NODE, id);
	hbc_event_send(&e);
}

void hbc_event_enable(bool on)
{
	down_write(&hbc_event_sem);
	hbc_event_on = on;
	up_write(&hbc_event_sem);
}
