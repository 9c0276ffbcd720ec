/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of a measurement: tasks of nodes that begin at once, by way of the kernel. */
#ifndef HBCASTCTL_MEASURE_ROUND_H
#define HBCASTCTL_MEASURE_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/hbcast_netlink.h>

#include "cmd.h"
#include "genl.h"
#include "measure/settle.h"
#include "measure_member.h"
#include "stop.h"

/**
 * struct hbmeas_node - a node that may have a part in rounds
 * @id: its id
 * @why: why it was not reached when that was tried last; "" if it was
 * @asked: it has a part in the round
 * @over: it has said its last of it
 * @waits: why it cannot have a part in it now, or NULL
 * @limit: the key of "group set" that keeps it from sending what it was to, or NULL
 * @lost: it was not reached in this round
 * @misses: so many rounds in a row
 */
struct hbmeas_node {
	uint32_t id;
	char why[96];
	bool asked;
	bool over;
	const char *waits;
	const char *limit;
	bool lost;
	unsigned int misses;
};

/**
 * struct hbmeas_task - what one node does to another one
 * @kind: enum hbcast_task_kind
 * @from: the node that sends: its place among the nodes
 * @to: the other one
 * @count: round trips or small frames; 0 for a flow
 * @rate_kbits: what a flow keeps to, in kbit/s on the link; 0 for as much as goes
 * @done: it has come to its good end
 * @first: the figure of that, as the kernel tells it
 * @second: likewise
 * @sent: of a flow, what arrived, in the sender's words
 * @received: in the receiver's words
 */
struct hbmeas_task {
	enum hbcast_task_kind kind;
	size_t from;
	size_t to;
	unsigned int count;
	uint32_t rate_kbits;
	bool done;
	double first;
	double second;
	struct hbp_growth sent;
	struct hbp_growth received;
};

/**
 * struct hbmeas_rounds - rounds of a group, one after the other
 * @ctl: the run
 * @g: the connection to the kernel
 * @stop: signals that end the measurement
 * @group: the group's id
 * @n: number of nodes
 * @nodes: in ascending order of id
 * @anyway: broadcasts do not hold a round up
 * @end: when the measurement has to end, of hbclock_now(); 0 for no limit
 * @told: somebody knows that it waits
 * @number: of the last round
 * @bytes: that have been on their way in all
 * @most_bytes: when @bytes is more, no other round begins; 0 for no limit
 */
struct hbmeas_rounds {
	struct hbctl *ctl;
	struct hbgenl g;
	struct hbstop stop;
	uint32_t group;
	size_t n;
	struct hbmeas_node *nodes;
	bool anyway;
	int64_t end;
	bool told;
	uint32_t number;
	double bytes;
	double most_bytes;
};

/**
 * typedef hbmeas_settled - whether a round may end before its time
 * @tasks: the round's, with what is known by now
 * @n: how many
 * @arg: the caller's
 */
typedef bool (*hbmeas_settled)(const struct hbmeas_task *tasks, size_t n, void *arg);

int hbmeas_open(struct hbmeas_rounds *rounds, struct hbctl *ctl, uint32_t group,
		const struct hbmeas_members *nodes);
void hbmeas_close(struct hbmeas_rounds *rounds);
bool hbmeas_node_gone(const struct hbmeas_node *node);
int hbmeas_run(struct hbmeas_rounds *rounds, struct hbmeas_task *tasks, size_t n,
	       unsigned int ms, unsigned int every, hbmeas_settled settled, void *arg);
void hbmeas_task_clear(struct hbmeas_task *task);

#endif /* HBCASTCTL_MEASURE_ROUND_H */
