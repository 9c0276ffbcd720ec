/* SPDX-License-Identifier: GPL-2.0 */
/* A task of a round: what this node does to another one, on a probe of its own. */
#ifndef _HBC_PROBE_TASK_H
#define _HBC_PROBE_TASK_H

#include "probe/probe.h"

#define HBC_PROBE_KBIT	125	/* bytes */

/**
 * struct hbc_probe_task - a task
 * @probe: the connection; its @lock guards @figure
 * @task: what is to be done
 * @round: in which round
 * @end: when that ends, by ktime_get_ns()
 * @limit: bytes/s of payload that the group lets it send, 0 for as many as go
 * @figure: how it is
 */
struct hbc_probe_task {
	struct hbc_probe probe;
	struct hbc_wire_task task;
	u32 round;
	u64 end;
	u64 limit;
	struct hbc_wire_figure figure;
};

/**
 * hbc_probe_task_begin() - begin a task
 * @group: in which group
 * @round: in which round
 * @task: what is to be done; from this node
 * @end: when it ends at the latest
 * @limit: bytes/s of payload that the group lets it send, 0 for as many as go
 *
 * Context: process.
 * Return: with a reference, or an ERR_PTR.
 */
struct hbc_probe_task *hbc_probe_task_begin(struct hbc_group *group, u32 round,
					    const struct hbc_wire_task *task, u64 end, u64 limit);
/* How it is by now. Context: process. */
void hbc_probe_task_look(struct hbc_probe_task *task, struct hbc_wire_figure *figure);
#endif /* _HBC_PROBE_TASK_H */
