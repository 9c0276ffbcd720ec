// SPDX-License-Identifier: GPL-2.0-or-later
/* Unordered delivery: pieces as they come, each with its place. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "node.h"
#include "harness.h"

FIXTURE(pieces) {
	unsigned int port;
	int sender;
	int near;
	int far;
};

FIXTURE_SETUP(pieces)
{
	self->port = 1000 + getpid() % 20000;
	ASSERT_TRUE(node_trio(self->port, true, &self->sender, &self->near, &self->far));
}

FIXTURE_TEARDOWN(pieces)
{
	close(self->sender);
	close(self->near);
	close(self->far);
}

/*
 * Reads all pieces of one message, whatever their order: its length, or a
 * negative errno, -EILSEQ for bytes that are wrong, there twice or missing.
 */
static long read_pieces(int fd, unsigned int seed, size_t chunk)
{
	uint8_t *buf = malloc(chunk), *seen = NULL;
	uint64_t message = 0, total = 0, have = 0;
	struct received r;
	long ret = -EILSEQ;

	do {
		r = receive(fd, buf, chunk, 0);
		if (r.bytes < 0) {
			ret = r.bytes;
			goto out;
		}
		if (!seen) {
			message = r.piece.message;
			total = r.piece.total;
			seen = calloc(1, total + 1);
		}
		if (!r.has_piece || r.piece.message != message || r.piece.total != total ||
		    r.piece.offset + r.bytes > total ||
		    memchr(seen + r.piece.offset, 1, r.bytes) ||
		    pattern_check(seed, r.piece.offset, buf, r.bytes) >= 0)
			goto out;
		memset(seen + r.piece.offset, 1, r.bytes);
		have += r.bytes;
	} while (!(r.flags & MSG_EOR));
	if (have == total && !memchr(seen, 0, total))
		ret = total;
out:
	free(buf);
	free(seen);
	return ret;
}

TEST_F(pieces, small)
{
	struct received r;
	uint64_t id = 0;
	socklen_t len = sizeof(id);
	char buf[200];

	ASSERT_EQ(100, send_message(self->sender, 1, 100, 0));
	ASSERT_EQ(0, getsockopt(self->sender, SOL_HBCAST, HBCAST_LAST_MESSAGE, &id, &len));
	r = receive(self->far, buf, 60, 0);
	EXPECT_EQ(60, r.bytes);
	EXPECT_TRUE(r.has_piece);
	EXPECT_EQ(id, r.piece.message);
	EXPECT_EQ(0, r.piece.offset);
	EXPECT_EQ(100, r.piece.total);
	EXPECT_EQ(0, r.flags & MSG_EOR);
	EXPECT_EQ(1, r.from.shb_node);
	EXPECT_EQ(self->port, r.from.shb_port);
	r = receive(self->far, buf, 60, MSG_PEEK);
	EXPECT_EQ(40, r.bytes);
	EXPECT_EQ(60, r.piece.offset);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	r = receive(self->far, buf, 60, 0);
	EXPECT_EQ(40, r.bytes);
	EXPECT_EQ(60, r.piece.offset);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(-1, pattern_check(1, 60, buf, 40));
	EXPECT_EQ(-EAGAIN, receive(self->far, buf, 60, MSG_DONTWAIT).bytes);
}

TEST_F(pieces, no_bytes)
{
	ASSERT_EQ(0, send_message(self->sender, 1, 0, 0));
	EXPECT_EQ(0, read_pieces(self->far, 1, 10));
	EXPECT_EQ(0, read_pieces(self->near, 1, 10));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pieces, before_the_message_is_whole)
{
	char buf[1000];
	pid_t child;
	int status;

	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_EQ(8 << 20, send_file_message(self->sender, 2, 8 << 20));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	EXPECT_EQ(sizeof(buf), receive(self->far, buf, sizeof(buf), MSG_PEEK).bytes);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(read_pieces(self->near, 2, 100000) != 8 << 20);
	EXPECT_EQ(8 << 20, read_pieces(self->far, 2, 1 << 20));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
}

TEST_F(pieces, many_messages)
{
	unsigned int i;

	for (i = 0; i < 50; i++)
		ASSERT_EQ((long)(i * 101), send_message(self->sender, i, i * 101, 0));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ((long)(i * 101), read_pieces(self->far, i, 65536));
		ASSERT_EQ((long)(i * 101), read_pieces(self->near, i, 65536));
	}
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pieces, readable_now)
{
	int n = -1;

	ASSERT_EQ(3000, send_message(self->sender, 1, 3000, 0));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	ASSERT_EQ(0, ioctl(self->far, SIOCINQ, &n));
	EXPECT_LT(0, n);
	EXPECT_GE(3000, n);
	EXPECT_EQ(3000, read_pieces(self->far, 1, 700));
}

#define ABORTED_BYTES	(16 << 20)
#define WHOLE_BYTES	100000

TEST_F(pieces, which_one_failed)
{
	int other = node_sender(3, self->port);
	struct linger l = { .l_onoff = 1, .l_linger = 0 };
	struct received r, failed = { };
	uint64_t read[NODES + 1] = { 0 };
	static char buf[65536];

	ASSERT_LE(0, other);
	/* Only the node between two roots receives. */
	close(self->far);
	set_int(self->near, SOL_SOCKET, SO_RCVBUF, 65536);
	set_int(self->near, SOL_HBCAST, HBCAST_NOTIFY, 1);
	ASSERT_EQ(0, setsockopt(self->sender, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	ASSERT_EQ(ABORTED_BYTES, send_file_message(self->sender, 1, ABORTED_BYTES));
	ASSERT_TRUE(wait_poll(self->near, POLLIN, 10000));
	ASSERT_EQ(WHOLE_BYTES, send_message(other, 2, WHOLE_BYTES, 0));
	close(self->sender);
	self->sender = -1;
	while (!failed.has_failure || read[3] < WHOLE_BYTES) {
		r = receive(self->near, buf, sizeof(buf), 0);
		ASSERT_LE(0, r.bytes);
		EXPECT_NE(r.has_piece, r.has_failure);
		EXPECT_EQ(r.has_failure, !!(r.flags & HBCAST_MSG_NOTIFICATION));
		read[r.from.shb_node & 3] += r.bytes;
		if (r.has_failure)
			failed = r;
	}
	EXPECT_EQ(0, failed.bytes);
	EXPECT_EQ(MSG_EOR, failed.flags & MSG_EOR);
	EXPECT_EQ(1, failed.from.shb_node);
	EXPECT_EQ(ABORTED_BYTES, failed.failure.total);
	EXPECT_EQ(read[1], failed.failure.read);
	EXPECT_EQ(ECONNABORTED, failed.failure.error);
	EXPECT_EQ(HBCAST_REASON_ABORTED, failed.failure.reason);
	EXPECT_EQ(WHOLE_BYTES, read[3]);
	close(other);
}

TEST_HARNESS_MAIN
