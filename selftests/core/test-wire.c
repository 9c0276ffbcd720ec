// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of version 4: those that are good, byte by byte, and what makes them bad. */
#include "../lib/tap.h"
#include "wire/probe.h"
#include "wire/wire.h"

#define SEED	12

static u8 frame[HBC_FRAME_MAX];

/* A frame: type, tag, length, then one field a line. */
struct sample {
	const char *name;
	u16 len;
	u8 bytes[160];
};

static const struct sample samples[] = {
	{ "HELLO", 68, { 1, 4, 0, 68, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3,
			 1, 2, 3, 4, 5, 6, 7, 8, 63, 0, 0, 0, 0, 0, 0, 0, 0x60 } },
	{ "HELLO for measuring", 68, { 1, 4, 0, 68, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
				       1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } },
	{ "CHALLENGE", 72, { 2, 0, 0, 72, 0, 0, 0, 2, 0x80 } },
	{ "AUTH", 36, { 3, 0, 0, 36, 0xc0 } },
	{ "READY", 4, { 4, 0, 0, 4 } },
	{ "REJECT", 8, { 5, 0, 0, 8, 0, 3 } },
	{ "PLAN", 52, { 6, 0, 0, 52, 0, 0, 0, 9, 0x80, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 1, 0, 9, 9, 9, 9, 9, 9, 9, 9,
			0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ "TREE", 104, { 7, 0, 0, 104, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 1,
			 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1,
			 10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1c, 0x8e, 4, 0,
			 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
			 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x1c, 0x8e, 6, 0 } },
	{ "MESSAGE of a short one", 68, { 8, 0, 0, 68, 0, 0, 0, 0, 0, 0, 0, 1,
					  0, 0, 0, 0, 0, 0, 4, 0, 0x23, 0x28, 5, 0x98, 0, 5,
					  0, 0 } },
	{ "MESSAGE of a file", 73, { 8, 0, 0, 73, 1, 0, 0, 0, 0, 0, 0, 2,
				     0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 5, 0x98, 2, 0xdc, 1, 1,
				     1, 2, 3, 4, 5, 6, 7, 8, 0xaa,
				     [68] = 'a', '.', 'b', 'i', 'n' } },
	{ "LAST", 12, { 10, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 5 } },
	{ "OVER", 4, { 11, 0, 0, 4 } },
	{ "DONE", 44, { 12, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 9,
			0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1,
			0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 4 } },
	{ "TREE_ACK", 16, { 13, 0, 0, 16, 0, 0, 0, 9, 0, 0, 0, 4, 0, 6 } },
	{ "HAVE", 28, { 14, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2,
			0, 0, 0, 3, 0, 0, 0, 1 } },
	{ "HAVE of all", 12, { 14, 1, 0, 12, 0, 0, 0, 0, 0, 0, 0, 5 } },
	{ "HAVE that ends", 12, { 14, 2, 0, 12 } },
	{ "WANT", 20, { 15, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0, 2 } },
	{ "STOP", 4, { 16, 0, 0, 4 } },
	{ "ACK", 20, { 17, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6 } },
	{ "REPORT", 28, { 18, 0, 0, 28, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0,
			  0, 0, 0x10, 0, 0, 0, 0, 0 } },
	{ "LOST", 20, { 19, 1, 0, 20, 0, 0, 0, 9, 0, 6, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2 } },
	{ "LOST that is back", 20, { 19, 2, 0, 20, 0, 0, 0, 9, 0, 0, 0, 0,
				     0, 0, 0, 1, 0, 0, 0, 2 } },
	{ "PING", 12, { 20, 0, 0, 12, 1 } },
	{ "PONG", 12, { 21, 0, 0, 12, 1 } },
	{ "PROBE", 12, { 22, 1, 0, 12, 0, 0, 0, 1, 0, 3 } },
	{ "PROBE_ASK", 56, { 23, 1, 0, 56, 0, 0, 0, 1, 0, 0, 3, 0xe8, 0, 0, 0, 250,
			     0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 4, 0x1c, 0x8e,
			     0, 0, 10, 0, 0, 2 } },
	{ "PROBE_SAMPLE", 44, { 24, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0,
				0, 1, 2, 1, 0, 7 } },
};

#define N_SAMPLES	(sizeof(samples) / sizeof(*samples))

/* Another byte makes a frame bad. */
static const struct bad {
	const char *frame;
	const char *why;
	u16 at;
	u8 byte;
} bads[] = {
	{ "HELLO", "no group", 7, 0 }, { "HELLO", "from nobody", 11, 0 },
	{ "HELLO", "to nobody", 15, 0 }, { "HELLO", "no root", 19, 0 },
	{ "HELLO", "to itself", 15, 1 }, { "HELLO", "to the root", 15, 3 },
	{ "HELLO", "a slot too high", 28, 64 }, { "HELLO", "a flag that there is not", 29, 2 },
	{ "HELLO", "reserved bytes", 31, 1 }, { "HELLO", "a cipher", 35, 1 },
	{ "HELLO for measuring", "another root", 19, 2 },
	{ "HELLO for measuring", "a slot", 28, 1 },
	{ "HELLO for measuring", "an incarnation", 27, 1 },
	{ "HELLO for measuring", "for data, but without incarnation", 29, 0 },
	{ "CHALLENGE", "from nobody", 7, 0 }, { "CHALLENGE", "a tag", 1, 1 },
	{ "READY", "a length too many", 3, 5 }, { "READY", "no type", 0, 0 },
	{ "READY", "an unknown type", 0, 25 },
	{ "REJECT", "no reason", 5, 0 }, { "REJECT", "an unknown reason", 5, 8 },
	{ "REJECT", "reserved bytes", 7, 1 },
	{ "PLAN", "no epoch", 7, 0 }, { "PLAN", "a set of one slot, but two", 8, 0 },
	{ "PLAN", "not the slot of all", 15, 2 }, { "PLAN", "an unknown flag", 16, 4 },
	{ "PLAN", "reserved bytes", 19, 1 }, { "PLAN", "a slot without a rate", 43, 0 },
	{ "TREE", "no epoch", 7, 0 }, { "TREE", "more nodes than in all", 11, 2 },
	{ "TREE", "a first one behind all", 15, 9 }, { "TREE", "more nodes than may be", 10, 0x11 },
	{ "TREE", "a node without an id", 19, 0 }, { "TREE", "more children than follow", 23, 2 },
	{ "TREE", "children of the last node", 67, 1 }, { "TREE", "a node without slots", 39, 0 },
	{ "TREE", "IPv4 of more than 4 bytes", 47, 1 },
	{ "TREE", "an unknown family", 58, 5 }, { "TREE", "reserved bytes", 59, 1 },
	{ "MESSAGE of a short one", "number 0", 11, 0 },
	{ "MESSAGE of a short one", "too long for its fragments", 12, 1 },
	{ "MESSAGE of a short one", "an unknown kind", 26, 2 },
	{ "MESSAGE of a short one", "a time", 35, 1 },
	{ "MESSAGE of a short one", "a hash", 67, 1 },
	{ "MESSAGE of a short one", "and says so", 27, 1 },
	{ "MESSAGE of a short one", "pieces of no fragments", 25, 0 },
	{ "MESSAGE of a file", "longer than can be", 12, 0x80 },
	{ "MESSAGE of a file", "a hash that is not said", 27, 0 },
	{ "MESSAGE of a file", "another folder", 69, '/' },
	{ "MESSAGE of a file", "a name that ends", 70, 0 },
	{ "LAST", "of message 0", 11, 0 },
	{ "DONE", "before what is over", 19, 8 }, { "DONE", "none", 27, 0 },
	{ "DONE", "runs that touch", 35, 10 },
	{ "TREE_ACK", "no epoch", 7, 0 }, { "TREE_ACK", "a reason without a node", 11, 0 },
	{ "TREE_ACK", "an unknown reason", 13, 8 }, { "TREE_ACK", "reserved bytes", 15, 1 },
	{ "HAVE", "runs of message 0", 11, 0 }, { "HAVE", "runs that touch", 23, 2 },
	{ "HAVE", "a run of nothing", 27, 0 }, { "HAVE", "runs, and all", 1, 1 },
	{ "HAVE", "a run too long", 24, 0x80 }, { "HAVE", "an unknown flag", 1, 4 },
	{ "HAVE that ends", "of no message", 1, 0 }, { "HAVE that ends", "all of none", 1, 3 },
	{ "WANT", "of message 0", 11, 0 }, { "WANT", "nothing", 19, 0 },
	{ "REPORT", "no epoch", 7, 0 }, { "REPORT", "of message 0", 15, 0 },
	{ "REPORT", "of nobody", 22, 0 }, { "REPORT", "of more than may be", 23, 1 },
	{ "REPORT", "an unknown reason", 24, 10 }, { "REPORT", "reserved bytes", 27, 1 },
	{ "LOST", "no epoch", 7, 0 }, { "LOST", "no reason", 9, 0 },
	{ "LOST", "an unknown reason", 9, 10 }, { "LOST", "down and back", 1, 3 },
	{ "LOST", "nothing of both", 1, 0 }, { "LOST that is back", "a reason", 9, 1 },
	{ "PROBE", "no round", 7, 0 }, { "PROBE", "reserved bytes", 11, 1 },
	{ "PROBE_ASK", "no round", 7, 0 }, { "PROBE_ASK", "longer than a minute", 9, 1 },
	{ "PROBE_ASK", "samples too rare", 14, 4 },
	{ "PROBE_ASK", "from nobody", 19, 0 }, { "PROBE_ASK", "to itself", 23, 1 },
	{ "PROBE_ASK", "a flow of a number", 27, 1 }, { "PROBE_ASK", "an unknown kind", 34, 3 },
	{ "PROBE_ASK", "round trips of no number", 34, 1 },
	{ "PROBE_SAMPLE", "no round", 15, 0 }, { "PROBE_SAMPLE", "an unknown status", 17, 4 },
	{ "PROBE_SAMPLE", "an unknown state", 22, 4 },
	{ "PROBE_SAMPLE", "failed without a reason", 22, 3 },
	{ "PROBE_SAMPLE", "a reason without a failure", 24, 5 },
	{ "PROBE_SAMPLE", "an unknown reject", 25, 8 }, { "PROBE_SAMPLE", "neither end", 23, 2 },
};

/* 0, or what one of the two steps says. */
static int read_frame(void)
{
	struct hbc_hdr h;
	int err = hbc_wire_get_hdr(frame, &h);

	if (err || h.type == HBC_FRAME_DATA)
		return err;
	return hbc_wire_check(frame, &h);
}

static const struct sample *find(const char *name)
{
	size_t i;

	for (i = 0; i < N_SAMPLES; i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	tap_bail_out("there is no %s", name);
}

static void take(const struct sample *s)
{
	memset(frame, 0xee, sizeof(frame));
	memcpy(frame, s->bytes, s->len);
}

static void test_good(void)
{
	size_t i;

	for (i = 0; i < N_SAMPLES; i++) {
		take(&samples[i]);
		ok(!read_frame(), "%s", samples[i].name);
	}
}

static void test_bad(void)
{
	size_t i;

	for (i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
		take(find(bads[i].frame));
		frame[bads[i].at] = bads[i].byte;
		ok(read_frame() == -EBADMSG, "%s: %s", bads[i].frame, bads[i].why);
	}
}

static void test_data(void)
{
	struct hbc_wire_data *data = (struct hbc_wire_data *)frame;
	struct hbc_hdr h;

	take(find("READY"));
	hbc_wire_put_hdr(&data->hdr, HBC_FRAME_DATA, 63, 1448);
	data->message = htobe32(0x01020304);
	data->fragment = htobe32(5);
	data->crc = htobe32(0xa1a2a3a4);
	ok(!memcmp(frame, (u8[]){ 9, 63, 5, 0xa8, 1, 2, 3, 4, 0, 0, 0, 5, 0xa1, 0xa2, 0xa3, 0xa4 },
		   HBC_DATA_LEN), "DATA");
	ok(!hbc_wire_get_hdr(frame, &h) && h.type == HBC_FRAME_DATA && h.tag == 63 &&
	   h.length == 1448, "its header");
	hbc_wire_put_hdr(&data->hdr, HBC_FRAME_DATA, 64, 1448);
	ok(hbc_wire_get_hdr(frame, &h) == -EBADMSG, "DATA: a slot too high");
	hbc_wire_put_hdr(&data->hdr, HBC_FRAME_DATA, 0, HBC_DATA_LEN);
	ok(hbc_wire_get_hdr(frame, &h) == -EBADMSG, "DATA: no payload");
	take(find("HELLO"));
	frame[1] = 3;
	ok(read_frame() == -EPROTONOSUPPORT, "HELLO: another version");
	ok(sizeof(struct hbc_wire_tree) + HBC_TREE_NODES * sizeof(struct hbc_wire_node) <=
	   HBC_CONTROL_MAX && sizeof(struct hbc_wire_have) +
	   HBC_HAVE_RUNS * sizeof(struct hbc_wire_run) <= HBC_CONTROL_MAX,
	   "lists are no longer than frames");
}

/* What more than one byte must be. */
static void test_addresses(void)
{
	static const u8 none[16], four[16] = { 10, 0, 0, 1 }, six[16] = { 0xfd, [15] = 1 };

	ok(hbc_wire_is_addr(four, 4, 7310) && hbc_wire_is_addr(six, 6, 1), "addresses");
	ok(!hbc_wire_is_addr(none, 4, 7310) && !hbc_wire_is_addr(none, 6, 7310), "no address");
	ok(!hbc_wire_is_addr(four, 4, 0) && !hbc_wire_is_addr(six, 4, 1) &&
	   !hbc_wire_is_addr(four, 0, 1), "no port, or another family");
}

/* Nothing is read that is not there, whatever the bytes are. */
static void test_noise(void)
{
	unsigned int luck = SEED, good = 0, i, k;
	const struct sample *s;
	struct hbc_hdr h;
	u8 *copy;

	for (i = 0; i < 200000; i++) {
		s = &samples[i % N_SAMPLES];
		take(s);
		for (k = 0; k < 1 + i % 3; k++) {
			luck = luck * 1103515245 + 12345;
			frame[(luck >> 16) % s->len] = luck >> 8;
		}
		if (hbc_wire_get_hdr(frame, &h) || h.type == HBC_FRAME_DATA)
			continue;
		/* Of just that size, so that the sanitizer sees what is beyond. */
		copy = malloc(h.length);
		memcpy(copy, frame, h.length);
		good += !hbc_wire_check(copy, &h);
		free(copy);
	}
	printf("# seed %d, %u of 200000 were good\n", SEED, good);
	ok(good > 1000, "frames with noise are read to their ends");
}

int main(void)
{
	test_good();
	test_bad();
	test_data();
	test_addresses();
	test_noise();
	return tap_done();
}
