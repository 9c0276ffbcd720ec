// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses, and calls that a socket refuses. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "node.h"
#include "harness.h"

/* Beyond glibc's check of its own. */
static long do_bind(int fd, const void *a, socklen_t len)
{
	return ERR(bind(fd, a, len));
}

static long do_connect(int fd, const void *a, socklen_t len)
{
	return ERR(connect(fd, a, len));
}

FIXTURE(address) {
	int fd;
	struct sockaddr_hbcast a;
};

FIXTURE_VARIANT(address) {
	long (*call)(int fd, const void *a, socklen_t len);
};

FIXTURE_VARIANT_ADD(address, bind) {
	.call = do_bind,
};

FIXTURE_VARIANT_ADD(address, connect) {
	.call = do_connect,
};

FIXTURE_SETUP(address)
{
	self->fd = node_socket(1, SOCK_SEQPACKET, 0);
	ASSERT_GE(self->fd, 0);
	node_address(&self->a, GROUP, 700);
}

FIXTURE_TEARDOWN(address)
{
	close(self->fd);
}

TEST_F(address, good)
{
	EXPECT_EQ(0, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, too_short)
{
	socklen_t len;

	for (len = 0; len < sizeof(self->a); len++)
		EXPECT_EQ(-EINVAL, variant->call(self->fd, &self->a, len));
}

TEST_F(address, longer_is_fine)
{
	char buf[64] = "";

	memcpy(buf, &self->a, sizeof(self->a));
	EXPECT_EQ(0, variant->call(self->fd, buf, sizeof(buf)));
}

TEST_F(address, other_family)
{
	self->a.shb_family = AF_INET;
	EXPECT_EQ(-EAFNOSUPPORT, variant->call(self->fd, &self->a, sizeof(self->a)));
	self->a.shb_family = AF_UNSPEC;
	EXPECT_EQ(-EAFNOSUPPORT, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, no_port)
{
	self->a.shb_port = 0;
	EXPECT_EQ(-EINVAL, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, no_group)
{
	self->a.shb_group = 0;
	EXPECT_EQ(-EINVAL, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, a_node)
{
	self->a.shb_node = 1;
	EXPECT_EQ(-EINVAL, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, rest_not_zero)
{
	self->a.shb_zero = 1;
	EXPECT_EQ(-EINVAL, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, unknown_group)
{
	self->a.shb_group = 7;
	EXPECT_EQ(-EADDRNOTAVAIL, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, bad_pointer)
{
	EXPECT_EQ(-EFAULT, variant->call(self->fd, (void *)8, sizeof(self->a)));
}

TEST_F(address, not_the_owner)
{
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(-EACCES, variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST_F(address, another_user_with_the_mode)
{
	/* Every user may write there, and nobody but the owner read. */
	self->a.shb_group = 6;
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(variant->call == do_connect ? 0 : -EACCES,
		  variant->call(self->fd, &self->a, sizeof(self->a)));
}

TEST(type_and_protocol)
{
	EXPECT_EQ(-ESOCKTNOSUPPORT, ERR(node_socket(1, SOCK_STREAM, 0)));
	EXPECT_EQ(-ESOCKTNOSUPPORT, ERR(node_socket(1, SOCK_DGRAM, 0)));
	EXPECT_EQ(-ESOCKTNOSUPPORT, ERR(node_socket(1, SOCK_RAW, 0)));
	EXPECT_EQ(-EPROTONOSUPPORT, ERR(node_socket(1, SOCK_SEQPACKET, 1)));
}

TEST(what_it_is)
{
	int fd = node_socket(1, SOCK_SEQPACKET, 0), value;
	socklen_t len = sizeof(value);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len));
	EXPECT_EQ(SOCK_SEQPACKET, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len));
	EXPECT_EQ(AF_HBCAST, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &value, &len));
	EXPECT_EQ(0, value);
	EXPECT_EQ(0, close(fd));
}

TEST(not_a_stream)
{
	int fd = node_receiver(1, 701), pair[2];

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, ERR(listen(fd, 1)));
	EXPECT_EQ(-EOPNOTSUPP, ERR(accept(fd, NULL, NULL)));
	EXPECT_EQ(-EOPNOTSUPP, ERR(socketpair(AF_HBCAST, SOCK_SEQPACKET, 0, pair)));
	EXPECT_EQ(-EOPNOTSUPP, ERR(recv(fd, pair, sizeof(pair), MSG_OOB)));
	EXPECT_EQ(-EOPNOTSUPP, ERR(send(fd, pair, sizeof(pair), MSG_OOB)));
}

TEST(only_once)
{
	int receiver = node_receiver(1, 702), sender = node_sender(1, 702);
	struct sockaddr_hbcast a;

	ASSERT_GE(receiver, 0);
	ASSERT_GE(sender, 0);
	node_address(&a, GROUP, 703);
	EXPECT_EQ(-EINVAL, do_bind(receiver, &a, sizeof(a)));
	EXPECT_EQ(-EISCONN, do_connect(sender, &a, sizeof(a)));
	/* Both on one socket is fine. */
	EXPECT_EQ(0, do_connect(receiver, &a, sizeof(a)));
	EXPECT_EQ(0, do_bind(sender, &a, sizeof(a)));
}

TEST(several_on_one_port)
{
	EXPECT_LE(0, node_receiver(1, 704));
	EXPECT_LE(0, node_receiver(1, 704));
	EXPECT_LE(0, node_sender(1, 704));
	EXPECT_LE(0, node_sender(1, 704));
}

TEST(names)
{
	int fd = node_receiver(1, 705);
	struct sockaddr_hbcast a, b;
	socklen_t len = sizeof(a);

	ASSERT_GE(fd, 0);
	node_address(&b, GROUP, 705);
	ASSERT_EQ(0, getsockname(fd, (struct sockaddr *)&a, &len));
	EXPECT_EQ(sizeof(a), len);
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	EXPECT_EQ(-ENOTCONN, ERR(getpeername(fd, (struct sockaddr *)&a, &len)));
	b.shb_port = 706;
	ASSERT_EQ(0, do_connect(fd, &b, sizeof(b)));
	ASSERT_EQ(0, getpeername(fd, (struct sockaddr *)&a, &len));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	ASSERT_EQ(0, getsockname(fd, (struct sockaddr *)&a, &len));
	EXPECT_EQ(705, a.shb_port);
	len = 4;
	ASSERT_EQ(0, getsockname(fd, (struct sockaddr *)&a, &len));
	EXPECT_EQ(sizeof(a), len);
}

TEST(neither_bound_nor_connected)
{
	int fd = node_socket(1, SOCK_SEQPACKET, 0);
	struct hbcast_file f = { .fd = 0 };
	struct hbcast_wait w = { .message = 0 };
	struct sockaddr_hbcast a;
	char c = 'x';

	ASSERT_GE(fd, 0);
	node_address(&a, GROUP, 707);
	EXPECT_EQ(-ENOTCONN, ERR(recv(fd, &c, 1, 0)));
	EXPECT_EQ(-ENOTCONN, ERR(send(fd, &c, 1, 0)));
	EXPECT_EQ(-ENOTCONN, ERR(sendto(fd, &c, 1, 0, (struct sockaddr *)&a, sizeof(a))));
	EXPECT_EQ(-ENOTCONN, ERR(shutdown(fd, SHUT_RDWR)));
	EXPECT_EQ(-ENOTCONN, ERR(ioctl(fd, HBCIOCSENDFILE, &f)));
	EXPECT_EQ(-ENOTCONN, ERR(ioctl(fd, HBCIOCWAIT, &w)));
	EXPECT_EQ(-ENOTTY, ERR(ioctl(fd, 0x12345678, &w)));
	EXPECT_EQ(0, poll_now(fd));
}

TEST(no_plan)
{
	/* Node 2 is no root. */
	int fd = node_sender(2, 708);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-ENETUNREACH, send_message(fd, 1, 10, 0));
}

TEST(a_name_while_connected)
{
	int fd = node_sender(1, 709);
	struct sockaddr_hbcast a;

	ASSERT_GE(fd, 0);
	node_address(&a, GROUP, 709);
	EXPECT_EQ(-EISCONN, ERR(sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof(a))));
}

TEST(options)
{
	int fd = node_socket(1, SOCK_SEQPACKET, 0), value = 1;
	struct sockaddr_hbcast a;
	socklen_t len = sizeof(value);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-ENOPROTOOPT, ERR(setsockopt(fd, SOL_HBCAST, 99, &value, len)));
	EXPECT_EQ(-ENOPROTOOPT, ERR(setsockopt(fd, SOL_SOCKET + 100, HBCAST_NOTIFY, &value, len)));
	EXPECT_EQ(-EINVAL, ERR(setsockopt(fd, SOL_HBCAST, HBCAST_NOTIFY, &value, 3)));
	EXPECT_EQ(-EFAULT, ERR(setsockopt(fd, SOL_HBCAST, HBCAST_NOTIFY, (void *)8, len)));
	EXPECT_EQ(0, setsockopt(fd, SOL_HBCAST, HBCAST_UNORDERED, &value, len));
	value = 0;
	ASSERT_EQ(0, getsockopt(fd, SOL_HBCAST, HBCAST_UNORDERED, &value, &len));
	EXPECT_EQ(1, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_HBCAST, HBCAST_NOTIFY, &value, &len));
	EXPECT_EQ(0, value);
	EXPECT_EQ(-ENOPROTOOPT, ERR(getsockopt(fd, SOL_HBCAST, 99, &value, &len)));
	EXPECT_EQ(-ENOTCONN, ERR(getsockopt(fd, SOL_HBCAST, HBCAST_LAST_MESSAGE, &value, &len)));
	node_address(&a, GROUP, 710);
	ASSERT_EQ(0, do_bind(fd, &a, sizeof(a)));
	EXPECT_EQ(-EINVAL, ERR(setsockopt(fd, SOL_HBCAST, HBCAST_UNORDERED, &value, len)));
}

TEST(as_many_as_may_be)
{
	int fd[256], i;

	for (i = 0; i < 256; i++)
		ASSERT_LE(0, fd[i] = node_receiver(2, 700 + i % 2));
	EXPECT_EQ(-EADDRINUSE, ERR(node_receiver(2, 700)));
	/* A place that is given up is taken again. */
	close(fd[7]);
	fd[7] = node_receiver(2, 700);
	EXPECT_LE(0, fd[7]);
	EXPECT_EQ(-EADDRINUSE, ERR(node_receiver(2, 700)));
	for (i = 0; i < 256; i++)
		close(fd[i]);
}

TEST(as_many_as_may_send)
{
	const struct rlimit files = { .rlim_cur = 2048, .rlim_max = 2048 };
	int fd[1024], i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < 1024; i++)
		ASSERT_LE(0, fd[i] = node_sender(1, 700));
	EXPECT_EQ(-EAGAIN, ERR(node_sender(1, 700)));
	close(fd[7]);
	fd[7] = node_sender(1, 700);
	EXPECT_LE(0, fd[7]);
	EXPECT_EQ(-EAGAIN, ERR(node_sender(1, 700)));
	for (i = 0; i < 1024; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
