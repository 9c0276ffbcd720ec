// SPDX-License-Identifier: GPL-2.0
/* What a measurement tells to the netlink socket that has asked for it. */
#include "api/netlink.h"
#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "probe/ask.h"

static_assert((int)HBC_SAMPLE_OVER == (int)HBCAST_ROUND_OVER);
static_assert((int)HBC_SAMPLE_BUSY == (int)HBCAST_ROUND_BUSY);
static_assert((int)HBC_SAMPLE_BROADCAST == (int)HBCAST_ROUND_BROADCAST);
static_assert((int)HBC_TASK_RUNNING == (int)HBCAST_TASK_STATE_RUNNING);
static_assert((int)HBC_TASK_DONE == (int)HBCAST_TASK_STATE_DONE);
static_assert((int)HBC_TASK_FAILED == (int)HBCAST_TASK_STATE_FAILED);

/* Bytes of attributes; none but of nests is longer than eight bytes. */
#define HBC_NL_FIGURE	(nla_total_size(0) + 8 * nla_total_size_64bit(sizeof(u64)))
#define HBC_NL_SAMPLE		(8 * nla_total_size_64bit(sizeof(u64)))

static bool hbc_nl_sample_begin(struct hbc_event *e, const struct hbc_probe *probe,
				u32 round, u32 status, unsigned int figures)
{
	memset(e, 0, sizeof(*e));
	e->hn = probe->hn;
	e->skb = genlmsg_new(HBC_NL_SAMPLE + figures * HBC_NL_FIGURE, GFP_KERNEL);
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

static void hbc_nl_sample_send(struct hbc_event *e, u32 portid)
{
	if (WARN_ON_ONCE(e->err)) {
		nlmsg_free(e->skb);
		return;
	}
	genlmsg_end(e->skb, e->hdr);
	genlmsg_unicast(e->hn->net, e->skb, portid);
}

static void hbc_nl_sample_figure(struct hbc_event *e, const struct hbc_wire_figure *figure)
{
	struct nlattr *nest = nla_nest_start(e->skb, HBCAST_A_PROBE_FIGURE);

	if (!nest) {
		e->err = -EMSGSIZE;
		return;
	}
	hbc_event_u32(e, HBCAST_A_FIGURE_INDEX, be16_to_cpu(figure->index));
	hbc_event_u32(e, HBCAST_A_FIGURE_STATE, figure->state);
	if (figure->receives)
		e->err = e->err ?: nla_put_flag(e->skb, HBCAST_A_FIGURE_RECEIVES);
	if (figure->error)
		hbc_event_u32(e, HBCAST_A_FIGURE_ERROR, figure->error);
	if (figure->reject)
		hbc_event_u32(e, HBCAST_A_FIGURE_REJECT, figure->reject);
	e->err = e->err ?:
		 nla_put_u64_64bit(e->skb, HBCAST_A_FIGURE_FIRST,
				   be64_to_cpu(figure->value[0]), HBCAST_A_FIGURE_PAD) ?:
		 nla_put_u64_64bit(e->skb, HBCAST_A_FIGURE_SECOND,
				   be64_to_cpu(figure->value[1]), HBCAST_A_FIGURE_PAD);
	nla_nest_end(e->skb, nest);
}

static void hbc_nl_sample_tell(struct hbc_probe *probe, u32 portid,
			       const struct hbc_wire_sample *sample, unsigned int figures)
{
	struct hbc_event e;
	unsigned int i;

	if (!hbc_nl_sample_begin(&e, probe, be32_to_cpu(sample->round),
				 be16_to_cpu(sample->status), figures))
		return;
	e.err = e.err ?: nla_put_u64_64bit(e.skb, HBCAST_A_PROBE_NS, be64_to_cpu(sample->ns),
					   HBCAST_A_PROBE_PAD);
	for (i = 0; i < figures; i++)
		hbc_nl_sample_figure(&e, &sample->figure[i]);
	hbc_nl_sample_send(&e, portid);
}

static void hbc_nl_sample_lost(struct hbc_probe *probe, u32 portid, u32 round, int error)
{
	struct hbc_event e;

	if (!hbc_nl_sample_begin(&e, probe, round, HBCAST_ROUND_LOST, 0))
		return;
	hbc_event_u32(&e, HBCAST_A_PROBE_ERROR, error);
	if (probe->reject)
		hbc_event_u32(&e, HBCAST_A_PROBE_REJECT, probe->reject);
	hbc_nl_sample_send(&e, portid);
}

void hbc_nl_sample_init(void)
{
	hbc_probe_tell = hbc_nl_sample_tell;
	hbc_probe_tell_lost = hbc_nl_sample_lost;
}
