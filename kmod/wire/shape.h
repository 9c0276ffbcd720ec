/* SPDX-License-Identifier: GPL-2.0 */
/* The shape of a tree: its nodes in preorder, each with the number of its children. */
#ifndef _HBC_SHAPE_H
#define _HBC_SHAPE_H

#include <linux/types.h>

struct hbc_wire_node;

/*
 * Whether @nr @nodes are one tree whose first node is @self, each node once: 0,
 * -EBADMSG, -EEXIST, -ELOOP if it is too deep, -ENOMEM. Context: process.
 */
int hbc_shape_check(const struct hbc_wire_node *nodes, u32 nr, u32 self);
/* Nodes in the subtree that begins at @first; the shape is checked. Context: any. */
u32 hbc_shape_size(const struct hbc_wire_node *nodes, u32 first);
/* The ids of @nr @nodes in ascending order, for kvfree(); NULL without memory. Context: process. */
u32 *hbc_shape_ids(const struct hbc_wire_node *nodes, u32 nr);
/* For sort() and bsearch(): ids, or what begins with one, in ascending order. */
int hbc_shape_compare(const void *a, const void *b);

/* The planned rate of the slowest edge that leaves the root, or 0 if one has none. Context: any. */
u64 hbc_shape_rate(const struct hbc_wire_node *nodes);

#endif /* _HBC_SHAPE_H */
