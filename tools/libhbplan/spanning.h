/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: the spanning tree of switches, and up-before-down ways over it. */
#ifndef HBPLAN_SPANNING_H
#define HBPLAN_SPANNING_H

#include <stddef.h>
#include <stdint.h>

#include "platform.h"

/**
 * struct hbp_spanning - a breadth-first spanning tree of switches
 * @n: number of nodes of the platform
 * @n_switches: number of switches in the tree
 * @postorder: these switches, every one behind its children; the root is last
 * @parent: of each switch; HBP_NONE for the root and for what is not in the tree
 * @level: of each switch, 0 for the root; HBP_NONE for what is not in the tree
 * @number: of each switch in the tree, its place in @postorder
 */
struct hbp_spanning {
	size_t n;
	size_t n_switches;
	size_t *postorder;
	size_t *parent;
	size_t *level;
	size_t *number;
};

struct hbp_spanning *hbp_spanning_alloc(const struct hbp_platform *platform);
void hbp_spanning_free(struct hbp_spanning *tree);
int hbp_spanning_ways(const struct hbp_platform *platform,
		      const struct hbp_spanning *tree, size_t from,
		      uint32_t *links);

#endif /* HBPLAN_SPANNING_H */
