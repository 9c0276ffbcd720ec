// SPDX-License-Identifier: GPL-2.0
/* The root's pieces: all are there from the beginning, and each gets its slot when it can go. */
#include <linux/bitmap.h>

#include "lane/burst.h"
#include "store/cursor.h"
#include "store/cut.h"
#include "store/file.h"
#include "store/give.h"
#include "store/store.h"

void hbc_store_set_source(struct hbc_store *store, struct hbc_file *file)
{
	spin_lock_bh(&store->lock);
	store->file = file;
	store->reads_ahead = true;
	bitmap_fill(store->whole, store->nr);
	bitmap_fill(store->filed, store->nr);
	WRITE_ONCE(store->nr_whole, store->nr);
	if (store->nr)
		hbc_file_kick(store);
	spin_unlock_bh(&store->lock);
}

/* The piece has a slot now. store->lock held. */
static void hbc_store_tag(struct hbc_store *store, u32 number, u8 slot)
{
	lockdep_assert_held(&store->lock);
	store->tag[number] = slot;
	__set_bit(number, store->begun);
	hbc_cursors_note(store, number, false);
}

bool hbc_store_give(struct hbc_store *store, u8 slot, bool unread)
{
	struct hbc_piece *piece = NULL;
	struct hbc_held held;
	bool given;
	u32 number;

	spin_lock_bh(&store->lock);
	number = store->given;
	given = number < store->nr && !store->closed;
	if (given) {
		piece = hbc_store_piece(store, number);
		given = piece || unread;
	}
	/* It is being read ahead, or more may be. */
	if (store->reads_ahead)
		hbc_file_kick(store);
	if (given)
		WRITE_ONCE(store->given, number + 1);
	if (piece)
		held = hbc_store_part(store, piece, 0);
	else if (given)
		hbc_store_tag(store, number, slot);
	spin_unlock_bh(&store->lock);
	if (!piece)
		return given;
	/* Nothing else looks at it before it has its slot. */
	hbc_cut_stamp(&store->info, number, slot, held.burst);
	hbc_burst_put(held.burst);
	spin_lock_bh(&store->lock);
	hbc_store_tag(store, number, slot);
	spin_unlock_bh(&store->lock);
	return true;
}

int hbc_store_fill(struct hbc_store *store, u32 number, struct hbc_burst *burst)
{
	int err;

	spin_lock_bh(&store->lock);
	err = hbc_store_put_piece(store, number, burst);
	if (!err) {
		__set_bit(number, store->whole);
		WRITE_ONCE(store->nr_whole, store->nr_whole + 1);
	}
	spin_unlock_bh(&store->lock);
	return err;
}
