/* SPDX-License-Identifier: GPL-2.0 */
/* A reader's buffer. */
#ifndef _HBC_COMPAT_USER_H
#define _HBC_COMPAT_USER_H

#include <linux/instrumented.h>
#include <linux/minmax.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#ifdef iter_iov_addr
#define hbc_compat_iovec(iter)	iter_iov(iter)
#else
#define hbc_compat_iovec(iter)	((iter)->iov)
#endif

/**
 * hbc_compat_user_span() - what comes next of a buffer
 * @to: the buffer
 * @len: at most so many bytes; set to how many lie together and may be written
 *
 * Return: where they are; without meaning if there are none, as in a buffer that
 * is not the user's.
 */
static inline void __user *hbc_compat_user_span(const struct iov_iter *to, size_t *len)
{
	const struct iovec *iov;
	void __user *at = NULL;

	if (iter_is_ubuf(to)) {
		at = to->ubuf + to->iov_offset;
		*len = min(*len, to->count);
	} else if (iter_is_iovec(to)) {
		iov = hbc_compat_iovec(to);
		at = iov->iov_base + to->iov_offset;
		*len = min3(*len, to->count, iov->iov_len - to->iov_offset);
	} else {
		*len = 0;
	}
	if (!access_ok(at, *len))
		*len = 0;
	return at;
}

/*
 * Copies @len bytes to a part of what hbc_compat_user_span() gave. Return: how many
 * were not copied. _copy_to_iter() finds the place again for each fragment, which
 * takes several times what is left here. @from lies in pages, not in an object that
 * a hardened copy_to_user() could know the size of. Context: process, may sleep.
 */
static inline u32 hbc_compat_copy_out(void __user *to, const void *from, u32 len)
{
	instrument_copy_to_user(to, from, len);
	return raw_copy_to_user(to, from, len);
}

#endif /* _HBC_COMPAT_USER_H */
