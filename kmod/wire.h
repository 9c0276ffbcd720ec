/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames to bytes and back: pure functions that neither allocate nor lock.
 *
 * Compiled into the module and, for tests and fuzzing, into userspace.
 * Documentation/wire-format.md draws every frame.
 */
#ifndef _HBC_WIRE_H
#define _HBC_WIRE_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#else
#include "wire/user.h"
#endif

#define HBC_WIRE_VERSION	3
#define HBC_HDR_LEN		8	/* common header of every frame */
#define HBC_FRAGMENT_LEN	56	/* a fragment's header, HBC_HDR_LEN included */
#define HBC_FRAGMENT_MAX	65536	/* longest fragment frame */
#define HBC_CONTROL_MAX		4096	/* longest frame that is not a fragment */
#define HBC_NONCE_LEN		32
#define HBC_MAC_LEN		32
#define HBC_MAX_MEMBERS		4096	/* nodes in a plan */
#define HBC_MAX_DEPTH		512	/* edges from the root to a leaf */
#define HBC_MAX_SLOTS		64
#define HBC_SLOT_ALL		0	/* its tree spans all members; reports go up it */

enum hbc_frame_type {
	HBC_FRAME_HELLO = 1,
	HBC_FRAME_CHALLENGE,
	HBC_FRAME_AUTH,
	HBC_FRAME_READY,
	HBC_FRAME_REJECT,
	HBC_FRAME_TREE,
	HBC_FRAME_TREE_ACK,
	HBC_FRAME_FRAGMENT,
	HBC_FRAME_ACK,
	HBC_FRAME_LOST,
	HBC_FRAME_EPOCH_END,
	HBC_FRAME_PING,
	HBC_FRAME_PONG,
	HBC_FRAME_BLOCK_END,
	HBC_FRAME_BLOCK_ACK,
	HBC_FRAME_NACK,
	HBC_FRAME_PROBE,	/* these three: wire_probe.h */
	HBC_FRAME_PROBE_ASK,
	HBC_FRAME_PROBE_SAMPLE,
	__HBC_FRAME_MAX,
};

/**
 * struct hbc_hdr - the header that starts every frame
 * @type: enum hbc_frame_type
 * @flags: by type
 * @slot: the tree's slot, below HBC_MAX_SLOTS
 * @length: bytes of the whole frame, this header included
 *
 * On the wire: struct hbc_wire_hdr.
 */
struct hbc_hdr {
	u8 type;
	u8 flags;
	u8 slot;
	u32 length;
};

#define HBC_HELLO_PROBE		0x01	/* flags: the lane is for measuring */
/*
 * Opens a lane: connector (parent) to acceptor (child). No id is 0, and @to is
 * neither @from nor @root. A lane for measuring has no tree: its slot is 0, @root is
 * @from, and a node may have one to itself.
 */
#define HBC_HELLO_LEN	(HBC_HDR_LEN + 16 + HBC_NONCE_LEN)
struct hbc_hello {
	u32 group;
	u32 from;	/* connector's node id */
	u32 to;		/* whom the connector means to reach */
	u32 root;	/* whose plan the lane belongs to */
	bool probe;	/* flag PROBE */
	u8 nonce[HBC_NONCE_LEN];
};

#define HBC_CHALLENGE_LEN	(HBC_HDR_LEN + 4 + HBC_NONCE_LEN + HBC_MAC_LEN)
struct hbc_challenge {
	u32 node;	/* acceptor's node id */
	u8 nonce[HBC_NONCE_LEN];
	u8 mac[HBC_MAC_LEN];
};

#define HBC_AUTH_LEN	(HBC_HDR_LEN + HBC_MAC_LEN)
struct hbc_auth {
	u8 mac[HBC_MAC_LEN];
};

enum hbc_reject_reason {
	HBC_REJECT_NONE,
	HBC_REJECT_GROUP,	/* the acceptor does not take part in the group */
	HBC_REJECT_NODE,	/* the acceptor is not the node that was meant */
	HBC_REJECT_KEY,		/* the keys differ */
	HBC_REJECT_MEMBER,	/* the connector is not a member */
	HBC_REJECT_BUSY,	/* too many handshakes or lanes */
	HBC_REJECT_PROTOCOL,	/* not a handshake, or another version */
	HBC_REJECT_POLICY,	/* the acceptor does not let the group measure */
	__HBC_REJECT_MAX,
};

struct hbc_reject {
	u16 reason;	/* enum hbc_reject_reason, not NONE */
};

#define HBC_TREE_STRICT		0x10	/* a node's flags: no lane is faster than planned */
#define HBC_TREE_WHOLE		0x20	/* and: a message goes on when all of it is there */
#define HBC_TREE_FLAGS		(HBC_TREE_STRICT | HBC_TREE_WHOLE)

/* One node of a subtree; on the wire HBC_TREE_NODE_LEN bytes. */
#define HBC_TREE_NODE_LEN	44
struct hbc_tree_node {
	u32 node;
	u32 nr_children;	/* at most the nodes that follow in preorder */
	u64 rate;	/* planned, bytes/s on the edge to its parent; 0: none */
	u64 slots;	/* set of slots that the node is in, the frame's included */
	u8 addr[16];	/* IPv4 in the first four bytes, then 0; never all 0 */
	u16 port;	/* never 0 */
	u8 family;	/* 4 or 6 */
	u8 stage;	/* after which it has all of a message; 0: it is in all slots */
	u8 flags;	/* HBC_TREE_FLAGS; the plan's, so all have the same */
};

/*
 * Part of the receiver's subtree in preorder: nodes @first to
 * @first + @count - 1 of @total; node 0 is the receiver itself. At least one
 * node a frame.
 */
#define HBC_TREE_LEN	(HBC_HDR_LEN + 16)
#define HBC_TREE_MAX_NODES	((HBC_CONTROL_MAX - HBC_TREE_LEN) / HBC_TREE_NODE_LEN)
struct hbc_tree_frame {
	u32 epoch;
	u32 total;
	u32 first;
	u16 count;
};

/* The whole subtree below the sender of this frame is connected, or not. */
struct hbc_tree_ack {
	u32 epoch;
	u32 node;	/* the first node that is not ready, 0 if all are */
	u16 reason;	/* enum hbc_reject_reason; NONE with a @node: it was not reached */
};

#define HBC_FRAGMENT_ABORT	0x01	/* flags: the message ends here, unfinished */
#define HBC_FRAGMENT_REPAIR	0x02	/* flags: sent again, for those who asked */
/* The payload is empty only with ABORT or in a message of no bytes. */
struct hbc_fragment {
	u32 epoch;
	u32 crc;	/* CRC32C of the header with this field 0, then the payload */
	u64 message;	/* never 0 */
	u64 offset;	/* of the payload in the message; with ABORT: 0 */
	u64 total;	/* bytes in the message, at most S64_MAX */
	u64 used;	/* set of slots that the fragment has been sent through */
	u16 port;	/* never 0 */
	u16 reason;	/* enum hbcast_reason; not NONE if and only if ABORT */
	u32 after;	/* @message less the id of the one that it follows, or 0 */
};

#define HBC_STAGE_ALL		0xffff	/* in BLOCK_END: nobody gets more of it in a stage */
#define HBC_BLOCK_END_LEN	(HBC_HDR_LEN + 48)
/*
 * What of a message lies before @end has been sent, in this slot as in all
 * others, for nodes of stages up to @stage. Who has all of it says so (BLOCK_ACK),
 * and else, if he is one of them, what is missing (NACK).
 * What lies before @from is not kept any more: who lacks it will not get it.
 */
struct hbc_block_end {
	u64 message;	/* never 0 */
	u64 total;	/* as a fragment's, like all that follow */
	u64 end;	/* bytes, at most @total */
	u64 from;	/* bytes, at most @end */
	u32 epoch;
	u32 round;	/* the same in all slots; counts up in a message */
	u32 after;
	u16 port;
	u16 stage;	/* or HBC_STAGE_ALL */
};

#define HBC_BLOCK_ACK_LEN	(HBC_HDR_LEN + 20)
/* The sender and all below him have what lies before @end of the message. */
struct hbc_block_ack {
	u64 message;
	u64 end;
	u32 epoch;
};

/* Bytes of a message. */
struct hbc_range {
	u64 first;
	u64 bytes;	/* never 0 */
};

/* The sender, or someone below him, lacks these ranges; they ascend, with gaps between. */
#define HBC_NACK_LEN		(HBC_HDR_LEN + 16)
#define HBC_NACK_MAX_RANGES	((HBC_CONTROL_MAX - HBC_NACK_LEN) / 16)
struct hbc_nack {
	u64 message;
	u32 epoch;
	u16 count;
};

#define HBC_ACK_ENTRY_LEN	24
#define HBC_ACK_LEN		(HBC_HDR_LEN + 8)
#define HBC_ACK_MAX_ENTRIES	((HBC_CONTROL_MAX - HBC_ACK_LEN) / HBC_ACK_ENTRY_LEN)
/*
 * One member's report on one message; travels up the message's tree to the root. One or
 * more of one epoch a frame.
 */
struct hbc_ack {
	u64 message;
	u64 bytes;	/* that the member's applications have read */
	u32 node;
	u32 epoch;	/* the message's */
	u8 state;	/* enum hbcast_state; PENDING is a progress report */
	u8 reason;	/* enum hbcast_reason; not NONE if and only if FAILED */
};

#define HBC_LOST_DOWN	0x01	/* flags: the nodes are not reached */
#define HBC_LOST_BACK	0x02	/* flags: the nodes are reached again */
#define HBC_LOST_LEN	(HBC_HDR_LEN + 8)
#define HBC_LOST_MAX_NODES	((HBC_CONTROL_MAX - HBC_LOST_LEN) / 4)
/*
 * Members below a lane that is down, or is back; travels up to the root. One or
 * more a frame, with DOWN or BACK.
 */
struct hbc_lost {
	u32 epoch;
	u16 reason;	/* enum hbcast_reason; NONE if and only if BACK */
	u16 count;	/* ids that follow */
};

struct hbc_epoch_end {
	u32 epoch;
};

struct hbc_ping {
	u64 token;
};

/* Every frame's first bytes. */
struct hbc_wire_hdr {
	u8 type;
	u8 flags;
	u8 slot;
	u8 version;
	__be32 length;
} __packed;

/* A fragment's header in large pieces, for comparing. */
struct hbc_wire_words {
	u64 hdr;
	u32 epoch;
	__be32 crc;
	u64 message;
	__be64 offset;
	u64 total;
	u64 used;
	u64 rest;
} __packed;

/* hbc_wire_get_hdr() for all that is not a good fragment */
int hbc_wire_check_hdr(const struct hbc_hdr *h, u8 version);

/**
 * hbc_wire_get_hdr() - read and check a frame's common header
 * @buf: HBC_HDR_LEN bytes
 * @h: filled in
 *
 * Inline because it runs for every fragment.
 *
 * Return: 0; -EPROTONOSUPPORT for another version; -EBADMSG for an unknown
 * type, or a slot, a flag or a length that the type does not allow.
 */
static inline int hbc_wire_get_hdr(const u8 *buf, struct hbc_hdr *h)
{
	const struct hbc_wire_hdr *w = (const struct hbc_wire_hdr *)buf;

	h->type = w->type;
	h->flags = w->flags;
	h->slot = w->slot;
	h->length = be32_to_cpu(w->length);
	if (likely(h->type == HBC_FRAME_FRAGMENT && w->version == HBC_WIRE_VERSION &&
		   h->flags <= HBC_FRAGMENT_REPAIR && h->slot < HBC_MAX_SLOTS &&
		   h->length >= HBC_FRAGMENT_LEN && h->length <= HBC_FRAGMENT_MAX))
		return 0;
	return hbc_wire_check_hdr(h, w->version);
}

/**
 * hbc_wire_continues() - whether a fragment goes on where another one ended
 * @buf: HBC_FRAGMENT_LEN bytes, a header that nobody has checked
 * @like: the same of a fragment of the message that has been accepted; in a loop a
 *	copy of its own, so that the compiler keeps it in registers
 * @offset: in the message, of the byte that comes next
 *
 * They are alike but for offset and checksum, so the one needs no other check
 * than the other had; only the caller knows whether the message is long enough.
 * Inline because it runs for nearly every fragment.
 *
 * Return: whether it does.
 */
static inline bool hbc_wire_continues(const u8 *buf, const struct hbc_wire_words *like,
				      u64 offset)
{
	const struct hbc_wire_words *b = (const struct hbc_wire_words *)buf;

	return b->hdr == like->hdr && b->epoch == like->epoch && b->message == like->message &&
	       b->offset == cpu_to_be64(offset) && b->total == like->total &&
	       b->used == like->used && b->rest == like->rest;
}

/* The checksum in a fragment's header. */
static inline u32 hbc_wire_get_crc(const u8 *buf)
{
	return be32_to_cpu(((const struct hbc_wire_words *)buf)->crc);
}

/* The common header, to @buf. Return: @length. */
unsigned int hbc_wire_put_hdr(u8 *buf, u8 type, u8 flags, u8 slot, u32 length);
/* Whether a node can listen there; @addr has 16 bytes, @family is 4 or 6. */
bool hbc_wire_is_addr(const u8 *addr, u8 family, u16 port);

/*
 * hbc_wire_put_*(): write a whole frame (header included) to @buf, which
 * holds at least HBC_CONTROL_MAX bytes (HBC_FRAGMENT_LEN for a fragment's
 * header). Return: bytes written.
 *
 * hbc_wire_get_*(): read a whole frame of @h->length bytes at @buf whose
 * header hbc_wire_get_hdr() has accepted. Return: 0 or -EBADMSG; every
 * count, id and enum is checked and reserved bytes must be 0.
 */
unsigned int hbc_wire_put_hello(u8 *buf, u8 slot, const struct hbc_hello *f);
int hbc_wire_get_hello(const u8 *buf, const struct hbc_hdr *h, struct hbc_hello *f);
unsigned int hbc_wire_put_challenge(u8 *buf, const struct hbc_challenge *f);
int hbc_wire_get_challenge(const u8 *buf, const struct hbc_hdr *h, struct hbc_challenge *f);
unsigned int hbc_wire_put_auth(u8 *buf, const struct hbc_auth *f);
int hbc_wire_get_auth(const u8 *buf, const struct hbc_hdr *h, struct hbc_auth *f);
unsigned int hbc_wire_put_ready(u8 *buf);
unsigned int hbc_wire_put_reject(u8 *buf, const struct hbc_reject *f);
int hbc_wire_get_reject(const u8 *buf, const struct hbc_hdr *h, struct hbc_reject *f);

/* @node: @f->count of them, behind the fixed part */
unsigned int hbc_wire_put_tree(u8 *buf, u8 slot, const struct hbc_tree_frame *f,
			       const struct hbc_tree_node *node);
/* @node: room for HBC_TREE_MAX_NODES */
int hbc_wire_get_tree(const u8 *buf, const struct hbc_hdr *h, struct hbc_tree_frame *f,
		      struct hbc_tree_node *node);
unsigned int hbc_wire_put_tree_ack(u8 *buf, u8 slot, const struct hbc_tree_ack *f);
int hbc_wire_get_tree_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_tree_ack *f);

/* A fragment's header of HBC_FRAGMENT_LEN bytes; @len is the payload's. */
void hbc_wire_put_fragment(u8 *buf, u8 slot, u8 flags, u32 len, const struct hbc_fragment *f);
int hbc_wire_get_fragment(const u8 *buf, const struct hbc_hdr *h, struct hbc_fragment *f);
/* Patches the checksum into a header that hbc_wire_put_fragment() wrote. */
void hbc_wire_set_crc(u8 *buf, u32 crc);
/* The same with the tree; the checksum is another one then. */
void hbc_wire_set_tree(u8 *buf, u32 epoch, u8 slot);

/* @entry: @count of them, all of one epoch */
unsigned int hbc_wire_put_ack(u8 *buf, u8 slot, const struct hbc_ack *entry, u16 count);
/* @entry: room for HBC_ACK_MAX_ENTRIES; @count is set */
int hbc_wire_get_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_ack *entry, u16 *count);
unsigned int hbc_wire_put_lost(u8 *buf, u8 slot, u8 flags, const struct hbc_lost *f,
			       const u32 *node);
/* @node: room for HBC_LOST_MAX_NODES */
int hbc_wire_get_lost(const u8 *buf, const struct hbc_hdr *h, struct hbc_lost *f, u32 *node);
unsigned int hbc_wire_put_epoch_end(u8 *buf, u8 slot, const struct hbc_epoch_end *f);
int hbc_wire_get_epoch_end(const u8 *buf, const struct hbc_hdr *h, struct hbc_epoch_end *f);
unsigned int hbc_wire_put_block_end(u8 *buf, u8 slot, const struct hbc_block_end *f);
int hbc_wire_get_block_end(const u8 *buf, const struct hbc_hdr *h, struct hbc_block_end *f);
unsigned int hbc_wire_put_block_ack(u8 *buf, u8 slot, const struct hbc_block_ack *f);
int hbc_wire_get_block_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_block_ack *f);
unsigned int hbc_wire_put_nack(u8 *buf, u8 slot, const struct hbc_nack *f,
			       const struct hbc_range *range);
/* @range: room for HBC_NACK_MAX_RANGES */
int hbc_wire_get_nack(const u8 *buf, const struct hbc_hdr *h, struct hbc_nack *f,
		      struct hbc_range *range);
/* @type: HBC_FRAME_PING or HBC_FRAME_PONG */
unsigned int hbc_wire_put_ping(u8 *buf, u8 type, const struct hbc_ping *f);
int hbc_wire_get_ping(const u8 *buf, const struct hbc_hdr *h, struct hbc_ping *f);

#endif /* _HBC_WIRE_H */
