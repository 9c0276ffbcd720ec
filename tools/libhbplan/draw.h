/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees drawn as text and for Graphviz. */
#ifndef HBPLAN_DRAW_H
#define HBPLAN_DRAW_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"
#include "plan.h"

/**
 * typedef hbp_label_fn - writes what is drawn beside a node's id
 * @arg: what the caller of the drawing function gave
 * @id: the node
 * @buf: receives the text, empty for nothing
 * @len: room in @buf
 */
typedef void (*hbp_label_fn)(void *arg, uint32_t id, char *buf, size_t len);

int hbp_draw_text(const struct hbp_plan *plan, hbp_label_fn label, void *arg,
		  FILE *out, struct hbp_error *err);
int hbp_draw_dot(const struct hbp_plan *plan, hbp_label_fn label, void *arg,
		 FILE *out, struct hbp_error *err);

#endif /* HBPLAN_DRAW_H */
