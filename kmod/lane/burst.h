/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A burst: an immutable run of whole frames, shared by all who have a part of it.
 */
#ifndef _HBC_BURST_H
#define _HBC_BURST_H

#include <linux/bvec.h>
#include <linux/minmax.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct sk_buff;

#define HBC_BURST_BYTES		65536	/* a burst of more than one frame is not longer */
#define HBC_BURST_SHARE		8	/* memory that bytes keep, by what is counted at least */
#define HBC_BURST_VECTORS	60	/* with its head a kmalloc() of 1 KiB */

/**
 * struct hbc_burst - whole frames, one behind the other
 * @ref: references; hbc_burst_get() and hbc_burst_put()
 * @len: bytes in use over all of @bv
 * @alive: bytes of the pages that the burst keeps
 * @nr: entries of @bv in use
 * @max: entries of @bv allocated
 * @bv: the bytes; each entry holds one reference on its page
 *
 * Nothing that others use changes after they have got it, so no lock is needed.
 */
struct hbc_burst {
	refcount_t ref;
	u32 len;
	u32 alive;
	u16 nr;
	u16 max;
	struct bio_vec bv[];
};

/* Frames, one behind the other in a burst; whoever has it has a reference on that. */
struct hbc_held {
	struct hbc_burst *burst;
	u32 pos;
	u32 len;
};

/* Room for @max vectors. NULL without memory. Context: as @gfp allows. */
struct hbc_burst *hbc_burst_alloc(unsigned int max, gfp_t gfp);

static inline void hbc_burst_get(struct hbc_burst *b)
{
	refcount_inc(&b->ref);
}

/* Context: any. */
void hbc_burst_put(struct hbc_burst *b);

/**
 * hbc_burst_add_page() - append bytes of a page
 * @b: burst with a single owner
 * @page: page; a reference is taken unless the bytes extend the last vector
 * @off: of the first byte, from the start of @page
 * @len: in bytes
 *
 * Return: 0, or -ENOSPC when all vectors are in use.
 */
int hbc_burst_add_page(struct hbc_burst *b, struct page *page, unsigned int off,
		       unsigned int len);

/*
 * What is counted for @len of its bytes that somebody keeps. Others have the rest of the pages,
 * unless a peer sends so that they are kept for a few bytes each.
 */
static inline u32 hbc_burst_charge(const struct hbc_burst *b, u32 len)
{
	return max(len, b->alive / HBC_BURST_SHARE);
}

/* Vectors that hbc_burst_add_skb() takes for all of @skb, at the most. */
unsigned int hbc_burst_need(const struct sk_buff *skb);

/**
 * hbc_burst_add_skb() - append bytes of a received skb without copying
 * @b: burst with a single owner and enough vectors (hbc_burst_need())
 * @skb: its pages are shared; bytes that do not lie in pages that can be sent
 *	on are copied
 * @off: first byte
 * @len: in bytes
 *
 * Context: process, may sleep.
 * Return: 0; -ENOSPC without vectors, -ENOMEM: the burst is of no use then.
 */
int hbc_burst_add_skb(struct hbc_burst *b, struct sk_buff *skb, unsigned int off,
		      unsigned int len);

/**
 * hbc_burst_carry() - begin another burst with the end of one
 * @b: burst with a single owner who still adds to it, or NULL
 * @pos: what lies behind it goes over
 * @need: vectors that are to be free
 *
 * Context: process. Return: the burst, or NULL without memory.
 */
struct hbc_burst *hbc_burst_carry(struct hbc_burst *b, u32 pos, unsigned int need);

/* Copies @len bytes at @pos: @at and @skip as for hbc_burst_walk(). Context: process. */
void hbc_burst_copy_on(const struct hbc_burst *b, u32 pos, void *to, u32 len, unsigned int *at,
		       u32 *skip);

/* Index of the vector that holds byte @pos; *@skip is what lies before it there. Context: any. */
unsigned int hbc_burst_seek(const struct hbc_burst *b, u32 pos, u32 *skip);

/*
 * Bytes of a burst, which keeps its references, are added to the @nr entries of a vector of pages
 * as long as those are at most @max; *@len is set to them. Context: any. Return: entries.
 */
unsigned int hbc_burst_vectors(const struct hbc_burst *b, u32 pos, u32 *len, struct bio_vec *bv,
			       unsigned int nr, unsigned int max);

/**
 * hbc_burst_walk() - the bytes of a part as they lie in memory
 * @b: the burst
 * @pos: first byte; moves on
 * @len: at most so many; set to how many lie together
 * @at: index of the vector, 0 at first; moves on
 * @skip: bytes of the vectors before it, 0 at first; moves on
 *
 * Context: any. Return: where they are; pages may be mapped there.
 */
void *hbc_burst_walk(const struct hbc_burst *b, u32 *pos, u32 *len, unsigned int *at, u32 *skip);

#endif /* _HBC_BURST_H */
