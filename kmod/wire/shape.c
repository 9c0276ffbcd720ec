// SPDX-License-Identifier: GPL-2.0
/* The shape of a tree: its nodes in preorder, each with the number of its children. */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "wire/shape.h"
#include "wire/wire.h"

int hbc_shape_compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

u32 *hbc_shape_ids(const struct hbc_wire_node *nodes, u32 nr)
{
	u32 *ids = kvmalloc_array(nr, sizeof(*ids), GFP_KERNEL);
	u32 i;

	if (!ids)
		return NULL;
	for (i = 0; i < nr; i++)
		ids[i] = be32_to_cpu(nodes[i].node);
	sort(ids, nr, sizeof(*ids), hbc_shape_compare, NULL);
	return ids;
}

/* Whether every id occurs once: 0, -EEXIST, -ENOMEM. */
static int hbc_shape_once(const struct hbc_wire_node *nodes, u32 nr)
{
	u32 *ids = hbc_shape_ids(nodes, nr), i;
	int err = ids ? 0 : -ENOMEM;

	for (i = 1; ids && i < nr; i++)
		if (ids[i] == ids[i - 1])
			err = -EEXIST;
	kvfree(ids);
	return err;
}

/* Whether @nodes is one tree in preorder: 0, -EBADMSG, -ELOOP if too deep, -ENOMEM. */
static int hbc_shape_tree(const struct hbc_wire_node *nodes, u32 nr)
{
	u32 *left = kmalloc_array(HBC_MAX_DEPTH + 1, sizeof(*left), GFP_KERNEL);
	unsigned int depth = 0;
	int err = 0;
	u32 i;

	if (!left)
		return -ENOMEM;
	left[0] = 1;
	for (i = 0; i < nr && !err; i++) {
		while (depth && !left[depth])
			depth--;
		if (!left[depth])
			err = -EBADMSG;
		else if (depth == HBC_MAX_DEPTH && be32_to_cpu(nodes[i].nr_children))
			err = -ELOOP;
		left[depth]--;
		if (!err && be32_to_cpu(nodes[i].nr_children))
			left[++depth] = be32_to_cpu(nodes[i].nr_children);
	}
	while (depth && !left[depth])
		depth--;
	if (!err && left[depth])
		err = -EBADMSG;
	kfree(left);
	return err;
}

int hbc_shape_check(const struct hbc_wire_node *nodes, u32 nr, u32 self)
{
	if (!nr || nr > HBC_MAX_MEMBERS || be32_to_cpu(nodes[0].node) != self)
		return -EBADMSG;
	return hbc_shape_tree(nodes, nr) ?: hbc_shape_once(nodes, nr);
}

u32 hbc_shape_size(const struct hbc_wire_node *nodes, u32 first)
{
	u32 i = first, open = 1;

	while (open)
		open += be32_to_cpu(nodes[i++].nr_children) - 1;
	return i - first;
}

u64 hbc_shape_rate(const struct hbc_wire_node *nodes)
{
	u64 rate = U64_MAX;
	u32 at = 1, i;

	for (i = 0; i < be32_to_cpu(nodes[0].nr_children); i++) {
		rate = min(rate, be64_to_cpu(nodes[at].rate));
		at += hbc_shape_size(nodes, at);
	}
	return rate;
}
