/* SPDX-License-Identifier: GPL-2.0 */
/* Calls around the operations of a generic netlink family, and why one is refused. */
#ifndef _HBC_COMPAT_NETLINK_H
#define _HBC_COMPAT_NETLINK_H

#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/skbuff.h>
#include <linux/string.h>

#ifdef HBC_HAVE_GENL_SPLIT_OPS
#define hbc_compat_genl_ops	genl_split_ops
#else
#define hbc_compat_genl_ops	genl_ops
#endif

/* Why a request is refused: a literal sentence. Return: @err. */
#define hbc_refuse(extack, err, text) ({	\
	NL_SET_ERR_MSG(extack, text);		\
	(err);					\
})

/**
 * hbc_compat_err_msg() - say why a request is refused
 * @skb: the request
 * @extack: of the request
 * @text: at most 79 characters, copied
 *
 * Before 6.2 extack holds nothing but a pointer, which is read after the
 * operation has returned. So the text goes into a page that lives and dies
 * with the request as its (empty) fragment; without memory nothing is said. A
 * request of more than a page is freed without its fragments, so there it
 * cannot be.
 *
 * Context: process, an operation of a generic netlink family.
 */
#ifdef NL_SET_ERR_MSG_FMT
static inline void hbc_compat_err_msg(struct sk_buff *skb, struct netlink_ext_ack *extack,
				      const char *text)
{
	NL_SET_ERR_MSG_FMT(extack, "%s", text);
}
#else
static inline void hbc_compat_err_msg(struct sk_buff *skb, struct netlink_ext_ack *extack,
				      const char *text)
{
	struct page *page;

	if (is_vmalloc_addr(skb->head)) {
		NL_SET_ERR_MSG(extack, "refused; ask in a message of its own to be told why");
		return;
	}
	/* A request with several operations needs no more than one page. */
	if (!skb_shinfo(skb)->nr_frags) {
		page = alloc_page(GFP_KERNEL);
		if (!page)
			return;
		skb_fill_page_desc(skb, 0, page, 0, 0);
	}
	page = skb_frag_page(&skb_shinfo(skb)->frags[0]);
	strscpy(page_address(page), text, PAGE_SIZE);
	extack->_msg = page_address(page);
}
#endif

#endif /* _HBC_COMPAT_NETLINK_H */
