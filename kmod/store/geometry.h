/* SPDX-License-Identifier: GPL-2.0 */
/* How a message is cut: into fragments of equal payload, and those into pieces. */
#ifndef _HBC_GEOMETRY_H
#define _HBC_GEOMETRY_H

#include "wire/wire.h"

#define HBC_PIECES_MAX	8388608	/* pieces of a message */

/**
 * struct hbc_geometry - the cut of one message
 * @total: bytes
 * @payload: bytes in each fragment but the last, 1 to HBC_PAYLOAD_MAX
 * @per_piece: fragments in each piece but the last, at least 1
 */
struct hbc_geometry {
	u64 total;
	u16 payload;
	u16 per_piece;
};

/* All of these: context any; of messages whose MESSAGE frame has been checked. */

/* Fragments of the message; a message of no bytes has none. */
static inline u32 hbc_geometry_fragments(const struct hbc_geometry *g)
{
	return div_u64(g->total + g->payload - 1, g->payload);
}

/* Pieces of the message, which may be more than HBC_PIECES_MAX. */
static inline u32 hbc_geometry_pieces(const struct hbc_geometry *g)
{
	return div_u64((u64)hbc_geometry_fragments(g) + g->per_piece - 1, g->per_piece);
}

/* Fragments of piece @p. */
static inline u16 hbc_geometry_count(const struct hbc_geometry *g, u32 p)
{
	u32 left = hbc_geometry_fragments(g) - p * g->per_piece;

	return left < g->per_piece ? left : g->per_piece;
}

/* Where fragment @f begins in the message. */
static inline u64 hbc_geometry_offset(const struct hbc_geometry *g, u32 f)
{
	return (u64)f * g->payload;
}

/* Bytes of payload in fragments @f to @f + @n - 1. */
static inline u32 hbc_geometry_bytes(const struct hbc_geometry *g, u32 f, u32 n)
{
	u64 left = g->total - hbc_geometry_offset(g, f);

	return left < (u64)n * g->payload ? left : n * g->payload;
}

/* The same with the headers of DATA. */
static inline u32 hbc_geometry_length(const struct hbc_geometry *g, u32 f, u32 n)
{
	return hbc_geometry_bytes(g, f, n) + n * HBC_DATA_LEN;
}

/**
 * hbc_geometry_set() - cut a message at its root
 * @g: filled in
 * @total: bytes of the message
 * @payload: bytes in a fragment
 *
 * About a thousand pieces, of 8 KiB to 1 MiB. Return: 0, or -EFBIG for more than fragments
 * have numbers, or pieces are kept account of.
 */
int hbc_geometry_set(struct hbc_geometry *g, u64 total, u16 payload);

#endif /* _HBC_GEOMETRY_H */
