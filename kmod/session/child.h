/* SPDX-License-Identifier: GPL-2.0 */
/* A child: the other end of a lane that leads away from the root, and how far it is. */
#ifndef _HBC_CHILD_H
#define _HBC_CHILD_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "wire/wire.h"

struct hbc_cursor;
struct hbc_edge;
struct hbc_lane;
struct hbc_message;
struct hbc_session;
struct hbc_store;
struct hbc_tree;

/**
 * struct hbc_child - a child of this node in one slot
 * @ref: references: session->children, and the lane
 * @link: session->children; plan_lock and session->lock
 * @s: the session, a reference
 * @lane: the lane, a reference; its peer is the child
 * @slot: of the tree
 * @tree: that it is in, a reference; changed under plan_lock and session->lock; the rest is
 *	session->lock's
 * @edge: its number there
 * @up: the lane is READY
 * @agreed: it has said all that it has, and OVER has not been told
 * @plan_told: PLAN of @tree has been told
 * @tree_told: nodes of its part of @tree that have been told
 * @starved: number of the message for whose cursor there was no memory; no lock
 * @told: number of the last message that has been told
 * @done: session->done when DONE was told last
 * @stop: OVER is to be told: it has asked the lane to stop, or the session has ended
 * @ready: epoch in which all below it are connected
 * @dead: those below count as not reached
 * @row: nodes above it, one below the other, that were not reached since it was adopted
 * @ack: first short message that is not where it belongs there and below
 * @ack_bytes: bytes of that which are
 * @ack_up: @ack when the lane was READY last
 * @moved: jiffies when either has moved last, or nothing was outstanding
 * @cursors: struct hbc_cursor, one for each message that is not all there
 * @index: those by the low half of their message's number
 */
struct hbc_child {
	struct kref ref;
	struct list_head link;
	struct hbc_session *s;
	struct hbc_lane *lane;
	u8 slot;
	struct hbc_tree *tree;
	unsigned int edge;
	bool up;
	bool agreed;
	bool plan_told;
	u32 tree_told;
	u64 starved;
	u64 told;
	unsigned int done;
	bool stop;
	u32 ready;
	bool dead;
	unsigned int row;
	u64 ack;
	u64 ack_bytes;
	u64 ack_up;
	unsigned long moved;
	struct list_head cursors;
	struct xarray index;
};

/* Its edge in its tree. session->lock or plan_lock held. */
const struct hbc_edge *hbc_child_edge(const struct hbc_child *child);
/* Its cursor of a store, or NULL. session->lock held. */
struct hbc_cursor *hbc_child_cursor(struct hbc_child *child, const struct hbc_store *store);

/* Context: process, no spinlocks. */
void hbc_child_put(struct hbc_child *child);

#define HBC_CHILDREN_MAX	4096	/* of a session at a node, in all slots */

/* Whether a node may have the children of a tree beside those of other slots. plan_lock held. */
bool hbc_children_fit(struct hbc_session *s, const struct hbc_tree *tree);
/*
 * The children of a tree that is to take the place of another of its slot, or of none: those that
 * are not there already go to @fresh. plan_lock held. Return: 0, or -ENOMEM, and @fresh is empty.
 */
int hbc_children_prepare(struct hbc_session *s, struct hbc_tree *tree, struct list_head *fresh);
/* The tree takes its place, with its own of @fresh: others of the slot drain. plan_lock held. */
void hbc_children_install(struct hbc_session *s, struct hbc_tree *tree, struct list_head *fresh);
/* The same for all lanes but those of @slots. plan_lock held. */
void hbc_children_leave_slots(struct hbc_session *s, u64 slots);

/* Whether all nodes below in @tree are connected. session->lock held. */
bool hbc_children_ready(const struct hbc_session *s, const struct hbc_tree *tree);
/* Whether a child may get more of a message from here. session->lock held. */
bool hbc_children_lack(const struct hbc_message *m);
/* A message is not sent any more. Context: process, no spinlocks. */
void hbc_children_forget(struct hbc_message *m);

/* It gets a cursor of the message, unless that is over: 0 or -ENOMEM. Context: process. */
int hbc_child_begin_message(struct hbc_child *child, struct hbc_message *m);
/* Lanes that are marked by HBC_LANE_DUE send. Context: process, no locks. */
void hbc_children_send(struct hbc_session *s);
/* HAVE or WANT has come: 0 or why its lane must end. Context: receive work. */
int hbc_child_have(struct hbc_child *child, const struct hbc_wire_have *w,
		   const struct hbc_hdr *h);

/* Of lanes to children; see hbc_owner_up() and those behind it. */
int hbc_child_up(struct hbc_child *child);
void hbc_child_down(struct hbc_child *child);
int hbc_child_frame(struct hbc_child *child, const struct hbc_hdr *h, const void *frame);
unsigned int hbc_child_control(struct hbc_child *child, void *frame);

#endif /* _HBC_CHILD_H */
