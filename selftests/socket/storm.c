// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Much at once: plans that change under a broadcast, and processes that open,
 * send, read, close and die as chance will have it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"
#include "harness.h"

#define SWITCHES	(2 + share(3))
#define SWITCH_BYTES	500000
#define STORM_PORT	40000
#define STORM_SECONDS	(2 + share(3))

FIXTURE(storm) {
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

/* Reads messages up to one without bytes: whole, and in the root's order. */
static void receive_switched(int node, unsigned int port, int ready)
{
	int fd = node_receiver(node, port);
	unsigned int i = 0;
	long ret;

	if (fd < 0 || write(ready, "x", 1) != 1)
		_exit(1);
	set_timeout(fd, SO_RCVTIMEO, patience(20000));
	do {
		ret = receive_message(fd, i++, 1 << 20);
	} while (ret == SWITCH_BYTES);
	if (ret)
		printf("# node %d: message %u: %ld\n", node, i - 1, ret);
	_exit(ret != 0);
}

static void send_switched(unsigned int port, const unsigned int *applied)
{
	int fd = node_sender(1, port);
	unsigned int i = 0;
	long ret;

	do {
		ret = send_message(fd, i++, SWITCH_BYTES, 0);
	} while (ret == SWITCH_BYTES && __atomic_load_n(applied, __ATOMIC_RELAXED) < SWITCHES);
	if (ret == SWITCH_BYTES)
		ret = send_message(fd, i, 0, 0) ?: wait_complete(fd, 20000);
	if (ret)
		printf("# sender: message %u: %ld\n", i, ret);
	_exit(ret != 0);
}

TEST_F_TIMEOUT(storm, plans_change, 400)
{
	unsigned int *applied = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int port = 1000, node, i;
	int ready[2], status;
	char c;

	ASSERT_NE(MAP_FAILED, applied);
	ASSERT_EQ(0, pipe(ready));
	for (node = 2; node <= 3; node++)
		if (!fork())
			receive_switched(node, port, ready[1]);
	for (node = 2; node <= 3; node++)
		ASSERT_EQ(1, read(ready[0], &c, 1));
	if (!fork())
		send_switched(port, applied);
	for (i = 0; i < SWITCHES; i++) {
		EXPECT_EQ(0, node_run(1, i % 2 ?
				      "$ctl apply $HBCAST_PLANS/chain group 5 >/dev/null" :
				      "$ctl apply $HBCAST_PLANS/star group 5 >/dev/null"));
		__atomic_fetch_add(applied, 1, __ATOMIC_RELAXED);
	}
	for (node = 1; node <= 3; node++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	ASSERT_EQ(0, node_run(1, "$ctl apply $HBCAST_PLANS/chain group 5 wait 10s >/dev/null"));
}

/* Anything is allowed to fail here; data that differs is not. */
static void storm_send(unsigned int chance)
{
	int fd = node_sender(chance % 2 ? 1 : 3, STORM_PORT + chance / 2 % 3);
	struct linger l = { .l_onoff = chance / 6 % 2, .l_linger = chance / 12 % 2 };
	struct hbcast_file f = { .fd = open("/proc/self/exe", O_RDONLY), .length = 10000 };
	unsigned int i;

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	set_timeout(fd, SO_SNDTIMEO, 200);
	for (i = 0; i < 5; i++) {
		size_t len = random() % 4 ? random() % 3000 : random() % 1000000;

		send_message(fd, len % 7, len, random() % 2 ? MSG_DONTWAIT : 0);
		if (!(random() % 4))
			ioctl(fd, HBCIOCSENDFILE, &f);
		if (!(random() % 4))
			wait_complete(fd, 50);
		if (!(random() % 8))
			shutdown(fd, random() % 3);
	}
	close(f.fd);
	close(fd);
}

static void storm_receive(unsigned int chance)
{
	unsigned int port = STORM_PORT + chance / 3 % 3;
	size_t size = 1 + random() % 200000;
	int fd = chance % 2 ? node_receiver(1 + chance % 3, port) :
		 node_receiver_unordered(1 + chance % 3, port);
	char *buf = malloc(size);
	unsigned int i;

	set_timeout(fd, SO_RCVTIMEO, 100);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, random() % 300000);
	for (i = 0; i < 50; i++) {
		receive(fd, buf, size, random() % 8 ? 0 : MSG_PEEK);
		poll_now(fd);
		if (!(random() % 64))
			shutdown(fd, random() % 3);
	}
	close(fd);
	free(buf);
}

static void storm(unsigned int seed)
{
	srandom(seed);
	for (;;) {
		unsigned int chance = random();

		if (chance % 5 < 2)
			storm_send(chance / 5);
		else
			storm_receive(chance / 5);
	}
}

TEST_F_TIMEOUT(storm, anything_goes, 100)
{
	uint64_t end = now_ms() + STORM_SECONDS * 1000;
	unsigned int seed = 1, i;
	int quiet = node_receiver(2, 50000), sender = node_sender(1, 50000);
	pid_t child[6];

	ASSERT_GE(quiet, 0);
	ASSERT_GE(sender, 0);
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		child[i] = fork();
		if (!child[i])
			storm(seed);
		seed++;
	}
	while (now_ms() < end) {
		i = seed % ARRAY_SIZE(child);
		usleep(100000);
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
		child[i] = fork();
		if (!child[i])
			storm(seed);
		seed++;
	}
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	/* Whoever had no part in it is as before. */
	ASSERT_EQ(100000, send_message(sender, 1, 100000, 0));
	set_timeout(quiet, SO_RCVTIMEO, patience(20000));
	EXPECT_EQ(100000, receive_message(quiet, 1, 100000));
	EXPECT_EQ(1, wait_complete(sender, 20000));
}

TEST_HARNESS_MAIN
