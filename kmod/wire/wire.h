/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames between nodes: packed structs, big endian, at any alignment, reserved fields 0.
 *
 * Pure: neither allocates nor locks. Compiled into the module and, for tests and fuzzing,
 * into userspace. Documentation/wire-format.md draws every frame.
 *
 * A frame is read in two steps: hbc_wire_get_hdr() checks the header, hbc_wire_check() all
 * that follows it, but for DATA's payload. Then its fields can be used as they are.
 */
#ifndef _HBC_WIRE_H
#define _HBC_WIRE_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#else
#include "wire/user.h"
#endif
#include <linux/hbcast_netlink.h>

#define HBC_WIRE_VERSION	4
#define HBC_HDR_LEN		4	/* header of every frame */
#define HBC_DATA_LEN		16	/* header of DATA, HBC_HDR_LEN included */
#define HBC_FRAME_MAX		65535	/* bytes of the longest frame, DATA or PROBE */
#define HBC_CONTROL_MAX		4096	/* bytes of the longest other frame */
#define HBC_PAYLOAD_MAX		(HBC_FRAME_MAX - HBC_DATA_LEN)
#define HBC_NUMBER_MAX		(U64_MAX - 2)	/* of a message */
#define HBC_NONCE_LEN		32
#define HBC_MAC_LEN		32
#define HBC_HASH_LEN		32
#define HBC_NAME_MAX		255
#define HBC_MAX_MEMBERS		HBCAST_NODES_MAX	/* nodes in a plan */
#define HBC_MAX_DEPTH		HBCAST_DEPTH_MAX	/* edges from the root to a leaf */
#define HBC_MAX_SLOTS		(HBCAST_SLOT_MAX + 1)
#define HBC_SLOT_ALL		0	/* its tree spans all members; reports go up it */

enum hbc_frame_type {
	HBC_FRAME_HELLO = 1,	/* the handshake, in this order */
	HBC_FRAME_CHALLENGE,
	HBC_FRAME_AUTH,
	HBC_FRAME_READY,
	HBC_FRAME_REJECT,
	HBC_FRAME_PLAN,		/* down */
	HBC_FRAME_TREE,
	HBC_FRAME_MESSAGE,
	HBC_FRAME_DATA,
	HBC_FRAME_LAST,
	HBC_FRAME_OVER,
	HBC_FRAME_DONE,
	HBC_FRAME_TREE_ACK,	/* up */
	HBC_FRAME_HAVE,
	HBC_FRAME_WANT,
	HBC_FRAME_STOP,
	HBC_FRAME_ACK,
	HBC_FRAME_REPORT,
	HBC_FRAME_LOST,
	HBC_FRAME_PING,		/* both ways */
	HBC_FRAME_PONG,
	HBC_FRAME_PROBE,	/* measuring: probe.h */
	HBC_FRAME_PROBE_ASK,
	HBC_FRAME_PROBE_SAMPLE,
	__HBC_FRAME_MAX,
};

/**
 * struct hbc_wire_hdr - the header that starts every frame
 * @type: enum hbc_frame_type
 * @tag: DATA: the slot of its piece; HELLO: HBC_WIRE_VERSION; else flags by type
 * @length: bytes of the whole frame, this header included
 */
struct hbc_wire_hdr {
	u8 type;
	u8 tag;
	__be16 length;
} __packed;
static_assert(sizeof(struct hbc_wire_hdr) == HBC_HDR_LEN);

/**
 * struct hbc_hdr - the same in the host's order, checked
 * @type: see there
 * @tag: see there
 * @length: see there
 * @n: entries behind the frame's fixed part, or bytes of a name or of PROBE's payload; not of DATA
 */
struct hbc_hdr {
	u8 type;
	u8 tag;
	u16 length;
	u16 n;
};

#define HBC_HELLO_PROBE		0x01	/* flags: the lane is for measuring */
/*
 * Opens a lane: the connector (parent) to the acceptor (child). No id is 0, and @to is
 * neither @from nor @root. A lane for measuring has no tree: @slot and @incarnation are 0,
 * @root is @from, and a node may have one to itself.
 */
struct hbc_wire_hello {
	struct hbc_wire_hdr hdr;
	__be32 group;
	__be32 from;		/* the connector */
	__be32 to;		/* the node that the connector means to reach */
	__be32 root;		/* whose session the lane belongs to */
	__be64 incarnation;	/* of the root; never 0 */
	u8 slot;
	u8 flags;
	__be16 reserved;
	__be32 cipher;		/* 0: frames are not encrypted */
	u8 nonce[HBC_NONCE_LEN];
} __packed;

struct hbc_wire_challenge {
	struct hbc_wire_hdr hdr;
	__be32 node;		/* the acceptor */
	u8 nonce[HBC_NONCE_LEN];
	u8 mac[HBC_MAC_LEN];
} __packed;

struct hbc_wire_auth {
	struct hbc_wire_hdr hdr;
	u8 mac[HBC_MAC_LEN];
} __packed;

struct hbc_wire_reject {
	struct hbc_wire_hdr hdr;
	__be16 reason;		/* enum hbcast_reject_reason, not NONE */
	__be16 reserved;
} __packed;

#define HBC_PLAN_STRICT		0x01	/* flags: no lane is faster than planned */
#define HBC_PLAN_WHOLE		0x02	/* flags: a message goes on when all of it is there */

/* A slot of a plan. */
struct hbc_wire_slot {
	__be64 rate;		/* bytes/s, never 0; where none is planned, the same for all */
	__be64 step;		/* the multiplier of choice.h */
} __packed;

/* The slots of an epoch, in ascending order; goes before the first TREE of an epoch. */
struct hbc_wire_plan {
	struct hbc_wire_hdr hdr;
	__be32 epoch;		/* never 0 */
	__be64 slots;		/* set of slots, HBC_SLOT_ALL included */
	u8 flags;
	u8 reserved[3];
	struct hbc_wire_slot slot[];
} __packed;

/* A node of a subtree. */
struct hbc_wire_node {
	__be32 node;
	__be32 nr_children;	/* at most the nodes that follow in preorder */
	__be64 rate;		/* planned, bytes/s on the edge to its parent; 0: none */
	__be64 slots;		/* set of slots that the node is in, the lane's included */
	u8 addr[16];		/* IPv4 in the first four bytes, then 0; never all 0 */
	__be16 port;		/* never 0 */
	u8 family;		/* 4 or 6 */
	u8 reserved;
} __packed;

/*
 * Part of the receiver's subtree in preorder: nodes @first and on of @total; node 0 is the
 * receiver itself.
 */
struct hbc_wire_tree {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 total;
	__be32 first;
	struct hbc_wire_node node[];
} __packed;
#define HBC_TREE_NODES \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_tree)) / sizeof(struct hbc_wire_node))

/* The whole subtree below the sender of this frame is connected, or not. */
struct hbc_wire_tree_ack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 node;		/* the first node that is not ready, 0 if all are */
	__be16 reason;		/* enum hbcast_reject_reason; NONE with a @node: not reached */
	__be16 reserved;
} __packed;

enum hbc_message_kind {
	HBC_MESSAGE_SHORT,	/* in memory, until the root says that all have it */
	HBC_MESSAGE_FILE,
	__HBC_MESSAGE_KINDS,
};

/* A message: once for each lane, before the first of its fragments. */
struct hbc_wire_message {
	struct hbc_wire_hdr hdr;
	__be64 message;		/* its number, 1 to HBC_NUMBER_MAX */
	__be64 total;		/* bytes, at most S64_MAX */
	__be16 port;		/* never 0 */
	__be16 payload;		/* bytes in each fragment but the last, at least 1 */
	__be16 fragments;	/* in each piece but the last, at least 1 */
	u8 kind;		/* enum hbc_message_kind */
	u8 hashed;		/* 0, or 1: @hash is set; of files alone */
	__be64 time;		/* of a file: when it changed last, ns; else 0 */
	u8 hash[HBC_HASH_LEN];	/* or 0 */
	u8 name[];		/* of a file, without a path; HBC_NAME_MAX bytes at most */
} __packed;

/* The payload is a fragment of a piece whose slot is the header's tag. */
struct hbc_wire_data {
	struct hbc_wire_hdr hdr;
	__be32 message;		/* the low half of its number */
	__be32 fragment;	/* in the message */
	__be32 crc;		/* CRC32C of the fields before it, then of the payload */
	u8 payload[];
} __packed;
static_assert(sizeof(struct hbc_wire_data) == HBC_DATA_LEN);

/* No piece of the lane's slot that is not on its way follows, of this message. */
struct hbc_wire_last {
	struct hbc_wire_hdr hdr;
	__be64 message;
} __packed;

/* Numbers of messages. */
struct hbc_wire_numbers {
	__be64 first;
	__be64 count;		/* never 0 */
} __packed;

/*
 * All members have taken the short messages before @before: they need not be kept. Of those
 * of @numbers the root has heard of all members: they are not reported on any more.
 */
struct hbc_wire_done {
	struct hbc_wire_hdr hdr;
	__be64 before;
	struct hbc_wire_numbers numbers[];
} __packed;

#define HBC_HAVE_ALL	0x01	/* tag: all of the message; no runs follow */
#define HBC_HAVE_END	0x02	/* tag: of the last HAVE of a new lane; its message may be 0 */
#define HBC_HAVE_SLOTS	0x04	/* tag: and wants the slots of all: a fragment of each */

/* Pieces. */
struct hbc_wire_run {
	__be32 first;
	__be32 count;		/* never 0 */
} __packed;

/*
 * HAVE: the sender has these pieces of the message; WANT: it asks this lane for them. Runs ascend,
 * with gaps between.
 */
struct hbc_wire_have {
	struct hbc_wire_hdr hdr;
	__be64 message;
	struct hbc_wire_run run[];
} __packed;
#define HBC_HAVE_RUNS \
	((HBC_CONTROL_MAX - sizeof(struct hbc_wire_have)) / sizeof(struct hbc_wire_run))

/* Tags of OVER: not the lane alone, the session is over; by its root, or without it. */
#define HBC_OVER_ALL	0x01
#define HBC_OVER_LOST	0x02	/* in slot 0, which reaches all */

#define HBC_ACK_FILE	0x01	/* tag: of a file: the sender and all below it have @bytes of it */
/* Of short messages: all before @message, and @bytes of it, are where they belong below. */
struct hbc_wire_ack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;		/* of the tree that says what is below */
	__be64 message;
	__be64 bytes;
} __packed;

/* What became of a message at some nodes of the sender's subtree. */
struct hbc_wire_outcome {
	__be64 message;
	__be32 first;		/* in preorder; 0 is the sender itself */
	__be32 count;		/* never 0 */
	u8 reason;		/* enum hbcast_reason; NONE: delivered */
	u8 reserved[3];
} __packed;

struct hbc_wire_report {
	struct hbc_wire_hdr hdr;
	__be32 epoch;		/* whose tree @first counts in */
	struct hbc_wire_outcome outcome[];
} __packed;

#define HBC_LOST_DOWN	0x01	/* tag: the nodes are not reached */
#define HBC_LOST_BACK	0x02	/* tag: the nodes are reached again */
/* Nodes of the sender's subtree below a lane that is down, or is back. */
struct hbc_wire_lost {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be16 reason;		/* enum hbcast_reason; NONE if and only if BACK */
	__be16 reserved;
	struct hbc_wire_run run[];	/* in preorder */
} __packed;

struct hbc_wire_ping {
	struct hbc_wire_hdr hdr;
	__be64 token;
} __packed;

/* hbc_wire_get_hdr() for all that is not a good DATA. */
int hbc_wire_check_hdr(struct hbc_hdr *h);

/**
 * hbc_wire_get_hdr() - read and check a frame's header
 * @buf: HBC_HDR_LEN bytes
 * @h: filled in
 *
 * Inline because it runs for every fragment. Context: any.
 *
 * Return: 0; -EPROTONOSUPPORT for HELLO of another version; -EBADMSG for an unknown type,
 * or a tag or a length that the type does not allow.
 */
static inline int hbc_wire_get_hdr(const u8 *buf, struct hbc_hdr *h)
{
	const struct hbc_wire_hdr *w = (const struct hbc_wire_hdr *)buf;

	h->type = w->type;
	h->tag = w->tag;
	h->length = be16_to_cpu(w->length);
	if (likely(h->type == HBC_FRAME_DATA && h->tag < HBC_MAX_SLOTS &&
		   h->length > HBC_DATA_LEN))
		return 0;
	return hbc_wire_check_hdr(h);
}

/**
 * hbc_wire_check() - check a whole frame that is not DATA, but for the payload of PROBE
 * @buf: @h->length bytes
 * @h: what hbc_wire_get_hdr() made of its header
 *
 * Every count, id, enum and reserved field. Context: any.
 *
 * Return: 0 or -EBADMSG.
 */
int hbc_wire_check(const u8 *buf, const struct hbc_hdr *h);

/* Writes a header. Return: @length. Context: any. */
static inline unsigned int hbc_wire_put_hdr(struct hbc_wire_hdr *w, u8 type, u8 tag, u16 length)
{
	w->type = type;
	w->tag = tag;
	w->length = cpu_to_be16(length);
	return length;
}

/* Appends @p to ascending runs: whether there is place among @max. Context: any. */
static inline bool hbc_wire_add_run(struct hbc_wire_run *run, unsigned int *n, unsigned int max,
				    u32 p)
{
	struct hbc_wire_run *last = *n ? &run[*n - 1] : NULL;

	if (last && be32_to_cpu(last->first) + be32_to_cpu(last->count) == p) {
		last->count = cpu_to_be32(be32_to_cpu(last->count) + 1);
		return true;
	}
	if (*n == max)
		return false;
	run[(*n)++] = (struct hbc_wire_run) { cpu_to_be32(p), cpu_to_be32(1) };
	return true;
}

/* Whether a node can listen there; @addr has 16 bytes. Context: any. */
bool hbc_wire_is_addr(const u8 *addr, u8 family, u16 port);

#endif /* _HBC_WIRE_H */
