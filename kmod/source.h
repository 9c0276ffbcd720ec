/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The root: cutting messages into fragments, sending them down the tree, and
 * who has what.
 */
#ifndef _HBC_SOURCE_H
#define _HBC_SOURCE_H

#include <linux/types.h>

struct file;
struct hbc_ack;
struct hbc_burst;
struct hbc_origin;
struct hbc_schedule;
struct hbc_source;
struct hbcast_completion;
struct iov_iter;

/* The root's part of a schedule; made with it. NULL without memory. */
struct hbc_origin *hbc_origin_new(struct hbc_schedule *sched);
/* All that is queued or not complete fails with @reason; nothing new is taken. Process. */
void hbc_origin_end(struct hbc_origin *origin, u8 reason);
/* Last of the schedule. Context: process. */
void hbc_origin_free(struct hbc_origin *origin);
/* Sends what waits as far as the lanes have room; soon, by a work item. Context: any. */
void hbc_origin_kick(struct hbc_origin *origin);
/* A member's report. Context: process. */
void hbc_origin_ack(struct hbc_origin *origin, const struct hbc_ack *ack);
/* Members that were lost (HBC_LOST_* in @flags). Context: process. */
void hbc_origin_lost(struct hbc_origin *origin, u8 flags, u8 reason, const u32 *node,
		     unsigned int count);
/* Whether a message of @epoch is not complete or still to be sent. Context: process. */
bool hbc_origin_uses(struct hbc_origin *origin, u32 epoch);

/* The burst's last reference is gone: its truesize goes back. Context: any but hard irq. */
void hbc_source_uncharge(struct hbc_source *source, unsigned int truesize);

#endif /* _HBC_SOURCE_H */
