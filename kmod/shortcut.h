/* SPDX-License-Identifier: GPL-2.0 */
/* The shortcut: a short message goes on from softirq, before any work runs. */
#ifndef _HBC_SHORTCUT_H
#define _HBC_SHORTCUT_H

#include <linux/types.h>

struct hbc_lane;
struct hbc_receive;
struct sock;

#define HBC_SHORTCUT_EDGES	64	/* bits of hbc_receive.ahead */

/**
 * hbc_shortcut() - send a message of one fragment on to the children
 * @lane: a lane on which something has come
 * @sk: its socket
 *
 * If all that waits to be read is one such message, and nothing is on its way
 * through this node, the children whose sockets are free get it at once. It
 * stays where it is: the receive work reads it as any other, checks it,
 * delivers it, and leaves out the children that have it.
 *
 * What goes on unchecked is what a parent with the group's key has said; each
 * child checks it as this node does.
 *
 * Context: softirq, @sk's spinlock held. Takes those of the children's sockets
 * in it, always down the tree.
 * Return: whether some child has it, so that there is no hurry any more.
 */
bool hbc_shortcut(struct hbc_lane *lane, struct sock *sk);
/* Forget what was sent ahead. Context: the receive work, or instead of it. */
void hbc_shortcut_reset(struct hbc_receive *rx);

#endif /* _HBC_SHORTCUT_H */
