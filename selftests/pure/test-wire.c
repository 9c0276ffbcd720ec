// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the fields of each frame are: samples written by hand, read as the module reads them. */
#include "../lib/tap.h"
#include "look.h"
#include "samples.h"

#define EPOCH	0x51525354
#define MESSAGE	0x0123456789abcdefULL

/* The sample as the frame that it is. */
#define FRAME(nr)	((const void *)samples[nr].bytes)

static bool counts_up(const u8 *bytes, u8 first, unsigned int len)
{
	while (len--)
		if (*bytes++ != first++)
			return false;
	return true;
}

static void test_handshake(void)
{
	const struct hbc_wire_challenge *challenge = FRAME(SAMPLE_CHALLENGE);
	const struct hbc_wire_hello *hello = FRAME(SAMPLE_HELLO);
	const struct hbc_wire_reject *reject = FRAME(SAMPLE_REJECT);
	const struct hbc_wire_auth *auth = FRAME(SAMPLE_AUTH);

	ok(be32_to_cpu(hello->group) == 0x11121314 && be32_to_cpu(hello->from) == 0x21222324 &&
	   be32_to_cpu(hello->to) == 0x31323334 && be32_to_cpu(hello->root) == 0x41424344 &&
	   be64_to_cpu(hello->incarnation) == 0x5152535455565758ULL && hello->slot == 63 &&
	   !hello->flags && !hello->cipher && counts_up(hello->nonce, 0x60, HBC_NONCE_LEN),
	   "hello: fields");
	hello = FRAME(SAMPLE_HELLO_PROBE);
	ok(hello->flags == HBC_HELLO_PROBE, "hello_probe: the flag");
	ok(be32_to_cpu(challenge->node) == 0x31323334 &&
	   counts_up(challenge->nonce, 0x80, HBC_NONCE_LEN) &&
	   counts_up(challenge->mac, 0xa0, HBC_MAC_LEN), "challenge: fields");
	ok(counts_up(auth->mac, 0xc0, HBC_MAC_LEN), "auth: fields");
	ok(be16_to_cpu(reject->reason) == HBCAST_REJECT_KEY, "reject: fields");
}

static void test_plan(void)
{
	const struct hbc_wire_plan *plan = FRAME(SAMPLE_PLAN);

	ok(be32_to_cpu(plan->epoch) == EPOCH && be64_to_cpu(plan->slots) == 0x8000000000000001 &&
	   plan->flags == (HBC_PLAN_STRICT | HBC_PLAN_WHOLE), "plan: fields");
	ok(be64_to_cpu(plan->slot[0].rate) == 0x1011121314151617ULL &&
	   be64_to_cpu(plan->slot[0].step) == 0x2021222324252627ULL &&
	   be64_to_cpu(plan->slot[1].rate) == 1 && !plan->slot[1].step, "plan: its slots");
}

static void test_tree(void)
{
	const struct hbc_wire_tree_ack *ack = FRAME(SAMPLE_TREE_ACK);
	const struct hbc_wire_tree *tree = FRAME(SAMPLE_TREE);
	const struct hbc_wire_node *node = tree->node;

	ok(be32_to_cpu(tree->epoch) == EPOCH && be32_to_cpu(tree->total) == 4 &&
	   be32_to_cpu(tree->first) == 1, "tree: fields");
	ok(be32_to_cpu(node[0].node) == 0x01020304 && be32_to_cpu(node[0].nr_children) == 2 &&
	   be64_to_cpu(node[0].rate) == 0x1011121314151617ULL &&
	   be64_to_cpu(node[0].slots) == 0x28 && be16_to_cpu(node[0].port) == 7310 &&
	   node[0].family == 4 && !memcmp(node[0].addr, "\x0a\0\0\x09", 5),
	   "tree: its first node");
	ok(be32_to_cpu(node[1].node) == 0x05060708 && !node[1].nr_children && !node[1].rate &&
	   be64_to_cpu(node[1].slots) == 0x8000000000000018 &&
	   be16_to_cpu(node[1].port) == 7311 && node[1].family == 6 && node[1].addr[15] == 7,
	   "tree: its second node");
	ok(be32_to_cpu(ack->epoch) == EPOCH && be32_to_cpu(ack->node) == 0x61626364 &&
	   be16_to_cpu(ack->reason) == HBCAST_REJECT_PROTOCOL, "tree_ack: fields");
}

static void test_message(void)
{
	const struct hbc_wire_message *w = FRAME(SAMPLE_MESSAGE);

	ok(be64_to_cpu(w->message) == MESSAGE && be64_to_cpu(w->total) == 1025 &&
	   be16_to_cpu(w->port) == 0xaabb && be16_to_cpu(w->payload) == 1024 &&
	   be16_to_cpu(w->fragments) == 5 && w->kind == HBC_MESSAGE_SHORT, "message: fields");
	w = FRAME(SAMPLE_MESSAGE_FILE);
	ok(be64_to_cpu(w->message) == MESSAGE + 1 && be64_to_cpu(w->total) == 0x010203040506 &&
	   be16_to_cpu(w->payload) == 1432 && be16_to_cpu(w->fragments) == 732 &&
	   w->kind == HBC_MESSAGE_FILE && w->hashed == 1 &&
	   be64_to_cpu(w->time) == 0x7172737475767778ULL &&
	   counts_up(w->hash, 0x80, HBC_HASH_LEN) && !memcmp(w->name, "a.bin", 5),
	   "message_file: fields");
}

static void test_data(void)
{
	const struct hbc_wire_data *data = FRAME(SAMPLE_DATA);

	ok(be32_to_cpu(data->message) == (u32)MESSAGE &&
	   be32_to_cpu(data->fragment) == 0x01020304 && be32_to_cpu(data->crc) == 0xe7803f3f &&
	   data->payload[0] == 'h', "data: fields");
}

static void test_reports(void)
{
	const struct hbc_wire_report *report = FRAME(SAMPLE_REPORT);
	const struct hbc_wire_have *have = FRAME(SAMPLE_HAVE);
	const struct hbc_wire_have *want = FRAME(SAMPLE_WANT);
	const struct hbc_wire_done *done = FRAME(SAMPLE_DONE);
	const struct hbc_wire_lost *lost = FRAME(SAMPLE_LOST);
	const struct hbc_wire_last *last = FRAME(SAMPLE_LAST);
	const struct hbc_wire_ping *ping = FRAME(SAMPLE_PING);
	const struct hbc_wire_ack *ack = FRAME(SAMPLE_ACK);

	ok(be64_to_cpu(last->message) == MESSAGE, "last: fields");
	ok(be64_to_cpu(done->before) == 9 && be64_to_cpu(done->numbers[1].first) == 7 &&
	   be64_to_cpu(done->numbers[1].count) == 4, "done: fields");
	ok(be64_to_cpu(have->message) == MESSAGE && be32_to_cpu(have->run[1].first) == 3 &&
	   be32_to_cpu(have->run[1].count) == 260, "have: fields");
	ok(be64_to_cpu(want->message) == MESSAGE && be32_to_cpu(want->run[1].first) == 10 &&
	   be32_to_cpu(want->run[1].count) == 261, "want: fields");
	ok(be32_to_cpu(ack->epoch) == EPOCH && be64_to_cpu(ack->message) == MESSAGE &&
	   be64_to_cpu(ack->bytes) == 0x1112131415161718ULL, "ack: fields");
	ok(be32_to_cpu(report->epoch) == EPOCH &&
	   be64_to_cpu(report->outcome[1].message) == MESSAGE + 1 &&
	   be32_to_cpu(report->outcome[1].first) == 9 &&
	   be32_to_cpu(report->outcome[1].count) == 4 && report->outcome[1].reason == 12,
	   "report: fields");
	ok(be32_to_cpu(lost->epoch) == EPOCH && be16_to_cpu(lost->reason) == 6 &&
	   be32_to_cpu(lost->run[1].first) == 5 && be32_to_cpu(lost->run[1].count) == 3,
	   "lost: fields");
	ok(be64_to_cpu(ping->token) == 0x7172737475767778ULL, "ping: fields");
}

static void test_probes(void)
{
	const struct hbc_wire_sample *sample = FRAME(SAMPLE_PROBE_SAMPLE);
	const struct hbc_wire_figure *figure = sample->figure;
	const struct hbc_wire_probe *probe = FRAME(SAMPLE_PROBE);
	const struct hbc_wire_ask *ask = FRAME(SAMPLE_PROBE_ASK);
	const struct hbc_wire_task *task = ask->task;

	ok(be32_to_cpu(probe->round) == 0x91929394 && be16_to_cpu(probe->index) == 0x8182 &&
	   probe->payload[0] == 5, "probe: fields");
	ok(be32_to_cpu(ask->round) == 0x91929394 && be32_to_cpu(ask->ms) == 60000 &&
	   be32_to_cpu(ask->every) == 250, "probe_ask: fields");
	ok(be32_to_cpu(task[0].from) == 0x01020304 && be32_to_cpu(task[0].to) == 0x05060708 &&
	   !task[0].count && be32_to_cpu(task[0].rate) == 0x85868788 &&
	   be16_to_cpu(task[0].index) == 0x8182 && task[0].kind == HBCAST_TASK_FLOW &&
	   task[0].family == 4 && be16_to_cpu(task[0].port) == 7310 && task[0].addr[0] == 10,
	   "probe_ask: its first task");
	ok(be32_to_cpu(task[1].count) == 1000 && task[1].kind == HBCAST_TASK_BURST &&
	   task[1].family == 6 && task[1].addr[15] == 7, "probe_ask: its second task");
	ok(be64_to_cpu(sample->ns) == 0xb1b2b3b4b5b6b7b8ULL &&
	   be32_to_cpu(sample->round) == 0x91929394 &&
	   be16_to_cpu(sample->status) == HBCAST_ROUND_BROADCAST, "probe_sample: fields");
	ok(be16_to_cpu(figure[0].index) == 0x8182 && figure[0].state == HBCAST_TASK_STATE_DONE &&
	   figure[0].receives == 1 && be64_to_cpu(figure[0].value[0]) == 0xc1c2c3c4c5c6c7c8ULL &&
	   be64_to_cpu(figure[0].value[1]) == 0xd1d2d3d4d5d6d7d8ULL,
	   "probe_sample: its first figure");
	ok(figure[1].state == HBCAST_TASK_STATE_FAILED && figure[1].error == 129 &&
	   figure[1].reject == HBCAST_REJECT_POLICY, "probe_sample: its second figure");
}

/* Of each type, as the samples have them. */
static void test_headers(void)
{
	u8 frame[HBC_HDR_LEN];
	struct hbc_hdr h;
	unsigned int i;

	for (i = 0; i < NR_SAMPLES; i++) {
		const u8 *b = samples[i].bytes;

		ok(!hbc_wire_get_hdr(b, &h) && h.type == b[0] && h.tag == b[1] &&
		   h.length == samples[i].len, "%s: its header is read", samples[i].name);
		ok(hbc_wire_put_hdr((void *)frame, h.type, h.tag, h.length) == h.length &&
		   !memcmp(frame, b, sizeof(frame)), "%s: its header is written",
		   samples[i].name);
	}
}

/* At every alignment, in memory that ends where the frame does. */
static void test_alignment(void)
{
	unsigned int i, shift;

	for (i = 0; i < NR_SAMPLES; i++) {
		const struct sample *s = &samples[i];
		bool good = true;

		for (shift = 0; shift < 8; shift++) {
			u8 *frame = malloc(shift + s->len);

			if (!frame)
				tap_bail_out("no memory");
			memcpy(frame + shift, s->bytes, s->len);
			good &= look(frame + shift, s->len) == (int)s->len;
			free(frame);
		}
		ok(good, "%s: accepted, at any alignment", s->name);
	}
}

static void test_addresses(void)
{
	static const u8 none[16], four[16] = { 10, 0, 0, 1 }, six[16] = { 0xfd, [15] = 1 };

	ok(hbc_wire_is_addr(four, 4, 7310) && hbc_wire_is_addr(six, 6, 1), "addresses");
	ok(!hbc_wire_is_addr(none, 4, 7310) && !hbc_wire_is_addr(none, 6, 7310), "no address");
	ok(!hbc_wire_is_addr(four, 4, 0) && !hbc_wire_is_addr(six, 4, 1) &&
	   !hbc_wire_is_addr(four, 0, 1), "no port, or another family");
}

int main(void)
{
	test_handshake();
	test_plan();
	test_tree();
	test_message();
	test_data();
	test_reports();
	test_probes();
	test_headers();
	test_alignment();
	test_addresses();
	return tap_done();
}
