// SPDX-License-Identifier: GPL-2.0-or-later
/* Through wire.c and back, for every type of frame. */
#include "again.h"

static int again_tree(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	struct hbc_tree_node node[HBC_TREE_MAX_NODES];
	struct hbc_tree_frame f;
	int err = hbc_wire_get_tree(frame, h, &f, node);

	return err ?: (int)hbc_wire_put_tree(out, h->slot, &f, node);
}

static int again_fragment(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	u32 payload = h->length - HBC_FRAGMENT_LEN;
	struct hbc_fragment f;
	int err = hbc_wire_get_fragment(frame, h, &f);
	u32 crc = f.crc;

	if (err)
		return err;
	f.crc = ~crc;
	hbc_wire_put_fragment(out, h->slot, h->flags, payload, &f);
	hbc_wire_set_crc(out, crc);
	memcpy(out + HBC_FRAGMENT_LEN, frame + HBC_FRAGMENT_LEN, payload);
	return h->length;
}

static int again_ack(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	struct hbc_ack entry[HBC_ACK_MAX_ENTRIES];
	u16 count;
	int err = hbc_wire_get_ack(frame, h, entry, &count);

	return err ?: (int)hbc_wire_put_ack(out, h->slot, entry, count);
}

static int again_lost(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	u32 node[HBC_LOST_MAX_NODES];
	struct hbc_lost f;
	int err = hbc_wire_get_lost(frame, h, &f, node);

	return err ?: (int)hbc_wire_put_lost(out, h->slot, h->flags, &f, node);
}

static int again_nack(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	struct hbc_range range[HBC_NACK_MAX_RANGES];
	struct hbc_nack f;
	int err = hbc_wire_get_nack(frame, h, &f, range);

	return err ?: (int)hbc_wire_put_nack(out, h->slot, &f, range);
}

static int again_probe(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	u32 payload = h->length - HBC_PROBE_LEN;
	struct hbc_probe_frame f;
	int err = hbc_wire_get_probe(frame, h, &f);

	if (err)
		return err;
	hbc_wire_put_probe(out, h->flags, payload, &f);
	memcpy(out + HBC_PROBE_LEN, frame + HBC_PROBE_LEN, payload);
	return h->length;
}

static int again_ask(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	struct hbc_task task[HBC_ASK_MAX_TASKS];
	struct hbc_ask_frame f;
	unsigned int i;
	int err = hbc_wire_get_ask(frame, h, &f);

	for (i = 0; !err && i < f.count; i++)
		err = hbc_wire_get_task(frame, i, &task[i]);
	return err ?: (int)hbc_wire_put_ask(out, h->flags, &f, task);
}

static int again_sample(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	struct hbc_figure figure[HBC_SAMPLE_MAX_FIGURES];
	struct hbc_sample_frame f;
	unsigned int i;
	int err = hbc_wire_get_sample(frame, h, &f);

	for (i = 0; !err && i < f.count; i++)
		err = hbc_wire_get_figure(frame, i, &figure[i]);
	return err ?: (int)hbc_wire_put_sample(out, &f, figure);
}

static int again_handshake(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	union {
		struct hbc_hello hello;
		struct hbc_challenge challenge;
		struct hbc_auth auth;
		struct hbc_reject reject;
	} f;
	int err;

	switch (h->type) {
	case HBC_FRAME_HELLO:
		err = hbc_wire_get_hello(frame, h, &f.hello);
		return err ?: (int)hbc_wire_put_hello(out, h->slot, &f.hello);
	case HBC_FRAME_CHALLENGE:
		err = hbc_wire_get_challenge(frame, h, &f.challenge);
		return err ?: (int)hbc_wire_put_challenge(out, &f.challenge);
	case HBC_FRAME_AUTH:
		err = hbc_wire_get_auth(frame, h, &f.auth);
		return err ?: (int)hbc_wire_put_auth(out, &f.auth);
	case HBC_FRAME_READY:
		return hbc_wire_put_ready(out);
	default:
		err = hbc_wire_get_reject(frame, h, &f.reject);
		return err ?: (int)hbc_wire_put_reject(out, &f.reject);
	}
}

static int again_small(const u8 *frame, const struct hbc_hdr *h, u8 *out)
{
	union {
		struct hbc_tree_ack tree_ack;
		struct hbc_epoch_end epoch_end;
		struct hbc_block_end block_end;
		struct hbc_block_ack block_ack;
		struct hbc_ping ping;
	} f;
	int err;

	switch (h->type) {
	case HBC_FRAME_TREE_ACK:
		err = hbc_wire_get_tree_ack(frame, h, &f.tree_ack);
		return err ?: (int)hbc_wire_put_tree_ack(out, h->slot, &f.tree_ack);
	case HBC_FRAME_EPOCH_END:
		err = hbc_wire_get_epoch_end(frame, h, &f.epoch_end);
		return err ?: (int)hbc_wire_put_epoch_end(out, h->slot, &f.epoch_end);
	case HBC_FRAME_BLOCK_END:
		err = hbc_wire_get_block_end(frame, h, &f.block_end);
		return err ?: (int)hbc_wire_put_block_end(out, h->slot, &f.block_end);
	case HBC_FRAME_BLOCK_ACK:
		err = hbc_wire_get_block_ack(frame, h, &f.block_ack);
		return err ?: (int)hbc_wire_put_block_ack(out, h->slot, &f.block_ack);
	default:
		err = hbc_wire_get_ping(frame, h, &f.ping);
		return err ?: (int)hbc_wire_put_ping(out, h->type, &f.ping);
	}
}

int again(const u8 *frame, unsigned int len, u8 *out)
{
	struct hbc_hdr h;
	int err;

	if (len < HBC_HDR_LEN)
		return -EAGAIN;
	err = hbc_wire_get_hdr(frame, &h);
	if (err)
		return err;
	if (len < h.length)
		return -EAGAIN;
	switch (h.type) {
	case HBC_FRAME_TREE:
		return again_tree(frame, &h, out);
	case HBC_FRAME_FRAGMENT:
		return again_fragment(frame, &h, out);
	case HBC_FRAME_ACK:
		return again_ack(frame, &h, out);
	case HBC_FRAME_LOST:
		return again_lost(frame, &h, out);
	case HBC_FRAME_NACK:
		return again_nack(frame, &h, out);
	case HBC_FRAME_PROBE:
		return again_probe(frame, &h, out);
	case HBC_FRAME_PROBE_ASK:
		return again_ask(frame, &h, out);
	case HBC_FRAME_PROBE_SAMPLE:
		return again_sample(frame, &h, out);
	case HBC_FRAME_TREE_ACK:
	case HBC_FRAME_EPOCH_END:
	case HBC_FRAME_BLOCK_END:
	case HBC_FRAME_BLOCK_ACK:
	case HBC_FRAME_PING:
	case HBC_FRAME_PONG:
		return again_small(frame, &h, out);
	default:
		return again_handshake(frame, &h, out);
	}
}
