/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses and ports of nodes, IPv4 or IPv6. */
#ifndef _HBC_ADDR_H
#define _HBC_ADDR_H

#include <linux/socket.h>
#include <linux/types.h>

struct socket;

/*
 * To and from what frames have: family 4 or 6, port, and 16 bytes of which IPv4 takes the
 * first four. hbc_addr_put() leaves the others as they are. Context: any.
 */
void hbc_addr_put(const struct sockaddr_storage *addr, u8 *family, __be16 *port, u8 *raw);
void hbc_addr_get(struct sockaddr_storage *addr, u8 family, __be16 port, const u8 *raw);
/* Whether two are of the same host. Context: any. */
bool hbc_addr_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/* Binds @sock to the address, with any port: 0 or -errno. Context: process. */
int hbc_addr_bind(struct socket *sock, const struct sockaddr_storage *addr);

#endif /* _HBC_ADDR_H */
