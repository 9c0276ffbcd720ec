// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/hbcast.h>
#include "frames.h"
#include "wire/crc.h"
#include "wire/probe.h"

#define TREE_MAX	12	/* nodes in a tree that is made here */
#define RUNS_MAX	8	/* entries of a list that is made here */
#define PIECES_MAX	20	/* that such a list tells of */

void frame_mend_crc(u8 *frame, unsigned int len)
{
	struct hbc_wire_data *w = (struct hbc_wire_data *)frame;

	if (len <= HBC_DATA_LEN || w->hdr.type != HBC_FRAME_DATA)
		return;
	w->crc = htonl(~hbc_crc(hbc_crc_seed(w), w->payload, len - HBC_DATA_LEN));
}

static __be32 choose_epoch(struct choices *c, const struct lane *lane)
{
	return htonl(rarely(c, 24) ? choose_number(c) : lane->epoch);
}

static __be64 choose_told(struct choices *c, const struct lane *lane)
{
	u64 number = lane->told.number;

	if (rarely(c, 16))
		number = choose_number(c);
	else if (rarely(c, 4))
		number -= choose(c, 4);
	return htobe64(number);
}

/* Down. */

/* Slot 0, that of the lane, and maybe others. */
static unsigned int put_plan(struct choices *c, struct lane *lane, bool odd, u8 *out)
{
	unsigned int i, n = 0;
	struct hbc_wire_plan *w = (struct hbc_wire_plan *)out;

	lane->slots = 1 | 1ull << lane->slot;
	while (rarely(c, 2))
		lane->slots |= 1ull << choose(c, rarely(c, 4) ? HBC_MAX_SLOTS : 3);
	*w = (struct hbc_wire_plan) { .epoch = htonl(lane->epoch), .slots = htobe64(lane->slots) };
	w->flags = rarely(c, 8) ? HBC_PLAN_STRICT : 0;
	w->flags |= rarely(c, 4) ? HBC_PLAN_WHOLE : 0;
	for (i = 0; i < HBC_MAX_SLOTS; i++) {
		if (!(lane->slots >> i & 1))
			continue;
		w->slot[n].rate = htobe64(rarely(c, 4) ? choose_number(c) | 1 : 1000000);
		w->slot[n++].step = htobe64(rarely(c, 4) ? choose_number(c) :
					    random_next(&c->state));
	}
	if (odd && rarely(c, 4))
		w->epoch = choose_epoch(c, lane);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PLAN, 0, sizeof(*w) + n * sizeof(w->slot[0]));
}

/* In one frame or in two; those of an odd tree may say different things of the whole. */
static unsigned int put_tree(struct choices *c, const struct lane *lane, bool odd,
			     const struct hbc_wire_node *nodes, unsigned int nr, u8 *out)
{
	unsigned int cut = rarely(c, 2) ? choose(c, nr) : 0, len = 0, first = 0, n;
	struct hbc_wire_tree *w;

	for (; first < nr; first += n) {
		w = (struct hbc_wire_tree *)(out + len);
		n = first < cut ? cut : nr - first;
		w->epoch = odd ? choose_epoch(c, lane) : htonl(lane->epoch);
		w->total = htonl(odd && rarely(c, 3) ? 1 + choose(c, nr + 4) : nr);
		w->first = htonl(first);
		memcpy(w->node, nodes + first, n * sizeof(nodes[0]));
		len += hbc_wire_put_hdr(&w->hdr, HBC_FRAME_TREE, 0,
					sizeof(*w) + n * sizeof(nodes[0]));
	}
	return len;
}

static void choose_tree_node(struct choices *c, const struct lane *lane, bool odd,
			     unsigned int i, struct hbc_wire_node *node)
{
	u32 ipv4 = choose_ipv4(c);
	u64 slots = 1ull << lane->slot;

	slots |= rarely(c, 2) ? lane->slots : 0;
	if (odd && rarely(c, 8))
		slots = choose_number(c);
	node->node = htonl(odd && rarely(c, 4) ? choose_node(c) : NODE_EVIL + 1 + i);
	node->rate = htobe64(rarely(c, 4) ? choose_number(c) : 0);
	node->slots = htobe64(slots);
	node->port = htons(odd && rarely(c, 8) ? choose_number(c) : 7310);
	node->family = odd && rarely(c, 8) ? 6 : 4;
	memcpy(node->addr, &ipv4, sizeof(ipv4));
}

/*
 * A plan, and its tree: the other side first, then some below it, in preorder. One in four
 * is odd, and so is any part of it then: most trees are taken, or nothing would come after.
 */
static unsigned int choose_tree(struct choices *c, struct lane *lane, u8 *out)
{
	unsigned int nr = 1 + choose(c, rarely(c, 8) ? TREE_MAX : 4), i, parent, len;
	struct hbc_wire_node nodes[TREE_MAX] = {};
	u32 children[TREE_MAX] = {};
	bool odd = rarely(c, 4);

	if (!odd || !rarely(c, 2))
		lane->epoch = ++world.epoch;
	len = put_plan(c, lane, odd, out);
	for (i = 0; i < nr; i++) {
		choose_tree_node(c, lane, odd, i, &nodes[i]);
		/* Below the root, or the one before. */
		parent = i && rarely(c, 2) ? i - 1 : 0;
		if (i)
			children[parent] += odd && rarely(c, 8) ? choose(c, 3) : 1;
	}
	for (i = 0; i < nr; i++)
		nodes[i].nr_children = htonl(children[i]);
	if (!odd || !rarely(c, 8))
		nodes[0].node = htonl(world_node(lane->place));
	return len + put_tree(c, lane, odd, nodes, nr, out + len);
}

/* The next one, or one that another lane brings as well. */
static unsigned int choose_message_frame(struct choices *c, struct lane *lane, u8 *out)
{
	struct told *told = &world.told;
	unsigned int name = 0, i;
	struct hbc_wire_message *w = (struct hbc_wire_message *)out;

	if (!told->number || lane->told.number == told->number || rarely(c, 3)) {
		told->number += rarely(c, 16) ? choose_number(c) : 1;
		told->total = rarely(c, 2) ? choose(c, 200) : choose(c, 200000);
		if (rarely(c, 24))
			told->total = choose_number(c);
		told->payload = rarely(c, 4) ? HBC_PAYLOAD_MAX : 1 + choose(c, 3000);
		told->per_piece = 1 + choose(c, 8);
		told->port = choose_port(c);
		told->kind = rarely(c, 3) ? HBC_MESSAGE_FILE : HBC_MESSAGE_SHORT;
	}
	lane->told = *told;
	lane->fragment = 0;
	lane->last = true;
	*w = (struct hbc_wire_message) {
		.message = htobe64(told->number), .total = htobe64(told->total),
		.port = htons(told->port), .payload = htons(told->payload),
		.fragments = htons(told->per_piece), .kind = told->kind,
	};
	if (told->kind == HBC_MESSAGE_FILE) {
		name = 1 + choose(c, 12);
		for (i = 0; i < name; i++)
			w->name[i] = 'a' + choose(c, 26);
		w->time = htobe64(choose_number(c));
		w->hashed = rarely(c, 4);
		if (w->hashed)
			choose_bytes(c, w->hash, sizeof(w->hash));
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_MESSAGE, 0, sizeof(*w) + name);
}

/* How many fragments the lane's message has. */
static u64 fragments(const struct lane *lane)
{
	const struct told *told = &lane->told;

	return told->payload ? (told->total + told->payload - 1) / told->payload : 0;
}

/* Pieces take turns with the first two slots of the plan. */
static u8 tag_of(const struct lane *lane, u32 piece)
{
	return lane->slots & 2 ? piece & 1 : 0;
}

/* The next of the message under way; at times another one. */
static unsigned int choose_data(struct choices *c, struct lane *lane, u8 *out)
{
	const struct told *told = &lane->told;
	u64 at, len = told->payload;
	struct hbc_wire_data *w = (struct hbc_wire_data *)out;

	if (!fragments(lane))
		return choose_message_frame(c, lane, out);
	if (rarely(c, 32))
		lane->fragment = choose_number(c);
	else if (lane->fragment >= fragments(lane) || rarely(c, 16))
		lane->fragment = choose(c, 8) * told->per_piece;
	at = (u64)lane->fragment * told->payload;
	if (at < told->total && len > told->total - at)
		len = told->total - at;
	if (rarely(c, 48))
		len = 1 + choose(c, 3000);
	w->message = htonl(told->number);
	w->fragment = htonl(lane->fragment);
	w->crc = 0;
	memcpy(w->payload, world.data, len);
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_DATA, rarely(c, 32) ? choose(c, HBC_MAX_SLOTS) :
			 tag_of(lane, lane->fragment / told->per_piece), HBC_DATA_LEN + len);
	if (!rarely(c, 16))
		frame_mend_crc(out, HBC_DATA_LEN + len);
	lane->fragment++;
	return HBC_DATA_LEN + len;
}

static unsigned int choose_last(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_wire_last *w = (struct hbc_wire_last *)out;

	w->message = choose_told(c, lane);
	if (!w->message)
		w->message = htobe64(1);
	lane->last = false;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_LAST, 0, sizeof(*w));
}

/* Those before the newest are over, or some of them, or it as well. */
static unsigned int choose_done(struct choices *c, struct lane *lane, u8 *out)
{
	u64 now = lane->told.number, from = 1, count;
	unsigned int n = 0;
	struct hbc_wire_done *w = (struct hbc_wire_done *)out;

	w->before = rarely(c, 8) ? htobe64(choose_number(c)) : htobe64(now + choose(c, 2));
	while (n < RUNS_MAX && rarely(c, 2)) {
		count = 1 + (rarely(c, 4) ? choose_number(c) % 1000 : choose(c, 3));
		if (now > 4 && !n)
			from = now - choose(c, 4);
		w->numbers[n].first = htobe64(from);
		w->numbers[n++].count = htobe64(count);
		from += count + 1 + choose(c, 3);
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_DONE, 0, sizeof(*w) + n * sizeof(w->numbers[0]));
}

static unsigned int choose_over(struct choices *c, u8 *out)
{
	return hbc_wire_put_hdr((struct hbc_wire_hdr *)out, HBC_FRAME_OVER,
				rarely(c, 4) ? choose(c, 4) : 0, HBC_HDR_LEN);
}

/* Up. */

/* Some entries of at most @most in all, ascending. */
static unsigned int put_runs(struct choices *c, unsigned int least, u32 most,
			     struct hbc_wire_run *run)
{
	u32 from = rarely(c, 3) ? choose(c, most) : 0, count;
	unsigned int n = 0;

	while (n < least || (n < RUNS_MAX && rarely(c, 2))) {
		count = 1 + choose(c, most);
		if (rarely(c, 32))
			count = choose_number(c);
		run[n].first = htonl(from);
		run[n++].count = htonl(count);
		from += count + 1 + choose(c, 3);
	}
	return n;
}

static unsigned int choose_have(struct choices *c, struct lane *lane, u8 *out)
{
	unsigned int n = 0;
	u8 tag = 0;
	struct hbc_wire_have *w = (struct hbc_wire_have *)out;

	w->message = choose_told(c, lane);
	if (!w->message || rarely(c, 4)) {
		w->message = 0;
		tag = HBC_HAVE_END;
	} else if (rarely(c, 4)) {
		tag = HBC_HAVE_ALL;
	} else {
		n = put_runs(c, 0, PIECES_MAX, w->run);
	}
	if (rarely(c, 2))
		tag |= HBC_HAVE_END;
	if (w->message && rarely(c, 4))
		tag |= HBC_HAVE_SLOTS;
	lane->agreed |= tag & HBC_HAVE_END;
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_HAVE, tag, sizeof(*w) + n * sizeof(w->run[0]));
}

static unsigned int choose_want(struct choices *c, struct lane *lane, u8 *out)
{
	unsigned int n;
	struct hbc_wire_have *w = (struct hbc_wire_have *)out;

	w->message = choose_told(c, lane);
	if (!w->message)
		w->message = htobe64(1);
	n = put_runs(c, 1, PIECES_MAX, w->run);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_WANT, 0, sizeof(*w) + n * sizeof(w->run[0]));
}

static unsigned int choose_ack(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_wire_ack *w = (struct hbc_wire_ack *)out;

	w->epoch = choose_epoch(c, lane);
	w->message = rarely(c, 2) ? htobe64(lane->told.number + 1) : choose_told(c, lane);
	w->bytes = htobe64(rarely(c, 4) ? choose_number(c) : choose(c, 200000));
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_ACK, 0, sizeof(*w));
}

/* Of nodes of the tree that the other side has told. */
static unsigned int choose_report(struct choices *c, struct lane *lane, u8 *out)
{
	unsigned int n = 1 + choose(c, rarely(c, 4) ? RUNS_MAX : 2), i;
	u32 nodes = lane->nodes ?: 1, first;
	struct hbc_wire_report *w = (struct hbc_wire_report *)out;

	w->epoch = choose_epoch(c, lane);
	for (i = 0; i < n; i++) {
		first = choose(c, nodes);
		w->outcome[i] = (struct hbc_wire_outcome) {
			.message = choose_told(c, lane), .first = htonl(first),
			.count = htonl(1 + choose(c, nodes - first)),
			.reason = rarely(c, 2) ? choose(c, HBCAST_REASON_MAX + 1) : 0,
		};
		if (!w->outcome[i].message)
			w->outcome[i].message = htobe64(1);
		if (rarely(c, 32))
			w->outcome[i].count = htonl(1 + choose(c, HBC_MAX_MEMBERS));
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_REPORT, 0,
				sizeof(*w) + n * sizeof(w->outcome[0]));
}

static unsigned int choose_lost(struct choices *c, struct lane *lane, u8 *out)
{
	u32 nodes = lane->nodes ?: 1;
	bool down = rarely(c, 2);
	unsigned int n;
	struct hbc_wire_lost *w = (struct hbc_wire_lost *)out;

	w->epoch = choose_epoch(c, lane);
	w->reason = htons(down ? 1 + choose(c, HBCAST_REASON_MAX) : 0);
	w->reserved = 0;
	if (rarely(c, 4)) {
		n = put_runs(c, 1, nodes, w->run);
	} else {
		n = 1;
		w->run[0].first = htonl(choose(c, nodes));
		w->run[0].count = htonl(1);
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_LOST, down ? HBC_LOST_DOWN : HBC_LOST_BACK,
				sizeof(*w) + n * sizeof(w->run[0]));
}

static unsigned int choose_tree_ack(struct choices *c, struct lane *lane, u8 *out)
{
	struct hbc_wire_tree_ack *w = (struct hbc_wire_tree_ack *)out;

	*w = (struct hbc_wire_tree_ack) { .epoch = choose_epoch(c, lane) };
	if (rarely(c, 4)) {
		/* Itself, as it is to have no children, or somebody below. */
		w->node = htonl(rarely(c, 2) ? NODE_EVIL : choose_node(c));
		w->reason = htons(choose(c, HBCAST_REJECT_POLICY + 1));
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_TREE_ACK, 0, sizeof(*w));
}

/* Both ways. */

/* What has no place behind the handshake. */
static unsigned int choose_greeting(struct choices *c, u8 *out)
{
	static const u16 lengths[] = {
		[HBC_FRAME_HELLO] = sizeof(struct hbc_wire_hello),
		[HBC_FRAME_CHALLENGE] = sizeof(struct hbc_wire_challenge),
		[HBC_FRAME_AUTH] = sizeof(struct hbc_wire_auth),
		[HBC_FRAME_READY] = HBC_HDR_LEN,
		[HBC_FRAME_REJECT] = sizeof(struct hbc_wire_reject),
	};
	u8 type = HBC_FRAME_HELLO + choose(c, HBC_FRAME_REJECT);

	choose_bytes(c, out, lengths[type]);
	return hbc_wire_put_hdr((struct hbc_wire_hdr *)out, type,
				type == HBC_FRAME_HELLO ? HBC_WIRE_VERSION : 0, lengths[type]);
}

static unsigned int choose_ping(struct choices *c, u8 *out)
{
	struct hbc_wire_ping *w = (struct hbc_wire_ping *)out;

	w->token = htobe64(choose_number(c));
	return hbc_wire_put_hdr(&w->hdr, !rarely(c, 4) ? HBC_FRAME_PING : HBC_FRAME_PONG, 0,
				sizeof(*w));
}

/* Measuring. */

static void choose_task(struct choices *c, const struct lane *lane, struct hbc_wire_task *task)
{
	u32 ipv4 = choose_ipv4(c), here = world_node(lane->place), there = choose_node(c);
	bool comes = rarely(c, 4);

	if (there == here && !rarely(c, 8))
		there = NODE_EVIL;
	*task = (struct hbc_wire_task) {
		.from = htonl(comes || rarely(c, 16) ? there : here),
		.to = htonl(comes ? here : there),
		.index = htons(choose(c, 4)), .kind = choose(c, HBCAST_TASK_BURST + 1),
		.family = 4, .port = htons(7310),
	};
	if (task->kind != HBCAST_TASK_FLOW)
		task->count = htonl(1 + choose(c, 20));
	else if (rarely(c, 2))
		task->rate = htonl(choose_number(c));
	memcpy(task->addr, &ipv4, sizeof(ipv4));
}

/* What a coordinator asks for; most of it can be done. */
static unsigned int choose_ask(struct choices *c, struct lane *lane, u8 *out)
{
	unsigned int n = choose(c, 5), i;
	struct hbc_wire_ask *w = (struct hbc_wire_ask *)out;

	w->round = htonl(1 + choose(c, 4));
	w->ms = htonl(1 + choose(c, 200));
	w->every = htonl(rarely(c, 2) ? choose(c, 200) : 0);
	for (i = 0; i < n; i++)
		choose_task(c, lane, &w->task[i]);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE_ASK, rarely(c, 2) ? HBC_ASK_ANYWAY : 0,
				sizeof(*w) + n * sizeof(w->task[0]));
}

static unsigned int choose_probe(struct choices *c, u8 *out)
{
	unsigned int len = choose(c, rarely(c, 4) ? HBC_FRAME_MAX - sizeof(struct hbc_wire_probe) :
				     3000);
	struct hbc_wire_probe *w = (struct hbc_wire_probe *)out;

	*w = (struct hbc_wire_probe) {
		.round = htonl(1 + choose(c, 4)), .index = htons(choose(c, 4)),
	};
	memcpy(w->payload, world.data, len);
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE, choose(c, 2) ? HBC_PROBE_LAST : 0,
				sizeof(*w) + len);
}

static unsigned int choose_sample(u8 *out)
{
	struct hbc_wire_sample *w = (struct hbc_wire_sample *)out;

	*w = (struct hbc_wire_sample) { .round = htonl(1) };
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE_SAMPLE, 0, sizeof(*w));
}

/* On a connection of a measurement. */
static unsigned int choose_measuring(struct choices *c, struct lane *lane, u8 *out)
{
	switch (choose(c, rarely(c, 8) ? 5 : 3)) {
	case 0:
		return choose_ask(c, lane, out);
	case 1:
		return choose_probe(c, out);
	case 2:
		return choose_ping(c, out);
	case 3:
		return choose_sample(out);
	}
	return choose_greeting(c, out);
}

static unsigned int put_frame(struct choices *c, struct lane *lane, u8 type, u8 *out)
{
	switch (type) {
	case HBC_FRAME_TREE:
		return choose_tree(c, lane, out);
	case HBC_FRAME_MESSAGE:
		return choose_message_frame(c, lane, out);
	case HBC_FRAME_DATA:
		return choose_data(c, lane, out);
	case HBC_FRAME_LAST:
		return choose_last(c, lane, out);
	case HBC_FRAME_DONE:
		return choose_done(c, lane, out);
	case HBC_FRAME_OVER:
		return choose_over(c, out);
	case HBC_FRAME_TREE_ACK:
		return choose_tree_ack(c, lane, out);
	case HBC_FRAME_HAVE:
		return choose_have(c, lane, out);
	case HBC_FRAME_WANT:
		return choose_want(c, lane, out);
	case HBC_FRAME_STOP:
		return hbc_wire_put_hdr((struct hbc_wire_hdr *)out, type, 0, HBC_HDR_LEN);
	case HBC_FRAME_ACK:
		return choose_ack(c, lane, out);
	case HBC_FRAME_REPORT:
		return choose_report(c, lane, out);
	case HBC_FRAME_LOST:
		return choose_lost(c, lane, out);
	case HBC_FRAME_PING:
		return choose_ping(c, out);
	}
	return choose_greeting(c, out);
}

/* What a parent says next. */
static u8 choose_down(struct choices *c, const struct lane *lane)
{
	static const u8 types[] = {
		HBC_FRAME_TREE, HBC_FRAME_MESSAGE, HBC_FRAME_MESSAGE, HBC_FRAME_DATA,
		HBC_FRAME_DATA, HBC_FRAME_LAST, HBC_FRAME_DONE, HBC_FRAME_DONE, HBC_FRAME_PING,
		HBC_FRAME_OVER,
	};

	/* Without a tree there is nothing else to say. */
	if (!lane->epoch && !rarely(c, 8))
		return HBC_FRAME_TREE;
	/* A message goes on. */
	if (lane->fragment < fragments(lane) && !rarely(c, 6))
		return HBC_FRAME_DATA;
	if (lane->last && !rarely(c, 4))
		return HBC_FRAME_LAST;
	return choose_from(c, types);
}

/* What a child says next. */
static u8 choose_up(struct choices *c, const struct lane *lane)
{
	static const u8 types[] = {
		HBC_FRAME_TREE_ACK, HBC_FRAME_HAVE, HBC_FRAME_WANT, HBC_FRAME_STOP, HBC_FRAME_PING,
		HBC_FRAME_ACK, HBC_FRAME_ACK, HBC_FRAME_REPORT, HBC_FRAME_REPORT, HBC_FRAME_LOST,
		HBC_FRAME_LOST,
	};
	unsigned int n = sizeof(types);

	/* Nothing comes before it has said what it has. */
	if (!lane->agreed && !rarely(c, 3))
		return HBC_FRAME_HAVE;
	/* The others go up slot 0 alone. */
	if (lane->slot && !rarely(c, 8))
		n = 5;
	return types[choose(c, n)];
}

unsigned int frame_choose(struct choices *c, struct lane *lane, u8 *out)
{
	bool up = lane->child != rarely(c, 96);

	if (lane->probe)
		return choose_measuring(c, lane, out);
	if (rarely(c, 96))
		return choose_greeting(c, out);
	return put_frame(c, lane, up ? choose_up(c, lane) : choose_down(c, lane), out);
}
