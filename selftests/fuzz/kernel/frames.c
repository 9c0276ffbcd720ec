// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/hbcast.h>
#include "frames.h"
#include "wire_probe.h"

#define TREE_MAX	12	/* nodes in a tree that is made here */

static u32 crc32c(const u8 *data, unsigned int len)
{
	static u32 table[256];
	u32 crc = ~0u;
	int i, bit;

	for (i = 0; !table[255] && i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78 : 0);
	}
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *data++) & 255];
	return ~crc;
}

void frame_mend_crc(u8 *frame, unsigned int len)
{
	if (len < HBC_FRAGMENT_LEN || frame[0] != HBC_FRAME_FRAGMENT)
		return;
	hbc_wire_set_crc(frame, 0);
	hbc_wire_set_crc(frame, crc32c(frame, len));
}

static u32 choose_epoch(struct choices *c, const struct lane *lane)
{
	return rarely(c, 24) ? choose_number(c) : lane->epoch;
}

/* In one frame or in two; those of an odd tree may say different things of the whole. */
static unsigned int put_tree(struct choices *c, const struct lane *lane, bool odd,
			     const struct hbc_tree_node *nodes, unsigned int nr, u8 *out)
{
	unsigned int cut = rarely(c, 2) ? choose(c, nr) : 0, len = 0;
	struct hbc_tree_frame f = {};

	for (f.first = 0; f.first < nr; f.first += f.count) {
		f.epoch = odd ? choose_epoch(c, lane) : lane->epoch;
		f.total = odd && rarely(c, 3) ? 1 + choose(c, nr + 4) : nr;
		f.count = f.first < cut ? cut : nr - f.first;
		len += hbc_wire_put_tree(out + len, 0, &f, nodes + f.first);
	}
	return len;
}

/*
 * The other side first, then some below it, in preorder. One in four is odd, and
 * so is any part of it then: most trees are taken, or nothing would come after.
 */
static unsigned int choose_tree(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_tree_node nodes[TREE_MAX] = {};
	unsigned int nr = 1 + choose(c, rarely(c, 8) ? TREE_MAX : 4), i, parent;
	bool odd = rarely(c, 4);
	u32 ipv4;

	for (i = 0; i < nr; i++) {
		ipv4 = choose_ipv4(c);
		nodes[i].node = odd && rarely(c, 4) ? choose_node(c) : NODE_EVIL + 1 + i;
		nodes[i].rate = rarely(c, 4) ? choose_number(c) : 0;
		nodes[i].slots = odd && rarely(c, 8) ? choose_number(c) : 1;
		nodes[i].stage = rarely(c, 8) ? choose_number(c) : 0;
		nodes[i].port = odd && rarely(c, 8) ? choose_number(c) : 7310;
		nodes[i].family = odd && rarely(c, 8) ? 6 : 4;
		nodes[i].flags = rarely(c, 8) ? HBC_TREE_STRICT : 0;
		nodes[i].flags |= rarely(c, 4) ? HBC_TREE_WHOLE : 0;
		memcpy(nodes[i].addr, &ipv4, sizeof(ipv4));
		/* Below the root, or the one before. */
		parent = i && rarely(c, 2) ? i - 1 : 0;
		if (i)
			nodes[parent].nr_children += odd && rarely(c, 8) ? choose(c, 3) : 1;
	}
	if (!odd || !rarely(c, 8))
		nodes[0].node = world_node(lane->place);
	if (!odd || !rarely(c, 2))
		lane->epoch++;
	return put_tree(c, lane, odd, nodes, nr, out);
}

/* The next of the message under way, or the first of another one; at times too many. */
static unsigned int choose_fragment(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_fragment f = { .used = rarely(c, 8) ? choose_number(c) : 0 };
	bool more = rarely(c, 8);
	u8 flags = 0;
	u64 len;

	if (more && lane->offset) {
		lane->offset = rarely(c, 2) ? 0 : lane->offset - 1;
	} else if (lane->offset >= lane->total || rarely(c, 16)) {
		lane->message += rarely(c, 16) ? choose_number(c) : 1;
		lane->total = rarely(c, 2) ? choose(c, 200) : choose(c, 200000);
		lane->offset = 0;
		lane->port = choose_port(c);
	}
	/* Those that are as long as the one before are read together. */
	len = lane->length;
	if (!len || rarely(c, 8))
		len = rarely(c, 4) ? HBC_FRAGMENT_MAX - HBC_FRAGMENT_LEN : 1 + choose(c, 3000);
	lane->length = len;
	if (len > lane->total - lane->offset)
		len = lane->total - lane->offset;
	f.epoch = choose_epoch(c, lane);
	f.message = lane->message;
	f.offset = lane->offset;
	f.total = lane->total;
	f.port = lane->port;
	if (rarely(c, more ? 2 : 16)) {
		flags = HBC_FRAGMENT_ABORT;
		f.reason = 1 + choose(c, HBCAST_REASON_MAX);
		f.offset = 0;
		len = 0;
	}
	hbc_wire_put_fragment(out, 0, flags, len, &f);
	memcpy(out + HBC_FRAGMENT_LEN, world.data, len);
	if (!rarely(c, 16))
		frame_mend_crc(out, HBC_FRAGMENT_LEN + len);
	lane->offset = flags ? lane->total : lane->offset + len;
	return HBC_FRAGMENT_LEN + len;
}

static unsigned int choose_ack(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_ack entries[8] = {};
	unsigned int nr = 1 + choose(c, 8), i;

	entries[0].epoch = choose_epoch(c, lane);
	for (i = 0; i < nr; i++) {
		entries[i].message = rarely(c, 8) ? choose_number(c) : lane->message;
		entries[i].node = choose_node(c);
		entries[i].bytes = rarely(c, 4) ? choose_number(c) : choose(c, 200000);
		entries[i].state = choose(c, HBCAST_FAILED + 1);
		if (entries[i].state == HBCAST_FAILED)
			entries[i].reason = 1 + choose(c, HBCAST_REASON_MAX);
	}
	return hbc_wire_put_ack(out, 0, entries, nr);
}

static unsigned int choose_lost(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_lost f = { .epoch = choose_epoch(c, lane), .count = 1 + choose(c, 8) };
	u8 flags = choose(c, HBC_LOST_BACK + 1);
	u32 nodes[8];
	unsigned int i;

	if (flags != HBC_LOST_BACK)
		f.reason = 1 + choose(c, HBCAST_REASON_MAX);
	for (i = 0; i < f.count; i++)
		nodes[i] = choose_node(c);
	return hbc_wire_put_lost(out, 0, flags, &f, nodes);
}

static unsigned int choose_tree_ack(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_tree_ack f = { .epoch = choose_epoch(c, lane) };

	if (rarely(c, 4)) {
		f.node = choose_node(c);
		f.reason = choose(c, __HBC_REJECT_MAX);
	}
	return hbc_wire_put_tree_ack(out, 0, &f);
}

static unsigned int choose_end(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_epoch_end f = { .epoch = choose_epoch(c, lane) };

	return hbc_wire_put_epoch_end(out, 0, &f);
}

/* What has no place behind the handshake. */
static unsigned int choose_greeting(struct choices *c, u8 *out)
{
	static const u16 lengths[] = {
		[HBC_FRAME_HELLO] = HBC_HELLO_LEN, [HBC_FRAME_CHALLENGE] = HBC_CHALLENGE_LEN,
		[HBC_FRAME_AUTH] = HBC_AUTH_LEN, [HBC_FRAME_READY] = HBC_HDR_LEN,
		[HBC_FRAME_REJECT] = HBC_HDR_LEN + 4,
	};
	u8 type = HBC_FRAME_HELLO + choose(c, HBC_FRAME_REJECT);
	struct hbc_wire_hdr h = {
		.type = type,
		.version = HBC_WIRE_VERSION,
		.length = htonl(lengths[type]),
	};

	choose_bytes(c, out, lengths[type]);
	memcpy(out, &h, sizeof(h));
	return lengths[type];
}

static unsigned int choose_ping(struct choices *c, u8 *out)
{
	struct hbc_ping f = { .token = choose_number(c) };

	return hbc_wire_put_ping(out, rarely(c, 2) ? HBC_FRAME_PING : HBC_FRAME_PONG, &f);
}

/* What a coordinator asks for; most of it can be done. */
static unsigned int choose_ask(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_ask_frame f = { .round = 1 + choose(c, 4), .ms = 1 + choose(c, 200) };
	struct hbc_task tasks[4] = {};
	unsigned int i;
	u32 ipv4;

	f.count = choose(c, 5);
	f.every = rarely(c, 2) ? choose(c, 200) : 0;
	for (i = 0; i < f.count; i++) {
		ipv4 = choose_ipv4(c);
		tasks[i].from = rarely(c, 8) ? choose_node(c) : world_node(lane->place);
		tasks[i].to = rarely(c, 4) ? world_node(lane->place) : choose_node(c);
		tasks[i].index = choose(c, 4);
		tasks[i].kind = choose(c, __HBC_TASK_MAX);
		if (tasks[i].kind != HBC_TASK_FLOW)
			tasks[i].count = 1 + choose(c, 20);
		else if (rarely(c, 2))
			tasks[i].rate = choose_number(c);
		tasks[i].family = 4;
		tasks[i].port = 7310;
		memcpy(tasks[i].addr, &ipv4, sizeof(ipv4));
	}
	return hbc_wire_put_ask(out, rarely(c, 2) ? HBC_ASK_ANYWAY : 0, &f, tasks);
}

static unsigned int choose_probe(struct choices *c, u8 *out)
{
	struct hbc_probe_frame f = { .round = 1 + choose(c, 4), .index = choose(c, 4) };
	unsigned int len = choose(c, rarely(c, 4) ? HBC_FRAGMENT_MAX - HBC_PROBE_LEN : 3000);

	memcpy(out + HBC_PROBE_LEN, world.data, len);
	return len + hbc_wire_put_probe(out, choose(c, 2) ? HBC_PROBE_LAST : 0, len, &f);
}

/* On a connection of a measurement. */
static unsigned int choose_measuring(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_sample_frame sample = { .round = 1 };

	switch (choose(c, rarely(c, 8) ? 5 : 3)) {
	case 0:
		return choose_ask(c, lane, out);
	case 1:
		return choose_probe(c, out);
	case 2:
		return choose_ping(c, out);
	case 3:
		return hbc_wire_put_sample(out, &sample, NULL);
	}
	return choose_greeting(c, out);
}

unsigned int frame_choose(struct choices *c, struct lane *lane, u8 *out)
{
	static const u8 of_parent[] = {
		HBC_FRAME_TREE, HBC_FRAME_FRAGMENT, HBC_FRAME_FRAGMENT, HBC_FRAME_FRAGMENT,
		HBC_FRAME_FRAGMENT, HBC_FRAME_EPOCH_END, HBC_FRAME_PING,
	};
	static const u8 of_child[] = {
		HBC_FRAME_TREE_ACK, HBC_FRAME_ACK, HBC_FRAME_ACK, HBC_FRAME_LOST, HBC_FRAME_PING,
	};
	bool child = lane->child != rarely(c, 24);
	u8 type = child ? choose_from(c, of_child) : choose_from(c, of_parent);

	if (lane->probe)
		return choose_measuring(c, lane, out);
	/* A message goes on. */
	if (!child && lane->offset && lane->offset < lane->total && !rarely(c, 4))
		type = HBC_FRAME_FRAGMENT;
	if (rarely(c, 48))
		type = HBC_FRAME_HELLO;
	/* Without a tree there is nothing else to say. */
	if (!lane->child && !lane->epoch && !rarely(c, 8))
		type = HBC_FRAME_TREE;
	switch (type) {
	case HBC_FRAME_TREE:
		return choose_tree(c, lane, out);
	case HBC_FRAME_FRAGMENT:
		return choose_fragment(c, lane, out);
	case HBC_FRAME_EPOCH_END:
		return choose_end(c, lane, out);
	case HBC_FRAME_TREE_ACK:
		return choose_tree_ack(c, lane, out);
	case HBC_FRAME_ACK:
		return choose_ack(c, lane, out);
	case HBC_FRAME_LOST:
		return choose_lost(c, lane, out);
	case HBC_FRAME_PING:
		return choose_ping(c, out);
	}
	return choose_greeting(c, out);
}
