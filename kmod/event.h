/* SPDX-License-Identifier: GPL-2.0 */
/* Events for the netlink multicast group. */
#ifndef _HBC_EVENT_H
#define _HBC_EVENT_H

#include <linux/types.h>

struct hbc_group;
struct hbc_lane;
struct hbc_net;
struct hbc_schedule;

/*
 * Each tells the listeners of the node's namespace what happened; without
 * memory or listeners nobody is told. Context: process, any locks but
 * spinlocks.
 */
void hbc_event_lane(struct hbc_lane *lane, bool up, int error);
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
 * The netlink family is there, or is about to go: on return nobody sends an
 * event any more. Context: process, no locks.
 */
void hbc_event_enable(bool on);

#endif /* _HBC_EVENT_H */
