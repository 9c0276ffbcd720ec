/* SPDX-License-Identifier: GPL-2.0 */
/* Forwarding: a burst onto the queue of every child. */
#ifndef _HBC_FORWARD_H
#define _HBC_FORWARD_H

struct hbc_burst;
struct hbc_tree;

/* Queue @b on every child of @tree; sends nothing yet. Context: process. */
void hbc_forward_queue(struct hbc_tree *tree, struct hbc_burst *b);
/* Send what is queued at the children of @tree. Context: process. */
void hbc_forward_send(struct hbc_tree *tree);

#endif /* _HBC_FORWARD_H */
