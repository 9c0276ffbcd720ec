/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stages: in which order members get the whole of a file when not every tree
 * reaches all of them.
 *
 * First the data is spread over all trees. Then, stage by stage, those that are in
 * the same slots get what they lack over the trees that reach them, the ones with
 * the highest planned rate first. For nested trees that is Algorithm 2 of "A stable
 * broadcast algorithm"; they need not be nested.
 */
#ifndef _HBC_STAGE_H
#define _HBC_STAGE_H

#include <linux/types.h>

struct hbc_cut;
struct hbc_outgoing;
struct hbc_roster;

#define HBC_STAGES_MAX	255	/* after the spread */
/* Bursts of a message that is sent in stages: 128 GiB or so. */
#define HBC_STAGE_BURSTS_MAX	2097152

/**
 * hbc_stage_rank() - who has all of a message after which stage
 * @slots: the set of slots that each node is in
 * @nr: number of nodes
 * @rate: planned, bytes/s, of the tree of each slot
 * @all: the set of all slots
 * @stage: set for each node: 0 for those in all slots, who have it when it has been
 *	spread; else from 1 on, by the sum of their trees' rates, the highest first,
 *	and of equal ones by the lower set, read as a number
 *
 * Context: process. Return: 0; -E2BIG for more than HBC_STAGES_MAX sets; -ENOMEM.
 */
int hbc_stage_rank(const u64 *slots, u32 nr, const u64 *rate, u64 all, u8 *stage);

/*
 * Memory to remember where each burst of a file has been sent, if it goes in stages;
 * else NULL: it goes where all are reached. Context: process. Return: 0 or -ENOMEM.
 */
int hbc_stage_prepare(const struct hbc_cut *c, const struct hbc_roster *roster, u64 **used);

/* All that follows: origin->lock held. */

/* Which slots may carry the message's next burst. */
u64 hbc_stage_slots(const struct hbc_outgoing *m);
/*
 * Whether a burst of a file that has been spread is to be cut now; *@number is set to
 * it. When none will be any more the message is whole.
 */
bool hbc_stage_next(struct hbc_outgoing *m, u64 *number);
/* Slots that the burst at @offset has been sent through. */
u64 hbc_stage_used(const struct hbc_outgoing *m, u64 offset);
/* It leaves through @slot. */
void hbc_stage_sent(struct hbc_outgoing *m, u64 offset, u8 slot);
/*
 * @m takes the trees of another roster from now on; @used is what hbc_stage_prepare() made
 * for them. Return: what is to be freed of both.
 */
u64 *hbc_stage_move(struct hbc_outgoing *m, const struct hbc_roster *roster, u64 *used);
/* Stages up to this one are over, as BLOCK_END tells it. */
u16 hbc_stage_over(const struct hbc_outgoing *m);

#endif /* _HBC_STAGE_H */
