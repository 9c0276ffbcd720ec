// SPDX-License-Identifier: GPL-2.0
/* Cutting: bytes of a message to bursts of fragments that nobody changes again. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "burst.h"
#include "crc.h"
#include "cursor.h"
#include "cut.h"
#include "wire.h"

#define HBC_CUT_ORDER	(const_ilog2(HBC_BURST_BYTES) - PAGE_SHIFT)	/* one vector */

static u32 hbc_cut_payload(const struct hbc_cut *c)
{
	return c->fragment - HBC_FRAGMENT_LEN;
}

/* Fragments of a full burst. */
static u32 hbc_cut_frames(const struct hbc_cut *c)
{
	return max_t(u32, HBC_BURST_BYTES / c->fragment, 1);
}

/* Bytes of a burst of @bytes of payload. */
static u32 hbc_cut_len(const struct hbc_cut *c, u32 bytes)
{
	u32 frames = max_t(u32, DIV_ROUND_UP(bytes, hbc_cut_payload(c)), 1);

	return bytes + frames * HBC_FRAGMENT_LEN;
}

u32 hbc_cut_full(const struct hbc_cut *c)
{
	return hbc_cut_frames(c) * hbc_cut_payload(c);
}

u32 hbc_cut_bytes(const struct hbc_cut *c, u64 offset)
{
	return min_t(u64, c->total - offset, hbc_cut_full(c));
}

static unsigned int hbc_cut_order(u32 len)
{
	return min_t(unsigned int, get_order(len), HBC_CUT_ORDER);
}

/* Memory of a burst of @len bytes. */
static u32 hbc_cut_burst_truesize(u32 len)
{
	u32 size = struct_size_t(struct hbc_burst, bv, DIV_ROUND_UP(len, PAGE_SIZE));

	while (len) {
		u32 n = PAGE_SIZE << hbc_cut_order(len);

		size += n;
		len -= min(len, n);
	}
	return size;
}

u64 hbc_cut_truesize(const struct hbc_cut *c)
{
	u32 full = hbc_cut_full(c), rest;
	u64 nr = div_u64_rem(c->total, full, &rest);
	u64 size = nr * hbc_cut_burst_truesize(hbc_cut_len(c, full));

	if (rest || !nr)
		size += hbc_cut_burst_truesize(hbc_cut_len(c, rest));
	return size;
}

static struct page *hbc_cut_page(unsigned int *order)
{
	struct page *page;

	/* Fewer vectors are not worth to look for memory that is not there. */
	for (; *order; --*order) {
		page = alloc_pages((GFP_KERNEL & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP |
				   __GFP_NOWARN | __GFP_NORETRY, *order);
		if (page)
			return page;
	}
	return alloc_page(GFP_KERNEL | __GFP_NOWARN);
}

/* A burst of @len bytes that are still to be written. */
static struct hbc_burst *hbc_cut_alloc(u32 len)
{
	struct hbc_burst *b = hbc_burst_alloc(DIV_ROUND_UP(len, PAGE_SIZE), GFP_KERNEL);

	if (!b)
		return NULL;
	while (b->len < len) {
		unsigned int order = hbc_cut_order(len - b->len);
		struct page *page = hbc_cut_page(&order);
		int err;

		if (!page)
			goto fail;
		err = hbc_burst_add_page(b, page, 0,
					 min_t(u32, len - b->len, PAGE_SIZE << order));
		if (!err)
			b->truesize += PAGE_SIZE << order;
		put_page(page);
		if (err)
			goto fail;
	}
	return b;

fail:
	hbc_burst_put(b);
	return NULL;
}

void hbc_cut_header(const struct hbc_cut *c, struct hbc_fragment *f)
{
	memset(f, 0, sizeof(*f));
	f->epoch = READ_ONCE(c->epoch);
	f->message = c->message;
	f->total = c->total;
	f->used = c->used;
	f->port = c->port;
	f->after = c->after;
}

/* A fragment that lies together: its header and checksum are written in place. */
static void hbc_cut_seal_fast(const struct hbc_cut *c, u8 *head, const struct hbc_fragment *f,
			      u32 bytes, struct hbc_crc_seed *seed)
{
	hbc_wire_put_fragment(head, HBC_SLOT_ALL, c->flags, bytes, f);
	hbc_wire_set_crc(head, ~hbc_crc(hbc_crc_seed(seed, head), head + HBC_CRC_AT,
					HBC_FRAGMENT_LEN + bytes - HBC_CRC_AT));
}

static void hbc_cut_seal_slow(const struct hbc_cut *c, const struct hbc_cursor *at,
			      const struct hbc_fragment *f, u32 bytes, struct hbc_crc_seed *seed)
{
	struct hbc_cursor head = *at, body = *at, sum = *at;
	u8 buf[HBC_FRAGMENT_LEN];

	hbc_wire_put_fragment(buf, HBC_SLOT_ALL, c->flags, bytes, f);
	hbc_cursor_write(&body, buf, sizeof(buf));
	hbc_cursor_move(&sum, HBC_CRC_AT);
	hbc_wire_set_crc(buf, ~hbc_cursor_crc(&sum, hbc_crc_seed(seed, buf),
					      HBC_FRAGMENT_LEN + bytes - HBC_CRC_AT));
	hbc_cursor_write(&head, buf, HBC_CRC_AT);
}

/* The payload of @bytes bytes is there: writes the headers before it. */
static void hbc_cut_seal(const struct hbc_cut *c, struct hbc_burst *b, u64 offset, u32 bytes)
{
	struct hbc_crc_seed seed = {};
	struct hbc_fragment f;
	struct hbc_cursor at;

	hbc_cut_header(c, &f);
	hbc_cursor_init(&at, b, 0);
	do {
		u32 n = min(bytes, hbc_cut_payload(c)), there;
		const u8 *head = hbc_cursor_peek(&at, &there);

		f.offset = offset;
		/* The burst is still ours alone. */
		if (there >= HBC_FRAGMENT_LEN + n)
			hbc_cut_seal_fast(c, (u8 *)head, &f, n, &seed);
		else
			hbc_cut_seal_slow(c, &at, &f, n, &seed);
		hbc_cursor_move(&at, HBC_FRAGMENT_LEN + n);
		offset += n;
		bytes -= n;
	} while (bytes);
}

static int hbc_cut_fill_iter(const struct hbc_cut *c, struct hbc_burst *b, u32 bytes,
			     struct iov_iter *from)
{
	struct hbc_cursor at;

	hbc_cursor_init(&at, b, 0);
	while (bytes) {
		u32 n = min(bytes, hbc_cut_payload(c));

		hbc_cursor_move(&at, HBC_FRAGMENT_LEN);
		if (hbc_cursor_from_iter(&at, from, n) != n)
			return -EFAULT;
		bytes -= n;
	}
	return 0;
}

static int hbc_cut_read(struct file *file, struct iov_iter *to, loff_t pos)
{
	while (iov_iter_count(to)) {
		ssize_t n = vfs_iter_read(file, to, &pos, 0);

		if (n < 0)
			return n;
		if (!n)
			return -ENODATA;
	}
	return 0;
}

/*
 * Vectors over the payload of @bytes bytes that @b holds, or has room for; for
 * kfree(). NULL without memory.
 */
static struct bio_vec *hbc_cut_vectors(const struct hbc_cut *c, const struct hbc_burst *b,
				       u32 bytes, unsigned int *nr)
{
	/* A gap for each fragment, and one more wherever a vector ends inside it. */
	unsigned int max = DIV_ROUND_UP(bytes, hbc_cut_payload(c)) + b->nr;
	struct bio_vec *bv = kmalloc_array(max, sizeof(*bv), GFP_KERNEL);
	struct hbc_cursor at;

	*nr = 0;
	if (!bv)
		return NULL;
	hbc_cursor_init(&at, b, 0);
	while (bytes) {
		u32 n = min(bytes, hbc_cut_payload(c));

		hbc_cursor_move(&at, HBC_FRAGMENT_LEN);
		*nr += hbc_cursor_vectors(&at, bv + *nr, n);
		bytes -= n;
	}
	return bv;
}

static int hbc_cut_fill_file(const struct hbc_cut *c, struct hbc_burst *b, u32 bytes,
			     struct file *file, loff_t pos)
{
	struct iov_iter to;
	unsigned int nr;
	struct bio_vec *bv = hbc_cut_vectors(c, b, bytes, &nr);
	int err;

	if (!bv)
		return -ENOMEM;
	iov_iter_bvec(&to, ITER_DEST, bv, nr, bytes);
	err = hbc_cut_read(file, &to, pos);
	kfree(bv);
	return err;
}

struct hbc_burst *hbc_cut(const struct hbc_cut *c, u64 offset, struct iov_iter *from,
			  struct file *file, loff_t pos)
{
	u32 bytes = hbc_cut_bytes(c, offset);
	struct hbc_burst *b = hbc_cut_alloc(hbc_cut_len(c, bytes));
	int err;

	if (!b)
		return ERR_PTR(-ENOMEM);
	if (file)
		err = hbc_cut_fill_file(c, b, bytes, file, pos);
	else
		err = hbc_cut_fill_iter(c, b, bytes, from);
	if (err) {
		hbc_burst_put(b);
		return ERR_PTR(err);
	}
	hbc_cut_seal(c, b, offset, bytes);
	return b;
}

struct hbc_burst *hbc_cut_again(const struct hbc_cut *c, u64 offset,
				const struct hbc_burst *before)
{
	u32 bytes = hbc_cut_bytes(c, offset);
	struct hbc_burst *b;
	struct iov_iter from;
	unsigned int nr;
	struct bio_vec *bv = hbc_cut_vectors(c, before, bytes, &nr);

	if (!bv)
		return ERR_PTR(-ENOMEM);
	iov_iter_bvec(&from, ITER_SOURCE, bv, nr, bytes);
	b = hbc_cut(c, offset, &from, NULL, 0);
	kfree(bv);
	return b;
}

/* What checksums of fragments of @len bytes differ by whose headers differ by @differs. */
static u32 hbc_cut_difference(const u8 *differs, u32 len)
{
	const void *zeros = page_address(ZERO_PAGE(0));
	u32 crc = hbc_crc(0, differs, HBC_CRC_AT), n;

	for (len -= HBC_CRC_AT; len; len -= n) {
		n = min_t(u32, len, PAGE_SIZE);
		crc = hbc_crc(crc, zeros, n);
	}
	return crc;
}

void hbc_cut_move(const struct hbc_cut *c, struct hbc_burst *b, u32 epoch, u8 slot)
{
	u32 left, len, done = 0, difference = 0, i;
	u8 head[HBC_CRC_AT], differs[HBC_CRC_AT];
	struct hbc_cursor at, from, to;

	hbc_cursor_init(&at, b, 0);
	for (left = b->len; left; left -= len) {
		from = at;
		to = at;
		len = min(left, c->fragment);
		hbc_cursor_read(&from, head, sizeof(head));
		memcpy(differs, head, sizeof(differs));
		hbc_wire_set_tree(head, epoch, slot);
		if (len != done) {
			for (i = 0; i < sizeof(differs); i++)
				differs[i] ^= head[i];
			difference = hbc_cut_difference(differs, len);
		}
		done = len;
		hbc_wire_set_crc(head, hbc_wire_get_crc(head) ^ difference);
		hbc_cursor_write(&to, head, sizeof(head));
		hbc_cursor_move(&at, len);
	}
}
