/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a message lacks at a member that is not its root, and below: acknowledged
 * and asked for up the tree.
 */
#ifndef _HBC_LACK_H
#define _HBC_LACK_H

#include <linux/types.h>

struct hbc_block_ack;
struct hbc_block_end;
struct hbc_lane;
struct hbc_message;
struct hbc_nack;
struct hbc_range;
struct hbc_schedule;
struct hbc_tree;

/* All that follows: context process, no spinlocks. */

/* Tells the parent how far this node and all below are, if that is worth it. */
void hbc_lack_answer(struct hbc_message *m);
/* Asks for what the sockets here lack of the first @end bytes. */
void hbc_lack_ask_all(struct hbc_message *m, u64 end);
/* Who lacks what is not kept any more will not get it; of no bytes nothing is missing. */
void hbc_lack_give_up(struct hbc_message *m, const struct hbc_block_end *f);

/*
 * Bytes from @first to @end have come in their turn along @tree. Where all of them
 * come that way, what is missing before has got lost, and is asked for at once.
 */
void hbc_lack_reach(struct hbc_message *m, const struct hbc_tree *tree, u64 first, u64 end);

/* What a child has, himself and all below. */
void hbc_lack_block_ack(struct hbc_lane *lane, const struct hbc_block_ack *f);
/* What a child lacks: what nobody has asked for yet is, up the tree. */
void hbc_lack_nack(struct hbc_lane *lane, struct hbc_nack *f, const struct hbc_range *range);

/*
 * The children of @tree, which a BLOCK_END came along, answer from now on, and
 * their answers are remembered. Return: 0 or -ENOMEM.
 */
int hbc_lack_count(struct hbc_message *m, struct hbc_tree *tree);
/* They are not needed any more once the message is of no use here or below. */
void hbc_lack_trim(struct hbc_message *m);
/*
 * All that children have said along @tree, which ends, or at all, is forgotten. It
 * holds lanes, and they do not wait for a reader.
 */
void hbc_lack_forget(struct hbc_schedule *sched, const struct hbc_tree *tree);

#endif /* _HBC_LACK_H */
