/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: graphs that lose edges until a tree is left. */
#ifndef HBPLAN_PRUNE_H
#define HBPLAN_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planners.h"
#include "steady.h"

/**
 * struct hbp_prune - a graph whose root reaches all nodes
 * @steady: who can send to whom
 * @root: number of the root
 * @there: of each arc, whether it is left
 * @first: of each node, its first arc; one entry more
 * @into: of each node, an arc of some tree; HBP_NONE for the root
 * @found: likewise, of the tree being looked for
 * @queue: used while one is looked for
 */
struct hbp_prune {
	const struct hbp_steady *steady;
	size_t root;
	bool *there;
	size_t *first;
	size_t *into;
	size_t *found;
	size_t *queue;
};

int hbp_prune_begin(struct hbp_prune *prune, const struct hbp_steady *steady,
		    size_t root, const int64_t *parts, struct hbp_error *err);
void hbp_prune_end(struct hbp_prune *prune);
bool hbp_prune_arc(struct hbp_prune *prune, size_t arc);
int hbp_prune_heaviest(struct hbp_prune *prune, const int64_t *weights,
		       struct hbp_error *err);
int hbp_prune_tree(const struct hbp_prune *prune, const uint32_t *ids,
		   struct hbp_plan *plan, struct hbp_error *err);

#endif /* HBPLAN_PRUNE_H */
