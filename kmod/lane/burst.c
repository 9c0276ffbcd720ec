// SPDX-License-Identifier: GPL-2.0
/* A burst: an immutable run of whole frames, shared by all who have a part of it. */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "lane/burst.h"

#define HBC_BURST_TAIL	256	/* a half frame in more pieces is copied together */

struct hbc_burst *hbc_burst_alloc(unsigned int max, gfp_t gfp)
{
	struct hbc_burst *b = kmalloc(struct_size(b, bv, max), gfp | __GFP_NOWARN);

	if (!b)
		return NULL;
	refcount_set(&b->ref, 1);
	b->len = 0;
	b->alive = 0;
	b->nr = 0;
	b->max = max;
	return b;
}

void hbc_burst_put(struct hbc_burst *b)
{
	unsigned int i;

	if (!refcount_dec_and_test(&b->ref))
		return;
	for (i = 0; i < b->nr; i++)
		put_page(b->bv[i].bv_page);
	kfree(b);
}

/* Whether bytes of a page go on where the vector ends, in one allocation: it has them now. */
static bool hbc_burst_join(struct bio_vec *bv, struct page *page, unsigned int off,
			   unsigned int len)
{
	if (page_to_phys(bv->bv_page) + bv->bv_offset + bv->bv_len != page_to_phys(page) + off)
		return false;
	/* The start of a page goes on in the allocation before only if it is a tail. */
	if (!offset_in_page(off) && !PageTail(page + (off >> PAGE_SHIFT)))
		return false;
	bv->bv_len += len;
	return true;
}

int hbc_burst_add_page(struct hbc_burst *b, struct page *page, unsigned int off,
		       unsigned int len)
{
	if (!b->nr || !hbc_burst_join(&b->bv[b->nr - 1], page, off, len)) {
		if (b->nr == b->max)
			return -ENOSPC;
		if (!b->nr || compound_head(b->bv[b->nr - 1].bv_page) != compound_head(page))
			b->alive += page_size(compound_head(page));
		get_page(page);
		bvec_set_page(&b->bv[b->nr++], page, len, off);
	}
	b->len += len;
	return 0;
}

/* Bytes that lie in memory which cannot be sent as pages: copied page by page. */
static int hbc_burst_add_foreign(struct hbc_burst *b, struct sk_buff *skb, unsigned int off,
				 unsigned int len)
{
	int err = 0;

	while (len && !err) {
		unsigned int n = min_t(unsigned int, len, PAGE_SIZE);
		struct page *page = alloc_page(GFP_KERNEL | __GFP_NOWARN);

		if (!page)
			return -ENOMEM;
		err = skb_copy_bits(skb, off, page_address(page), n) ?:
		      hbc_burst_add_page(b, page, 0, n);
		put_page(page);
		off += n;
		len -= n;
	}
	return err;
}

/* One skb without those on its frag_list. @off and @len lie inside. */
static int hbc_burst_add_one(struct hbc_burst *b, struct sk_buff *skb, unsigned int off,
			     unsigned int len)
{
	unsigned int head = skb_headlen(skb), skip = off - min(off, head), n;
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	struct page *page = virt_to_head_page(skb->data);
	int err = 0;

	if (off < head) {
		n = min(len, head - off);
		err = !skb->head_frag ? hbc_burst_add_foreign(b, skb, off, n) :
		      hbc_burst_add_page(b, page, skb->data + off - (u8 *)page_address(page), n);
		off += n;
		len -= n;
	}
	while (len && skip >= skb_frag_size(frag))
		skip -= skb_frag_size(frag++);
	for (; len && !err; frag++, skip = 0) {
		n = min(len, skb_frag_size(frag) - skip);
		page = skb_frag_page(frag);
		err = !sendpage_ok(page) ? hbc_burst_add_foreign(b, skb, off, n) :
		      hbc_burst_add_page(b, page, skb_frag_off(frag) + skip, n);
		off += n;
		len -= n;
	}
	return err;
}

unsigned int hbc_burst_need(const struct sk_buff *skb)
{
	/* A head of any size that has to be copied takes a vector a page. */
	unsigned int need = 1 + skb_headlen(skb) / PAGE_SIZE + skb_shinfo(skb)->nr_frags;
	struct sk_buff *frag;

	skb_walk_frags(skb, frag)
		need += skb_has_frag_list(frag) ? 1 + frag->len / PAGE_SIZE :
			1 + skb_headlen(frag) / PAGE_SIZE + skb_shinfo(frag)->nr_frags;
	return need;
}

int hbc_burst_add_skb(struct hbc_burst *b, struct sk_buff *skb, unsigned int off,
		      unsigned int len)
{
	unsigned int start = skb_has_frag_list(skb) ? skb_pagelen(skb) : skb->len, n;
	struct sk_buff *frag;
	int err = 0;

	if (off < start) {
		n = min(len, start - off);
		err = hbc_burst_add_one(b, skb, off, n);
		off += n;
		len -= n;
	}
	skb_walk_frags(skb, frag) {
		if (err || !len)
			break;
		if (off < start + frag->len) {
			n = min(len, start + frag->len - off);
			if (skb_has_frag_list(frag))
				err = hbc_burst_add_foreign(b, frag, off - start, n);
			else
				err = hbc_burst_add_one(b, frag, off - start, n);
			off += n;
			len -= n;
		}
		start += frag->len;
	}
	return err;
}

unsigned int hbc_burst_seek(const struct hbc_burst *b, u32 pos, u32 *skip)
{
	unsigned int i = 0;

	while (pos >= b->bv[i].bv_len)
		pos -= b->bv[i++].bv_len;
	*skip = pos;
	return i;
}

/* The bytes from @len on, at the end of @to, too: 0, or -ENOSPC without vectors. */
static int hbc_burst_split(const struct hbc_burst *b, u32 len, struct hbc_burst *to)
{
	unsigned int i;
	int err = 0;
	u32 skip;

	for (i = hbc_burst_seek(b, len, &skip); i < b->nr && !err; i++, skip = 0) {
		const struct bio_vec *bv = &b->bv[i];

		err = hbc_burst_add_page(to, bv->bv_page, bv->bv_offset + skip,
					 bv->bv_len - skip);
	}
	return err;
}

unsigned int hbc_burst_vectors(const struct hbc_burst *b, u32 pos, u32 *len, struct bio_vec *bv,
			       unsigned int nr, unsigned int max)
{
	u32 left = *len, skip, n;
	unsigned int i;

	for (i = hbc_burst_seek(b, pos, &skip); left; i++, skip = 0) {
		const struct bio_vec *from = &b->bv[i];

		n = min(left, from->bv_len - skip);
		if (!nr || !hbc_burst_join(&bv[nr - 1], from->bv_page, from->bv_offset + skip, n)) {
			if (nr == max)
				break;
			bvec_set_page(&bv[nr++], from->bv_page, n, from->bv_offset + skip);
		}
		left -= n;
	}
	*len -= left;
	return nr;
}

void *hbc_burst_walk(const struct hbc_burst *b, u32 *pos, u32 *len, unsigned int *at, u32 *skip)
{
	const struct bio_vec *bv;
	u32 in;

	while (*pos >= *skip + b->bv[*at].bv_len)
		*skip += b->bv[(*at)++].bv_len;
	bv = &b->bv[*at];
	in = *pos - *skip;
	*len = min(*len, bv->bv_len - in);
	*pos += *len;
	return page_address(bv->bv_page) + bv->bv_offset + in;
}

void hbc_burst_copy_on(const struct hbc_burst *b, u32 pos, void *to, u32 len, unsigned int *at,
		       u32 *skip)
{
	void *from;
	u32 n;

	for (; len; len -= n, to += n) {
		n = len;
		from = hbc_burst_walk(b, &pos, &n, at, skip);
		memcpy(to, from, n);
	}
}

/* A half frame in very many pieces: one copy, so that its vectors stay bounded. */
static struct hbc_burst *hbc_burst_compact(struct hbc_burst *b, u32 pos, unsigned int need)
{
	u32 len = b->len - pos, skip = 0, n;
	unsigned int at = 0;
	struct hbc_burst *to = hbc_burst_alloc(need + len / PAGE_SIZE + 1, GFP_KERNEL);
	int err = to ? 0 : -ENOMEM;
	struct page *page;

	for (; len && !err; len -= n, pos += n) {
		n = min_t(u32, len, PAGE_SIZE);
		page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
		if (!page) {
			err = -ENOMEM;
			break;
		}
		hbc_burst_copy_on(b, pos, page_address(page), n, &at, &skip);
		err = hbc_burst_add_page(to, page, 0, n);
		put_page(page);
	}
	if (err && to) {
		hbc_burst_put(to);
		to = NULL;
	}
	return to;
}

struct hbc_burst *hbc_burst_carry(struct hbc_burst *b, u32 pos, unsigned int need)
{
	unsigned int tail = b && b->len > pos ? b->nr : 0;
	struct hbc_burst *to;

	if (tail > HBC_BURST_TAIL)
		return hbc_burst_compact(b, pos, need);
	to = hbc_burst_alloc(need + tail, GFP_KERNEL);
	if (to && tail && hbc_burst_split(b, pos, to)) {
		hbc_burst_put(to);
		to = NULL;
	}
	return to;
}
