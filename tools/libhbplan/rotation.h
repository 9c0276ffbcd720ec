/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: an HNOW's hosts in postorder, turned so that a source comes first. */
#ifndef HBPLAN_ROTATION_H
#define HBPLAN_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"
#include "planners.h"
#include "tree.h"

/**
 * struct hbp_rotation - hosts in a row, and how fast they are
 * @in: an HNOW, whose members' places are the hosts' numbers
 * @n: number of hosts
 * @list: the hosts
 * @type: of each host, the number of its type of speed, 0 for the fastest
 * @n_types: number of types
 */
struct hbp_rotation {
	const struct hbp_input *in;
	size_t n;
	size_t *list;
	size_t *type;
	size_t n_types;
};

int hbp_rotation_init(struct hbp_rotation *rotation, const struct hbp_input *in,
		      uint64_t bytes, bool sorted, struct hbp_error *err);
void hbp_rotation_clear(struct hbp_rotation *rotation);
int hbp_rotation_turn(size_t *list, size_t n, size_t head, struct hbp_error *err);

/* Adds the edges of a scheduling tree of some hosts in a row, whose first has it. */
typedef int (*hbp_scheduler)(const struct hbp_rotation *rotation, size_t *list,
			     size_t n, struct hbp_tree *tree,
			     struct hbp_error *err);

int hbp_rotation_plan(const struct hbp_request *rq, bool sorted,
		      hbp_scheduler schedule, struct hbp_plan *plan,
		      struct hbp_error *err);

int hbp_schedule_doubling(const struct hbp_rotation *rotation, size_t *list,
			  size_t n, struct hbp_tree *tree, struct hbp_error *err);
int hbp_schedule_ebs(const struct hbp_rotation *rotation, size_t *list, size_t n,
		     struct hbp_tree *tree, struct hbp_error *err);
int hbp_schedule_vbbs(const struct hbp_rotation *rotation, size_t *list, size_t n,
		      struct hbp_tree *tree, struct hbp_error *err);

#endif /* HBPLAN_ROTATION_H */
