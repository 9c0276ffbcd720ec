/* SPDX-License-Identifier: GPL-2.0 */
/* The root's part of a session: slots, members, and the sockets that send. */
#ifndef _HBC_ORIGIN_H
#define _HBC_ORIGIN_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire/wire.h"

struct hbc_group;
struct hbc_sent;
struct hbc_session;
struct hbc_tree;

/**
 * struct hbc_origin - the root's part of a session
 * @lock: all that follows, and the sources' lists
 * @sources: struct hbc_source, that are connected or wait for members
 * @nr_sources: their number
 * @given: of each slot how long what it was given takes at its rate, in ns
 * @epoch: of the newest plan, 0 before the first one
 * @told: epoch of which it was told that all are ready; session->lock
 * @intact: none of the plan has been lost, or has refused: each has the children it was given;
 *	session->lock
 */
struct hbc_origin {
	spinlock_t lock; /* sources and slots */
	struct list_head sources;
	unsigned int nr_sources;
	u64 given[HBC_MAX_SLOTS];
	u32 epoch;
	u32 told;
	bool intact;
};

/*
 * This node's own session in the group, made if it is not there, with a reference, or
 * ERR_PTR. hn->lock held.
 */
struct hbc_session *hbc_origin_session(struct hbc_group *group);

/**
 * hbc_origin_apply() - a new plan
 * @s: this node's own session
 * @trees: by slot, or NULL, but of slot 0; all of one epoch; those that they take the place of
 *	are there instead on success
 *
 * hn->lock held. Return: 0, or -ENOMEM, and nothing has changed.
 */
int hbc_origin_apply(struct hbc_session *s, struct hbc_tree **trees);
/* Whether all nodes of the newest plan are connected. session->lock held. */
bool hbc_origin_is_ready(const struct hbc_session *s);

/* Bytes of payload that fill a segment on every lane of this node. Context: process. */
u16 hbc_origin_payload(struct hbc_session *s);
/*
 * Of the slots whose trees reach all members, the one that is furthest behind its share gets
 * @bytes. There is a plan. Context: process.
 */
u8 hbc_origin_slot(struct hbc_session *s, u64 bytes);

/*
 * The first message whose number is above @after, complete or not, of all sources of this node's
 * own session, with a reference, or NULL. Context: process.
 */
struct hbc_sent *hbc_origin_sent(struct hbc_session *s, u64 after);

#endif /* _HBC_ORIGIN_H */
