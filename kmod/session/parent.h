/* SPDX-License-Identifier: GPL-2.0 */
/* A parent: the other end of a lane that leads to the root. */
#ifndef _HBC_PARENT_H
#define _HBC_PARENT_H

#include <linux/list.h>
#include <linux/types.h>

#include "wire/wire.h"

struct hbc_lane;
struct hbc_plan;
struct hbc_session;

/**
 * struct hbc_parent - a lane from a parent
 * @link: session->parents, while READY; session->lock
 * @s: the session, a reference
 * @lane: the lane, which has this as its owner
 * @plan: that was told last, a reference; receive work, as the next five
 * @node: nodes of a TREE that has not come whole
 * @total: how many it will have
 * @nr: how many it has
 * @treed: a tree has come over the lane
 * @heard: jiffies of the last TREE, or when it became READY; session->lock, as what follows
 * @holds: what it is to be told waits for another lane of the slot to drain
 * @having: HAVE is being said: of messages behind @have, of the first from @have_piece on
 * @have: see there
 * @have_piece: likewise
 * @wanting: WANT is being said, of what was thrown away, of messages behind @want, of the first
 *	from @want_piece on
 * @want: see there
 * @want_piece: likewise
 * @over: the other side has said OVER: nothing more comes
 * @stop: STOP is to be said
 * @tree_ack: is to be told, unless its epoch is 0
 * @known: the last message that the other side has told of, or that it is over
 * @ack: that was told last
 * @ack_bytes: likewise
 */
struct hbc_parent {
	struct list_head link;
	struct hbc_session *s;
	struct hbc_lane *lane;
	struct hbc_plan *plan;
	struct hbc_wire_node *node;
	u32 total;
	u32 nr;
	bool treed;
	unsigned long heard;
	struct hbc_parent *holds;
	bool having;
	u64 have;
	u32 have_piece;
	bool wanting;
	u64 want;
	u32 want_piece;
	bool over;
	bool stop;
	struct hbc_wire_tree_ack tree_ack;
	u64 known;
	u64 ack;
	u64 ack_bytes;
};

/* Of lanes from parents; see hbc_owner_up() and those behind it. */
int hbc_parent_up(struct hbc_parent *parent);
void hbc_parent_down(struct hbc_parent *parent);
void hbc_parent_gone(struct hbc_parent *parent);
int hbc_parent_frame(struct hbc_parent *parent, const struct hbc_hdr *h, const void *frame);
unsigned int hbc_parent_control(struct hbc_parent *parent, void *frame);

/*
 * All below in @slot's tree are connected, or @refuser did not take its part: this node itself,
 * if it is to have no children. plan_lock held.
 */
void hbc_parent_tree_ack(struct hbc_session *s, u8 slot, u32 epoch, u32 refuser, u16 reason);

#endif /* _HBC_PARENT_H */
