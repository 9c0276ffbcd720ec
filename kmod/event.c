// SPDX-License-Identifier: GPL-2.0
/* Events for the netlink multicast group. */
#include <linux/ratelimit.h>
#include <linux/rwsem.h>
#include <linux/tcp.h>
#include <net/genetlink.h>

#include "event.h"
#include "group.h"
#include "lane.h"
#include "netlink.h"
#include "node.h"
#include "probe.h"
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

bool hbc_event_gauge(struct hbc_lane *lane, u64 rate, const struct tcp_info *tcp)
{
	struct hbc_event e;

	if (!__ratelimit(&lane->hn->gauge_events) ||
	    !hbc_event_begin(&e, lane->hn, HBCAST_EVENT_LANE_CHANGED, 0))
		return false;
	hbc_event_put_lane(&e, lane);
	if (rate)
		e.err = e.err ?: nla_put_u64_64bit(e.skb, HBCAST_A_EVENT_RATE, rate,
						   HBCAST_A_EVENT_PAD);
	hbc_event_u32(&e, HBCAST_A_EVENT_SRTT_US, tcp->tcpi_rtt);
	hbc_event_u32(&e, HBCAST_A_EVENT_MIN_RTT_US, tcp->tcpi_min_rtt);
	hbc_event_u32(&e, HBCAST_A_EVENT_RETRANSMITS, tcp->tcpi_total_retrans);
	hbc_event_send(&e);
	return true;
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

/* What a measurement tells. */

static_assert((int)HBC_SAMPLE_OVER == (int)HBCAST_ROUND_OVER);
static_assert((int)HBC_SAMPLE_BUSY == (int)HBCAST_ROUND_BUSY);
static_assert((int)HBC_SAMPLE_BROADCAST == (int)HBCAST_ROUND_BROADCAST);
static_assert((int)HBC_TASK_RUNNING == (int)HBCAST_TASK_STATE_RUNNING);
static_assert((int)HBC_TASK_DONE == (int)HBCAST_TASK_STATE_DONE);
static_assert((int)HBC_TASK_FAILED == (int)HBCAST_TASK_STATE_FAILED);

/* Bytes of attributes; none but of nests is longer than eight bytes. */
#define HBC_EVENT_FIGURE	(nla_total_size(0) + 8 * nla_total_size_64bit(sizeof(u64)))
#define HBC_EVENT_PROBE		(8 * nla_total_size_64bit(sizeof(u64)))

static bool hbc_event_probe_begin(struct hbc_event *e, const struct hbc_probe *probe,
				  u32 round, u32 status, unsigned int figures)
{
	memset(e, 0, sizeof(*e));
	e->hn = probe->hn;
	e->skb = genlmsg_new(HBC_EVENT_PROBE + figures * HBC_EVENT_FIGURE, GFP_KERNEL);
	if (!e->skb)
		return false;
	e->hdr = genlmsg_put(e->skb, 0, 0, &hbc_nl_family, 0, HBCAST_CMD_PROBE_SAMPLE);
	if (!e->hdr) {
		nlmsg_free(e->skb);
		return false;
	}
	hbc_event_u32(e, HBCAST_A_PROBE_GROUP, probe->group->id);
	hbc_event_u32(e, HBCAST_A_PROBE_ROUND, round);
	hbc_event_u32(e, HBCAST_A_PROBE_NODE, probe->peer);
	hbc_event_u32(e, HBCAST_A_PROBE_STATUS, status);
	return true;
}

static void hbc_event_probe_send(struct hbc_event *e, u32 portid)
{
	if (WARN_ON_ONCE(e->err)) {
		nlmsg_free(e->skb);
		return;
	}
	genlmsg_end(e->skb, e->hdr);
	genlmsg_unicast(e->hn->net, e->skb, portid);
}

static void hbc_event_figure(struct hbc_event *e, const struct hbc_figure *figure)
{
	struct nlattr *nest = nla_nest_start(e->skb, HBCAST_A_PROBE_FIGURE);

	if (!nest) {
		e->err = -EMSGSIZE;
		return;
	}
	hbc_event_u32(e, HBCAST_A_FIGURE_INDEX, figure->index);
	hbc_event_u32(e, HBCAST_A_FIGURE_STATE, figure->state);
	if (figure->receives)
		e->err = e->err ?: nla_put_flag(e->skb, HBCAST_A_FIGURE_RECEIVES);
	if (figure->error)
		hbc_event_u32(e, HBCAST_A_FIGURE_ERROR, figure->error);
	if (figure->reject)
		hbc_event_u32(e, HBCAST_A_FIGURE_REJECT, figure->reject);
	e->err = e->err ?:
		 nla_put_u64_64bit(e->skb, HBCAST_A_FIGURE_FIRST, figure->value[0],
				   HBCAST_A_FIGURE_PAD) ?:
		 nla_put_u64_64bit(e->skb, HBCAST_A_FIGURE_SECOND, figure->value[1],
				   HBCAST_A_FIGURE_PAD);
	nla_nest_end(e->skb, nest);
}

int hbc_event_probe(struct hbc_probe *probe, u32 portid, const struct hbc_sample_frame *sample)
{
	struct hbc_figure figure;
	struct hbc_event e;
	unsigned int i;

	if (!hbc_event_probe_begin(&e, probe, sample->round, sample->status, sample->count))
		return 0;
	e.err = e.err ?: nla_put_u64_64bit(e.skb, HBCAST_A_PROBE_NS, sample->ns,
					   HBCAST_A_PROBE_PAD);
	for (i = 0; i < sample->count; i++) {
		if (hbc_wire_get_figure(probe->frame, i, &figure)) {
			nlmsg_free(e.skb);
			return -EBADMSG;
		}
		hbc_event_figure(&e, &figure);
	}
	hbc_event_probe_send(&e, portid);
	return 0;
}

void hbc_event_probe_lost(struct hbc_probe *probe, u32 portid, u32 round, int error)
{
	struct hbc_event e;

	if (!hbc_event_probe_begin(&e, probe, round, HBCAST_ROUND_LOST, 0))
		return;
	hbc_event_u32(&e, HBCAST_A_PROBE_ERROR, error);
	if (probe->reject)
		hbc_event_u32(&e, HBCAST_A_PROBE_REJECT, probe->reject);
	hbc_event_probe_send(&e, portid);
}

void hbc_event_enable(bool on)
{
	down_write(&hbc_event_sem);
	hbc_event_on = on;
	up_write(&hbc_event_sem);
}
