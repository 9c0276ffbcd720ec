/* SPDX-License-Identifier: GPL-2.0 */
/* A message of a session at this node: its store, its readers here, what became of it below. */
#ifndef _HBC_MESSAGE_H
#define _HBC_MESSAGE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

#include "session/outcome.h"
#include "store/store.h"

struct hbc_endgame;
struct hbc_sent;
struct hbc_session;

/**
 * struct hbc_message - a message at this node
 * @ref: references; the session's list holds one until the message is over
 * @rcu: the end
 * @link: session->messages, empty when it is over; session->lock
 * @s: the session, a reference
 * @store: what of it is here
 * @sent: at the root what became of it at each member, else NULL; set once
 * @deliveries: struct hbc_delivery, of sockets that read it; session->lock
 * @receivers: entries of @deliveries
 * @open: deliveries that have not come to an end; session->lock, as what follows
 * @queued: those that have all of it on their sockets, or have come to an end
 * @lasts: the set of slots in which LAST has come; at the root unused
 * @endgame: who is to bring what is missing at the end, or NULL
 * @outcomes: what became of it at this node and those below, by the tree of slot 0
 * @fresh: those that the parent has not been told
 * @retell: there was no memory to tell all of @outcomes anew
 * @reason: why it failed here first, 0 if it did not
 * @reported: this node's own outcome is in @outcomes
 * @kept: it is short, and counts in session->kept
 * @discard: data is not kept
 * @thrown: data was thrown away, as nobody here or below was to get it
 * @spooled: of it in session->spooled, and in group->spooled
 * @told: of a file: bytes that the parent has been told that all have from here on
 * @told_at: jiffies of that
 * @look: bytes with which it is looked at again whether the parent is to be told
 * @looked: jiffies of the last look
 */
struct hbc_message {
	struct kref ref;
	struct rcu_head rcu;
	struct list_head link;
	struct hbc_session *s;
	struct hbc_store *store;
	struct hbc_sent *sent;
	struct list_head deliveries;
	unsigned int receivers;
	unsigned int open;
	unsigned int queued;
	u64 lasts;
	struct hbc_endgame *endgame;
	struct hbc_outcomes outcomes;
	struct hbc_outcomes fresh;
	bool retell;
	u8 reason;
	bool reported;
	bool kept;
	bool discard;
	bool thrown;
	u64 spooled;
	u64 told;
	unsigned long told_at;
	u64 look;
	unsigned long looked;
};

static inline u64 hbc_message_number(const struct hbc_message *m)
{
	return m->store->info.number;
}

static inline bool hbc_message_is_file(const struct hbc_message *m)
{
	return m->store->info.kind == HBC_MESSAGE_FILE;
}

/* Context: process, no spinlocks. */
void hbc_message_put(struct hbc_message *m);

/*
 * A message that is on no list, with a reference; NULL without memory. A @stub is to be given up.
 * Context: process.
 */
struct hbc_message *hbc_message_new(struct hbc_session *s, const struct hbc_message_info *info,
				    bool stub);
/*
 * It goes on the session's list, which takes the reference: 0, -ENOMEM, or -ENOBUFS if messages
 * have too many pieces. session->lock held.
 */
int hbc_message_insert(struct hbc_message *m);

/* That with the low half @low of its number, with a reference, or NULL. Context: any. */
struct hbc_message *hbc_message_find(struct hbc_session *s, u32 low);
/* That of @number, with a reference, or NULL. Context: any. */
struct hbc_message *hbc_message_lookup(struct hbc_session *s, u64 number);
/* The first whose number is above @after, with a reference, or NULL. session->lock held. */
struct hbc_message *hbc_message_after(struct hbc_session *s, u64 after);
/*
 * The one behind @before, whose reference goes, or with NULL the first, with a reference, or
 * NULL. Context: process, no spinlocks.
 */
struct hbc_message *hbc_message_next(struct hbc_session *s, struct hbc_message *before);

/* MESSAGE has come: 0 or why the lane must end. Context: receive work. */
int hbc_message_told(struct hbc_session *s, const struct hbc_wire_message *w,
		     const struct hbc_hdr *h);
/* The frame of a message. Return: its length. Context: any. */
unsigned int hbc_message_frame(const struct hbc_message *m, struct hbc_wire_message *w);

/* Nobody here or below is to get data of it. Context: any. */
bool hbc_message_is_useless(const struct hbc_message *m);

/* Pieces of it lay in a file here, or trees have changed. Context: process, no spinlocks. */
void hbc_message_again(struct hbc_message *m);

/* This node's own outcome is its reason, or else @reason. Context: process, no spinlocks. */
void hbc_message_finish(struct hbc_message *m, u8 reason);
/* What of it lies in memory alone has changed. session->lock held. */
void hbc_message_recount(struct hbc_message *m);
/*
 * It cannot be kept: it fails here with @reason, unless it has come to an end. Readers are told
 * after what they have, and others serve those below. Context: as above.
 */
void hbc_message_give_up(struct hbc_message *m, u8 reason);
/* The root has heard of all: it goes. Context: as above. */
void hbc_message_end(struct hbc_message *m);

/* DONE: short messages before @before go, and those of @n ranges are over. Context: as above. */
void hbc_message_done(struct hbc_session *s, u64 before, const struct hbc_wire_numbers *numbers,
		      unsigned int n);
/* DONE as this node knows it. Return: its length. session->lock held. */
unsigned int hbc_message_done_frame(struct hbc_session *s, struct hbc_wire_done *w);

#endif /* _HBC_MESSAGE_H */
