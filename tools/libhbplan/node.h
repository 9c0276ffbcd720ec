/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What nodes of cost matrices, platforms and trees have in common: an id. */
#ifndef HBPLAN_NODE_H
#define HBPLAN_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not an index. */
#define HBP_NONE	SIZE_MAX

size_t hbp_node_find(const void *nodes, size_t n, size_t stride, uint32_t id);
void hbp_node_sort(void *nodes, size_t n, size_t stride);
bool hbp_node_repeat(const void *nodes, size_t n, size_t stride, uint32_t *id);

#endif /* HBPLAN_NODE_H */
