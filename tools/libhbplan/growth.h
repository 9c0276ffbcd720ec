/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: trees that grow from the root, one node after the other. */
#ifndef HBPLAN_GROWTH_H
#define HBPLAN_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "pair.h"
#include "planners.h"

/**
 * struct hbp_growth - a tree that grows from the root
 * @n: number of nodes
 * @root: the root
 * @reached: number of nodes in @order
 * @order: the nodes of the tree as they came, first the root
 * @placed: is a node in the tree
 * @parent: of each node of the tree but the root
 * @when: time at which each node of the tree has the message, in nanoseconds
 */
struct hbp_growth {
	size_t n;
	size_t root;
	size_t reached;
	size_t *order;
	bool *placed;
	size_t *parent;
	int64_t *when;
};

int hbp_growth_init(struct hbp_growth *g, size_t n, size_t root,
		    struct hbp_error *err);
void hbp_growth_free(struct hbp_growth *g);
void hbp_growth_place(struct hbp_growth *g, size_t from, size_t to, int64_t when);

/**
 * typedef hbp_grow_fn - grows a tree until it spans all nodes
 * @g: a tree of the root alone
 * @pairs: what pairs cost
 * @err: receives the reason of a failure
 *
 * Return: 0 or a negative errno value.
 */
typedef int (*hbp_grow_fn)(struct hbp_growth *g, const struct hbp_pairs *pairs,
			   struct hbp_error *err);

int hbp_growth_plan(const struct hbp_request *rq, bool distances,
		    hbp_grow_fn grow, struct hbp_plan *plan,
		    struct hbp_error *err);

int hbp_growth_earliest(struct hbp_growth *g, const struct hbp_pairs *pairs,
			const bool *skip, bool look_ahead,
			struct hbp_error *err);
int hbp_growth_nearest(struct hbp_growth *g, const struct hbp_pairs *pairs,
		       bool or_flat, struct hbp_error *err);

#endif /* HBPLAN_GROWTH_H */
