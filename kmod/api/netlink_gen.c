// SPDX-License-Identifier: GPL-2.0
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/hbcast.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <linux/hbcast_netlink.h>

/* Integer value ranges */
static struct netlink_range_validation hbcast_a_group_dead_ms_range = {
	.min	= HBCAST_INTERVAL_MS_MIN,
	.max	= HBCAST_INTERVAL_MS_MAX,
};

static struct netlink_range_validation hbcast_a_group_stall_ms_range = {
	.min	= HBCAST_INTERVAL_MS_MIN,
	.max	= HBCAST_INTERVAL_MS_MAX,
};

static struct netlink_range_validation hbcast_a_group_window_range = {
	.min	= HBCAST_WINDOW_BYTES_MIN,
	.max	= HBCAST_WINDOW_BYTES_MAX,
};

static struct netlink_range_validation hbcast_a_probe_ms_range = {
	.min	= 1ULL,
	.max	= HBCAST_ROUND_MS_MAX,
};

/* Common nested types */
const struct nla_policy hbcast_edge_nl_policy[HBCAST_A_EDGE_RATE + 1] = {
	[HBCAST_A_EDGE_PARENT] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_EDGE_CHILD] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_EDGE_RATE] = { .type = NLA_U64, },
};

const struct nla_policy hbcast_task_nl_policy[HBCAST_A_TASK_RATE + 1] = {
	[HBCAST_A_TASK_KIND] = NLA_POLICY_MAX(NLA_U32, 2),
	[HBCAST_A_TASK_FROM] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_TASK_TO] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_TASK_COUNT] = NLA_POLICY_RANGE(NLA_U32, 1, HBCAST_TASK_COUNT_MAX),
	[HBCAST_A_TASK_RATE] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_VERSION_GET - do */
static const struct nla_policy hbcast_version_get_nl_policy[HBCAST_A_VERSION_PAD + 1] = {
};

/* HBCAST_CMD_NODE_SET - do */
static const struct nla_policy hbcast_node_set_nl_policy[HBCAST_A_NODE_PORT + 1] = {
	[HBCAST_A_NODE_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_NODE_IPV4] = { .type = NLA_U32, },
	[HBCAST_A_NODE_IPV6] = NLA_POLICY_EXACT_LEN(16),
	[HBCAST_A_NODE_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* HBCAST_CMD_NODE_DEL - do */
static const struct nla_policy hbcast_node_del_nl_policy[HBCAST_A_NODE_PAD + 1] = {
};

/* HBCAST_CMD_NODE_GET - do */
static const struct nla_policy hbcast_node_get_nl_policy[HBCAST_A_NODE_PAD + 1] = {
};

/* HBCAST_CMD_PEER_NEW - do */
static const struct nla_policy hbcast_peer_new_nl_policy[HBCAST_A_NODE_PORT + 1] = {
	[HBCAST_A_NODE_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_NODE_IPV4] = { .type = NLA_U32, },
	[HBCAST_A_NODE_IPV6] = NLA_POLICY_EXACT_LEN(16),
	[HBCAST_A_NODE_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* HBCAST_CMD_PEER_DEL - do */
static const struct nla_policy hbcast_peer_del_nl_policy[HBCAST_A_NODE_ID + 1] = {
	[HBCAST_A_NODE_ID] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_PEER_GET - do */
static const struct nla_policy hbcast_peer_get_nl_policy[HBCAST_A_NODE_ID + 1] = {
	[HBCAST_A_NODE_ID] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_GROUP_NEW - do */
static const struct nla_policy hbcast_group_new_nl_policy[HBCAST_A_GROUP_SPOOL + 1] = {
	[HBCAST_A_GROUP_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_GROUP_KEY] = { .type = NLA_BINARY, },
	[HBCAST_A_GROUP_UID] = { .type = NLA_U32, },
	[HBCAST_A_GROUP_GID] = { .type = NLA_U32, },
	[HBCAST_A_GROUP_MODE] = NLA_POLICY_MAX(NLA_U32, HBCAST_MODE_MAX),
	[HBCAST_A_GROUP_DEAD_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_dead_ms_range),
	[HBCAST_A_GROUP_STALL_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_stall_ms_range),
	[HBCAST_A_GROUP_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_window_range),
	[HBCAST_A_GROUP_MAX_NODES] = NLA_POLICY_RANGE(NLA_U32, 2, HBCAST_NODES_MAX),
	[HBCAST_A_GROUP_SPOOL] = { .type = NLA_U64, },
	[HBCAST_A_GROUP_MEMBER] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_GROUP_PROBE] = NLA_POLICY_MAX(NLA_U32, 1),
	[HBCAST_A_GROUP_PROBE_RATE] = { .type = NLA_U64, },
	[HBCAST_A_GROUP_PROBE_TOTAL] = { .type = NLA_U64, },
};

/* HBCAST_CMD_GROUP_SET - do */
static const struct nla_policy hbcast_group_set_nl_policy[HBCAST_A_GROUP_SPOOL + 1] = {
	[HBCAST_A_GROUP_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_GROUP_KEY] = { .type = NLA_BINARY, },
	[HBCAST_A_GROUP_UID] = { .type = NLA_U32, },
	[HBCAST_A_GROUP_GID] = { .type = NLA_U32, },
	[HBCAST_A_GROUP_MODE] = NLA_POLICY_MAX(NLA_U32, HBCAST_MODE_MAX),
	[HBCAST_A_GROUP_DEAD_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_dead_ms_range),
	[HBCAST_A_GROUP_STALL_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_stall_ms_range),
	[HBCAST_A_GROUP_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_group_window_range),
	[HBCAST_A_GROUP_MAX_NODES] = NLA_POLICY_RANGE(NLA_U32, 2, HBCAST_NODES_MAX),
	[HBCAST_A_GROUP_SPOOL] = { .type = NLA_U64, },
	[HBCAST_A_GROUP_MEMBER] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_GROUP_ANY_MEMBER] = { .type = NLA_FLAG, },
	[HBCAST_A_GROUP_PROBE] = NLA_POLICY_MAX(NLA_U32, 1),
	[HBCAST_A_GROUP_PROBE_RATE] = { .type = NLA_U64, },
	[HBCAST_A_GROUP_PROBE_TOTAL] = { .type = NLA_U64, },
};

/* HBCAST_CMD_GROUP_DEL - do */
static const struct nla_policy hbcast_group_del_nl_policy[HBCAST_A_GROUP_ID + 1] = {
	[HBCAST_A_GROUP_ID] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_GROUP_GET - do */
static const struct nla_policy hbcast_group_get_nl_policy[HBCAST_A_GROUP_ID + 1] = {
	[HBCAST_A_GROUP_ID] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_PLAN_BEGIN - do */
static const struct nla_policy hbcast_plan_begin_nl_policy[HBCAST_A_PLAN_FORWARD + 1] = {
	[HBCAST_A_PLAN_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PLAN_STRICT] = { .type = NLA_FLAG, },
	[HBCAST_A_PLAN_FORWARD] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* HBCAST_CMD_PLAN_TREE - do */
static const struct nla_policy hbcast_plan_tree_nl_policy[HBCAST_A_PLAN_EDGE + 1] = {
	[HBCAST_A_PLAN_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PLAN_SLOT] = NLA_POLICY_MAX(NLA_U8, HBCAST_SLOT_MAX),
	[HBCAST_A_PLAN_RATE] = { .type = NLA_U64, },
	[HBCAST_A_PLAN_EDGE] = NLA_POLICY_NESTED(hbcast_edge_nl_policy),
};

/* HBCAST_CMD_PLAN_COMMIT - do */
static const struct nla_policy hbcast_plan_commit_nl_policy[HBCAST_A_PLAN_DRY_RUN + 1] = {
	[HBCAST_A_PLAN_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PLAN_DRY_RUN] = { .type = NLA_FLAG, },
};

/* HBCAST_CMD_PLAN_DEL - do */
static const struct nla_policy hbcast_plan_del_nl_policy[HBCAST_A_PLAN_GROUP + 1] = {
	[HBCAST_A_PLAN_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_PLAN_GET - do */
static const struct nla_policy hbcast_plan_get_nl_policy[HBCAST_A_PLAN_ROOT + 1] = {
	[HBCAST_A_PLAN_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PLAN_ROOT] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_LANE_GET - do */
static const struct nla_policy hbcast_lane_get_nl_policy[HBCAST_A_LANE_ID + 1] = {
	[HBCAST_A_LANE_ID] = { .type = NLA_U32, },
};

/* HBCAST_CMD_MESSAGE_GET - do */
static const struct nla_policy hbcast_message_get_nl_policy[HBCAST_A_MESSAGE_ID + 1] = {
	[HBCAST_A_MESSAGE_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_MESSAGE_ID] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* HBCAST_CMD_PROBE_START - do */
static const struct nla_policy hbcast_probe_start_nl_policy[HBCAST_A_PROBE_EVERY + 1] = {
	[HBCAST_A_PROBE_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PROBE_ROUND] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_PROBE_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hbcast_a_probe_ms_range),
	[HBCAST_A_PROBE_EVERY] = NLA_POLICY_RANGE(NLA_U32, 1, HBCAST_ROUND_EVERY_MAX),
	[HBCAST_A_PROBE_ANYWAY] = { .type = NLA_FLAG, },
	[HBCAST_A_PROBE_TASK] = NLA_POLICY_NESTED(hbcast_task_nl_policy),
};

/* HBCAST_CMD_PROBE_STOP - do */
static const struct nla_policy hbcast_probe_stop_nl_policy[HBCAST_A_PROBE_GROUP + 1] = {
	[HBCAST_A_PROBE_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* HBCAST_CMD_STORE_GET - do */
static const struct nla_policy hbcast_store_get_nl_policy[HBCAST_A_STORE_ID + 1] = {
	[HBCAST_A_STORE_GROUP] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_STORE_ROOT] = NLA_POLICY_MIN(NLA_U32, 1),
	[HBCAST_A_STORE_ID] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* Ops table for hbcast */
const struct genl_ops hbcast_nl_ops[21] = {
	{
		.cmd		= HBCAST_CMD_VERSION_GET,
		.doit		= hbcast_nl_version_get_doit,
		.policy		= hbcast_version_get_nl_policy,
		.maxattr	= HBCAST_A_VERSION_PAD,
	},
	{
		.cmd		= HBCAST_CMD_NODE_SET,
		.doit		= hbcast_nl_node_set_doit,
		.policy		= hbcast_node_set_nl_policy,
		.maxattr	= HBCAST_A_NODE_PORT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_NODE_DEL,
		.doit		= hbcast_nl_node_del_doit,
		.policy		= hbcast_node_del_nl_policy,
		.maxattr	= HBCAST_A_NODE_PAD,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_NODE_GET,
		.doit		= hbcast_nl_node_get_doit,
		.policy		= hbcast_node_get_nl_policy,
		.maxattr	= HBCAST_A_NODE_PAD,
	},
	{
		.cmd		= HBCAST_CMD_PEER_NEW,
		.doit		= hbcast_nl_peer_new_doit,
		.policy		= hbcast_peer_new_nl_policy,
		.maxattr	= HBCAST_A_NODE_PORT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PEER_DEL,
		.doit		= hbcast_nl_peer_del_doit,
		.policy		= hbcast_peer_del_nl_policy,
		.maxattr	= HBCAST_A_NODE_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PEER_GET,
		.doit		= hbcast_nl_peer_get_doit,
		.dumpit		= hbcast_nl_peer_get_dumpit,
		.policy		= hbcast_peer_get_nl_policy,
		.maxattr	= HBCAST_A_NODE_ID,
	},
	{
		.cmd		= HBCAST_CMD_GROUP_NEW,
		.doit		= hbcast_nl_group_new_doit,
		.policy		= hbcast_group_new_nl_policy,
		.maxattr	= HBCAST_A_GROUP_SPOOL,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_GROUP_SET,
		.doit		= hbcast_nl_group_set_doit,
		.policy		= hbcast_group_set_nl_policy,
		.maxattr	= HBCAST_A_GROUP_SPOOL,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_GROUP_DEL,
		.doit		= hbcast_nl_group_del_doit,
		.policy		= hbcast_group_del_nl_policy,
		.maxattr	= HBCAST_A_GROUP_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_GROUP_GET,
		.doit		= hbcast_nl_group_get_doit,
		.dumpit		= hbcast_nl_group_get_dumpit,
		.policy		= hbcast_group_get_nl_policy,
		.maxattr	= HBCAST_A_GROUP_ID,
	},
	{
		.cmd		= HBCAST_CMD_PLAN_BEGIN,
		.doit		= hbcast_nl_plan_begin_doit,
		.policy		= hbcast_plan_begin_nl_policy,
		.maxattr	= HBCAST_A_PLAN_FORWARD,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PLAN_TREE,
		.doit		= hbcast_nl_plan_tree_doit,
		.policy		= hbcast_plan_tree_nl_policy,
		.maxattr	= HBCAST_A_PLAN_EDGE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PLAN_COMMIT,
		.doit		= hbcast_nl_plan_commit_doit,
		.policy		= hbcast_plan_commit_nl_policy,
		.maxattr	= HBCAST_A_PLAN_DRY_RUN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PLAN_DEL,
		.doit		= hbcast_nl_plan_del_doit,
		.policy		= hbcast_plan_del_nl_policy,
		.maxattr	= HBCAST_A_PLAN_GROUP,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PLAN_GET,
		.doit		= hbcast_nl_plan_get_doit,
		.dumpit		= hbcast_nl_plan_get_dumpit,
		.policy		= hbcast_plan_get_nl_policy,
		.maxattr	= HBCAST_A_PLAN_ROOT,
	},
	{
		.cmd		= HBCAST_CMD_LANE_GET,
		.doit		= hbcast_nl_lane_get_doit,
		.dumpit		= hbcast_nl_lane_get_dumpit,
		.policy		= hbcast_lane_get_nl_policy,
		.maxattr	= HBCAST_A_LANE_ID,
	},
	{
		.cmd		= HBCAST_CMD_MESSAGE_GET,
		.doit		= hbcast_nl_message_get_doit,
		.dumpit		= hbcast_nl_message_get_dumpit,
		.policy		= hbcast_message_get_nl_policy,
		.maxattr	= HBCAST_A_MESSAGE_ID,
	},
	{
		.cmd		= HBCAST_CMD_PROBE_START,
		.doit		= hbcast_nl_probe_start_doit,
		.policy		= hbcast_probe_start_nl_policy,
		.maxattr	= HBCAST_A_PROBE_EVERY,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_PROBE_STOP,
		.doit		= hbcast_nl_probe_stop_doit,
		.policy		= hbcast_probe_stop_nl_policy,
		.maxattr	= HBCAST_A_PROBE_GROUP,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= HBCAST_CMD_STORE_GET,
		.doit		= hbcast_nl_store_get_doit,
		.dumpit		= hbcast_nl_store_get_dumpit,
		.policy		= hbcast_store_get_nl_policy,
		.maxattr	= HBCAST_A_STORE_ID,
	},
};
