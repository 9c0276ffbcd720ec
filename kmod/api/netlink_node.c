// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on the node and its peers. */
#include <linux/socket.h>

#include "api/netlink.h"
#include "compat/netlink.h"
#include "config/addr.h"
#include "config/node.h"
#include "config/peer.h"

/* The request's address, which is good for hbc_node_check_addr(), or -EINVAL. */
static int hbc_nl_get_addr(const struct genl_info *info, struct sockaddr_storage *addr)
{
	const struct nlattr *ipv4 = info->attrs[HBCAST_A_NODE_IPV4];
	const struct nlattr *ipv6 = info->attrs[HBCAST_A_NODE_IPV6];
	const struct nlattr *port = info->attrs[HBCAST_A_NODE_PORT];

	if (!ipv4 == !ipv6)
		return hbc_refuse(info->extack, -EINVAL, "either ipv4 or ipv6 is needed");
	hbc_addr_get(addr, ipv4 ? 4 : 6, htons(port ? nla_get_u16(port) : HBCAST_PORT_DEFAULT),
		     nla_data(ipv4 ?: ipv6));
	NL_SET_BAD_ATTR(info->extack, ipv4 ?: ipv6);
	return hbc_node_check_addr(addr, info->extack);
}

/* The request's id, about which the refusal is from here on. */
static u32 hbc_nl_node_id(const struct genl_info *info)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[HBCAST_A_NODE_ID]);
	return nla_get_u32(info->attrs[HBCAST_A_NODE_ID]);
}

int hbcast_nl_node_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	u32 id = nla_get_u32(info->attrs[HBCAST_A_NODE_ID]);
	struct sockaddr_storage addr;

	return hbc_nl_get_addr(info, &addr) ?:
	       hbc_node_set(hbc_nl_net(info), id, &addr, info->extack);
}

int hbcast_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbc_node_clear(hbc_nl_net(info), info->extack);
}

static int hbc_nl_node_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_net *hn = of;

	return nla_put_u32(skb, HBCAST_A_NODE_ID, hn->id) ?:
	       hbc_nl_put_addr(skb, &hn->addr, HBCAST_A_NODE_IPV4, HBCAST_A_NODE_IPV6,
			       HBCAST_A_NODE_PORT) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_LANES, atomic_read(&hn->nr_lanes)) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_HALF_OPEN, READ_ONCE(hn->nr_half_open)) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_GROUPS, hn->nr_groups) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_PEERS, hn->nr_peers);
}

int hbcast_nl_node_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);

	return hbc_node_check(hn, info->extack) ?:
	       hbc_nl_reply(info, &(struct hbc_nl_kind) { hbc_nl_node_put }, hn);
}

int hbcast_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sockaddr_storage addr;

	return hbc_nl_get_addr(info, &addr) ?:
	       hbc_peer_add(hbc_nl_net(info), hbc_nl_node_id(info), &addr, info->extack);
}

int hbcast_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbc_peer_del(hbc_nl_net(info), hbc_nl_node_id(info), info->extack);
}

static int hbc_nl_peer_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_peer *peer = of;

	return nla_put_u32(skb, HBCAST_A_NODE_ID, peer->id) ?:
	       hbc_nl_put_addr(skb, &peer->addr, HBCAST_A_NODE_IPV4, HBCAST_A_NODE_IPV6,
			       HBCAST_A_NODE_PORT);
}

static const struct hbc_nl_kind hbc_nl_peers = { hbc_nl_peer_put };

int hbcast_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct hbc_peer *peer = hbc_peer_find(hbc_nl_net(info), hbc_nl_node_id(info));

	if (!peer)
		return hbc_refuse(info->extack, -ENOENT, "there is no such peer");
	return hbc_nl_reply(info, &hbc_nl_peers, peer);
}

int hbcast_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	const struct hbc_peer *peer;
	unsigned long id;
	u32 next = 0;
	int err;

	err = hbc_nl_dump_begin(cb);
	if (err)
		return err;
	cb->seq = hn->generation;
	xa_for_each_start(&hn->peers, id, peer, cb->args[0]) {
		err = hbc_nl_dump(skb, cb, &hbc_nl_peers, peer, &next);
		if (err)
			break;
		cb->args[0] = id + 1;
	}
	return hbc_nl_dump_end(skb, cb, err);
}
