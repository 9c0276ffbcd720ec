// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What links carry besides payload. Each segment is one fragment, as large as the
 * least MTU of its route allows, and each two of them are answered by one segment
 * without payload on the route back.
 */
#include "wire.h"

/* Bytes of a segment that are payload, and those of its frame. */
static int payload_of(unsigned int mtu)
{
	return (int)mtu - HBP_TCP_HEADERS - HBP_FRAGMENT_HEADER;
}

static int frame_of(unsigned int mtu)
{
	return (int)mtu + HBP_LINK_HEADER;
}

/**
 * hbp_wire_payload() - how much payload a link carries
 * @bps: what it carries with headers, bit/s, up to 10^13
 * @mtu: its MTU, HBP_MTU_MIN to HBP_MTU_MAX bytes
 *
 * Return: bit/s, rounded down, but at least 1; 0 if @bps is.
 */
int64_t hbp_wire_payload(int64_t bps, unsigned int mtu)
{
	int64_t payload = bps * payload_of(mtu) / frame_of(mtu);

	return bps && !payload ? 1 : payload;
}

/**
 * hbp_wire_frames() - how much of a link payload takes
 * @mtu: least MTU of its route
 *
 * Return: bytes of frames for each byte of payload.
 */
double hbp_wire_frames(unsigned int mtu)
{
	return (double)frame_of(mtu) / payload_of(mtu);
}

/**
 * hbp_wire_data() - what data takes of a link on its route
 * @mtu: least MTU of the route's links
 * @link_mtu: the link's MTU, at least @mtu
 *
 * Return: which part of what hbp_wire_payload() gives the link a rate of 1 bit/s
 * takes: 1 if both are equal, else more, as smaller frames have more headers.
 */
double hbp_wire_data(unsigned int mtu, unsigned int link_mtu)
{
	return (double)frame_of(mtu) * payload_of(link_mtu) /
	       ((double)payload_of(mtu) * frame_of(link_mtu));
}

/**
 * hbp_wire_acks() - what acknowledgements take of a link on the route back
 * @mtu: least MTU of the links that the data passes
 * @link_mtu: MTU of the link that the acknowledgements pass
 *
 * Return: which part of what hbp_wire_payload() gives the link they take if the
 * data has 1 bit/s.
 */
double hbp_wire_acks(unsigned int mtu, unsigned int link_mtu)
{
	return (double)(HBP_LINK_HEADER + HBP_TCP_HEADERS) * payload_of(link_mtu) /
	       ((double)HBP_SEGMENTS_PER_ACK * payload_of(mtu) * frame_of(link_mtu));
}
