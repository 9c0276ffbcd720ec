// SPDX-License-Identifier: GPL-2.0
/* Whether a frame of measuring is one; see wire.c. */
#include "wire/probe.h"

static bool good_task(const struct hbc_wire_task *w)
{
	u32 count = be32_to_cpu(w->count);

	if (!w->from || !w->to || w->from == w->to || w->reserved || w->kind >= __HBC_TASK_MAX ||
	    count > HBC_ASK_COUNT_MAX)
		return false;
	/* A flow ends by the clock, the others by their number. */
	if (w->kind == HBC_TASK_FLOW ? count : !count || w->rate)
		return false;
	return hbc_wire_is_addr(w->addr, w->family, be16_to_cpu(w->port));
}

static bool good_ask(const struct hbc_wire_ask *w, unsigned int n)
{
	u32 ms = be32_to_cpu(w->ms);
	unsigned int i;

	if (!w->round || !ms || ms > HBC_ASK_MS_MAX ||
	    be32_to_cpu(w->every) > HBC_ASK_EVERY_MAX)
		return false;
	for (i = 0; i < n; i++)
		if (!good_task(&w->task[i]))
			return false;
	return true;
}

static bool good_figure(const struct hbc_wire_figure *w)
{
	return w->state < __HBC_TASK_STATE_MAX && w->receives <= 1 && !w->reserved &&
	       w->reject < __HBC_REJECT_MAX &&
	       /* A reason, if and only if there is one to give. */
	       !w->error == (w->state != HBC_TASK_FAILED);
}

static bool good_sample(const struct hbc_wire_sample *w, unsigned int n)
{
	unsigned int i;

	if (!w->round || be16_to_cpu(w->status) >= __HBC_SAMPLE_MAX || w->reserved)
		return false;
	for (i = 0; i < n; i++)
		if (!good_figure(&w->figure[i]))
			return false;
	return true;
}

bool hbc_wire_check_probe(const u8 *buf, const struct hbc_hdr *h)
{
	const struct hbc_wire_probe *probe = (const struct hbc_wire_probe *)buf;

	switch (h->type) {
	case HBC_FRAME_PROBE:
		return probe->round && !probe->reserved;
	case HBC_FRAME_PROBE_ASK:
		return good_ask((const void *)buf,
				hbc_wire_count(h, sizeof(struct hbc_wire_ask),
					       sizeof(struct hbc_wire_task)));
	case HBC_FRAME_PROBE_SAMPLE:
		return good_sample((const void *)buf,
				   hbc_wire_count(h, sizeof(struct hbc_wire_sample),
						  sizeof(struct hbc_wire_figure)));
	default:
		return true;
	}
}
