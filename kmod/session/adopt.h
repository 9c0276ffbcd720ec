/* SPDX-License-Identifier: GPL-2.0 */
/* A node that is not reached: its parent serves its children. */
#ifndef _HBC_ADOPT_H
#define _HBC_ADOPT_H

struct hbc_child;

/**
 * hbc_adopt() - the children of a child that is not reached become this node's own
 * @child: it; it is a leaf from now on, until the next plan
 *
 * Lanes to them begin; they say what they have, and get what they lack. Without memory nothing
 * changes, and it is tried again at the next look.
 *
 * plan_lock held. Return: 1 if children of the session have changed, 0 if it has none, -ENOMEM,
 * -E2BIG if this node would have too many.
 */
int hbc_adopt(struct hbc_child *child);

#endif /* _HBC_ADOPT_H */
