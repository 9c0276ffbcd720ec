/* SPDX-License-Identifier: GPL-2.0 */
/* Pages to a TCP socket without copying. */
#ifndef _HBC_COMPAT_SEND_H
#define _HBC_COMPAT_SEND_H

#include <linux/bvec.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

/**
 * hbc_compat_send_locked() - send a vector of pages
 * @sk: TCP socket that the caller owns, or whose spinlock he holds in softirq
 * @bv: pages; TCP takes its own references
 * @nr: entries of @bv
 * @skip: bytes of @bv to leave out at the front
 * @len: bytes in @bv, @skip included
 * @flags: MSG_DONTWAIT, MSG_MORE, MSG_NOSIGNAL
 *
 * Return: bytes taken, or a negative errno if there were none.
 */
#ifdef HBC_HAVE_SENDPAGE
static inline int hbc_compat_send_locked(struct sock *sk, struct bio_vec *bv, unsigned int nr,
					 unsigned int skip, unsigned int len, int flags)
{
	int more = flags | MSG_MORE | MSG_SENDPAGE_NOTLAST;
	int sent = 0, err = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		unsigned int n = bv[i].bv_len;

		if (skip >= n) {
			skip -= n;
			continue;
		}
		n -= skip;
		err = kernel_sendpage_locked(sk, bv[i].bv_page, bv[i].bv_offset + skip, n,
					     i + 1 < nr ? more : flags);
		if (err <= 0)
			break;
		sent += err;
		if (err < n)
			break;
		skip = 0;
	}
	return sent ?: err;
}
#else
#define HBC_COMPAT_SKB_BYTES	(MAX_SKB_FRAGS * PAGE_SIZE / 2)

static inline int hbc_compat_send_locked(struct sock *sk, struct bio_vec *bv, unsigned int nr,
					 unsigned int skip, unsigned int len, int flags)
{
	struct msghdr msg = { .msg_flags = flags | MSG_SPLICE_PAGES };

	/*
	 * TCP makes each page a piece of its own, and a skb that has as many as it
	 * can hold ends wherever that is. So what fills a skb does not share it.
	 */
	if (len > HBC_COMPAT_SKB_BYTES)
		msg.msg_flags |= MSG_EOR;
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bv, nr, len);
	iov_iter_advance(&msg.msg_iter, skip);
	return tcp_sendmsg_locked(sk, &msg, len - skip);
}
#endif

/* The same for a socket that is free. Context: process, may sleep for its lock. */
static inline int hbc_compat_send(struct socket *sock, struct bio_vec *bv, unsigned int nr,
				  unsigned int skip, unsigned int len, int flags)
{
	int n;

	lock_sock(sock->sk);
	n = hbc_compat_send_locked(sock->sk, bv, nr, skip, len, flags);
	release_sock(sock->sk);
	return n;
}

#endif /* _HBC_COMPAT_SEND_H */
