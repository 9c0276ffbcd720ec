/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of measuring. */
#ifndef _HBC_WIRE_PROBE_H
#define _HBC_WIRE_PROBE_H

#include "wire/wire.h"

/* What one node does to another. */
struct hbc_wire_task {
	__be32 from;		/* who sends */
	__be32 to;		/* another node */
	__be32 count;		/* round trips, or small frames; 0 for a flow */
	__be32 rate;		/* of a flow, kbit/s on the link; else, or for no limit, 0 */
	__be16 index;		/* in the round, the same at both ends */
	u8 kind;		/* enum hbcast_task_kind */
	u8 family;		/* where @to listens: 4 or 6 */
	__be16 port;		/* never 0 */
	__be16 reserved;
	u8 addr[16];		/* IPv4 in the first four bytes, then 0; never all 0 */
} __packed;

#define HBC_ASK_ANYWAY		0x01	/* tag: also while a broadcast goes on */
/*
 * The coordinator of a measurement asks a node for its part in a round. The same round again asks
 * how it is, another one ends the one before, and one without tasks is over at once.
 */
struct hbc_wire_ask {
	struct hbc_wire_hdr hdr;
	__be32 round;		/* never 0 */
	__be32 ms;		/* it ends then; 1 to HBCAST_ROUND_MS_MAX */
	__be32 every;		/* ms from one sample to the next; 0: as often as is usual */
	struct hbc_wire_task task[];
} __packed;
#define HBC_ASK_TASKS \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_ask)) / sizeof(struct hbc_wire_task))

/* How a task is. */
struct hbc_wire_figure {
	__be16 index;
	u8 state;		/* enum hbcast_task_state */
	u8 receives;		/* 1 if it is the receiver's word */
	u8 error;		/* why it failed: a positive errno, */
	/*
	 * enum hbcast_reject_reason, if the other end said so; of a flow that goes on or is
	 * done POLICY, if the group's limit keeps it below its rate.
	 */
	u8 reject;
	__be16 reserved;
	/*
	 * A flow: bytes on the link that have arrived so far, and when that was so, in ns
	 * since the round began. Round trips: the least, and by how much that may be too
	 * long, both ns. A burst: what it took the sender, and the receiver, both ns.
	 */
	__be64 value[2];
} __packed;

/* A node tells its coordinator how a round is. */
struct hbc_wire_sample {
	struct hbc_wire_hdr hdr;
	__be64 ns;		/* since the round has begun, by the node's clock */
	__be32 round;		/* never 0 */
	__be16 status;		/* enum hbcast_round_status, not LOST */
	__be16 reserved;
	struct hbc_wire_figure figure[];
} __packed;

#define HBC_PROBE_LAST		0x01	/* tag: the burst is over, and PONG awaited */
/* Of no use to anybody but that it takes time. */
struct hbc_wire_probe {
	struct hbc_wire_hdr hdr;
	__be32 round;		/* never 0 */
	__be16 index;		/* of the task */
	__be16 reserved;
	u8 payload[];
} __packed;

#endif /* _HBC_WIRE_PROBE_H */
