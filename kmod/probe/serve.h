/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The acceptor's side of probes: what a coordinator asks for is done, what others send
 * is answered or thrown away.
 */
#ifndef _HBC_PROBE_SERVE_H
#define _HBC_PROBE_SERVE_H

#include <linux/types.h>

struct hbc_wire_figure;
struct hbc_group;
struct hbc_net;
struct hbc_probe;
struct socket;

/*
 * The handshake with @peer has come to its good end, but for READY. Takes over @sock,
 * whatever becomes of it. Context: process.
 */
void hbc_probe_accept(struct hbc_group *group, u32 peer, struct socket *sock);

/* Which flow that has come in is meant. */
struct hbc_probe_inflow {
	const struct hbc_group *group;
	u32 from;
	u32 round;
	u16 index;
};

/* The probe that brings it, with a reference, or NULL. Context: any. */
struct hbc_probe *hbc_probe_inflow(struct hbc_net *hn, const struct hbc_probe_inflow *inflow);
/* How it is by now. Context: process. */
void hbc_probe_inflow_look(struct hbc_probe *probe, struct hbc_wire_figure *figure);

#endif /* _HBC_PROBE_SERVE_H */
