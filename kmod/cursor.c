// SPDX-License-Identifier: GPL-2.0
/* A cursor: a place in a burst, for those who read or write its bytes. */
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uio.h>

#include "burst.h"
#include "crc.h"
#include "cursor.h"

void hbc_cursor_init(struct hbc_cursor *c, const struct hbc_burst *burst, u32 pos)
{
	c->burst = burst;
	c->bv = 0;
	c->skip = 0;
	hbc_cursor_move(c, pos);
}

/* Bytes that lie at the cursor in one vector, @len at the most. */
static u32 hbc_cursor_span(const struct hbc_cursor *c, u32 len)
{
	return min(len, c->burst->bv[c->bv].bv_len - c->skip);
}

/*
 * Maps as many as lie together, which are *@n; for kunmap_local(). Without high
 * memory that is all of a vector, else one page.
 */
static void *hbc_cursor_map(const struct hbc_cursor *c, u32 len, u32 *n)
{
	const struct bio_vec *bv = &c->burst->bv[c->bv];
	unsigned int at = bv->bv_offset + c->skip;

	*n = hbc_cursor_span(c, len);
	if (IS_ENABLED(CONFIG_HIGHMEM))
		*n = min_t(u32, *n, PAGE_SIZE - offset_in_page(at));
	return kmap_local_page(bv->bv_page + (at >> PAGE_SHIFT)) + offset_in_page(at);
}

/* Over bytes of one vector. */
static void hbc_cursor_step(struct hbc_cursor *c, u32 n)
{
	c->skip += n;
	if (c->skip == c->burst->bv[c->bv].bv_len) {
		c->bv++;
		c->skip = 0;
	}
}

void hbc_cursor_move(struct hbc_cursor *c, u32 len)
{
	while (len) {
		u32 n = hbc_cursor_span(c, len);

		hbc_cursor_step(c, n);
		len -= n;
	}
}

void hbc_cursor_read(struct hbc_cursor *c, void *to, u32 len)
{
	while (len) {
		u32 n;
		void *at = hbc_cursor_map(c, len, &n);

		memcpy(to, at, n);
		kunmap_local(at);
		hbc_cursor_step(c, n);
		to += n;
		len -= n;
	}
}

const u8 *hbc_cursor_peek(const struct hbc_cursor *c, u32 *len)
{
	const struct bio_vec *bv = &c->burst->bv[c->bv];

	*len = 0;
	if (IS_ENABLED(CONFIG_HIGHMEM) || c->bv == c->burst->nr)
		return NULL;
	*len = bv->bv_len - c->skip;
	return page_address(bv->bv_page) + bv->bv_offset + c->skip;
}

void hbc_cursor_write(struct hbc_cursor *c, const void *from, u32 len)
{
	while (len) {
		u32 n;
		void *at = hbc_cursor_map(c, len, &n);

		memcpy(at, from, n);
		kunmap_local(at);
		hbc_cursor_step(c, n);
		from += n;
		len -= n;
	}
}

u32 hbc_cursor_crc(struct hbc_cursor *c, u32 crc, u32 len)
{
	while (len) {
		u32 n;
		void *at = hbc_cursor_map(c, len, &n);

		crc = hbc_crc(crc, at, n);
		kunmap_local(at);
		hbc_cursor_step(c, n);
		len -= n;
	}
	return crc;
}

u32 hbc_cursor_to_iter(struct hbc_cursor *c, struct iov_iter *to, u32 len)
{
	u32 done = 0;

	while (done < len) {
		u32 n, copied;
		void *at = hbc_cursor_map(c, len - done, &n);

		copied = _copy_to_iter(at, n, to);
		kunmap_local(at);
		if (!copied)
			break;
		hbc_cursor_step(c, copied);
		done += copied;
	}
	return done;
}

u32 hbc_cursor_from_iter(struct hbc_cursor *c, struct iov_iter *from, u32 len)
{
	u32 done = 0;

	while (done < len) {
		u32 n, copied;
		void *at = hbc_cursor_map(c, len - done, &n);

		copied = _copy_from_iter(at, n, from);
		kunmap_local(at);
		if (!copied)
			break;
		hbc_cursor_step(c, copied);
		done += copied;
	}
	return done;
}

unsigned int hbc_cursor_vectors(struct hbc_cursor *c, struct bio_vec *bv, u32 len)
{
	unsigned int nr = 0;

	while (len) {
		const struct bio_vec *from = &c->burst->bv[c->bv];
		u32 n = hbc_cursor_span(c, len);

		bvec_set_page(&bv[nr++], from->bv_page, n, from->bv_offset + c->skip);
		hbc_cursor_step(c, n);
		len -= n;
	}
	return nr;
}
