// SPDX-License-Identifier: GPL-2.0-or-later
/* File-backed messages. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "node.h"
#include "harness.h"

FIXTURE(file) {
	unsigned int port;
	int sender;
	int near;
	int far;
	int fd;
	char path[32];
};

FIXTURE_SETUP(file)
{
	self->port = 1000 + getpid() % 20000;
	ASSERT_TRUE(node_trio(self->port, false, &self->sender, &self->near, &self->far));
	strcpy(self->path, "/tmp/hbcast-test-XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(file)
{
	unlink(self->path);
	close(self->fd);
	close(self->sender);
	close(self->near);
	close(self->far);
}

static void fill(int fd, unsigned int seed, size_t len)
{
	char *buf = pattern_make(seed, len);
	size_t at = 0;

	while (at < len)
		at += write(fd, buf + at, len - at);
	free(buf);
}

static long send_file(int sender, int fd, uint64_t offset, uint64_t length, uint64_t *id)
{
	struct hbcast_file f = { .fd = fd, .offset = offset, .length = length };
	long ret = ERR(ioctl(sender, HBCIOCSENDFILE, &f));

	if (id)
		*id = f.message;
	return ret;
}

/* Reads the message on both receivers at once. */
static bool both_receive(int near, int far, unsigned int seed, long size)
{
	pid_t child = fork();
	bool good;
	int status = 1;

	if (!child)
		_exit(receive_message(near, seed, 1 << 20) != size);
	good = receive_message(far, seed, 1 << 20) == size;
	waitpid(child, &status, 0);
	return good && !status;
}

TEST_F(file, whole)
{
	uint64_t id = 0, last = 0;
	socklen_t len = sizeof(last);

	fill(self->fd, 1, 3000000);
	ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 3000000, &id));
	ASSERT_EQ(0, getsockopt(self->sender, SOL_HBCAST, HBCAST_LAST_MESSAGE, &last, &len));
	EXPECT_NE(0, id);
	EXPECT_EQ(last, id);
	EXPECT_TRUE(both_receive(self->near, self->far, 1, 3000000));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	/* The place in the file is the application's. */
	EXPECT_EQ(3000000, lseek(self->fd, 0, SEEK_CUR));
}

TEST_F(file, a_part)
{
	char *buf;

	fill(self->fd, 1, 200000);
	ASSERT_EQ(0, send_file(self->sender, self->fd, 12345, 100001, NULL));
	buf = malloc(200000);
	ASSERT_NE(NULL, buf);
	EXPECT_EQ(100001, receive(self->far, buf, 200000, 0).bytes);
	EXPECT_EQ(-1, pattern_check(1, 12345, buf, 100001));
	free(buf);
}

TEST_F(file, no_bytes)
{
	ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 0, NULL));
	EXPECT_TRUE(both_receive(self->near, self->far, 1, 0));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

/* One message of at most @max bytes, which is of the pattern of its length: its length. */
static long receive_any(int sock, char *buf, size_t max)
{
	struct received r = { .bytes = 1 };
	size_t len = 0;

	while (!(r.flags & MSG_EOR) && r.bytes > 0 && len < max) {
		r = receive(sock, buf + len, max - len, 0);
		len += r.bytes > 0 ? r.bytes : 0;
	}
	if (pattern_check(len == 1000 ? 2 : len == 500000 ? 1 : 3, 0, buf, len) >= 0)
		return -1;
	return len;
}

/* Messages in memory come in their order, the file before, between or behind them. */
static bool receive_mixed(int sock)
{
	const long lengths[] = { 1000, 20000, 20000, 20000 };
	char *buf = malloc(1 << 20);
	unsigned int short_ones = 0, files = 0;
	long len = 0;

	while (buf && len >= 0 && short_ones + files < 5) {
		len = receive_any(sock, buf, 1 << 20);
		if (len == 500000 && !files)
			files++;
		else if (short_ones < 4 && len == lengths[short_ones])
			short_ones++;
		else
			len = -1;
	}
	free(buf);
	return short_ones == 4 && files == 1;
}

TEST_F(file, between_messages_in_memory)
{
	unsigned int i;
	int status = 1;
	pid_t child;

	fill(self->fd, 1, 500000);
	ASSERT_EQ(1000, send_message(self->sender, 2, 1000, 0));
	ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 500000, NULL));
	/* These may wait behind the file, and fill the buffer. */
	set_timeout(self->sender, SO_SNDTIMEO, patience(10000));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(20000, send_message(self->sender, 3, 20000, 0));
	child = fork();
	if (!child)
		_exit(!receive_mixed(self->near));
	EXPECT_TRUE(receive_mixed(self->far));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

#define SLOW_BYTES	(4 << 20)	/* of a file that is read for four seconds */
#define SLOW_PART	(SLOW_BYTES / 64)

/* Receivers are cut off after @ms. */
static bool set_stall(unsigned int ms)
{
	char line[64];
	int node, bad = 0;

	snprintf(line, sizeof(line), "$ctl group set 5 stall-interval %ums", patience(ms));
	for (node = 1; node <= NODES; node++)
		bad |= node_run(node, line);
	return !bad;
}

/* What the far node receives comes at most at this rate. */
static bool shape(const char *how, const char *rate)
{
	char line[128];

	snprintf(line, sizeof(line), "$tc %s dev port3 root tbf rate %s burst 4kb latency 50ms",
		 how, rate);
	return !node_run(3, line);
}

/*
 * Reads the file from @at on to its end, or until nothing is there if @flags say so: so far, or an
 * error. Between two parts it waits for @pause.
 */
static long read_on(int sock, long at, unsigned int pause, int flags)
{
	static char buf[SLOW_PART];
	struct received r = {};

	while (!(r.flags & MSG_EOR)) {
		usleep(pause * 1000);
		r = receive(sock, buf, sizeof(buf), flags);
		if (r.bytes == -EAGAIN && flags)
			return at;
		if (r.bytes <= 0)
			return r.bytes;
		if (pattern_check(1, at, buf, r.bytes) >= 0)
			return -EILSEQ;
		at += r.bytes;
	}
	return at;
}

#define BEHIND_BYTES	60000	/* of a message in memory that comes behind it */

/* Sends the message: there is room for no other before all have it on their sockets' queues. */
static bool send_behind(int sender)
{
	set_int(sender, SOL_SOCKET, SO_SNDBUF, BEHIND_BYTES * 2 / 3);
	return send_message(sender, 2, BEHIND_BYTES, 0) == BEHIND_BYTES;
}

static bool read_behind(int sock)
{
	return receive_message(sock, 2, 1 << 20) == BEHIND_BYTES;
}

/* Reads the file until all have the message behind it: so far, or an error. */
static long read_until_all_have(int sender, int sock)
{
	static char buf[SLOW_PART];
	long at = 0, ret;

	while (!(poll_now(sender) & POLLOUT)) {
		ret = receive(sock, buf, sizeof(buf), 0).bytes;
		if (ret < 0 || pattern_check(1, at, buf, ret) >= 0)
			return ret < 0 ? ret : -EILSEQ;
		at += ret;
		usleep(20000);
	}
	return at;
}

/* Sends the file, which has begun to come to @slow, and of which a child reads all at @fast. */
static pid_t begin_file(int sender, int fast, int slow)
{
	pid_t child = fork();

	if (!child)
		_exit(read_on(fast, 0, 0, 0) != SLOW_BYTES);
	set_int(slow, SOL_SOCKET, SO_RCVLOWAT, 2);
	send_file_message(sender, 1, SLOW_BYTES);
	wait_poll(slow, POLLIN, 10000);
	return child;
}

static bool ended_well(pid_t child)
{
	int status = 1;

	return waitpid(child, &status, 0) == child && !status;
}

TEST_F(file, read_slowly_before_messages_in_memory)
{
	pid_t child;

	/* They wait longer than the node's parent would for a node that does nothing. */
	ASSERT_TRUE(set_stall(500));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = begin_file(self->sender, self->near, self->far);
	ASSERT_TRUE(send_behind(self->sender));
	EXPECT_EQ(SLOW_BYTES, read_on(self->far, 0, patience(60), 0));
	EXPECT_TRUE(read_behind(self->far));
	EXPECT_TRUE(ended_well(child));
	EXPECT_TRUE(read_behind(self->near));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(set_stall(10000));
}

TEST_F(file, read_slowly_before_messages_of_another_root)
{
	int other = node_sender(3, self->port);
	struct report r;
	pid_t child;

	ASSERT_LE(0, other);
	ASSERT_TRUE(set_stall(500));
	set_int(self->near, SOL_SOCKET, SO_RCVBUF, 65536);
	child = begin_file(self->sender, self->far, self->near);
	ASSERT_TRUE(send_behind(other));
	EXPECT_EQ(SLOW_BYTES, read_on(self->near, 0, patience(60), 0));
	EXPECT_TRUE(read_behind(self->near));
	EXPECT_TRUE(ended_well(child));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	/* Nobody receives at node 1. */
	EXPECT_EQ(1, wait_complete(other, 10000));
	ASSERT_EQ(2, get_report(other, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_TRUE(set_stall(10000));
	close(other);
}

TEST_F(file, comes_slowly_before_messages_in_memory)
{
	pid_t child;
	long at;
	char c;
	int n;

	ASSERT_TRUE(set_stall(500));
	ASSERT_TRUE(shape("add", "8mbit"));
	child = begin_file(self->sender, self->near, self->far);
	ASSERT_TRUE(send_behind(self->sender));
	at = read_until_all_have(self->sender, self->far);
	ASSERT_LE(0, at);
	/* What is behind the file is not there before all of the file is. */
	ASSERT_TRUE(shape("change", "8kbit"));
	at = read_on(self->far, at, 50, MSG_DONTWAIT);
	ASSERT_LT(0, at);
	EXPECT_GT(SLOW_BYTES, at);
	EXPECT_EQ(0, poll_now(self->far) & POLLIN);
	ASSERT_EQ(0, ioctl(self->far, SIOCINQ, &n));
	EXPECT_EQ(0, n);
	EXPECT_EQ(-EAGAIN, receive(self->far, &c, 1, MSG_DONTWAIT | MSG_PEEK).bytes);
	ASSERT_TRUE(shape("change", "8mbit"));
	EXPECT_EQ(SLOW_BYTES, read_on(self->far, at, 0, 0));
	EXPECT_TRUE(read_behind(self->far));
	EXPECT_TRUE(ended_well(child));
	EXPECT_TRUE(read_behind(self->near));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_EQ(0, node_run(3, "$tc del dev port3 root"));
	EXPECT_TRUE(set_stall(10000));
}

/* Reads parts of whatever comes, until there are so many bytes: how many, or an error. */
static long read_parts(int sock, unsigned int us, long bytes)
{
	static char buf[SLOW_PART];
	long at = 0, ret;

	for (; at < bytes; at += ret) {
		ret = receive(sock, buf, sizeof(buf), 0).bytes;
		if (ret < 0)
			return ret;
		usleep(us);
	}
	return at;
}

TEST_F(file, read_slowly_in_any_order)
{
	long bytes = SLOW_BYTES + BEHIND_BYTES;
	pid_t child;

	close(self->sender);
	close(self->near);
	close(self->far);
	ASSERT_TRUE(node_trio(self->port, true, &self->sender, &self->near, &self->far));
	ASSERT_TRUE(set_stall(500));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = fork();
	if (!child)
		_exit(read_parts(self->near, 0, bytes) != bytes);
	send_file_message(self->sender, 1, SLOW_BYTES);
	wait_poll(self->far, POLLIN, 10000);
	ASSERT_TRUE(send_behind(self->sender));
	EXPECT_EQ(bytes, read_parts(self->far, patience(60000), bytes));
	EXPECT_TRUE(ended_well(child));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(set_stall(10000));
}

TEST_F(file, no_room_for_messages_in_memory_behind_it)
{
	struct report r;
	pid_t child;
	int i;

	ASSERT_TRUE(set_stall(500));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = begin_file(self->sender, self->near, self->far);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(20000, send_message(self->sender, 2, 20000, 0));
	/* It reads, but not what others wait for: it fails by itself, and its node does not. */
	EXPECT_EQ(-ENOBUFS, read_on(self->far, 0, patience(60), 0));
	EXPECT_TRUE(ended_well(child));
	for (i = 0; i < 20; i++)
		EXPECT_EQ(20000, receive_message(self->near, 2, 20000));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_STALLED, report_of(&r, 3)->reason);
	ASSERT_EQ(10, send_message(self->sender, 3, 10, 0));
	EXPECT_EQ(10, receive_message(self->near, 3, 10));
	EXPECT_EQ(10, receive_message(self->far, 3, 10));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(set_stall(10000));
}

TEST_F(file, as_many_messages_in_memory_behind_it_as_may_be)
{
	char *buf = malloc(SLOW_BYTES);
	struct received r = {};
	long at = 0;
	pid_t child;
	int i;

	ASSERT_NE(NULL, buf);
	ASSERT_TRUE(set_stall(1000));
	ASSERT_TRUE(shape("add", "8mbit"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20);
	child = begin_file(self->sender, self->near, self->far);
	for (i = 0; i < 256; i++)
		ASSERT_EQ(1, send_message(self->sender, i, 1, 0));
	/* It waits for all of the file, and gets what there is, as there is no place for more. */
	set_int(self->far, SOL_SOCKET, SO_RCVLOWAT, 1);
	while (!(r.flags & MSG_EOR)) {
		r = receive(self->far, buf, SLOW_BYTES, 0);
		ASSERT_LT(0, r.bytes);
		EXPECT_GT(SLOW_BYTES, r.bytes);
		EXPECT_EQ(-1, pattern_check(1, at, buf, r.bytes));
		at += r.bytes;
	}
	EXPECT_EQ(SLOW_BYTES, at);
	EXPECT_TRUE(ended_well(child));
	for (i = 0; i < 256; i++) {
		ASSERT_EQ(1, receive_message(self->far, i, 1));
		ASSERT_EQ(1, receive_message(self->near, i, 1));
	}
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_EQ(0, node_run(3, "$tc del dev port3 root"));
	EXPECT_TRUE(set_stall(10000));
	free(buf);
}

TEST_F(file, shut_down_before_messages_in_memory)
{
	struct report r;
	pid_t child;
	char c;

	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = begin_file(self->sender, self->near, self->far);
	ASSERT_TRUE(send_behind(self->sender));
	ASSERT_LE(0, read_until_all_have(self->sender, self->far));
	/* They are not taken for the rest of the file. */
	ASSERT_EQ(0, shutdown(self->far, SHUT_RD));
	EXPECT_EQ(0, receive(self->far, &c, 1, 0).bytes);
	EXPECT_TRUE(ended_well(child));
	EXPECT_TRUE(read_behind(self->near));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
}

TEST_F(file, several)
{
	unsigned int i;

	fill(self->fd, 1, 400000);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 400000, NULL));
	for (i = 0; i < 8; i++)
		ASSERT_TRUE(both_receive(self->near, self->far, 1, 400000));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(file, file_and_socket_closed)
{
	fill(self->fd, 1, 2000000);
	ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 2000000, NULL));
	close(self->fd);
	close(self->sender);
	unlink(self->path);
	EXPECT_TRUE(both_receive(self->near, self->far, 1, 2000000));
}

/* Reads to the end or to an error. */
static long drain(int fd)
{
	char buf[65536];
	long ret;

	do {
		ret = receive(fd, buf, sizeof(buf), 0).bytes;
	} while (ret > 0);
	return ret;
}

TEST_F(file, becomes_shorter)
{
	char buf[65536];
	struct report r;
	int status = 1;
	pid_t child;

	/* More than all buffers on the way, so that the end is read late. */
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_EQ(0, ftruncate(self->fd, 64 << 20));
	ASSERT_EQ(0, send_file(self->sender, self->fd, 0, 64 << 20, NULL));
	/* A message of which nothing was sent would not be heard of. */
	ASSERT_LT(0, receive(self->far, buf, sizeof(buf), 0).bytes);
	ASSERT_EQ(0, ftruncate(self->fd, 0));
	/* It is seen at the next read, which needs room; so all must go on. */
	child = fork();
	if (!child)
		_exit(drain(self->near) != -ECONNABORTED);
	EXPECT_EQ(-ECONNABORTED, drain(self->far));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(2, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CHANGED, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_REASON_CHANGED, report_of(&r, 3)->reason);
	EXPECT_GT(64 << 20, r.c.sent);
	/* And the socket goes on. */
	ASSERT_EQ(10, send_message(self->sender, 4, 10, 0));
	EXPECT_EQ(10, receive_message(self->far, 4, 100));
}

TEST_F(file, refused)
{
	struct hbcast_file f = { .fd = self->fd, .flags = 1, .length = 1 };
	int null = open("/dev/null", O_RDONLY), out, pipes[2];

	fill(self->fd, 1, 1000);
	out = open(self->path, O_WRONLY);
	ASSERT_GE(out, 0);
	ASSERT_GE(null, 0);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EINVAL, ERR(ioctl(self->sender, HBCIOCSENDFILE, &f)));
	EXPECT_EQ(-EBADF, send_file(self->sender, -1, 0, 1, NULL));
	EXPECT_EQ(-EBADF, send_file(self->sender, 9999, 0, 1, NULL));
	EXPECT_EQ(-EBADF, send_file(self->sender, out, 0, 1, NULL));
	EXPECT_EQ(-EINVAL, send_file(self->sender, null, 0, 1, NULL));
	EXPECT_EQ(-EINVAL, send_file(self->sender, pipes[0], 0, 1, NULL));
	EXPECT_EQ(-EINVAL, send_file(self->sender, self->far, 0, 1, NULL));
	EXPECT_EQ(-ENODATA, send_file(self->sender, self->fd, 0, 1001, NULL));
	EXPECT_EQ(-ENODATA, send_file(self->sender, self->fd, 1001, 0, NULL));
	EXPECT_EQ(-EOVERFLOW, send_file(self->sender, self->fd, 1, INT64_MAX, NULL));
	EXPECT_EQ(-EOVERFLOW, send_file(self->sender, self->fd, 1ULL << 63, 0, NULL));
	EXPECT_EQ(-EOVERFLOW, send_file(self->sender, self->fd, 0, UINT64_MAX, NULL));
	/* None of this was a message. */
	EXPECT_EQ(-ENOENT, wait_complete(self->sender, 1));
}

TEST_F(file, no_plan)
{
	int fd = node_sender(2, self->port);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-ENETUNREACH, send_file(fd, self->fd, 0, 0, NULL));
}

TEST_HARNESS_MAIN
