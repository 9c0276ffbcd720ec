/* SPDX-License-Identifier: GPL-2.0 */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/hbcast.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_HBCAST_GEN_H
#define _LINUX_HBCAST_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <linux/hbcast_netlink.h>

/* Common nested types */
extern const struct nla_policy hbcast_edge_nl_policy[HBCAST_A_EDGE_RATE + 1];
extern const struct nla_policy hbcast_task_nl_policy[HBCAST_A_TASK_RATE + 1];

/* Ops table for hbcast */
extern const struct genl_ops hbcast_nl_ops[21];

int hbcast_nl_version_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_node_set_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_node_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int hbcast_nl_group_new_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_group_set_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_group_del_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_group_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_group_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int hbcast_nl_plan_begin_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_plan_tree_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_plan_commit_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_plan_del_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_plan_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_plan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int hbcast_nl_lane_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_lane_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int hbcast_nl_message_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_message_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int hbcast_nl_probe_start_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_probe_stop_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_store_get_doit(struct sk_buff *skb, struct genl_info *info);
int hbcast_nl_store_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);

enum {
	HBCAST_NLGRP_EVENTS,
};

#endif /* _LINUX_HBCAST_GEN_H */
