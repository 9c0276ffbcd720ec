// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of nodes, from words and files into netlink messages. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/hbcast_netlink.h>

#include "endpoint.h"
#include "genl.h"
#include "output.h"

/**
 * hbendpoint_finish() - put the two keys together
 * @ctl: the run
 * @at: the keys; the port goes into the address
 *
 * Return: HBCTL_OK, or HBCTL_USAGE for an address that a node cannot have.
 */
int hbendpoint_finish(struct hbctl *ctl, struct hbendpoint *at)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&at->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&at->addr;

	if (at->addr.ss_family == AF_INET6 && in6->sin6_scope_id)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "an address with a %% belongs to one link and cannot be a node's: give one that is valid everywhere");
	if (at->port && at->addr.ss_family == AF_INET6)
		in6->sin6_port = htons(at->port);
	else if (at->port)
		in->sin_port = htons(at->port);
	return HBCTL_OK;
}

/**
 * hbendpoint_put() - append an address and its port to a message
 * @msg: a message of the attribute set "node"
 * @addr: the address
 */
void hbendpoint_put(struct nl_msg *msg, const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	if (addr->ss_family == AF_INET6) {
		hbgenl_put(msg, HBCAST_A_NODE_IPV6, &in6->sin6_addr,
			   sizeof(in6->sin6_addr));
		hbgenl_put_u16(msg, HBCAST_A_NODE_PORT, ntohs(in6->sin6_port));
	} else {
		hbgenl_put(msg, HBCAST_A_NODE_IPV4, &in->sin_addr,
			   sizeof(in->sin_addr));
		hbgenl_put_u16(msg, HBCAST_A_NODE_PORT, ntohs(in->sin_port));
	}
}

/**
 * hbendpoint_json() - an address as the kernel's answers show it
 * @addr: the address
 *
 * Return: a new object with address and port.
 */
json_t *hbendpoint_json(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;
	char text[INET6_ADDRSTRLEN];

	if (addr->ss_family == AF_INET6)
		return json_pack("{s:s, s:i}", "address",
				 inet_ntop(AF_INET6, &in6->sin6_addr, text,
					   sizeof(text)),
				 "port", ntohs(in6->sin6_port));
	return json_pack("{s:s, s:i}", "address",
			 inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
			 "port", ntohs(in->sin_port));
}
