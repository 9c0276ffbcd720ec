// SPDX-License-Identifier: GPL-2.0
/* How a message is cut into fragments and pieces. */
#include "store/geometry.h"

#define PIECES		1024	/* that a message is to have */
#define PIECE_LEAST	(8 * 1024)
#define PIECE_MOST	(1024 * 1024)

int hbc_geometry_set(struct hbc_geometry *g, u64 total, u16 payload)
{
	u64 bytes = div_u64(total, PIECES);
	u32 per_piece;

	if (bytes < PIECE_LEAST)
		bytes = PIECE_LEAST;
	if (bytes > PIECE_MOST)
		bytes = PIECE_MOST;
	per_piece = (u32)bytes / payload;
	g->total = total;
	g->payload = payload;
	if (per_piece > U16_MAX)
		per_piece = U16_MAX;
	g->per_piece = per_piece ? per_piece : 1;
	if (div_u64(total, payload) >= U32_MAX || hbc_geometry_pieces(g) > HBC_PIECES_MAX)
		return -EFBIG;
	return 0;
}
