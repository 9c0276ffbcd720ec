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
#include "compat/netlink.h"
#include "config/addr.h"
#include "config/event.h"
#include "config/group.h"
#include "config/node.h"
#include "probe/ask.h"
#include "root/upload.h"
#include "session/session.h"
#include "wire/wire.h"

#define HBC_NL_SEND_MAX	(1024 * 1024)	/* bytes; more than any object takes */

/* The interface says it in its own words. */
static_assert(HBC_EVENT_MCGRP == HBCAST_NLGRP_EVENTS);

/* For hbc_nl_put_u64(). */
static_assert(HBCAST_A_DROPS_PAD == 1 && HBCAST_A_GROUP_PAD == 1 && HBCAST_A_EDGE_PAD == 1 &&
	      HBCAST_A_LANE_PAD == 1 && HBCAST_A_MEMBER_PAD == 1 && HBCAST_A_MESSAGE_PAD == 1 &&
	      HBCAST_A_CURSOR_PAD == 1 && HBCAST_A_STORE_PAD == 1 && HBCAST_A_FIGURE_PAD == 1 &&
	      HBCAST_A_PROBE_PAD == 1);

static const struct genl_multicast_group hbc_nl_mcgrps[] = {
	/* One event is for all listeners: it cannot follow a group's mode. */
	[HBCAST_NLGRP_EVENTS] = {
		.name = HBCAST_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN,
	},
};

/* What requests need, and which attribute names a group that has to be there. */
static const struct {
	u8 cmd;
	u8 attr;
	const char *otherwise;
	bool group;
} hbc_nl_needs[] = {
	{ HBCAST_CMD_NODE_SET, HBCAST_A_NODE_ID, "id is needed" },
	{ HBCAST_CMD_PEER_NEW, HBCAST_A_NODE_ID, "id is needed" },
	{ HBCAST_CMD_PEER_DEL, HBCAST_A_NODE_ID, "id is needed" },
	{ HBCAST_CMD_PEER_GET, HBCAST_A_NODE_ID, "id is needed" },
	{ HBCAST_CMD_GROUP_NEW, HBCAST_A_GROUP_ID, "id is needed" },
	{ HBCAST_CMD_GROUP_NEW, HBCAST_A_GROUP_KEY, "key is needed" },
	{ HBCAST_CMD_GROUP_SET, HBCAST_A_GROUP_ID, "id is needed", .group = true },
	{ HBCAST_CMD_GROUP_DEL, HBCAST_A_GROUP_ID, "id is needed", .group = true },
	{ HBCAST_CMD_GROUP_GET, HBCAST_A_GROUP_ID, "id is needed", .group = true },
	{ HBCAST_CMD_PLAN_BEGIN, HBCAST_A_PLAN_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_PLAN_TREE, HBCAST_A_PLAN_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_PLAN_TREE, HBCAST_A_PLAN_SLOT, "slot is needed" },
	{ HBCAST_CMD_PLAN_COMMIT, HBCAST_A_PLAN_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_PLAN_DEL, HBCAST_A_PLAN_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_PLAN_GET, HBCAST_A_PLAN_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_LANE_GET, HBCAST_A_LANE_ID, "id is needed" },
	{ HBCAST_CMD_MESSAGE_GET, HBCAST_A_MESSAGE_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_MESSAGE_GET, HBCAST_A_MESSAGE_ID, "id is needed" },
	{ HBCAST_CMD_PROBE_START, HBCAST_A_PROBE_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_PROBE_START, HBCAST_A_PROBE_ROUND, "round is needed" },
	{ HBCAST_CMD_PROBE_START, HBCAST_A_PROBE_MS, "ms is needed" },
	{ HBCAST_CMD_PROBE_START, HBCAST_A_PROBE_TASK, "task is needed" },
	{ HBCAST_CMD_PROBE_STOP, HBCAST_A_PROBE_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_STORE_GET, HBCAST_A_STORE_GROUP, "group is needed", .group = true },
	{ HBCAST_CMD_STORE_GET, HBCAST_A_STORE_ROOT, "root is needed" },
	{ HBCAST_CMD_STORE_GET, HBCAST_A_STORE_ID, "id is needed" },
};

/* Before each do operation. */
static int hbc_nl_before(const struct hbc_compat_genl_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	struct hbc_net *hn = hbc_net(genl_info_net(info));
	const struct nlattr *named = NULL;
	struct hbc_group *group = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hbc_nl_needs); i++) {
		if (hbc_nl_needs[i].cmd != info->genlhdr->cmd)
			continue;
		if (GENL_REQ_ATTR_CHECK(info, hbc_nl_needs[i].attr)) {
			info->extack->_msg = hbc_nl_needs[i].otherwise;
			return -EINVAL;
		}
		if (hbc_nl_needs[i].group)
			named = info->attrs[hbc_nl_needs[i].attr];
	}
	mutex_lock(&hn->lock);
	if (named) {
		group = hbc_group_find(hn, nla_get_u32(named));
		if (!group) {
			mutex_unlock(&hn->lock);
			return hbc_nl_refuse(info->extack, named, -ENOENT,
				"the node does not take part in this group; add the group first");
		}
	}
	info->user_ptr[0] = hn;
	info->user_ptr[1] = group;
	return 0;
}

static void hbc_nl_after(const struct hbc_compat_genl_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	mutex_unlock(&hbc_nl_net(info)->lock);
}

struct genl_family hbc_nl_family __ro_after_init = {
	.name		= HBCAST_FAMILY_NAME,
	.version	= HBCAST_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.pre_doit	= hbc_nl_before,
	.post_doit	= hbc_nl_after,
	.ops		= hbcast_nl_ops,
	.n_ops		= ARRAY_SIZE(hbcast_nl_ops),
	.mcgrps		= hbc_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(hbc_nl_mcgrps),
};

bool hbc_nl_may(const struct hbc_group *group)
{
	return !hbc_group_permission(group, 4) || !hbc_group_permission(group, 2);
}

unsigned int hbc_nl_count(const struct genl_info *info, int type)
{
	const struct nlattr *attr;
	unsigned int n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(attr) == type;
	return n;
}

static int hbc_nl_put(struct sk_buff *skb, const struct hbc_nl_kind *kind, const void *of,
		      u32 *next)
{
	int err = kind->put(skb, of);

	return err || !kind->put_entries ? err : kind->put_entries(skb, of, next);
}

int hbc_nl_send(struct net *net, u32 portid, u32 seq, u8 cmd, const struct hbc_nl_kind *kind,
		const void *of)
{
	size_t size = GENLMSG_DEFAULT_SIZE;
	struct sk_buff *skb;
	u32 next = 0;
	void *hdr;
	int err;

	/* As long as it has to be. */
	for (;; size *= 2, next = 0) {
		skb = genlmsg_new(size, GFP_KERNEL);
		if (!skb)
			return -ENOMEM;
		hdr = genlmsg_put(skb, portid, seq, &hbc_nl_family, 0, cmd);
		err = hdr ? hbc_nl_put(skb, kind, of, &next) : -EMSGSIZE;
		if (!err)
			break;
		nlmsg_free(skb);
		if (err != -EMSGSIZE || WARN_ON_ONCE(size > HBC_NL_SEND_MAX))
			return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_unicast(net, skb, portid);
}

struct hbc_net *hbc_nl_dump_net(const struct netlink_callback *cb)
{
	return hbc_net(sock_net(cb->skb->sk));
}

int hbc_nl_dump_begin(struct netlink_callback *cb)
{
	if (nlmsg_attrlen(cb->nlh, GENL_HDRLEN))
		return hbc_refuse(cb->extack, -EINVAL, "a dump takes no attributes");
	mutex_lock(&hbc_nl_dump_net(cb)->lock);
	cb->seq = 1;
	return 0;
}

int hbc_nl_dump_end(const struct sk_buff *skb, const struct netlink_callback *cb, int err)
{
	mutex_unlock(&hbc_nl_dump_net(cb)->lock);
	return err == -EMSGSIZE && skb->len ? skb->len : err;
}

int hbc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, const struct hbc_nl_kind *kind,
		const void *of, u32 *next)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	u32 first = *next;
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &hbc_nl_family,
			  NLM_F_MULTI, request->cmd);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = hbc_nl_put(skb, kind, of, next);
	/* A message that moves nothing on is none. */
	if (err && *next == first)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	if (!err)
		*next = 0;
	return err;
}

/* The newest session of the first root from @root on, or NULL. hn->lock held. */
static struct hbc_session *hbc_nl_session(const struct hbc_group *group, u64 root)
{
	struct hbc_session *s, *found = NULL;

	lockdep_assert_held(&group->hn->lock);
	list_for_each_entry(s, &group->sessions, link)
		if (s->root >= root && (!found || s->root < found->root))
			found = s;
	return found;
}

int hbc_nl_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb,
			 int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				    struct hbc_session *s, struct hbc_nl_place *at))
{
	struct hbc_nl_place *at = (struct hbc_nl_place *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	const struct hbc_group *group;
	struct hbc_session *s;
	unsigned long id;
	int err;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	err = hbc_nl_dump_begin(cb);
	if (err)
		return err;
	xa_for_each_start(&hn->groups, id, group, at->group) {
		if (!hbc_nl_may(group))
			continue;
		if (group->id > at->group)
			*at = (struct hbc_nl_place) { .group = group->id };
		while (!err && (s = hbc_nl_session(group, at->root))) {
			if (s->root != at->root)
				*at = (struct hbc_nl_place) { at->group, .root = s->root };
			err = put(skb, cb, s, at);
			if (!err)
				*at = (struct hbc_nl_place) { at->group, .root = at->root + 1 };
		}
		if (err)
			break;
	}
	return hbc_nl_dump_end(skb, cb, err);
}

int hbc_nl_put_addr(struct sk_buff *skb, const struct sockaddr_storage *addr, int ipv4, int ipv6,
		    int port)
{
	u8 family, raw[sizeof(struct in6_addr)];
	__be16 number;

	if (addr->ss_family == AF_UNSPEC)
		return 0;
	hbc_addr_put(addr, &family, &number, raw);
	return (family == 6 ? nla_put(skb, ipv6, sizeof(struct in6_addr), raw) :
			      nla_put(skb, ipv4, sizeof(struct in_addr), raw)) ?:
	       nla_put_u16(skb, port, ntohs(number));
}

static int hbc_nl_version_put(struct sk_buff *skb, const void *of)
{
	return nla_put_string(skb, HBCAST_A_VERSION_MODULE, THIS_MODULE->version) ?:
	       nla_put_u32(skb, HBCAST_A_VERSION_INTERFACE, HBCAST_INTERFACE_VERSION) ?:
	       nla_put_u32(skb, HBCAST_A_VERSION_WIRE, HBC_WIRE_VERSION);
}

int hbcast_nl_version_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbc_nl_reply(info, &(struct hbc_nl_kind) { hbc_nl_version_put }, NULL);
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
