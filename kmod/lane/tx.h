/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a lane: control frames first, then what its owner has next. */
#ifndef _HBC_TX_H
#define _HBC_TX_H

#include <linux/types.h>

#include "lane/burst.h"

struct hbc_lane;

#define HBC_TX_PARTS	16	/* that go at once */

/**
 * struct hbc_tx - a lane's send side; tx_mutex
 * @part: what the owner has given and TCP has not taken: the first one may begin in a fragment
 * @nr: entries of @part in use
 * @len: bytes of @frame
 * @off: those that TCP has taken
 * @frame: a control frame under way, allocated when the lane is READY
 */
struct hbc_tx {
	struct hbc_held part[HBC_TX_PARTS];
	unsigned int nr;
	unsigned int len;
	unsigned int off;
	u8 *frame;
};

/*
 * Sends what is due as far as the socket takes it; of much only some. Context: process, tx_mutex
 * held, which it lets go.
 */
void hbc_tx_run(struct hbc_lane *lane);
/*
 * Send a frame of the handshake, or PING, at once, unless another one is under way: 0, -ENOBUFS if
 * a part of it has gone, -errno. Context: process.
 */
int hbc_tx_now(struct hbc_lane *lane, const void *frame, unsigned int len);
/* What is half sent is forgotten, as its connection is gone. tx_mutex held, or @lane is freed. */
void hbc_tx_reset(struct hbc_lane *lane);

#endif /* _HBC_TX_H */
