// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages in memory, in order: from node 1 to nodes 2 and 3. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "node.h"
#include "harness.h"

static unsigned int next_port = 1000;

#define WINDOW	(4 << 20)	/* of a group, unless set */

FIXTURE(pair) {
	unsigned int port;
	int sender;
	int near;
	int far;
};

FIXTURE_SETUP(pair)
{
	/* Each test is a process of its own, so its pid makes ports differ. */
	self->port = next_port + getpid() % 20000;
	ASSERT_TRUE(node_trio(self->port, false, &self->sender, &self->near, &self->far));
}

FIXTURE_TEARDOWN(pair)
{
	close(self->sender);
	close(self->near);
	close(self->far);
}

TEST_F(pair, one_message)
{
	char buf[2048];
	struct received r;

	ASSERT_EQ(1000, send_message(self->sender, 1, 1000, 0));
	r = receive(self->far, buf, sizeof(buf), 0);
	ASSERT_EQ(1000, r.bytes);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(-1, pattern_check(1, 0, buf, 1000));
	EXPECT_EQ(sizeof(r.from), r.from_len);
	EXPECT_EQ(AF_HBCAST, r.from.shb_family);
	EXPECT_EQ(GROUP, r.from.shb_group);
	EXPECT_EQ(self->port, r.from.shb_port);
	EXPECT_EQ(1, r.from.shb_node);
	EXPECT_EQ(0, r.from.shb_zero);
	EXPECT_FALSE(r.has_piece);
	EXPECT_EQ(1000, receive_message(self->near, 1, 4096));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pair, no_bytes)
{
	struct received r;
	char buf[10];

	ASSERT_EQ(0, send_message(self->sender, 1, 0, 0));
	ASSERT_EQ(5, send_message(self->sender, 2, 5, 0));
	r = receive(self->far, buf, sizeof(buf), 0);
	EXPECT_EQ(0, r.bytes);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(1, r.from.shb_node);
	EXPECT_EQ(5, receive_message(self->far, 2, 10));
	EXPECT_EQ(0, receive_message(self->near, 1, 10));
	EXPECT_EQ(5, receive_message(self->near, 2, 10));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pair, lengths)
{
	/* Around a fragment's payload, a page, a burst, and what is more than rcvbuf. */
	static const size_t length[] = {
		1, 7, 1391, 1392, 1393, 2784, 4095, 4096, 4097, 62639, 62640, 62641, 65535,
		65536, 65537, 131072, 262145, 1000003,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(length); i++) {
		ASSERT_EQ((long)length[i], send_message(self->sender, i, length[i], 0));
		EXPECT_EQ((long)length[i], receive_message(self->near, i, 1 << 20));
		EXPECT_EQ((long)length[i], receive_message(self->far, i, 1 << 20));
		EXPECT_EQ(0, wait_complete(self->sender, 10000));
	}
}

TEST_F(pair, order)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		ASSERT_EQ((long)(i * 13), send_message(self->sender, i, i * 13, 0));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ((long)(i * 13), receive_message(self->far, i, 4096));
		ASSERT_EQ((long)(i * 13), receive_message(self->near, i, 4096));
	}
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pair, in_small_pieces)
{
	char buf[100];
	struct received r;
	long at = 0;

	ASSERT_EQ(5000, send_message(self->sender, 3, 5000, 0));
	ASSERT_EQ(10, send_message(self->sender, 4, 10, 0));
	while (at < 5000) {
		r = receive(self->far, buf, sizeof(buf), 0);
		ASSERT_EQ(100, r.bytes);
		ASSERT_EQ(-1, pattern_check(3, at, buf, r.bytes));
		at += r.bytes;
		ASSERT_EQ(at == 5000 ? MSG_EOR : 0, r.flags & MSG_EOR);
	}
	EXPECT_EQ(10, receive_message(self->far, 4, 100));
	EXPECT_EQ(5000, receive_message(self->near, 3, 1));
}

TEST_F(pair, larger_than_the_receive_buffers)
{
	long size = WINDOW;
	pid_t child;
	int status;

	set_int(self->near, SOL_SOCKET, SO_RCVBUF, 65536);
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	EXPECT_EQ(-EMSGSIZE, send_message(self->sender, 9, size + 1, 0));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(receive_message(self->near, 9, 30000) != size);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(receive_message(self->far, 9, 1 << 20) != size);
	EXPECT_EQ(size, send_message(self->sender, 9, size, 0));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pair, two_sockets_one_port)
{
	int twin = node_receiver(3, self->port);

	ASSERT_GE(twin, 0);
	ASSERT_EQ(100000, send_message(self->sender, 1, 100000, 0));
	EXPECT_EQ(100000, receive_message(self->far, 1, 100000));
	EXPECT_EQ(100000, receive_message(self->near, 1, 100000));
	EXPECT_EQ(-ETIMEDOUT, wait_complete(self->sender, 100));
	EXPECT_EQ(100000, receive_message(twin, 1, 100000));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(pair, ports_are_apart)
{
	int other = node_receiver(3, self->port + 1), sender = node_sender(1, self->port + 1);

	ASSERT_GE(other, 0);
	ASSERT_GE(sender, 0);
	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	ASSERT_EQ(20, send_message(sender, 2, 20, 0));
	EXPECT_EQ(20, receive_message(other, 2, 100));
	EXPECT_EQ(10, receive_message(self->far, 1, 100));
	EXPECT_EQ(-EAGAIN, receive(other, &sender, 1, MSG_DONTWAIT).bytes);
}

TEST_F(pair, many_senders)
{
	unsigned int seen[4] = { 0 }, i, k;
	uint8_t *buf = malloc(200000);
	struct received r;
	int status;

	ASSERT_NE(NULL, buf);
	for (i = 0; i < 4; i++) {
		pid_t child = fork();

		ASSERT_GE(child, 0);
		if (child)
			continue;
		self->sender = node_sender(1, self->port);
		for (k = 0; k < 5; k++)
			if (send_message(self->sender, i, 200000, 0) != 200000)
				_exit(1);
		_exit(0);
	}
	/* Whole messages, one after the other, whoever sent them. */
	for (i = 0; i < 20; i++) {
		size_t have = 0;

		do {
			r = receive(self->far, buf + have, 200000 - have, 0);
			ASSERT_LT(0, r.bytes);
			have += r.bytes;
		} while (!(r.flags & MSG_EOR));
		ASSERT_EQ(200000, have);
		for (k = 0; k < 4; k++)
			if (pattern_check(k, 0, buf, have) < 0)
				break;
		ASSERT_LT(k, 4);
		seen[k]++;
		do {
			r = receive(self->near, buf, 200000, 0);
			ASSERT_LT(0, r.bytes);
		} while (!(r.flags & MSG_EOR));
	}
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(5, seen[i]);
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	free(buf);
}

/* Sends five messages of 1 MB in a process of its own. */
static pid_t send_five(int fd, unsigned int seed)
{
	pid_t child = fork();
	unsigned int i;

	if (child)
		return child;
	for (i = 0; i < 5; i++)
		if (send_message(fd, seed + i, 1000000, 0) != 1000000)
			_exit(1);
	_exit(0);
}

TEST_F(pair, two_roots)
{
	int other = node_sender(3, self->port), status;
	unsigned int seen[4] = { 0 }, i;
	uint8_t *buf = malloc(1000000);
	struct received r;

	/* Each root's lane is held up by the other's message. */
	ASSERT_NE(NULL, buf);
	ASSERT_GE(other, 0);
	close(self->far);
	set_int(self->near, SOL_SOCKET, SO_RCVBUF, 65536);
	ASSERT_LT(0, send_five(self->sender, 100));
	ASSERT_LT(0, send_five(other, 300));
	for (i = 0; i < 10; i++) {
		size_t have = 0;

		do {
			r = receive(self->near, buf + have, 1000000 - have, 0);
			ASSERT_LT(0, r.bytes);
			have += r.bytes;
		} while (!(r.flags & MSG_EOR));
		ASSERT_EQ(1000000, have);
		ASSERT_TRUE(r.from.shb_node == 1 || r.from.shb_node == 3);
		/* Whole, and in the root's order. */
		ASSERT_EQ(-1, pattern_check(r.from.shb_node * 100 + seen[r.from.shb_node]++, 0,
					    buf, have));
	}
	EXPECT_EQ(5, seen[1]);
	EXPECT_EQ(5, seen[3]);
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	self->far = other;
	free(buf);
}

TEST_F(pair, peek)
{
	char buf[300];
	struct received r;

	ASSERT_EQ(300, send_message(self->sender, 5, 300, 0));
	r = receive(self->far, buf, 100, MSG_PEEK);
	EXPECT_EQ(100, r.bytes);
	EXPECT_EQ(0, r.flags & MSG_EOR);
	r = receive(self->far, buf, 300, MSG_PEEK);
	EXPECT_EQ(300, r.bytes);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(-1, pattern_check(5, 0, buf, 300));
	EXPECT_EQ(100, receive(self->far, buf, 100, 0).bytes);
	r = receive(self->far, buf, 300, MSG_PEEK);
	EXPECT_EQ(200, r.bytes);
	EXPECT_EQ(-1, pattern_check(5, 100, buf, 200));
	EXPECT_EQ(200, receive(self->far, buf, 300, 0).bytes);
	EXPECT_EQ(-EAGAIN, receive(self->far, buf, 300, MSG_DONTWAIT).bytes);
}

TEST_F(pair, peek_no_bytes)
{
	struct received r;
	char c;

	ASSERT_EQ(0, send_message(self->sender, 5, 0, 0));
	r = receive(self->far, &c, 1, MSG_PEEK);
	EXPECT_EQ(0, r.bytes);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(0, receive_message(self->far, 5, 1));
	EXPECT_EQ(-EAGAIN, receive(self->far, &c, 1, MSG_DONTWAIT).bytes);
}

TEST_F(pair, trunc_tells_the_rest)
{
	char buf[300];
	struct received r;

	ASSERT_EQ(300, send_message(self->sender, 6, 300, 0));
	EXPECT_EQ(300, receive(self->far, buf, 100, MSG_TRUNC | MSG_PEEK).bytes);
	EXPECT_EQ(300, receive(self->far, buf, 100, MSG_TRUNC).bytes);
	EXPECT_EQ(-1, pattern_check(6, 0, buf, 100));
	r = receive(self->far, buf, 300, MSG_TRUNC);
	EXPECT_EQ(200, r.bytes);
	EXPECT_EQ(-1, pattern_check(6, 100, buf, 200));
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
}

TEST_F(pair, bad_pointer)
{
	char buf[100];

	ASSERT_EQ(100, send_message(self->sender, 7, 100, 0));
	EXPECT_EQ(-EFAULT, ERR(recv(self->far, (void *)8, 100, 0)));
	EXPECT_EQ(100, receive(self->far, buf, 100, 0).bytes);
	EXPECT_EQ(-1, pattern_check(7, 0, buf, 100));
	EXPECT_EQ(-EFAULT, ERR(send(self->sender, (void *)8, 100, 0)));
	/* It is as if it had never been. */
	ASSERT_EQ(50, send_message(self->sender, 8, 50, 0));
	EXPECT_EQ(50, receive_message(self->far, 8, 100));
}

/* Fragments end, and begin, in the middle of a part, and parts in that of a fragment. */
TEST_F(pair, in_many_places)
{
	static const size_t part[] = { 1, 0, 1391, 1392, 1393, 2784, 7, 70000, 3, 131072 };
	const long size = 400000, gap = 16;
	struct iovec iov[ARRAY_SIZE(part)];
	uint8_t *buf = calloc(1, size);
	long read = 0, sum = 0, n;
	unsigned int i, k;

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(size, send_message(self->sender, 10, size, 0));
	for (i = 0, n = 0; i < ARRAY_SIZE(part); i++) {
		iov[i] = (struct iovec){ .iov_base = buf + n, .iov_len = part[i] };
		n += part[i] + gap;
		sum += part[i];
	}
	for (; read < size; read += n) {
		n = ERR(readv(self->far, iov, ARRAY_SIZE(iov)));
		ASSERT_EQ(read + sum < size ? sum : size - read, n);
		for (i = 0, k = 0; i < ARRAY_SIZE(part); k += part[i++]) {
			uint8_t *behind = iov[i].iov_base + part[i];
			size_t len = k < n ? n - k : 0;

			ASSERT_EQ(-1, pattern_check(10, read + k, iov[i].iov_base,
						    len < part[i] ? len : part[i]));
			ASSERT_EQ(0, behind[0] | behind[gap - 1]);
		}
	}
	EXPECT_EQ(size, receive_message(self->near, 10, size));
	free(buf);
}

TEST_F(pair, a_hole_in_the_buffer)
{
	const long size = 200000, page = sysconf(_SC_PAGESIZE), good = 25 * page;
	uint8_t *buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long n, more;

	ASSERT_NE(MAP_FAILED, buf);
	ASSERT_EQ(0, mprotect(buf + good, page, PROT_NONE));
	ASSERT_EQ(size, send_message(self->sender, 11, size, 0));
	n = ERR(recv(self->far, buf, size, 0));
	EXPECT_EQ(good, n);
	EXPECT_EQ(-1, pattern_check(11, 0, buf, n));
	EXPECT_EQ(-EFAULT, ERR(recv(self->far, buf + good, page, 0)));
	ASSERT_EQ(0, mprotect(buf + good, page, PROT_READ | PROT_WRITE));
	more = ERR(recv(self->far, buf, size, 0));
	EXPECT_EQ(size - n, more);
	EXPECT_EQ(-1, pattern_check(11, n, buf, more));
	EXPECT_EQ(size, receive_message(self->near, 11, size));
	munmap(buf, size);
}

TEST_F(pair, nothing_there)
{
	uint64_t begin = now_ms();
	char c;

	EXPECT_EQ(-EAGAIN, receive(self->far, &c, 1, MSG_DONTWAIT).bytes);
	set_timeout(self->far, SO_RCVTIMEO, 300);
	EXPECT_EQ(-EAGAIN, receive(self->far, &c, 1, 0).bytes);
	/* A timer's tick, 4 ms, may be under way when it starts. */
	EXPECT_LE(300 - 4, now_ms() - begin);
}

static void on_alarm(int sig)
{
}

TEST_F(pair, a_signal)
{
	struct sigaction act = { .sa_handler = on_alarm };
	char c;

	set_timeout(self->far, SO_RCVTIMEO, 0);
	ASSERT_EQ(0, sigaction(SIGUSR1, &act, NULL));
	if (!fork()) {
		usleep(200000);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	EXPECT_EQ(-EINTR, receive(self->far, &c, 1, 0).bytes);
	wait(NULL);
}

TEST_F(pair, does_not_fit)
{
	int size;
	socklen_t len = sizeof(size);

	set_int(self->sender, SOL_SOCKET, SO_SNDBUF, 100000);
	ASSERT_EQ(0, getsockopt(self->sender, SOL_SOCKET, SO_SNDBUF, &size, &len));
	ASSERT_EQ(200000, size);
	EXPECT_EQ(-EMSGSIZE, send_message(self->sender, 1, 200000, MSG_DONTWAIT));
	EXPECT_EQ(100000, send_message(self->sender, 1, 100000, MSG_DONTWAIT));
	EXPECT_EQ(100000, receive_message(self->far, 1, 65536));
}

TEST_F(pair, full)
{
	unsigned int sent = 0, i;
	long ret;

	/* Nobody reads: the receiver's buffer fills, then the lanes, then ours. */
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 65536);
	do {
		ret = send_message(self->sender, sent, 50000, MSG_DONTWAIT);
		if (ret == 50000)
			sent++;
		else if (!wait_poll(self->sender, POLLOUT, 500))
			break;
	} while (ret == 50000 || ret == -EAGAIN);
	EXPECT_EQ(-EAGAIN, ret);
	EXPECT_EQ(0, poll_now(self->sender) & POLLOUT);
	EXPECT_LT(5, sent);
	for (i = 0; i < sent; i++) {
		ASSERT_EQ(50000, receive_message(self->far, i, 50000));
		ASSERT_EQ(50000, receive_message(self->near, i, 50000));
	}
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_EQ(POLLOUT, poll_now(self->sender) & POLLOUT);
}

TEST_F(pair, poll)
{
	char buf[10];

	EXPECT_EQ(0, poll_now(self->far));
	EXPECT_EQ(POLLOUT, poll_now(self->sender));
	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	EXPECT_TRUE(wait_poll(self->far, POLLIN, 10000));
	EXPECT_EQ(5, receive(self->far, buf, 5, 0).bytes);
	EXPECT_EQ(POLLIN, poll_now(self->far));
	EXPECT_EQ(5, receive(self->far, buf, 5, 0).bytes);
	EXPECT_EQ(0, poll_now(self->far));
}

TEST_F(pair, epoll_edges)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(0);

	ASSERT_GE(ep, 0);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->far, &e));
	EXPECT_EQ(0, epoll_wait(ep, &e, 1, 0));
	ASSERT_EQ(10, send_message(self->sender, 1, 10, 0));
	EXPECT_EQ(1, epoll_wait(ep, &e, 1, 5000));
	EXPECT_EQ(0, epoll_wait(ep, &e, 1, 0));
	EXPECT_EQ(10, receive_message(self->far, 1, 100));
	ASSERT_EQ(11, send_message(self->sender, 2, 11, 0));
	EXPECT_EQ(1, epoll_wait(ep, &e, 1, 5000));
	EXPECT_EQ(11, receive_message(self->far, 2, 100));
}

TEST_F(pair, epoll_edges_of_a_sender)
{
	struct epoll_event e = { .events = EPOLLOUT | EPOLLET };
	int ep = epoll_create1(0);

	ASSERT_GE(ep, 0);
	/* Not all of a long one has room on this queue. */
	set_int(self->far, SOL_SOCKET, SO_RCVBUF, 20000);
	set_int(self->sender, SOL_SOCKET, SO_SNDBUF, 100000);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->sender, &e));
	EXPECT_EQ(1, epoll_wait(ep, &e, 1, 0));
	ASSERT_EQ(100000, send_message(self->sender, 1, 100000, 0));
	EXPECT_EQ(-EAGAIN, send_message(self->sender, 2, 100000, MSG_DONTWAIT));
	/* A shorter one has room; the longer one is waited for all the same. */
	ASSERT_EQ(10, send_message(self->sender, 3, 10, MSG_DONTWAIT));
	EXPECT_EQ(0, epoll_wait(ep, &e, 1, 100));
	EXPECT_EQ(100000, receive_message(self->far, 1, 65536));
	EXPECT_EQ(100000, receive_message(self->near, 1, 65536));
	EXPECT_EQ(1, epoll_wait(ep, &e, 1, 5000));
	EXPECT_EQ(100000, send_message(self->sender, 2, 100000, MSG_DONTWAIT));
	/* What there is no buffer for any more is not waited for. */
	EXPECT_EQ(-EAGAIN, send_message(self->sender, 4, 150000, MSG_DONTWAIT));
	set_int(self->sender, SOL_SOCKET, SO_SNDBUF, 50000);
	EXPECT_EQ(10, receive_message(self->far, 3, 10));
	EXPECT_EQ(100000, receive_message(self->far, 2, 65536));
	EXPECT_EQ(10, receive_message(self->near, 3, 10));
	EXPECT_EQ(100000, receive_message(self->near, 2, 65536));
	EXPECT_TRUE(wait_poll(self->sender, POLLOUT, 5000));
	close(ep);
}

TEST_F(pair, splice)
{
	void *sent = pattern_make(1, 50000);
	char *buf = calloc(1, 50000);
	size_t at = 0;
	int ends[2];
	long ret;

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(50000, send_message(self->sender, 1, 50000, 0));
	while (at < 50000) {
		ret = ERR(splice(self->far, NULL, ends[1], NULL, 50000 - at, 0));
		ASSERT_LT(0, ret);
		ASSERT_EQ(ret, ERR(read(ends[0], buf + at, ret)));
		at += ret;
	}
	EXPECT_EQ(0, memcmp(sent, buf, 50000));
	EXPECT_EQ(50000, receive_message(self->near, 1, 65536));
	close(ends[0]);
	close(ends[1]);
	free(buf);
	free(sent);
}

TEST_F(pair, queue_lengths)
{
	int n = -1;

	ASSERT_EQ(0, ioctl(self->far, SIOCINQ, &n));
	EXPECT_EQ(0, n);
	ASSERT_EQ(100, send_message(self->sender, 1, 100, 0));
	ASSERT_EQ(20, send_message(self->sender, 2, 20, 0));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	ASSERT_EQ(0, ioctl(self->far, SIOCINQ, &n));
	EXPECT_EQ(100, n);
	ASSERT_EQ(0, ioctl(self->sender, SIOCOUTQ, &n));
	EXPECT_EQ(120, n);
	EXPECT_EQ(100, receive_message(self->far, 1, 30));
	EXPECT_EQ(20, receive_message(self->far, 2, 30));
	EXPECT_EQ(100, receive_message(self->near, 1, 30));
	EXPECT_EQ(20, receive_message(self->near, 2, 30));
	ASSERT_EQ(0, wait_complete(self->sender, 10000));
	ASSERT_EQ(0, ioctl(self->sender, SIOCOUTQ, &n));
	EXPECT_EQ(0, n);
}

TEST_HARNESS_MAIN
