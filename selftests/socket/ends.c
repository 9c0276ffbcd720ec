// SPDX-License-Identifier: GPL-2.0-or-later
/* Closing, shutting down, giving up, being cut off, and groups that go. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"
#include "harness.h"

FIXTURE(end) {
	unsigned int port;
	int sender;
	int near;
	int far;
};

FIXTURE_SETUP(end)
{
	self->port = 1000 + getpid() % 20000;
	ASSERT_TRUE(node_trio(self->port, false, &self->sender, &self->near, &self->far));
}

FIXTURE_TEARDOWN(end)
{
	close(self->sender);
	close(self->near);
	close(self->far);
}

/* Reads and forgets up to an error or the end of a message: the errno or 0. */
static long drain(int fd)
{
	static char buf[1 << 20];
	struct received r;

	do {
		r = receive(fd, buf, sizeof(buf), 0);
	} while (r.bytes > 0 && !(r.flags & MSG_EOR));
	return r.bytes < 0 ? r.bytes : 0;
}

/* The same on two sockets at once, so that neither is cut off. */
static long drain_both(int fd, int other, long *ret)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(-drain(other));
	*ret = drain(fd);
	waitpid(child, &status, 0);
	return -WEXITSTATUS(status);
}

#define LARGE_BYTES	(32 << 20)	/* of a file, more than all buffers */

TEST_F(end, sender_closes_at_once)
{
	ASSERT_EQ(150000, send_message(self->sender, 1, 150000, 0));
	close(self->sender);
	EXPECT_EQ(150000, receive_message(self->far, 1, 150000));
	EXPECT_EQ(150000, receive_message(self->near, 1, 150000));
}

TEST_F(end, close_lingers)
{
	struct linger l = { .l_onoff = 1, .l_linger = 1 };
	uint64_t begin;

	ASSERT_EQ(0, setsockopt(self->sender, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	begin = now_ms();
	close(self->sender);
	/* The kernel counts in ticks, and the first one is not a whole one. */
	/* A busy machine's ticks come late: what is left of a second of them. */
	EXPECT_LE(800, now_ms() - begin);
	EXPECT_EQ(10, receive_message(self->far, 1, 10));
	/* With all of it read there is nothing to wait for. */
	self->sender = node_sender(1, self->port);
	l.l_linger = 60;
	ASSERT_EQ(0, setsockopt(self->sender, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	ASSERT_EQ(10, send_message(self->sender, 2, 10, 0));
	EXPECT_EQ(10, receive_message(self->far, 2, 10));
	EXPECT_EQ(10, receive_message(self->near, 1, 10));
	EXPECT_EQ(10, receive_message(self->near, 2, 10));
	begin = now_ms();
	close(self->sender);
	EXPECT_GT(patience(10000), now_ms() - begin);
}

TEST_F(end, close_aborts)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };
	long ret;

	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_EQ(0, setsockopt(self->sender, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	ASSERT_EQ(LARGE_BYTES, send_file_message(self->sender, 1, LARGE_BYTES));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	close(self->sender);
	EXPECT_EQ(-ECONNABORTED, drain_both(self->far, self->near, &ret));
	EXPECT_EQ(-ECONNABORTED, ret);
}

TEST_F(end, told_which)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };
	static char buf[1 << 20];
	struct received seen, r;
	uint64_t read = 0;

	close(self->far);
	set_int(self->near, SOL_SOCKET, SO_RCVBUF, 65536);
	set_int(self->near, SOL_HBCAST, HBCAST_NOTIFY, 1);
	ASSERT_EQ(0, setsockopt(self->sender, SOL_SOCKET, SO_LINGER, &l, sizeof(l)));
	ASSERT_EQ(LARGE_BYTES, send_file_message(self->sender, 1, LARGE_BYTES));
	ASSERT_TRUE(wait_poll(self->near, POLLIN, 10000));
	close(self->sender);
	self->sender = node_sender(1, self->port);
	do {
		seen = receive(self->near, buf, sizeof(buf), MSG_PEEK);
		r = receive(self->near, buf, sizeof(buf), 0);
		ASSERT_LE(0, r.bytes);
		EXPECT_EQ(seen.has_failure, r.has_failure);
		read += r.bytes;
	} while (!r.has_failure);
	EXPECT_EQ(HBCAST_MSG_NOTIFICATION | MSG_EOR, r.flags);
	EXPECT_EQ(1, r.from.shb_node);
	EXPECT_EQ(ECONNABORTED, r.failure.error);
	EXPECT_EQ(LARGE_BYTES, r.failure.total);
	EXPECT_EQ(read, r.failure.read);
	EXPECT_EQ(0, memcmp(&seen.failure, &r.failure, sizeof(r.failure)));
	/* What comes next is read as ever. */
	ASSERT_EQ(10, send_message(self->sender, 2, 10, 0));
	EXPECT_EQ(10, receive_message(self->near, 2, 10));
}

TEST_F(end, sender_killed)
{
	struct report r;
	pid_t child;

	/* What it has sent arrives: the socket has another holder, who can go on. */
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		send_file_message(self->sender, 1, 1000000);
		pause();
	}
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_EQ(1000000, receive_message(self->near, 1, 65536));
	EXPECT_EQ(1000000, receive_message(self->far, 1, 65536));
	ASSERT_EQ(10, send_message(self->sender, 2, 10, 0));
	EXPECT_EQ(10, receive_message(self->far, 2, 10));
	EXPECT_EQ(10, receive_message(self->near, 2, 10));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(10, r.c.total);
}

TEST_F(end, shutdown_writes)
{
	char c = 'x';

	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	ASSERT_EQ(0, shutdown(self->sender, SHUT_WR));
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(-EPIPE, ERR(send(self->sender, &c, 1, 0)));
	signal(SIGPIPE, SIG_DFL);
	EXPECT_EQ(-EPIPE, ERR(send(self->sender, &c, 1, MSG_NOSIGNAL)));
	EXPECT_EQ(0, poll_now(self->sender) & POLLOUT);
	EXPECT_EQ(10, receive_message(self->far, 1, 10));
	EXPECT_EQ(-EINVAL, ERR(shutdown(self->sender, 7)));
}

TEST_F(end, shutdown_writes_signals)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, shutdown(self->sender, SHUT_WR));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		send(self->sender, "x", 1, 0);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGPIPE, WTERMSIG(status));
}

TEST_F(end, shutdown_reads)
{
	struct report r;
	char c;

	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	ASSERT_EQ(0, shutdown(self->far, SHUT_RD));
	EXPECT_EQ(POLLIN | POLLRDHUP, poll_now(self->far));
	/* What is whole can still be read. */
	EXPECT_EQ(10, receive_message(self->far, 1, 10));
	EXPECT_EQ(0, receive(self->far, &c, 1, 0).bytes);
	EXPECT_EQ(0, receive(self->far, &c, 1, 0).flags & MSG_EOR);
	ASSERT_EQ(11, send_message(self->sender, 2, 11, 0));
	EXPECT_EQ(10, receive_message(self->near, 1, 100));
	EXPECT_EQ(11, receive_message(self->near, 2, 100));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 3)->reason);
}

TEST_F(end, shutdown_wakes_a_reader)
{
	pid_t child = fork();
	int status;
	char c;

	ASSERT_GE(child, 0);
	if (!child) {
		usleep(200000);
		shutdown(self->far, SHUT_RD);
		_exit(0);
	}
	EXPECT_EQ(0, receive(self->far, &c, 1, 0).bytes);
	waitpid(child, &status, 0);
}

TEST_F(end, does_not_read)
{
	struct report r;
	uint64_t begin;
	pid_t child;
	char c;

	/* Cut off after the group's stall-interval; the others go on. */
	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 1s"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(receive_message(self->near, 1, 1 << 20) != 16 << 20);
	begin = now_ms();
	ASSERT_EQ(16 << 20, send_file_message(self->sender, 1, 16 << 20));
	EXPECT_EQ(1, wait_complete(self->sender, 20000));
	EXPECT_LE(1000, now_ms() - begin);
	waitpid(child, NULL, 0);
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_EQ(HBCAST_REASON_STALLED, report_of(&r, 3)->reason);
	/* Until it has been told, further messages fail at once. */
	ASSERT_EQ(10, send_message(self->sender, 2, 10, 0));
	EXPECT_EQ(10, receive_message(self->near, 2, 10));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_STALLED, report_of(&r, 3)->reason);
	EXPECT_EQ(POLLIN, poll_now(self->far) & POLLIN);
	EXPECT_EQ(-ENOBUFS, receive(self->far, &c, 1, 0).bytes);
	EXPECT_EQ(-EAGAIN, receive(self->far, &c, 1, MSG_DONTWAIT).bytes);
	ASSERT_EQ(12, send_message(self->sender, 3, 12, 0));
	EXPECT_EQ(12, receive_message(self->far, 3, 12));
	EXPECT_EQ(12, receive_message(self->near, 3, 12));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

/* Sends a thousand messages of up to 49 bytes, which the receiver at node 2 reads meanwhile. */
static bool send_small(int sender, int near)
{
	pid_t child = fork();
	bool sent = true;
	unsigned int i;
	int status;

	if (!child) {
		for (i = 0; i < 1000; i++)
			if (receive_message(near, i, 100) != i % 50)
				_exit(1);
		_exit(0);
	}
	set_timeout(sender, SO_SNDTIMEO, patience(10000));
	for (i = 0; i < 1000; i++)
		sent &= send_message(sender, i, i % 50, 0) == i % 50;
	return waitpid(child, &status, 0) == child && !status && sent;
}

TEST_F(end, does_not_read_small_messages)
{
	struct report r;
	char c;

	/* However much memory it has, it does not block the root, which has 512 at once. */
	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 1s"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20);
	EXPECT_TRUE(send_small(self->sender, self->near));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_STALLED, report_of(&r, 3)->reason);
	EXPECT_EQ(-ENOBUFS, receive(self->far, &c, 1, 0).bytes);
}

/* Another process that reads into memory that nobody fills: it never ends. */
static pid_t read_into_nothing(int fd)
{
	pid_t child = fork();
	void *page;

	if (child)
		return child;
	page = unfilled_page();
	if (!page)
		_exit(1);
	while (recv(fd, page, 4096, 0) >= 0)
		;
	_exit(1);
}

TEST_F(end, reads_into_memory_that_does_not_answer)
{
	struct report r;
	pid_t child;
	char c;

	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 1s"));
	child = read_into_nothing(self->far);
	ASSERT_GE(child, 0);
	EXPECT_TRUE(send_small(self->sender, self->near));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_EQ(HBCAST_REASON_STALLED, report_of(&r, 3)->reason);
	/* It was cut off while it read. */
	ASSERT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_EQ(-ENOBUFS, receive(self->far, &c, 1, 0).bytes);
	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	EXPECT_EQ(10, receive_message(self->near, 1, 10));
	EXPECT_EQ(10, receive_message(self->far, 1, 10));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(end, reads_slowly)
{
	int status, i;
	char *buf = malloc(400000);
	pid_t child;

	/* Slower than the others, but never for that long without a byte. */
	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 3s"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(send_message(self->sender, 1, 4000000, 0) != 4000000 ||
		      receive_message(self->near, 1, 1 << 20) != 4000000);
	for (i = 0; i < 10; i++) {
		size_t have = 0;

		usleep(800000);
		while (have < 400000) {
			struct received r = receive(self->far, buf, 400000 - have, 0);

			ASSERT_LT(0, r.bytes);
			ASSERT_EQ(-1, pattern_check(1, i * 400000 + have, buf, r.bytes));
			have += r.bytes;
		}
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	free(buf);
}

TEST_F(end, node_stands_still)
{
	char set[80];
	struct report r;
	int i;

	/* It is cut off by its own parent, however seldom that looks for dead nodes. */
	snprintf(set, sizeof(set), "$ctl group set 5 stall-interval %ums", patience(1000));
	ASSERT_EQ(0, node_run(1, set));
	ASSERT_EQ(0, node_run(2, set));
	ASSERT_EQ(0, node_run(2, "$ctl group set 5 dead-interval 30s"));
	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 60s"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_EQ(1000000, send_message(self->sender, 1, 1000000, 0));
	usleep(1000 * patience(5000));
	EXPECT_EQ(1000000, receive_message(self->near, 1, 1 << 20));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_EQ(HBCAST_REASON_NODE_DEAD, report_of(&r, 3)->reason);
	ASSERT_EQ(0, node_run(1, "$ctl group set 5 stall-interval 10s"));
	ASSERT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 10s dead-interval 5s"));
	/* It comes back. */
	ASSERT_EQ(0, shutdown(self->far, SHUT_RDWR));
	for (i = 0; i < 100 && report_of(&r, 3)->reason == HBCAST_REASON_NODE_DEAD; i++) {
		usleep(100000);
		ASSERT_EQ(10, send_message(self->sender, 2, 10, 0));
		ASSERT_EQ(10, receive_message(self->near, 2, 10));
		EXPECT_EQ(1, wait_complete(self->sender, 10000));
		ASSERT_EQ(2, get_report(self->sender, 0, &r));
	}
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 3)->reason);
}

TEST_F(end, receiver_closes_in_the_middle)
{
	struct report r;
	pid_t child;
	int status;

	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(receive_message(self->near, 1, 1 << 20) != 4000000);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(send_message(self->sender, 1, 4000000, 0) != 4000000);
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	/* The children have it open too. */
	ASSERT_EQ(0, shutdown(self->far, SHUT_RD));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
}

TEST_F(end, z_group_removed)
{
	uint64_t begin;
	long ret;
	char c;

	/* The last test: nothing of the group is left afterwards. */
	ASSERT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 60s dead-interval 10s"));
	ASSERT_EQ(0, node_run(3, "$ctl group set 5 stall-interval 60s"));
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_EQ(LARGE_BYTES, send_file_message(self->sender, 1, LARGE_BYTES));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	ASSERT_EQ(0, node_run(3, "$ctl group del 5"));
	begin = now_ms();
	ASSERT_EQ(0, node_run(1, "$ctl group del 5"));
	EXPECT_TRUE(wait_poll(self->far, POLLERR, 10000));
	EXPECT_EQ(-ECONNRESET, drain_both(self->far, self->near, &ret));
	/*
	 * Node 2 learns from the root, when what waits for node 3 is given up after its
	 * dead-interval, and not because it has no parent for four of them.
	 */
	EXPECT_GT(40000, now_ms() - begin);
	EXPECT_EQ(-ECONNRESET, ret);
	EXPECT_EQ(-ENODEV, receive(self->far, &c, 1, 0).bytes);
	EXPECT_EQ(0, receive(self->far, &c, 1, 0).bytes);
	EXPECT_EQ(POLLHUP, poll_now(self->far) & POLLHUP);
	EXPECT_EQ(POLLHUP, poll_now(self->sender) & POLLHUP);
	EXPECT_EQ(-ENODEV, ERR(send(self->sender, &c, 1, 0)));
	EXPECT_EQ(-EPIPE, ERR(send(self->sender, &c, 1, MSG_NOSIGNAL)));
	EXPECT_EQ(-EADDRNOTAVAIL, ERR(node_sender(1, 1)));
	EXPECT_EQ(-EADDRNOTAVAIL, ERR(node_receiver(3, 1)));
}

TEST_HARNESS_MAIN
