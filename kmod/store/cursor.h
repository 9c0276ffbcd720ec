/* SPDX-License-Identifier: GPL-2.0 */
/* A cursor: how far a lane is in a store. */
#ifndef _HBC_CURSOR_H
#define _HBC_CURSOR_H

#include <linux/hbcast_netlink.h>
#include <linux/list.h>
#include <linux/types.h>

#include "store/route.h"

struct hbc_lane;
struct hbc_store;

/* A piece that a cursor is at. */
struct hbc_at {
	u32 piece;
	u32 off;	/* bytes of it that have gone */
	bool on;
};

/**
 * struct hbc_cursor - how far a lane is in a store
 * @link: store->cursors; the owner's lock, too
 * @child_link: the owner's list and lock
 * @store: a reference
 * @lane: is woken when there is something to send; the owner holds a reference
 * @route: what the lane is to bring; NULL as long as it is not on store->cursors
 * @rank: of each piece by @route, HBC_RANK_*
 * @nr_sent: their number
 * @stub: pieces of which the first fragment is all that goes, as the child has them
 * @next: nothing before it is to be sent, of each rank
 * @at: the piece of the lane's own slot that is under way, and another one
 * @last: LAST has been said; the owner's, as @arrived
 * @arrived: bytes of a file that the child and all below it have, as it says
 * @wait: why there was nothing when it was asked last: NONE, DATA, FILE or OVER
 * @sent: pieces that the child has, or that TCP has taken all of; @stub and @rank lie behind it
 *
 * Fields but @child_link, @last and @arrived: store->lock.
 */
struct hbc_cursor {
	struct list_head link;
	struct list_head child_link;
	struct hbc_store *store;
	struct hbc_lane *lane;
	const struct hbc_route *route;
	u8 *rank;
	u32 nr_sent;
	unsigned long *stub;
	u32 next[HBC_ROUTE_RANKS + 1];
	struct hbc_at at[2];
	bool last;
	u64 arrived;
	enum hbcast_store_wait wait;
	unsigned long sent[];
};

/* A cursor of @store for @lane, which begins when it gets a route; or NULL. Context: process. */
struct hbc_cursor *hbc_cursor_new(struct hbc_store *store, struct hbc_lane *lane);
/* Context: any, while the store has other references; takes store->lock. */
void hbc_cursor_free(struct hbc_cursor *cursor);
/* The first route, or another one, as if nothing were known by it. Takes store->lock. */
void hbc_cursor_set_route(struct hbc_cursor *cursor, const struct hbc_route *route);
/* A new connection: nothing is under way, and nothing counts as sent. Takes store->lock. */
void hbc_cursor_rewind(struct hbc_cursor *cursor);

/**
 * hbc_cursor_next() - what is to be sent next, which counts as sent from now on
 * @cursor: it
 * @own: only of the lane's own slot
 * @most: bytes, unless a fragment is longer
 * @part: filled in
 *
 * Context: process, takes store->lock. Return: whether there is something; else cursor->wait.
 */
bool hbc_cursor_next(struct hbc_cursor *cursor, bool own, u32 most, struct hbc_held *part);

/* What a child says of pieces. */
enum hbc_cursor_word {
	HBC_WORD_HAVE,		/* it has them */
	HBC_WORD_SLOTS,		/* and asks for their slots */
	HBC_WORD_WANT,		/* it asks for them */
};

/*
 * The child has said @word of pieces from @first on before @end, which is at most store->nr.
 * Context: as above; the time is that of a word for each BITS_PER_LONG pieces.
 */
void hbc_cursor_told(struct hbc_cursor *cursor, u32 first, u32 end, enum hbc_cursor_word word);
/* Whether no piece of the lane's own slot is left to send, of those that have slots. */
bool hbc_cursor_own_sent(struct hbc_cursor *cursor);

/* How many are at piece @number. store->lock held. */
unsigned int hbc_cursors_at(struct hbc_store *store, u32 number);
/*
 * More of piece @number of the store has come, or it has got its slot: lanes that are to bring
 * it are woken, or with @due marked by HBC_LANE_DUE. store->lock held.
 */
void hbc_cursors_note(struct hbc_store *store, u32 number, bool due);

#endif /* _HBC_CURSOR_H */
