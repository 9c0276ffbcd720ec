/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of measuring, in the host's order. */
#ifndef _HBC_PROBE_FRAMES_H
#define _HBC_PROBE_FRAMES_H

#include "wire/probe.h"

/* What one node does to another; see struct hbc_wire_task. */
struct hbc_task {
	u32 from;
	u32 to;
	u32 count;
	u32 rate;
	u16 index;
	__be16 port;
	u8 kind;
	u8 family;
	u8 addr[16];
};

/* How a task is; see struct hbc_wire_figure. */
struct hbc_figure {
	u16 index;
	u8 state;
	u8 receives;
	u8 error;
	u8 reject;
	u64 value[2];
};

struct hbc_ask_frame {
	u32 round;
	u32 ms;
	u32 every;
	u32 count;	/* of tasks */
};

struct hbc_sample_frame {
	u64 ns;
	u32 round;
	u32 count;	/* of figures */
	u16 status;
};

/*
 * Each writes a frame and returns its length, or reads one that hbc_wire_check() has found
 * good. Context: any.
 */
unsigned int hbc_frame_put_ask(u8 *frame, u8 flags, const struct hbc_ask_frame *f,
			       const struct hbc_task *task);
void hbc_frame_get_ask(const u8 *frame, const struct hbc_hdr *h, struct hbc_ask_frame *f);
void hbc_frame_get_task(const u8 *frame, u32 index, struct hbc_task *task);
unsigned int hbc_frame_put_sample(u8 *frame, const struct hbc_sample_frame *f,
				  const struct hbc_figure *figure);
void hbc_frame_get_sample(const u8 *frame, const struct hbc_hdr *h, struct hbc_sample_frame *f);
void hbc_frame_get_figure(const u8 *frame, u32 index, struct hbc_figure *figure);
/* PING or PONG. */
unsigned int hbc_frame_put_ping(u8 *frame, u8 type, u64 token);
/* The beginning of PROBE with @payload bytes. */
unsigned int hbc_frame_put_probe(u8 *frame, u8 flags, u32 payload, u32 round, u16 index);

#endif /* _HBC_PROBE_FRAMES_H */
