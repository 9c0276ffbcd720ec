/* SPDX-License-Identifier: GPL-2.0 */
/* Events for the netlink multicast group. */
#ifndef _HBC_EVENT_H
#define _HBC_EVENT_H

#include <linux/types.h>

struct hbc_group;
struct hbc_lane;
struct hbc_net;
struct hbc_probe;
struct hbc_sample_frame;
struct hbc_schedule;
struct tcp_info;

/*
 * Each tells the listeners of the node's namespace what happened; without
 * memory or listeners nobody is told. Context: process, any locks but
 * spinlocks.
 */
void hbc_event_lane(struct hbc_lane *lane, bool up, int error);
/*
 * What a lane's way is like now: TCP's figures, and @rate bytes/s on the link as far as the
 * network limits it, 0 for unknown. Return: whether it was told, or else that nobody
 * listens, or that enough has been told in this second.
 */
bool hbc_event_gauge(struct hbc_lane *lane, u64 rate, const struct tcp_info *tcp);
/* A handshake was refused by the other side: enum hbc_reject_reason. */
void hbc_event_reject(struct hbc_lane *lane, u16 reason);
/* The root's plan is applied, or the whole tree has acknowledged it. */
void hbc_event_plan(struct hbc_schedule *sched, u32 epoch, bool ready);
/* A node refused its part of the tree, or cannot be reached for it. */
void hbc_event_plan_refused(struct hbc_schedule *sched, u32 epoch, u32 node, u16 reason);
/* Members that are lost or back: HBC_LOST_* in @flags. */
void hbc_event_members(struct hbc_schedule *sched, u8 flags, u8 reason, const u32 *node,
		       unsigned int count);
/* A receiver was cut off because it did not read. */
void hbc_event_stall(struct hbc_group *group, u16 port);
/* The node has been set or taken down. */
void hbc_event_node(struct hbc_net *hn, u32 id, bool up);

/*
 * What a node says of a round, in @probe->frame, to the netlink socket @portid alone; and
 * that it is not reached, for a positive errno @error. Without memory, or room in the
 * socket, the socket is told that something is missing.
 * Context: @probe->run.
 *
 * Return: 0; -EBADMSG for figures that cannot be.
 */
int hbc_event_probe(struct hbc_probe *probe, u32 portid, const struct hbc_sample_frame *sample);
void hbc_event_probe_lost(struct hbc_probe *probe, u32 portid, u32 round, int error);

/*
 * The netlink family is there, or is about to go: on return nobody sends an
 * event any more. Context: process, no locks.
 */
void hbc_event_enable(bool on);

#endif /* _HBC_EVENT_H */
