/* SPDX-License-Identifier: GPL-2.0 */
/* A sink: a file that a receiver gives for all of a message. */
#ifndef _HBC_SINK_H
#define _HBC_SINK_H

#include <linux/list.h>
#include <linux/types.h>

struct hbc_file;
struct hbc_held;
struct hbc_store;

/* Bytes that are to be written: beyond it a node reads as fast as it writes. */
#define HBC_SINK_BACKLOG	(8 * 1024 * 1024)
/* And beyond it the file does not count as one. */
#define HBC_SINK_BACKLOG_MAX	(32 * 1024 * 1024)

/**
 * struct hbc_sink - a file that pieces are written to; freed with its store
 * @link: store->sinks; store->lock, as what follows
 * @file: the file, a reference
 * @done: pieces that have been written; store->filed, if it is the store's file
 * @nr_done: their number
 * @next: those before it have been
 * @stopped: nothing more is to be written
 * @error: errno with which writing has failed, or 0
 */
struct hbc_sink {
	struct list_head link;
	struct hbc_file *file;
	unsigned long *done;
	u32 nr_done;
	u32 next;
	bool stopped;
	int error;
};

/**
 * hbc_sink_add() - all of a message is to be written to a file
 * @store: of a message that has come over lanes
 * @file: takes over the reference, if it succeeds
 * @has: of each piece a bit: it is in the file already; or NULL
 *
 * The first one is the store's file, too: pieces are read from it for children that are behind,
 * and those that it @has do not come again, unless they have begun to.
 * Context: process. Return: the sink, NULL without memory.
 */
struct hbc_sink *hbc_sink_add(struct hbc_store *store, struct hbc_file *file, const u64 *has);
/* Nothing more is written, but for a piece that is being written. Context: any. */
void hbc_sink_stop(struct hbc_store *store, struct hbc_sink *sink);
/* Whether all is written, or no more can be. Context: any. */
bool hbc_sink_is_over(const struct hbc_store *store, const struct hbc_sink *sink);
/* Frees those of a store that is freed. Context: process. */
void hbc_sinks_free(struct hbc_store *store);

/* Charge of pieces that lie in memory alone. Context: any. */
u64 hbc_store_backlog(const struct hbc_store *store);
/* Whether pieces leave memory for the store's file. Context: any. */
bool hbc_store_drains(const struct hbc_store *store);
/* Whether the store's file is slower than what comes. Context: any. */
bool hbc_store_pauses(const struct hbc_store *store);
/* Waits a moment while that is so. Context: process, no locks. */
void hbc_store_pause(struct hbc_store *store);

/**
 * struct hbc_write - a piece that goes to a sink
 * @sink: which one
 * @piece: number of the piece
 * @held: its parts, with references, for kfree(); NULL: it has to be read first; or ERR_PTR
 * @nr: entries of @held
 * @sum: what hbc_cut_check() made of it
 */
struct hbc_write {
	struct hbc_sink *sink;
	u32 piece;
	struct hbc_held *held;
	unsigned int nr;
	u32 sum;
};

/* The first sink that lacks a piece which is here, *@piece; or NULL. store->lock held. */
struct hbc_sink *hbc_sinks_first(const struct hbc_store *store, u32 *piece);
/* The next one. Context: process, of the file's work alone. Return: whether there is one. */
bool hbc_sink_next(struct hbc_store *store, struct hbc_write *w);
/* It has been written, or not, with @err. Context: as above. Return: whether the sink is over. */
bool hbc_sink_wrote(struct hbc_store *store, struct hbc_write *w, int err);

#endif /* _HBC_SINK_H */
