// SPDX-License-Identifier: GPL-2.0
/*
 * Frames to bytes and back. The packed structs below are the wire format:
 * big endian, at any alignment, reserved fields 0.
 */
#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#endif
#include <linux/hbcast.h>

#include "wire.h"
#include "wire_probe.h"

static_assert(sizeof(struct hbc_wire_hdr) == HBC_HDR_LEN);

struct wire_hello {
	struct hbc_wire_hdr hdr;
	__be32 group;
	__be32 from;
	__be32 to;
	__be32 root;
	u8 nonce[HBC_NONCE_LEN];
} __packed;
static_assert(sizeof(struct wire_hello) == HBC_HELLO_LEN);

struct wire_challenge {
	struct hbc_wire_hdr hdr;
	__be32 node;
	u8 nonce[HBC_NONCE_LEN];
	u8 mac[HBC_MAC_LEN];
} __packed;
static_assert(sizeof(struct wire_challenge) == HBC_CHALLENGE_LEN);

struct wire_auth {
	struct hbc_wire_hdr hdr;
	u8 mac[HBC_MAC_LEN];
} __packed;
static_assert(sizeof(struct wire_auth) == HBC_AUTH_LEN);

struct wire_reject {
	struct hbc_wire_hdr hdr;
	__be16 reason;
	__be16 reserved;
} __packed;

struct wire_tree_node {
	__be32 node;
	__be32 nr_children;
	__be64 rate;
	__be64 slots;
	u8 addr[16];
	__be16 port;
	u8 family;
	u8 stage;
} __packed;
static_assert(sizeof(struct wire_tree_node) == HBC_TREE_NODE_LEN);

struct wire_tree {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 total;
	__be32 first;
	__be16 count;
	__be16 reserved;
	struct wire_tree_node node[];
} __packed;
static_assert(sizeof(struct wire_tree) == HBC_TREE_LEN);

struct wire_tree_ack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 node;
	__be16 reason;
	__be16 reserved;
} __packed;

struct wire_fragment {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 crc;
	__be64 message;
	__be64 offset;
	__be64 total;
	__be64 used;
	__be16 port;
	__be16 reason;
	__be32 after;
} __packed;
static_assert(sizeof(struct wire_fragment) == HBC_FRAGMENT_LEN);

struct wire_ack_entry {
	__be64 message;
	__be64 bytes;
	__be32 node;
	u8 state;
	u8 reason;
	__be16 reserved;
} __packed;
static_assert(sizeof(struct wire_ack_entry) == HBC_ACK_ENTRY_LEN);

struct wire_ack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be16 count;
	__be16 reserved;
	struct wire_ack_entry entry[];
} __packed;
static_assert(sizeof(struct wire_ack) == HBC_ACK_LEN);

struct wire_lost {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be16 reason;
	__be16 count;
	__be32 node[];
} __packed;
static_assert(sizeof(struct wire_lost) == HBC_LOST_LEN);

struct wire_epoch_end {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
} __packed;

struct wire_block_end {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be32 round;
	__be64 message;
	__be64 total;
	__be64 end;
	__be64 from;
	__be32 after;
	__be16 port;
	__be16 stage;
} __packed;
static_assert(sizeof(struct wire_block_end) == HBC_BLOCK_END_LEN);

struct wire_block_ack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be64 message;
	__be64 end;
} __packed;
static_assert(sizeof(struct wire_block_ack) == HBC_BLOCK_ACK_LEN);

struct wire_range {
	__be64 first;
	__be64 bytes;
} __packed;

struct wire_nack {
	struct hbc_wire_hdr hdr;
	__be32 epoch;
	__be16 count;
	__be16 reserved;
	__be64 message;
	struct wire_range range[];
} __packed;
static_assert(sizeof(struct wire_nack) == HBC_NACK_LEN);

struct wire_ping {
	struct hbc_wire_hdr hdr;
	__be64 token;
} __packed;

/* What a type allows in its header. A type without a rule has no slot: refused. */
struct wire_rule {
	u32 min;	/* shortest frame */
	u32 more;	/* the longest has as many bytes more */
	u32 step;	/* and those come in steps of this, unless 0 */
	u8 slots;	/* the slot is below */
	u8 flags;
};

static const struct wire_rule wire_rules[__HBC_FRAME_MAX] = {
	[HBC_FRAME_HELLO] = {
		.min = sizeof(struct wire_hello),
		.slots = HBC_MAX_SLOTS,
		.flags = HBC_HELLO_PROBE,
	},
	[HBC_FRAME_CHALLENGE] = { .min = sizeof(struct wire_challenge), .slots = 1 },
	[HBC_FRAME_AUTH] = { .min = sizeof(struct wire_auth), .slots = 1 },
	[HBC_FRAME_READY] = { .min = sizeof(struct hbc_wire_hdr), .slots = 1 },
	[HBC_FRAME_REJECT] = { .min = sizeof(struct wire_reject), .slots = 1 },
	[HBC_FRAME_TREE] = {
		.min = HBC_TREE_LEN + HBC_TREE_NODE_LEN,
		.more = (HBC_TREE_MAX_NODES - 1) * HBC_TREE_NODE_LEN,
		.step = HBC_TREE_NODE_LEN,
		.slots = HBC_MAX_SLOTS,
	},
	[HBC_FRAME_TREE_ACK] = { .min = sizeof(struct wire_tree_ack), .slots = HBC_MAX_SLOTS },
	[HBC_FRAME_ACK] = {
		.min = HBC_ACK_LEN + HBC_ACK_ENTRY_LEN,
		.more = (HBC_ACK_MAX_ENTRIES - 1) * HBC_ACK_ENTRY_LEN,
		.step = HBC_ACK_ENTRY_LEN,
		.slots = HBC_MAX_SLOTS,
	},
	[HBC_FRAME_LOST] = {
		.min = HBC_LOST_LEN + sizeof(__be32),
		.more = (HBC_LOST_MAX_NODES - 1) * sizeof(__be32),
		.step = sizeof(__be32),
		.slots = HBC_MAX_SLOTS,
		.flags = HBC_LOST_DOWN | HBC_LOST_BACK,
	},
	[HBC_FRAME_EPOCH_END] = { .min = sizeof(struct wire_epoch_end), .slots = HBC_MAX_SLOTS },
	[HBC_FRAME_PING] = { .min = sizeof(struct wire_ping), .slots = 1 },
	[HBC_FRAME_PONG] = { .min = sizeof(struct wire_ping), .slots = 1 },
	[HBC_FRAME_BLOCK_END] = { .min = sizeof(struct wire_block_end), .slots = HBC_MAX_SLOTS },
	[HBC_FRAME_BLOCK_ACK] = { .min = sizeof(struct wire_block_ack), .slots = HBC_MAX_SLOTS },
	[HBC_FRAME_NACK] = {
		.min = HBC_NACK_LEN + sizeof(struct wire_range),
		.more = (HBC_NACK_MAX_RANGES - 1) * sizeof(struct wire_range),
		.step = sizeof(struct wire_range),
		.slots = HBC_MAX_SLOTS,
	},
	[HBC_FRAME_PROBE] = {
		.min = HBC_PROBE_LEN,
		.more = HBC_FRAGMENT_MAX - HBC_PROBE_LEN,
		.slots = 1,
		.flags = HBC_PROBE_LAST,
	},
	[HBC_FRAME_PROBE_ASK] = {
		.min = HBC_ASK_LEN,
		.more = HBC_ASK_MAX_TASKS * HBC_ASK_TASK_LEN,
		.step = HBC_ASK_TASK_LEN,
		.slots = 1,
		.flags = HBC_ASK_ANYWAY,
	},
	[HBC_FRAME_PROBE_SAMPLE] = {
		.min = HBC_SAMPLE_LEN,
		.more = HBC_SAMPLE_MAX_FIGURES * HBC_SAMPLE_FIGURE_LEN,
		.step = HBC_SAMPLE_FIGURE_LEN,
		.slots = 1,
	},
};

int hbc_wire_check_hdr(const struct hbc_hdr *h, u8 version)
{
	const struct wire_rule *rule;
	u32 more;

	if (version != HBC_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (h->type >= __HBC_FRAME_MAX)
		return -EBADMSG;
	rule = &wire_rules[h->type];
	more = h->length - rule->min;
	if (h->slot >= rule->slots || (h->flags & ~rule->flags) ||
	    h->length < rule->min || more > rule->more)
		return -EBADMSG;
	return rule->step && more % rule->step ? -EBADMSG : 0;
}

unsigned int hbc_wire_put_hdr(u8 *buf, u8 type, u8 flags, u8 slot, u32 length)
{
	struct hbc_wire_hdr *w = (struct hbc_wire_hdr *)buf;

	w->type = type;
	w->flags = flags;
	w->slot = slot;
	w->version = HBC_WIRE_VERSION;
	w->length = cpu_to_be32(length);
	return length;
}

unsigned int hbc_wire_put_hello(u8 *buf, u8 slot, const struct hbc_hello *f)
{
	struct wire_hello *w = (struct wire_hello *)buf;

	w->group = cpu_to_be32(f->group);
	w->from = cpu_to_be32(f->from);
	w->to = cpu_to_be32(f->to);
	w->root = cpu_to_be32(f->root);
	memcpy(w->nonce, f->nonce, sizeof(w->nonce));
	return hbc_wire_put_hdr(buf, HBC_FRAME_HELLO, f->probe ? HBC_HELLO_PROBE : 0, slot,
				sizeof(*w));
}

int hbc_wire_get_hello(const u8 *buf, const struct hbc_hdr *h, struct hbc_hello *f)
{
	const struct wire_hello *w = (const struct wire_hello *)buf;

	f->group = be32_to_cpu(w->group);
	f->from = be32_to_cpu(w->from);
	f->to = be32_to_cpu(w->to);
	f->root = be32_to_cpu(w->root);
	f->probe = h->flags & HBC_HELLO_PROBE;
	memcpy(f->nonce, w->nonce, sizeof(f->nonce));
	if (!f->group || !f->from || !f->to || !f->root)
		return -EBADMSG;
	if (f->probe)
		return h->slot || f->root != f->from ? -EBADMSG : 0;
	/* Lanes lead away from the root, and to another node. */
	return f->to == f->from || f->to == f->root ? -EBADMSG : 0;
}

unsigned int hbc_wire_put_challenge(u8 *buf, const struct hbc_challenge *f)
{
	struct wire_challenge *w = (struct wire_challenge *)buf;

	w->node = cpu_to_be32(f->node);
	memcpy(w->nonce, f->nonce, sizeof(w->nonce));
	memcpy(w->mac, f->mac, sizeof(w->mac));
	return hbc_wire_put_hdr(buf, HBC_FRAME_CHALLENGE, 0, 0, sizeof(*w));
}

int hbc_wire_get_challenge(const u8 *buf, const struct hbc_hdr *h, struct hbc_challenge *f)
{
	const struct wire_challenge *w = (const struct wire_challenge *)buf;

	f->node = be32_to_cpu(w->node);
	memcpy(f->nonce, w->nonce, sizeof(f->nonce));
	memcpy(f->mac, w->mac, sizeof(f->mac));
	return f->node ? 0 : -EBADMSG;
}

unsigned int hbc_wire_put_auth(u8 *buf, const struct hbc_auth *f)
{
	struct wire_auth *w = (struct wire_auth *)buf;

	memcpy(w->mac, f->mac, sizeof(w->mac));
	return hbc_wire_put_hdr(buf, HBC_FRAME_AUTH, 0, 0, sizeof(*w));
}

int hbc_wire_get_auth(const u8 *buf, const struct hbc_hdr *h, struct hbc_auth *f)
{
	const struct wire_auth *w = (const struct wire_auth *)buf;

	memcpy(f->mac, w->mac, sizeof(f->mac));
	return 0;
}

unsigned int hbc_wire_put_ready(u8 *buf)
{
	return hbc_wire_put_hdr(buf, HBC_FRAME_READY, 0, 0, HBC_HDR_LEN);
}

unsigned int hbc_wire_put_reject(u8 *buf, const struct hbc_reject *f)
{
	struct wire_reject *w = (struct wire_reject *)buf;

	w->reason = cpu_to_be16(f->reason);
	w->reserved = 0;
	return hbc_wire_put_hdr(buf, HBC_FRAME_REJECT, 0, 0, sizeof(*w));
}

int hbc_wire_get_reject(const u8 *buf, const struct hbc_hdr *h, struct hbc_reject *f)
{
	const struct wire_reject *w = (const struct wire_reject *)buf;

	f->reason = be16_to_cpu(w->reason);
	if (!f->reason || f->reason >= __HBC_REJECT_MAX || w->reserved)
		return -EBADMSG;
	return 0;
}

unsigned int hbc_wire_put_tree(u8 *buf, u8 slot, const struct hbc_tree_frame *f,
			       const struct hbc_tree_node *node)
{
	struct wire_tree *w = (struct wire_tree *)buf;
	unsigned int i;

	w->epoch = cpu_to_be32(f->epoch);
	w->total = cpu_to_be32(f->total);
	w->first = cpu_to_be32(f->first);
	w->count = cpu_to_be16(f->count);
	w->reserved = 0;
	for (i = 0; i < f->count; i++, node++) {
		struct wire_tree_node *n = &w->node[i];

		n->node = cpu_to_be32(node->node);
		n->nr_children = cpu_to_be32(node->nr_children);
		n->rate = cpu_to_be64(node->rate);
		n->slots = cpu_to_be64(node->slots);
		memcpy(n->addr, node->addr, sizeof(n->addr));
		n->port = cpu_to_be16(node->port);
		n->family = node->family | node->flags;
		n->stage = node->stage;
	}
	return hbc_wire_put_hdr(buf, HBC_FRAME_TREE, 0, slot,
				sizeof(*w) + f->count * sizeof(w->node[0]));
}

bool hbc_wire_is_addr(const u8 *addr, u8 family, u16 port)
{
	static const u8 zero[16];

	if (!port || !memcmp(addr, zero, sizeof(zero)))
		return false;
	if (family == 4)
		return !memcmp(addr + 4, zero, sizeof(zero) - 4);
	return family == 6;
}

/* @behind: nodes of the subtree that follow this one in preorder */
static int get_tree_node(const struct wire_tree_node *w, u8 slot, u32 behind,
			 struct hbc_tree_node *n)
{
	n->node = be32_to_cpu(w->node);
	n->nr_children = be32_to_cpu(w->nr_children);
	n->rate = be64_to_cpu(w->rate);
	n->slots = be64_to_cpu(w->slots);
	memcpy(n->addr, w->addr, sizeof(n->addr));
	n->port = be16_to_cpu(w->port);
	n->family = w->family & ~HBC_TREE_FLAGS;
	n->flags = w->family & HBC_TREE_FLAGS;
	n->stage = w->stage;
	if (!n->node || n->nr_children > behind || !(n->slots & BIT_ULL(slot)))
		return -EBADMSG;
	return hbc_wire_is_addr(n->addr, n->family, n->port) ? 0 : -EBADMSG;
}

int hbc_wire_get_tree(const u8 *buf, const struct hbc_hdr *h, struct hbc_tree_frame *f,
		      struct hbc_tree_node *node)
{
	const struct wire_tree *w = (const struct wire_tree *)buf;
	unsigned int i;

	f->epoch = be32_to_cpu(w->epoch);
	f->total = be32_to_cpu(w->total);
	f->first = be32_to_cpu(w->first);
	f->count = be16_to_cpu(w->count);
	if (!f->epoch || w->reserved || f->total > HBC_MAX_MEMBERS || f->count > f->total ||
	    f->first > f->total - f->count ||
	    h->length != sizeof(*w) + f->count * sizeof(w->node[0]))
		return -EBADMSG;
	for (i = 0; i < f->count; i++) {
		if (get_tree_node(&w->node[i], h->slot, f->total - 1 - f->first - i, &node[i]))
			return -EBADMSG;
	}
	return 0;
}

unsigned int hbc_wire_put_tree_ack(u8 *buf, u8 slot, const struct hbc_tree_ack *f)
{
	struct wire_tree_ack *w = (struct wire_tree_ack *)buf;

	w->epoch = cpu_to_be32(f->epoch);
	w->node = cpu_to_be32(f->node);
	w->reason = cpu_to_be16(f->reason);
	w->reserved = 0;
	return hbc_wire_put_hdr(buf, HBC_FRAME_TREE_ACK, 0, slot, sizeof(*w));
}

int hbc_wire_get_tree_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_tree_ack *f)
{
	const struct wire_tree_ack *w = (const struct wire_tree_ack *)buf;

	f->epoch = be32_to_cpu(w->epoch);
	f->node = be32_to_cpu(w->node);
	f->reason = be16_to_cpu(w->reason);
	if (!f->epoch || w->reserved || f->reason >= __HBC_REJECT_MAX)
		return -EBADMSG;
	return f->reason && !f->node ? -EBADMSG : 0;
}

void hbc_wire_put_fragment(u8 *buf, u8 slot, u8 flags, u32 len, const struct hbc_fragment *f)
{
	struct wire_fragment *w = (struct wire_fragment *)buf;

	hbc_wire_put_hdr(buf, HBC_FRAME_FRAGMENT, flags, slot, sizeof(*w) + len);
	w->epoch = cpu_to_be32(f->epoch);
	w->crc = cpu_to_be32(f->crc);
	w->message = cpu_to_be64(f->message);
	w->offset = cpu_to_be64(f->offset);
	w->total = cpu_to_be64(f->total);
	w->used = cpu_to_be64(f->used);
	w->port = cpu_to_be16(f->port);
	w->reason = cpu_to_be16(f->reason);
	w->after = cpu_to_be32(f->after);
}

int hbc_wire_get_fragment(const u8 *buf, const struct hbc_hdr *h, struct hbc_fragment *f)
{
	const struct wire_fragment *w = (const struct wire_fragment *)buf;
	u32 len = h->length - sizeof(*w);

	f->epoch = be32_to_cpu(w->epoch);
	f->crc = be32_to_cpu(w->crc);
	f->message = be64_to_cpu(w->message);
	f->offset = be64_to_cpu(w->offset);
	f->total = be64_to_cpu(w->total);
	f->used = be64_to_cpu(w->used);
	f->port = be16_to_cpu(w->port);
	f->reason = be16_to_cpu(w->reason);
	f->after = be32_to_cpu(w->after);
	if (unlikely(!f->epoch || !f->message || !f->port || f->after >= f->message ||
		     f->total > S64_MAX || f->offset > f->total || len > f->total - f->offset))
		return -EBADMSG;
	if (unlikely(h->flags & HBC_FRAGMENT_ABORT)) {
		if (len || f->offset || !f->reason || f->reason > HBCAST_REASON_MAX)
			return -EBADMSG;
		return 0;
	}
	return unlikely(f->reason || (!len && f->total)) ? -EBADMSG : 0;
}

void hbc_wire_set_crc(u8 *buf, u32 crc)
{
	struct wire_fragment *w = (struct wire_fragment *)buf;

	w->crc = cpu_to_be32(crc);
}

void hbc_wire_set_tree(u8 *buf, u32 epoch, u8 slot)
{
	struct wire_fragment *w = (struct wire_fragment *)buf;

	w->hdr.slot = slot;
	w->epoch = cpu_to_be32(epoch);
}

unsigned int hbc_wire_put_ack(u8 *buf, u8 slot, const struct hbc_ack *entry, u16 count)
{
	struct wire_ack *w = (struct wire_ack *)buf;
	unsigned int i;

	w->epoch = cpu_to_be32(entry[0].epoch);
	w->count = cpu_to_be16(count);
	w->reserved = 0;
	for (i = 0; i < count; i++) {
		struct wire_ack_entry *e = &w->entry[i];

		e->message = cpu_to_be64(entry[i].message);
		e->bytes = cpu_to_be64(entry[i].bytes);
		e->node = cpu_to_be32(entry[i].node);
		e->state = entry[i].state;
		e->reason = entry[i].reason;
		e->reserved = 0;
	}
	return hbc_wire_put_hdr(buf, HBC_FRAME_ACK, 0, slot,
				sizeof(*w) + count * sizeof(w->entry[0]));
}

static int get_ack_entry(const struct wire_ack_entry *w, struct hbc_ack *entry)
{
	entry->message = be64_to_cpu(w->message);
	entry->bytes = be64_to_cpu(w->bytes);
	entry->node = be32_to_cpu(w->node);
	entry->state = w->state;
	entry->reason = w->reason;
	if (!entry->message || !entry->node || w->reserved || entry->state > HBCAST_FAILED ||
	    entry->reason > HBCAST_REASON_MAX)
		return -EBADMSG;
	/* A reason if and only if it failed. */
	return (entry->state == HBCAST_FAILED) == !entry->reason ? -EBADMSG : 0;
}

int hbc_wire_get_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_ack *entry, u16 *count)
{
	const struct wire_ack *w = (const struct wire_ack *)buf;
	unsigned int i;

	*count = be16_to_cpu(w->count);
	if (!w->epoch || w->reserved ||
	    h->length != sizeof(*w) + *count * sizeof(w->entry[0]))
		return -EBADMSG;
	for (i = 0; i < *count; i++) {
		if (get_ack_entry(&w->entry[i], &entry[i]))
			return -EBADMSG;
		entry[i].epoch = be32_to_cpu(w->epoch);
	}
	return 0;
}

unsigned int hbc_wire_put_lost(u8 *buf, u8 slot, u8 flags, const struct hbc_lost *f,
			       const u32 *node)
{
	struct wire_lost *w = (struct wire_lost *)buf;
	unsigned int i;

	w->epoch = cpu_to_be32(f->epoch);
	w->reason = cpu_to_be16(f->reason);
	w->count = cpu_to_be16(f->count);
	for (i = 0; i < f->count; i++)
		w->node[i] = cpu_to_be32(node[i]);
	return hbc_wire_put_hdr(buf, HBC_FRAME_LOST, flags, slot,
		       sizeof(*w) + f->count * sizeof(w->node[0]));
}

int hbc_wire_get_lost(const u8 *buf, const struct hbc_hdr *h, struct hbc_lost *f, u32 *node)
{
	const struct wire_lost *w = (const struct wire_lost *)buf;
	bool back = h->flags & HBC_LOST_BACK;
	unsigned int i;

	f->epoch = be32_to_cpu(w->epoch);
	f->reason = be16_to_cpu(w->reason);
	f->count = be16_to_cpu(w->count);
	if (!f->epoch || f->reason > HBCAST_REASON_MAX || back == !!f->reason ||
	    back == !!(h->flags & HBC_LOST_DOWN) ||
	    h->length != sizeof(*w) + f->count * sizeof(w->node[0]))
		return -EBADMSG;
	for (i = 0; i < f->count; i++) {
		node[i] = be32_to_cpu(w->node[i]);
		if (!node[i])
			return -EBADMSG;
	}
	return 0;
}

unsigned int hbc_wire_put_epoch_end(u8 *buf, u8 slot, const struct hbc_epoch_end *f)
{
	struct wire_epoch_end *w = (struct wire_epoch_end *)buf;

	w->epoch = cpu_to_be32(f->epoch);
	return hbc_wire_put_hdr(buf, HBC_FRAME_EPOCH_END, 0, slot, sizeof(*w));
}

int hbc_wire_get_epoch_end(const u8 *buf, const struct hbc_hdr *h, struct hbc_epoch_end *f)
{
	const struct wire_epoch_end *w = (const struct wire_epoch_end *)buf;

	f->epoch = be32_to_cpu(w->epoch);
	return f->epoch ? 0 : -EBADMSG;
}

unsigned int hbc_wire_put_block_end(u8 *buf, u8 slot, const struct hbc_block_end *f)
{
	struct wire_block_end *w = (struct wire_block_end *)buf;

	w->epoch = cpu_to_be32(f->epoch);
	w->round = cpu_to_be32(f->round);
	w->message = cpu_to_be64(f->message);
	w->total = cpu_to_be64(f->total);
	w->end = cpu_to_be64(f->end);
	w->from = cpu_to_be64(f->from);
	w->after = cpu_to_be32(f->after);
	w->port = cpu_to_be16(f->port);
	w->stage = cpu_to_be16(f->stage);
	return hbc_wire_put_hdr(buf, HBC_FRAME_BLOCK_END, 0, slot, sizeof(*w));
}

int hbc_wire_get_block_end(const u8 *buf, const struct hbc_hdr *h, struct hbc_block_end *f)
{
	const struct wire_block_end *w = (const struct wire_block_end *)buf;

	f->epoch = be32_to_cpu(w->epoch);
	f->round = be32_to_cpu(w->round);
	f->message = be64_to_cpu(w->message);
	f->total = be64_to_cpu(w->total);
	f->end = be64_to_cpu(w->end);
	f->from = be64_to_cpu(w->from);
	f->after = be32_to_cpu(w->after);
	f->port = be16_to_cpu(w->port);
	f->stage = be16_to_cpu(w->stage);
	if (!f->epoch || !f->message || !f->port || f->after >= f->message ||
	    f->total > S64_MAX || f->end > f->total || f->from > f->end)
		return -EBADMSG;
	return 0;
}

unsigned int hbc_wire_put_block_ack(u8 *buf, u8 slot, const struct hbc_block_ack *f)
{
	struct wire_block_ack *w = (struct wire_block_ack *)buf;

	w->epoch = cpu_to_be32(f->epoch);
	w->message = cpu_to_be64(f->message);
	w->end = cpu_to_be64(f->end);
	return hbc_wire_put_hdr(buf, HBC_FRAME_BLOCK_ACK, 0, slot, sizeof(*w));
}

int hbc_wire_get_block_ack(const u8 *buf, const struct hbc_hdr *h, struct hbc_block_ack *f)
{
	const struct wire_block_ack *w = (const struct wire_block_ack *)buf;

	f->epoch = be32_to_cpu(w->epoch);
	f->message = be64_to_cpu(w->message);
	f->end = be64_to_cpu(w->end);
	return f->epoch && f->message && f->end <= S64_MAX ? 0 : -EBADMSG;
}

unsigned int hbc_wire_put_nack(u8 *buf, u8 slot, const struct hbc_nack *f,
			       const struct hbc_range *range)
{
	struct wire_nack *w = (struct wire_nack *)buf;
	unsigned int i;

	w->epoch = cpu_to_be32(f->epoch);
	w->count = cpu_to_be16(f->count);
	w->reserved = 0;
	w->message = cpu_to_be64(f->message);
	for (i = 0; i < f->count; i++) {
		w->range[i].first = cpu_to_be64(range[i].first);
		w->range[i].bytes = cpu_to_be64(range[i].bytes);
	}
	return hbc_wire_put_hdr(buf, HBC_FRAME_NACK, 0, slot,
				sizeof(*w) + f->count * sizeof(w->range[0]));
}

int hbc_wire_get_nack(const u8 *buf, const struct hbc_hdr *h, struct hbc_nack *f,
		      struct hbc_range *range)
{
	const struct wire_nack *w = (const struct wire_nack *)buf;
	u64 least = 0;	/* where the next range may begin */
	unsigned int i;

	f->epoch = be32_to_cpu(w->epoch);
	f->count = be16_to_cpu(w->count);
	f->message = be64_to_cpu(w->message);
	if (!f->epoch || !f->message || w->reserved ||
	    h->length != sizeof(*w) + f->count * sizeof(w->range[0]))
		return -EBADMSG;
	for (i = 0; i < f->count; i++) {
		range[i].first = be64_to_cpu(w->range[i].first);
		range[i].bytes = be64_to_cpu(w->range[i].bytes);
		if (range[i].first < least || range[i].first > S64_MAX || !range[i].bytes ||
		    range[i].bytes > S64_MAX - range[i].first)
			return -EBADMSG;
		least = range[i].first + range[i].bytes + 1;
	}
	return 0;
}

unsigned int hbc_wire_put_ping(u8 *buf, u8 type, const struct hbc_ping *f)
{
	struct wire_ping *w = (struct wire_ping *)buf;

	w->token = cpu_to_be64(f->token);
	return hbc_wire_put_hdr(buf, type, 0, 0, sizeof(*w));
}

int hbc_wire_get_ping(const u8 *buf, const struct hbc_hdr *h, struct hbc_ping *f)
{
	const struct wire_ping *w = (const struct wire_ping *)buf;

	f->token = be64_to_cpu(w->token);
	return 0;
}
