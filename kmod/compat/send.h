/* SPDX-License-Identifier: GPL-2.0 */
/* Pages to a TCP socket without copying. */
#ifndef _HBC_COMPAT_SEND_H
#define _HBC_COMPAT_SEND_H

#include <linux/bvec.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/tcp.h>

/*
 * sendpage() is gone, and MSG_SPLICE_PAGES makes each page of 4 KiB a fragment of the
 * skb, whatever it is part of; that costs a fifth of all the work, here and at the next
 * node. So the fragments are made here, by the hook for senders with pages of their own
 * that io_uring uses. Unlike its own, they hold references: the ubuf_info lacks the flag
 * that would bind it to the skb, so nobody asks for it after the call, nor copies the
 * pages where the skb is received on this machine. Like its own, they count in the
 * socket's send buffer, but not in tcp_mem.
 */

/* Makes fragments of @length bytes, or as many as the skb can have. Return: bytes. */
static inline unsigned int hbc_compat_fill(struct sk_buff *skb, struct iov_iter *from,
					   size_t length)
{
	unsigned int nr = skb_shinfo(skb)->nr_frags, skip = from->iov_offset, done = 0;
	const struct bio_vec *bv = from->bvec;

	for (; done < length && nr < MAX_SKB_FRAGS; bv++, nr++, skip = 0) {
		unsigned int n = min_t(size_t, bv->bv_len - skip, length - done);

		get_page(bv->bv_page);
		skb_fill_page_desc_noacc(skb, nr, bv->bv_page, bv->bv_offset + skip, n);
		done += n;
	}
	iov_iter_advance(from, done);
	skb_len_add(skb, done);
	return done;
}

/* Nobody waits for the end of the ubuf_info; it is on the stack. */
static inline void hbc_compat_complete(struct sk_buff *skb, struct ubuf_info *uarg, bool success)
{
}

#ifdef HBC_HAVE_UBUF_OPS
static const struct ubuf_info_ops hbc_compat_ubuf_ops = { .complete = hbc_compat_complete };
#define HBC_COMPAT_UBUF_COMPLETE .ops = &hbc_compat_ubuf_ops

static inline int hbc_compat_sg_from_iter(struct sk_buff *skb, struct iov_iter *from,
					  size_t length)
{
	return hbc_compat_fill(skb, from, length) ? 0 : -EMSGSIZE;
}
#else
#define HBC_COMPAT_UBUF_COMPLETE .callback = hbc_compat_complete

static inline int hbc_compat_sg_from_iter(struct sock *sk, struct sk_buff *skb,
					  struct iov_iter *from, size_t length)
{
	unsigned int n = hbc_compat_fill(skb, from, length);

	sk_wmem_queued_add(sk, n);
	if (!skb_zcopy_pure(skb))
		sk_mem_charge(sk, n);
	return n ? 0 : -EMSGSIZE;
}
#endif

#define HBC_COMPAT_SKB_BYTES	(MAX_SKB_FRAGS * PAGE_SIZE / 2)

/**
 * hbc_compat_send() - send a vector of pages, as far as there is room
 * @sock: TCP socket
 * @bv: pages; TCP takes its own references
 * @nr: entries of @bv
 * @skip: bytes of @bv before the first one
 * @len: bytes, at most the others in @bv
 *
 * What does not fill a segment waits for more. Context: process, may sleep for the socket's lock.
 * Return: bytes taken, or a negative errno if there were none.
 */
static inline int hbc_compat_send(struct socket *sock, const struct bio_vec *bv,
				  unsigned int nr, unsigned int skip, unsigned int len)
{
	struct ubuf_info uarg = {
		HBC_COMPAT_UBUF_COMPLETE,
		.refcnt = REFCOUNT_INIT(1),
		.flags = SKBFL_SHARED_FRAG,
	};
	struct msghdr msg = {
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_ZEROCOPY,
		.msg_ubuf = &uarg,
		.sg_from_iter = hbc_compat_sg_from_iter,
	};

	/*
	 * A skb that is full, of bytes or of fragments, ends wherever that is. So what
	 * fills one does not share it.
	 */
	if (len > HBC_COMPAT_SKB_BYTES)
		msg.msg_flags |= MSG_EOR;
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bv, nr, len);
	msg.msg_iter.iov_offset = skip;
	return tcp_sendmsg(sock->sk, &msg, len);
}

#endif /* _HBC_COMPAT_SEND_H */
