// SPDX-License-Identifier: GPL-2.0-or-later
/* How messages are cut, by hand. */
#include "../lib/tap.h"
#include "store/geometry.h"

#define MTU	1432	/* payload of a segment of 1448 bytes */

struct cut {
	const char *name;
	u64 total;
	u16 payload;
	u16 per_piece;
	u32 fragments;
	u32 pieces;
	u16 last_count;		/* fragments of the last piece */
	u32 last_bytes;		/* of the last fragment */
};

static const struct cut cuts[] = {
	{ "one byte", 1, MTU, 5, 1, 1, 1, 1 },
	{ "one fragment", 1432, MTU, 5, 1, 1, 1, 1432 },
	{ "a byte more", 1433, MTU, 5, 2, 1, 2, 1 },
	{ "one piece", 7160, MTU, 5, 5, 1, 5, 1432 },
	{ "a piece and a byte", 7161, MTU, 5, 6, 2, 1, 1 },
	/* 16 KiB are 11 fragments; 16777216 = 11715 * 1432 + 1336, 11716 = 1065 * 11 + 1. */
	{ "16 MiB", 1 << 24, MTU, 11, 11716, 1066, 1, 1336 },
	/* 1 MiB is 732 fragments; 2^33 = 5998557 * 1432 + 968, 5998558 = 8194 * 732 + 550. */
	{ "8 GiB", 1ULL << 33, MTU, 732, 5998558, 8195, 550, 968 },
	{ "fragments longer than a piece", 100000, 9000, 1, 12, 12, 1, 1000 },
};

static void check(const struct cut *c)
{
	struct hbc_geometry g;
	u32 last;

	if (!ok(!hbc_geometry_set(&g, c->total, c->payload) && g.per_piece == c->per_piece &&
		hbc_geometry_fragments(&g) == c->fragments &&
		hbc_geometry_pieces(&g) == c->pieces, "%s", c->name))
		printf("# %u a piece, %u fragments, %u pieces\n", g.per_piece,
		       hbc_geometry_fragments(&g), hbc_geometry_pieces(&g));
	last = c->fragments - 1;
	ok(hbc_geometry_count(&g, c->pieces - 1) == c->last_count &&
	   hbc_geometry_bytes(&g, last, 1) == c->last_bytes &&
	   hbc_geometry_offset(&g, last) + c->last_bytes == c->total &&
	   hbc_geometry_length(&g, last, 1) == c->last_bytes + 16, "%s: its end", c->name);
}

int main(void)
{
	struct hbc_geometry g = { .payload = MTU, .per_piece = 5 };
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(*cuts); i++)
		check(&cuts[i]);
	ok(!hbc_geometry_set(&g, 0, MTU) && !hbc_geometry_fragments(&g) &&
	   !hbc_geometry_pieces(&g), "a message of no bytes has no pieces");
	hbc_geometry_set(&g, 1 << 24, MTU);
	ok(hbc_geometry_count(&g, 7) == 11 && hbc_geometry_bytes(&g, 77, 11) == 11 * MTU &&
	   hbc_geometry_length(&g, 77, 11) == 11 * (MTU + 16), "a piece in the middle");
	ok(hbc_geometry_bytes(&g, 11714, 2) == MTU + 1336, "and two fragments at the end");
	/* 2^32 - 1 fragments have numbers, and 732 of them are a piece. */
	ok(!hbc_geometry_set(&g, 4294967295ULL * MTU - 1, MTU) &&
	   hbc_geometry_pieces(&g) == 5867442, "as large as numbers of fragments allow");
	ok(hbc_geometry_set(&g, 4294967295ULL * MTU, MTU) == -EFBIG, "larger than that");
	ok(!hbc_geometry_set(&g, 1 << 30, 1) && g.per_piece == 65535,
	   "a piece has no more fragments than are counted");
	ok(hbc_geometry_set(&g, 1ULL << 34, 65519) == 0 && g.per_piece == 16,
	   "long fragments, as on the loopback");
	return tap_done();
}
