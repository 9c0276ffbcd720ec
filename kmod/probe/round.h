/* SPDX-License-Identifier: GPL-2.0 */
/* A node's part in a round: tasks that begin at once, and how they are. */
#ifndef _HBC_PROBE_ROUND_H
#define _HBC_PROBE_ROUND_H

#include "probe/probe.h"

struct hbc_probe_part;

/**
 * struct hbc_probe_round - a round, as one node has it
 * @control: the probe from the coordinator, which has it; all fields are its @run's
 * @id: the coordinator's number for it; 0 before the first one
 * @status: enum hbc_sample_status
 * @begun: by ktime_get_ns()
 * @end: when it is over, likewise
 * @every: ms from one sample to the next
 * @count: of @parts
 * @parts: this node's tasks, and those that others do to it
 */
struct hbc_probe_round {
	struct hbc_probe *control;
	u32 id;
	enum hbc_sample_status status;
	u64 begun;
	u64 end;
	unsigned int every;
	unsigned int count;
	struct hbc_probe_part *parts;
};

/**
 * hbc_probe_round_ask() - a coordinator asks for a round
 * @round: filled in; the one before ends, unless it is the same
 * @h: of the frame
 * @frame: PROBE_ASK
 *
 * Context: @round->control's run.
 * Return: 0, also where the answer is no; -EBADMSG; -ENOMEM.
 */
int hbc_probe_round_ask(struct hbc_probe_round *round, const struct hbc_hdr *h,
			const u8 *frame);
/* Tells the coordinator how it is, and ends what is over: 0 or -errno. Context: as above. */
int hbc_probe_round_tell(struct hbc_probe_round *round);
/* Whether it goes on. */
static inline bool hbc_probe_round_runs(const struct hbc_probe_round *round)
{
	return round->id && round->status == HBC_SAMPLE_RUNNING;
}

/* Ends all. Context: as above. */
void hbc_probe_round_clear(struct hbc_probe_round *round);

#endif /* _HBC_PROBE_ROUND_H */
