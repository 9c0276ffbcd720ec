/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets at the nodes that test-socket.sh has set up. */
#ifndef _HBC_SELFTESTS_NODE_H
#define _HBC_SELFTESTS_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <linux/hbcast.h>

#define GROUP	5	/* of nodes 1 to 3; the roots are 1 and 3, each at an end of a chain */
#define NODES	3

/* Put errors into tests as negative numbers, as the kernel does. */
#define ERR(call)	({ long _ret = (call); _ret < 0 ? -(long)errno : _ret; })

/* A socket of the family in a node's namespace, or -1. */
int node_socket(int node, int type, int protocol);
void node_address(struct sockaddr_hbcast *a, unsigned int group, unsigned int port);
/* Sockets that are bound (with a large buffer) or connected in GROUP, or -1. */
int node_receiver(int node, unsigned int port);
int node_receiver_unordered(int node, unsigned int port);
int node_sender(int node, unsigned int port);
/* A sender at node 1 and receivers, who wait for 20 s, at nodes 2 and 3, or false. */
bool node_trio(unsigned int port, bool unordered, int *sender, int *near, int *far);
/*
 * Runs a shell command with $at set to "ip netns exec n<node>", $ctl to hbcastctl there, and $tc
 * to "tc qdisc" at the switch: its exit status.
 */
int node_run(int node, const char *command);

/* Byte @offset of message number @seed. */
uint8_t pattern_at(unsigned int seed, uint64_t offset);
/* Memory with the first @len bytes of message @seed; for free(). */
void *pattern_make(unsigned int seed, size_t len);
/* The first offset at which memory differs from the message at @offset, or -1. */
long pattern_check(unsigned int seed, uint64_t offset, const void *buf, size_t len);

/* One recvmsg(). */
struct received {
	ssize_t bytes;	/* or a negative errno */
	int flags;
	struct sockaddr_hbcast from;
	socklen_t from_len;
	bool has_piece;
	struct hbcast_piece piece;
	bool has_failure;
	struct hbcast_failure failure;
};

struct received receive(int fd, void *buf, size_t len, int flags);

/*
 * Reads up to MSG_EOR with a buffer of @chunk bytes and compares with message
 * @seed: its length, a negative errno, or -EILSEQ when it differs.
 */
long receive_message(int fd, unsigned int seed, size_t chunk);

/* Sends message @seed of @len bytes: its length or a negative errno. */
long send_message(int fd, unsigned int seed, size_t len, int flags);
/* Sends a file with message @seed of @len bytes: its length or a negative errno. */
long send_file_message(int fd, unsigned int seed, size_t len);
/* How long to wait here for what takes that long on Debian's kernels. */
unsigned int patience(unsigned int ms);
/* How much to do here where that much is done on Debian's kernels. */
unsigned int share(unsigned int much);
/* Waits for the last message's end: members that failed, or a negative errno. */
long wait_complete(int fd, unsigned int timeout_ms);

struct report {
	struct hbcast_completion c;
	struct hbcast_member member[NODES];
};

/* How far a message is, 0 for the last: members that were copied, or a negative errno. */
long get_report(int fd, uint64_t message, struct report *r);
/* The part of @node; a test that asks for one that is not there ends. */
struct hbcast_member *report_of(struct report *r, unsigned int node);

/* 4096 bytes that nobody fills: who touches them waits for ever; or NULL. */
void *unfilled_page(void);

bool wait_poll(int fd, short events, int timeout_ms);
/* Events that are there now. */
short poll_now(int fd);
void set_int(int fd, int level, int name, int value);
void set_timeout(int fd, int name, int ms);
uint64_t now_ms(void);

#endif /* _HBC_SELFTESTS_NODE_H */
