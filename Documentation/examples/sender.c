// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sender GROUP PORT: each line of standard input is a message to all members.
 *
 * After each message the program waits until every member has read it, and
 * tells who has not, and why.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/hbcast.h>

#define MAX_MEMBERS	4096

static const char * const reason[] = {
	[HBCAST_REASON_NONE] = "no reason",
	[HBCAST_REASON_NO_RECEIVER] = "nobody receives there",
	[HBCAST_REASON_CLOSED] = "the receiver closed its socket",
	[HBCAST_REASON_STALLED] = "the receiver did not read",
	[HBCAST_REASON_CHECKSUM] = "the data was damaged",
	[HBCAST_REASON_LANE_LOST] = "a connection broke",
	[HBCAST_REASON_NODE_DEAD] = "the node is not reached",
	[HBCAST_REASON_ABORTED] = "the message was given up",
	[HBCAST_REASON_PLAN_GONE] = "the plan was removed",
	[HBCAST_REASON_NO_MEMORY] = "no memory",
	[HBCAST_REASON_SPOOL] = "it is longer than what the node keeps",
	[HBCAST_REASON_FILE] = "the file could not be read or written",
	[HBCAST_REASON_CHANGED] = "the file changed",
};

static int open_sender(unsigned int group, unsigned int port)
{
	struct sockaddr_hbcast to = {
		.shb_family = AF_HBCAST,
		.shb_group = group,
		.shb_port = port,
	};
	int fd = socket(AF_HBCAST, SOCK_SEQPACKET, 0);

	if (fd < 0)
		err(EXIT_FAILURE, "socket (is the module loaded?)");
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		err(EXIT_FAILURE, "connect to group %u", group);
	return fd;
}

/* Who has not read the last message? */
static void tell_failed(int fd)
{
	socklen_t len = sizeof(struct hbcast_completion) +
			MAX_MEMBERS * sizeof(struct hbcast_member);
	struct hbcast_completion *c = calloc(1, len);
	unsigned int i, nr;

	if (!c)
		err(EXIT_FAILURE, "calloc");
	if (getsockopt(fd, SOL_HBCAST, HBCAST_COMPLETION, c, &len))
		err(EXIT_FAILURE, "getsockopt");
	nr = (len - sizeof(*c)) / sizeof(c->member[0]);
	for (i = 0; i < nr; i++)
		if (c->member[i].state == HBCAST_FAILED)
			warnx("node %u: %s", c->member[i].node, reason[c->member[i].reason]);
	free(c);
}

int main(int argc, char **argv)
{
	struct hbcast_wait wait = { .message = 0 };
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int fd;

	if (argc != 3)
		errx(EXIT_FAILURE, "usage: sender GROUP PORT");
	fd = open_sender(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
	while ((len = getline(&line, &size, stdin)) > 0) {
		if (send(fd, line, len, 0) < 0)
			err(EXIT_FAILURE, "send");
		if (ioctl(fd, HBCIOCWAIT, &wait))
			err(EXIT_FAILURE, "wait");
		if (wait.failed)
			tell_failed(fd);
		wait.message = 0;
	}
	free(line);
	return EXIT_SUCCESS;
}
