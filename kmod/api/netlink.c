// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family. */
#include <linux/hbcast.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "api/netlink.h"
#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "lane/lane.h"
#include "probe/ask.h"
#include "root/upload.h"
#include "wire/auth.h"
#include "wire/wire.h"

/* The interface says in its own words what the module has in its headers. */
static_assert(HBC_KEY_LEN_MIN == HBCAST_KEY_LEN_MIN);
static_assert(HBC_KEY_LEN_MAX == HBCAST_KEY_LEN_MAX);
static_assert(HBC_PORT_DEFAULT == HBCAST_PORT_DEFAULT);
static_assert(HBC_MAX_SLOTS - 1 == HBCAST_SLOT_MAX);
static_assert(HBC_MAX_MEMBERS == HBCAST_NODES_MAX);
static_assert(HBC_MAX_DEPTH == HBCAST_DEPTH_MAX);
static_assert(HBC_EVENT_MCGRP == HBCAST_NLGRP_EVENTS);
static_assert((int)HBC_REJECT_GROUP == (int)HBCAST_REJECT_GROUP);
static_assert((int)HBC_REJECT_NODE == (int)HBCAST_REJECT_NODE);
static_assert((int)HBC_REJECT_KEY == (int)HBCAST_REJECT_KEY);
static_assert((int)HBC_REJECT_MEMBER == (int)HBCAST_REJECT_MEMBER);
static_assert((int)HBC_REJECT_BUSY == (int)HBCAST_REJECT_BUSY);
static_assert((int)HBC_REJECT_PROTOCOL == (int)HBCAST_REJECT_PROTOCOL);
static_assert(__HBC_REJECT_MAX - 1 == (int)HBCAST_REJECT_POLICY);
static_assert((int)HBC_LANE_CONNECTING == (int)HBCAST_LANE_STATE_CONNECTING);
static_assert((int)HBC_LANE_HANDSHAKE == (int)HBCAST_LANE_STATE_HANDSHAKE);
static_assert((int)HBC_LANE_READY == (int)HBCAST_LANE_STATE_READY);
static_assert((int)HBC_LANE_BACKOFF == (int)HBCAST_LANE_STATE_BACKOFF);
static_assert((int)HBC_LANE_CLOSED == (int)HBCAST_LANE_STATE_CLOSED);

static const struct genl_multicast_group hbc_nl_mcgrps[] = {
	/* One event is for all listeners: it cannot follow a group's mode. */
	[HBCAST_NLGRP_EVENTS] = {
		.name = HBCAST_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN,
	},
};

struct genl_family hbc_nl_family __ro_after_init = {
	.name		= HBCAST_FAMILY_NAME,
	.version	= HBCAST_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= hbcast_nl_ops,
	.n_ops		= ARRAY_SIZE(hbcast_nl_ops),
	.mcgrps		= hbc_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(hbc_nl_mcgrps),
};

struct hbc_net *hbc_nl_net(const struct genl_info *info)
{
	return hbc_net(read_pnet(&info->_net));
}

struct hbc_group *hbc_nl_group(const struct genl_info *info, int attr)
{
	struct hbc_group *group = hbc_group_find(hbc_nl_net(info), nla_get_u32(info->attrs[attr]));

	if (!group)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "the node does not take part in this group; add the group first");
	return group;
}

bool hbc_nl_may(const struct hbc_group *group)
{
	return !hbc_group_permission(group, 4) || !hbc_group_permission(group, 2);
}

struct hbc_net *hbc_nl_dump_net(const struct netlink_callback *cb)
{
	return hbc_net(sock_net(cb->skb->sk));
}

int hbc_nl_reply(struct genl_info *info, size_t size, hbc_nl_fill fill, const void *object)
{
	struct sk_buff *skb;
	unsigned int next = 0;
	void *hdr;
	int err = -EMSGSIZE;

	skb = genlmsg_new(size, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &hbc_nl_family, 0, info->genlhdr->cmd);
	if (hdr)
		err = fill(skb, object, &next);
	if (WARN_ON_ONCE(err)) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

int hbc_nl_dump_check(struct netlink_callback *cb)
{
	if (!nlmsg_attrlen(cb->nlh, GENL_HDRLEN))
		return 0;
	NL_SET_ERR_MSG(cb->extack, "a dump takes no attributes");
	return -EINVAL;
}

int hbc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, hbc_nl_fill fill,
		const void *object, unsigned int *next)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &hbc_nl_family,
			  NLM_F_MULTI, request->cmd);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = fill(skb, object, next);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

int hbc_nl_dump_end(const struct sk_buff *skb, int err)
{
	if (err == -EMSGSIZE && skb->len)
		return skb->len;
	return err;
}

int hbc_nl_put_addr(struct sk_buff *skb, const struct sockaddr_storage *addr, int ipv4, int ipv6,
		    int port)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)addr;

	switch (addr->ss_family) {
	case AF_INET:
		return nla_put_in_addr(skb, ipv4, sin->sin_addr.s_addr) ?:
		       nla_put_u16(skb, port, ntohs(sin->sin_port));
	case AF_INET6:
		return nla_put_in6_addr(skb, ipv6, &sin6->sin6_addr) ?:
		       nla_put_u16(skb, port, ntohs(sin6->sin6_port));
	default:
		return 0;
	}
}

static int hbc_nl_version_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	return nla_put_string(skb, HBCAST_A_VERSION_MODULE, THIS_MODULE->version) ?:
	       nla_put_u32(skb, HBCAST_A_VERSION_INTERFACE, HBCAST_INTERFACE_VERSION) ?:
	       nla_put_u32(skb, HBCAST_A_VERSION_WIRE, HBC_WIRE_VERSION);
}

int hbcast_nl_version_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	size_t size = nla_total_size(strlen(THIS_MODULE->version) + 1) +
		      2 * nla_total_size(sizeof(u32));

	return hbc_nl_reply(info, size, hbc_nl_version_fill, NULL);
}

/* A netlink socket has closed: its uploads and measurements go. Process, no locks. */
static int hbc_nl_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;
	struct hbc_net *hn;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	hn = hbc_net(n->net);
	mutex_lock(&hn->lock);
	hbc_upload_flush(hn, n->portid, 0);
	mutex_unlock(&hn->lock);
	hbc_probe_ask_end(hn, n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block hbc_nl_notifier = {
	.notifier_call = hbc_nl_release,
};

int __init hbc_netlink_init(void)
{
	int err;

	hbc_nl_sample_init();
	err = netlink_register_notifier(&hbc_nl_notifier);
	if (err)
		return err;
	err = genl_register_family(&hbc_nl_family);
	if (err) {
		netlink_unregister_notifier(&hbc_nl_notifier);
		return err;
	}
	hbc_event_enable(&hbc_nl_family);
	return 0;
}

void hbc_netlink_exit(void)
{
	hbc_event_enable(NULL);
	genl_unregister_family(&hbc_nl_family);
	netlink_unregister_notifier(&hbc_nl_notifier);
}
