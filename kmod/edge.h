/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An edge: one child of this node in one tree, and what its lane's life means for
 * the tree. The children of a child that is dead are adopted.
 */
#ifndef _HBC_EDGE_H
#define _HBC_EDGE_H

#include <linux/types.h>

struct hbc_lane;
struct hbc_schedule;

/* All of these: context process, hn->lock held. */

/* The lane to a child is about to be READY: its trees go first. 0 or -errno. */
int hbc_edge_up(struct hbc_lane *lane);
/* Somebody below the child is lost: that tree, or with 0 all, is not ready any more. */
void hbc_edge_unready(struct hbc_lane *lane, u32 epoch);
/* It was READY and broke: what it held will be sent again. */
void hbc_edge_down(struct hbc_lane *lane);
/* It has not been READY for dead-interval: the child is down, and its children adopted. */
void hbc_edge_dead(struct hbc_lane *lane);
/* The same for all whose lanes were dead before there was a tree. */
void hbc_edge_look(struct hbc_schedule *sched);
/* The lane from a parent broke: its trees must be told again, or come over another one. */
void hbc_edge_parent_down(struct hbc_lane *lane);
/* Whether some tree has come over the lane last. */
bool hbc_edge_comes_from(const struct hbc_lane *lane);

#endif /* _HBC_EDGE_H */
