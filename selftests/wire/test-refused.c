// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What wire.c refuses. Each case changes one field of a good frame; that the
 * unchanged frames are accepted is tested too.
 */
#include "../lib/tap.h"
#include "again.h"
#include "samples.h"

/* One byte longer than any frame, and where get_hdr's limits are tried. */
static u8 frame[HBC_FRAGMENT_MAX + 1];
static u8 out[HBC_FRAGMENT_MAX + 1];

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

static int try_frame(void)
{
	return again(frame, sizeof(frame), out);
}

/* The frame's bytes alone, so that a read behind them is seen. */
static int try_exact(const u8 *bytes, unsigned int len)
{
	u8 *copy = malloc(len ?: 1);
	int ret;

	if (!copy)
		tap_bail_out("no memory");
	memcpy(copy, bytes, len);
	ret = again(copy, len, out);
	free(copy);
	return ret;
}

/* Frames that have the same fields as another type, or could have. */
static bool type_fine(const struct sample *s, int nr, unsigned int type)
{
	if (type == s->bytes[0])
		return true;
	switch (nr) {
	case SAMPLE_REJECT:		/* its reason as EPOCH_END's epoch */
		return type == 11;
	case SAMPLE_FRAGMENT_EMPTY:	/* its crc and message as HELLO's ids */
	case SAMPLE_NACK:		/* as its count and message */
	case SAMPLE_BLOCK_END:		/* as its round and message */
		return type == 1;
	case SAMPLE_PING:
	case SAMPLE_PONG:
		return type == 12 || type == 13;
	default:
		return false;
	}
}

static bool flags_fine(const struct sample *s, int nr, unsigned int flags)
{
	bool plain = nr == SAMPLE_FRAGMENT || nr == SAMPLE_FRAGMENT_EMPTY ||
		     nr == SAMPLE_FRAGMENT_REPAIR;

	if (nr == SAMPLE_PROBE || nr == SAMPLE_PROBE_ASK)
		return flags < 2;
	return flags == s->bytes[1] || (plain && (!flags || flags == 2));
}

static bool slot_fine(const struct sample *s, int nr, unsigned int slot)
{
	(void)s;
	switch (nr) {
	case SAMPLE_CHALLENGE:
	case SAMPLE_AUTH:
	case SAMPLE_READY:
	case SAMPLE_REJECT:
	case SAMPLE_PING:
	case SAMPLE_PONG:
	case SAMPLE_HELLO_PROBE:
	case SAMPLE_PROBE:
	case SAMPLE_PROBE_ASK:
	case SAMPLE_PROBE_SAMPLE:
		return !slot;
	case SAMPLE_TREE:	/* both nodes are in slot 3 only */
		return slot == 3;
	default:
		return slot < 64;
	}
}

static bool version_fine(const struct sample *s, int nr, unsigned int version)
{
	(void)s;
	(void)nr;
	return version == 3;
}

/* All values of a byte of the frame's header; those that are not fine get @error. */
static void test_byte(const struct sample *s, int nr, unsigned int at,
		      bool (*fine)(const struct sample *s, int nr, unsigned int v),
		      int error, const char *what)
{
	bool good = true;
	unsigned int v;

	for (v = 0; v < 256; v++) {
		load(s);
		frame[at] = v;
		good &= try_frame() == (fine(s, nr, v) ? (int)s->len : error);
	}
	ok(good, "%s: %s refused", s->name, what);
}

static void test_header(const struct sample *s, int nr)
{
	test_byte(s, nr, 0, type_fine, -EBADMSG, "other types");
	test_byte(s, nr, 1, flags_fine, -EBADMSG, "other flags");
	test_byte(s, nr, 2, slot_fine, -EBADMSG, "slots out of range");
	test_byte(s, nr, 3, version_fine, -EPROTONOSUPPORT, "other versions");
}

static void test_length(const struct sample *s, int nr)
{
	static const u32 far[] = { 65537, 0x7fffffff, 0x80000000, 0xffffffff };
	bool good = true;
	unsigned int i;

	load(s);
	for (i = 0; i <= 65536; i++) {
		/* The fragments' messages end so many bytes behind their offsets. */
		unsigned int more = nr == SAMPLE_FRAGMENT ? 12 :
				    nr == SAMPLE_FRAGMENT_REPAIR ? 2 : 0;
		bool fine = nr == SAMPLE_PROBE ? i >= 16 :
			    more ? i > 56 && i <= 56 + more : i == s->len;

		store(4, 4, i);
		good &= try_frame() == (fine ? (int)i : -EBADMSG);
	}
	for (i = 0; i < 4; i++) {
		store(4, 4, far[i]);
		good &= try_frame() == -EBADMSG;
	}
	ok(good, "%s: wrong lengths refused", s->name);
}

static void test_cut(const struct sample *s, int nr)
{
	bool waits = true, good = true;
	unsigned int i;

	for (i = 0; i < s->len; i++) {
		waits &= try_exact(s->bytes, i) == -EAGAIN;
		if (i < HBC_HDR_LEN || (i >= 16 && nr == SAMPLE_PROBE) ||
		    (i > 56 && (nr == SAMPLE_FRAGMENT || nr == SAMPLE_FRAGMENT_REPAIR)))
			continue;
		load(s);
		store(4, 4, i);
		good &= try_exact(frame, i) == -EBADMSG;
	}
	ok(waits, "%s: cut at every byte, more is asked for", s->name);
	ok(good, "%s: cut at every byte with a length that agrees, refused", s->name);
}

/* Whatever one byte becomes, the frame is refused or read as what it says. */
static void test_bytes(const struct sample *s)
{
	bool good = true;
	unsigned int i, v;

	for (i = 0; i < s->len; i++) {
		for (v = 0; v < 256; v++) {
			int len;

			load(s);
			frame[i] = v;
			len = try_frame();
			good &= len == -EBADMSG || len == -EPROTONOSUPPORT ||
				(len > 0 && !memcmp(out, frame, len));
		}
	}
	ok(good, "%s: no byte is overlooked", s->name);
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
	{ "group 0", 0, 8, SAMPLE_HELLO, 4 },
	{ "another root", 0x31323334, 20, SAMPLE_HELLO_PROBE, 4 },
	{ "a slot", 1, 2, SAMPLE_HELLO_PROBE, 1 },
	{ "to itself, with a tree", 0, 1, SAMPLE_HELLO_PROBE, 1 },
	{ "from 0", 0, 12, SAMPLE_HELLO, 4 },
	{ "to 0", 0, 16, SAMPLE_HELLO, 4 },
	{ "to is from", 0x21222324, 16, SAMPLE_HELLO, 4 },
	{ "to is root", 0x41424344, 16, SAMPLE_HELLO, 4 },
	{ "root 0", 0, 20, SAMPLE_HELLO, 4 },
	{ "node 0", 0, 8, SAMPLE_CHALLENGE, 4 },
	{ "reason NONE", 0, 8, SAMPLE_REJECT, 2 },
	{ "reason out of range", 8, 8, SAMPLE_REJECT, 2 },
	{ "reason 256", 256, 8, SAMPLE_REJECT, 2 },
	{ "reserved byte", 1, 10, SAMPLE_REJECT, 1 },
	{ "last reserved byte", 1, 11, SAMPLE_REJECT, 1 },
};

static const struct field tree_refused[] = {
	{ "epoch 0", 0, 8, SAMPLE_TREE, 4 },
	{ "total 0", 0, 12, SAMPLE_TREE, 4 },
	{ "total below the count", 1, 12, SAMPLE_TREE, 4 },
	{ "total cuts the nodes off", 2, 12, SAMPLE_TREE, 4 },
	{ "total 4097", 4097, 12, SAMPLE_TREE, 4 },
	{ "total 2^32 - 1", 0xffffffff, 12, SAMPLE_TREE, 4 },
	{ "first beyond the total", 3, 16, SAMPLE_TREE, 4 },
	{ "first at the total", 4, 16, SAMPLE_TREE, 4 },
	{ "first + count wraps", 0xffffffff, 16, SAMPLE_TREE, 4 },
	{ "first + count wraps to 0", 0xfffffffe, 16, SAMPLE_TREE, 4 },
	{ "count 0", 0, 20, SAMPLE_TREE, 2 },
	{ "count less than sent", 1, 20, SAMPLE_TREE, 2 },
	{ "count more than sent", 3, 20, SAMPLE_TREE, 2 },
	{ "count 65535", 0xffff, 20, SAMPLE_TREE, 2 },
	{ "reserved byte", 1, 22, SAMPLE_TREE, 1 },
	{ "last reserved byte", 1, 23, SAMPLE_TREE, 1 },
	{ "node 0", 0, 24, SAMPLE_TREE, 4 },
	{ "second node 0", 0, 68, SAMPLE_TREE, 4 },
	{ "more children than nodes behind", 3, 28, SAMPLE_TREE, 4 },
	{ "2^32 - 1 children", 0xffffffff, 28, SAMPLE_TREE, 4 },
	{ "more children than nodes behind the second", 2, 72, SAMPLE_TREE, 4 },
	{ "no slots", 0, 40, SAMPLE_TREE, 8 },
	{ "a node outside the slot", 0x20, 40, SAMPLE_TREE, 8 },
	{ "no address", 0, 48, SAMPLE_TREE, 4 },
	{ "a byte behind an IPv4 address", 1, 52, SAMPLE_TREE, 1 },
	{ "the last byte behind an IPv4 address", 1, 63, SAMPLE_TREE, 1 },
	{ "port 0", 0, 64, SAMPLE_TREE, 2 },
	{ "family 0", 0, 66, SAMPLE_TREE, 1 },
	{ "family 5", 5, 66, SAMPLE_TREE, 1 },
	{ "an unknown flag", 0x44, 66, SAMPLE_TREE, 1 },
	{ "a flag alone", 0x10, 66, SAMPLE_TREE, 1 },
	{ "a long address of family 4", 4, 110, SAMPLE_TREE, 1 },
	{ "epoch 0", 0, 8, SAMPLE_TREE_ACK, 4 },
	{ "reason out of range", 8, 16, SAMPLE_TREE_ACK, 2 },
	{ "a reason but no node", 0, 12, SAMPLE_TREE_ACK, 4 },
	{ "a reason but no node", 1, 16, SAMPLE_TREE_READY, 2 },
	{ "reserved byte", 1, 18, SAMPLE_TREE_ACK, 1 },
	{ "last reserved byte", 1, 19, SAMPLE_TREE_ACK, 1 },
	{ "epoch 0", 0, 8, SAMPLE_EPOCH_END, 4 },
};

static const struct field tree_accepted[] = {
	{ "total 4096", 4096, 12, SAMPLE_TREE, 4 },
	{ "first 0", 0, 16, SAMPLE_TREE, 4 },
	{ "as many children as nodes behind", 1, 72, SAMPLE_TREE, 4 },
	{ "all slots", ~0ULL, 40, SAMPLE_TREE, 8 },
	{ "the last stage", 255, 67, SAMPLE_TREE, 1 },
	{ "family 6 of a short address", 6, 66, SAMPLE_TREE, 1 },
	{ "a node that was not reached", 0, 16, SAMPLE_TREE_ACK, 2 },
};

static const struct field fragment_refused[] = {
	{ "epoch 0", 0, 8, SAMPLE_FRAGMENT, 4 },
	{ "message 0", 0, 16, SAMPLE_FRAGMENT, 8 },
	{ "payload beyond the end", 0x0102030405060708ULL, 24, SAMPLE_FRAGMENT, 8 },
	{ "offset at the end", 0x010203040506070cULL, 24, SAMPLE_FRAGMENT, 8 },
	{ "offset beyond the end", 0x010203040506070dULL, 24, SAMPLE_FRAGMENT, 8 },
	{ "offset + payload wraps", ~0ULL - 4, 24, SAMPLE_FRAGMENT, 8 },
	{ "offset 2^64 - 1", ~0ULL, 24, SAMPLE_FRAGMENT, 8 },
	{ "total below the payload's end", 0x0102030405060704ULL, 32, SAMPLE_FRAGMENT, 8 },
	{ "total 0", 0, 32, SAMPLE_FRAGMENT, 8 },
	{ "total 2^63", 1ULL << 63, 32, SAMPLE_FRAGMENT, 8 },
	{ "total 2^64 - 1", ~0ULL, 32, SAMPLE_FRAGMENT, 8 },
	{ "port 0", 0, 48, SAMPLE_FRAGMENT, 2 },
	{ "a reason without ABORT", 7, 50, SAMPLE_FRAGMENT, 2 },
	{ "a message before the first", 1, 16, SAMPLE_FRAGMENT, 8 },
	{ "no payload though there is some", 1, 32, SAMPLE_FRAGMENT_EMPTY, 8 },
	{ "offset though there is nothing", 1, 24, SAMPLE_FRAGMENT_EMPTY, 8 },
	{ "ABORT without a reason", 0, 50, SAMPLE_FRAGMENT_ABORT, 2 },
	{ "reason out of range", 10, 50, SAMPLE_FRAGMENT_ABORT, 2 },
	{ "reason 65535", 0xffff, 50, SAMPLE_FRAGMENT_ABORT, 2 },
	{ "ABORT at an offset", 1, 24, SAMPLE_FRAGMENT_ABORT, 8 },
	{ "ABORT with a payload", 57, 4, SAMPLE_FRAGMENT_ABORT, 4 },
	{ "port 0", 0, 48, SAMPLE_FRAGMENT_ABORT, 2 },
};

static const struct field fragment_accepted[] = {
	{ "offset 0", 0, 24, SAMPLE_FRAGMENT, 8 },
	{ "payload up to the end", 0x0102030405060707ULL, 24, SAMPLE_FRAGMENT, 8 },
	{ "total 2^63 - 1", ~0ULL >> 1, 32, SAMPLE_FRAGMENT, 8 },
	{ "ABORT of an empty message", 0, 32, SAMPLE_FRAGMENT_ABORT, 8 },
	{ "last reason", 9, 50, SAMPLE_FRAGMENT_ABORT, 2 },
	{ "port 1", 1, 48, SAMPLE_FRAGMENT, 2 },
};

static const struct field blocks_refused[] = {
	{ "epoch 0", 0, 8, SAMPLE_BLOCK_END, 4 },
	{ "message 0", 0, 16, SAMPLE_BLOCK_END, 8 },
	{ "a message before the first", 1, 16, SAMPLE_BLOCK_END, 8 },
	{ "total 2^63", 1ULL << 63, 24, SAMPLE_BLOCK_END, 8 },
	{ "more than the total", 0x010203040506070dULL, 32, SAMPLE_BLOCK_END, 8 },
	{ "from beyond end", 0x0102030405060701ULL, 40, SAMPLE_BLOCK_END, 8 },
	{ "port 0", 0, 52, SAMPLE_BLOCK_END, 2 },
	{ "epoch 0", 0, 8, SAMPLE_BLOCK_ACK, 4 },
	{ "message 0", 0, 12, SAMPLE_BLOCK_ACK, 8 },
	{ "2^63 bytes", 1ULL << 63, 20, SAMPLE_BLOCK_ACK, 8 },
	{ "epoch 0", 0, 8, SAMPLE_NACK, 4 },
	{ "count 0", 0, 12, SAMPLE_NACK, 2 },
	{ "count less than sent", 1, 12, SAMPLE_NACK, 2 },
	{ "count more than sent", 3, 12, SAMPLE_NACK, 2 },
	{ "count 65535", 0xffff, 12, SAMPLE_NACK, 2 },
	{ "reserved byte", 1, 14, SAMPLE_NACK, 1 },
	{ "last reserved byte", 1, 15, SAMPLE_NACK, 1 },
	{ "message 0", 0, 16, SAMPLE_NACK, 8 },
	{ "no bytes", 0, 32, SAMPLE_NACK, 8 },
	{ "a range up to the next", 0x21, 32, SAMPLE_NACK, 8 },
	{ "a range into the next", 0x22, 32, SAMPLE_NACK, 8 },
	{ "ranges that descend", 0, 40, SAMPLE_NACK, 8 },
	{ "a range from 2^63 on", 1ULL << 63, 40, SAMPLE_NACK, 8 },
	{ "a range beyond 2^63 - 1", ~0ULL >> 1, 48, SAMPLE_NACK, 8 },
};

static const struct field blocks_accepted[] = {
	{ "nothing before it", 0, 48, SAMPLE_BLOCK_END, 4 },
	{ "nothing is kept", 0x0102030405060700ULL, 40, SAMPLE_BLOCK_END, 8 },
	{ "all", 0x010203040506070cULL, 32, SAMPLE_BLOCK_END, 8 },
	{ "round 0", 0, 12, SAMPLE_BLOCK_END, 4 },
	{ "no bytes", 0, 20, SAMPLE_BLOCK_ACK, 8 },
	{ "a range up to 2^63 - 1", (~0ULL >> 1) - 0x100000031, 48, SAMPLE_NACK, 8 },
};

static const struct field report_refused[] = {
	{ "epoch 0", 0, 8, SAMPLE_ACK, 4 },
	{ "count 0", 0, 12, SAMPLE_ACK, 2 },
	{ "count less than sent", 1, 12, SAMPLE_ACK, 2 },
	{ "count more than sent", 3, 12, SAMPLE_ACK, 2 },
	{ "count 65535", 0xffff, 12, SAMPLE_ACK, 2 },
	{ "reserved byte", 1, 14, SAMPLE_ACK, 1 },
	{ "last reserved byte", 1, 15, SAMPLE_ACK, 1 },
	{ "message 0", 0, 16, SAMPLE_ACK, 8 },
	{ "second message 0", 0, 40, SAMPLE_ACK, 8 },
	{ "node 0", 0, 32, SAMPLE_ACK, 4 },
	{ "state out of range", 3, 36, SAMPLE_ACK, 1 },
	{ "PENDING with a reason", 0, 36, SAMPLE_ACK, 1 },
	{ "DELIVERED with a reason", 1, 36, SAMPLE_ACK, 1 },
	{ "FAILED without a reason", 0, 37, SAMPLE_ACK, 1 },
	{ "FAILED, second, without a reason", 2, 60, SAMPLE_ACK, 1 },
	{ "reason out of range", 10, 37, SAMPLE_ACK, 1 },
	{ "an entry's reserved byte", 1, 38, SAMPLE_ACK, 1 },
	{ "the last entry's reserved byte", 1, 63, SAMPLE_ACK, 1 },
	{ "epoch 0", 0, 8, SAMPLE_LOST, 4 },
	{ "no reason", 0, 12, SAMPLE_LOST, 2 },
	{ "neither DOWN nor BACK", 0, 1, SAMPLE_LOST, 1 },
	{ "reason out of range", 10, 12, SAMPLE_LOST, 2 },
	{ "BACK with a reason", 5, 12, SAMPLE_LOST_BACK, 2 },
	{ "count 0", 0, 14, SAMPLE_LOST, 2 },
	{ "count less than sent", 2, 14, SAMPLE_LOST, 2 },
	{ "count more than sent", 4, 14, SAMPLE_LOST, 2 },
	{ "count 65535", 0xffff, 14, SAMPLE_LOST, 2 },
	{ "node 0", 0, 16, SAMPLE_LOST, 4 },
	{ "last node 0", 0, 24, SAMPLE_LOST, 4 },
};

static const struct field report_accepted[] = {
	{ "DELIVERED", 1, 60, SAMPLE_ACK, 1 },
	{ "2^64 - 1 bytes", ~0ULL, 24, SAMPLE_ACK, 8 },
	{ "last reason", 9, 12, SAMPLE_LOST, 2 },
	{ "token 0", 0, 8, SAMPLE_PING, 8 },
};

static const struct field probe_refused[] = {
	{ "round 0", 0, 8, SAMPLE_PROBE, 4 },
	{ "reserved byte", 1, 14, SAMPLE_PROBE, 1 },
	{ "last reserved byte", 1, 15, SAMPLE_PROBE, 1 },
	{ "round 0", 0, 8, SAMPLE_PROBE_ASK, 4 },
	{ "no time", 0, 12, SAMPLE_PROBE_ASK, 4 },
	{ "more than a minute", 60001, 12, SAMPLE_PROBE_ASK, 4 },
	{ "count less than sent", 1, 16, SAMPLE_PROBE_ASK, 2 },
	{ "count more than sent", 3, 16, SAMPLE_PROBE_ASK, 2 },
	{ "count 65535", 0xffff, 16, SAMPLE_PROBE_ASK, 2 },
	{ "a sample in more than a second", 1001, 18, SAMPLE_PROBE_ASK, 2 },
	{ "from 0", 0, 20, SAMPLE_PROBE_ASK, 4 },
	{ "to 0", 0, 24, SAMPLE_PROBE_ASK, 4 },
	{ "from a node to itself", 0x01020304, 24, SAMPLE_PROBE_ASK, 4 },
	{ "a flow with a count", 1, 28, SAMPLE_PROBE_ASK, 4 },
	{ "round trips without a count", 0x81820104, 32, SAMPLE_PROBE_ASK, 8 },
	{ "an unknown kind", 3, 78, SAMPLE_PROBE_ASK, 1 },
	{ "a burst without a count", 0, 68, SAMPLE_PROBE_ASK, 4 },
	{ "a burst of 1001", 1001, 68, SAMPLE_PROBE_ASK, 4 },
	{ "a burst with a rate", 1, 72, SAMPLE_PROBE_ASK, 4 },
	{ "family 5", 5, 39, SAMPLE_PROBE_ASK, 1 },
	{ "port 0", 0, 40, SAMPLE_PROBE_ASK, 2 },
	{ "a task's reserved byte", 1, 43, SAMPLE_PROBE_ASK, 1 },
	{ "no address", 0, 44, SAMPLE_PROBE_ASK, 4 },
	{ "a byte behind an IPv4 address", 1, 48, SAMPLE_PROBE_ASK, 1 },
	{ "round 0", 0, 16, SAMPLE_PROBE_SAMPLE, 4 },
	{ "an unknown status", 4, 20, SAMPLE_PROBE_SAMPLE, 2 },
	{ "count less than sent", 1, 22, SAMPLE_PROBE_SAMPLE, 2 },
	{ "count more than sent", 3, 22, SAMPLE_PROBE_SAMPLE, 2 },
	{ "an unknown state", 4, 26, SAMPLE_PROBE_SAMPLE, 1 },
	{ "neither sends nor receives", 2, 27, SAMPLE_PROBE_SAMPLE, 1 },
	{ "an error though it is done", 1, 28, SAMPLE_PROBE_SAMPLE, 1 },
	{ "failed for no error", 0, 52, SAMPLE_PROBE_SAMPLE, 1 },
	{ "an unknown reason", 8, 53, SAMPLE_PROBE_SAMPLE, 1 },
	{ "a figure's reserved byte", 1, 54, SAMPLE_PROBE_SAMPLE, 1 },
};

static const struct field probe_accepted[] = {
	{ "to another node", 0x31323334, 16, SAMPLE_HELLO_PROBE, 4 },
	{ "more to come", 0, 1, SAMPLE_PROBE, 1 },
	{ "a millisecond", 1, 12, SAMPLE_PROBE_ASK, 4 },
	{ "a sample each second", 1000, 18, SAMPLE_PROBE_ASK, 2 },
	{ "samples as the node likes", 0, 18, SAMPLE_PROBE_ASK, 2 },
	{ "unless there is a broadcast", 0, 1, SAMPLE_PROBE_ASK, 1 },
	{ "a flow without a rate", 0, 32, SAMPLE_PROBE_ASK, 4 },
	{ "round trips", 1, 78, SAMPLE_PROBE_ASK, 1 },
	{ "one of them", 1, 68, SAMPLE_PROBE_ASK, 4 },
	{ "at once", 0, 8, SAMPLE_PROBE_SAMPLE, 8 },
	{ "a running task", 1, 26, SAMPLE_PROBE_SAMPLE, 1 },
};

/* @nr entries of @entry bytes, all like the sample's first, in a frame of the type. */
static int repeat(int sample, unsigned int fixed, unsigned int entry, unsigned int count_at,
		  unsigned int nr)
{
	unsigned int i;

	load(&samples[sample]);
	for (i = 0; i < nr; i++)
		memcpy(frame + fixed + i * entry, samples[sample].bytes + fixed, entry);
	store(count_at, 2, nr);
	store(4, 4, fixed + nr * entry);
	return try_exact(frame, fixed + nr * entry);
}

/* @nr ranges of a byte, with a byte between them. */
static int longest_nack(unsigned int nr)
{
	unsigned int i;

	load(&samples[SAMPLE_NACK]);
	for (i = 0; i < nr; i++) {
		store(24 + i * 16, 8, 2 * i);
		store(32 + i * 16, 8, 1);
	}
	store(12, 2, nr);
	store(4, 4, 24 + nr * 16);
	return try_exact(frame, 24 + nr * 16);
}

static void test_longest(void)
{
	ok(repeat(SAMPLE_ACK, 16, 24, 12, 170) == 4096, "ack: 170 entries accepted");
	ok(repeat(SAMPLE_ACK, 16, 24, 12, 171) == -EBADMSG, "ack: 171 entries refused");
	ok(repeat(SAMPLE_LOST, 16, 4, 14, 1020) == 4096, "lost: 1020 nodes accepted");
	ok(repeat(SAMPLE_LOST, 16, 4, 14, 1021) == -EBADMSG, "lost: 1021 nodes refused");
	ok(repeat(SAMPLE_PROBE_ASK, 20, 40, 16, 101) == 20 + 101 * 40,
	   "probe_ask: 101 tasks accepted");
	ok(repeat(SAMPLE_PROBE_ASK, 20, 40, 16, 102) == -EBADMSG, "probe_ask: 102 tasks refused");
	ok(repeat(SAMPLE_PROBE_ASK, 20, 40, 16, 0) == 20, "probe_ask: no tasks accepted");
	ok(repeat(SAMPLE_PROBE_SAMPLE, 24, 24, 22, 169) == 24 + 169 * 24,
	   "probe_sample: 169 figures accepted");
	ok(repeat(SAMPLE_PROBE_SAMPLE, 24, 24, 22, 170) == -EBADMSG,
	   "probe_sample: 170 figures refused");
	ok(longest_nack(254) == 24 + 254 * 16, "nack: 254 ranges accepted");
	ok(longest_nack(255) == -EBADMSG, "nack: 255 ranges refused");
}

static void test_longest_tree(unsigned int nr, int expected, const char *what)
{
	unsigned int i;

	load(&samples[SAMPLE_TREE]);
	for (i = 0; i < nr; i++) {
		memcpy(frame + 24 + i * 44, samples[SAMPLE_TREE].bytes + 24, 44);
		store(24 + i * 44 + 4, 4, 0);
	}
	store(4, 4, 24 + nr * 44);
	store(12, 4, 4096);
	store(16, 4, 4096 - nr);
	store(20, 2, nr);
	ok(try_exact(frame, 24 + nr * 44) == expected, "tree: the last %u of 4096 nodes %s", nr,
	   what);
}

static void test_whole_tree(void)
{
	load(&samples[SAMPLE_TREE]);
	store(12, 4, 2);
	store(16, 4, 0);
	store(28, 4, 1);
	ok(try_frame() == 112, "tree: a whole tree in a frame accepted");
}

static void test_longest_fragment(void)
{
	static const u64 end = ~0ULL >> 1;

	load(&samples[SAMPLE_FRAGMENT]);
	store(4, 4, 65536);
	store(24, 8, end - 65480);
	store(32, 8, end);
	ok(try_frame() == 65536, "fragment: 65536 bytes accepted at the end of 2^63 - 1");
	store(24, 8, end - 65479);
	ok(try_frame() == -EBADMSG, "fragment: 65536 bytes refused one byte further");
	store(24, 8, 0);
	store(4, 4, 65537);
	ok(try_frame() == -EBADMSG, "fragment: 65537 bytes refused");
}

#define TEST_FIELDS(table, fine)	test_fields(table, sizeof(table) / sizeof((table)[0]), fine)

int main(void)
{
	int i;

	for (i = 0; i < NR_SAMPLES; i++) {
		const struct sample *s = &samples[i];

		load(s);
		ok(try_frame() == (int)s->len, "%s: accepted", s->name);
		test_header(s, i);
		test_length(s, i);
		test_cut(s, i);
		test_bytes(s);
	}
	TEST_FIELDS(handshake_refused, false);
	TEST_FIELDS(tree_refused, false);
	TEST_FIELDS(tree_accepted, true);
	TEST_FIELDS(fragment_refused, false);
	TEST_FIELDS(fragment_accepted, true);
	TEST_FIELDS(blocks_refused, false);
	TEST_FIELDS(blocks_accepted, true);
	TEST_FIELDS(report_refused, false);
	TEST_FIELDS(report_accepted, true);
	TEST_FIELDS(probe_refused, false);
	TEST_FIELDS(probe_accepted, true);
	test_longest();
	test_longest_tree(92, 24 + 92 * 44, "accepted");
	test_longest_tree(93, -EBADMSG, "refused");
	test_whole_tree();
	test_longest_fragment();
	return tap_done();
}
