/* SPDX-License-Identifier: GPL-2.0 */
/* A tally: how far each child of a tree is with one message, himself and all below. */
#ifndef _HBC_TALLY_H
#define _HBC_TALLY_H

#include <linux/list.h>
#include <linux/types.h>

struct hbc_lane;
struct hbc_tree;

/**
 * struct hbc_tally - what the children of one tree have said
 * @link: on its way to be freed
 * @tree: a reference
 * @nr: edges of it, and of what had been adopted in it when this was made
 * @end: for each edge, the bytes of the message that are there without a gap
 *
 * Protected by its user's lock.
 */
struct hbc_tally {
	struct list_head link;
	struct hbc_tree *tree;
	unsigned int nr;
	u64 end[];
};

/* Of @tree, of which a reference is taken; NULL without memory. Context: process. */
struct hbc_tally *hbc_tally_new(struct hbc_tree *tree);
/* NULL is fine. Context: any. */
void hbc_tally_free(struct hbc_tally *t);
/*
 * The child at the other end of @lane has said so for all below it in @epoch; another's
 * word does not count. Context: any.
 */
void hbc_tally_set(struct hbc_tally *t, const struct hbc_lane *lane, u32 epoch, u64 end);
/* Whether children were adopted of whom it does not know. Context: any. */
bool hbc_tally_stale(const struct hbc_tally *t);
/*
 * What all children have that are not lost; U64_MAX if there are none, 0 if it is stale.
 * Context: any.
 */
u64 hbc_tally_least(const struct hbc_tally *t);

#endif /* _HBC_TALLY_H */
