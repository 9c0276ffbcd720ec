/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binomial trees adapted to a change of the network (paper 000). */
#ifndef HBPLAN_REPLAN_H
#define HBPLAN_REPLAN_H

#include <stdint.h>

#include "error.h"
#include "input.h"

struct hbp_plan;

/**
 * enum hbp_strategy - which swaps are tried
 * @HBP_SWAP_NONE: none
 * @HBP_SWAP_FAMILY: with children, parent and siblings
 * @HBP_SWAP_PATH: with those on the way up and on the longest way down
 * @HBP_SWAP_LEAF: with leaves
 * @HBP_SWAP_POSITION: with those at positions around it
 * @HBP_STRATEGIES: how many there are
 */
enum hbp_strategy {
	HBP_SWAP_NONE,
	HBP_SWAP_FAMILY,
	HBP_SWAP_PATH,
	HBP_SWAP_LEAF,
	HBP_SWAP_POSITION,
	HBP_STRATEGIES
};

/* What has happened to the network. */
enum hbp_event {
	HBP_LINK_CHANGED,	/* the costs of a link have changed */
	HBP_NODE_JOINED,
	HBP_NODE_LEFT,
};

/**
 * struct hbp_change - a change of the network and what to do about it
 * @event: what has happened
 * @node: who has joined or left, or one end of the link
 * @other: the other end of the link
 * @strategy: how to look for a better tree
 */
struct hbp_change {
	enum hbp_event event;
	uint32_t node;
	uint32_t other;
	enum hbp_strategy strategy;
};

const char *hbp_strategy_name(enum hbp_strategy strategy);
enum hbp_strategy hbp_strategy_find(const char *name);
int hbp_replan(const struct hbp_plan *old, struct hbp_input *in,
	       const struct hbp_change *change, struct hbp_plan **out,
	       struct hbp_error *err);

#endif /* HBPLAN_REPLAN_H */
