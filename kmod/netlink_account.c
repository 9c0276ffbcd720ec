// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on accounts. */
#include <linux/hbcast.h>

#include "account.h"
#include "group.h"
#include "netlink.h"
#include "node.h"

/* Failures are attributes in the order of enum hbcast_reason. */
#define HBC_NL_FAILURE(reason)	(HBCAST_A_FAILURES_NO_RECEIVER - HBCAST_REASON_NO_RECEIVER + \
				 (reason))
static_assert(HBC_NL_FAILURE(HBCAST_REASON_CLOSED) == HBCAST_A_FAILURES_CLOSED);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_STALLED) == HBCAST_A_FAILURES_STALLED);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_CHECKSUM) == HBCAST_A_FAILURES_CHECKSUM);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_LANE_LOST) == HBCAST_A_FAILURES_LANE_LOST);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_NODE_DEAD) == HBCAST_A_FAILURES_NODE_DEAD);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_ABORTED) == HBCAST_A_FAILURES_ABORTED);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_PLAN_GONE) == HBCAST_A_FAILURES_PLAN_GONE);
static_assert(HBC_NL_FAILURE(HBCAST_REASON_NO_MEMORY) == HBCAST_A_FAILURES_NO_MEMORY);
static_assert(HBC_NL_FAILURE(__HBCAST_REASON_MAX) == __HBCAST_A_FAILURES_MAX);

#define HBC_NL_ACCOUNT_SIZE	(2 * nla_total_size(sizeof(u32)) + nla_total_size(0) +	\
				 (2 + __HBCAST_REASON_MAX) * nla_total_size_64bit(sizeof(u64)))

/* An account and its group. */
struct hbc_nl_account {
	u32 group;
	const struct hbc_account *account;
};

static int hbc_nl_put_failures(struct sk_buff *skb, const struct hbc_account *account)
{
	struct nlattr *nest = nla_nest_start(skb, HBCAST_A_ACCOUNT_FAILURES);
	int err = 0, i;

	if (!nest)
		return -EMSGSIZE;
	for (i = HBCAST_REASON_NO_RECEIVER; !err && i < __HBCAST_REASON_MAX; i++)
		err = nla_put_u64_64bit(skb, HBC_NL_FAILURE(i),
					atomic64_read(&account->failed[i]),
					HBCAST_A_FAILURES_PAD);
	if (!err)
		nla_nest_end(skb, nest);
	return err;
}

static int hbc_nl_account_fill(struct sk_buff *skb, const void *object, unsigned int *next)
{
	const struct hbc_nl_account *asked = object;
	const struct hbc_account *account = asked->account;

	return nla_put_u32(skb, HBCAST_A_ACCOUNT_GROUP, asked->group) ?:
	       nla_put_u32(skb, HBCAST_A_ACCOUNT_NODE, account->node) ?:
	       nla_put_u64_64bit(skb, HBCAST_A_ACCOUNT_ACCEPTED,
				 atomic64_read(&account->accepted), HBCAST_A_ACCOUNT_PAD) ?:
	       nla_put_u64_64bit(skb, HBCAST_A_ACCOUNT_DELIVERED,
				 atomic64_read(&account->delivered), HBCAST_A_ACCOUNT_PAD) ?:
	       hbc_nl_put_failures(skb, account);
}

/* hn->lock held. */
static int hbc_nl_account_get(struct genl_info *info, struct hbc_net *hn)
{
	struct hbc_nl_account asked = {
		.group = nla_get_u32(info->attrs[HBCAST_A_ACCOUNT_GROUP]),
	};
	u32 node = nla_get_u32(info->attrs[HBCAST_A_ACCOUNT_NODE]);
	struct hbc_group *group = hbc_group_find(hn, asked.group);
	unsigned long at = node;

	asked.account = group ? hbc_account_next(group, &at) : NULL;
	if (asked.account && at == node)
		return hbc_nl_reply(info, HBC_NL_ACCOUNT_SIZE, hbc_nl_account_fill, &asked);
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBCAST_A_ACCOUNT_NODE],
			    "the node has been in no plan of this one in the group");
	return -ENOENT;
}

int hbcast_nl_account_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbc_net *hn = hbc_nl_net(info);
	int err;

	if (hbc_nl_missing(info, HBCAST_A_ACCOUNT_GROUP, "group") ||
	    hbc_nl_missing(info, HBCAST_A_ACCOUNT_NODE, "node"))
		return -EINVAL;
	mutex_lock(&hn->lock);
	err = hbc_nl_account_get(info, hn);
	mutex_unlock(&hn->lock);
	return err;
}

/* A dump goes on with node @node of group @group. */
struct hbc_nl_account_dump {
	u32 group;
	unsigned long node;
};

/* hn->lock held. */
static int hbc_nl_account_dump(struct sk_buff *skb, struct netlink_callback *cb,
			       struct hbc_group *group, struct hbc_nl_account_dump *at)
{
	struct hbc_nl_account asked = { .group = group->id };
	unsigned int next = 0;
	int err;

	for (;;) {
		asked.account = hbc_account_next(group, &at->node);
		if (!asked.account)
			return 0;
		err = hbc_nl_dump(skb, cb, hbc_nl_account_fill, &asked, &next);
		if (err)
			return err;
		at->node++;
	}
}

int hbcast_nl_account_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hbc_nl_account_dump *at = (struct hbc_nl_account_dump *)cb->ctx;
	struct hbc_net *hn = hbc_nl_dump_net(cb);
	struct hbc_group *group;
	int err;

	err = hbc_nl_dump_check(cb);
	if (err)
		return err;
	mutex_lock(&hn->lock);
	cb->seq = 1;
	list_for_each_entry(group, &hn->groups, link) {
		if (group->id < at->group)
			continue;
		if (group->id > at->group)
			at->node = 0;
		at->group = group->id;
		err = hbc_nl_account_dump(skb, cb, group, at);
		if (err)
			break;
	}
	mutex_unlock(&hn->lock);
	return hbc_nl_dump_end(skb, err);
}
