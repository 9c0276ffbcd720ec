// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on this root's messages. */
#include <linux/hbcast.h>
#include <linux/mm.h>

#include "api/netlink.h"
#include "config/group.h"
#include "config/node.h"
#include "root/origin.h"
#include "root/sent.h"
#include "root/source.h"
#include "session/session.h"

/* A message as it is now. */
struct hbc_nl_message {
	struct hbc_sent *sent;
	struct hbcast_completion *c;
};

static int hbc_nl_put_member(struct sk_buff *skb, const struct hbcast_member *member)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_MESSAGE_MEMBER);
	int err;

	err = nla_put_u32(skb, HBCAST_A_MEMBER_NODE, member->node) ?:
	      nla_put_u32(skb, HBCAST_A_MEMBER_STATE, member->state) ?:
	      nla_put_u32(skb, HBCAST_A_MEMBER_REASON, member->reason) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_MEMBER_BYTES, member->bytes) ?:
	      hbc_nl_put_u64(skb, HBCAST_A_MEMBER_TIME_NS, member->time_ns);
	return hbc_nl_nest_end(skb, nest, err);
}

static int hbc_nl_message_put_members(struct sk_buff *skb, const void *of, u32 *next)
{
	const struct hbcast_completion *c = ((const struct hbc_nl_message *)of)->c;
	int err = 0;

	for (; !err && *next < c->members; *next += !err)
		err = hbc_nl_put_member(skb, &c->member[*next]);
	return err;
}

static int hbc_nl_message_put(struct sk_buff *skb, const void *of)
{
	const struct hbc_nl_message *m = of;
	const struct hbcast_completion *c = m->c;

	return nla_put_u32(skb, HBCAST_A_MESSAGE_GROUP, m->sent->source->s->group->id) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_MESSAGE_ID, c->message) ?:
	       nla_put_u16(skb, HBCAST_A_MESSAGE_PORT, m->sent->source->port) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_MESSAGE_TOTAL, c->total) ?:
	       hbc_nl_put_u64(skb, HBCAST_A_MESSAGE_SENT, c->sent) ?:
	       nla_put_u32(skb, HBCAST_A_MESSAGE_MEMBERS, c->members) ?:
	       nla_put_u32(skb, HBCAST_A_MESSAGE_DELIVERED, c->delivered) ?:
	       nla_put_u32(skb, HBCAST_A_MESSAGE_FAILED, c->failed);
}

int hbcast_nl_message_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[HBCAST_A_MESSAGE_ID];
	static const struct hbc_nl_kind members = {
		hbc_nl_message_put, hbc_nl_message_put_members
	};
	struct hbc_group *group = hbc_nl_group(info);
	struct hbc_session *own = NULL;
	struct hbc_nl_message m = {};
	int err = -ENOMEM;

	if (hbc_nl_may(group))
		own = hbc_session_find(group, group->hn->id, 0);
	if (own)
		m.sent = hbc_origin_sent(own, nla_get_u64(id) - 1);
	if (m.sent && m.sent->number == nla_get_u64(id)) {
		m.c = hbc_sent_completion(m.sent, m.sent->nr);
		if (m.c)
			err = hbc_nl_reply(info, &members, &m);
		kvfree(m.c);
	} else {
		err = hbc_nl_refuse(info->extack, id, -ENOENT,
				    "this node has no such message in the group");
	}
	if (m.sent)
		hbc_sent_put(m.sent);
	return err;
}

static int hbc_nl_message_dump(struct sk_buff *skb, struct netlink_callback *cb,
			       struct hbc_session *s, struct hbc_nl_place *at)
{
	static const struct hbc_nl_kind messages = { hbc_nl_message_put };
	struct hbc_nl_message m;
	int err = 0;

	while (!err && s->origin && (m.sent = hbc_origin_sent(s, at->item))) {
		m.c = hbc_sent_completion(m.sent, 0);
		err = m.c ? hbc_nl_dump(skb, cb, &messages, &m, &at->next) : -ENOMEM;
		if (!err)
			at->item = m.sent->number;
		kvfree(m.c);
		hbc_sent_put(m.sent);
	}
	return err;
}

int hbcast_nl_message_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbc_nl_dump_sessions(skb, cb, hbc_nl_message_dump);
}
