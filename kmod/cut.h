/* SPDX-License-Identifier: GPL-2.0 */
/* Cutting: bytes of a message to bursts of fragments that nobody changes again. */
#ifndef _HBC_CUT_H
#define _HBC_CUT_H

#include <linux/types.h>

struct file;
struct hbc_burst;
struct hbc_fragment;
struct iov_iter;

/**
 * struct hbc_cut - what the fragments of one message have in common
 * @message: id
 * @total: bytes
 * @used: slots that they have been sent through
 * @epoch: of the trees
 * @fragment: bytes of a whole fragment, header included; above
 *	HBC_FRAGMENT_LEN
 * @after: as in a fragment
 * @port: of the sockets
 * @flags: of the frames
 */
struct hbc_cut {
	u64 message;
	u64 total;
	u64 used;
	u32 epoch;
	u32 fragment;
	u32 after;
	u16 port;
	u8 flags;
};

/* Payload bytes of a full burst. */
u32 hbc_cut_full(const struct hbc_cut *c);

/* Payload bytes of the burst that starts at @offset of the message. */
u32 hbc_cut_bytes(const struct hbc_cut *c, u64 offset);

/* Memory that all bursts of a message take if they are there at once. */
u64 hbc_cut_truesize(const struct hbc_cut *c);

/**
 * hbc_cut() - make the burst that starts at @offset
 * @c: the message
 * @offset: in the message, a multiple of a full burst's payload
 * @from: the sender's memory, unless @file is given
 * @file: to read from, or NULL
 * @pos: place in @file of the burst's first byte
 *
 * Context: process, may sleep.
 * Return: a burst with truesize and without an owner; ERR_PTR: -ENOMEM,
 * -EFAULT, what reading the file said, -ENODATA for a file that is too short.
 */
struct hbc_burst *hbc_cut(const struct hbc_cut *c, u64 offset, struct iov_iter *from,
			  struct file *file, loff_t pos);

/*
 * The burst at @offset once more, as @c is now, from the one that was made
 * before. Context, return: as above.
 */
struct hbc_burst *hbc_cut_again(const struct hbc_cut *c, u64 offset,
				const struct hbc_burst *before);

/*
 * A burst that hbc_cut() has made goes through another tree than that of the epoch it was
 * cut for and HBC_SLOT_ALL; nobody else has it. Context: any.
 */
void hbc_cut_move(const struct hbc_cut *c, struct hbc_burst *b, u32 epoch, u8 slot);

/* The header that the message's fragments begin with, but for offset and checksum. */
void hbc_cut_header(const struct hbc_cut *c, struct hbc_fragment *f);

#endif /* _HBC_CUT_H */
