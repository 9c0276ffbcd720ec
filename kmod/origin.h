/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The root: whose turn it is to send down the tree, and who has what.
 */
#ifndef _HBC_ORIGIN_H
#define _HBC_ORIGIN_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hbc_ack;
struct hbc_outgoing;
struct hbc_schedule;
struct hbcast_completion;
struct hbcast_member;

#define HBC_ORIGIN_HASH_BITS	6

/**
 * struct hbc_origin - the root's part of a schedule
 * @ref: references: the schedule, and each work item that is queued
 * @sched: the schedule; valid until hbc_origin_free(), and as long as a source
 *	is there
 * @pump: who sends; also orders a message's bursts
 * @work: sends when the lanes have room again
 * @retire: ends the trees that no message uses any more
 * @tick: tells members from time to time how much has been sent
 * @lock: all that follows, the sources' lists and the messages' fields
 * @next: id of the next message
 * @sources: struct hbc_source, the next one to send first
 * @nr_sources: their number
 * @rosters: struct hbc_roster, one for each epoch that is in use
 * @ids: struct hbc_outgoing that are not complete, by id
 * @due: struct hbc_outgoing of which the members are to be told
 * @again: those of which something is to be sent again
 * @asked: messages about which answers are waited for
 * @latency: ms from a question to its last answer, smoothed
 * @bounded: there are too many of them for another one
 * @renew: epoch in which members are to be asked anew, or 0
 * @renewed: jiffies when they were, last
 * @turn: the message of which the members were told last because its time had come
 * @migrate: messages may be able to take the newest epoch's trees; written under @lock
 * @ticking: @tick is on its way
 * @ended: nothing new is taken
 */
struct hbc_origin {
	struct kref ref;
	struct hbc_schedule *sched;
	struct mutex pump;	/* from messages to lanes */
	struct work_struct work;
	struct work_struct retire;
	struct delayed_work tick;
	spinlock_t lock;	/* lists and messages */
	u64 next;
	struct list_head sources;
	unsigned int nr_sources;
	struct list_head rosters;
	struct hlist_head ids[1 << HBC_ORIGIN_HASH_BITS];
	struct list_head due;
	struct list_head again;
	unsigned int asked;
	unsigned int latency;
	bool bounded;
	u32 renew;
	unsigned long renewed;
	u64 turn;
	bool migrate;
	bool ticking;
	bool ended;
};

/* The root's part of a schedule; made with it. NULL without memory. */
struct hbc_origin *hbc_origin_new(struct hbc_schedule *sched);
/*
 * All that is queued or not complete fails with @reason; nothing new is taken.
 * Context: process; hn->lock may be held.
 */
void hbc_origin_end(struct hbc_origin *origin, u8 reason);
/* Last of the schedule, after hbc_origin_end(). Context: process. */
void hbc_origin_free(struct hbc_origin *origin);
/* Sends what waits as far as the lanes have room; soon, by a work item. Context: any. */
void hbc_origin_kick(struct hbc_origin *origin);
/* The same at once, unless somebody else is at it. Context: process, no spinlocks. */
void hbc_origin_pump(struct hbc_origin *origin);
/* One of those who held it lets go. Context: process. */
void hbc_origin_put(struct hbc_origin *origin);
/* Where the message of that id is in origin->ids. Context: any. */
struct hlist_head *hbc_origin_bucket(struct hbc_origin *origin, u64 id);
/* The message of that id if it is not complete, or NULL. origin->lock held. */
struct hbc_outgoing *hbc_origin_find(struct hbc_origin *origin, u64 id);
/* A member's report. Context: process. */
void hbc_origin_ack(struct hbc_origin *origin, const struct hbc_ack *ack);
/* Members of @epoch's trees that are lost (HBC_LOST_* in @flags). Context: process. */
void hbc_origin_lost(struct hbc_origin *origin, u8 flags, u8 reason, u32 epoch, const u32 *node,
		     unsigned int count);
/* Members that are reached: leaves those that were down in @node. Return: how many. */
unsigned int hbc_origin_back(struct hbc_origin *origin, u32 epoch, u32 *node,
			     unsigned int count);
/* Whether it has messages that are not complete. Context: process. */
bool hbc_origin_busy(struct hbc_origin *origin);
/* Whether a message that takes @epoch's trees is not complete. Context: process. */
bool hbc_origin_uses(struct hbc_origin *origin, u32 epoch);

/**
 * hbc_origin_next() - walk over messages, for dumps
 * @origin: the root's part of a schedule
 * @after: id; messages complete and not, of all sources, are walked in the
 *	order of their ids
 * @c: set, but for the members
 * @port: set
 *
 * Context: process. Return: 0, or -ENOENT when no id is above @after.
 */
int hbc_origin_next(struct hbc_origin *origin, u64 after, struct hbcast_completion *c,
		    u16 *port);

/*
 * The members of message @id, in the order of their ids, from index @first on:
 * returns how many of @max were written, -ENOENT for no such message.
 * Context: process.
 */
int hbc_origin_members(struct hbc_origin *origin, u64 id, u32 first,
		       struct hbcast_member *member, u32 max);

#endif /* _HBC_ORIGIN_H */
