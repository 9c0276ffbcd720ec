/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An emulated network as it is to be: names, addresses, devices, queues. */
#ifndef HBCASTCTL_LAB_NET_H
#define HBCASTCTL_LAB_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "cmd.h"
#include "platform.h"

#define HBLAB_HOSTS_MAX		1024
#define HBLAB_NAME_LEN		32
#define HBLAB_NETNS_LEN		128
#define HBLAB_DEV_LEN		16

/* An Ethernet frame of 1500 bytes of IP. */
#define HBLAB_FRAME_BYTES	1514

/**
 * struct hblab_host - what a host of the platform becomes
 * @node: index in the platform's nodes
 * @netns: name of its network namespace
 * @address: its IPv4 address, without prefix length
 * @mac: the Ethernet address of all its devices
 */
struct hblab_host {
	size_t node;
	char netns[HBLAB_NETNS_LEN];
	char address[16];
	char mac[18];
};

/**
 * struct hblab_net - an emulated network
 * @name: the lab's name
 * @platform: what it emulates; owned
 * @hosts: the hosts, in the order of @platform's hosts
 * @host_of: index in @hosts of each node of @platform, HBP_NONE for switches
 * @switch_netns: name of the namespace of all switches, "" if there are none
 * @dev: for each link of @platform the device that sends on it
 * @queue_ns: how much traffic a link's queue holds beyond what is under way
 * @segments: most TCP segments in one packet of a host
 */
struct hblab_net {
	char name[HBLAB_NAME_LEN];
	struct hbp_platform *platform;
	struct hblab_host *hosts;
	size_t *host_of;
	char switch_netns[HBLAB_NETNS_LEN];
	char (*dev)[HBLAB_DEV_LEN];
	int64_t queue_ns;
	unsigned int segments;
};

int hblab_net_make(struct hbctl *ctl, const char *name,
		   struct hbp_platform *platform, struct hblab_net **out);
void hblab_net_free(struct hblab_net *net);
const char *hblab_net_netns(const struct hblab_net *net, size_t node);
size_t hblab_net_find(const struct hblab_net *net, const char *word);
json_t *hblab_net_json(const struct hblab_net *net);
void hblab_net_text(struct hbctl *ctl, const json_t *result, FILE *out);

#endif /* HBCASTCTL_LAB_NET_H */
