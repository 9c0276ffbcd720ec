/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files for messages, at the nodes of node.h. */
#ifndef _HBC_SELFTESTS_SINK_H
#define _HBC_SELFTESTS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/hbcast.h>

#define MIB	(1 << 20)

/* A receiver in GROUP that puts files into files and waits for 20 s, or -1. */
int sink_receiver(int node, unsigned int port);
/* Waits for all of a message, or for @message of @s: 0 or a negative errno. */
long take(int fd, int file, uint64_t offset, struct hbcast_sink *s);
/* The same, but it does not wait. */
long take_now(int fd, int file, struct hbcast_sink *s);
/* A file for a message that has begun and is not over. */
long begin(int fd, int file, struct hbcast_sink *s);
/* Whether @file has message @seed of @len bytes at @offset, and nothing behind it. */
bool has(int file, uint64_t offset, unsigned int seed, size_t len);
/* Takes a message at @fd in another process, which ends with what became of it. */
pid_t take_beside(int fd, int file, uint64_t offset);
/* What it ended with, as a negative errno. */
long ended(pid_t child);
/* The way from the switch to @node is held to @rate, or not any more: whether that is done. */
bool shape(int node, const char *rate);
bool unshape(int node);

#endif /* _HBC_SELFTESTS_SINK_H */
