/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: trees that grow by the best edge, for steady states. */
#ifndef HBPLAN_GROW_H
#define HBPLAN_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planners.h"
#include "steady.h"

/**
 * struct hbp_grow - a tree that grows
 * @steady: who can send to whom
 * @ns: of each arc, how long a transfer takes
 * @parts: of each arc, how much it carries in the best set of trees, or NULL
 * @placed: of each node, whether it is in the tree
 * @sum_ns: of each node, its transfers one after the other
 * @literal_ns: the same as the slides' update counts them
 * @most_ns: of each node, its longest transfer
 * @n_children: of each node
 * @least_ns: of each node, the shortest transfer that it can do
 */
struct hbp_grow {
	const struct hbp_steady *steady;
	int64_t *ns;
	int64_t *parts;
	bool *placed;
	int64_t *sum_ns;
	int64_t *literal_ns;
	int64_t *most_ns;
	size_t *n_children;
	int64_t *least_ns;
};

/* What an arc would cost as the next; the smallest is taken. */
typedef int64_t (*hbp_grow_key)(const struct hbp_grow *grow, size_t arc);

int hbp_grow_tree(const struct hbp_request *rq, const struct hbp_steady *steady,
		  int64_t *parts, hbp_grow_key key, struct hbp_plan *plan,
		  struct hbp_error *err);
int hbp_grow_plan(const struct hbp_request *rq, hbp_grow_key key,
		  struct hbp_plan *plan, struct hbp_error *err);

#endif /* HBPLAN_GROW_H */
