/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What links carry besides payload: headers, and acknowledgements on the way back. */
#ifndef HBPLAN_WIRE_H
#define HBPLAN_WIRE_H

#include <stdint.h>

/* Bytes of what stands around the payload of a segment that one fragment fills. */
#define HBP_LINK_HEADER		14	/* Ethernet */
#define HBP_TCP_HEADERS		52	/* IPv4, and TCP with timestamps */
#define HBP_FRAGMENT_HEADER	16	/* HBC_DATA_LEN of kmod/wire/wire.h */
/* Segments that are acknowledged together. */
#define HBP_SEGMENTS_PER_ACK	2

/* Bytes that a link carries behind its own header, if nothing tells it. */
#define HBP_MTU			1500
#define HBP_MTU_MIN		256
#define HBP_MTU_MAX		65535

int64_t hbp_wire_payload(int64_t bps, unsigned int mtu);
double hbp_wire_frames(unsigned int mtu);
double hbp_wire_data(unsigned int mtu, unsigned int link_mtu);
double hbp_wire_acks(unsigned int mtu, unsigned int link_mtu);

#endif /* HBPLAN_WIRE_H */
