/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of nodes, from words and files into netlink messages. */
#ifndef HBCASTCTL_ENDPOINT_H
#define HBCASTCTL_ENDPOINT_H

#include <stdint.h>
#include <sys/socket.h>

#include <jansson.h>
#include <netlink/msg.h>

#include "cmd.h"

/**
 * struct hbendpoint - the keys "address" and "port" of a command
 * @addr: what hbarg_endpoint() fills
 * @port: what hbarg_port() fills; 0 if it was not given
 */
struct hbendpoint {
	struct sockaddr_storage addr;
	uint16_t port;
};

int hbendpoint_finish(struct hbctl *ctl, struct hbendpoint *at);
void hbendpoint_put(struct nl_msg *msg, const struct sockaddr_storage *addr);
json_t *hbendpoint_json(const struct sockaddr_storage *addr);

#endif /* HBCASTCTL_ENDPOINT_H */
