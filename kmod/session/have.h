/* SPDX-License-Identifier: GPL-2.0 */
/* What this node has of messages, as it tells parents. */
#ifndef _HBC_HAVE_H
#define _HBC_HAVE_H

#include <linux/types.h>

struct hbc_message;
struct hbc_parent;
struct hbc_session;
struct hbc_wire_have;

/* The header of HAVE or WANT of @m, with @n runs. Return: its length. Context: any. */
unsigned int hbc_have_put(const struct hbc_message *m, struct hbc_wire_have *w, u8 type, u8 tag,
			  unsigned int n);
/* HAVE of the next message of which something is here; then the end. session->lock held. */
unsigned int hbc_have_frame(struct hbc_parent *parent, struct hbc_wire_have *w);
/* It is said again from message @number on, unless another lane has taken the lane's place. */
void hbc_have_again(struct hbc_parent *parent, u64 number);
/* What was thrown away is wanted, perhaps: slot 0's parent is asked. session->lock held. */
void hbc_have_want(struct hbc_session *s);
/*
 * WANT of the next message of which data was thrown away, and somebody wants it now.
 * session->lock held.
 */
unsigned int hbc_have_want_frame(struct hbc_parent *parent, struct hbc_wire_have *w);

#endif /* _HBC_HAVE_H */
