// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on this root's messages. */
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "api/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "root/origin.h"
#include "session/session.h"

/* A message as it is now; @member is NULL unless the members are asked for. */
struct hbc_nl_message {
	u32 group;
	u16 port;
	struct hbcast_completion c;
	struct hbcast_member *member;
	u32 nr;
};

#define HBC_NL_MEMBER_SIZE nla_total_size(3 * nla_total_size(sizeof(u32)) +		\
					  2 * nla_total_size_64bit(sizeof(u64)))
#define HBC_NL_MESSAGE_SIZE (5 * nla_total_size(sizeof(u32)) +				\
			     3 * nla_total_size_64bit(sizeof(u64)))

static int hbc_nl_put_member(struct sk_buff *skb, const struct hbcast_member *member)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_MESSAGE_MEMBER);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, HBCAST_A_MEMBER_NODE, member->node) ?:
	      nla_put_u32(skb, HBCAST_A_MEMBER_STATE, member->state) ?:
	      nla_put_u32(skb, HBCAST_A_MEMBER_REASON, member->reason) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_MEMBER_BYTES, member->bytes,
				HBCAST_A_MEMBER_PAD) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_MEMBER_TIME_NS, member->time_ns,
				HBCAST_A_MEMBER_PAD);
	if (!err)
		nla_nest_end(skb, nest);
	return err;
}

static int hbc_nl_message_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_message *m = object;
	int err;
	u32 i;

	err = nla_put_u32(skb, HBCAST_A_MESSAGE_GROUP, m->group) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_MESSAGE_ID, m->c.message, HBCAST_A_MESSAGE_PAD) ?:
	      nla_put_u16(skb, HBCAST_A_MESSAGE_PORT, m->port) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_MESSAGE_TOTAL, m->c.total,
				HBCAST_A_MESSAGE_PAD) ?:
	      nla_put_u64_64bit(skb, HBCAST_A_MESSAGE_SENT, m->c.sent, HBCAST_A_MESSAGE_PAD) ?:
	      nla_put_u32(skb, HBCAST_A_MESSAGE_MEMBERS, m->c.members) ?:
	      nla_put_u32(skb, HBCAST_A_MESSAGE_DELIVERED, m->c.delivered) ?:
	      nla_put_u32(skb, HBCAST_A_MESSAGE_FAILED, m->c.failed);
	for (i = 0; !err && i < m->nr; i++)
		err = hbc_nl_put_member(skb, &m->member[i]);
	return err;
}

/* Message @id with its members: 0, -ENOENT, -ENOMEM. hn->lock held. */
static int hbc_nl_message_find(struct hbc_net *hn, u32 id, u64 message,
			       struct hbc_nl_message *m)
{
	struct hbc_group *group = hbc_group_find(hn, id);
	struct hbc_session *own = NULL;
	int nr;

	if (group && hbc_nl_may(group))
		own = hbc_session_find(group, hn->id, 0);
	if (!own || hbc_origin_next(own, message - 1, &m->c, &m->port) ||
	    m->c.message != message)
		return -ENOENT;
	m->group = id;
	m->member = kvcalloc(m->c.members, sizeof(*m->member), GFP_KERNEL);
	if (!m->member)
		return -ENOMEM;
	nr = hbc_origin_members(own, message, m->member, m->c.members);
	if (nr < 0)
		return nr;
	m->nr = nr;
	return 0;
}

int hbcast_nl_message_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	struct hbc_nl_message m = {};
	int err;

	if (hbc_nl_missing(info, HBCAST_A_MESSAGE_GROUP, "group") ||
	    hbc_nl_missing(info, HBCAST_A_MESSAGE_ID, "id"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	err = hbc_nl_message_find(hn, nla_get_u32(info->attrs[HBCAST_A_MESSAGE_GROUP]),
				  nla_get_u64(info->attrs[HBCAST_A_MESSAGE_ID]), &m);
	mutex_unlock(&hn->lock);
	if (!err)
		err = hbc_nl_reply(info, HBC_NL_MESSAGE_SIZE + m.nr * HBC_NL_MEMBER_SIZE,
				   hbc_nl_message_fill, &m);
	else if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_MESSAGE_ID],
				    "this node has no such message in the group");
	kvfree(m.member);
	return err;
}

/* A dump goes on behind message @last of group @group. */
struct hbc_nl_message_dump {
	u32 group;
	u64 last;
};

static int hbc_nl_message_dump(struct sk_buff *skb, struct netlink_callback *cb,
			       struct hbc_session *own, struct hbc_nl_message_dump *at)
{
	struct hbc_nl_message m = { .group = at->group };
	unsigned int next = 0;
	int err;

	while (!hbc_origin_next(own, at->last, &m.c, &m.port)) {
		err = hbc_nl_dump(skb, cb, hbc_nl_message_fill, &m, &next);
		if (err)
			return err;
		at->last = m.c.message;
	}
	return 0;
}

int hbcast_nl_message_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_message_dump *at = (struct hbc_nl_message_dump *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	struct hbc_session *own;
	struct hbc_group *group;
	int err;

	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = 1;
	list_for_each_entry(group, &hn->groups, link) {
		if (group->id < at->group || !hbc_nl_may(group))
			continue;
		if (group->id > at->group)
			at->last = 0;
		at->group = group->id;
		own = hbc_session_find(group, hn->id, 0);
		err = own ? hbc_nl_message_dump(skb, cb, own, at) : 0;
		if (err)
			break;
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
