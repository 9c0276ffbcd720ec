// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays of nodes in ascending order of id. An element is anything whose first
 * member is a uint32_t id.
 */
#include <stdlib.h>
#include <string.h>

#include "node.h"

static uint32_t id_of(const void *node)
{
	uint32_t id;

	memcpy(&id, node, sizeof(id));
	return id;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = id_of(a), y = id_of(b);

	return (x > y) - (x < y);
}

/**
 * hbp_node_find() - index of the node with an id
 * @nodes: nodes in ascending order of id
 * @n: how many
 * @stride: size of an element
 * @id: the id
 *
 * Return: the index, HBP_NONE if there is no such node.
 */
size_t hbp_node_find(const void *nodes, size_t n, size_t stride, uint32_t id)
{
	const char *base = nodes;
	size_t low = 0, half;

	if (!n)
		return HBP_NONE;
	/* Ids often follow each other without a gap. */
	half = (size_t)id - id_of(base);
	if (half < n && id_of(base + half * stride) == id)
		return half;
	while (n > 1) {
		half = n / 2;
		low += id_of(base + (low + half) * stride) <= id ? half : 0;
		n -= half;
	}
	return id_of(base + low * stride) == id ? low : HBP_NONE;
}

/**
 * hbp_node_sort() - put nodes into ascending order of id
 * @nodes: the nodes
 * @n: how many
 * @stride: size of an element
 */
void hbp_node_sort(void *nodes, size_t n, size_t stride)
{
	if (n > 1)
		qsort(nodes, n, stride, compare);
}

/**
 * hbp_node_repeat() - does an id occur twice
 * @nodes: nodes in ascending order of id
 * @n: how many
 * @stride: size of an element
 * @id: receives the lowest id that does
 *
 * Return: true if one does.
 */
bool hbp_node_repeat(const void *nodes, size_t n, size_t stride, uint32_t *id)
{
	const char *at = nodes;
	size_t i;

	for (i = 1; i < n; i++) {
		*id = id_of(at + i * stride);
		if (id_of(at + (i - 1) * stride) == *id)
			return true;
	}
	return false;
}
