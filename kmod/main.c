// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading. The order in which the layers begin is the
 * architecture: each needs those before it, and none of those behind it.
 */
#include <linux/module.h>

#include <hbcast_version.h>

#include "api/netlink.h"
#include "api/socket.h"
#include "config/node.h"
#include "lane/lane.h"
#include "probe/probe.h"
#include "store/file.h"
#include "wire/crc.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static const struct {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} hbc_layers[] = {
	{ "crc", hbc_crc_init, hbc_crc_exit },			/* the hash */
	{ "lane", hbc_lane_init, hbc_lane_exit },		/* work queues */
	{ "file", hbc_file_init, hbc_file_exit },		/* work queue */
	{ "probe", hbc_probe_init, hbc_probe_exit },		/* work queue */
	{ "node", hbc_node_init, hbc_node_exit },		/* namespaces */
	{ "socket", hbc_socket_init, hbc_socket_exit },		/* AF_HBCAST */
	{ "netlink", hbc_netlink_init, hbc_netlink_exit },	/* the interface */
};

static void hbc_leave(unsigned int n)
{
	while (n--)
		hbc_layers[n].exit();
}

static int __init hbc_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hbc_layers); i++) {
		err = hbc_layers[i].init();
		if (err) {
			pr_err("hbcast: %s did not start: %d\n", hbc_layers[i].name, err);
			hbc_leave(i);
			return err;
		}
	}
	return 0;
}

static void __exit hbc_exit(void)
{
	hbc_leave(ARRAY_SIZE(hbc_layers));
	rcu_barrier();
}

module_init(hbc_init);
module_exit(hbc_exit);

MODULE_DESCRIPTION("Broadcast along trees of TCP connections");
MODULE_LICENSE("GPL");
MODULE_VERSION(HBCAST_VERSION);
MODULE_SOFTDEP("pre: crc32c hmac sha256");
