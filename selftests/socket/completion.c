// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sender learns about what became of its messages. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/errqueue.h>

#include "node.h"
#include "harness.h"

FIXTURE(sender) {
	unsigned int port;
	int fd;
};

FIXTURE_SETUP(sender)
{
	self->port = 1000 + getpid() % 20000;
	self->fd = node_sender(1, self->port);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(sender)
{
	close(self->fd);
}

static uint64_t last_message(int fd)
{
	uint64_t id = 0;
	socklen_t len = sizeof(id);

	return getsockopt(fd, SOL_HBCAST, HBCAST_LAST_MESSAGE, &id, &len) ? 0 : id;
}

TEST_F(sender, nothing_sent)
{
	struct report r;

	EXPECT_EQ(0, last_message(self->fd));
	EXPECT_EQ(-ENOENT, wait_complete(self->fd, 1));
	EXPECT_EQ(-ENOENT, get_report(self->fd, 0, &r));
	EXPECT_EQ(-ENOENT, get_report(self->fd, 77, &r));
}

TEST_F(sender, nobody_receives)
{
	struct report r;

	ASSERT_EQ(100, send_message(self->fd, 1, 100, 0));
	EXPECT_EQ(2, wait_complete(self->fd, 10000));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(last_message(self->fd), r.c.message);
	EXPECT_EQ(100, r.c.total);
	EXPECT_EQ(100, r.c.sent);
	EXPECT_EQ(2, r.c.members);
	EXPECT_EQ(0, r.c.delivered);
	EXPECT_EQ(2, r.c.failed);
	EXPECT_EQ(0, r.c.reserved);
	EXPECT_EQ(HBCAST_FAILED, report_of(&r, 2)->state);
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 3)->reason);
	EXPECT_LT(0, report_of(&r, 3)->time_ns);
}

TEST_F(sender, nobody_receives_much)
{
	/* The rest of it is of no use to anybody. */
	struct report r;

	ASSERT_EQ(4000000, send_message(self->fd, 1, 4000000, 0));
	EXPECT_EQ(2, wait_complete(self->fd, 10000));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_REASON_NO_RECEIVER, report_of(&r, 3)->reason);
}

TEST_F(sender, one_of_two)
{
	int far = node_receiver(3, self->port);
	struct report r;
	char buf[100];

	ASSERT_GE(far, 0);
	ASSERT_EQ(100, send_message(self->fd, 1, 100, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_complete(self->fd, 200));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(HBCAST_PENDING, report_of(&r, 3)->state);
	EXPECT_EQ(0, report_of(&r, 3)->time_ns);
	EXPECT_EQ(50, receive(far, buf, 50, 0).bytes);
	EXPECT_EQ(-ETIMEDOUT, wait_complete(self->fd, 200));
	EXPECT_EQ(50, receive(far, buf, 50, 0).bytes);
	EXPECT_EQ(1, wait_complete(self->fd, 10000));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(1, r.c.delivered);
	EXPECT_EQ(1, r.c.failed);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 3)->state);
	EXPECT_EQ(HBCAST_REASON_NONE, report_of(&r, 3)->reason);
	EXPECT_EQ(100, report_of(&r, 3)->bytes);
	EXPECT_LE(200000000, report_of(&r, 3)->time_ns);
}

/* Until node 3 has more than @bytes of it, as its root knows: how many. */
static uint64_t arrived(int fd, uint64_t bytes, struct report *r)
{
	uint64_t end = now_ms() + patience(10000);

	do {
		if (get_report(fd, 0, r) != 2)
			return 0;
	} while (report_of(r, 3)->bytes <= bytes && now_ms() < end);
	return report_of(r, 3)->bytes;
}

TEST_F(sender, progress)
{
	/* Of a file, which node 3 gets in a second, by way of node 2, which is not to have it. */
	int far = node_receiver(3, self->port);
	const uint64_t size = 4 << 20;
	uint64_t bytes, before = 0;
	unsigned int words = 0;
	struct report r;

	ASSERT_GE(far, 0);
	ASSERT_EQ(0, node_run(3, "$tc add dev port3 root tbf rate 32mbit burst 16kb latency 50ms"));
	ASSERT_EQ(size, send_file_message(self->fd, 1, size));
	while (before < size) {
		bytes = arrived(self->fd, before, &r);
		ASSERT_LT(before, bytes);
		/* All is there, but it has not been read. */
		EXPECT_EQ(HBCAST_PENDING, report_of(&r, 3)->state);
		before = bytes;
		words++;
	}
	EXPECT_EQ(size, before);
	EXPECT_EQ(size, r.c.sent);
	/* One for 64 KiB, not one for each piece. */
	EXPECT_LE(3, words);
	EXPECT_GE(size / 65536, words);
	EXPECT_EQ(0, node_run(3, "$tc del dev port3 root"));
	EXPECT_EQ(size, receive_message(far, 1, 1 << 20));
	EXPECT_EQ(1, wait_complete(self->fd, 10000));
}

TEST_F(sender, closed_unread)
{
	int near = node_receiver(2, self->port), far = node_receiver(3, self->port);
	struct report r;

	ASSERT_GE(near, 0);
	ASSERT_GE(far, 0);
	ASSERT_EQ(100, send_message(self->fd, 1, 100, 0));
	ASSERT_TRUE(wait_poll(far, POLLIN, 10000));
	close(far);
	EXPECT_EQ(100, receive_message(near, 1, 100));
	EXPECT_EQ(1, wait_complete(self->fd, 10000));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
}

TEST_F(sender, one_twin_fails)
{
	/* All sockets of a member count. */
	int one = node_receiver(3, self->port), two = node_receiver(3, self->port);
	struct report r;

	ASSERT_GE(one, 0);
	ASSERT_GE(two, 0);
	ASSERT_EQ(100, send_message(self->fd, 1, 100, 0));
	EXPECT_EQ(100, receive_message(one, 1, 100));
	ASSERT_TRUE(wait_poll(two, POLLIN, 10000));
	close(two);
	EXPECT_EQ(2, wait_complete(self->fd, 10000));
	ASSERT_EQ(2, get_report(self->fd, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
}

TEST_F(sender, earlier_messages)
{
	uint64_t first, id;
	struct report r;
	unsigned int i;

	ASSERT_EQ(1, send_message(self->fd, 1, 1, 0));
	first = last_message(self->fd);
	ASSERT_NE(0, first);
	ASSERT_EQ(2, wait_complete(self->fd, 10000));
	/* The last 64 that are complete can be asked for. */
	for (i = 0; i < 63; i++) {
		ASSERT_EQ(1, send_message(self->fd, 1, 1, 0));
		id = last_message(self->fd);
		ASSERT_LT(first, id);
		ASSERT_EQ(2, wait_complete(self->fd, 10000));
	}
	EXPECT_EQ(2, get_report(self->fd, first, &r));
	EXPECT_EQ(first, r.c.message);
	ASSERT_EQ(1, send_message(self->fd, 1, 1, 0));
	ASSERT_EQ(2, wait_complete(self->fd, 10000));
	EXPECT_EQ(-ENOENT, get_report(self->fd, first, &r));
	EXPECT_EQ(2, get_report(self->fd, id, &r));
}

TEST_F(sender, room_for_members)
{
	struct hbcast_completion c = { .message = 0 };
	socklen_t len = sizeof(c);
	struct report r;

	ASSERT_EQ(1, send_message(self->fd, 1, 1, 0));
	ASSERT_EQ(2, wait_complete(self->fd, 10000));
	ASSERT_EQ(0, getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, &c, &len));
	EXPECT_EQ(sizeof(c), len);
	EXPECT_EQ(2, c.members);
	len = sizeof(c) + sizeof(struct hbcast_member) + 5;
	memset(&r, 0xff, sizeof(r));
	r.c.message = 0;
	ASSERT_EQ(0, getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, &r, &len));
	EXPECT_EQ(sizeof(c) + sizeof(struct hbcast_member), len);
	EXPECT_EQ(2, r.member[0].node);
	EXPECT_EQ(0xffffffff, r.member[1].node);
	len = sizeof(c) - 1;
	EXPECT_EQ(-EINVAL, ERR(getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, &c, &len)));
	len = -1;
	EXPECT_EQ(-EINVAL, ERR(getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, &c, &len)));
}

TEST_F(sender, error_queue)
{
	char control[256], c;
	struct hbcast_completion done = { 0 };
	struct sock_extended_err ee = { 0 };
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	EXPECT_EQ(-EAGAIN, ERR(recvmsg(self->fd, &msg, MSG_ERRQUEUE)));
	set_int(self->fd, SOL_HBCAST, HBCAST_NOTIFY, 1);
	ASSERT_EQ(7, send_message(self->fd, 1, 7, 0));
	ASSERT_TRUE(wait_poll(self->fd, POLLERR, 10000));
	msg.msg_controllen = sizeof(control);
	ASSERT_EQ(0, recvmsg(self->fd, &msg, MSG_ERRQUEUE));
	EXPECT_EQ(MSG_ERRQUEUE, msg.msg_flags & MSG_ERRQUEUE);
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		ASSERT_EQ(SOL_HBCAST, cmsg->cmsg_level);
		if (cmsg->cmsg_type == HBCAST_NOTIFY)
			memcpy(&ee, CMSG_DATA(cmsg), sizeof(ee));
		if (cmsg->cmsg_type == HBCAST_COMPLETION)
			memcpy(&done, CMSG_DATA(cmsg), sizeof(done));
	}
	EXPECT_EQ(SO_EE_ORIGIN_HBCAST, ee.ee_origin);
	EXPECT_EQ(EIO, ee.ee_errno);
	EXPECT_EQ(2, ee.ee_info);
	EXPECT_EQ((uint32_t)last_message(self->fd), ee.ee_data);
	EXPECT_EQ(last_message(self->fd), done.message);
	EXPECT_EQ(7, done.total);
	EXPECT_EQ(2, done.members);
	EXPECT_EQ(2, done.failed);
	EXPECT_EQ(0, poll_now(self->fd) & POLLERR);
}

TEST_F(sender, bad_pointers)
{
	socklen_t len = sizeof(struct hbcast_completion);

	ASSERT_EQ(1, send_message(self->fd, 1, 1, 0));
	EXPECT_EQ(-EFAULT, ERR(ioctl(self->fd, HBCIOCWAIT, 8)));
	EXPECT_EQ(-EFAULT, ERR(ioctl(self->fd, HBCIOCSENDFILE, 8)));
	EXPECT_EQ(-EFAULT, ERR(getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, (void *)8,
					  &len)));
	EXPECT_EQ(-EFAULT, ERR(getsockopt(self->fd, SOL_HBCAST, HBCAST_COMPLETION, &len,
					  (void *)8)));
}

TEST_HARNESS_MAIN
