/* SPDX-License-Identifier: GPL-2.0 */
/* The receive side of a lane: bytes off its socket to control frames and runs of fragments. */
#ifndef _HBC_RX_H
#define _HBC_RX_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_burst;
struct hbc_lane;

/**
 * struct hbc_run - fragments of one message, one behind the other in a burst
 * @burst: a reference
 * @pos: first byte in it
 * @message: the low half of its number
 * @first: number of the first fragment
 * @nr: fragments
 * @frame: bytes of each, header included
 * @tag: slot of their pieces
 */
struct hbc_run {
	struct hbc_burst *burst;
	u32 pos;
	u32 message;
	u32 first;
	u32 nr;
	u16 frame;
	u8 tag;
};

#define HBC_RX_RUNS	64	/* in a turn of reading */
#define HBC_RX_HEAD	128	/* bytes of a frame of the handshake, at most */

/**
 * struct hbc_rx - where a lane is in its stream; receive work
 * @hdr: of the frame at hand
 * @head: first bytes of the frame at hand: all of a control frame
 * @have: bytes of the frame at hand that have come
 * @control: @head holds a whole control frame that waits to be handled
 * @burst: holds whole frames, and what has come of the one at hand, if that is DATA; or NULL
 * @whole: bytes of @burst that are whole frames
 * @run: what is whole and has not been given to the owner; NULL before READY
 * @nr: entries of @run in use
 * @early: @head before READY
 */
struct hbc_rx {
	struct hbc_hdr hdr;
	u8 *head;
	u32 have;
	bool control;
	struct hbc_burst *burst;
	u32 whole;
	struct hbc_run *run;
	unsigned int nr;
	u8 early[HBC_RX_HEAD];
};

void hbc_rx_init(struct hbc_rx *rx);
/* The lane is to be READY: room for what may come: 0 or -ENOMEM. Context: receive work. */
int hbc_rx_ready(struct hbc_rx *rx);
/* Forget what was half read, and the room. Context: process. */
void hbc_rx_reset(struct hbc_rx *rx);

/*
 * One turn: read what is there, up to a control frame, and give it to the owner; *@bytes of data
 * grow. Context: receive work. Return: 0 when
 * the socket is empty or reading pauses, 1 when there is more, or why the lane must end.
 */
int hbc_rx_turn(struct hbc_lane *lane, u32 *bytes);

#endif /* _HBC_RX_H */
