/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of measuring to bytes and back, as wire.h has all others: pure functions
 * that neither allocate nor lock.
 */
#ifndef _HBC_WIRE_PROBE_H
#define _HBC_WIRE_PROBE_H

#include "wire.h"

#define HBC_ASK_MS_MAX		60000	/* that a round lasts */
#define HBC_ASK_EVERY_MAX	1000	/* ms from one sample to the next */
#define HBC_ASK_COUNT_MAX	1000	/* pings or small frames of a task */

enum hbc_task_kind {
	HBC_TASK_FLOW,		/* send as much as goes, or its rate, until the round ends */
	HBC_TASK_TRIP,		/* time round trips */
	HBC_TASK_BURST,		/* time small frames, one right after the other */
	__HBC_TASK_MAX,
};

/* What one node does to another; on the wire HBC_ASK_TASK_LEN bytes. */
#define HBC_ASK_TASK_LEN	40
struct hbc_task {
	u32 from;	/* who sends */
	u32 to;		/* another node */
	u32 count;	/* round trips, or small frames; 0 for a flow */
	u32 rate;	/* of a flow, kbit/s on the link; 0 for as many as go, and for others */
	u16 index;	/* in the round, the same at both ends */
	u8 kind;	/* enum hbc_task_kind */
	u8 family;	/* where @to listens: 4 or 6 */
	u16 port;	/* never 0 */
	u8 addr[16];	/* IPv4 in the first four bytes, then 0; never all 0 */
};

#define HBC_ASK_ANYWAY		0x01	/* flags: also while a broadcast goes on */
#define HBC_ASK_LEN		(HBC_HDR_LEN + 12)
#define HBC_ASK_MAX_TASKS	((HBC_CONTROL_MAX - HBC_ASK_LEN) / HBC_ASK_TASK_LEN)
/*
 * The coordinator of a measurement asks a node for its part in a round. The same round
 * again asks how it is, another one ends the one before, and one without tasks is over
 * at once.
 */
struct hbc_ask_frame {
	u32 round;	/* never 0 */
	u32 ms;		/* it ends then; 1 to HBC_ASK_MS_MAX */
	u16 count;	/* tasks that follow */
	u16 every;	/* ms from one sample to the next, to HBC_ASK_EVERY_MAX; 0: the node's */
};

enum hbc_sample_status {
	HBC_SAMPLE_RUNNING,
	HBC_SAMPLE_OVER,
	HBC_SAMPLE_BUSY,	/* the node has a round of another coordinator */
	HBC_SAMPLE_BROADCAST,	/* a broadcast goes on, and ANYWAY was not said */
	__HBC_SAMPLE_MAX,
};

enum hbc_task_state {
	HBC_TASK_WAITING,	/* for the other end */
	HBC_TASK_RUNNING,
	HBC_TASK_DONE,
	HBC_TASK_FAILED,
	__HBC_TASK_STATE_MAX,
};

/* How a task is; on the wire HBC_SAMPLE_FIGURE_LEN bytes. */
#define HBC_SAMPLE_FIGURE_LEN	24
struct hbc_figure {
	u16 index;
	u8 state;	/* enum hbc_task_state */
	bool receives;	/* it is the receiver's word */
	u8 error;	/* why it failed: a positive errno, */
	/*
	 * enum hbc_reject_reason, if the other end said so; of a flow that goes on or is done
	 * POLICY, if the group's limit keeps it below its rate.
	 */
	u8 reject;
	/*
	 * A flow: bytes on the link that have arrived so far, and when that was so, in
	 * ns since the round began.
	 * Round trips: the least, and by how much that may be too long, both ns.
	 * A burst: what it took the sender, and the receiver, both ns.
	 */
	u64 value[2];
};

#define HBC_SAMPLE_LEN		(HBC_HDR_LEN + 16)
#define HBC_SAMPLE_MAX_FIGURES	((HBC_CONTROL_MAX - HBC_SAMPLE_LEN) / HBC_SAMPLE_FIGURE_LEN)
/* A node tells its coordinator how a round is. */
struct hbc_sample_frame {
	u64 ns;		/* since the round has begun, by the node's clock */
	u32 round;
	u16 status;	/* enum hbc_sample_status */
	u16 count;	/* figures that follow */
};

#define HBC_PROBE_LAST		0x01	/* flags: the burst is over, and PONG awaited */
#define HBC_PROBE_LEN		(HBC_HDR_LEN + 8)
/* Of no use to anybody but that it takes time. A payload of any bytes follows. */
struct hbc_probe_frame {
	u32 round;
	u16 index;	/* of the task */
};

/* As those of wire.h. @task: @f->count of them, at most HBC_ASK_MAX_TASKS */
unsigned int hbc_wire_put_ask(u8 *buf, u8 flags, const struct hbc_ask_frame *f,
			      const struct hbc_task *task);
int hbc_wire_get_ask(const u8 *buf, const struct hbc_hdr *h, struct hbc_ask_frame *f);
/* Task @i of a frame that hbc_wire_get_ask() has read. Return: 0 or -EBADMSG. */
int hbc_wire_get_task(const u8 *buf, unsigned int i, struct hbc_task *task);

/* @figure: @f->count of them, at most HBC_SAMPLE_MAX_FIGURES */
unsigned int hbc_wire_put_sample(u8 *buf, const struct hbc_sample_frame *f,
				 const struct hbc_figure *figure);
int hbc_wire_get_sample(const u8 *buf, const struct hbc_hdr *h, struct hbc_sample_frame *f);
/* Figure @i of a frame that hbc_wire_get_sample() has read. Return: 0 or -EBADMSG. */
int hbc_wire_get_figure(const u8 *buf, unsigned int i, struct hbc_figure *figure);

/* The frame without its payload of @len bytes. */
unsigned int hbc_wire_put_probe(u8 *buf, u8 flags, u32 len, const struct hbc_probe_frame *f);
/* The payload is not looked at, and need not be there. */
int hbc_wire_get_probe(const u8 *buf, const struct hbc_hdr *h, struct hbc_probe_frame *f);

#endif /* _HBC_WIRE_PROBE_H */
