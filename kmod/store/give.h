/* SPDX-License-Identifier: GPL-2.0 */
/* The root's pieces: all are there from the beginning, and each gets its slot when it can go. */
#ifndef _HBC_GIVE_H
#define _HBC_GIVE_H

#include <linux/types.h>

struct hbc_burst;
struct hbc_file;
struct hbc_store;

/*
 * The store's message is all in @file, whose reference it takes over; it is read from now on.
 * Context: process; the message has its number.
 */
void hbc_store_set_source(struct hbc_store *store, struct hbc_file *file);

/**
 * hbc_store_give() - the next piece gets a slot
 * @store: of the root
 * @slot: the slot
 * @unread: the piece need not have been read
 *
 * Context: process, no spinlocks. Return: whether one did; else all have, or the next one is
 * still being read.
 */
bool hbc_store_give(struct hbc_store *store, u8 slot, bool unread);

/*
 * Piece @number comes from the sender's memory, without headers; takes over @burst, if it
 * succeeds: 0 or -ENOMEM. Context: as above; the message need not have its number.
 */
int hbc_store_fill(struct hbc_store *store, u32 number, struct hbc_burst *burst);

#endif /* _HBC_GIVE_H */
