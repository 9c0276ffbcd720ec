// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets in the namespaces of net.sh. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net.h"

static void enter(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	close(fd);
}

/**
 * net_socket() - a socket in the namespace of a node
 * @node: its number, 0 to NET_LAST
 * @family: as for socket(2)
 * @type: as for socket(2)
 *
 * A socket stays in the namespace where it was made. The caller's namespace
 * is the node's from then on, until the next call.
 *
 * Return: the socket; exits with a sentence on any error.
 */
int net_socket(int node, int family, int type)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/bench%d", node);
	enter(path);
	fd = socket(family, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		err(1, "%s: socket", path);
	return fd;
}

/**
 * net_connect() - a TCP connection between two nodes
 * @from: the node that connects
 * @to: the node that accepts; the two must share a link
 *
 * Return: both ends; exits with a sentence on any error.
 */
struct net_pair net_connect(int from, int to)
{
	int listener = net_socket(to, AF_INET, SOCK_STREAM);
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	struct net_pair pair;

	addr.sin_addr.s_addr = htonl(0x0a4d0001 + to);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len))
		err(1, "node %d: listen", to);
	pair.from = net_socket(from, AF_INET, SOCK_STREAM);
	if (connect(pair.from, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "node %d: connect to node %d", from, to);
	pair.to = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (pair.to < 0)
		err(1, "node %d: accept", to);
	close(listener);
	return pair;
}
