/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets of the family AF_HBCAST. */
#ifndef HBCASTCTL_SOCK_H
#define HBCASTCTL_SOCK_H

#include <stdint.h>

#include "cmd.h"

int hbsock_sender(struct hbctl *ctl, uint32_t group, uint16_t port, int *fd);
int hbsock_receiver(struct hbctl *ctl, uint32_t group, uint16_t port, int *fd);

#endif /* HBCASTCTL_SOCK_H */
