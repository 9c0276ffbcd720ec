// SPDX-License-Identifier: GPL-2.0
/* Cutting: payload from memory or a file to fragments, and back to the payload. */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "lane/burst.h"
#include "store/cut.h"
#include "store/store.h"
#include "wire/crc.h"

#define HBC_CUT_ORDER	3	/* of pages that are asked for at once */

void hbc_pages_free(struct hbc_pages *pages)
{
	if (pages->page)
		put_page(pages->page);
	memset(pages, 0, sizeof(*pages));
}

/* Room for @len bytes that lie together. */
static int hbc_pages_need(struct hbc_pages *pages, u32 len)
{
	unsigned int order = max_t(unsigned int, get_order(len), HBC_CUT_ORDER);

	if (pages->page && pages->off + len <= page_size(pages->page))
		return 0;
	hbc_pages_free(pages);
	pages->page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_COMP | __GFP_NOWARN, order);
	return pages->page ? 0 : -ENOMEM;
}

struct hbc_burst *hbc_cut_new(const struct hbc_message_info *info, u32 piece,
			      struct hbc_pages *pages)
{
	const struct hbc_geometry *cut = &info->cut;
	u32 f = piece * cut->per_piece, nr = hbc_geometry_count(cut, piece), i, len;
	u32 frame = HBC_DATA_LEN + cut->payload;
	/* A page holds at least one fragment, and loses less than one at its end. */
	u32 per = max_t(u32, (PAGE_SIZE << HBC_CUT_ORDER) / frame, 1);
	struct hbc_burst *b = hbc_burst_alloc(nr / per + 2, GFP_KERNEL_ACCOUNT);
	int err = b ? 0 : -ENOMEM;

	for (i = 0; i < nr && !err; i++) {
		len = hbc_geometry_length(cut, f + i, 1);
		err = hbc_pages_need(pages, len);
		if (!err)
			err = hbc_burst_add_page(b, pages->page, pages->off, len);
		pages->off += len;
	}
	if (err && b) {
		hbc_burst_put(b);
		b = NULL;
	}
	return b;
}

/* The payload of one fragment at @pos: at most as many vectors as it has pages, and one. */
static unsigned int hbc_cut_one(const struct hbc_burst *b, u32 pos, u32 left, unsigned int *at,
				u32 *skip, struct bio_vec *bv)
{
	unsigned int nr = 0;
	void *from;
	u32 n;

	for (; left; left -= n, nr++) {
		n = left;
		from = hbc_burst_walk(b, &pos, &n, at, skip);
		bvec_set_page(&bv[nr], virt_to_page(from), n, offset_in_page(from));
	}
	return nr;
}

int hbc_cut_payload(const struct hbc_message_info *info, u32 piece, const struct hbc_held *held,
		    unsigned int nr, struct bio_vec **bv)
{
	const struct hbc_geometry *cut = &info->cut;
	u32 f = piece * cut->per_piece, frags = hbc_geometry_count(cut, piece), len;
	unsigned int room = 2 * frags, i, n = 0, at;
	u32 pos, end, skip;

	for (i = 0; i < nr; i++)
		room += held[i].burst->nr;
	*bv = kvmalloc_array(room, sizeof(**bv), GFP_KERNEL);
	if (!*bv)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		end = held[i].pos + held[i].len;
		at = 0;
		skip = 0;
		for (pos = held[i].pos; pos < end; pos += len) {
			len = hbc_geometry_length(cut, f++, 1);
			n += hbc_cut_one(held[i].burst, pos + HBC_DATA_LEN, len - HBC_DATA_LEN,
					 &at, &skip, *bv + n);
		}
	}
	return n;
}

u32 hbc_cut_stamp(const struct hbc_message_info *info, u32 piece, u8 tag, struct hbc_burst *burst)
{
	u32 f = piece * info->cut.per_piece, left, len, sum = 0;
	struct hbc_wire_data *w;
	unsigned int i;
	u8 *at;

	for (i = 0; i < burst->nr; i++) {
		const struct bio_vec *bv = &burst->bv[i];

		at = page_address(bv->bv_page) + bv->bv_offset;
		for (left = bv->bv_len; left; left -= len, at += len, f++) {
			len = hbc_geometry_length(&info->cut, f, 1);
			w = (struct hbc_wire_data *)at;
			hbc_wire_put_hdr(&w->hdr, HBC_FRAME_DATA, tag, len);
			w->message = cpu_to_be32((u32)info->number);
			w->fragment = cpu_to_be32(f);
			w->crc = cpu_to_be32(~hbc_crc(hbc_crc_seed(w), w->payload,
						      len - HBC_DATA_LEN));
			sum = hbc_crc(sum, &w->crc, sizeof(w->crc));
		}
	}
	return sum;
}

bool hbc_cut_good(const struct hbc_burst *b, u32 pos, const struct hbc_wire_data *w,
		  unsigned int at, u32 skip)
{
	u32 left = be16_to_cpu(w->hdr.length) - HBC_DATA_LEN, n;
	u32 crc = hbc_crc_seed(w);
	void *from;

	for (pos += HBC_DATA_LEN; left; left -= n) {
		n = left;
		from = hbc_burst_walk(b, &pos, &n, &at, &skip);
		crc = hbc_crc(crc, from, n);
	}
	return ~crc == be32_to_cpu(w->crc);
}

bool hbc_cut_check(const struct hbc_message_info *info, const struct hbc_held *held, u32 *sum)
{
	u32 end = held->pos + held->len, pos, skip = 0;
	struct hbc_wire_data w;
	unsigned int at = 0;

	for (pos = held->pos; pos < end; pos += be16_to_cpu(w.hdr.length)) {
		hbc_burst_copy_on(held->burst, pos, &w, sizeof(w), &at, &skip);
		if (!hbc_cut_good(held->burst, pos, &w, at, skip))
			return false;
		*sum = hbc_crc(*sum, &w.crc, sizeof(w.crc));
	}
	return true;
}
