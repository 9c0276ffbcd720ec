// SPDX-License-Identifier: GPL-2.0-or-later
/* Each frame as wire.c writes it, and as it reads it. */
#include "../lib/tap.h"
#include "again.h"
#include "samples.h"

#define EPOCH	0x51525354
#define MESSAGE	0x0123456789abcdefULL

static u8 out[HBC_FRAGMENT_MAX];

static void check_put(int nr, unsigned int len)
{
	const struct sample *s = &samples[nr];

	ok(len == s->len && !memcmp(out, s->bytes, len), "%s: written byte by byte", s->name);
	memset(out, 0xee, sizeof(out));
}

static void count_up(u8 *buf, u8 first, unsigned int len)
{
	while (len--)
		*buf++ = first++;
}

static void test_put_handshake(void)
{
	struct hbc_hello hello = {
		.group = 0x11121314, .from = 0x21222324, .to = 0x31323334, .root = 0x41424344,
	};
	struct hbc_challenge challenge = { .node = 0x31323334 };
	struct hbc_reject reject = { .reason = HBC_REJECT_KEY };
	struct hbc_auth auth;

	count_up(hello.nonce, 0x60, HBC_NONCE_LEN);
	count_up(challenge.nonce, 0x80, HBC_NONCE_LEN);
	count_up(challenge.mac, 0xa0, HBC_MAC_LEN);
	count_up(auth.mac, 0xc0, HBC_MAC_LEN);
	check_put(SAMPLE_HELLO, hbc_wire_put_hello(out, 5, &hello));
	check_put(SAMPLE_CHALLENGE, hbc_wire_put_challenge(out, &challenge));
	check_put(SAMPLE_AUTH, hbc_wire_put_auth(out, &auth));
	check_put(SAMPLE_READY, hbc_wire_put_ready(out));
	check_put(SAMPLE_REJECT, hbc_wire_put_reject(out, &reject));
}

static void test_put_tree(void)
{
	static const struct hbc_tree_node node[] = {
		{
			.node = 0x01020304, .nr_children = 2, .rate = 0x1011121314151617ULL,
			.slots = 0x28, .addr = { 10, 0, 0, 9 }, .port = 7310, .family = 4,
			.stage = 7, .flags = HBC_TREE_STRICT,
		},
		{
			.node = 0x05060708, .slots = 0x18, .port = 7311, .family = 6, .stage = 254,
			.flags = HBC_TREE_WHOLE,
			.addr = { 0xfd, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7 },
		},
	};
	struct hbc_tree_frame f = { .epoch = EPOCH, .total = 4, .first = 1, .count = 2 };
	struct hbc_tree_ack late = { .epoch = EPOCH, .node = 0x61626364,
				     .reason = HBC_REJECT_PROTOCOL };
	struct hbc_tree_ack ready = { .epoch = EPOCH };

	check_put(SAMPLE_TREE, hbc_wire_put_tree(out, 3, &f, node));
	check_put(SAMPLE_TREE_ACK, hbc_wire_put_tree_ack(out, 9, &late));
	check_put(SAMPLE_TREE_READY, hbc_wire_put_tree_ack(out, 63, &ready));
}

static void test_put_fragment(void)
{
	struct hbc_fragment f = {
		.epoch = EPOCH, .crc = 0xe1e2e3e4, .message = MESSAGE,
		.offset = 0x0102030405060700ULL, .total = 0x010203040506070cULL,
		.used = 0xf0f1f2f3f4f5f6f7ULL, .port = 0xaabb, .after = 0x81828384,
	};

	hbc_wire_put_fragment(out, 2, 0, 5, &f);
	memcpy(out + HBC_FRAGMENT_LEN, "hello", 5);
	check_put(SAMPLE_FRAGMENT, HBC_FRAGMENT_LEN + 5);
	f.total -= 10;
	hbc_wire_put_fragment(out, 2, HBC_FRAGMENT_REPAIR, 2, &f);
	memcpy(out + HBC_FRAGMENT_LEN, "hi", 2);
	check_put(SAMPLE_FRAGMENT_REPAIR, HBC_FRAGMENT_LEN + 2);
	f.total += 10;
	f.after = 0;
	f.offset = 0;
	f.reason = 7;
	f.crc = 0;
	hbc_wire_put_fragment(out, 2, HBC_FRAGMENT_ABORT, 0, &f);
	ok(!out[12] && !out[13] && !out[14] && !out[15], "fragment: crc 0 until it is set");
	hbc_wire_set_crc(out, 0xe1e2e3e4);
	check_put(SAMPLE_FRAGMENT_ABORT, HBC_FRAGMENT_LEN);
	f.crc = 0xe1e2e3e4;
	f.total = 0;
	f.used = 0;
	f.reason = 0;
	hbc_wire_put_fragment(out, 0, 0, 0, &f);
	check_put(SAMPLE_FRAGMENT_EMPTY, HBC_FRAGMENT_LEN);
}

static void test_put_reports(void)
{
	static const struct hbc_ack ack[] = {
		{ .message = MESSAGE, .bytes = 0x1112131415161718ULL, .node = 0x21222324,
		  .epoch = EPOCH, .state = 2, .reason = 9 },
		{ .message = MESSAGE + 1, .node = 0x31323334, .epoch = EPOCH },
	};
	static const u32 node[] = { 0x21222324, 0x31323334, 0x41424344 };
	struct hbc_lost lost = { .epoch = EPOCH, .reason = 5, .count = 3 };
	struct hbc_epoch_end epoch_end = { .epoch = EPOCH };
	struct hbc_ping ping = { .token = 0x7172737475767778ULL };

	check_put(SAMPLE_ACK, hbc_wire_put_ack(out, 4, ack, 2));
	check_put(SAMPLE_LOST, hbc_wire_put_lost(out, 6, HBC_LOST_DOWN, &lost, node));
	lost.reason = 0;
	lost.count = 1;
	check_put(SAMPLE_LOST_BACK, hbc_wire_put_lost(out, 6, HBC_LOST_BACK, &lost, node));
	check_put(SAMPLE_EPOCH_END, hbc_wire_put_epoch_end(out, 7, &epoch_end));
	check_put(SAMPLE_PING, hbc_wire_put_ping(out, HBC_FRAME_PING, &ping));
	check_put(SAMPLE_PONG, hbc_wire_put_ping(out, HBC_FRAME_PONG, &ping));
}

static void test_put_blocks(void)
{
	static const struct hbc_range range[] = {
		{ .first = 0x100000010, .bytes = 0x20 }, { .first = 0x100000031, .bytes = 0x40 },
	};
	struct hbc_block_end end = {
		.message = MESSAGE, .total = 0x010203040506070cULL, .end = 0x0102030405060700ULL,
		.from = 0x01020304050606ffULL, .epoch = EPOCH, .round = 0x91929394,
		.after = 0x81828384, .port = 0xaabb, .stage = 0xccdd,
	};
	struct hbc_block_ack ack = { .message = MESSAGE, .end = 0x0102030405060700ULL,
				     .epoch = EPOCH };
	struct hbc_nack nack = { .message = MESSAGE, .epoch = EPOCH, .count = 2 };

	check_put(SAMPLE_BLOCK_END, hbc_wire_put_block_end(out, 8, &end));
	check_put(SAMPLE_BLOCK_ACK, hbc_wire_put_block_ack(out, 8, &ack));
	check_put(SAMPLE_NACK, hbc_wire_put_nack(out, 8, &nack, range));
}

static void test_put_probes(void)
{
	struct hbc_hello hello = {
		.group = 0x11121314, .from = 0x21222324, .to = 0x21222324, .root = 0x21222324,
		.probe = true,
	};
	struct hbc_probe_frame probe = { .round = 0x91929394, .index = 0x8182 };
	struct hbc_ask_frame ask = { .round = 0x91929394, .ms = 60000, .count = 2, .every = 250 };
	struct hbc_task task[] = {
		{ .from = 0x01020304, .to = 0x05060708, .rate = 0x85868788, .index = 0x8182,
		  .kind = HBC_TASK_FLOW, .family = 4, .port = 7310, .addr = { 10, 0, 0, 9 } },
		{ .from = 0x05060708, .to = 0x01020304, .index = 0x8384, .count = 1000,
		  .kind = HBC_TASK_BURST, .family = 6, .port = 7311,
		  .addr = { 0xfd, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7 } },
	};
	struct hbc_sample_frame sample = {
		.ns = 0xb1b2b3b4b5b6b7b8ULL, .round = 0x91929394,
		.status = HBC_SAMPLE_BROADCAST, .count = 2,
	};
	struct hbc_figure figure[] = {
		{ .index = 0x8182, .state = HBC_TASK_DONE, .receives = true,
		  .value = { 0xc1c2c3c4c5c6c7c8ULL, 0xd1d2d3d4d5d6d7d8ULL } },
		{ .index = 0x8384, .state = HBC_TASK_FAILED, .error = 129,
		  .reject = HBC_REJECT_POLICY, .value = { 1, 2 } },
	};
	u8 payload[] = { 5, 4, 3, 2, 1 };

	count_up(hello.nonce, 0x60, HBC_NONCE_LEN);
	check_put(SAMPLE_HELLO_PROBE, hbc_wire_put_hello(out, 0, &hello));
	memcpy(out + HBC_PROBE_LEN, payload, sizeof(payload));
	check_put(SAMPLE_PROBE, hbc_wire_put_probe(out, HBC_PROBE_LAST, sizeof(payload), &probe));
	check_put(SAMPLE_PROBE_ASK, hbc_wire_put_ask(out, HBC_ASK_ANYWAY, &ask, task));
	check_put(SAMPLE_PROBE_SAMPLE, hbc_wire_put_sample(out, &sample, figure));
}

static void test_get_hdr(void)
{
	struct hbc_hdr h;
	unsigned int i;

	for (i = 0; i < NR_SAMPLES; i++) {
		const u8 *b = samples[i].bytes;

		ok(!hbc_wire_get_hdr(b, &h) && h.type == b[0] && h.flags == b[1] &&
		   h.slot == b[2] && h.length == samples[i].len,
		   "%s: header read", samples[i].name);
	}
}

/* At every alignment, in memory that ends where the frame does. */
static void test_again(void)
{
	unsigned int i, shift;

	for (i = 0; i < NR_SAMPLES; i++) {
		const struct sample *s = &samples[i];
		bool same = true;

		for (shift = 0; shift < 8; shift++) {
			u8 *frame = malloc(shift + s->len);

			if (!frame)
				tap_bail_out("no memory");
			memcpy(frame + shift, s->bytes, s->len);
			if (again(frame + shift, s->len, out + shift) != (int)s->len ||
			    memcmp(out + shift, s->bytes, s->len))
				same = false;
			free(frame);
		}
		ok(same, "%s: the same after reading and writing, at any alignment", s->name);
	}
}

static void test_fields_read(void)
{
	struct hbc_tree_node node[HBC_TREE_MAX_NODES];
	struct hbc_tree_frame t;
	struct hbc_fragment f;
	struct hbc_hdr h;

	hbc_wire_get_hdr(samples[SAMPLE_FRAGMENT].bytes, &h);
	ok(!hbc_wire_get_fragment(samples[SAMPLE_FRAGMENT].bytes, &h, &f) &&
	   f.epoch == EPOCH && f.crc == 0xe1e2e3e4 && f.message == MESSAGE &&
	   f.offset == 0x0102030405060700ULL && f.total == 0x010203040506070cULL &&
	   f.used == 0xf0f1f2f3f4f5f6f7ULL && f.port == 0xaabb && !f.reason,
	   "fragment: fields read");
	hbc_wire_get_hdr(samples[SAMPLE_TREE].bytes, &h);
	ok(!hbc_wire_get_tree(samples[SAMPLE_TREE].bytes, &h, &t, node) &&
	   t.epoch == EPOCH && t.total == 4 && t.first == 1 && t.count == 2 &&
	   node[0].node == 0x01020304 && node[0].nr_children == 2 &&
	   node[0].rate == 0x1011121314151617ULL && node[0].slots == 0x28 &&
	   !memcmp(node[0].addr, "\x0a\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0", 16) &&
	   node[0].port == 7310 && node[0].family == 4 && node[0].stage == 7 &&
	   node[0].flags == HBC_TREE_STRICT && node[1].flags == HBC_TREE_WHOLE &&
	   node[1].node == 0x05060708 && !node[1].nr_children && !node[1].rate &&
	   node[1].slots == 0x18 && node[1].port == 7311 && node[1].family == 6 &&
	   node[1].stage == 254 &&
	   !memcmp(node[1].addr, "\xfd\0\0\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0\x07", 16),
	   "tree: fields read");
}

int main(void)
{
	memset(out, 0xee, sizeof(out));
	test_put_handshake();
	test_put_tree();
	test_put_fragment();
	test_put_reports();
	test_put_blocks();
	test_put_probes();
	test_get_hdr();
	test_again();
	test_fields_read();
	return tap_done();
}
