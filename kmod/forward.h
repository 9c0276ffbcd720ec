/* SPDX-License-Identifier: GPL-2.0 */
/* Forwarding: a burst onto the queue of every child. */
#ifndef _HBC_FORWARD_H
#define _HBC_FORWARD_H

#include <linux/types.h>

struct hbc_block_end;
struct hbc_burst;
struct hbc_fragment;
struct hbc_run;
struct hbc_tree;

/**
 * struct hbc_part - a burst's part of its message, for plans that hand on whole messages
 * @message: id; 0 of several messages, or of one that is over
 * @last: nothing follows it along the tree, but what is sent again
 */
struct hbc_part {
	u64 message;
	bool last;
};

/*
 * Queue @b, which has been sent through the slots @used before, on every child of @tree
 * below whom somebody lacks it, but for those in @ahead (a bit for each edge) that have
 * it; sends nothing yet. Context: process.
 */
void hbc_forward_queue(struct hbc_tree *tree, struct hbc_burst *b, u64 ahead, u64 used,
		       const struct hbc_part *part);
/* The same with what is sent again, which holds @run, for the children that lack some of it. */
void hbc_forward_repair(const struct hbc_tree *tree, struct hbc_burst *b,
			const struct hbc_run *run, unsigned int nr);
/*
 * Send one frame to every child. Lanes fail where there is no memory for it.
 * Context: process.
 */
void hbc_forward_frame(const struct hbc_tree *tree, const void *frame, unsigned int len);
/*
 * The same for a BLOCK_END, @f, but not to those whose lanes are far
 * beyond their bounds: they are told another time. Sent by
 * hbc_forward_send(). Context: process.
 */
void hbc_forward_block_end(struct hbc_tree *tree, const struct hbc_block_end *f,
			   const void *frame);
/* Send what is queued at the children of @tree. Context: process. */
void hbc_forward_send(struct hbc_tree *tree);
/*
 * Another @tree, or none, has its turn: what was queued along *@last is sent. The
 * reference on @tree is taken over. Context: process.
 */
void hbc_forward_turn(struct hbc_tree **last, struct hbc_tree *tree);
/* Whether every child of @tree that is not lost has room. Context: any. */
bool hbc_forward_room(struct hbc_tree *tree);

/*
 * Tell all nodes below @tree that no more of a message comes: @f->reason says
 * why, @f->crc is filled in. Lanes fail where there is no memory for it.
 * Context: process.
 */
void hbc_forward_abort(struct hbc_tree *tree, struct hbc_fragment *f);

#endif /* _HBC_FORWARD_H */
