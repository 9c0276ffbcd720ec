/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where programs run: namespaces that the test has made, and what a program
 * holds there. Nodes 4, 5 and 6 are the fuzzer's to do with as it likes. Node 2
 * is one of honest ones, where it may open sockets and attack with what it has:
 * the group's key. What others see of it is at 9.
 */
#ifndef _HBC_FUZZ_WORLD_H
#define _HBC_FUZZ_WORLD_H

#include "choices.h"
#include "wire/auth.h"

#define GROUP		5	/* of the honest nodes */
#define PORT_HONEST	7	/* which the fuzzer leaves alone, ... */
#define PORT_FIRST	8
#define NODE_EVIL	9	/* ... as well as their roots: its lanes there have this one */
#define PLACES		4	/* the last one is the honest node */
#define HONEST		(PLACES - 1)
#define SOCKS		6
#define LANES		4
#define DATA		(1 << 18)

/**
 * struct told - a message of the fuzzer's sessions
 * @number: 0 for none yet
 * @total: its length
 * @payload: of its fragments
 * @per_piece: fragments in a piece
 * @port: where it goes
 * @kind: enum hbc_message_kind
 */
struct told {
	u64 number;
	u64 total;
	u16 payload;
	u16 per_piece;
	u16 port;
	u8 kind;
};

/**
 * struct lane - a connection to a node
 * @fd: -1 for none
 * @child: whether the other side is the parent
 * @probe: whether the connection is one of a measurement
 * @agreed: the fuzzer, as a child, has said what it has
 * @last: LAST of @told is due
 * @spoilt: something that was said was: what follows may not be understood
 * @place: where the other side is
 * @slot: of the lane
 * @epoch: of the newest tree that was said, or heard
 * @slots: of its plan
 * @nodes: in that tree
 * @told: the message under way, or heard of
 * @fragment: the next one
 * @said: the last frame's type, and whether it was spoilt
 */
struct lane {
	int fd;
	bool child;
	bool probe;
	bool agreed;
	bool last;
	bool spoilt;
	u8 place;
	u8 slot;
	u32 epoch;
	u64 slots;
	u32 nodes;
	struct told told;
	u32 fragment;
	u16 said;
};

/**
 * struct world - what there is
 * @ns: namespaces
 * @evil: the attacker's namespace
 * @listener: a TCP socket there
 * @netlink: a socket in each namespace
 * @family: number of the netlink family
 * @socks: AF_HBCAST, or -1
 * @lanes: all of them
 * @file: a file of DATA bytes
 * @data: DATA bytes, behind which there is no memory
 * @key: the group's
 * @message: the last one that a socket has sent
 * @incarnation: of the root that the fuzzer speaks for
 * @epoch: of its newest plan
 * @told: its newest message
 */
struct world {
	int ns[PLACES];
	int evil;
	int listener;
	int netlink[PLACES];
	u16 family;
	int socks[SOCKS];
	struct lane lanes[LANES];
	int file;
	u8 *data;
	struct crypto_shash *key;
	u64 message;
	u64 incarnation;
	u32 epoch;
	struct told told;
};

extern struct world world;
extern const u8 world_key[32];

void world_open(void);

/* A socket in that namespace, or -1. */
int world_socket(int ns, int domain, int type, int protocol);

/* The node at a place. */
u32 world_node(unsigned int place);

u32 choose_node(struct choices *c);
u32 choose_group(struct choices *c);
u64 choose_message(struct choices *c);
u16 choose_port(struct choices *c);	/* of a group */
u32 choose_ipv4(struct choices *c);	/* in network order */
void choose_ipv6(struct choices *c, u8 *out);

/* Writable memory of @len bytes, DATA at most; at times with none behind, or none at all. */
void *choose_memory(struct choices *c, size_t len);

#endif /* _HBC_FUZZ_WORLD_H */
