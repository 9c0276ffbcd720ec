// SPDX-License-Identifier: GPL-2.0-or-later
/* Files for messages, at the nodes of node.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"
#include "sink.h"

int sink_receiver(int node, unsigned int port)
{
	int fd = node_socket(node, SOCK_SEQPACKET, 0);
	struct sockaddr_hbcast a;

	set_int(fd, SOL_HBCAST, HBCAST_SINKS, 1);
	node_address(&a, GROUP, port);
	set_timeout(fd, SO_RCVTIMEO, patience(20000));
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) ? -1 : fd;
}

long take(int fd, int file, uint64_t offset, struct hbcast_sink *s)
{
	struct hbcast_sink none = { 0 };

	s = s ?: &none;
	s->fd = file;
	s->offset = offset;
	return ERR(ioctl(fd, HBCIOCRECVFILE, s));
}

long take_now(int fd, int file, struct hbcast_sink *s)
{
	long ret;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	ret = take(fd, file, 0, s);
	fcntl(fd, F_SETFL, 0);
	return ret;
}

long begin(int fd, int file, struct hbcast_sink *s)
{
	return wait_poll(fd, POLLIN, 10000) ? take_now(fd, file, s) : -ETIME;
}

bool has(int file, uint64_t offset, unsigned int seed, size_t len)
{
	char *bytes = malloc(len ?: 1);
	struct stat st;
	bool good;

	good = pread(file, bytes, len, offset) == (ssize_t)len &&
	       pattern_check(seed, 0, bytes, len) == -1 && !fstat(file, &st) &&
	       st.st_size == (off_t)(offset + len);
	free(bytes);
	return good;
}

pid_t take_beside(int fd, int file, uint64_t offset)
{
	pid_t child = fork();

	if (!child)
		_exit(-take(fd, file, offset, NULL));
	return child;
}

long ended(pid_t child)
{
	int status = 1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

bool shape(int node, const char *rate)
{
	char line[128];

	snprintf(line, sizeof(line), "$tc add dev port%d root tbf rate %s burst 16kb latency 50ms",
		 node, rate);
	return !node_run(node, line);
}

bool unshape(int node)
{
	char line[64];

	snprintf(line, sizeof(line), "$tc del dev port%d root", node);
	return !node_run(node, line);
}
