/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: transfer trees traced one after the other on what links have left. */
#ifndef HBPLAN_TRACE_H
#define HBPLAN_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "planners.h"
#include "platform.h"
#include "tree.h"
#include "ways.h"

/**
 * struct hbp_trace - transfer trees being built (paper 003, algorithm 1)
 * @platform: the platform
 * @ways: its routes
 * @root: index of the root
 * @left: bandwidth that each link has left, bit/s
 * @uses: how often each link is passed by the tree traced last
 * @used: those links
 * @n_used: how many
 * @hosts: hosts in the order of the last walk, the root first
 * @n: how many
 * @stack: used while a tree is traced
 */
struct hbp_trace {
	const struct hbp_platform *platform;
	struct hbp_ways *ways;
	size_t root;
	int64_t *left;
	uint32_t *uses;
	size_t *used;
	size_t n_used;
	size_t *hosts;
	size_t n;
	size_t *stack;
};

/* Adds trees to a plan by tracing them. */
typedef int (*hbp_trace_fill)(const struct hbp_request *rq,
			      struct hbp_trace *trace, struct hbp_plan *plan,
			      struct hbp_error *err);

struct hbp_trace *hbp_trace_alloc(const struct hbp_platform *platform,
				  size_t root);
void hbp_trace_free(struct hbp_trace *trace);
int hbp_trace_visit(struct hbp_trace *trace, struct hbp_error *err);
int hbp_trace_tree(struct hbp_trace *trace, struct hbp_tree *tree,
		   struct hbp_error *err);
int64_t hbp_trace_rate(const struct hbp_trace *trace);
int64_t hbp_trace_take(struct hbp_trace *trace, int64_t rate);
int hbp_trace_plan(const struct hbp_request *rq, hbp_trace_fill fill,
		   struct hbp_plan *plan, struct hbp_error *err);

#endif /* HBPLAN_TRACE_H */
