// SPDX-License-Identifier: GPL-2.0-or-later
/* File-backed messages. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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
