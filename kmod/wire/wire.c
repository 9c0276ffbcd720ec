// SPDX-License-Identifier: GPL-2.0
/* Whether a frame is one: its header, and what follows it. */
#include <linux/hbcast.h>

#include "wire/probe.h"
#include "wire/wire.h"

#define SIZE(frame)	sizeof(struct hbc_wire_##frame)

static_assert(SIZE(hello) == 68);
static_assert(SIZE(challenge) == 72);
static_assert(SIZE(plan) == 20);
static_assert(SIZE(node) == 44);
static_assert(SIZE(message) == 68);
static_assert(SIZE(outcome) == 20);

/* What a type allows in its header. */
struct rule {
	u16 fixed;	/* bytes that each frame has, 0 for no such type */
	u8 step;	/* bytes of each entry behind them; 0: there are none */
	u8 least;	/* entries */
	u16 max;	/* bytes of the longest frame, 0 for HBC_CONTROL_MAX */
	u8 tags;	/* the tag has no other bits */
};

static const struct rule rules[__HBC_FRAME_MAX] = {
	[HBC_FRAME_HELLO] = { .fixed = SIZE(hello), .tags = U8_MAX },
	[HBC_FRAME_CHALLENGE] = { .fixed = SIZE(challenge) },
	[HBC_FRAME_AUTH] = { .fixed = SIZE(auth) },
	[HBC_FRAME_READY] = { .fixed = SIZE(hdr) },
	[HBC_FRAME_REJECT] = { .fixed = SIZE(reject) },
	[HBC_FRAME_PLAN] = {
		.fixed = SIZE(plan), .step = SIZE(slot), .least = 1,
		.max = SIZE(plan) + HBC_MAX_SLOTS * SIZE(slot),
	},
	[HBC_FRAME_TREE] = { .fixed = SIZE(tree), .step = SIZE(node), .least = 1 },
	[HBC_FRAME_MESSAGE] = {
		.fixed = SIZE(message), .step = 1, .max = SIZE(message) + HBC_NAME_MAX,
	},
	[HBC_FRAME_LAST] = { .fixed = SIZE(last) },
	[HBC_FRAME_OVER] = { .fixed = SIZE(hdr), .tags = HBC_OVER_ALL | HBC_OVER_LOST },
	[HBC_FRAME_DONE] = { .fixed = SIZE(done), .step = SIZE(numbers) },
	[HBC_FRAME_TREE_ACK] = { .fixed = SIZE(tree_ack) },
	[HBC_FRAME_HAVE] = {
		.fixed = SIZE(have), .step = SIZE(run),
		.tags = HBC_HAVE_ALL | HBC_HAVE_END | HBC_HAVE_SLOTS,
	},
	[HBC_FRAME_WANT] = { .fixed = SIZE(have), .step = SIZE(run), .least = 1 },
	[HBC_FRAME_STOP] = { .fixed = SIZE(hdr) },
	[HBC_FRAME_ACK] = { .fixed = SIZE(ack), .tags = HBC_ACK_FILE },
	[HBC_FRAME_REPORT] = { .fixed = SIZE(report), .step = SIZE(outcome), .least = 1 },
	[HBC_FRAME_LOST] = {
		.fixed = SIZE(lost), .step = SIZE(run), .least = 1,
		.tags = HBC_LOST_DOWN | HBC_LOST_BACK,
	},
	[HBC_FRAME_PING] = { .fixed = SIZE(ping) },
	[HBC_FRAME_PONG] = { .fixed = SIZE(ping) },
	[HBC_FRAME_PROBE] = {
		.fixed = SIZE(probe), .step = 1, .max = HBC_FRAME_MAX, .tags = HBC_PROBE_LAST,
	},
	[HBC_FRAME_PROBE_ASK] = { .fixed = SIZE(ask), .step = SIZE(task), .tags = HBC_ASK_ANYWAY },
	[HBC_FRAME_PROBE_SAMPLE] = { .fixed = SIZE(sample), .step = SIZE(figure) },
};

int hbc_wire_check_hdr(struct hbc_hdr *h)
{
	const struct rule *rule;

	if (h->type >= __HBC_FRAME_MAX || !rules[h->type].fixed)
		return -EBADMSG;
	rule = &rules[h->type];
	if (h->type == HBC_FRAME_HELLO && h->tag != HBC_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (h->length < rule->fixed || (h->tag & ~rule->tags))
		return -EBADMSG;
	h->n = rule->step ? (h->length - rule->fixed) / rule->step : 0;
	return h->n < rule->least || h->length != rule->fixed + h->n * rule->step ||
	       h->length > (rule->max ?: HBC_CONTROL_MAX) ? -EBADMSG : 0;
}

static bool is_zero(const u8 *bytes, unsigned int n)
{
	while (n--)
		if (*bytes++)
			return false;
	return true;
}

bool hbc_wire_is_addr(const u8 *addr, u8 family, u16 port)
{
	if (!port || is_zero(addr, 16))
		return false;
	return family == 6 || (family == 4 && is_zero(addr + 4, 12));
}

static bool good_hello(const struct hbc_wire_hello *w)
{
	if (!w->group || !w->from || !w->to || !w->root || w->slot >= HBC_MAX_SLOTS ||
	    (w->flags & ~HBC_HELLO_PROBE) || w->reserved || w->cipher)
		return false;
	if (w->flags & HBC_HELLO_PROBE)
		return !w->slot && !w->incarnation && w->root == w->from;
	/* Lanes lead away from the root, and to another node. */
	return w->incarnation && w->to != w->from && w->to != w->root;
}

static bool good_plan(const struct hbc_wire_plan *w, unsigned int n)
{
	u64 slots = be64_to_cpu(w->slots);
	unsigned int i, set = 0;

	for (i = 0; i < HBC_MAX_SLOTS; i++)
		set += slots >> i & 1;
	if (!w->epoch || !(slots & BIT_ULL(HBC_SLOT_ALL)) || set != n ||
	    (w->flags & ~(HBC_PLAN_STRICT | HBC_PLAN_WHOLE)) ||
	    !is_zero(w->reserved, sizeof(w->reserved)))
		return false;
	for (i = 0; i < n; i++)
		if (!w->slot[i].rate)
			return false;
	return true;
}

static bool good_node(const struct hbc_wire_node *w, u32 behind)
{
	return w->node && w->slots && be32_to_cpu(w->nr_children) <= behind && !w->reserved &&
	       hbc_wire_is_addr(w->addr, w->family, be16_to_cpu(w->port));
}

static bool good_tree(const struct hbc_wire_tree *w, unsigned int n)
{
	u32 total = be32_to_cpu(w->total), first = be32_to_cpu(w->first);
	unsigned int i;

	if (!w->epoch || total > HBC_MAX_MEMBERS || first > total || n > total - first)
		return false;
	for (i = 0; i < n; i++)
		if (!good_node(&w->node[i], total - first - i - 1))
			return false;
	return true;
}

static bool good_tree_ack(const struct hbc_wire_tree_ack *w)
{
	u16 reason = be16_to_cpu(w->reason);

	return w->epoch && !w->reserved && reason <= HBCAST_REJECT_POLICY && (w->node || !reason);
}

/* A name is one of a directory's entries. */
static bool good_name(const u8 *name, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!name[i] || name[i] == '/')
			return false;
	return !(n == 1 && name[0] == '.') && !(n == 2 && name[0] == '.' && name[1] == '.');
}

static bool good_message(const struct hbc_wire_message *w, unsigned int n)
{
	bool file = w->kind == HBC_MESSAGE_FILE;

	/* Ranges of numbers have one behind them. */
	if (!w->message || be64_to_cpu(w->message) > HBC_NUMBER_MAX)
		return false;
	if (be64_to_cpu(w->total) > S64_MAX || !w->port || !w->payload ||
	    be16_to_cpu(w->payload) > HBC_PAYLOAD_MAX || !w->fragments ||
	    w->kind >= __HBC_MESSAGE_KINDS || w->hashed > file)
		return false;
	/* Fragments have numbers of 32 bits. */
	if (div_u64(be64_to_cpu(w->total), be16_to_cpu(w->payload)) >= U32_MAX)
		return false;
	if (!w->hashed && !is_zero(w->hash, sizeof(w->hash)))
		return false;
	return file ? good_name(w->name, n) : !n && !w->time;
}

static bool good_numbers(const struct hbc_wire_numbers *w, unsigned int n)
{
	u64 before = 1;

	for (; n--; w++) {
		u64 first = be64_to_cpu(w->first), count = be64_to_cpu(w->count);

		if (first < before || !count || first + count + 1 <= first)
			return false;
		before = first + count + 1;
	}
	return true;
}

static bool good_runs(const struct hbc_wire_run *w, unsigned int n)
{
	u32 from = 0;

	for (; n--; w++) {
		u32 first = be32_to_cpu(w->first), count = be32_to_cpu(w->count);

		if (first < from || !count || count > S32_MAX || first > S32_MAX)
			return false;
		from = first + count + 1;
	}
	return true;
}

static bool good_have(const struct hbc_wire_have *w, u8 tag, unsigned int n)
{
	if (n && (tag & HBC_HAVE_ALL))
		return false;
	return w->message ? good_runs(w->run, n) : !n && tag == HBC_HAVE_END;
}

static bool good_ack(const struct hbc_wire_ack *w, u8 tag)
{
	return w->epoch && (w->message || !(tag & HBC_ACK_FILE));
}

static bool good_report(const struct hbc_wire_report *w, unsigned int n)
{
	const struct hbc_wire_outcome *o = w->outcome;

	for (; n--; o++) {
		u32 first = be32_to_cpu(o->first), count = be32_to_cpu(o->count);

		if (!o->message || !count || first >= HBC_MAX_MEMBERS ||
		    count > HBC_MAX_MEMBERS - first || o->reason > HBCAST_REASON_MAX ||
		    !is_zero(o->reserved, sizeof(o->reserved)))
			return false;
	}
	return w->epoch;
}

static bool good_lost(const struct hbc_wire_lost *w, u8 tag, unsigned int n)
{
	u16 reason = be16_to_cpu(w->reason);

	if (!w->epoch || w->reserved || reason > HBCAST_REASON_MAX)
		return false;
	if (tag != (reason ? HBC_LOST_DOWN : HBC_LOST_BACK))
		return false;
	return good_runs(w->run, n);
}

/* Measuring. */

static bool good_task(const struct hbc_wire_task *w)
{
	u32 count = be32_to_cpu(w->count);

	if (!w->from || !w->to || w->from == w->to || w->reserved || w->kind > HBCAST_TASK_BURST ||
	    count > HBCAST_TASK_COUNT_MAX)
		return false;
	/* A flow ends by the clock, the others by their number. */
	if (w->kind == HBCAST_TASK_FLOW ? count : !count || w->rate)
		return false;
	return hbc_wire_is_addr(w->addr, w->family, be16_to_cpu(w->port));
}

static bool good_ask(const struct hbc_wire_ask *w, unsigned int n)
{
	u32 ms = be32_to_cpu(w->ms);
	unsigned int i;

	if (!w->round || !ms || ms > HBCAST_ROUND_MS_MAX ||
	    be32_to_cpu(w->every) > HBCAST_ROUND_EVERY_MAX)
		return false;
	for (i = 0; i < n; i++)
		if (!good_task(&w->task[i]))
			return false;
	return true;
}

static bool good_figure(const struct hbc_wire_figure *w)
{
	return w->state <= HBCAST_TASK_STATE_FAILED && w->receives <= 1 && !w->reserved &&
	       w->reject <= HBCAST_REJECT_POLICY &&
	       /* A reason, if and only if there is one to give. */
	       !w->error == (w->state != HBCAST_TASK_STATE_FAILED);
}

static bool good_sample(const struct hbc_wire_sample *w, unsigned int n)
{
	unsigned int i;

	if (!w->round || be16_to_cpu(w->status) >= HBCAST_ROUND_LOST || w->reserved)
		return false;
	for (i = 0; i < n; i++)
		if (!good_figure(&w->figure[i]))
			return false;
	return true;
}

static bool good(const u8 *buf, const struct hbc_hdr *h)
{
	const struct hbc_wire_reject *reject = (const struct hbc_wire_reject *)buf;
	const struct hbc_wire_have *want = (const struct hbc_wire_have *)buf;
	const struct hbc_wire_probe *probe = (const struct hbc_wire_probe *)buf;

	switch (h->type) {
	case HBC_FRAME_HELLO:
		return good_hello((const void *)buf);
	case HBC_FRAME_CHALLENGE:
		return ((const struct hbc_wire_challenge *)buf)->node;
	case HBC_FRAME_REJECT:
		return reject->reason && be16_to_cpu(reject->reason) <= HBCAST_REJECT_POLICY &&
		       !reject->reserved;
	case HBC_FRAME_PLAN:
		return good_plan((const void *)buf, h->n);
	case HBC_FRAME_TREE:
		return good_tree((const void *)buf, h->n);
	case HBC_FRAME_TREE_ACK:
		return good_tree_ack((const void *)buf);
	case HBC_FRAME_MESSAGE:
		return good_message((const void *)buf, h->n);
	case HBC_FRAME_LAST:
		return ((const struct hbc_wire_last *)buf)->message;
	case HBC_FRAME_DONE:
		return good_numbers(((const struct hbc_wire_done *)buf)->numbers, h->n);
	case HBC_FRAME_HAVE:
		return good_have((const void *)buf, h->tag, h->n);
	case HBC_FRAME_WANT:
		return want->message && good_runs(want->run, h->n);
	case HBC_FRAME_ACK:
		return good_ack((const void *)buf, h->tag);
	case HBC_FRAME_REPORT:
		return good_report((const void *)buf, h->n);
	case HBC_FRAME_LOST:
		return good_lost((const void *)buf, h->tag, h->n);
	case HBC_FRAME_PROBE:
		return probe->round && !probe->reserved;
	case HBC_FRAME_PROBE_ASK:
		return good_ask((const void *)buf, h->n);
	case HBC_FRAME_PROBE_SAMPLE:
		return good_sample((const void *)buf, h->n);
	default:
		return true;
	}
}

int hbc_wire_check(const u8 *buf, const struct hbc_hdr *h)
{
	return good(buf, h) ? 0 : -EBADMSG;
}
