/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_NET_H
#define BENCH_NET_H

#include <sys/types.h>

/* The nodes that net.sh makes: the namespaces bench0 to bench10. */
#define NET_ROOT	0
#define NET_RELAY	1
#define NET_SINK	2	/* and the next, one per child */
#define NET_LAST	9
#define NET_TWIN	10	/* has the address of NET_SINK, see twin.c */

/**
 * struct net_pair - a TCP connection between two nodes
 * @from: the connecting end
 * @to: the accepting end
 */
struct net_pair {
	int from;
	int to;
};

int net_socket(int node, int family, int type);
struct net_pair net_connect(int from, int to);

#endif
