// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * receiver GROUP PORT: writes all messages to standard output.
 *
 * A message of any length is read in pieces of what the buffer holds; MSG_EOR
 * marks the last one. A message that is lost is an error of its own, after
 * which the next message follows.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/hbcast.h>

static int open_receiver(unsigned int group, unsigned int port)
{
	struct sockaddr_hbcast at = {
		.shb_family = AF_HBCAST,
		.shb_group = group,
		.shb_port = port,
	};
	int fd = socket(AF_HBCAST, SOCK_SEQPACKET, 0);

	if (fd < 0)
		err(EXIT_FAILURE, "socket (is the module loaded?)");
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		err(EXIT_FAILURE, "bind to group %u", group);
	return fd;
}

/* One piece to standard output. Return: 0 when no more will come. */
static int receive(int fd)
{
	static char buf[65536];
	struct sockaddr_hbcast from;
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t len = recvmsg(fd, &msg, 0);

	if (len < 0 && (errno == ENODEV || errno == EFAULT))
		err(EXIT_FAILURE, "recvmsg");
	if (len < 0) {
		warn("a message is lost");
		return 1;
	}
	if (!len && !(msg.msg_flags & MSG_EOR))
		return 0;
	fwrite(buf, 1, len, stdout);
	if (msg.msg_flags & MSG_EOR) {
		warnx("a message from node %u", from.shb_node);
		fflush(stdout);
	}
	return 1;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		errx(EXIT_FAILURE, "usage: receiver GROUP PORT");
	fd = open_receiver(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
	while (receive(fd))
		continue;
	return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
