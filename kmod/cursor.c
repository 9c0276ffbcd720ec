// SPDX-License-Identifier: GPL-2.0
/* A cursor: a place in a burst, for those who read or write its bytes. */
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uio.h>

#include "burst.h"
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

/* As many as lie in one page, which is *@page; they begin there at *@off. */
static u32 hbc_cursor_page(const struct hbc_cursor *c, u32 len, struct page **page,
			   unsigned int *off)
{
	const struct bio_vec *bv = &c->burst->bv[c->bv];
	unsigned int at = bv->bv_offset + c->skip;

	*page = bv->bv_page + (at >> PAGE_SHIFT);
	*off = offset_in_page(at);
	return min_t(u32, hbc_cursor_span(c, len), PAGE_SIZE - *off);
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
		struct page *page;
		unsigned int off;
		u32 n = hbc_cursor_page(c, len, &page, &off);

		memcpy_from_page(to, page, off, n);
		hbc_cursor_step(c, n);
		to += n;
		len -= n;
	}
}

void hbc_cursor_write(struct hbc_cursor *c, const void *from, u32 len)
{
	while (len) {
		struct page *page;
		unsigned int off;
		u32 n = hbc_cursor_page(c, len, &page, &off);

		memcpy_to_page(page, off, from, n);
		hbc_cursor_step(c, n);
		from += n;
		len -= n;
	}
}

u32 hbc_cursor_crc(struct hbc_cursor *c, u32 crc, u32 len)
{
	while (len) {
		struct page *page;
		unsigned int off;
		u32 n = hbc_cursor_page(c, len, &page, &off);
		void *addr = kmap_local_page(page);

		crc = crc32c(crc, addr + off, n);
		kunmap_local(addr);
		hbc_cursor_step(c, n);
		len -= n;
	}
	return crc;
}

u32 hbc_cursor_to_iter(struct hbc_cursor *c, struct iov_iter *to, u32 len)
{
	u32 done = 0;

	while (done < len) {
		struct page *page;
		unsigned int off;
		u32 n = hbc_cursor_page(c, len - done, &page, &off);
		u32 copied = copy_page_to_iter(page, off, n, to);

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
		struct page *page;
		unsigned int off;
		u32 n = hbc_cursor_page(c, len - done, &page, &off);
		u32 copied = copy_page_from_iter(page, off, n, from);

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
