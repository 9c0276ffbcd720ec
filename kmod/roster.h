/* SPDX-License-Identifier: GPL-2.0 */
/* A roster: the members of a tree, as the root's messages count them. */
#ifndef _HBC_ROSTER_H
#define _HBC_ROSTER_H

#include <linux/hbcast.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hbc_origin;
struct hbc_tree;

/**
 * struct hbc_roster - the members of one tree
 * @ref: references: origin->rosters and every message that is not complete
 * @link: origin->rosters, newest first; origin->lock
 * @tree: a reference
 * @users: messages that count on it and are not complete; origin->lock
 * @nr: entries of @member
 * @member: in order of their ids, as a new message finds them: pending, or
 *	failed where the node is down; origin->lock
 */
struct hbc_roster {
	struct kref ref;
	struct list_head link;
	struct hbc_tree *tree;
	unsigned int users;
	u32 nr;
	struct hbcast_member member[];
};

/* Of @tree, for hbc_roster_insert(). Context: process. NULL: no memory. */
struct hbc_roster *hbc_roster_new(struct hbc_tree *tree);
/*
 * @made, taken over, becomes its tree's roster unless another one is there. Context:
 * process. Return: that roster, with a reference; -ENODEV when the root has ended.
 */
struct hbc_roster *hbc_roster_insert(struct hbc_origin *origin, struct hbc_roster *made);
/* Of the newest tree, with a reference. Context: process. ERR_PTR: -ENETUNREACH, -ENOMEM. */
struct hbc_roster *hbc_roster_get(struct hbc_origin *origin);
/* Context: process, no spinlocks. */
void hbc_roster_put(struct hbc_roster *roster);

/* Index of @node, or -1. Context: any. */
int hbc_roster_index(const struct hbc_roster *roster, u32 node);
/* The node is down, for @reason, or back with 0: whether that is news. origin->lock held. */
bool hbc_roster_mark(struct hbc_roster *roster, u32 node, u8 reason);

/*
 * A message of @roster is complete: if it was the last and a newer tree is
 * there, origin->retire ends the old one. Context: process, no spinlocks;
 * hn->lock may be held.
 */
void hbc_roster_retire(struct hbc_origin *origin, const struct hbc_roster *roster);
void hbc_roster_retire_work(struct work_struct *work);
/* Forget them all; no message counts on any. Context: process, no spinlocks. */
void hbc_roster_forget(struct hbc_origin *origin);

#endif /* _HBC_ROSTER_H */
