/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Weighted rendezvous: which of several slots brings a piece to a node that is not in the
 * tree of the piece's own slot. Parent and child work it out alike, so nobody asks.
 *
 * Pure, as wire.h is.
 */
#ifndef _HBC_CHOICE_H
#define _HBC_CHOICE_H

#include "wire/wire.h"

/**
 * struct hbc_slots - the slots of a plan
 * @set: which there are
 * @weight: of each, in proportion to its rate; never 0 for those in @set
 * @step: of each, the multiplier of its sequence
 */
struct hbc_slots {
	u64 set;
	u32 weight[HBC_MAX_SLOTS];
	u64 step[HBC_MAX_SLOTS];
};

/* The slots of a PLAN that has been checked. Context: any. */
void hbc_slots_fill(struct hbc_slots *slots, const struct hbc_wire_plan *plan);

/**
 * hbc_choice() - the slot that brings a piece
 * @slots: the plan's slots
 * @set: slots to choose from; of those that the plan lacks none is chosen
 * @piece: number of the piece
 *
 * Each slot has a key for each piece, -log2(u) / weight, where u is the fraction of
 * (piece + 1) * step / 2^64 + 1/2; the least key of @set wins, of equal ones the lowest
 * slot's. Keys do not depend on @set: a node's parent in the chosen slot chooses the same
 * slot, or one with a lesser key, so no two nodes wait for each other.
 *
 * Context: any. Return: the slot, or HBC_MAX_SLOTS of an empty set.
 */
u8 hbc_choice(const struct hbc_slots *slots, u64 set, u32 piece);

#endif /* _HBC_CHOICE_H */
