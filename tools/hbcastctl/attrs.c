// SPDX-License-Identifier: GPL-2.0-or-later
/* The attribute sets of hbcast's netlink family, as JSON shows them. */
#include <string.h>

#include <linux/hbcast.h>
#include <linux/hbcast_netlink.h>

#include "attrs.h"

const char * const hbattrs_states[] = {
	[HBCAST_PENDING] = "pending",
	[HBCAST_DELIVERED] = "delivered",
	[HBCAST_FAILED] = "failed",
	NULL
};

const char * const hbattrs_reasons[] = {
	[HBCAST_REASON_NONE] = "none",
	[HBCAST_REASON_NO_RECEIVER] = "no-receiver",
	[HBCAST_REASON_CLOSED] = "closed",
	[HBCAST_REASON_STALLED] = "stalled",
	[HBCAST_REASON_CHECKSUM] = "checksum",
	[HBCAST_REASON_LANE_LOST] = "lane-lost",
	[HBCAST_REASON_NODE_DEAD] = "node-dead",
	[HBCAST_REASON_ABORTED] = "aborted",
	[HBCAST_REASON_PLAN_GONE] = "plan-gone",
	[HBCAST_REASON_NO_MEMORY] = "no-memory",
	[HBCAST_REASON_SPOOL] = "spool",
	[HBCAST_REASON_FILE] = "file",
	[HBCAST_REASON_CHANGED] = "changed",
	NULL
};

static const char * const rejects[] = {
	[HBCAST_REJECT_NONE] = "none",
	[HBCAST_REJECT_GROUP] = "group",
	[HBCAST_REJECT_NODE] = "node",
	[HBCAST_REJECT_KEY] = "key",
	[HBCAST_REJECT_MEMBER] = "member",
	[HBCAST_REJECT_BUSY] = "busy",
	[HBCAST_REJECT_PROTOCOL] = "protocol",
	[HBCAST_REJECT_POLICY] = "policy",
	NULL
};

static const char * const reject_means[] = {
	[HBCAST_REJECT_NONE] = "it cannot be reached",
	[HBCAST_REJECT_GROUP] = "the group has not been added there",
	[HBCAST_REJECT_NODE] = "its address is that of another node",
	[HBCAST_REJECT_KEY] = "its key differs",
	[HBCAST_REJECT_MEMBER] = "its list of members lacks its parent",
	[HBCAST_REJECT_BUSY] = "it has too many lanes",
	[HBCAST_REJECT_PROTOCOL] = "it speaks another version of hbcast",
	[HBCAST_REJECT_POLICY] = "it does not let the group measure",
};

static const char * const off_on[] = { "off", "on", NULL };

static const char * const directions[] = {
	[HBCAST_DIRECTION_DOWN] = "down",
	[HBCAST_DIRECTION_UP] = "up",
	NULL
};

static const char * const forwards[] = {
	[HBCAST_FORWARD_PACKET] = "packet",
	[HBCAST_FORWARD_MESSAGE] = "message",
	NULL
};

static const char * const lane_states[] = {
	[HBCAST_LANE_STATE_CONNECTING] = "connecting",
	[HBCAST_LANE_STATE_HANDSHAKE] = "handshake",
	[HBCAST_LANE_STATE_READY] = "ready",
	[HBCAST_LANE_STATE_BACKOFF] = "backoff",
	[HBCAST_LANE_STATE_CLOSED] = "closed",
	NULL
};

static const char * const event_types[] = {
	[HBCAST_EVENT_LANE_UP] = "lane-up",
	[HBCAST_EVENT_LANE_DOWN] = "lane-down",
	[HBCAST_EVENT_LANE_REFUSED] = "lane-refused",
	[HBCAST_EVENT_PLAN_APPLIED] = "plan-applied",
	[HBCAST_EVENT_PLAN_READY] = "plan-ready",
	[HBCAST_EVENT_PLAN_REFUSED] = "plan-refused",
	[HBCAST_EVENT_MEMBER_LOST] = "member-lost",
	[HBCAST_EVENT_MEMBER_BACK] = "member-back",
	[HBCAST_EVENT_RECEIVER_STALLED] = "receiver-stalled",
	[HBCAST_EVENT_NODE_UP] = "node-up",
	[HBCAST_EVENT_NODE_DOWN] = "node-down",
	[HBCAST_EVENT_LANE_CHANGED] = "lane-changed",
	NULL
};

#define FIELD(set, name, kind, text) \
	{ .attr = HBCAST_A_##set##_##name, .type = HBFIELD_##kind, .key = text }
#define NAMED(set, name, table, text) \
	{ .attr = HBCAST_A_##set##_##name, .type = HBFIELD_NAME, .key = text, \
	  .names = table }
#define NESTED(set, name, kind, table, text) \
	{ .attr = HBCAST_A_##set##_##name, .type = HBFIELD_##kind, .key = text, \
	  .nest = table }

const struct hbfield hbattrs_version[] = {
	FIELD(VERSION, MODULE, TEXT, "version"),
	FIELD(VERSION, INTERFACE, U32, "interface"),
	FIELD(VERSION, WIRE, U32, "wire"),
	{ }
};

const struct hbfield hbattrs_node[] = {
	FIELD(NODE, ID, U32, "id"),
	FIELD(NODE, IPV4, IP, "address"),
	FIELD(NODE, IPV6, IP, "address"),
	FIELD(NODE, PORT, U16, "port"),
	FIELD(NODE, PEERS, U32, "peers"),
	FIELD(NODE, GROUPS, U32, "groups"),
	FIELD(NODE, LANES, U32, "lanes"),
	FIELD(NODE, HALF_OPEN, U32, "half_open"),
	{ }
};

const struct hbfield hbattrs_peer[] = {
	FIELD(NODE, ID, U32, "id"),
	FIELD(NODE, IPV4, IP, "address"),
	FIELD(NODE, IPV6, IP, "address"),
	FIELD(NODE, PORT, U16, "port"),
	{ }
};

static const struct hbfield drops[] = {
	FIELD(DROPS, STALE, U64, "stale"),
	FIELD(DROPS, TWICE, U64, "twice"),
	FIELD(DROPS, NO_RECEIVER, U64, "no_receiver"),
	FIELD(DROPS, CHECKSUM, U64, "checksum"),
	FIELD(DROPS, STALLED, U64, "stalled"),
	FIELD(DROPS, NO_MEMORY, U64, "no_memory"),
	FIELD(DROPS, SPOOL, U64, "spool"),
	{ }
};

const struct hbfield hbattrs_group[] = {
	FIELD(GROUP, ID, U32, "id"),
	FIELD(GROUP, UID, U32, "uid"),
	FIELD(GROUP, GID, U32, "gid"),
	FIELD(GROUP, MODE, MODE, "mode"),
	FIELD(GROUP, DEAD_MS, U32, "dead_interval_ms"),
	FIELD(GROUP, STALL_MS, U32, "stall_interval_ms"),
	FIELD(GROUP, WINDOW, U32, "window_bytes"),
	FIELD(GROUP, SPOOL, U64, "spool_bytes"),
	FIELD(GROUP, MAX_NODES, U32, "max_nodes"),
	FIELD(GROUP, RECEIVERS, U32, "receivers"),
	FIELD(GROUP, MEMBER, NUMBERS, "members"),
	NAMED(GROUP, PROBE, off_on, "probe"),
	FIELD(GROUP, PROBE_RATE, MBPS, "probe_rate_mbps"),
	FIELD(GROUP, PROBE_TOTAL, U64, "probe_total_bytes"),
	FIELD(GROUP, PROBED, U64, "probed_bytes"),
	NESTED(GROUP, DROPS, NEST, drops, "drops"),
	{ }
};

static const struct hbfield edge[] = {
	FIELD(EDGE, PARENT, U32, "parent"),
	FIELD(EDGE, CHILD, U32, "child"),
	{ }
};

static const struct hbfield child[] = {
	FIELD(CHILD, NODE, U32, "node"),
	FIELD(CHILD, NODES, U32, "nodes"),
	FIELD(CHILD, READY, FLAG, "ready"),
	FIELD(CHILD, LOST, FLAG, "lost"),
	{ }
};

const struct hbfield hbattrs_plan[] = {
	FIELD(PLAN, GROUP, U32, "group"),
	FIELD(PLAN, ROOT, U32, "root"),
	FIELD(PLAN, EPOCH, U32, "epoch"),
	FIELD(PLAN, SLOT, U8, "slot"),
	FIELD(PLAN, STRICT, FLAG, "strict"),
	NAMED(PLAN, FORWARD, forwards, "forward"),
	FIELD(PLAN, NODES, U32, "nodes"),
	FIELD(PLAN, READY, FLAG, "ready"),
	NESTED(PLAN, EDGE, PAIRS, edge, "edges"),
	NESTED(PLAN, CHILD, OBJECTS, child, "children"),
	FIELD(PLAN, LOST, NUMBERS, "lost"),
	{ }
};

const struct hbfield hbattrs_commit[] = {
	FIELD(PLAN, GROUP, U32, "group"),
	FIELD(PLAN, EPOCH, U32, "epoch"),
	FIELD(PLAN, CHANGED, FLAG, "changed"),
	{ }
};

const struct hbfield hbattrs_lane[] = {
	FIELD(LANE, ID, U32, "id"),
	FIELD(LANE, GROUP, U32, "group"),
	FIELD(LANE, ROOT, U32, "root"),
	FIELD(LANE, SLOT, U8, "slot"),
	FIELD(LANE, PEER, U32, "peer"),
	NAMED(LANE, DIRECTION, directions, "direction"),
	NAMED(LANE, STATE, lane_states, "state"),
	FIELD(LANE, ERROR, U32, "error"),
	NAMED(LANE, REJECT, rejects, "reject"),
	FIELD(LANE, IPV4, IP, "address"),
	FIELD(LANE, IPV6, IP, "address"),
	FIELD(LANE, PORT, U16, "port"),
	FIELD(LANE, TX_BYTES, U64, "tx_bytes"),
	FIELD(LANE, TX_BURSTS, U64, "tx_bursts"),
	FIELD(LANE, TX_FULL, U64, "tx_full"),
	FIELD(LANE, RX_BYTES, U64, "rx_bytes"),
	FIELD(LANE, RX_FRAGMENTS, U64, "rx_fragments"),
	FIELD(LANE, CONNECTS, U32, "connects"),
	FIELD(LANE, REJECTS, U32, "rejects"),
	FIELD(LANE, SRTT_US, U32, "srtt_us"),
	FIELD(LANE, MIN_RTT_US, U32, "min_rtt_us"),
	FIELD(LANE, DELIVERY_RATE, MBPS, "delivery_rate_mbps"),
	FIELD(LANE, RETRANSMITS, U32, "retransmits"),
	FIELD(LANE, MSS, U32, "mss_bytes"),
	FIELD(LANE, CWND, U32, "cwnd_segments"),
	FIELD(LANE, APP_LIMITED, FLAG, "app_limited"),
	FIELD(LANE, BUSY_US, U64, "busy_us"),
	FIELD(LANE, RWND_LIMITED_US, U64, "rwnd_limited_us"),
	FIELD(LANE, SNDBUF_LIMITED_US, U64, "sndbuf_limited_us"),
	FIELD(LANE, SPELL_US, U64, "spell_us"),
	FIELD(LANE, SPELL_AGE_US, U64, "spell_age_us"),
	FIELD(LANE, SPELL_BYTES, U64, "spell_bytes"),
	FIELD(LANE, LIMITED_US, U64, "limited_us"),
	FIELD(LANE, LIMITED_BYTES, U64, "limited_bytes"),
	FIELD(LANE, PLANNED_RATE, MBPS, "planned_mbps"),
	{ }
};

static const struct hbfield member[] = {
	FIELD(MEMBER, NODE, U32, "node"),
	NAMED(MEMBER, STATE, hbattrs_states, "state"),
	NAMED(MEMBER, REASON, hbattrs_reasons, "reason"),
	FIELD(MEMBER, BYTES, U64, "bytes"),
	FIELD(MEMBER, TIME_NS, NS, "time_us"),
	{ }
};

const struct hbfield hbattrs_message[] = {
	FIELD(MESSAGE, GROUP, U32, "group"),
	FIELD(MESSAGE, ID, ID64, "id"),
	FIELD(MESSAGE, PORT, U16, "port"),
	FIELD(MESSAGE, TOTAL, U64, "bytes"),
	FIELD(MESSAGE, SENT, U64, "sent_bytes"),
	FIELD(MESSAGE, MEMBERS, U32, "members"),
	FIELD(MESSAGE, DELIVERED, U32, "delivered"),
	FIELD(MESSAGE, FAILED, U32, "failed"),
	NESTED(MESSAGE, MEMBER, OBJECTS, member, "nodes"),
	{ }
};

static const char * const waits[] = {
	[HBCAST_WAIT_NONE] = "none",
	[HBCAST_WAIT_DATA] = "data",
	[HBCAST_WAIT_FILE] = "file",
	[HBCAST_WAIT_OVER] = "over",
	[HBCAST_WAIT_NETWORK] = "network",
	[HBCAST_WAIT_LANE] = "lane",
	NULL
};

static const struct hbfield cursor[] = {
	FIELD(CURSOR, NODE, U32, "node"),
	FIELD(CURSOR, SLOT, U8, "slot"),
	FIELD(CURSOR, SENT, U32, "sent"),
	FIELD(CURSOR, BEHIND, U32, "behind"),
	FIELD(CURSOR, ARRIVED, U64, "arrived_bytes"),
	NAMED(CURSOR, WAIT, waits, "wait"),
	{ }
};

const struct hbfield hbattrs_store[] = {
	FIELD(STORE, GROUP, U32, "group"),
	FIELD(STORE, ROOT, U32, "root"),
	FIELD(STORE, ID, ID64, "id"),
	FIELD(STORE, PORT, U16, "port"),
	FIELD(STORE, FILE, FLAG, "file"),
	FIELD(STORE, TOTAL, U64, "bytes"),
	FIELD(STORE, PIECES, U32, "pieces"),
	FIELD(STORE, WHOLE, U32, "whole"),
	FIELD(STORE, MEMORY, U64, "memory_bytes"),
	FIELD(STORE, FILED, U64, "filed_bytes"),
	FIELD(STORE, RESUMED, U64, "resumed_bytes"),
	NAMED(STORE, REASON, hbattrs_reasons, "reason"),
	FIELD(STORE, NODES, U32, "nodes"),
	FIELD(STORE, DELIVERED, U32, "delivered"),
	FIELD(STORE, FAILED, U32, "failed"),
	NESTED(STORE, CURSOR, OBJECTS, cursor, "children"),
	{ }
};

const struct hbfield hbattrs_event[] = {
	NAMED(EVENT, TYPE, event_types, "event"),
	FIELD(EVENT, GROUP, U32, "group"),
	FIELD(EVENT, ROOT, U32, "root"),
	FIELD(EVENT, SLOT, U8, "slot"),
	FIELD(EVENT, EPOCH, U32, "epoch"),
	FIELD(EVENT, PEER, U32, "peer"),
	NAMED(EVENT, DIRECTION, directions, "direction"),
	FIELD(EVENT, NODE, NUMBERS, "nodes"),
	FIELD(EVENT, PORT, U16, "port"),
	NAMED(EVENT, REASON, hbattrs_reasons, "reason"),
	NAMED(EVENT, REJECT, rejects, "reject"),
	FIELD(EVENT, ERROR, U32, "error"),
	FIELD(EVENT, DOWN, FLAG, "down"),
	FIELD(EVENT, RATE, MBPS, "rate_mbps"),
	FIELD(EVENT, SRTT_US, U32, "srtt_us"),
	FIELD(EVENT, MIN_RTT_US, U32, "min_rtt_us"),
	FIELD(EVENT, RETRANSMITS, U32, "retransmits"),
	{ }
};

static const char * const task_states[] = {
	[HBCAST_TASK_STATE_WAITING] = "waiting",
	[HBCAST_TASK_STATE_RUNNING] = "running",
	[HBCAST_TASK_STATE_DONE] = "done",
	[HBCAST_TASK_STATE_FAILED] = "failed",
	NULL
};

static const char * const round_statuses[] = {
	[HBCAST_ROUND_RUNNING] = "running",
	[HBCAST_ROUND_OVER] = "over",
	[HBCAST_ROUND_BUSY] = "busy",
	[HBCAST_ROUND_BROADCAST] = "broadcast",
	[HBCAST_ROUND_LOST] = "lost",
	NULL
};

static const struct hbfield figure[] = {
	FIELD(FIGURE, INDEX, U32, "index"),
	FIELD(FIGURE, RECEIVES, FLAG, "receives"),
	NAMED(FIGURE, STATE, task_states, "state"),
	FIELD(FIGURE, ERROR, U32, "error"),
	NAMED(FIGURE, REJECT, rejects, "reject"),
	FIELD(FIGURE, FIRST, U64, "first"),
	FIELD(FIGURE, SECOND, U64, "second"),
	{ }
};

const struct hbfield hbattrs_probe[] = {
	FIELD(PROBE, GROUP, U32, "group"),
	FIELD(PROBE, ROUND, U32, "round"),
	FIELD(PROBE, NODE, U32, "node"),
	NAMED(PROBE, STATUS, round_statuses, "status"),
	FIELD(PROBE, ERROR, U32, "error"),
	NAMED(PROBE, REJECT, rejects, "reject"),
	FIELD(PROBE, NS, U64, "ns"),
	NESTED(PROBE, FIGURE, OBJECTS, figure, "figures"),
	{ }
};

/**
 * hbattrs_reject_means - why a node refused, in words
 * @reject: name of an enum hbcast_reject_reason, or NULL
 *
 * Return: a clause about the node, as "its key differs".
 */
const char *hbattrs_reject_means(const char *reject)
{
	unsigned int i;

	for (i = 0; reject && rejects[i]; i++) {
		if (!strcmp(rejects[i], reject))
			return reject_means[i];
	}
	return "it does not say why";
}
