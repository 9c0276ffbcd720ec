// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What wire.c refuses: headers, by a table of what each type allows, and frames of which one
 * field has another value. What must be accepted is tested too.
 */
#include "../lib/tap.h"
#include "look.h"
#include "samples.h"

/* One byte longer than any frame. */
static u8 frame[HBC_FRAME_MAX + 1];

static void load(const struct sample *s)
{
	memset(frame, 0, sizeof(frame));
	memcpy(frame, s->bytes, s->len);
}

static void store(unsigned int at, unsigned int width, u64 value)
{
	while (width--) {
		frame[at + width] = value;
		value >>= 8;
	}
}

/* The frame's bytes alone, so that a read behind them is seen. */
static int try_exact(const u8 *bytes, unsigned int len)
{
	u8 *copy = malloc(len ?: 1);
	int ret;

	if (!copy)
		tap_bail_out("no memory");
	memcpy(copy, bytes, len);
	ret = look(copy, len);
	free(copy);
	return ret;
}

static int try_frame(void)
{
	unsigned int len = frame[2] << 8 | frame[3];

	return try_exact(frame, len < HBC_HDR_LEN ? HBC_HDR_LEN : len);
}

/* As Documentation/wire-format.md lists them. */
static const struct type {
	u8 type;
	u16 min;	/* shortest */
	u16 entry;	/* what is more comes in steps of this */
	u16 max;	/* longest */
	u8 tags;	/* bits that the tag may have */
} types[] = {
	{ 1, 68, 1, 68, 0 }, { 2, 72, 1, 72, 0 }, { 3, 36, 1, 36, 0 }, { 4, 4, 1, 4, 0 },
	{ 5, 8, 1, 8, 0 }, { 6, 36, 16, 20 + 64 * 16, 0 }, { 7, 60, 44, 16 + 92 * 44, 0 },
	{ 8, 68, 1, 68 + 255, 0 }, { 9, 17, 1, 65535, 63 }, { 10, 12, 1, 12, 0 },
	{ 11, 4, 1, 4, 3 }, { 12, 12, 16, 12 + 255 * 16, 0 }, { 13, 16, 1, 16, 0 },
	{ 14, 12, 8, 12 + 510 * 8, 7 }, { 15, 20, 8, 12 + 510 * 8, 0 }, { 16, 4, 1, 4, 0 },
	{ 17, 24, 1, 24, 1 }, { 18, 28, 20, 8 + 204 * 20, 0 }, { 19, 20, 8, 12 + 510 * 8, 3 },
	{ 20, 12, 1, 12, 0 }, { 21, 12, 1, 12, 0 }, { 22, 12, 1, 65535, 1 },
	{ 23, 16, 40, 16 + 102 * 40, 1 }, { 24, 20, 24, 20 + 169 * 24, 0 },
};

#define NR_TYPES	(sizeof(types) / sizeof(*types))

static int get_hdr(u8 type, u8 tag, unsigned int length)
{
	u8 bytes[HBC_HDR_LEN] = { type, tag, length >> 8, length };
	struct hbc_hdr h;

	return hbc_wire_get_hdr(bytes, &h);
}

/* Each length, with the tag that the type's samples have. */
static void test_lengths(void)
{
	unsigned int i, length, wrong;

	for (i = 0; i < NR_TYPES; i++) {
		const struct type *t = &types[i];
		u8 tag = t->type == HBC_FRAME_HELLO ? 4 : 0;

		for (wrong = 0, length = 0; length <= 65535; length++) {
			bool fine = length >= t->min && length <= t->max &&
				    !((length - t->min) % t->entry);

			wrong += get_hdr(t->type, tag, length) != (fine ? 0 : -EBADMSG);
		}
		ok(!wrong, "type %u: lengths", t->type);
	}
}

static void test_tags(void)
{
	unsigned int i, tag, wrong;

	for (i = 0; i < NR_TYPES; i++) {
		const struct type *t = &types[i];
		bool hello = t->type == HBC_FRAME_HELLO;

		for (wrong = 0, tag = 0; tag < 256; tag++) {
			bool fine = hello ? tag == 4 : !(tag & ~t->tags);

			wrong += get_hdr(t->type, tag, t->min) !=
				 (fine ? 0 : hello ? -EPROTONOSUPPORT : -EBADMSG);
		}
		ok(!wrong, "type %u: tags", t->type);
	}
}

static void test_types(void)
{
	static const unsigned int lengths[] = { 4, 12, 17, 20, 28, 68, 4096, 65535 };
	unsigned int wrong = 0, type, i;

	for (type = 0; type < 256; type++)
		for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
			if (!type || type > NR_TYPES)
				wrong += get_hdr(type, 0, lengths[i]) != -EBADMSG;
	ok(!wrong, "types that there are not");
}

/* Cut at every byte. */
static void test_cut(const struct sample *s)
{
	bool waits = true;
	unsigned int i;

	for (i = 0; i < s->len; i++)
		waits &= try_exact(s->bytes, i) == -EAGAIN;
	ok(waits, "%s: cut at every byte, more is asked for", s->name);
}

/* Whatever one byte becomes, the frame is refused, or is what its users rely on. */
static void test_bytes(const struct sample *s)
{
	bool good = true;
	unsigned int i, v;
	int ret;

	for (i = 0; i < s->len; i++) {
		for (v = 0; v < 256; v++) {
			load(s);
			frame[i] = v;
			ret = try_frame();
			good &= ret == -EBADMSG || ret == -EPROTONOSUPPORT || ret > 0;
		}
	}
	ok(good, "%s: any byte may be another one", s->name);
}

struct field {
	const char *what;
	u64 value;
	u16 at;
	u8 sample;
	u8 width;
};

static void test_fields(const struct field *field, unsigned int nr, bool fine)
{
	for (; nr--; field++) {
		const struct sample *s = &samples[field->sample];

		load(s);
		store(field->at, field->width, field->value);
		ok(try_frame() == (fine ? (int)s->len : -EBADMSG), "%s: %s %s", s->name,
		   field->what, fine ? "accepted" : "refused");
	}
}

static const struct field handshake_refused[] = {
	{ "group 0", 0, 4, SAMPLE_HELLO, 4 },
	{ "from 0", 0, 8, SAMPLE_HELLO, 4 },
	{ "to 0", 0, 12, SAMPLE_HELLO, 4 },
	{ "to is from", 0x21222324, 12, SAMPLE_HELLO, 4 },
	{ "to is root", 0x41424344, 12, SAMPLE_HELLO, 4 },
	{ "root 0", 0, 16, SAMPLE_HELLO, 4 },
	{ "incarnation 0", 0, 20, SAMPLE_HELLO, 8 },
	{ "slot 64", 64, 28, SAMPLE_HELLO, 1 },
	{ "an unknown flag", 2, 29, SAMPLE_HELLO, 1 },
	{ "a flag beside it", 3, 29, SAMPLE_HELLO_PROBE, 1 },
	{ "reserved byte", 1, 30, SAMPLE_HELLO, 1 },
	{ "last reserved byte", 1, 31, SAMPLE_HELLO, 1 },
	{ "a cipher", 1, 32, SAMPLE_HELLO, 4 },
	{ "another root", 0x31323334, 16, SAMPLE_HELLO_PROBE, 4 },
	{ "a slot", 1, 28, SAMPLE_HELLO_PROBE, 1 },
	{ "an incarnation", 1, 20, SAMPLE_HELLO_PROBE, 8 },
	{ "to itself, with a tree", 0, 29, SAMPLE_HELLO_PROBE, 1 },
	{ "node 0", 0, 4, SAMPLE_CHALLENGE, 4 },
	{ "reason NONE", 0, 4, SAMPLE_REJECT, 2 },
	{ "reason out of range", 8, 4, SAMPLE_REJECT, 2 },
	{ "reason 256", 256, 4, SAMPLE_REJECT, 2 },
	{ "reserved byte", 1, 6, SAMPLE_REJECT, 1 },
	{ "last reserved byte", 1, 7, SAMPLE_REJECT, 1 },
};

static const struct field handshake_accepted[] = {
	{ "from is root", 0x41424344, 8, SAMPLE_HELLO, 4 },
	{ "the last incarnation", ~0ULL, 20, SAMPLE_HELLO, 8 },
	{ "to another node", 0x31323334, 12, SAMPLE_HELLO_PROBE, 4 },
	{ "last reason", 7, 4, SAMPLE_REJECT, 2 },
};

static const struct field tree_refused[] = {
	{ "epoch 0", 0, 4, SAMPLE_PLAN, 4 },
	{ "no slots", 0, 8, SAMPLE_PLAN, 8 },
	{ "one slot, but two rates", 1, 8, SAMPLE_PLAN, 8 },
	{ "three slots, but two rates", 7, 8, SAMPLE_PLAN, 8 },
	{ "not the slot of all", 6, 8, SAMPLE_PLAN, 8 },
	{ "an unknown flag", 4, 16, SAMPLE_PLAN, 1 },
	{ "reserved byte", 1, 17, SAMPLE_PLAN, 1 },
	{ "last reserved byte", 1, 19, SAMPLE_PLAN, 1 },
	{ "rate 0", 0, 20, SAMPLE_PLAN, 8 },
	{ "last rate 0", 0, 36, SAMPLE_PLAN, 8 },
	{ "epoch 0", 0, 4, SAMPLE_TREE, 4 },
	{ "total 0", 0, 8, SAMPLE_TREE, 4 },
	{ "total below the count", 1, 8, SAMPLE_TREE, 4 },
	{ "total cuts the nodes off", 2, 8, SAMPLE_TREE, 4 },
	{ "total 4097", 4097, 8, SAMPLE_TREE, 4 },
	{ "total 2^32 - 1", 0xffffffff, 8, SAMPLE_TREE, 4 },
	{ "first beyond the total", 3, 12, SAMPLE_TREE, 4 },
	{ "first at the total", 4, 12, SAMPLE_TREE, 4 },
	{ "first + count wraps", 0xffffffff, 12, SAMPLE_TREE, 4 },
	{ "first + count wraps to 0", 0xfffffffe, 12, SAMPLE_TREE, 4 },
	{ "node 0", 0, 16, SAMPLE_TREE, 4 },
	{ "second node 0", 0, 60, SAMPLE_TREE, 4 },
	{ "more children than nodes behind", 3, 20, SAMPLE_TREE, 4 },
	{ "2^32 - 1 children", 0xffffffff, 20, SAMPLE_TREE, 4 },
	{ "more children than nodes behind the second", 2, 64, SAMPLE_TREE, 4 },
	{ "no slots", 0, 32, SAMPLE_TREE, 8 },
	{ "no address", 0, 40, SAMPLE_TREE, 4 },
	{ "a byte behind an IPv4 address", 1, 44, SAMPLE_TREE, 1 },
	{ "the last byte behind an IPv4 address", 1, 55, SAMPLE_TREE, 1 },
	{ "port 0", 0, 56, SAMPLE_TREE, 2 },
	{ "family 0", 0, 58, SAMPLE_TREE, 1 },
	{ "family 5", 5, 58, SAMPLE_TREE, 1 },
	{ "a long address of family 4", 4, 102, SAMPLE_TREE, 1 },
	{ "reserved byte", 1, 59, SAMPLE_TREE, 1 },
	{ "last reserved byte", 1, 103, SAMPLE_TREE, 1 },
	{ "epoch 0", 0, 4, SAMPLE_TREE_ACK, 4 },
	{ "reason out of range", 8, 12, SAMPLE_TREE_ACK, 2 },
	{ "a reason but no node", 0, 8, SAMPLE_TREE_ACK, 4 },
	{ "a reason but no node", 1, 12, SAMPLE_TREE_READY, 2 },
	{ "reserved byte", 1, 14, SAMPLE_TREE_ACK, 1 },
	{ "last reserved byte", 1, 15, SAMPLE_TREE_ACK, 1 },
};

static const struct field tree_accepted[] = {
	{ "other slots", 0x8000000000000000 | 1, 8, SAMPLE_PLAN, 8 },
	{ "slots 0 and 1", 3, 8, SAMPLE_PLAN, 8 },
	{ "no flags", 0, 16, SAMPLE_PLAN, 1 },
	{ "the highest rate", ~0ULL, 20, SAMPLE_PLAN, 8 },
	{ "total 4096", 4096, 8, SAMPLE_TREE, 4 },
	{ "first 0", 0, 12, SAMPLE_TREE, 4 },
	{ "as many children as nodes behind", 1, 64, SAMPLE_TREE, 4 },
	{ "all slots", ~0ULL, 32, SAMPLE_TREE, 8 },
	{ "family 6 of a short address", 6, 58, SAMPLE_TREE, 1 },
	{ "a node that was not reached", 0, 12, SAMPLE_TREE_ACK, 2 },
};

/* 2^32 - 1 fragments of 1024 bytes. */
#define TOO_LONG	(0xffffffffULL * 1024)

static const struct field message_refused[] = {
	{ "message 0", 0, 4, SAMPLE_MESSAGE, 8 },
	{ "message 2^64 - 1", ~0ULL, 4, SAMPLE_MESSAGE, 8 },
	{ "message 2^64 - 2", ~0ULL - 1, 4, SAMPLE_MESSAGE, 8 },
	{ "total 2^63", 1ULL << 63, 12, SAMPLE_MESSAGE, 8 },
	{ "total 2^64 - 1", ~0ULL, 12, SAMPLE_MESSAGE_FILE, 8 },
	{ "more fragments than have numbers", TOO_LONG, 12, SAMPLE_MESSAGE, 8 },
	{ "port 0", 0, 20, SAMPLE_MESSAGE, 2 },
	{ "payload 0", 0, 22, SAMPLE_MESSAGE, 2 },
	{ "payload 65520", 65520, 22, SAMPLE_MESSAGE, 2 },
	{ "pieces of nothing", 0, 24, SAMPLE_MESSAGE, 2 },
	{ "an unknown kind", 2, 26, SAMPLE_MESSAGE, 1 },
	{ "a hash of a short one", 1, 27, SAMPLE_MESSAGE, 1 },
	{ "a time of a short one", 1, 28, SAMPLE_MESSAGE, 8 },
	{ "a hash of which it does not tell", 1, 67, SAMPLE_MESSAGE, 1 },
	{ "a file's hash of which it does not tell", 0, 27, SAMPLE_MESSAGE_FILE, 1 },
	{ "hashed twice", 2, 27, SAMPLE_MESSAGE_FILE, 1 },
	{ "a short one with a name", 0, 26, SAMPLE_MESSAGE_FILE, 1 },
	{ "a path", '/', 69, SAMPLE_MESSAGE_FILE, 1 },
	{ "a name that ends early", 0, 72, SAMPLE_MESSAGE_FILE, 1 },
	{ "message 0", 0, 4, SAMPLE_LAST, 8 },
	{ "message 0 over", 0, 12, SAMPLE_DONE, 8 },
	{ "no messages", 0, 20, SAMPLE_DONE, 8 },
	{ "up to the next", 2, 20, SAMPLE_DONE, 8 },
	{ "into the next", 3, 20, SAMPLE_DONE, 8 },
	{ "numbers that descend", 4, 28, SAMPLE_DONE, 8 },
	{ "numbers that wrap", ~0ULL - 6, 36, SAMPLE_DONE, 8 },
	{ "numbers up to the last of all", ~0ULL - 7, 36, SAMPLE_DONE, 8 },
};

static const struct field message_accepted[] = {
	{ "the last number", ~0ULL - 2, 4, SAMPLE_MESSAGE, 8 },
	{ "no bytes", 0, 12, SAMPLE_MESSAGE, 8 },
	{ "the most fragments", TOO_LONG - 1, 12, SAMPLE_MESSAGE, 8 },
	{ "the longest fragments", 65519, 22, SAMPLE_MESSAGE, 2 },
	{ "the longest pieces", 65535, 24, SAMPLE_MESSAGE, 2 },
	{ "the last port", 65535, 20, SAMPLE_MESSAGE, 2 },
	{ "no time", 0, 28, SAMPLE_MESSAGE_FILE, 8 },
	{ "a name that begins with a dot", '.', 68, SAMPLE_MESSAGE_FILE, 1 },
	{ "nothing that is not kept", 0, 4, SAMPLE_DONE, 8 },
	{ "all that are not kept", ~0ULL, 4, SAMPLE_DONE, 8 },
	{ "all numbers", ~0ULL - 8, 36, SAMPLE_DONE, 8 },
};

static const struct field pieces_refused[] = {
	{ "pieces of message 0", 0, 4, SAMPLE_HAVE, 8 },
	{ "all of message 0", 0, 4, SAMPLE_HAVE_ALL, 8 },
	{ "message 0, and it is not the end", 0, 1, SAMPLE_HAVE_END, 1 },
	{ "all of message 0 at the end", 3, 1, SAMPLE_HAVE_END, 1 },
	{ "all, and pieces", 1, 1, SAMPLE_HAVE, 1 },
	{ "slots of message 0 at the end", 6, 1, SAMPLE_HAVE_END, 1 },
	{ "no pieces", 0, 16, SAMPLE_HAVE, 4 },
	{ "a run up to the next", 3, 16, SAMPLE_HAVE, 4 },
	{ "a run into the next", 4, 16, SAMPLE_HAVE, 4 },
	{ "runs that descend", 0, 20, SAMPLE_HAVE, 4 },
	{ "a run from 2^31 on", 1ULL << 31, 20, SAMPLE_HAVE, 4 },
	{ "a run of 2^31", 1ULL << 31, 24, SAMPLE_HAVE, 4 },
	{ "message 0", 0, 4, SAMPLE_WANT, 8 },
	{ "no pieces", 0, 24, SAMPLE_WANT, 4 },
	{ "a run up to the next", 3, 16, SAMPLE_WANT, 4 },
};

static const struct field pieces_accepted[] = {
	{ "a message at the end", 1, 4, SAMPLE_HAVE_END, 8 },
	{ "all of the last message", 3, 1, SAMPLE_HAVE_ALL, 1 },
	{ "pieces of the last message", 2, 1, SAMPLE_HAVE, 1 },
	{ "pieces without their slots", 4, 1, SAMPLE_HAVE, 1 },
	{ "all without their slots", 5, 1, SAMPLE_HAVE_ALL, 1 },
	{ "the last run", 0x7fffffff7fffffffULL, 20, SAMPLE_HAVE, 8 },
};

static const struct field report_refused[] = {
	{ "epoch 0", 0, 4, SAMPLE_REPORT, 4 },
	{ "message 0", 0, 8, SAMPLE_REPORT, 8 },
	{ "second message 0", 0, 28, SAMPLE_REPORT, 8 },
	{ "a node too high", 4096, 16, SAMPLE_REPORT, 4 },
	{ "nobody", 0, 20, SAMPLE_REPORT, 4 },
	{ "too many nodes", 4097, 20, SAMPLE_REPORT, 4 },
	{ "nodes beyond the last", 4088, 40, SAMPLE_REPORT, 4 },
	{ "2^32 - 1 nodes", 0xffffffff, 40, SAMPLE_REPORT, 4 },
	{ "reason out of range", 13, 24, SAMPLE_REPORT, 1 },
	{ "reserved byte", 1, 25, SAMPLE_REPORT, 1 },
	{ "last reserved byte", 1, 47, SAMPLE_REPORT, 1 },
	{ "epoch 0", 0, 4, SAMPLE_LOST, 4 },
	{ "epoch 0", 0, 4, SAMPLE_ACK, 4 },
	{ "file 0", 0, 8, SAMPLE_ACK_FILE, 8 },
	{ "no reason", 0, 8, SAMPLE_LOST, 2 },
	{ "reason out of range", 13, 8, SAMPLE_LOST, 2 },
	{ "neither down nor back", 0, 1, SAMPLE_LOST, 1 },
	{ "down and back", 3, 1, SAMPLE_LOST, 1 },
	{ "back with a reason", 5, 8, SAMPLE_LOST_BACK, 2 },
	{ "reserved byte", 1, 10, SAMPLE_LOST, 1 },
	{ "last reserved byte", 1, 11, SAMPLE_LOST, 1 },
	{ "nobody", 0, 16, SAMPLE_LOST, 4 },
	{ "nodes up to the next", 4, 16, SAMPLE_LOST, 4 },
};

static const struct field report_accepted[] = {
	{ "delivered", 0, 44, SAMPLE_REPORT, 1 },
	{ "all nodes", 4096, 20, SAMPLE_REPORT, 4 },
	{ "nodes up to the last", 4087, 40, SAMPLE_REPORT, 4 },
	{ "last reason", 12, 8, SAMPLE_LOST, 2 },
	{ "no message", 0, 8, SAMPLE_ACK, 8 },
	{ "2^64 - 1 bytes", ~0ULL, 16, SAMPLE_ACK, 8 },
	{ "token 0", 0, 4, SAMPLE_PING, 8 },
};

static const struct field probe_refused[] = {
	{ "round 0", 0, 4, SAMPLE_PROBE, 4 },
	{ "reserved byte", 1, 10, SAMPLE_PROBE, 1 },
	{ "last reserved byte", 1, 11, SAMPLE_PROBE, 1 },
	{ "round 0", 0, 4, SAMPLE_PROBE_ASK, 4 },
	{ "no time", 0, 8, SAMPLE_PROBE_ASK, 4 },
	{ "more than a minute", 60001, 8, SAMPLE_PROBE_ASK, 4 },
	{ "a sample in more than a second", 1001, 12, SAMPLE_PROBE_ASK, 4 },
	{ "from 0", 0, 16, SAMPLE_PROBE_ASK, 4 },
	{ "to 0", 0, 20, SAMPLE_PROBE_ASK, 4 },
	{ "from a node to itself", 0x01020304, 20, SAMPLE_PROBE_ASK, 4 },
	{ "a flow with a count", 1, 24, SAMPLE_PROBE_ASK, 4 },
	{ "round trips without a count", 0x81820104, 32, SAMPLE_PROBE_ASK, 4 },
	{ "an unknown kind", 3, 74, SAMPLE_PROBE_ASK, 1 },
	{ "a burst without a count", 0, 64, SAMPLE_PROBE_ASK, 4 },
	{ "a burst of 1001", 1001, 64, SAMPLE_PROBE_ASK, 4 },
	{ "a burst with a rate", 1, 68, SAMPLE_PROBE_ASK, 4 },
	{ "family 5", 5, 35, SAMPLE_PROBE_ASK, 1 },
	{ "port 0", 0, 36, SAMPLE_PROBE_ASK, 2 },
	{ "a task's reserved byte", 1, 39, SAMPLE_PROBE_ASK, 1 },
	{ "no address", 0, 40, SAMPLE_PROBE_ASK, 4 },
	{ "a byte behind an IPv4 address", 1, 44, SAMPLE_PROBE_ASK, 1 },
	{ "round 0", 0, 12, SAMPLE_PROBE_SAMPLE, 4 },
	{ "an unknown status", 4, 16, SAMPLE_PROBE_SAMPLE, 2 },
	{ "reserved byte", 1, 18, SAMPLE_PROBE_SAMPLE, 1 },
	{ "an unknown state", 4, 22, SAMPLE_PROBE_SAMPLE, 1 },
	{ "neither sends nor receives", 2, 23, SAMPLE_PROBE_SAMPLE, 1 },
	{ "an error though it is done", 1, 24, SAMPLE_PROBE_SAMPLE, 1 },
	{ "failed for no error", 0, 48, SAMPLE_PROBE_SAMPLE, 1 },
	{ "an unknown reason", 8, 49, SAMPLE_PROBE_SAMPLE, 1 },
	{ "a figure's reserved byte", 1, 50, SAMPLE_PROBE_SAMPLE, 1 },
};

static const struct field probe_accepted[] = {
	{ "more to come", 0, 1, SAMPLE_PROBE, 1 },
	{ "a millisecond", 1, 8, SAMPLE_PROBE_ASK, 4 },
	{ "a sample each second", 1000, 12, SAMPLE_PROBE_ASK, 4 },
	{ "samples as the node likes", 0, 12, SAMPLE_PROBE_ASK, 4 },
	{ "unless there is a broadcast", 0, 1, SAMPLE_PROBE_ASK, 1 },
	{ "a flow without a rate", 0, 28, SAMPLE_PROBE_ASK, 4 },
	{ "round trips", 1, 74, SAMPLE_PROBE_ASK, 1 },
	{ "one of them", 1, 64, SAMPLE_PROBE_ASK, 4 },
	{ "at once", 0, 4, SAMPLE_PROBE_SAMPLE, 8 },
	{ "a running task", 1, 22, SAMPLE_PROBE_SAMPLE, 1 },
};

/* A file of that name. */
static int named(const char *name)
{
	unsigned int len = 68 + strlen(name);

	load(&samples[SAMPLE_MESSAGE_FILE]);
	memcpy(frame + 68, name, strlen(name));
	store(2, 2, len);
	return try_frame() == (int)len ? 0 : -EBADMSG;
}

static void test_names(void)
{
	char long_name[256];

	ok(!named("") && !named("x") && !named("...") && !named(".x"), "names of files");
	ok(named(".") && named("..") && named("/") && named("a/b"), "names of folders refused");
	memset(long_name, 'x', 255);
	long_name[255] = 0;
	ok(!named(long_name), "a name of 255 bytes accepted");
}

/* Nodes @first and on of 4096, as many as a frame has room for. */
static void test_longest_tree(void)
{
	unsigned int i;

	load(&samples[SAMPLE_TREE]);
	for (i = 0; i < 92; i++) {
		memcpy(frame + 16 + i * 44, samples[SAMPLE_TREE].bytes + 16, 44);
		store(16 + i * 44 + 4, 4, 0);
	}
	store(2, 2, 16 + 92 * 44);
	store(8, 4, 4096);
	store(12, 4, 4004);
	ok(try_frame() == 16 + 92 * 44, "tree: the last 92 of 4096 nodes accepted");
	store(12, 4, 4005);
	ok(try_frame() == -EBADMSG, "tree: one node more refused");
}

static void test_longest_plan(void)
{
	unsigned int i;

	load(&samples[SAMPLE_PLAN]);
	for (i = 0; i < 64; i++)
		store(20 + i * 16, 8, 1);
	store(2, 2, 20 + 64 * 16);
	store(8, 8, ~0ULL);
	ok(try_frame() == 20 + 64 * 16, "plan: 64 slots accepted");
	store(8, 8, ~0ULL >> 1);
	ok(try_frame() == -EBADMSG, "plan: 64 rates for 63 slots refused");
}

static void test_longest_have(void)
{
	unsigned int i;

	load(&samples[SAMPLE_HAVE]);
	for (i = 0; i < 510; i++) {
		store(12 + i * 8, 4, 2 * i);
		store(16 + i * 8, 4, 1);
	}
	store(2, 2, 12 + 510 * 8);
	ok(try_frame() == 12 + 510 * 8, "have: 510 runs accepted");
}

#define TEST_FIELDS(table, fine)	test_fields(table, sizeof(table) / sizeof((table)[0]), fine)

int main(void)
{
	unsigned int i;

	test_lengths();
	test_tags();
	test_types();
	for (i = 0; i < NR_SAMPLES; i++) {
		test_cut(&samples[i]);
		test_bytes(&samples[i]);
	}
	TEST_FIELDS(handshake_refused, false);
	TEST_FIELDS(handshake_accepted, true);
	TEST_FIELDS(tree_refused, false);
	TEST_FIELDS(tree_accepted, true);
	TEST_FIELDS(message_refused, false);
	TEST_FIELDS(message_accepted, true);
	TEST_FIELDS(pieces_refused, false);
	TEST_FIELDS(pieces_accepted, true);
	TEST_FIELDS(report_refused, false);
	TEST_FIELDS(report_accepted, true);
	TEST_FIELDS(probe_refused, false);
	TEST_FIELDS(probe_accepted, true);
	test_names();
	test_longest_tree();
	test_longest_plan();
	test_longest_have();
	return tap_done();
}
