/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The acceptor's side of probes: what a coordinator asks for is done, what others send
 * is answered or thrown away.
 */
#ifndef _HBC_PROBE_SERVE_H
#define _HBC_PROBE_SERVE_H

#include <linux/types.h>

struct hbc_group;
struct socket;

/*
 * The handshake with @peer has come to its good end, but for READY. Takes over @sock,
 * whatever becomes of it. Context: process.
 */
void hbc_probe_accept(struct hbc_group *group, u32 peer, struct socket *sock);

#endif /* _HBC_PROBE_SERVE_H */
