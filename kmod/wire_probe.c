// SPDX-License-Identifier: GPL-2.0
/* Frames of measuring to bytes and back; see wire.c. */
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>
#endif

#include "wire_probe.h"

struct wire_task {
	__be32 from;
	__be32 to;
	__be32 count;
	__be32 rate;
	__be16 index;
	u8 kind;
	u8 family;
	__be16 port;
	__be16 reserved;
	u8 addr[16];
} __packed;
static_assert(sizeof(struct wire_task) == HBC_ASK_TASK_LEN);

struct wire_ask {
	struct hbc_wire_hdr hdr;
	__be32 round;
	__be32 ms;
	__be16 count;
	__be16 every;
	struct wire_task task[];
} __packed;
static_assert(sizeof(struct wire_ask) == HBC_ASK_LEN);

struct wire_figure {
	__be16 index;
	u8 state;
	u8 receives;
	u8 error;
	u8 reject;
	__be16 reserved;
	__be64 value[2];
} __packed;
static_assert(sizeof(struct wire_figure) == HBC_SAMPLE_FIGURE_LEN);

struct wire_sample {
	struct hbc_wire_hdr hdr;
	__be64 ns;
	__be32 round;
	__be16 status;
	__be16 count;
	struct wire_figure figure[];
} __packed;
static_assert(sizeof(struct wire_sample) == HBC_SAMPLE_LEN);

struct wire_probe {
	struct hbc_wire_hdr hdr;
	__be32 round;
	__be16 index;
	__be16 reserved;
} __packed;
static_assert(sizeof(struct wire_probe) == HBC_PROBE_LEN);

unsigned int hbc_wire_put_ask(u8 *buf, u8 flags, const struct hbc_ask_frame *f,
			      const struct hbc_task *task)
{
	struct wire_ask *w = (struct wire_ask *)buf;
	unsigned int i;

	w->round = cpu_to_be32(f->round);
	w->ms = cpu_to_be32(f->ms);
	w->count = cpu_to_be16(f->count);
	w->every = cpu_to_be16(f->every);
	for (i = 0; i < f->count; i++, task++) {
		struct wire_task *t = &w->task[i];

		t->from = cpu_to_be32(task->from);
		t->to = cpu_to_be32(task->to);
		t->count = cpu_to_be32(task->count);
		t->rate = cpu_to_be32(task->rate);
		t->index = cpu_to_be16(task->index);
		t->kind = task->kind;
		t->family = task->family;
		t->port = cpu_to_be16(task->port);
		t->reserved = 0;
		memcpy(t->addr, task->addr, sizeof(t->addr));
	}
	return hbc_wire_put_hdr(buf, HBC_FRAME_PROBE_ASK, flags, 0,
				sizeof(*w) + f->count * sizeof(w->task[0]));
}

int hbc_wire_get_ask(const u8 *buf, const struct hbc_hdr *h, struct hbc_ask_frame *f)
{
	const struct wire_ask *w = (const struct wire_ask *)buf;

	f->round = be32_to_cpu(w->round);
	f->ms = be32_to_cpu(w->ms);
	f->count = be16_to_cpu(w->count);
	f->every = be16_to_cpu(w->every);
	if (!f->round || !f->ms || f->ms > HBC_ASK_MS_MAX || f->every > HBC_ASK_EVERY_MAX ||
	    h->length != sizeof(*w) + f->count * sizeof(w->task[0]))
		return -EBADMSG;
	return 0;
}

int hbc_wire_get_task(const u8 *buf, unsigned int i, struct hbc_task *task)
{
	const struct wire_task *t = &((const struct wire_ask *)buf)->task[i];

	task->from = be32_to_cpu(t->from);
	task->to = be32_to_cpu(t->to);
	task->count = be32_to_cpu(t->count);
	task->rate = be32_to_cpu(t->rate);
	task->index = be16_to_cpu(t->index);
	task->kind = t->kind;
	task->family = t->family;
	task->port = be16_to_cpu(t->port);
	memcpy(task->addr, t->addr, sizeof(task->addr));
	if (!task->from || !task->to || task->from == task->to || t->reserved ||
	    task->kind >= __HBC_TASK_MAX)
		return -EBADMSG;
	/* A flow ends by the clock, the others by their number. */
	if (task->count > HBC_ASK_COUNT_MAX ||
	    (task->kind == HBC_TASK_FLOW ? task->count : !task->count || task->rate))
		return -EBADMSG;
	return hbc_wire_is_addr(task->addr, task->family, task->port) ? 0 : -EBADMSG;
}

unsigned int hbc_wire_put_sample(u8 *buf, const struct hbc_sample_frame *f,
				 const struct hbc_figure *figure)
{
	struct wire_sample *w = (struct wire_sample *)buf;
	unsigned int i;

	w->ns = cpu_to_be64(f->ns);
	w->round = cpu_to_be32(f->round);
	w->status = cpu_to_be16(f->status);
	w->count = cpu_to_be16(f->count);
	for (i = 0; i < f->count; i++, figure++) {
		struct wire_figure *t = &w->figure[i];

		t->index = cpu_to_be16(figure->index);
		t->state = figure->state;
		t->receives = figure->receives;
		t->error = figure->error;
		t->reject = figure->reject;
		t->reserved = 0;
		t->value[0] = cpu_to_be64(figure->value[0]);
		t->value[1] = cpu_to_be64(figure->value[1]);
	}
	return hbc_wire_put_hdr(buf, HBC_FRAME_PROBE_SAMPLE, 0, 0,
				sizeof(*w) + f->count * sizeof(w->figure[0]));
}

int hbc_wire_get_sample(const u8 *buf, const struct hbc_hdr *h, struct hbc_sample_frame *f)
{
	const struct wire_sample *w = (const struct wire_sample *)buf;

	f->ns = be64_to_cpu(w->ns);
	f->round = be32_to_cpu(w->round);
	f->status = be16_to_cpu(w->status);
	f->count = be16_to_cpu(w->count);
	if (!f->round || f->status >= __HBC_SAMPLE_MAX ||
	    h->length != sizeof(*w) + f->count * sizeof(w->figure[0]))
		return -EBADMSG;
	return 0;
}

int hbc_wire_get_figure(const u8 *buf, unsigned int i, struct hbc_figure *figure)
{
	const struct wire_figure *t = &((const struct wire_sample *)buf)->figure[i];

	figure->index = be16_to_cpu(t->index);
	figure->state = t->state;
	figure->receives = t->receives;
	figure->error = t->error;
	figure->reject = t->reject;
	figure->value[0] = be64_to_cpu(t->value[0]);
	figure->value[1] = be64_to_cpu(t->value[1]);
	if (t->state >= __HBC_TASK_STATE_MAX || t->receives > 1 || t->reserved ||
	    t->reject >= __HBC_REJECT_MAX)
		return -EBADMSG;
	/* A reason, if and only if there is one to give. */
	return !t->error != (t->state != HBC_TASK_FAILED) ? -EBADMSG : 0;
}

unsigned int hbc_wire_put_probe(u8 *buf, u8 flags, u32 len, const struct hbc_probe_frame *f)
{
	struct wire_probe *w = (struct wire_probe *)buf;

	w->round = cpu_to_be32(f->round);
	w->index = cpu_to_be16(f->index);
	w->reserved = 0;
	return hbc_wire_put_hdr(buf, HBC_FRAME_PROBE, flags, 0, sizeof(*w) + len);
}

int hbc_wire_get_probe(const u8 *buf, const struct hbc_hdr *h, struct hbc_probe_frame *f)
{
	const struct wire_probe *w = (const struct wire_probe *)buf;

	f->round = be32_to_cpu(w->round);
	f->index = be16_to_cpu(w->index);
	return !f->round || w->reserved ? -EBADMSG : 0;
}
