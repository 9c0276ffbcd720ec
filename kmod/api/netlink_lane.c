// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on lanes. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <net/tcp.h>

#include "api/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/gauge.h"
#include "lane/lane.h"

/*
 * The first lane from @id on that the caller may know of, with a reference, or NULL. One that has
 * not said which group it is for is everybody's. Those on the list have not ended, so their life
 * holds a reference.
 */
static struct hbc_lane *hbc_nl_lane_find(struct hbc_net *hn, u32 id)
{
	struct hbc_lane *lane, *found = NULL;

	spin_lock(&hn->lanes_lock);
	list_for_each_entry(lane, &hn->lanes, link) {
		if (lane->id >= id && (!lane->group || hbc_nl_may(lane->group))) {
			kref_get(&lane->ref);
			found = lane;
			break;
		}
	}
	spin_unlock(&hn->lanes_lock);
	return found;
}

static int hbc_nl_lane_put_who(struct sk_buff *skb, const struct hbc_lane *lane)
{
	const struct hbc_group *group = READ_ONCE(lane->group);
	int err;

	err = nla_put_u32(skb, HBCAST_A_LANE_ID, lane->id) ?:
	      nla_put_u8(skb, HBCAST_A_LANE_SLOT, lane->slot) ?:
	      nla_put_u32(skb, HBCAST_A_LANE_PEER, READ_ONCE(lane->peer)) ?:
	      nla_put_u32(skb, HBCAST_A_LANE_DIRECTION,
			  lane->connector ? HBCAST_DIRECTION_DOWN : HBCAST_DIRECTION_UP) ?:
	      nla_put_u32(skb, HBCAST_A_LANE_STATE, READ_ONCE(lane->state)) ?:
	      nla_put_u32(skb, HBCAST_A_LANE_ERROR, READ_ONCE(lane->error)) ?:
	      nla_put_u32(skb, HBCAST_A_LANE_REJECT, READ_ONCE(lane->reason));
	if (err || !group)
		return err;
	return nla_put_u32(skb, HBCAST_A_LANE_GROUP, group->id) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_ROOT, READ_ONCE(lane->root));
}

static int hbc_nl_lane_put_stats(struct sk_buff *skb, const struct hbc_lane_stats *s)
{
	return hbc_nl_put_u64(skb, HBCAST_A_LANE_TX_BYTES, READ_ONCE(s->tx_bytes)) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_TX_BURSTS, READ_ONCE(s->tx_bursts)) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_TX_FULL, READ_ONCE(s->tx_full)) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_RX_BYTES, READ_ONCE(s->rx_bytes)) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_RX_FRAGMENTS, READ_ONCE(s->rx_fragments)) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_CONNECTS, READ_ONCE(s->connects)) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_REJECTS, READ_ONCE(s->rejects));
}

static int hbc_nl_lane_put_tcp(struct sk_buff *skb, const struct tcp_info *tcp)
{
	/* TCP has ~0 for a smallest round-trip time that it does not know. */
	u32 min_rtt = tcp->tcpi_min_rtt == U32_MAX ? 0 : tcp->tcpi_min_rtt;

	return nla_put_u32(skb, HBCAST_A_LANE_SRTT_US, tcp->tcpi_rtt) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_MIN_RTT_US, min_rtt) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_DELIVERY_RATE, tcp->tcpi_delivery_rate) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_RETRANSMITS, tcp->tcpi_total_retrans) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_MSS, tcp->tcpi_snd_mss) ?:
	       nla_put_u32(skb, HBCAST_A_LANE_CWND, tcp->tcpi_snd_cwnd) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_BUSY_US, tcp->tcpi_busy_time) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_RWND_LIMITED_US, tcp->tcpi_rwnd_limited) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_SNDBUF_LIMITED_US, tcp->tcpi_sndbuf_limited) ?:
	       hbc_nl_put_flag(skb, HBCAST_A_LANE_APP_LIMITED,
			       tcp->tcpi_delivery_rate_app_limited);
}

static int hbc_nl_lane_put_spell(struct sk_buff *skb, const struct hbc_gauge_spell *spell)
{
	u64 us = div_u64(spell->ended - spell->begun, NSEC_PER_USEC);
	u64 age = div_u64(ktime_get_ns() - spell->ended, NSEC_PER_USEC);

	if (!spell->begun)
		return 0;
	return hbc_nl_put_u64(skb, HBCAST_A_LANE_SPELL_US, us) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_SPELL_AGE_US, age) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_SPELL_BYTES, spell->bytes) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_LIMITED_US, spell->limited_us) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_LANE_LIMITED_BYTES, spell->limited_bytes);
}

/* What TCP says is 0 without a connection. */
static int hbc_nl_lane_put(struct sk_buff *skb, const void *of)
{
	struct hbc_lane *lane = (struct hbc_lane *)of;
	struct tcp_info tcp = {};
	int err;

	mutex_lock(&lane->tx_mutex);
	if (lane->sock)
		hbc_gauge_look(lane, &tcp);
	err = hbc_nl_lane_put_who(skb, lane) ?:
	      hbc_nl_put_addr(skb, &lane->addr, HBCAST_A_LANE_IPV4, HBCAST_A_LANE_IPV6,
			      HBCAST_A_LANE_PORT) ?:
	      hbc_nl_lane_put_stats(skb, &lane->stats) ?:
	      hbc_nl_lane_put_tcp(skb, &tcp) ?:
	      hbc_nl_lane_put_spell(skb, &lane->gauge.spell);
	if (!err && lane->pace.rate)
		err = hbc_nl_put_u64(skb, HBCAST_A_LANE_PLANNED_RATE, lane->pace.rate);
	mutex_unlock(&lane->tx_mutex);
	return err;
}

static const struct hbc_nl_kind hbc_nl_lanes = { hbc_nl_lane_put };

int hbcast_nl_lane_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[HBCAST_A_LANE_ID];
	struct hbc_lane *lane = hbc_nl_lane_find(hbc_nl_net(info), nla_get_u32(id));
	int err;

	if (lane && lane->id == nla_get_u32(id))
		err = hbc_nl_reply(info, &hbc_nl_lanes, lane);
	else
		err = hbc_nl_refuse(info->extack, id, -ENOENT, "there is no such lane");
	if (lane)
		hbc_lane_put(lane);
	return err;
}

int hbcast_nl_lane_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 *from = (u32 *)cb->ctx, next = 0;
	struct hbc_lane *lane;
	int err;

	err = hbc_nl_dump_begin(cb);
	if (err)
		return err;
	while (!err && (lane = hbc_nl_lane_find(hbc_nl_dump_net(cb), *from))) {
		err = hbc_nl_dump(skb, cb, &hbc_nl_lanes, lane, &next);
		if (!err)
			*from = lane->id + 1;
		hbc_lane_put(lane);
	}
	return hbc_nl_dump_end(skb, cb, err);
}
