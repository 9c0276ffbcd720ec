/* SPDX-License-Identifier: GPL-2.0 */
/* A roster: the trees of an epoch at its root, and their members as messages count them. */
#ifndef _HBC_ROSTER_H
#define _HBC_ROSTER_H

#include <linux/hbcast.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hbc_account;
struct hbc_origin;
struct hbc_tree;

/**
 * struct hbc_share - what one tree carries
 * @tree: a reference
 * @rate: planned, bytes/s; alike for all trees if one has none
 * @given: how long it would take at that rate to send what it was given, in ns
 */
struct hbc_share {
	struct hbc_tree *tree;
	u64 rate;
	u64 given;
};

/**
 * struct hbc_roster - the trees and members of one epoch
 * @ref: references: origin->rosters and every message that is not complete
 * @link: origin->rosters, newest first; origin->lock
 * @tree: that of HBC_SLOT_ALL
 * @share: of each tree, by ascending slot; @given is origin->lock's
 * @nr_shares: entries of @share
 * @spanning: the set of slots whose trees reach all members
 * @nr_stages: after the spread
 * @set: the sets of slots that the spread and each stage use
 * @stage: of each entry of @member
 * @born: when, in jiffies
 * @ready: all members have had its trees; origin->lock
 * @users: messages that take it and are not complete; origin->lock
 * @nr: entries of @account and @member
 * @account: of each entry of @member
 * @member: in order of their ids, as a new message finds them: pending, or
 *	failed where the node is down; origin->lock
 */
struct hbc_roster {
	struct kref ref;
	struct list_head link;
	struct hbc_tree *tree;
	struct hbc_share *share;
	unsigned int nr_shares;
	u64 spanning;
	unsigned int nr_stages;
	u64 *set;
	u8 *stage;
	unsigned long born;
	bool ready;
	unsigned int users;
	u32 nr;
	struct hbc_account **account;
	struct hbcast_member member[];
};

/* Of the trees of an epoch by ascending slot. hn->lock held. NULL: no memory. */
struct hbc_roster *hbc_roster_new(struct hbc_tree *const *tree, unsigned int nr);
/*
 * It counts for its epoch, of which no tree is known yet, and is taken over.
 * Context: process, hn->lock held.
 */
void hbc_roster_insert(struct hbc_origin *origin, struct hbc_roster *roster);
/* Of the newest epoch, with a reference. Context: process. ERR_PTR: -ENETUNREACH, -ENODEV. */
struct hbc_roster *hbc_roster_get(struct hbc_origin *origin);
void hbc_roster_hold(struct hbc_roster *roster);
/* Context: process, no spinlocks. */
void hbc_roster_put(struct hbc_roster *roster);

/* Index of @node, or -1. Context: any. */
int hbc_roster_index(const struct hbc_roster *roster, u32 node);
/* The node is down, for @reason, or back with 0: whether that is news. origin->lock held. */
bool hbc_roster_mark(struct hbc_roster *roster, u32 node, u8 reason);

/* All members have the epoch's trees. Context: process. */
void hbc_roster_ready(struct hbc_origin *origin, u32 epoch);

/* Bytes of a fragment that fill a segment on every lane of the root. Context: any. */
unsigned int hbc_roster_fragment(const struct hbc_roster *roster);
/* Whether some tree of @slots has room. Context: any. */
bool hbc_roster_room(const struct hbc_roster *roster, u64 slots);
/*
 * Which tree of @slots is to carry the next @bytes: of those with room the one that is
 * furthest behind its share; or NULL. origin->lock held.
 */
struct hbc_tree *hbc_roster_turn(struct hbc_roster *roster, u64 slots, u32 bytes);
/* All trees are as far as their shares want them. origin->lock held. */
void hbc_roster_level(struct hbc_roster *roster);
/* Send what is queued along its trees. Context: process. */
void hbc_roster_send(const struct hbc_roster *roster);

/*
 * A message of @roster is complete: if it was the last and a newer epoch is
 * there, origin->retire ends the old one. Context: process, no spinlocks;
 * hn->lock may be held.
 */
void hbc_roster_retire(struct hbc_origin *origin, const struct hbc_roster *roster);
void hbc_roster_retire_work(struct work_struct *work);
/* Those of old epochs that no message counts on go, soon. Context: any. */
void hbc_roster_tidy(struct hbc_origin *origin);
/* Forget them all; no message counts on any. Context: process, no spinlocks. */
void hbc_roster_forget(struct hbc_origin *origin);

#endif /* _HBC_ROSTER_H */
