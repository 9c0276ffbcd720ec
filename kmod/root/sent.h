/* SPDX-License-Identifier: GPL-2.0 */
/* What became of a message at each member, as its root knows it. */
#ifndef _HBC_SENT_H
#define _HBC_SENT_H

#include <linux/hbcast.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

struct hbc_message;
struct hbc_source;

/**
 * struct hbc_sent - a message at its root
 * @ref: references: the message, and the source's lists
 * @link: source->messages, then source->done; origin->lock, as what follows
 * @source: a reference
 * @message: while it is not complete, as some member's part is not final; else NULL
 * @number: of the message
 * @total: bytes of it
 * @epoch: of the plan whose members it has
 * @given: bytes of it that had gone when it was complete
 * @accepted: when, by ktime_get_ns()
 * @charged: bytes of the send buffer that it takes
 * @nr: entries of @member
 * @delivered: members that have it
 * @failed: members that will not
 * @acked: all have it on their sockets, of a short message that was not complete then
 * @member: in order of their ids
 */
struct hbc_sent {
	struct kref ref;
	struct list_head link;
	struct hbc_source *source;
	struct hbc_message *message;
	u64 number;
	u64 total;
	u32 epoch;
	u64 given;
	u64 accepted;
	u64 charged;
	u32 nr;
	u32 delivered;
	u32 failed;
	bool acked;
	struct hbcast_member member[];
};

/* For the members of the newest plan; ERR_PTR: -ENETUNREACH, -ENOMEM. Context: process. */
struct hbc_sent *hbc_sent_new(struct hbc_source *source, u64 total);
/* Context: process, no spinlocks. */
void hbc_sent_put(struct hbc_sent *sent);

/*
 * All whose part is not final fail with @reason, or NODE_DEAD if they are lost; with @keep those
 * that are not among these @nr ids in ascending order. Context: process, no spinlocks.
 */
void hbc_sent_fail(struct hbc_sent *sent, const u32 *keep, u32 nr, u8 reason);
/* It is over if all whose part is not final are lost. Context: process, no spinlocks. */
void hbc_sent_look(struct hbc_sent *sent);
/* What HBCAST_COMPLETION says, but for members. origin->lock held, or the message is complete. */
void hbc_sent_describe(const struct hbc_sent *sent, struct hbcast_completion *c);
/*
 * All that HBCAST_COMPLETION says, with the first @max members, if there are that many: for
 * kvfree(), or NULL. Of those whose part is not final, @bytes are what all have by word of the
 * child that they are below; those that are lost count as failed. Context: process, no spinlocks.
 */
struct hbcast_completion *hbc_sent_completion(struct hbc_sent *sent, u32 max);

#endif /* _HBC_SENT_H */
