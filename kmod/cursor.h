/* SPDX-License-Identifier: GPL-2.0 */
/* A cursor: a place in a burst, for those who read or write its bytes. */
#ifndef _HBC_CURSOR_H
#define _HBC_CURSOR_H

#include <linux/types.h>

struct bio_vec;
struct hbc_burst;
struct iov_iter;

/**
 * struct hbc_cursor - a place in a burst
 * @burst: the burst; no reference
 * @bv: index of the vector; the number of vectors at the burst's end
 * @skip: bytes of it that lie before the place
 *
 * Belongs to whoever made it. Every function moves the cursor over the bytes
 * that it handled; the caller sees to it that the burst has as many.
 */
struct hbc_cursor {
	const struct hbc_burst *burst;
	unsigned int bv;
	u32 skip;
};

void hbc_cursor_init(struct hbc_cursor *c, const struct hbc_burst *burst, u32 pos);
void hbc_cursor_move(struct hbc_cursor *c, u32 len);
void hbc_cursor_read(struct hbc_cursor *c, void *to, u32 len);
/*
 * What lies at the cursor and can be read in place, *@len bytes; NULL and 0 if
 * nothing can. The cursor stays.
 */
const u8 *hbc_cursor_peek(const struct hbc_cursor *c, u32 *len);
/* Only while the burst has a single owner. */
void hbc_cursor_write(struct hbc_cursor *c, const void *from, u32 len);
/* CRC32C (seed and result not inverted) of @len bytes. */
u32 hbc_cursor_crc(struct hbc_cursor *c, u32 crc, u32 len);
/* Return: bytes copied; fewer than @len when the user's memory faults. Process. */
u32 hbc_cursor_to_iter(struct hbc_cursor *c, struct iov_iter *to, u32 len);
u32 hbc_cursor_from_iter(struct hbc_cursor *c, struct iov_iter *from, u32 len);
/* Append @len bytes to the vectors at @bv. Return: vectors written. */
unsigned int hbc_cursor_vectors(struct hbc_cursor *c, struct bio_vec *bv, u32 len);

#endif /* _HBC_CURSOR_H */
