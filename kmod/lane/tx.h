/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a lane: control frames first, then what its owner has next. */
#ifndef _HBC_TX_H
#define _HBC_TX_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_burst;
struct hbc_lane;

/**
 * struct hbc_tx_part - whole fragments of a burst that are to be sent
 * @burst: a reference, of the holder
 * @pos: first byte in it
 * @len: bytes
 * @frame: bytes of each fragment but the last of a message
 * @arg: the owner's, to know what was sent
 */
struct hbc_tx_part {
	struct hbc_burst *burst;
	u32 pos;
	u32 len;
	u32 frame;
	void *arg;
};

/**
 * struct hbc_tx - a lane's send side; tx_mutex
 * @rest: the end of a fragment of which TCP has taken the beginning; no burst: none
 * @len: bytes of @frame
 * @off: those that TCP has taken
 * @frame: a control frame under way, allocated when the lane is READY
 */
struct hbc_tx {
	struct hbc_tx_part rest;
	unsigned int len;
	unsigned int off;
	u8 *frame;
};

/* Sends what is due as far as the socket takes it; of much only some. Context: lane->tx_work. */
void hbc_tx_run(struct hbc_lane *lane);
/* Send one frame of the handshake at once: 0 or -errno. Context: process. */
int hbc_tx_now(struct hbc_lane *lane, const void *frame, unsigned int len);
/* What is half sent is forgotten, because its connection is gone. tx_mutex held. */
void hbc_tx_reset(struct hbc_lane *lane);

#endif /* _HBC_TX_H */
