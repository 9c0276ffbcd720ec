/* SPDX-License-Identifier: GPL-2.0 */
/* A route: which pieces a lane is to bring, and in which order. Pure. */
#ifndef _HBC_ROUTE_H
#define _HBC_ROUTE_H

#include "wire/choice.h"

#define HBC_ROUTE_CLASSES	62
#define HBC_ROUTE_RANKS		(HBC_ROUTE_CLASSES + 2)

/**
 * struct hbc_route - a lane's part of a plan; it never changes once it is in use
 * @slots: the plan's
 * @slot: the lane's
 * @child: set of slots that the child is in
 * @nr: entries of @class in use
 * @class: the different sets of slots of the nodes below the lane, the child included, those
 *	of the highest planned rate first
 */
struct hbc_route {
	struct hbc_slots slots;
	u8 slot;
	u8 nr;
	u64 child;
	u64 class[HBC_ROUTE_CLASSES];
};

/*
 * Add the set of slots of a node below. What has no room any more is brought, too, but
 * without an order of its own. Context: any.
 */
void hbc_route_add(struct hbc_route *route, u64 set);

/**
 * hbc_route_rank() - how soon a lane is to bring a piece
 * @route: of the lane
 * @tag: slot of the piece
 * @piece: its number
 *
 * 0: the piece is of the lane's slot, and all below wait for it. Then what classes are
 * missing that comes to them this way, in the order of @route->class: the third paper's
 * order of stages. Context: any.
 *
 * Return: 0 to @route->nr, or -1: another lane brings it.
 */
int hbc_route_rank(const struct hbc_route *route, u8 tag, u32 piece);

#endif /* _HBC_ROUTE_H */
