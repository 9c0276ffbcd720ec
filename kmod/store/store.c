// SPDX-License-Identifier: GPL-2.0
/* A store: what a node has of one message. */
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "config/group.h"
#include "lane/burst.h"
#include "lane/rx.h"
#include "store/cursor.h"
#include "store/file.h"
#include "store/sink.h"
#include "store/store.h"

#define HBC_STORE_CHAIN	16	/* pieces in a chain, if all are in memory */

/* Chains of pieces, maps, tags: one allocation. */
static int hbc_store_alloc(struct hbc_store *store, u32 nr)
{
	u32 chains = roundup_pow_of_two(nr / HBC_STORE_CHAIN + 1);
	unsigned int longs = BITS_TO_LONGS(nr) + 1;
	unsigned long *map = kvzalloc(((size_t)chains + 4 * longs) * sizeof(long) + nr,
				      HBC_GFP_GROUP);

	if (!map)
		return -ENOMEM;
	store->nr = nr;
	store->pieces = (struct hlist_head *)map;
	store->mask = chains - 1;
	store->begun = map + chains;
	store->whole = store->begun + longs;
	store->filed = store->whole + longs;
	store->load = store->filed + longs;
	store->tag = (u8 *)(store->load + longs);
	memset(store->tag, HBC_TAG_NONE, nr);
	return 0;
}

struct hbc_store *hbc_store_new(const struct hbc_message_info *info, struct hbc_files *files,
				struct hbc_message *owner, bool stub)
{
	struct hbc_store *store = kzalloc(sizeof(*store), HBC_GFP_GROUP);

	if (!store)
		return NULL;
	kref_init(&store->ref);
	store->info = *info;
	store->files = files;
	store->closed = stub;
	RCU_INIT_POINTER(store->owner, owner);
	spin_lock_init(&store->lock);
	INIT_LIST_HEAD(&store->cache);
	INIT_LIST_HEAD(&store->cursors);
	INIT_LIST_HEAD(&store->sinks);
	INIT_WORK(&store->work, hbc_file_work);
	if (hbc_store_alloc(store, stub ? 0 : hbc_geometry_pieces(&info->cut))) {
		kfree(store);
		return NULL;
	}
	return store;
}

/* Off memory. store->lock held. */
static void hbc_store_drop(struct hbc_store *store, struct hbc_piece *piece)
{
	lockdep_assert_held(&store->lock);
	hlist_del(&piece->node);
	if (!list_empty(&piece->link))
		WRITE_ONCE(store->cached, store->cached - piece->charge);
	list_del(&piece->link);
	WRITE_ONCE(store->memory, store->memory - piece->charge);
	while (piece->nr)
		hbc_burst_put(piece->held[--piece->nr].burst);
	if (piece->held != &piece->first)
		kfree(piece->held);
	kfree(piece);
}

void hbc_store_close(struct hbc_store *store)
{
	struct hbc_piece *piece;
	struct hlist_node *next;
	u32 chain;

	rcu_assign_pointer(store->owner, NULL);
	spin_lock_bh(&store->lock);
	store->closed = true;
	for (chain = 0; chain <= store->mask; chain++)
		hlist_for_each_entry_safe(piece, next, &store->pieces[chain], node)
			hbc_store_drop(store, piece);
	spin_unlock_bh(&store->lock);
}

static void hbc_store_release(struct kref *ref)
{
	struct hbc_store *store = container_of(ref, struct hbc_store, ref);

	hbc_sinks_free(store);
	if (store->file)
		hbc_file_put(store->file);
	kvfree(store->pieces);
	kvfree(store->sum);
	kfree(store);
}

void hbc_store_put(struct hbc_store *store)
{
	kref_put(&store->ref, hbc_store_release);
}

u64 hbc_store_bytes(const struct hbc_store *store, const unsigned long *set, u32 nr)
{
	const struct hbc_geometry *cut = &store->info.cut;
	u64 piece = (u64)cut->per_piece * cut->payload;

	if (nr && nr == store->nr)
		return cut->total;
	/* The last one may be shorter, and be there before it counts. */
	return !nr ? 0 : nr * piece - (test_bit(store->nr - 1, set) ?
			     store->nr * piece - cut->total : 0);
}

struct hbc_piece *hbc_store_piece(struct hbc_store *store, u32 number)
{
	struct hbc_piece *piece;

	lockdep_assert_held(&store->lock);
	hlist_for_each_entry(piece, &store->pieces[number & store->mask], node)
		if (piece->number == number)
			return piece;
	return NULL;
}

void hbc_store_want(struct hbc_store *store, u32 number)
{
	lockdep_assert_held(&store->lock);
	if (__test_and_set_bit(number, store->load))
		return;
	store->nr_load++;
	hbc_file_kick(store);
}

void hbc_store_trim(struct hbc_store *store)
{
	struct hbc_piece *piece, *next;

	lockdep_assert_held(&store->lock);
	list_for_each_entry_safe(piece, next, &store->cache, link) {
		/* The newest one has not been used, and the root's wait for their slots. */
		if (store->cached <= HBC_STORE_CACHE || list_is_last(&piece->link, &store->cache))
			break;
		if (!piece->users &&
		    (store->tag[piece->number] != HBC_TAG_NONE || !store->reads_ahead))
			hbc_store_drop(store, piece);
	}
}

void hbc_store_cache(struct hbc_store *store, struct hbc_piece *piece)
{
	lockdep_assert_held(&store->lock);
	WRITE_ONCE(store->cached, store->cached + piece->charge);
	list_add_tail(&piece->link, &store->cache);
	hbc_store_trim(store);
}

/* Piece @number in memory, made if it is not; NULL without memory. store->lock held. */
static struct hbc_piece *hbc_store_make(struct hbc_store *store, u32 number)
{
	struct hbc_piece *piece = hbc_store_piece(store, number);

	lockdep_assert_held(&store->lock);
	if (piece)
		return piece;
	piece = kzalloc(sizeof(*piece), GFP_ATOMIC | __GFP_NOWARN);
	if (!piece)
		return NULL;
	piece->number = number;
	piece->room = 1;
	piece->held = &piece->first;
	INIT_LIST_HEAD(&piece->link);
	/* The newest is asked for most. */
	hlist_add_head(&piece->node, &store->pieces[number & store->mask]);
	return piece;
}

/* The fragments of @held, whose reference it takes over, go behind the others. */
static int hbc_piece_append(struct hbc_store *store, struct hbc_piece *piece,
			    const struct hbc_held *held, u32 nr)
{
	u32 charge = hbc_burst_charge(held->burst, held->len);
	struct hbc_held *old = piece->held == &piece->first ? NULL : piece->held, *more;

	if (piece->nr == piece->room) {
		more = krealloc(old, 2 * piece->nr * sizeof(*more), GFP_ATOMIC | __GFP_NOWARN);
		if (!more)
			return -ENOMEM;
		if (!old)
			*more = piece->first;
		piece->held = more;
		piece->room = 2 * piece->nr;
	}
	piece->held[piece->nr++] = *held;
	piece->got += nr;
	piece->len += held->len;
	piece->charge += charge;
	WRITE_ONCE(store->memory, store->memory + charge);
	return 0;
}

/* All of a piece is there. store->lock held. */
static void hbc_store_complete(struct hbc_store *store, u32 number)
{
	lockdep_assert_held(&store->lock);
	set_bit(number, store->whole);
	WRITE_ONCE(store->nr_whole, store->nr_whole + 1);
	if (!list_empty(&store->sinks))
		hbc_file_kick(store);
}

void hbc_store_resume(struct hbc_store *store, u32 number)
{
	const struct hbc_geometry *cut = &store->info.cut;

	lockdep_assert_held(&store->lock);
	set_bit(number, store->begun);
	__set_bit(number, store->filed);
	WRITE_ONCE(store->resumed, store->resumed +
		   hbc_geometry_bytes(cut, number * cut->per_piece,
				      hbc_geometry_count(cut, number)));
	WRITE_ONCE(store->untold, store->untold + 1);
	hbc_store_complete(store, number);
}

/* The slot of such a piece, whose children may lack it. Return: 1, or 0 if it was known. */
static int hbc_store_told(struct hbc_store *store, u32 number, u8 tag)
{
	struct hbc_piece *piece = hbc_store_piece(store, number);

	if (store->tag[number] != HBC_TAG_NONE)
		return 0;
	/* Its headers say another one. */
	if (piece)
		hbc_store_drop(store, piece);
	store->tag[number] = tag;
	WRITE_ONCE(store->untold, store->untold - 1);
	hbc_cursors_note(store, number, true);
	return 1;
}

/* Fragments of one piece: how many of those at the run's beginning, and what is there. */
struct hbc_slice {
	u32 piece;
	u32 first;	/* in the piece */
	u32 nr;
};

/* Return: 1 if something was new, 0, or what hbc_store_add() says. store->lock held. */
static int hbc_store_add_slice(struct hbc_store *store, const struct hbc_run *run,
			       const struct hbc_slice *slice, u32 pos)
{
	u32 all = hbc_geometry_count(&store->info.cut, slice->piece), got, skip;
	struct hbc_piece *piece = hbc_store_piece(store, slice->piece);
	struct hbc_held held = { .burst = run->burst };
	int err;

	lockdep_assert_held(&store->lock);
	if (test_bit(slice->piece, store->whole))
		return hbc_store_told(store, slice->piece, run->tag);
	got = piece ? piece->got : 0;
	/* Each lane brings a piece from its first fragment on, and in order. */
	if (slice->first > got)
		return got ? -EPROTO : -ENODATA;
	if (store->tag[slice->piece] == HBC_TAG_NONE)
		store->tag[slice->piece] = run->tag;
	else if (store->tag[slice->piece] != run->tag)
		return -EPROTO;
	skip = got - slice->first;
	if (skip >= slice->nr)
		return 0;
	piece = piece ?: hbc_store_make(store, slice->piece);
	if (!piece)
		return -ENOMEM;
	held.pos = pos + skip * run->frame;
	held.len = (slice->nr - skip) * run->frame;
	hbc_burst_get(held.burst);
	err = hbc_piece_append(store, piece, &held, slice->nr - skip);
	if (err) {
		hbc_burst_put(held.burst);
		if (!piece->nr)
			hbc_store_drop(store, piece);
		return err;
	}
	set_bit(slice->piece, store->begun);
	if (piece->got == all)
		hbc_store_complete(store, slice->piece);
	hbc_cursors_note(store, slice->piece, true);
	return 1;
}

/* Whether the fragments can be of the message, and their frames as long as they are. */
static bool hbc_store_fits(const struct hbc_store *store, const struct hbc_run *run)
{
	const struct hbc_geometry *cut = &store->info.cut;
	u32 all = hbc_geometry_fragments(cut);

	if (run->first >= all || run->nr > all - run->first || run->tag >= HBC_MAX_SLOTS)
		return false;
	/* The last one may be shorter, and then comes alone. */
	return run->frame == hbc_geometry_length(cut, run->first, 1) &&
	       run->nr * run->frame == hbc_geometry_length(cut, run->first, run->nr);
}

int hbc_store_add(struct hbc_store *store, const struct hbc_run *run)
{
	u32 per = store->info.cut.per_piece, at = 0;
	struct hbc_slice slice;
	int ret = 1, n;

	if (!hbc_store_fits(store, run))
		return -EPROTO;
	spin_lock_bh(&store->lock);
	for (; at < run->nr; at += slice.nr) {
		slice.piece = (run->first + at) / per;
		slice.first = (run->first + at) % per;
		slice.nr = min(run->nr - at, per - slice.first);
		n = store->closed ? 0 : hbc_store_add_slice(store, run, &slice,
							    run->pos + at * run->frame);
		if (n < 0) {
			ret = n;
			break;
		}
		if (n)
			ret = 0;
	}
	spin_unlock_bh(&store->lock);
	return ret;
}

int hbc_store_put_piece(struct hbc_store *store, u32 number, struct hbc_burst *burst)
{
	struct hbc_held held = { .burst = burst, .len = burst->len };
	struct hbc_piece *piece;

	lockdep_assert_held(&store->lock);
	piece = hbc_store_make(store, number);
	if (!piece)
		return -ENOMEM;
	/* It has come meanwhile. */
	if (piece->nr) {
		hbc_burst_put(burst);
		return 0;
	}
	if (hbc_piece_append(store, piece, &held, hbc_geometry_count(&store->info.cut, number))) {
		hbc_store_drop(store, piece);
		return -ENOMEM;
	}
	piece->users = hbc_cursors_at(store, number);
	if (test_bit(number, store->filed))
		hbc_store_cache(store, piece);
	return 0;
}

struct hbc_held hbc_store_part(const struct hbc_store *store, const struct hbc_piece *piece,
			       u32 off)
{
	unsigned int i = 0;
	struct hbc_held held;

	lockdep_assert_held(&store->lock);
	while (off >= piece->held[i].len)
		off -= piece->held[i++].len;
	held = piece->held[i];
	held.pos += off;
	held.len -= off;
	hbc_burst_get(held.burst);
	return held;
}
