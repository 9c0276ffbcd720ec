/* SPDX-License-Identifier: GPL-2.0 */
/* A node that is not reached, or does not keep a message: its parent serves its children. */
#ifndef _HBC_ADOPT_H
#define _HBC_ADOPT_H

struct hbc_child;
struct hbc_session;

/**
 * hbc_adopt() - the children of a child that cannot serve them become this node's own
 * @child: it; it is a leaf from now on, until the next plan
 *
 * Lanes to them begin; they say what they have, and get what they lack. Without memory nothing
 * changes, and it is tried again at the next look.
 *
 * plan_lock held. Return: 1 if children of the session have changed, 0 if it has none, -ENOMEM,
 * -E2BIG if this node would have too many.
 */
int hbc_adopt(struct hbc_child *child);
/* Parents are to serve this node's children. Context: process, no spinlocks. */
void hbc_adopt_ask(struct hbc_session *s);

#endif /* _HBC_ADOPT_H */
