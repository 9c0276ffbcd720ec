/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring latency and bandwidth between two network namespaces. */
#ifndef HBCASTCTL_LAB_PROBE_H
#define HBCASTCTL_LAB_PROBE_H

#include <stdint.h>
#include <sys/socket.h>

#include "cmd.h"

/**
 * struct hblab_place - where a probe begins or ends
 * @netns: name of the network namespace
 * @address: IPv4 or IPv6 address there; the port does not matter
 */
struct hblab_place {
	const char *netns;
	struct sockaddr_storage address;
};

/**
 * struct hblab_wish - what a probe is expected to find
 * @latency_ns: one way
 * @round_ns: there and back, with the queue on the way full
 * @bps: bandwidth in bit/s
 */
struct hblab_wish {
	int64_t latency_ns;
	int64_t round_ns;
	int64_t bps;
};

int hblab_netns_enter(struct hbctl *ctl, const char *netns, int *back);
int hblab_netns_leave(struct hbctl *ctl, int back);

int hblab_probe_latency(struct hbctl *ctl, const struct hblab_place *from,
			const struct hblab_place *to,
			const struct hblab_wish *wish, int64_t *latency_ns);
int hblab_probe_bandwidth(struct hbctl *ctl, const struct hblab_place *from,
			  const struct hblab_place *to,
			  const struct hblab_wish *wish, int64_t *bps);

#endif /* HBCASTCTL_LAB_PROBE_H */
