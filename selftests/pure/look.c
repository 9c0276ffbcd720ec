// SPDX-License-Identifier: GPL-2.0-or-later
/* What the users of a frame rely on, once wire.c has accepted it. */
#include <stdio.h>
#include <stdlib.h>
#include <linux/hbcast.h>

#include "look.h"
#include "store/geometry.h"

static void must(bool so, const char *what)
{
	if (so)
		return;
	fprintf(stderr, "accepted, but not so: %s\n", what);
	abort();
}

static unsigned int count(const struct hbc_hdr *h, size_t fixed, size_t size)
{
	must(fixed + h->n * size == h->length, "a whole number of entries");
	return h->n;
}

static void look_handshake(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_challenge *challenge = (const void *)frame;
	const struct hbc_wire_reject *reject = (const void *)frame;
	const struct hbc_wire_hello *hello = (const void *)frame;

	if (h->type == HBC_FRAME_HELLO) {
		must(hello->group && hello->from && hello->to && hello->root, "ids are not 0");
		must(hello->slot < 64 && !hello->cipher, "a slot, and no cipher");
		if (hello->flags)
			must(hello->root == hello->from, "one who measures has no other root");
		else
			must(hello->incarnation && hello->to != hello->root &&
			     hello->to != hello->from, "a lane leads away from the root");
	} else if (h->type == HBC_FRAME_CHALLENGE) {
		must(challenge->node, "an id is not 0");
	} else if (h->type == HBC_FRAME_REJECT) {
		must(reject->reason && be16_to_cpu(reject->reason) <= 7, "a reason");
	}
}

static void look_plan(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_plan *plan = (const void *)frame;
	unsigned int n = count(h, sizeof(*plan), sizeof(plan->slot[0]));

	must(plan->epoch && n >= 1 && n <= 64, "an epoch, and slots");
	must(be64_to_cpu(plan->slots) & 1, "the slot of all");
	must(__builtin_popcountll(plan->slots) == (int)n, "as many slots as rates");
	while (n--)
		must(plan->slot[n].rate, "a rate is not 0");
}

static void look_tree(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_tree *tree = (const void *)frame;
	unsigned int n = count(h, sizeof(*tree), sizeof(tree->node[0]));
	u64 total = be32_to_cpu(tree->total), first = be32_to_cpu(tree->first), i;

	must(tree->epoch && n && first + n <= total && total <= 4096, "nodes of the tree");
	for (i = 0; i < n; i++) {
		const struct hbc_wire_node *node = &tree->node[i];

		must(node->node && node->slots, "a node with an id, in some slots");
		must(first + i + 1 + be32_to_cpu(node->nr_children) <= total,
		     "children are among the nodes that follow");
		must(node->port && (node->family == 4 || node->family == 6), "an address");
	}
}

static void look_message(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_message *w = (const void *)frame;
	unsigned int n = h->length - sizeof(*w), i;
	struct hbc_geometry g = {
		.total = be64_to_cpu(w->total), .payload = be16_to_cpu(w->payload),
		.per_piece = be16_to_cpu(w->fragments),
	};

	must(w->message && w->port && w->kind <= 1, "a number, a port, a kind");
	must(g.payload && HBC_DATA_LEN + (u32)g.payload <= 65535 && g.per_piece, "a cut");
	must((u64)hbc_geometry_fragments(&g) * g.payload >= g.total, "fragments have numbers");
	must(n <= 255 && (!n || w->kind), "a file's name");
	for (i = 0; i < n; i++)
		must(w->name[i] && w->name[i] != '/', "without a path");
}

static void look_numbers(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_done *done = (const void *)frame;
	unsigned int n = count(h, sizeof(*done), sizeof(done->numbers[0])), i;
	u64 end = 0, first, many;

	for (i = 0; i < n; i++) {
		first = be64_to_cpu(done->numbers[i].first);
		many = be64_to_cpu(done->numbers[i].count);
		must(first > end && many && many <= UINT64_MAX - first,
		     "numbers ascend, with gaps");
		end = first + many;
	}
}

static void look_runs(const struct hbc_wire_run *run, unsigned int n)
{
	u64 end = 0, first, many;
	unsigned int i;

	for (i = 0; i < n; i++) {
		first = be32_to_cpu(run[i].first);
		many = be32_to_cpu(run[i].count);
		must(many && (!i || first > end) && first + many <= UINT32_MAX,
		     "runs ascend, with gaps");
		end = first + many;
	}
}

static void look_pieces(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_have *have = (const void *)frame;
	unsigned int n = count(h, sizeof(*have), sizeof(have->run[0]));

	must(have->message || (!n && h->tag == HBC_HAVE_END), "pieces of a message");
	must(!n || !(h->tag & HBC_HAVE_ALL), "some, or all");
	must(n || h->type == HBC_FRAME_HAVE, "nobody wants nothing");
	look_runs(have->run, n);
}

static void look_lost(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_lost *lost = (const void *)frame;
	unsigned int n = count(h, sizeof(*lost), sizeof(lost->run[0]));

	must(lost->epoch && n, "nodes of a tree");
	must(h->tag == (lost->reason ? 1 : 2), "a reason if, and only if, they are down");
	look_runs(lost->run, n);
}

static void look_report(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_report *report = (const void *)frame;
	unsigned int n = count(h, sizeof(*report), sizeof(report->outcome[0]));
	const struct hbc_wire_outcome *o;

	must(report->epoch && n, "outcomes in a tree");
	for (o = report->outcome; n--; o++)
		must(o->message && o->count && o->reason <= HBCAST_REASON_MAX &&
		     (u64)be32_to_cpu(o->first) + be32_to_cpu(o->count) <= 4096,
		     "an outcome of nodes");
}

static void look_ask(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_ask *ask = (const void *)frame;
	unsigned int n = count(h, sizeof(*ask), sizeof(ask->task[0]));
	const struct hbc_wire_task *task;

	must(ask->round && ask->ms && be32_to_cpu(ask->ms) <= 60000, "a round that ends");
	must(be32_to_cpu(ask->every) <= 1000, "samples");
	for (task = ask->task; n--; task++) {
		must(task->from && task->to && task->from != task->to, "from one to another");
		must(task->kind <= 2 && be32_to_cpu(task->count) <= 1000, "a task");
		must(!task->kind == !task->count, "that ends");
		must(task->port && (task->family == 4 || task->family == 6), "an address");
	}
}

static void look_sample(const u8 *frame, const struct hbc_hdr *h)
{
	const struct hbc_wire_sample *sample = (const void *)frame;
	unsigned int n = count(h, sizeof(*sample), sizeof(sample->figure[0]));
	const struct hbc_wire_figure *f;

	must(sample->round && be16_to_cpu(sample->status) <= 3, "how a round is");
	for (f = sample->figure; n--; f++)
		must(f->state <= 3 && f->receives <= 1 && f->reject <= 7 &&
		     (f->state == 3) == !!f->error, "how a task is");
}

static void look_fields(const u8 *frame, const struct hbc_hdr *h)
{
	switch (h->type) {
	case HBC_FRAME_PLAN:
		look_plan(frame, h);
		break;
	case HBC_FRAME_TREE:
		look_tree(frame, h);
		break;
	case HBC_FRAME_MESSAGE:
		look_message(frame, h);
		break;
	case HBC_FRAME_DONE:
		look_numbers(frame, h);
		break;
	case HBC_FRAME_HAVE:
	case HBC_FRAME_WANT:
		look_pieces(frame, h);
		break;
	case HBC_FRAME_REPORT:
		look_report(frame, h);
		break;
	case HBC_FRAME_LOST:
		look_lost(frame, h);
		break;
	case HBC_FRAME_PROBE_ASK:
		look_ask(frame, h);
		break;
	case HBC_FRAME_PROBE_SAMPLE:
		look_sample(frame, h);
		break;
	default:
		look_handshake(frame, h);
	}
}

int look(const u8 *frame, unsigned int len)
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
	if (h.type == HBC_FRAME_DATA) {
		must(h.tag < 64 && h.length > 16, "a slot, and a payload");
		return h.length;
	}
	err = hbc_wire_check(frame, &h);
	if (err)
		return err;
	look_fields(frame, &h);
	return h.length;
}
