// SPDX-License-Identifier: GPL-2.0
/* Addresses and ports of nodes, IPv4 or IPv6. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "config/addr.h"

void hbc_addr_put(const struct sockaddr_storage *addr, u8 *family, __be16 *port, u8 *raw)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)addr;

	/* Both families have it in the same place. */
	*port = sin->sin_port;
	if (addr->ss_family == AF_INET6) {
		*family = 6;
		memcpy(raw, &sin6->sin6_addr, sizeof(sin6->sin6_addr));
	} else {
		*family = 4;
		memcpy(raw, &sin->sin_addr, sizeof(sin->sin_addr));
	}
}

void hbc_addr_get(struct sockaddr_storage *addr, u8 family, __be16 port, const u8 *raw)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *sin = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	sin->sin_port = port;
	if (family == 6) {
		sin6->sin6_family = AF_INET6;
		memcpy(&sin6->sin6_addr, raw, sizeof(sin6->sin6_addr));
	} else {
		sin->sin_family = AF_INET;
		memcpy(&sin->sin_addr, raw, sizeof(sin->sin_addr));
	}
}

bool hbc_addr_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return ipv6_addr_equal(&((const struct sockaddr_in6 *)a)->sin6_addr,
			       &((const struct sockaddr_in6 *)b)->sin6_addr);
}

int hbc_addr_bind(struct socket *sock, const struct sockaddr_storage *addr)
{
	struct sockaddr_storage any = *addr;

	((struct sockaddr_in *)&any)->sin_port = 0;
	return kernel_bind(sock, (struct sockaddr *)&any, sizeof(any));
}
