/* SPDX-License-Identifier: GPL-2.0 */
/* The handshake: who says what before a lane carries anything. */
#ifndef _HBC_HANDSHAKE_H
#define _HBC_HANDSHAKE_H

struct hbc_hdr;
struct hbc_lane;

/* The connector's first word. Context: life work. Return: 0 or a negative errno. */
int hbc_handshake_start(struct hbc_lane *lane);

/**
 * hbc_handshake_frame() - a whole frame came before the lane is READY
 * @lane: the lane
 * @h: its header
 * @frame: @h->length bytes, or NULL for a frame that is not one
 *
 * Context: receive work.
 * Return: 0, or a negative errno with which the lane must end.
 */
int hbc_handshake_frame(struct hbc_lane *lane, const struct hbc_hdr *h, const void *frame);

/* Forget nonces and transcript. Context: process. */
void hbc_handshake_free(struct hbc_lane *lane);

#endif /* _HBC_HANDSHAKE_H */
