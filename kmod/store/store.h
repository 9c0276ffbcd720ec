/* SPDX-License-Identifier: GPL-2.0 */
/* A store: what a node has of one message: pieces in memory, by reference, in a file, or both. */
#ifndef _HBC_STORE_H
#define _HBC_STORE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "lane/burst.h"
#include "store/geometry.h"
#include "wire/wire.h"

struct hbc_file;
struct hbc_files;
struct hbc_message;
struct hbc_run;

#define HBC_TAG_NONE	0xff	/* the slot of a piece is not known */
#define HBC_STORE_CACHE	(4 * 1024 * 1024)	/* bytes of a file that stay in memory, too */

/**
 * struct hbc_piece - a piece in memory, all of it or its beginning
 * @node: store->pieces
 * @link: store->cache if it is in the file, too, else empty
 * @number: its number
 * @got: fragments of it
 * @len: their bytes, headers included
 * @charge: what is counted for them
 * @users: cursors that are at it
 * @nr: entries of @held in use
 * @room: entries of @held
 * @held: where they are; a reference on each burst
 * @first: @held as long as one entry is enough
 *
 * All fields: store->lock.
 */
struct hbc_piece {
	struct hlist_node node;
	struct list_head link;
	u32 number;
	u32 got;
	u32 len;
	u32 charge;
	unsigned int users;
	unsigned int nr;
	unsigned int room;
	struct hbc_held *held;
	struct hbc_held first;
};

/* What MESSAGE says of a message. */
struct hbc_message_info {
	u64 number;
	struct hbc_geometry cut;
	u16 port;
	u8 kind;		/* enum hbc_message_kind */
	u8 hashed;
	u64 time_ns;
	u8 hash[HBC_HASH_LEN];
	char name[HBC_NAME_MAX + 1];
};

/**
 * struct hbc_store - what a node has of one message
 * @ref: references
 * @info: of the message; never changes
 * @nr: pieces of the message
 * @files: the node's workers; @work holds a reference while it is queued
 * @owner: who hears of what the file's work does, or NULL; RCU
 * @lock: all that follows
 * @tag: of each piece, or HBC_TAG_NONE
 * @begun: pieces of which some fragments have come
 * @whole: pieces of which all have come, and lie in memory or in the file
 * @filed: pieces that lie in the file
 * @load: pieces that are to be read
 * @nr_whole: pieces in @whole
 * @resumed: bytes of pieces that lay in the file before the message came
 * @untold: those of these pieces whose slots are not known yet
 * @given: at the root: pieces before it have got their slots
 * @ahead: at the root: pieces before it have been read ahead
 * @reads_ahead: pieces are read before they have slots: this is the root's
 * @nr_load: pieces in @load
 * @pieces: struct hbc_piece in memory, in chains by number; in one allocation with the maps
 * @mask: of a number, which chain
 * @memory: what is counted for those
 * @cached: of those on @cache
 * @cache: those that lie in the file, too, the oldest first
 * @cursors: struct hbc_cursor on it
 * @sinks: struct hbc_sink
 * @sum: of each piece in the file a checksum; NULL at the root
 * @file: where pieces are kept, or NULL; set once, a reference
 * @drains: pieces are being written to it
 * @begun_at: jiffies when the work was queued, or began what it does now
 * @error: enum hbcast_reason why it is of no use any more, or 0
 * @closed: nothing more is to be read or written
 * @work: reads and writes; holds a reference
 * @working: it is queued, or runs
 */
struct hbc_store {
	struct kref ref;
	struct hbc_message_info info;
	u32 nr;
	struct hbc_files *files;
	struct hbc_message __rcu *owner;
	spinlock_t lock; /* pieces and cursors */
	u8 *tag;
	unsigned long *begun;
	unsigned long *whole;
	unsigned long *filed;
	unsigned long *load;
	u32 nr_whole;
	u64 resumed;
	u32 untold;
	u32 given;
	u32 ahead;
	bool reads_ahead;
	u32 nr_load;
	struct hlist_head *pieces;
	u32 mask;
	u64 memory;
	u64 cached;
	struct list_head cache;
	struct list_head cursors;
	struct list_head sinks;
	u32 *sum;
	struct hbc_file *file;
	bool drains;
	unsigned long begun_at;
	u8 error;
	bool closed;
	struct work_struct work;
	bool working;
};

/* NULL without memory, of which a @stub takes none for pieces: it has none. Context: process. */
struct hbc_store *hbc_store_new(const struct hbc_message_info *info, struct hbc_files *files,
				struct hbc_message *owner, bool stub);
/* Context: process, no spinlocks. */
void hbc_store_put(struct hbc_store *store);
/* Its owner goes, or wants no more of it: pieces in memory go, nothing is read or written. */
void hbc_store_close(struct hbc_store *store);

/*
 * What the owner hears; session/ has it: a piece may have gone into the file; if somebody is to be
 * told (@tell), one has come out of it, or it has all, or store->error is set. Context: the work
 * that does that, without locks; @owner is valid under RCU.
 */
void hbc_message_filed(struct hbc_message *owner, bool tell);

/* Whether all of the message is there. Context: any. */
static inline bool hbc_store_is_whole(const struct hbc_store *store)
{
	return READ_ONCE(store->nr_whole) == store->nr;
}

/* Bytes of the @nr pieces of @set, which may grow meanwhile. Context: any. */
u64 hbc_store_bytes(const struct hbc_store *store, const unsigned long *set, u32 nr);

/**
 * hbc_store_add() - fragments that have come
 * @store: of their message
 * @run: them; what is there already is left out
 *
 * Lanes that are to bring it are marked by HBC_LANE_DUE. Context: process, takes store->lock.
 * Return: 0; 1 if nothing of it was new; -ENODATA if a piece's beginning has not been added,
 * -EPROTO for what cannot be of the message, -ENOMEM.
 */
int hbc_store_add(struct hbc_store *store, const struct hbc_run *run);

/*
 * All of piece @number, or none of it, comes from somewhere else than a lane; takes over the
 * reference on @burst. store->lock held. Return: 0; -ENOMEM, and the reference stays.
 */
int hbc_store_put_piece(struct hbc_store *store, u32 number, struct hbc_burst *burst);

/* Piece @number, of which nothing has come, lay in the file before. store->lock held. */
void hbc_store_resume(struct hbc_store *store, u32 number);
/* Piece @number in memory, or NULL. store->lock held. */
struct hbc_piece *hbc_store_piece(struct hbc_store *store, u32 number);
/* Piece @number is to be read from the file, soon. store->lock held. */
void hbc_store_want(struct hbc_store *store, u32 number);
/* The piece lies in the file, too, now. store->lock held. */
void hbc_store_cache(struct hbc_store *store, struct hbc_piece *piece);
/* Pieces that lie in the file go from memory, while there is more than may be. store->lock held. */
void hbc_store_trim(struct hbc_store *store);
/**
 * hbc_store_part() - bytes of a piece
 * @store: of the piece
 * @piece: in memory
 * @off: first of them, where a fragment begins, below piece->len
 *
 * store->lock held. Return: the held fragments that begin there, with a reference on the burst.
 */
struct hbc_held hbc_store_part(const struct hbc_store *store, const struct hbc_piece *piece,
			       u32 off);

#endif /* _HBC_STORE_H */
