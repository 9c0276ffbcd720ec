// SPDX-License-Identifier: GPL-2.0-or-later
/* The ends of a transfer over AF_HBCAST. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/hbcast.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hbcast.h"
#include "net.h"
#include "stream.h"

#define PORT 7

static struct sockaddr_hbcast address(uint32_t group)
{
	return (struct sockaddr_hbcast){
		.shb_family = AF_HBCAST, .shb_port = PORT, .shb_group = group,
	};
}

static void join(int fd, int node, uint32_t group)
{
	struct sockaddr_hbcast addr = address(group);

	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "node %d: bind to group %u", node, group);
}

/**
 * hbcast_receiver() - a socket bound to a group
 * @node: as for net_socket()
 * @group: the group's id
 *
 * Return: the socket; exits with a sentence on any error.
 */
int hbcast_receiver(int node, uint32_t group)
{
	int fd = net_socket(node, AF_HBCAST, SOCK_SEQPACKET);

	join(fd, node, group);
	return fd;
}

/**
 * hbcast_sink_receiver() - a socket for hbcast_sink(), bound to a group
 * @node: as for net_socket()
 * @group: the group's id
 *
 * Return: the socket; exits with a sentence on any error.
 */
int hbcast_sink_receiver(int node, uint32_t group)
{
	int fd = net_socket(node, AF_HBCAST, SOCK_SEQPACKET);
	int on = 1;

	if (setsockopt(fd, SOL_HBCAST, HBCAST_SINKS, &on, sizeof(on)))
		err(1, "node %d: HBCAST_SINKS", node);
	join(fd, node, group);
	return fd;
}

/**
 * hbcast_sender() - a socket connected to a group
 * @node: as for net_socket()
 * @group: the group's id
 *
 * Return: the socket; exits with a sentence on any error.
 */
int hbcast_sender(int node, uint32_t group)
{
	int fd = net_socket(node, AF_HBCAST, SOCK_SEQPACKET);
	struct sockaddr_hbcast addr = address(group);

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "node %d: connect to group %u", node, group);
	return fd;
}

/**
 * hbcast_fill() - write what stream_check() expects
 * @file: a file, open for reading and writing
 * @bytes: its new length, a multiple of 8
 */
void hbcast_fill(int file, uint64_t bytes)
{
	void *data;

	if (ftruncate(file, bytes))
		err(1, "a file of %ju bytes", (uintmax_t)bytes);
	data = mmap(NULL, bytes, PROT_WRITE, MAP_SHARED, file, 0);
	if (data == MAP_FAILED)
		err(1, "mmap");
	stream_fill(data, 0, bytes);
	munmap(data, bytes);
}

/**
 * hbcast_file() - a file in memory for hbcast_source()
 * @bytes: its length, a multiple of 8
 *
 * Return: the file, filled; exits with a sentence on any error.
 */
int hbcast_file(uint64_t bytes)
{
	int file = memfd_create("message", MFD_CLOEXEC);

	if (file < 0)
		err(1, "memfd_create");
	hbcast_fill(file, bytes);
	return file;
}

/**
 * hbcast_source() - send a file as one message
 * @fd: of hbcast_sender()
 * @file: what to send
 * @bytes: the file's length
 *
 * Returns when every member has the message or will never have it. A relay that
 * no socket is bound on counts among the latter, so that is not an error here:
 * the sinks know what they got.
 */
void hbcast_source(int fd, int file, uint64_t bytes)
{
	struct hbcast_file message = { .fd = file, .length = bytes };
	struct hbcast_wait wait = { 0 };

	if (ioctl(fd, HBCIOCSENDFILE, &message))
		err(1, "source: HBCIOCSENDFILE");
	wait.message = message.message;
	if (ioctl(fd, HBCIOCWAIT, &wait))
		err(1, "source: HBCIOCWAIT");
}

/**
 * hbcast_sink() - receive a file of hbcast_fill() into another one in memory
 * @fd: of hbcast_sink_receiver()
 * @bytes: how many; exits with a sentence if it is another file
 */
void hbcast_sink(int fd, uint64_t bytes)
{
	struct hbcast_sink sink = { .fd = memfd_create("sink", MFD_CLOEXEC) };
	void *data;

	if (sink.fd < 0)
		err(1, "memfd_create");
	if (ioctl(fd, HBCIOCRECVFILE, &sink))
		err(1, "sink: HBCIOCRECVFILE");
	if (sink.total != bytes)
		errx(1, "sink: %ju bytes instead of %ju", (uintmax_t)sink.total,
		     (uintmax_t)bytes);
	data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, sink.fd, 0);
	if (data == MAP_FAILED)
		err(1, "mmap");
	stream_check(data, 0, bytes);
	munmap(data, bytes);
	close(sink.fd);
}
