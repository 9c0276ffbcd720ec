/* SPDX-License-Identifier: GPL-2.0 */
/* Reading: bytes off a lane's socket to bursts of whole frames. */
#ifndef _HBC_READ_H
#define _HBC_READ_H

#include <linux/fs.h>
#include <linux/types.h>

struct hbc_burst;
struct hbc_inflow;
struct hbc_receive;
struct sk_buff;

/**
 * hbc_read_actor() - take bytes of the stream
 * @desc: arg.data is the lane; count 0 stops, error says why the lane must end
 * @skb: holds the bytes; its pages are shared
 * @off: of the first byte
 * @len: bytes
 *
 * Fragments go to bursts of lane->rx; a control frame stops the reading when it
 * is whole.
 *
 * Context: process, for tcp_read_sock(), the socket is owned.
 * Return: bytes used.
 */
int hbc_read_actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int off, size_t len);

/* The burst that is being filled, or NULL. */
struct hbc_inflow *hbc_read_last(struct hbc_receive *rx);
/*
 * A burst with @need free vectors that begins with what lies behind @pos of @b,
 * which goes from there; NULL without memory. Context: process.
 */
struct hbc_burst *hbc_read_carry(struct hbc_burst *b, u32 pos, unsigned int need);

#endif /* _HBC_READ_H */
