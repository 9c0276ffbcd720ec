/* SPDX-License-Identifier: GPL-2.0 */
/* Which nodes below are not reached, as the tree of slot 0 numbers them, and who knows. */
#ifndef _HBC_LOST_H
#define _HBC_LOST_H

#include <linux/types.h>

#include "wire/wire.h"

struct hbc_child;
struct hbc_session;

/**
 * struct hbc_lost - nodes that are not reached; session->lock
 * @now: by their index in the session's tree of slot 0
 * @told: those that the parent, or at the root its user, has been told
 */
struct hbc_lost {
	DECLARE_BITMAP(now, HBC_MAX_MEMBERS);
	DECLARE_BITMAP(told, HBC_MAX_MEMBERS);
};

/* The child and all @count in its subtree are not reached, or are again. session->lock held. */
void hbc_lost_child(struct hbc_child *child, u32 count, bool down);
/* Whether one of the nodes from @first on is not reached. session->lock held. */
bool hbc_lost_any(const struct hbc_session *s, u32 first, u32 count);
/* LOST has come from a child. Context: receive work. */
void hbc_lost_come(struct hbc_child *child, const struct hbc_wire_lost *w, u8 tag,
		   unsigned int n);
/* LOST of what the parent does not know. Return: its length, or 0. session->lock held. */
unsigned int hbc_lost_frame(struct hbc_session *s, struct hbc_wire_lost *w);
/* Another tree of slot 0 takes its place, which numbers anew. session->lock held. */
void hbc_lost_clear(struct hbc_session *s);
/* The parent is told of each node: it may have heard of neither, or of both. session->lock held. */
void hbc_lost_retell(struct hbc_session *s);

/**
 * hbc_lost_runs() - nodes that have become lost, or are back
 * @s: the session
 * @down: which of both
 * @run: gets the runs of their indices
 * @max: entries of @run, at least one
 *
 * They count as told from now on. session->lock held. Return: runs, at most @max.
 */
unsigned int hbc_lost_runs(struct hbc_session *s, bool down, struct hbc_wire_run *run,
			   unsigned int max);

#endif /* _HBC_LOST_H */
