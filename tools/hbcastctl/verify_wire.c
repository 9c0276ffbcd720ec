// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl verify: headers, and acknowledgements on the way back. */
#include <math.h>

#include "verify.h"
#include "wire.h"

/* Payload of a segment that a fragment fills, and its frame. */
static double payload(unsigned int mtu)
{
	return mtu - HBP_TCP_HEADERS - HBP_FRAGMENT_HEADER;
}

static double frame(unsigned int mtu)
{
	return mtu + HBP_LINK_HEADER;
}

/**
 * hbverify_payload() - what a link carries of payload
 * @mbps: its bandwidth
 * @mtu: its MTU
 *
 * Return: Mbit/s, in whole bit/s.
 */
double hbverify_payload(double mbps, unsigned int mtu)
{
	return fmax(floor(rint(mbps * 1e6) * payload(mtu) / frame(mtu)), 1) / 1e6;
}

/**
 * hbverify_mtu() - how large segments on a way are
 * @net: the network
 * @links: the way's links
 * @n: how many, at least 1
 *
 * Return: the least MTU.
 */
unsigned int hbverify_mtu(const struct hbverify_net *net, const size_t *links, size_t n)
{
	unsigned int mtu = net->links[links[0]].mtu;
	size_t i;

	for (i = 1; i < n; i++)
		if (net->links[links[i]].mtu < mtu)
			mtu = net->links[links[i]].mtu;
	return mtu;
}

/**
 * hbverify_data() - for which part of the time data keeps a link busy
 * @net: the network
 * @link: index of a link
 * @mtu: the least MTU of the way
 *
 * Return: the part for 1 Mbit/s of payload.
 */
double hbverify_data(const struct hbverify_net *net, size_t link, unsigned int mtu)
{
	const struct hbverify_link *l = &net->links[link];

	if (!net->headers || mtu == l->mtu)
		return 1 / l->mbps;
	return frame(mtu) / payload(mtu) * payload(l->mtu) / frame(l->mtu) / l->mbps;
}

/**
 * hbverify_acks() - for which part of the time acknowledgements keep a link busy
 * @net: the network, in which they count
 * @link: index of a link of the way back
 * @mtu: the least MTU of the way of the data
 *
 * Return: the part for 1 Mbit/s of payload.
 */
double hbverify_acks(const struct hbverify_net *net, size_t link, unsigned int mtu)
{
	const struct hbverify_link *l = &net->links[link];
	double bytes = frame(HBP_TCP_HEADERS) / HBP_SEGMENTS_PER_ACK;

	return bytes / payload(mtu) * payload(l->mtu) / frame(l->mtu) / l->mbps;
}

/**
 * hbverify_width() - what a way carries alone
 * @net: the network
 * @links: the way's links
 * @n: how many, at least 1
 *
 * Return: Mbit/s, in whole bit/s.
 */
double hbverify_width(const struct hbverify_net *net, const size_t *links, size_t n)
{
	unsigned int mtu = hbverify_mtu(net, links, n);
	double mbps = HUGE_VAL;
	size_t i;

	for (i = 0; i < n; i++)
		mbps = fmin(mbps, mtu == net->links[links[i]].mtu ?
			    net->links[links[i]].mbps :
			    floor(1e6 / hbverify_data(net, links[i], mtu)) / 1e6);
	return mbps;
}

/**
 * hbverify_way_uses() - what a pair keeps busy of links
 * @v: the check
 * @links: links of the way
 * @n: how many, at least 1; receives how many with those that only acknowledgements
 *	pass, which come behind
 * @uses: receives the part of the time for 1 Mbit/s
 * @back: links of the way back
 * @n_back: how many; 0 if there is none
 */
void hbverify_way_uses(const struct hbverify *v, size_t *links, size_t *n, double *uses,
		       const size_t *back, size_t n_back)
{
	unsigned int mtu = hbverify_mtu(&v->net, links, *n);
	size_t n_way = *n, i, k;

	for (i = 0; i < n_way; i++)
		uses[i] = hbverify_data(&v->net, links[i], mtu);
	for (i = 0; i < n_back; i++) {
		for (k = 0; k < n_way && links[k] != back[i];)
			k++;
		if (k == n_way) {
			k = (*n)++;
			links[k] = back[i];
			uses[k] = 0;
		}
		uses[k] += hbverify_acks(&v->net, back[i], mtu);
	}
}
