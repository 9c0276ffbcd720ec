// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Short messages, which node 2 sends on to node 3 before it has read them: each
 * arrives once at both, in order among longer ones, and is counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node.h"
#include "harness.h"

#define HEADER	56	/* bytes of a fragment's header */

#define TRACING	"/sys/kernel/tracing/"

static void write_file(const char *name, const char *what)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(what, file) < 0 || fclose(file)) {
		perror(name);
		exit(1);
	}
}

/* How often a line of the trace holds @what. */
static int traced(const char *what)
{
	FILE *file = fopen(TRACING "trace", "r");
	char line[512];
	int count = 0;

	if (!file) {
		perror(TRACING "trace");
		exit(1);
	}
	while (fgets(line, sizeof(line), file))
		if (strstr(line, what))
			count++;
	fclose(file);
	return count;
}

/* What node 2 has sent to node 3 on the lane of root 1, in bytes. */
static long relayed(void)
{
	const char *lane = ".[] | select(.root == 1 and .peer == 3) | .tx_bytes";
	char command[256];
	FILE *file;
	long bytes = -1;

	snprintf(command, sizeof(command),
		 "ip netns exec n2 \"$HBCAST_CTL\" -j show lane | jq '%s'", lane);
	file = popen(command, "r");
	if (!file || fscanf(file, "%ld", &bytes) != 1)
		bytes = -1;
	if (file)
		pclose(file);
	return bytes;
}

FIXTURE(chain) {
	int sender;
	int near;
	int far;
};

FIXTURE_SETUP(chain)
{
	unsigned int port = 30000 + getpid() % 10000;

	self->sender = node_sender(1, port);
	self->near = node_receiver(2, port);
	self->far = node_receiver(3, port);
	ASSERT_GE(self->sender, 0);
	ASSERT_GE(self->near, 0);
	ASSERT_GE(self->far, 0);
	set_timeout(self->near, SO_RCVTIMEO, 20000);
	set_timeout(self->far, SO_RCVTIMEO, 20000);
}

FIXTURE_TEARDOWN(chain)
{
	close(self->sender);
	close(self->near);
	close(self->far);
}

/* One at a time: nothing is in the way of any of them. */
TEST_F(chain, is_taken)
{
	unsigned int i;
	long before;

	write_file(TRACING "trace", "");
	write_file(TRACING "events/hbcast/hbc_shortcut/enable", "1");
	before = relayed();
	ASSERT_LE(0, before);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(1000 + i, send_message(self->sender, i, 1000 + i, 0));
		ASSERT_EQ(1000 + i, receive_message(self->far, i, 4096));
		ASSERT_EQ(1000 + i, receive_message(self->near, i, 4096));
		ASSERT_EQ(0, wait_complete(self->sender, 10000));
	}
	write_file(TRACING "events/hbcast/hbc_shortcut/enable", "0");
	/* Some come while the answer to the one before is under way. */
	EXPECT_LE(25, traced("hbc_shortcut"));
	EXPECT_GE(50, traced("hbc_shortcut"));
	/* 50 messages of 1000 to 1049 bytes, and what else there is: a few pings. */
	EXPECT_LE(50 * (HEADER + 1000) + 1225, relayed() - before);
	EXPECT_GT(50 * (HEADER + 1000) + 1225 + 2000, relayed() - before);
}

static unsigned int length_of(unsigned int i)
{
	/* Up to a fragment mostly; each ninth one is some fragments long. */
	return i % 9 ? 1 + i * 37 % 1300 : 3000 + i * 101 % 60000;
}

TEST_F_TIMEOUT(chain, keeps_order, 200)
{
	unsigned int i, total = share(3000);
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		for (i = 0; i < total; i++) {
			if (send_message(self->sender, i, length_of(i), 0) != length_of(i))
				_exit(1);
			/* Pauses, so that some find the way clear. */
			if (!(i % 7))
				usleep(i % 3000);
		}
		_exit(0);
	}
	for (i = 0; i < total; i++) {
		ASSERT_EQ(length_of(i), receive_message(self->far, i, 65536));
		ASSERT_EQ(length_of(i), receive_message(self->near, i, 65536));
	}
	EXPECT_EQ(-EAGAIN, receive(self->far, &i, sizeof(i), MSG_DONTWAIT).bytes);
	EXPECT_EQ(-EAGAIN, receive(self->near, &i, sizeof(i), MSG_DONTWAIT).bytes);
}

TEST_HARNESS_MAIN
