/* SPDX-License-Identifier: GPL-2.0 */
/* A piece: fragments of one message in one burst, on their way to a reader. */
#ifndef _HBC_PIECE_H
#define _HBC_PIECE_H

#include <linux/list.h>
#include <linux/types.h>

#include "crc.h"
#include "cursor.h"
#include "wire.h"

struct hbc_burst;
struct hbc_message;
struct iov_iter;

/**
 * struct hbc_piece_model - what the fragments of a message have in common
 * @header: of one that was verified
 * @seed: of that header
 * @frame: bytes of its fragment, header included; 0 before there is one
 */
struct hbc_piece_model {
	u8 header[HBC_FRAGMENT_LEN];
	struct hbc_crc_seed seed;
	u32 frame;
};

/**
 * struct hbc_piece - fragments that wait to be read
 * @link: a delivery's queue or reading list
 * @burst: a reference
 * @at: the next byte that has not been read, a fragment's header if @verified
 *	is 0
 * @offset: in the message, of the next payload byte
 * @left: bytes of the burst from @at on that belong to the piece
 * @bytes: payload bytes that have not been read; when there are none the
 *	piece is over, though an ABORT may follow in @left
 * @verified: payload bytes at @at whose checksum was right
 * @truesize: what the socket is charged for it
 *
 * Belongs to the list that it is on; on a reading list to the socket's reader.
 */
struct hbc_piece {
	struct list_head link;
	struct hbc_burst *burst;
	struct hbc_cursor at;
	u64 offset;
	u32 left;
	u32 bytes;
	u32 verified;
	u32 truesize;
};

/*
 * A piece of @len bytes at @pos of @burst (a reference is taken) with @bytes of
 * payload, the first of them at @offset of the message. Context: process. NULL
 * without memory.
 */
struct hbc_piece *hbc_piece_new(struct hbc_burst *burst, u32 pos, u32 len, u64 offset,
				u32 bytes);
/* Context: any. */
void hbc_piece_free(struct hbc_piece *p);

/**
 * hbc_piece_read() - hand payload to the user
 * @p: a piece of the caller's
 * @m: message that it belongs to
 * @model: of @m, all zeroes at first; the caller's, as @p
 * @to: where to
 * @len: bytes wanted
 *
 * A fragment's header and checksum are verified before its first byte goes.
 * The burst's bytes were checked when they came, but may lie in pages that a
 * sender on this machine still writes to; so nothing of it is believed here.
 *
 * Context: process, may sleep.
 * Return: bytes copied, fewer than @len at the end of the piece or before a
 * fault or a wrong checksum; if there are none for such a reason -EFAULT or
 * -EBADMSG.
 */
ssize_t hbc_piece_read(struct hbc_piece *p, const struct hbc_message *m,
		       struct hbc_piece_model *model, struct iov_iter *to, size_t len);

#endif /* _HBC_PIECE_H */
