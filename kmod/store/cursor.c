// SPDX-License-Identifier: GPL-2.0
/* A cursor: how far a lane is in a store. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "config/group.h"
#include "lane/burst.h"
#include "lane/lane.h"
#include "store/cursor.h"
#include "store/store.h"

/* In @rank, beside the ranks of route.h. */
#define HBC_RANK_WANT	(HBC_ROUTE_RANKS)	/* the child has asked for it */
#define HBC_RANK_ASKED	0xfd			/* so it has, and who brings it is not known */
#define HBC_RANK_NONE	0xfe			/* another lane brings it */
#define HBC_RANK_OPEN	0xff			/* not known */

static_assert(HBC_ROUTE_RANKS < HBC_RANK_ASKED);

struct hbc_cursor *hbc_cursor_new(struct hbc_store *store, struct hbc_lane *lane)
{
	unsigned int longs = BITS_TO_LONGS(store->nr) + 1;
	struct hbc_cursor *c = kvzalloc(struct_size(c, sent, 2 * longs) + store->nr,
					HBC_GFP_GROUP);

	if (!c)
		return NULL;
	c->stub = c->sent + longs;
	c->rank = (u8 *)(c->stub + longs);
	c->lane = lane;
	c->store = store;
	kref_get(&store->ref);
	INIT_LIST_HEAD(&c->link);
	return c;
}

/* It is not at the piece any more. store->lock held. */
static void hbc_cursor_leave(struct hbc_cursor *c, struct hbc_at *at)
{
	struct hbc_piece *piece = at->on ? hbc_store_piece(c->store, at->piece) : NULL;

	lockdep_assert_held(&c->store->lock);
	if (piece && piece->users)
		piece->users--;
	at->on = false;
}

void hbc_cursor_free(struct hbc_cursor *c)
{
	spin_lock_bh(&c->store->lock);
	hbc_cursor_leave(c, &c->at[0]);
	hbc_cursor_leave(c, &c->at[1]);
	list_del(&c->link);
	spin_unlock_bh(&c->store->lock);
	hbc_store_put(c->store);
	kvfree(c);
}

void hbc_cursor_set_route(struct hbc_cursor *c, const struct hbc_route *route)
{
	u32 p;

	spin_lock_bh(&c->store->lock);
	if (!c->route)
		list_add_tail(&c->link, &c->store->cursors);
	c->route = route;
	for (p = 0; p < c->store->nr; p++)
		if (c->rank[p] == HBC_RANK_WANT)
			c->rank[p] = HBC_RANK_ASKED;
		else if (c->rank[p] != HBC_RANK_ASKED)
			c->rank[p] = HBC_RANK_OPEN;
	memset(c->next, 0, sizeof(c->next));
	spin_unlock_bh(&c->store->lock);
}

void hbc_cursor_rewind(struct hbc_cursor *c)
{
	spin_lock_bh(&c->store->lock);
	hbc_cursor_leave(c, &c->at[0]);
	hbc_cursor_leave(c, &c->at[1]);
	bitmap_zero(c->sent, c->store->nr);
	bitmap_zero(c->stub, c->store->nr);
	c->nr_sent = 0;
	memset(c->next, 0, sizeof(c->next));
	spin_unlock_bh(&c->store->lock);
}

/* The rank of a piece that has a slot. */
static u8 hbc_cursor_rank(struct hbc_cursor *c, u32 piece)
{
	bool asked = c->rank[piece] == HBC_RANK_ASKED;
	int rank;

	/* What is asked for and comes by this lane anyway comes in its order. */
	if (asked || c->rank[piece] == HBC_RANK_OPEN) {
		rank = hbc_route_rank(c->route, c->store->tag[piece], piece);
		c->rank[piece] = rank >= 0 ? rank : asked ? HBC_RANK_WANT : HBC_RANK_NONE;
	}
	return c->rank[piece];
}

static void hbc_cursor_note(struct hbc_cursor *c, u32 piece, bool due)
{
	u8 rank;

	if (c->store->tag[piece] == HBC_TAG_NONE || test_bit(piece, c->sent))
		return;
	rank = hbc_cursor_rank(c, piece);
	if (rank == HBC_RANK_NONE)
		return;
	c->next[rank] = min(c->next[rank], piece);
	if (rank && !test_bit(piece, c->store->whole))
		return;
	/* Those that drain are not among the session's children. */
	if (due && !test_bit(HBC_LANE_DRAINING, &c->lane->flags))
		set_bit(HBC_LANE_DUE, &c->lane->flags);
	else
		hbc_lane_kick(c->lane);
}

void hbc_cursors_note(struct hbc_store *store, u32 number, bool due)
{
	struct hbc_cursor *c;

	lockdep_assert_held(&store->lock);
	list_for_each_entry(c, &store->cursors, link)
		hbc_cursor_note(c, number, due);
}

unsigned int hbc_cursors_at(struct hbc_store *store, u32 number)
{
	const struct hbc_cursor *c;
	unsigned int n = 0;

	lockdep_assert_held(&store->lock);
	list_for_each_entry(c, &store->cursors, link)
		n += (c->at[0].on && c->at[0].piece == number) +
		     (c->at[1].on && c->at[1].piece == number);
	return n;
}

/* The first piece of a rank that is there and has not been sent, or nr. store->lock held. */
static u32 hbc_cursor_find(struct hbc_cursor *c, u8 rank)
{
	lockdep_assert_held(&c->store->lock);
	/* All below wait for what is of the slot: it goes on as it comes. */
	const unsigned long *there = rank ? c->store->whole : c->store->begun;
	u32 nr = c->store->nr, p = c->next[rank];

	while ((p = find_next_andnot_bit(there, c->sent, nr, p)) < nr) {
		if (c->store->tag[p] != HBC_TAG_NONE && hbc_cursor_rank(c, p) == rank &&
		    !(c->at[0].on && c->at[0].piece == p) && !(c->at[1].on && c->at[1].piece == p))
			break;
		p++;
	}
	c->next[rank] = p;
	return p;
}

/* The cursor is at a piece of the rank now, if there is one. store->lock held. */
static bool hbc_cursor_begin(struct hbc_cursor *c, struct hbc_at *at, u8 rank)
{
	u32 p = hbc_cursor_find(c, rank);
	struct hbc_piece *piece;

	lockdep_assert_held(&c->store->lock);
	if (p == c->store->nr)
		return false;
	*at = (struct hbc_at) { .piece = p, .on = true };
	piece = hbc_store_piece(c->store, p);
	if (piece)
		piece->users++;
	return true;
}

/* Bytes of the piece at hand go. store->lock held. */
static void hbc_cursor_go(struct hbc_cursor *c, struct hbc_at *at, u32 bytes)
{
	const struct hbc_geometry *cut = &c->store->info.cut;
	u32 first = at->piece * cut->per_piece;

	lockdep_assert_held(&c->store->lock);
	at->off += bytes;
	if (at->off < hbc_geometry_length(cut, first, hbc_geometry_count(cut, at->piece)))
		return;
	if (!__test_and_set_bit(at->piece, c->sent))
		c->nr_sent++;
	hbc_cursor_leave(c, at);
	hbc_store_trim(c->store);
}

/* What there is to send of the piece at hand. store->lock held. */
static bool hbc_cursor_take(struct hbc_cursor *c, struct hbc_at *at, u32 most,
			    struct hbc_held *part)
{
	u32 frame = HBC_DATA_LEN + c->store->info.cut.payload;
	struct hbc_piece *piece = hbc_store_piece(c->store, at->piece);
	bool stub = test_bit(at->piece, c->stub);

	lockdep_assert_held(&c->store->lock);
	if (!piece || !piece->len) {
		/* It lies in the file alone. */
		c->wait = HBCAST_WAIT_FILE;
		if (test_bit(at->piece, c->store->whole))
			hbc_store_want(c->store, at->piece);
		return false;
	}
	if (at->off >= piece->len) {
		c->wait = HBCAST_WAIT_DATA;
		return false;
	}
	*part = hbc_store_part(c->store, piece, at->off);
	part->len = min(part->len, stub ? frame : max(rounddown(most, frame), frame));
	hbc_cursor_go(c, at, stub ? U32_MAX : part->len);
	return true;
}

/* The next piece that is not of the lane's slot: those that most wait for first. */
static bool hbc_cursor_begin_other(struct hbc_cursor *c)
{
	unsigned int rank;

	for (rank = 1; rank <= c->route->nr; rank++)
		if (hbc_cursor_begin(c, &c->at[1], rank))
			return true;
	return hbc_cursor_begin(c, &c->at[1], HBC_RANK_WANT);
}

bool hbc_cursor_next(struct hbc_cursor *c, bool own, u32 most, struct hbc_held *part)
{
	struct hbc_at *at = c->at;
	bool found;

	spin_lock_bh(&c->store->lock);
	c->wait = HBCAST_WAIT_DATA;
	if (c->nr_sent == c->store->nr)
		c->wait = HBCAST_WAIT_OVER;
	else if (((at[0].on || hbc_cursor_begin(c, &at[0], 0)) &&
		  hbc_cursor_take(c, &at[0], most, part)) ||
		 (!own && (at[1].on || hbc_cursor_begin_other(c)) &&
		  hbc_cursor_take(c, &at[1], most, part)))
		c->wait = HBCAST_WAIT_NONE;
	found = c->wait == HBCAST_WAIT_NONE;
	spin_unlock_bh(&c->store->lock);
	return found;
}

/* The first piece from @first on before @end that is under way, or @end. store->lock held. */
static u32 hbc_cursor_clear_of(const struct hbc_cursor *c, u32 first, u32 end)
{
	unsigned int i;

	lockdep_assert_held(&c->store->lock);
	for (i = 0; i < ARRAY_SIZE(c->at); i++)
		if (c->at[i].on && c->at[i].piece >= first)
			end = min(end, c->at[i].piece);
	return end;
}

/* Pieces from @first on before @end count as sent, or do not. store->lock held. */
static void hbc_cursor_mark(struct hbc_cursor *c, u32 first, u32 end, bool sent)
{
	unsigned long *word, mask;
	u32 bit, n;

	lockdep_assert_held(&c->store->lock);
	for (; first < end; first += n) {
		bit = first % BITS_PER_LONG;
		n = min_t(u32, BITS_PER_LONG - bit, end - first);
		word = &c->sent[first / BITS_PER_LONG];
		mask = GENMASK(bit + n - 1, bit);
		c->nr_sent -= hweight_long(*word & mask);
		if (sent) {
			*word |= mask;
			c->nr_sent += n;
		} else {
			*word &= ~mask;
		}
	}
}

void hbc_cursor_told(struct hbc_cursor *c, u32 first, u32 end, enum hbc_cursor_word word)
{
	unsigned int rank;
	u32 stop;

	spin_lock_bh(&c->store->lock);
	for (rank = 0; rank <= HBC_ROUTE_RANKS && word != HBC_WORD_HAVE; rank++)
		c->next[rank] = min(c->next[rank], first);
	/* What is on its way goes on: the child throws it away. */
	for (; first < end; first = stop + 1) {
		stop = hbc_cursor_clear_of(c, first, end);
		hbc_cursor_mark(c, first, stop, word == HBC_WORD_HAVE);
		bitmap_clear(c->stub, first, stop - first);
		if (word == HBC_WORD_SLOTS)
			bitmap_set(c->stub, first, stop - first);
		else if (word == HBC_WORD_WANT)
			memset(c->rank + first, HBC_RANK_ASKED, stop - first);
	}
	spin_unlock_bh(&c->store->lock);
}

bool hbc_cursor_own_sent(struct hbc_cursor *c)
{
	bool sent;

	spin_lock_bh(&c->store->lock);
	sent = !c->at[0].on && hbc_cursor_find(c, 0) == c->store->nr;
	spin_unlock_bh(&c->store->lock);
	return sent;
}
