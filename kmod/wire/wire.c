// SPDX-License-Identifier: GPL-2.0
/* Whether a frame is one: its header, and what follows it. */
#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#endif
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
	u16 min;	/* shortest frame, 0 for no such type */
	u16 max;	/* longest one, 0 for as long as @min */
	u8 step;	/* what is more than the shortest comes in steps of this, unless 0 */
	u8 tags;	/* the tag has no other bits */
};

static const struct rule rules[__HBC_FRAME_MAX] = {
	[HBC_FRAME_HELLO] = { .min = SIZE(hello), .tags = U8_MAX },
	[HBC_FRAME_CHALLENGE] = { .min = SIZE(challenge) },
	[HBC_FRAME_AUTH] = { .min = SIZE(auth) },
	[HBC_FRAME_READY] = { .min = SIZE(hdr) },
	[HBC_FRAME_REJECT] = { .min = SIZE(reject) },
	[HBC_FRAME_PLAN] = {
		.min = SIZE(plan) + SIZE(slot), .step = SIZE(slot),
		.max = SIZE(plan) + HBC_MAX_SLOTS * SIZE(slot),
	},
	[HBC_FRAME_TREE] = {
		.min = SIZE(tree) + SIZE(node), .step = SIZE(node), .max = HBC_CONTROL_MAX,
	},
	[HBC_FRAME_MESSAGE] = { .min = SIZE(message), .max = SIZE(message) + HBC_NAME_MAX },
	[HBC_FRAME_LAST] = { .min = SIZE(last) },
	[HBC_FRAME_OVER] = { .min = SIZE(hdr), .tags = HBC_OVER_ALL },
	[HBC_FRAME_DONE] = { .min = SIZE(done), .step = SIZE(numbers), .max = HBC_CONTROL_MAX },
	[HBC_FRAME_TREE_ACK] = { .min = SIZE(tree_ack) },
	[HBC_FRAME_HAVE] = {
		.min = SIZE(have), .step = SIZE(run), .max = HBC_CONTROL_MAX,
		.tags = HBC_HAVE_ALL | HBC_HAVE_END,
	},
	[HBC_FRAME_WANT] = {
		.min = SIZE(want) + SIZE(run), .step = SIZE(run), .max = HBC_CONTROL_MAX,
	},
	[HBC_FRAME_STOP] = { .min = SIZE(hdr) },
	[HBC_FRAME_ACK] = { .min = SIZE(ack), .tags = HBC_ACK_FILE },
	[HBC_FRAME_REPORT] = {
		.min = SIZE(report) + SIZE(outcome), .step = SIZE(outcome),
		.max = HBC_CONTROL_MAX,
	},
	[HBC_FRAME_LOST] = {
		.min = SIZE(lost) + SIZE(run), .step = SIZE(run), .max = HBC_CONTROL_MAX,
		.tags = HBC_LOST_DOWN | HBC_LOST_BACK,
	},
	[HBC_FRAME_PING] = { .min = SIZE(ping) },
	[HBC_FRAME_PONG] = { .min = SIZE(ping) },
	[HBC_FRAME_PROBE] = { .min = SIZE(probe), .max = HBC_FRAME_MAX, .tags = HBC_PROBE_LAST },
	[HBC_FRAME_PROBE_ASK] = {
		.min = SIZE(ask), .step = SIZE(task), .max = HBC_CONTROL_MAX,
		.tags = HBC_ASK_ANYWAY,
	},
	[HBC_FRAME_PROBE_SAMPLE] = {
		.min = SIZE(sample), .step = SIZE(figure), .max = HBC_CONTROL_MAX,
	},
};

int hbc_wire_check_hdr(const struct hbc_hdr *h)
{
	const struct rule *rule;

	if (h->type >= __HBC_FRAME_MAX || !rules[h->type].min)
		return -EBADMSG;
	rule = &rules[h->type];
	if (h->type == HBC_FRAME_HELLO && h->tag != HBC_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (h->length < rule->min || h->length > (rule->max ?: rule->min) ||
	    (h->tag & ~rule->tags))
		return -EBADMSG;
	return rule->step && (h->length - rule->min) % rule->step ? -EBADMSG : 0;
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
	bool probe = w->flags & HBC_HELLO_PROBE;

	if (!w->group || !w->from || !w->to || !w->root || w->slot >= HBC_MAX_SLOTS ||
	    (w->flags & ~HBC_HELLO_PROBE) || w->reserved || w->cipher)
		return false;
	if (probe)
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

static bool good_measuring(const u8 *buf, const struct hbc_hdr *h)
{
	const struct hbc_wire_probe *probe = (const struct hbc_wire_probe *)buf;

	switch (h->type) {
	case HBC_FRAME_PROBE:
		return probe->round && !probe->reserved;
	case HBC_FRAME_PROBE_ASK:
		return good_ask((const void *)buf, hbc_wire_count(h, SIZE(ask), SIZE(task)));
	case HBC_FRAME_PROBE_SAMPLE:
		return good_sample((const void *)buf,
				   hbc_wire_count(h, SIZE(sample), SIZE(figure)));
	default:
		return true;
	}
}

static bool good(const u8 *buf, const struct hbc_hdr *h)
{
	const struct hbc_wire_reject *reject = (const struct hbc_wire_reject *)buf;
	const struct hbc_wire_done *done = (const struct hbc_wire_done *)buf;
	const struct hbc_wire_want *want = (const struct hbc_wire_want *)buf;

	switch (h->type) {
	case HBC_FRAME_HELLO:
		return good_hello((const void *)buf);
	case HBC_FRAME_CHALLENGE:
		return ((const struct hbc_wire_challenge *)buf)->node;
	case HBC_FRAME_REJECT:
		return reject->reason && be16_to_cpu(reject->reason) <= HBCAST_REJECT_POLICY &&
		       !reject->reserved;
	case HBC_FRAME_PLAN:
		return good_plan((const void *)buf, hbc_wire_count(h, SIZE(plan), SIZE(slot)));
	case HBC_FRAME_TREE:
		return good_tree((const void *)buf, hbc_wire_count(h, SIZE(tree), SIZE(node)));
	case HBC_FRAME_TREE_ACK:
		return good_tree_ack((const void *)buf);
	case HBC_FRAME_MESSAGE:
		return good_message((const void *)buf, h->length - SIZE(message));
	case HBC_FRAME_LAST:
		return ((const struct hbc_wire_last *)buf)->message;
	case HBC_FRAME_DONE:
		return good_numbers(done->numbers,
				    hbc_wire_count(h, SIZE(done), SIZE(numbers)));
	case HBC_FRAME_HAVE:
		return good_have((const void *)buf, h->tag,
				 hbc_wire_count(h, SIZE(have), SIZE(run)));
	case HBC_FRAME_WANT:
		return want->message &&
		       good_runs(want->run, hbc_wire_count(h, SIZE(want), SIZE(run)));
	case HBC_FRAME_ACK:
		return good_ack((const void *)buf, h->tag);
	case HBC_FRAME_REPORT:
		return good_report((const void *)buf,
				   hbc_wire_count(h, SIZE(report), SIZE(outcome)));
	case HBC_FRAME_LOST:
		return good_lost((const void *)buf, h->tag,
				 hbc_wire_count(h, SIZE(lost), SIZE(run)));
	default:
		return good_measuring(buf, h);
	}
}

int hbc_wire_check(const u8 *buf, const struct hbc_hdr *h)
{
	return good(buf, h) ? 0 : -EBADMSG;
}
