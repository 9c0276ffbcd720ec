// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on the node and its peers. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>

#include "api/netlink.h"
#include "config/node.h"
#include "config/peer.h"

/* What node-get says. */
struct hbc_nl_node {
	u32 id;
	struct sockaddr_storage addr;
	u32 lanes;
	u32 half_open;
	u32 groups;
	u32 peers;
};

#define HBC_NL_ADDR_SIZE (nla_total_size(sizeof(struct in6_addr)) + nla_total_size(sizeof(u16)))

/* The request's address, which is good for hbc_node_check_addr(), or -EINVAL. */
static int hbc_nl_get_addr(const struct genl_info *info, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *sin = (struct sockaddr_in *)addr;
	const struct nlattr *ipv4 = info->attrs[HBCAST_A_NODE_IPV4];
	const struct nlattr *ipv6 = info->attrs[HBCAST_A_NODE_IPV6];
	const struct nlattr *attr = info->attrs[HBCAST_A_NODE_PORT];
	__be16 port = htons(attr ? nla_get_u16(attr) : HBCAST_PORT_DEFAULT);

	if (!ipv4 == !ipv6) {
		GENL_SET_ERR_MSG(info, "either ipv4 or ipv6 is needed");
		return -EINVAL;
	}
	memset(addr, 0, sizeof(*addr));
	if (ipv4) {
		sin->sin_family = AF_INET;
		sin->sin_addr.s_addr = nla_get_in_addr(ipv4);
		sin->sin_port = port;
	} else {
		sin6->sin6_family = AF_INET6;
		sin6->sin6_addr = nla_get_in6_addr(ipv6);
		sin6->sin6_port = port;
	}
	NL_SET_BAD_ATTR(info->extack, ipv4 ?: ipv6);
	return hbc_node_check_addr(addr, info->extack);
}

int hbcast_nl_node_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct sockaddr_storage addr;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_NODE_ID, "id"))
		return -EINVAL;
	err = hbc_nl_get_addr(info, &addr);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	err = hbc_node_set(hn, nla_get_u32(info->attrs[HBCAST_A_NODE_ID]), &addr, info->extack);
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_no_node(const struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "the namespace is no node; set the node first");
	return -ENODEV;
}

int hbcast_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = hbc_node_clear(hbc_nl_net(info));

	if (err == -ENODEV)
		return hbc_nl_no_node(info);
	if (err == -EBUSY)
		GENL_SET_ERR_MSG(info, "the node is being taken down already");
	return err;
}

static int hbc_nl_node_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_node *node = object;

	return nla_put_u32(skb, HBCAST_A_NODE_ID, node->id) ?:
	       hbc_nl_put_addr(skb, &node->addr, HBCAST_A_NODE_IPV4, HBCAST_A_NODE_IPV6,
			       HBCAST_A_NODE_PORT) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_LANES, node->lanes) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_HALF_OPEN, node->half_open) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_GROUPS, node->groups) ?:
	       nla_put_u32(skb, HBCAST_A_NODE_PEERS, node->peers);
}

int hbcast_nl_node_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_nl_node node;

	mutex_lock(&hn->lock);
	node.id = hn->id;
	node.addr = hn->addr;
	node.lanes = atomic_read(&hn->nr_lanes);
	node.half_open = READ_ONCE(hn->nr_half_open);
	node.groups = hn->nr_groups;
	node.peers = hn->nr_peers;
	mutex_unlock(&hn->lock);
	if (!node.id)
		return hbc_nl_no_node(info);
	return hbc_nl_reply(info, 5 * nla_total_size(sizeof(u32)) + HBC_NL_ADDR_SIZE,
			    hbc_nl_node_fill, &node);
}

int hbcast_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct sockaddr_storage addr;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_NODE_ID, "id"))
		return -EINVAL;
	err = hbc_nl_get_addr(info, &addr);
	if (err)
		return err;
	NL_SET_BAD_ATTR(info->extack, info->attrs[HBCAST_A_NODE_ID]);
	mutex_lock(&hn->lock);
	err = hbc_peer_add(hn, nla_get_u32(info->attrs[HBCAST_A_NODE_ID]), &addr, info->extack);
	mutex_unlock(&hn->lock);
	return err;
}

int hbcast_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	int err;

	if (hbc_nl_missing(info, HBCAST_A_NODE_ID, "id"))
		return -EINVAL;
	NL_SET_BAD_ATTR(info->extack, info->attrs[HBCAST_A_NODE_ID]);
	mutex_lock(&hn->lock);
	err = hbc_peer_del(hn, nla_get_u32(info->attrs[HBCAST_A_NODE_ID]), info->extack);
	mutex_unlock(&hn->lock);
	return err;
}

static int hbc_nl_peer_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_peer *peer = object;

	return nla_put_u32(skb, HBCAST_A_NODE_ID, peer->id) ?:
	       hbc_nl_put_addr(skb, &peer->addr, HBCAST_A_NODE_IPV4, HBCAST_A_NODE_IPV6,
			       HBCAST_A_NODE_PORT);
}

int hbcast_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	const struct hbc_peer *peer;
	int err;

	if (hbc_nl_missing(info, HBCAST_A_NODE_ID, "id"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	peer = hbc_peer_find(hn, nla_get_u32(info->attrs[HBCAST_A_NODE_ID]));
	if (peer) {
		err = hbc_nl_reply(info, nla_total_size(sizeof(u32)) + HBC_NL_ADDR_SIZE,
				   hbc_nl_peer_fill, peer);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_NODE_ID],
				    "there is no such peer");
		err = -ENOENT;
	}
	mutex_unlock(&hn->lock);
	return err;
}

int hbcast_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	u32 *last = (u32 *)cb->ctx;
	const struct hbc_peer *peer;
	unsigned int next = 0;
	int err;

	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = hn->generation;
	list_for_each_entry(peer, &hn->peers, link) {
		if (peer->id <= *last)
			continue;
		err = hbc_nl_dump(skb, cb, hbc_nl_peer_fill, peer, &next);
		if (err)
			break;
		*last = peer->id;
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
