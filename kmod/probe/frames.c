// SPDX-License-Identifier: GPL-2.0
/* The frames of measuring, in the host's order. */
#include "probe/frames.h"

unsigned int hbc_frame_put_ask(u8 *frame, u8 flags, const struct hbc_ask_frame *f,
			       const struct hbc_task *task)
{
	struct hbc_wire_ask *w = (struct hbc_wire_ask *)frame;
	u32 i;

	w->round = cpu_to_be32(f->round);
	w->ms = cpu_to_be32(f->ms);
	w->every = cpu_to_be32(f->every);
	for (i = 0; i < f->count; i++, task++) {
		w->task[i] = (struct hbc_wire_task) {
			.from = cpu_to_be32(task->from), .to = cpu_to_be32(task->to),
			.count = cpu_to_be32(task->count), .rate = cpu_to_be32(task->rate),
			.index = cpu_to_be16(task->index), .port = task->port,
			.kind = task->kind, .family = task->family,
		};
		memcpy(w->task[i].addr, task->addr, sizeof(task->addr));
	}
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE_ASK, flags,
				sizeof(*w) + f->count * sizeof(w->task[0]));
}

void hbc_frame_get_ask(const u8 *frame, const struct hbc_hdr *h, struct hbc_ask_frame *f)
{
	const struct hbc_wire_ask *w = (const struct hbc_wire_ask *)frame;

	f->round = be32_to_cpu(w->round);
	f->ms = be32_to_cpu(w->ms);
	f->every = be32_to_cpu(w->every);
	f->count = hbc_wire_count(h, sizeof(*w), sizeof(w->task[0]));
}

void hbc_frame_get_task(const u8 *frame, u32 index, struct hbc_task *task)
{
	const struct hbc_wire_task *w = &((const struct hbc_wire_ask *)frame)->task[index];

	*task = (struct hbc_task) {
		.from = be32_to_cpu(w->from), .to = be32_to_cpu(w->to),
		.count = be32_to_cpu(w->count), .rate = be32_to_cpu(w->rate),
		.index = be16_to_cpu(w->index), .port = w->port,
		.kind = w->kind, .family = w->family,
	};
	memcpy(task->addr, w->addr, sizeof(task->addr));
}

unsigned int hbc_frame_put_sample(u8 *frame, const struct hbc_sample_frame *f,
				  const struct hbc_figure *figure)
{
	struct hbc_wire_sample *w = (struct hbc_wire_sample *)frame;
	u32 i;

	w->ns = cpu_to_be64(f->ns);
	w->round = cpu_to_be32(f->round);
	w->status = cpu_to_be16(f->status);
	w->reserved = 0;
	for (i = 0; i < f->count; i++, figure++)
		w->figure[i] = (struct hbc_wire_figure) {
			.index = cpu_to_be16(figure->index), .state = figure->state,
			.receives = figure->receives, .error = figure->error,
			.reject = figure->reject,
			.value = { cpu_to_be64(figure->value[0]), cpu_to_be64(figure->value[1]) },
		};
	return hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE_SAMPLE, 0,
				sizeof(*w) + f->count * sizeof(w->figure[0]));
}

void hbc_frame_get_sample(const u8 *frame, const struct hbc_hdr *h, struct hbc_sample_frame *f)
{
	const struct hbc_wire_sample *w = (const struct hbc_wire_sample *)frame;

	f->ns = be64_to_cpu(w->ns);
	f->round = be32_to_cpu(w->round);
	f->status = be16_to_cpu(w->status);
	f->count = hbc_wire_count(h, sizeof(*w), sizeof(w->figure[0]));
}

void hbc_frame_get_figure(const u8 *frame, u32 index, struct hbc_figure *figure)
{
	const struct hbc_wire_figure *w = &((const struct hbc_wire_sample *)frame)->figure[index];

	*figure = (struct hbc_figure) {
		.index = be16_to_cpu(w->index), .state = w->state, .receives = w->receives,
		.error = w->error, .reject = w->reject,
		.value = { be64_to_cpu(w->value[0]), be64_to_cpu(w->value[1]) },
	};
}

unsigned int hbc_frame_put_ping(u8 *frame, u8 type, u64 token)
{
	struct hbc_wire_ping *w = (struct hbc_wire_ping *)frame;

	w->token = cpu_to_be64(token);
	return hbc_wire_put_hdr(&w->hdr, type, 0, sizeof(*w));
}

unsigned int hbc_frame_put_probe(u8 *frame, u8 flags, u32 payload, u32 round, u16 index)
{
	struct hbc_wire_probe *w = (struct hbc_wire_probe *)frame;

	w->round = cpu_to_be32(round);
	w->index = cpu_to_be16(index);
	w->reserved = 0;
	hbc_wire_put_hdr(&w->hdr, HBC_FRAME_PROBE, flags, sizeof(*w) + payload);
	return sizeof(*w);
}
