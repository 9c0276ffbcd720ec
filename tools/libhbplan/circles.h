/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal: nodes of a graph, and circles of them that have become one. */
#ifndef HBPLAN_CIRCLES_H
#define HBPLAN_CIRCLES_H

#include <stddef.h>
#include <stdint.h>

/* Neither node nor circle; nor one of the arcs that lead to them. */
#define HBP_NIL		UINT32_MAX

/**
 * struct hbp_circles - circles, which may be in others
 * @n: number of nodes
 * @n_nodes: the same with all circles, which have the numbers from @n on
 * @rep: of each, another one towards the outermost circle that it is in
 * @above: the circle right above, HBP_NIL if there is none
 * @first: of each circle: a node or circle right below
 * @next: another one below the same circle, HBP_NIL for the last one
 */
struct hbp_circles {
	size_t n;
	size_t n_nodes;
	uint32_t *rep;
	uint32_t *above;
	uint32_t *first;
	uint32_t *next;
};

int hbp_circles_init(struct hbp_circles *c, size_t n);
void hbp_circles_clear(struct hbp_circles *c);
void hbp_circles_begin(struct hbp_circles *c);
uint32_t hbp_circles_add(struct hbp_circles *c);
void hbp_circles_put(struct hbp_circles *c, uint32_t below, uint32_t circle);
void hbp_circles_open(struct hbp_circles *c, uint32_t node, uint32_t *stack,
		      size_t *depth);

/**
 * hbp_circles_outermost() - find the outermost circle that a node is in
 * @c: the circles
 * @node: the node, or a circle
 *
 * Return: it; @node if it is in none.
 */
static inline uint32_t hbp_circles_outermost(struct hbp_circles *c, uint32_t node)
{
	while (c->rep[node] != node) {
		c->rep[node] = c->rep[c->rep[node]];
		node = c->rep[node];
	}
	return node;
}

#endif /* HBPLAN_CIRCLES_H */
