// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets of the family AF_HBCAST. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/hbcast.h>

#include "genl.h"
#include "output.h"
#include "sock.h"

static int check_version(struct hbctl *ctl)
{
	struct hbgenl g;
	int ret;

	ret = hbgenl_open(ctl, &g);
	hbgenl_close(&g);
	return ret;
}

/* The sentence for a bind() or connect() that failed. */
static int refuse(struct hbctl *ctl, uint32_t group, uint16_t port,
		  const char *what)
{
	int err = errno;

	switch (err) {
	case EADDRNOTAVAIL:
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "this node does not take part in group %u: add the group with \"hbcastctl group add\"",
				   group);
	case EACCES:
		return hbctl_error(ctl, HBCTL_KERNEL,
				   "you may not %s group %u: its owner and mode say who may, \"hbcastctl group show\" prints them",
				   what, group);
	}
	return hbctl_error(ctl, HBCTL_KERNEL, "cannot %s group %u port %u: %s",
			   what, group, port, strerror(err));
}

static int open_socket(struct hbctl *ctl, int *fd)
{
	int ret;

	*fd = -1;
	ret = check_version(ctl);
	if (ret)
		return ret;
	*fd = socket(AF_HBCAST, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (*fd >= 0)
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "a socket of hbcast cannot be opened: %s",
			   strerror(errno));
}

/**
 * hbsock_sender() - a socket that sends to a group
 * @ctl: the run
 * @group: the group
 * @port: the port of the receivers
 * @fd: gets the socket, or -1
 *
 * Closing it gives up what has not been delivered.
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbsock_sender(struct hbctl *ctl, uint32_t group, uint16_t port, int *fd)
{
	struct sockaddr_hbcast to = {
		.shb_family = AF_HBCAST, .shb_port = port, .shb_group = group,
	};
	struct linger linger = { .l_onoff = 1 };
	int ret;

	ret = open_socket(ctl, fd);
	if (ret)
		return ret;
	if (!connect(*fd, (struct sockaddr *)&to, sizeof(to)) &&
	    !setsockopt(*fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		return HBCTL_OK;
	ret = refuse(ctl, group, port, "send to");
	close(*fd);
	*fd = -1;
	return ret;
}

/**
 * hbsock_receiver() - a socket that receives from a group, unordered, without
 * waiting and with files for files, and tells which messages fail
 * @ctl: the run
 * @group: the group
 * @port: the port
 * @fd: gets the socket, or -1
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hbsock_receiver(struct hbctl *ctl, uint32_t group, uint16_t port, int *fd)
{
	struct sockaddr_hbcast at = {
		.shb_family = AF_HBCAST, .shb_port = port, .shb_group = group,
	};
	int one = 1;
	int ret;

	ret = open_socket(ctl, fd);
	if (ret)
		return ret;
	if (!setsockopt(*fd, SOL_HBCAST, HBCAST_UNORDERED, &one, sizeof(one)) &&
	    !setsockopt(*fd, SOL_HBCAST, HBCAST_NOTIFY, &one, sizeof(one)) &&
	    !setsockopt(*fd, SOL_HBCAST, HBCAST_SINKS, &one, sizeof(one)) &&
	    !fcntl(*fd, F_SETFL, O_NONBLOCK) &&
	    !bind(*fd, (struct sockaddr *)&at, sizeof(at)))
		return HBCTL_OK;
	ret = refuse(ctl, group, port, "receive from");
	close(*fd);
	*fd = -1;
	return ret;
}
