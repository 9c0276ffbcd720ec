/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Repair, at the root: from time to time the members are told how much has been
 * sent, and what they lack of it is sent again.
 */
#ifndef _HBC_REPAIR_H
#define _HBC_REPAIR_H

#include <linux/types.h>

#define HBC_REPAIR_BURSTS	64	/* of a message, sent again before it is told again */

struct hbc_block_ack;
struct hbc_lane;
struct hbc_nack;
struct hbc_origin;
struct hbc_outgoing;
struct hbc_range;
struct hbc_source;
struct hbc_tally;
struct hbc_tree;

/* A message is there: looks after all of them as long as there are any. origin->lock held. */
void hbc_repair_watch(struct hbc_origin *origin);
/* The work item that does. */
void hbc_repair_tick(struct work_struct *work);

/* Its first bytes are about to leave. origin->lock held. */
void hbc_repair_begin(struct hbc_outgoing *m);
/*
 * It goes on along other trees, and what is on its way has time to arrive; *@tally, which
 * was NULL, is the caller's to free. origin->lock held.
 */
void hbc_repair_move(struct hbc_outgoing *m, struct hbc_tally **tally);
/* It will be told of soon. origin->lock held. */
void hbc_repair_due(struct hbc_outgoing *m);
/* No more answers about @m are waited for. origin->lock held. */
void hbc_repair_settle(struct hbc_outgoing *m);
/* Another burst of @m has gone to the lanes: it may be time to tell. origin->lock held. */
void hbc_repair_sent(struct hbc_outgoing *m);
/* The send buffer is full: what has been sent is told, so that it need not be kept. */
void hbc_repair_press(struct hbc_source *source);

/* Tells what is to be told. origin->pump held. */
void hbc_repair_tell_all(struct hbc_origin *origin);
/*
 * Sends again what lies ready: a burst of each message at the most. origin->pump held.
 * Return: a tree, a reference, whose lanes have no room; NULL when all is sent.
 */
struct hbc_tree *hbc_repair_round(struct hbc_origin *origin);
/*
 * Makes ready what @source's members lack. Context: the source's work. Return:
 * whether there was something.
 */
bool hbc_repair_read(struct hbc_source *source);

/*
 * In @epoch members can be reached again, and what was told them, or they said, may have
 * got lost; or they are not waited for any more. Context: process; hn->lock may be held.
 */
void hbc_repair_restart(struct hbc_origin *origin, u32 epoch);
/* What a child and all below have, or lack. Context: process. */
void hbc_repair_ack(struct hbc_origin *origin, const struct hbc_lane *lane,
		    const struct hbc_block_ack *f);
void hbc_repair_nack(struct hbc_origin *origin, const struct hbc_nack *f,
		     const struct hbc_range *range);

#endif /* _HBC_REPAIR_H */
