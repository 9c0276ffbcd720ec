// SPDX-License-Identifier: GPL-2.0-or-later
/* Pieces that a receiver has in its file before a message comes: nodes 2 and 3, as in sinks.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sink_fixture.h"

/* Bytes that have come to a node over its lanes so far, or -1. */
static long come(int node)
{
	char path[] = "/tmp/hbcast-sink-XXXXXX", line[160];
	int fd = mkstemp(path);
	long bytes = -1;
	FILE *file;

	close(fd);
	snprintf(line, sizeof(line),
		 "$ctl -j show lane group 5 | gojq 'map(select(.root == 1).rx_bytes) | add' >%s",
		 path);
	file = node_run(node, line) ? NULL : fopen(path, "r");
	if (file && fscanf(file, "%ld", &bytes) != 1)
		bytes = -1;
	if (file)
		fclose(file);
	unlink(path);
	return bytes;
}

/* The message that waits at @fd gets @file, which has the pieces of @map. */
static long give(int fd, int file, struct hbcast_sink *s, uint64_t *map)
{
	s->flags = HBCAST_SINK_GIVE;
	s->fd = file;
	s->map = (uintptr_t)map;
	return ERR(ioctl(fd, HBCIOCRECVFILE, s));
}

static long look(int fd, struct hbcast_sink *s)
{
	*s = (struct hbcast_sink){ .flags = HBCAST_SINK_LOOK };
	return ERR(ioctl(fd, HBCIOCRECVFILE, s));
}

/* All of message @seed is in @file: that is what it has, in place of what is sent. */
static void old_bytes(int file, unsigned int seed, size_t len)
{
	void *bytes = pattern_make(seed, len);

	if (pwrite(file, bytes, len, 0) != (ssize_t)len)
		abort();
	free(bytes);
}

static bool bit(const uint64_t *map, uint32_t piece)
{
	return map[piece / 64] >> piece % 64 & 1;
}

/* Bytes of the pieces of @map. */
static uint64_t mapped(const struct hbcast_sink *s, const uint64_t *map)
{
	uint64_t bytes = 0;
	uint32_t p;

	for (p = 0; p < s->pieces; p++)
		if (bit(map, p))
			bytes += p < s->pieces - 1 ? s->piece_bytes :
				 s->total - (uint64_t)p * s->piece_bytes;
	return bytes;
}

/*
 * How many bytes of @file are message 2, in pieces of @map; or -1 if it is there not message 2, or
 * elsewhere not message 1. Of the pieces that had begun to come either may be there.
 */
static long mixed(int file, const struct hbcast_sink *s, const uint64_t *map)
{
	char *bytes = malloc(s->piece_bytes);
	uint64_t at, n;
	long old = 0;
	uint32_t p;

	for (p = 0; p < s->pieces && old >= 0; p++) {
		at = (uint64_t)p * s->piece_bytes;
		n = s->total - at < s->piece_bytes ? s->total - at : s->piece_bytes;
		if (pread(file, bytes, n, at) != (ssize_t)n)
			old = -1;
		else if (bit(map, p) && pattern_check(2, at, bytes, n) == -1)
			old += n;
		else if (pattern_check(1, at, bytes, n) != -1)
			old = -1;
	}
	free(bytes);
	return old;
}

/* Every other 32 pieces from the 33rd on, and the last. */
static void every_other(uint64_t *map, const struct hbcast_sink *s)
{
	uint32_t p;

	memset(map, 0, 8 * (s->pieces / 64 + 1));
	for (p = 0; p < s->pieces; p++)
		if (p / 32 % 2 || p == s->pieces - 1)
			map[p / 64] |= 1ULL << p % 64;
}

TEST_F(sink, resumed)
{
	const size_t size = 8 * MIB + 1234;
	uint64_t map[64], now[64];
	struct hbcast_sink s, again;
	pid_t child;
	long before, old;

	old_bytes(self->file, 2, size);
	ASSERT_TRUE(shape(3, "32mbit"));
	child = take_beside(self->near, memfd_create("near", 0), 0);
	before = come(3);
	ASSERT_LT(0, before);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	ASSERT_EQ(0, look(self->far, &s));
	EXPECT_EQ(size, s.total);
	EXPECT_NE(0, s.time_ns);
	EXPECT_EQ((size - 1) / s.piece_bytes + 1, s.pieces);
	ASSERT_GE(64 * 64, s.pieces);
	every_other(map, &s);
	fcntl(self->far, F_SETFL, O_NONBLOCK);
	ASSERT_EQ(-EINPROGRESS, give(self->far, self->file, &s, memcpy(now, map, sizeof(map))));
	fcntl(self->far, F_SETFL, 0);
	EXPECT_LT(size * 2 / 5, s.resumed);
	EXPECT_TRUE(bit(now, s.pieces - 1));
	/* The last one is short. */
	EXPECT_EQ(mapped(&s, now), s.bytes);
	again = s;
	again.flags = 0;
	EXPECT_EQ(0, take(self->far, -1, 0, &again));
	old = mixed(self->file, &s, map);
	EXPECT_EQ(s.resumed, old);
	/* A tenth for headers, and for what was on its way. */
	EXPECT_GT((size - old) * 11 / 10 + 200000, come(3) - before);
	EXPECT_EQ(0, ended(child));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(unshape(3));
}

TEST_F(sink, relay_resumes)
{
	/* Node 3 gets from node 2's file what does not come to node 2. */
	const size_t size = 16 * MIB;
	int near = memfd_create("near", 0);
	struct hbcast_sink s;
	uint64_t map[64];
	long before, old;
	pid_t child;

	old_bytes(near, 2, size);
	ASSERT_TRUE(shape(2, "64mbit"));
	child = take_beside(self->far, self->file, 0);
	before = come(2);
	ASSERT_LT(0, before);
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	ASSERT_EQ(0, look(self->near, &s));
	ASSERT_GE(64 * 64, s.pieces);
	every_other(map, &s);
	EXPECT_EQ(0, give(self->near, near, &s, map));
	old = mixed(near, &s, map);
	EXPECT_EQ(s.resumed, old);
	EXPECT_LT(size * 2 / 5, old);
	EXPECT_EQ(0, ended(child));
	EXPECT_EQ(old, mixed(self->file, &s, map));
	/* Of each piece of 16 KiB a fragment comes, too. */
	EXPECT_GT((size - old) * 11 / 10 + old / 10 + 200000, come(2) - before);
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(unshape(2));
	close(near);
}

TEST_F(sink, all_was_there)
{
	/* At node 2; a second file there, and node 3, get all from the first one. */
	const size_t size = 6 * MIB;
	int near = memfd_create("near", 0), second = sink_receiver(2, self->port);
	int file = memfd_create("second", 0);
	struct hbcast_sink s;
	uint64_t map[64];
	pid_t child;
	long old;

	old_bytes(near, 2, size);
	ASSERT_TRUE(shape(2, "32mbit"));
	ASSERT_EQ(size, send_file_message(self->sender, 1, size));
	ASSERT_EQ(0, look(self->near, &s));
	memset(map, 0xff, sizeof(map));
	EXPECT_EQ(0, give(self->near, near, &s, map));
	old = mixed(near, &s, map);
	EXPECT_EQ(s.resumed, old);
	EXPECT_LT(size * 9 / 10, old);
	child = take_beside(self->far, self->file, 0);
	EXPECT_EQ(0, take(second, file, 0, NULL));
	EXPECT_EQ(old, mixed(file, &s, map));
	EXPECT_EQ(0, ended(child));
	EXPECT_EQ(old, mixed(self->file, &s, map));
	EXPECT_EQ(0, wait_complete(self->sender, 10000));
	EXPECT_TRUE(unshape(2));
	close(near);
	close(second);
	close(file);
}

TEST_F(sink, part_of_a_file_has_no_time)
{
	struct hbcast_file f = { .fd = memfd_create("source", 0), .length = 1000 };
	struct hbcast_sink s;

	ASSERT_EQ(0, ftruncate(f.fd, 1001));
	ASSERT_EQ(0, ioctl(self->sender, HBCIOCSENDFILE, &f));
	ASSERT_EQ(0, look(self->far, &s));
	EXPECT_EQ(0, s.time_ns);
	EXPECT_EQ(0, take(self->far, self->file, 0, NULL));
	EXPECT_EQ(0, take(self->near, self->file, 0, NULL));
	close(f.fd);
}

TEST_F(sink, resumption_refused)
{
	struct hbcast_sink s = { .flags = HBCAST_SINK_LOOK, .message = 1, .root = 1 }, t;
	uint64_t map[2] = { ~0ULL, ~0ULL };

	EXPECT_EQ(-EINVAL, take_now(self->far, self->file, &s));
	s = (struct hbcast_sink){ .flags = HBCAST_SINK_GIVE };
	EXPECT_EQ(-EINVAL, take_now(self->far, self->file, &s));
	s = (struct hbcast_sink){ .flags = HBCAST_SINK_LOOK | HBCAST_SINK_GIVE };
	EXPECT_EQ(-EINVAL, take_now(self->far, self->file, &s));
	s = (struct hbcast_sink){ .flags = HBCAST_SINK_LOOK };
	EXPECT_EQ(-EAGAIN, take_now(self->far, -1, &s));
	s = (struct hbcast_sink){ .message = 99, .root = 1 };
	EXPECT_EQ(-ENOENT, give(self->far, self->file, &s, NULL));
	ASSERT_EQ(1000, send_file_message(self->sender, 1, 1000));
	ASSERT_EQ(0, look(self->far, &s));
	EXPECT_EQ(1, s.pieces);
	t = s;
	t.pieces = 2;
	EXPECT_EQ(-EINVAL, give(self->far, self->file, &t, map));
	t.pieces = UINT32_MAX;
	EXPECT_EQ(-EINVAL, give(self->far, self->file, &t, map));
	t.pieces = 1;
	EXPECT_EQ(-EFAULT, give(self->far, self->file, &t, (uint64_t *)8));
	EXPECT_EQ(-EBADF, give(self->far, -1, &t, map));
	t.root = 3;
	EXPECT_EQ(-ENOENT, give(self->far, self->file, &t, map));
	EXPECT_EQ(0, give(self->far, self->file, &s, NULL));
	EXPECT_EQ(0, s.resumed);
	EXPECT_TRUE(has(self->file, 0, 1, 1000));
	EXPECT_EQ(0, take(self->near, self->file, 0, NULL));
}

TEST_HARNESS_MAIN
