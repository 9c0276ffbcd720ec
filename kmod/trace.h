/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hbcast

#if !defined(_HBC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HBC_TRACE_H

#include <linux/tracepoint.h>

#include "group.h"
#include "lane.h"
#include "message.h"
#include "schedule.h"

TRACE_EVENT(hbc_lane_state,

	TP_PROTO(const struct hbc_lane *lane, int state, int error),

	TP_ARGS(lane, state, error),

	TP_STRUCT__entry(
		__field(u32, peer)
		__field(u8, slot)
		__field(bool, connector)
		__field(int, state)
		__field(int, error)
	),

	TP_fast_assign(
		__entry->peer = lane->peer;
		__entry->slot = lane->slot;
		__entry->connector = lane->connector;
		__entry->state = state;
		__entry->error = error;
	),

	TP_printk("%s=%u slot=%u state=%d error=%d", __entry->connector ? "child" : "parent",
		  __entry->peer, __entry->slot, __entry->state, __entry->error)
);

TRACE_EVENT(hbc_receive,

	TP_PROTO(const struct hbc_lane *lane, int bytes, unsigned int bursts),

	TP_ARGS(lane, bytes, bursts),

	TP_STRUCT__entry(
		__field(u32, peer)
		__field(u8, slot)
		__field(int, bytes)
		__field(unsigned int, bursts)
	),

	TP_fast_assign(
		__entry->peer = lane->peer;
		__entry->slot = lane->slot;
		__entry->bytes = bytes;
		__entry->bursts = bursts;
	),

	TP_printk("peer=%u slot=%u bytes=%d bursts=%u", __entry->peer, __entry->slot,
		  __entry->bytes, __entry->bursts)
);

TRACE_EVENT(hbc_transmit,

	TP_PROTO(const struct hbc_lane *lane, int bytes),

	TP_ARGS(lane, bytes),

	TP_STRUCT__entry(
		__field(u32, peer)
		__field(u8, slot)
		__field(int, bytes)
		__field(unsigned int, queued)
	),

	TP_fast_assign(
		__entry->peer = lane->peer;
		__entry->slot = lane->slot;
		__entry->bytes = bytes;
		__entry->queued = lane->queued;
	),

	TP_printk("peer=%u slot=%u bytes=%d queued=%u", __entry->peer, __entry->slot,
		  __entry->bytes, __entry->queued)
);

TRACE_EVENT(hbc_shortcut,

	TP_PROTO(const struct hbc_lane *lane, unsigned int bytes, u64 ahead),

	TP_ARGS(lane, bytes, ahead),

	TP_STRUCT__entry(
		__field(u32, peer)
		__field(u8, slot)
		__field(unsigned int, bytes)
		__field(u64, ahead)
	),

	TP_fast_assign(
		__entry->peer = lane->peer;
		__entry->slot = lane->slot;
		__entry->bytes = bytes;
		__entry->ahead = ahead;
	),

	TP_printk("peer=%u slot=%u bytes=%u ahead=%#llx", __entry->peer, __entry->slot,
		  __entry->bytes, __entry->ahead)
);

DECLARE_EVENT_CLASS(hbc_message,

	TP_PROTO(const struct hbc_message *m),

	TP_ARGS(m),

	TP_STRUCT__entry(
		__field(u32, group)
		__field(u32, root)
		__field(u64, id)
		__field(u64, total)
		__field(u8, reason)
	),

	TP_fast_assign(
		__entry->group = m->sched->group->id;
		__entry->root = m->sched->root;
		__entry->id = m->id;
		__entry->total = m->total;
		__entry->reason = m->reason;
	),

	TP_printk("group=%u root=%u message=%llu total=%llu reason=%u", __entry->group,
		  __entry->root, __entry->id, __entry->total, __entry->reason)
);

DEFINE_EVENT(hbc_message, hbc_message_open,
	TP_PROTO(const struct hbc_message *m),
	TP_ARGS(m)
);

DEFINE_EVENT(hbc_message, hbc_message_close,
	TP_PROTO(const struct hbc_message *m),
	TP_ARGS(m)
);

TRACE_EVENT(hbc_tree,

	TP_PROTO(const struct hbc_tree *tree, bool begins),

	TP_ARGS(tree, begins),

	TP_STRUCT__entry(
		__field(u32, group)
		__field(u32, root)
		__field(u32, epoch)
		__field(u8, slot)
		__field(u32, nodes)
		__field(u32, edges)
		__field(bool, begins)
	),

	TP_fast_assign(
		__entry->group = tree->sched->group->id;
		__entry->root = tree->sched->root;
		__entry->epoch = tree->epoch;
		__entry->slot = tree->slot;
		__entry->nodes = tree->nr_nodes;
		__entry->edges = tree->nr_edges;
		__entry->begins = begins;
	),

	TP_printk("group=%u root=%u epoch=%u slot=%u nodes=%u children=%u %s",
		  __entry->group, __entry->root, __entry->epoch, __entry->slot,
		  __entry->nodes, __entry->edges, __entry->begins ? "begins" : "ends")
);

#endif /* _HBC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
