/* SPDX-License-Identifier: GPL-2.0 */
/* Cutting: payload from memory or a file to fragments, and back to the payload. */
#ifndef _HBC_CUT_H
#define _HBC_CUT_H

#include <linux/types.h>

struct bio_vec;
struct hbc_burst;
struct hbc_held;
struct hbc_message_info;
struct hbc_wire_data;
struct page;

/* Memory that fragments are cut from; one user. All zero is empty. */
struct hbc_pages {
	struct page *page;
	u32 off;
};

/* Context: any. */
void hbc_pages_free(struct hbc_pages *pages);

/**
 * hbc_cut_new() - room for a piece
 * @info: of the message
 * @piece: number of the piece
 * @pages: where from
 *
 * Context: process. Return: a burst of whole frames with neither header nor payload, or NULL.
 */
struct hbc_burst *hbc_cut_new(const struct hbc_message_info *info, u32 piece,
			      struct hbc_pages *pages);

/**
 * hbc_cut_payload() - where a piece's payload lies
 * @info: of the message
 * @piece: number of the piece
 * @held: the piece; all of it in memory
 * @nr: entries of @held
 * @bv: set to vectors of the payload, in order; for kvfree()
 *
 * Context: process. Return: vectors, or -ENOMEM.
 */
int hbc_cut_payload(const struct hbc_message_info *info, u32 piece, const struct hbc_held *held,
		    unsigned int nr, struct bio_vec **bv);

/*
 * Writes the headers of a piece whose payload is there. Context: any. Return: a checksum of its
 * fragments' checksums.
 */
u32 hbc_cut_stamp(const struct hbc_message_info *info, u32 piece, u8 tag,
		  struct hbc_burst *burst);

/*
 * Whether the fragment at @pos, of header @w, has the checksum that it says; @at and @skip are
 * where hbc_burst_walk() is. Context: any.
 */
bool hbc_cut_good(const struct hbc_burst *b, u32 pos, const struct hbc_wire_data *w,
		  unsigned int at, u32 skip);

/*
 * Whether all fragments of held bytes are as their checksums say; *@sum, of the piece's parts
 * before, goes on to what hbc_cut_stamp() returns for the piece. Context: any.
 */
bool hbc_cut_check(const struct hbc_message_info *info, const struct hbc_held *held, u32 *sum);

#endif /* _HBC_CUT_H */
