// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that receivers give for messages: node 2, which sends on, and node 3 behind it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink_fixture.h"

#define FAR	(5LL << 30)	/* an offset that has more than 32 bits */
#define MANY	257	/* files: one more than a work queue has workers */
#define KEPT	64	/* complete messages that a socket can be asked for */

/* A node that could not keep a file has no children until the next plan. */
static bool chain_again(void)
{
	return !node_run(1, "$ctl apply \"$HBCAST_PLANS/chain\" group 5 wait 10s");
}

/*
 * Another process that begins to write to @file once it has @size bytes, from memory that nobody
 * fills: it never ends, and holds the file, and nothing else.
 */
static pid_t hold(int file, off_t size)
{
	pid_t child = fork();
	struct stat st;
	void *page;

	if (child)
		return child;
	file = dup2(file, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	page = unfilled_page();
	if (!page)
		_exit(1);
	while (!fstat(file, &st) && st.st_size < size)
		usleep(1000);
	pwrite(file, page, 1, 0);
	_exit(1);
}

/* Waits until it is in the middle of that, with the file's lock. */
static bool holds(pid_t child)
{
	long call = -1;
	char path[32];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/syscall", child);
	for (i = 0; i < 1000 && call != SYS_pwrite64; i++) {
		usleep(10000);
		file = fopen(path, "r");
		/* One that runs has no number there. */
		if (!file || fscanf(file, "%ld", &call) != 1)
			call = -1;
		if (file)
			fclose(file);
	}
	return call == SYS_pwrite64;
}

TEST_F(sink, whole)
{
	const size_t size = 3 * MIB + 12345;
	struct hbcast_sink s = { 0 };
	int near = memfd_create("near", 0);
	pid_t child;

	ASSERT_EQ(5, pwrite(self->file, "first", 5, 0));
	child = take_beside(self->near, near, 0);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(0, take(self->far, self->file, 777, &s));
	EXPECT_EQ(0, ended(child));
	EXPECT_TRUE(has(near, 0, 1, size));
	EXPECT_TRUE(has(self->file, 777, 1, size));
	EXPECT_EQ(0, lseek(self->file, 0, SEEK_CUR));
	EXPECT_NE(0, s.message);
	EXPECT_EQ(1, s.root);
	EXPECT_EQ(HBCAST_REASON_NONE, s.reason);
	EXPECT_EQ(size, s.total);
	EXPECT_EQ(size, s.bytes);
	EXPECT_STREQ("memfd:message", s.name);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	close(near);
}

TEST_F(sink, far_offsets)
{
	struct hbcast_file f = { .fd = memfd_create("source", 0), .offset = FAR + 4096 };
	int near = memfd_create("near", 0);
	void *bytes = pattern_make(2, MIB);
	pid_t child;

	ASSERT_EQ(MIB, pwrite(f.fd, bytes, MIB, f.offset));
	f.length = MIB;
	ASSERT_EQ(0, ioctl(self->sender, HBCIOCSENDFILE, &f));
	child = take_beside(self->near, near, 1);
	EXPECT_EQ(0, take(self->far, self->file, FAR, NULL));
	EXPECT_EQ(0, ended(child));
	EXPECT_TRUE(has(near, 1, 2, MIB));
	EXPECT_TRUE(has(self->file, FAR, 2, MIB));
	free(bytes);
	close(f.fd);
	close(near);
}

TEST_F(sink, nothing)
{
	struct hbcast_sink s = { 0 };

	ASSERT_EQ(0, send_file_message(self->sender, 1, 0));
	EXPECT_EQ(0, take(self->near, self->file, 0, NULL));
	EXPECT_EQ(0, take(self->far, self->file, 0, &s));
	EXPECT_EQ(0, s.total);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
}

TEST_F(sink, beside_short_messages)
{
	ASSERT_EQ(1000, send_message(self->sender, 3, 1000, 0));
	ASSERT_EQ(MIB, send_file_message(self->sender, 1, MIB));
	ASSERT_EQ(2000, send_message(self->sender, 4, 2000, 0));
	EXPECT_EQ(1000, receive_message(self->far, 3, 4096));
	/* Nobody waits for the file. */
	EXPECT_EQ(2000, receive_message(self->far, 4, 4096));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, MIB));
}

TEST_F(sink, told_by_reading)
{
	struct hbcast_sink s = { 0 }, again;
	struct received r;
	char c;

	ASSERT_EQ(-EAGAIN, take_now(self->far, self->file, &s));
	ASSERT_TRUE(shape(3, "32mbit"));
	ASSERT_EQ(2 * MIB, send_file_message(self->sender, 1, 2 * MIB));
	ASSERT_EQ(-EINPROGRESS, begin(self->far, self->file, &s));
	EXPECT_EQ(2 * MIB, s.total);
	/* It has its file; no other one waits. */
	EXPECT_EQ(-EAGAIN, take_now(self->far, self->file, &(struct hbcast_sink){ 0 }));
	again = s;
	set_timeout(self->far, SO_RCVTIMEO, patience(150));
	EXPECT_EQ(-EINPROGRESS, take(self->far, -1, 0, &again));
	EXPECT_LT(s.bytes, again.bytes);
	EXPECT_GT(2 * MIB, again.bytes);
	ASSERT_TRUE(unshape(3));
	ASSERT_TRUE(wait_poll(self->far, POLLIN, 10000));
	r = receive(self->far, &c, 1, 0);
	EXPECT_EQ(0, r.bytes);
	EXPECT_EQ(MSG_EOR, r.flags & MSG_EOR);
	EXPECT_EQ(1, r.from.shb_node);
	EXPECT_TRUE(has(self->file, 0, 1, 2 * MIB));
	EXPECT_EQ(-ENOENT, take(self->far, -1, 0, &again));
}

TEST_F(sink, two_of_one_message)
{
	/* What the second one is to get has left memory. */
	const size_t size = 12 * MIB;
	int second = sink_receiver(3, self->port), file = memfd_create("second", 0);
	struct report r;

	ASSERT_GE(second, 0);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_EQ(-ETIMEDOUT, wait_complete(self->sender, 200));
	EXPECT_EQ(0, take(second, file, 5, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, size));
	EXPECT_TRUE(has(file, 5, 1, size));
	EXPECT_EQ(0, take(self->near, file, 0, NULL));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	close(second);
	close(file);
}

TEST_F(sink, two_at_once)
{
	const size_t size = 6 * MIB;
	int second = sink_receiver(3, self->port), file = memfd_create("second", 0);
	pid_t child = take_beside(second, file, 0);

	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_EQ(0, ended(child));
	EXPECT_TRUE(has(self->file, 0, 1, size));
	EXPECT_TRUE(has(file, 0, 1, size));
	close(second);
	close(file);
}

TEST_F(sink, no_space)
{
	/* At node 2, which sends on what it cannot write. */
	char dir[] = "/tmp/hbcast-sink-XXXXXX", path[64];
	struct hbcast_sink s = { 0 };
	struct report r;
	pid_t child;
	int file;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, mount("none", dir, "tmpfs", 0, "size=1m"));
	snprintf(path, sizeof(path), "%s/file", dir);
	file = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_GE(file, 0);
	child = take_beside(self->far, self->file, 0);
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	EXPECT_EQ(-ENOSPC, take(self->near, file, 0, &s));
	EXPECT_EQ(HBCAST_REASON_FILE, s.reason);
	EXPECT_GE(MIB, s.bytes);
	EXPECT_EQ(0, ended(child));
	EXPECT_TRUE(has(self->file, 0, 1, 8 * MIB));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_FILE, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 3)->state);
	close(file);
	umount(dir);
	rmdir(dir);
}

TEST_F(sink, closed_meanwhile)
{
	int near = memfd_create("near", 0);
	struct hbcast_sink s = { 0 };
	struct report r;

	ASSERT_TRUE(shape(3, "64mbit"));
	ASSERT_TRUE(shape(2, "64mbit"));
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	ASSERT_EQ(-EINPROGRESS, begin(self->near, near, &s));
	close(self->near);
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, 8 * MIB));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 2)->reason);
	EXPECT_TRUE(unshape(3));
	EXPECT_TRUE(unshape(2));
	self->near = near;
}

TEST_F(sink, closed_meanwhile_beside_another)
{
	int second = sink_receiver(3, self->port), file = memfd_create("second", 0);
	struct hbcast_sink s = { 0 };
	struct report r;
	pid_t child;

	ASSERT_GE(second, 0);
	ASSERT_TRUE(shape(3, "64mbit"));
	child = take_beside(self->near, memfd_create("near", 0), 0);
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	ASSERT_EQ(-EINPROGRESS, begin(self->far, self->file, &s));
	close(self->far);
	EXPECT_EQ(0, take(second, file, 0, NULL));
	EXPECT_TRUE(has(file, 0, 1, 8 * MIB));
	EXPECT_EQ(0, ended(child));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
	EXPECT_TRUE(unshape(3));
	close(second);
	self->far = file;
}

TEST_F(sink, killed_meanwhile)
{
	struct report r;
	pid_t child;

	ASSERT_TRUE(shape(3, "32mbit"));
	child = take_beside(self->far, self->file, 0);
	close(self->far);
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	EXPECT_EQ(0, take(self->near, memfd_create("near", 0), 0, NULL));
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(-EINTR, ended(child));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_CLOSED, report_of(&r, 3)->reason);
	EXPECT_TRUE(unshape(3));
	self->far = dup(self->file);
}

TEST_F(sink, file_serves_who_is_behind)
{
	/* Node 2 may keep next to nothing in memory. */
	const size_t size = 24 * MIB;
	int near = memfd_create("near", 0);
	struct report r;
	pid_t child;

	ASSERT_EQ(0, node_run(2, "$ctl group set 5 spool 4m"));
	ASSERT_TRUE(shape(3, "4mbit"));
	ASSERT_TRUE(shape(2, "200mbit"));
	child = take_beside(self->near, near, 0);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(0, ended(child));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_GT(size / 2, report_of(&r, 3)->bytes);
	EXPECT_TRUE(unshape(3));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, size));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(unshape(2));
	EXPECT_EQ(0, node_run(2, "$ctl group set 5 spool 64m"));
	close(near);
}

/* Waits until node 2 has all @bytes of the last message. */
static bool node_2_has(int sender, uint64_t bytes)
{
	struct report r;
	int i;

	for (i = 0; i < 1000; i++) {
		if (get_report(sender, 0, &r) == 2 && report_of(&r, 2)->bytes == bytes)
			return true;
		usleep(10000);
	}
	return false;
}

TEST_F(sink, what_is_in_its_file_needs_no_room)
{
	const size_t size = 5 * MIB;
	unsigned int i;
	int file;

	/* Node 2 has room for one in memory, not for four; none is over before node 3 has it. */
	ASSERT_EQ(0, node_run(2, "$ctl group set 5 spool 16m"));
	for (i = 1; i <= 4; i++) {
		file = memfd_create("near", 0);
		ASSERT_EQ(size, send_file_message(self->sender, i, size));
		ASSERT_TRUE(node_2_has(self->sender, size));
		EXPECT_EQ(0, take(self->near, file, 0, NULL));
		EXPECT_TRUE(has(file, 0, i, size));
		close(file);
	}
	for (i = 1; i <= 4; i++)
		EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_EQ(0, node_run(2, "$ctl group set 5 spool 64m"));
}

TEST_F(sink, name_that_is_no_name)
{
	struct hbcast_sink s = { 0 };
	struct hbcast_file f = { .fd = memfd_create("a/../b", 0), .length = 1000 };

	ASSERT_LE(0, f.fd);
	ASSERT_EQ(0, ftruncate(f.fd, f.length));
	ASSERT_EQ(0, ERR(ioctl(self->sender, HBCIOCSENDFILE, &f)));
	EXPECT_EQ(0, take(self->near, memfd_create("near", 0), 0, &s));
	EXPECT_STREQ("memfd:a!..!b", s.name);
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	close(f.fd);
}

TEST_F(sink, file_that_changes_serves_nobody)
{
	const size_t size = 24 * MIB;
	int near = memfd_create("near", 0);
	struct report r;

	ASSERT_TRUE(shape(3, "100mbit"));
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(0, take(self->near, near, 0, NULL));
	ASSERT_EQ(1, pwrite(near, "x", 1, size / 2));
	/* Node 3 gets what it lacks from node 1. */
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, size));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 3)->state);
	/* It was not for want of memory. */
	EXPECT_EQ(0, node_run(2, "$ctl -j group show id 5 | gojq -e '.[0].drops.no_memory == 0'"));
	EXPECT_TRUE(unshape(3));
	EXPECT_TRUE(chain_again());
	close(near);
}

TEST_F(sink, file_that_does_not_answer)
{
	/* Node 3 is behind: some of what it lacks lies in node 2's file alone. */
	const size_t size = 32 * MIB;
	struct hbcast_sink s = { 0 };
	int near = memfd_create("near", 0);
	struct report r;
	pid_t holder, child;

	ASSERT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 1s"));
	ASSERT_TRUE(shape(2, "400mbit"));
	ASSERT_TRUE(shape(3, "100mbit"));
	holder = hold(near, 8 * MIB);
	child = take_beside(self->far, self->file, 0);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	EXPECT_EQ(-EIO, take(self->near, near, 0, &s));
	EXPECT_EQ(HBCAST_REASON_FILE, s.reason);
	EXPECT_EQ(0, ended(child));
	EXPECT_TRUE(has(self->file, 0, 1, size));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_FILE, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 3)->state);
	/* It did not answer until now. */
	ASSERT_EQ(0, waitpid(holder, NULL, WNOHANG));
	ASSERT_EQ(0, kill(holder, SIGKILL));
	EXPECT_EQ(-EINTR, ended(holder));
	EXPECT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 10s"));
	EXPECT_TRUE(unshape(2));
	EXPECT_TRUE(unshape(3));
	EXPECT_TRUE(chain_again());
	close(near);
}

TEST_F(sink, files_of_another_node_that_do_not_answer)
{
	int sender = node_sender(1, self->port + 1), second = sink_receiver(2, self->port + 1);
	int stuck = memfd_create("stuck", 0), i;
	struct hbcast_sink s[MANY] = { 0 };
	pid_t holder = hold(stuck, 0);
	struct report r;

	ASSERT_TRUE(holds(holder));
	ASSERT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 60s"));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(1000, send_file_message(sender, 2, 1000));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(-EINPROGRESS, begin(second, stuck, &s[i]));
	ASSERT_EQ(MIB, send_file_message(self->sender, 1, MIB));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, MIB));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(-EINPROGRESS, take_now(second, -1, &s[i]));
	ASSERT_EQ(0, kill(holder, SIGKILL));
	EXPECT_EQ(-EINTR, ended(holder));
	/* There is no room for the ends of all at once. */
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, take(second, -1, 0, &s[i]));
	/* Nobody at node 3 wants them. */
	EXPECT_EQ(1, wait_complete(sender, 20000));
	ASSERT_EQ(2, get_report(sender, 0, &r));
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 2)->state);
	EXPECT_EQ(0, node_run(2, "$ctl group set 5 stall-interval 10s"));
	close(sender);
	close(second);
	close(stuck);
}

TEST_F(sink, last_one_that_is_over_first)
{
	int sender = node_sender(1, self->port + 1), second = sink_receiver(2, self->port + 1);
	int stuck = memfd_create("stuck", 0), good = memfd_create("good", 0), i;
	struct hbcast_sink s[KEPT + 1] = { 0 };
	struct hbcast_wait w;
	pid_t holder = hold(stuck, 0);
	struct report r;
	long ret;

	ASSERT_TRUE(holds(holder));
	for (i = 0; i < KEPT + 2; i++)
		ASSERT_EQ(1000, send_file_message(sender, i, 1000));
	for (i = 0; i < KEPT + 1; i++)
		ASSERT_EQ(-EINPROGRESS, begin(second, stuck, &s[i]));
	ASSERT_EQ(0, take(second, good, 0, NULL));
	EXPECT_TRUE(has(good, 0, KEPT + 1, 1000));
	/* Nobody at node 3 wants them. */
	ASSERT_EQ(1, wait_complete(sender, 10000));
	ASSERT_EQ(0, kill(holder, SIGKILL));
	EXPECT_EQ(-EINTR, ended(holder));
	for (i = 0; i < KEPT + 1; i++) {
		EXPECT_EQ(0, take(second, -1, 0, &s[i]));
		w = (struct hbcast_wait){ .message = s[i].message, .timeout_ms = 10000 };
		ret = ERR(ioctl(sender, HBCIOCWAIT, &w));
		EXPECT_TRUE(!ret || ret == -ENOENT);
	}
	/* 65 others are over since; some of these are forgotten, and not the last message. */
	EXPECT_EQ(2, get_report(sender, 0, &r));
	EXPECT_EQ(1, wait_complete(sender, 10000));
	close(sender);
	close(second);
	close(stuck);
	close(good);
}

TEST_F(sink, without_room)
{
	/* Node 2 may keep less than it is to hand on. */
	struct report r;

	ASSERT_EQ(0, node_run(2, "$ctl group set 5 spool 1m"));
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_TRUE(has(self->file, 0, 1, 8 * MIB));
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_SPOOL, report_of(&r, 2)->reason);
	EXPECT_EQ(HBCAST_DELIVERED, report_of(&r, 3)->state);
	EXPECT_EQ(0, node_run(2, "$ctl group set 5 spool 64m"));
	EXPECT_TRUE(chain_again());
}

TEST_F(sink, without_a_file)
{
	/* More than is kept for somebody who gives none. */
	struct hbcast_sink s = { 0 };
	struct report r;

	ASSERT_EQ(0, node_run(3, "$ctl group set 5 spool 1m"));
	ASSERT_EQ(8 * MIB, send_file_message(self->sender, 1, 8 * MIB));
	EXPECT_EQ(0, take(self->near, self->file, 0, NULL));
	/* The sender is told first, and who comes too late. */
	EXPECT_EQ(1, wait_complete(self->sender, 10000));
	EXPECT_EQ(-ECONNRESET, take(self->far, self->file, 0, &s));
	EXPECT_EQ(HBCAST_REASON_SPOOL, s.reason);
	EXPECT_EQ(8 * MIB, s.total);
	EXPECT_EQ(0, s.bytes);
	ASSERT_EQ(2, get_report(self->sender, 0, &r));
	EXPECT_EQ(HBCAST_REASON_SPOOL, report_of(&r, 3)->reason);
	EXPECT_EQ(0, node_run(3, "$ctl group set 5 spool 64m"));
}

TEST_F(sink, refused)
{
	struct hbcast_sink s = { .flags = 4 };
	int null = open("/dev/null", O_RDWR), plain = node_receiver(3, self->port + 1), pipes[2];
	int loose = node_socket(3, SOCK_SEQPACKET, 0);
	char path[] = "/tmp/hbcast-sink-XXXXXX";
	int file = mkstemp(path);

	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EINVAL, take_now(self->far, self->file, &s));
	EXPECT_EQ(-EBADF, take_now(self->far, -1, NULL));
	EXPECT_EQ(-EBADF, take_now(self->far, open(path, O_WRONLY), NULL));
	EXPECT_EQ(-EBADF, take_now(self->far, open(path, O_RDONLY), NULL));
	EXPECT_EQ(-EINVAL, take_now(self->far, open(path, O_RDWR | O_APPEND), NULL));
	EXPECT_EQ(-EINVAL, take_now(self->far, null, NULL));
	EXPECT_EQ(-EBADF, take_now(self->far, pipes[0], NULL));
	EXPECT_EQ(-EINVAL, take_now(plain, file, NULL));
	EXPECT_EQ(-ENOTCONN, take_now(loose, file, NULL));
	EXPECT_EQ(-EFAULT, ERR(ioctl(self->far, HBCIOCRECVFILE, 8)));
	s = (struct hbcast_sink){ .message = 99, .root = 1 };
	EXPECT_EQ(-ENOENT, take_now(self->far, file, &s));
	EXPECT_EQ(-EOVERFLOW, take(self->far, file, 1ULL << 63, NULL));
	/* It waits for a file that it fits into. */
	ASSERT_EQ(1000, send_file_message(self->sender, 1, 1000));
	EXPECT_EQ(-EOVERFLOW, take(self->far, file, INT64_MAX - 999, NULL));
	EXPECT_EQ(0, take(self->far, file, 0, NULL));
	EXPECT_TRUE(has(file, 0, 1, 1000));
	unlink(path);
}

TEST_F(sink, z_namespace_goes_before_its_file_answers)
{
	/* The last test: node 2 is gone afterwards. */
	struct hbcast_sink s = { 0 };
	pid_t holder = hold(self->file, 0);
	unsigned int i;

	ASSERT_TRUE(holds(holder));
	ASSERT_EQ(1000, send_file_message(self->sender, 1, 1000));
	ASSERT_EQ(-EINPROGRESS, begin(self->near, self->file, &s));
	close(self->near);
	self->near = dup(self->file);
	ASSERT_EQ(0, node_run(2, "ip netns del n2"));
	/* Interfaces go after what the module has of the namespace. */
	for (i = 0; i < 100 && !node_run(2, "ip -n switch link show port2 >/dev/null 2>&1"); i++)
		usleep(1000 * patience(100));
	EXPECT_GT(100, i);
	ASSERT_EQ(0, waitpid(holder, NULL, WNOHANG));
	ASSERT_EQ(0, kill(holder, SIGKILL));
	EXPECT_EQ(-EINTR, ended(holder));
}

TEST_HARNESS_MAIN
