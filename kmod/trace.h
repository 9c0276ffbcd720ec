/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hbcast

#if !defined(_HBC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HBC_TRACE_H

#include <linux/tracepoint.h>

#include "lane/lane.h"

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

DECLARE_EVENT_CLASS(hbc_message,

	TP_PROTO(u32 group, u32 root, u64 number, u64 total, u8 reason),

	TP_ARGS(group, root, number, total, reason),

	TP_STRUCT__entry(
		__field(u32, group)
		__field(u32, root)
		__field(u64, id)
		__field(u64, total)
		__field(u8, reason)
	),

	TP_fast_assign(
		__entry->group = group;
		__entry->root = root;
		__entry->id = number;
		__entry->total = total;
		__entry->reason = reason;
	),

	TP_printk("group=%u root=%u message=%llu total=%llu reason=%u", __entry->group,
		  __entry->root, __entry->id, __entry->total, __entry->reason)
);

DEFINE_EVENT(hbc_message, hbc_message_open,
	TP_PROTO(u32 group, u32 root, u64 number, u64 total, u8 reason),
	TP_ARGS(group, root, number, total, reason)
);

DEFINE_EVENT(hbc_message, hbc_message_close,
	TP_PROTO(u32 group, u32 root, u64 number, u64 total, u8 reason),
	TP_ARGS(group, root, number, total, reason)
);

#endif /* _HBC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
