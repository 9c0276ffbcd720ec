// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes of a graph, and circles of them that have become one. */
#include <errno.h>
#include <stdlib.h>

#include "circles.h"

/**
 * hbp_circles_init() - prepare for circles of some nodes
 * @c: to be filled; released with hbp_circles_clear(), also if there was no memory
 * @n: number of nodes, from 1
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_circles_init(struct hbp_circles *c, size_t n)
{
	/* A circle is of at least two. */
	size_t room = 2 * n;

	c->n = n;
	c->rep = calloc(room, sizeof(*c->rep));
	c->above = calloc(room, sizeof(*c->above));
	c->first = calloc(room, sizeof(*c->first));
	c->next = calloc(room, sizeof(*c->next));
	return c->rep && c->above && c->first && c->next ? 0 : -ENOMEM;
}

/**
 * hbp_circles_clear() - release what hbp_circles_init() has made
 * @c: the circles
 */
void hbp_circles_clear(struct hbp_circles *c)
{
	free(c->rep);
	free(c->above);
	free(c->first);
	free(c->next);
}

/**
 * hbp_circles_begin() - forget all circles
 * @c: the circles
 */
void hbp_circles_begin(struct hbp_circles *c)
{
	size_t i;

	c->n_nodes = c->n;
	for (i = 0; i < c->n; i++) {
		c->rep[i] = (uint32_t)i;
		c->above[i] = HBP_NIL;
	}
}

/**
 * hbp_circles_add() - begin a circle
 * @c: the circles
 *
 * Return: its number; nobody is in it yet.
 */
uint32_t hbp_circles_add(struct hbp_circles *c)
{
	uint32_t circle = (uint32_t)c->n_nodes++;

	c->rep[circle] = circle;
	c->above[circle] = HBP_NIL;
	c->first[circle] = HBP_NIL;
	return circle;
}

/**
 * hbp_circles_put() - put somebody into a circle
 * @c: the circles
 * @below: a node or circle that is in no other
 * @circle: the circle, which is in no other
 */
void hbp_circles_put(struct hbp_circles *c, uint32_t below, uint32_t circle)
{
	c->rep[below] = circle;
	c->above[below] = circle;
	c->next[below] = c->first[circle];
	c->first[circle] = below;
}

/**
 * hbp_circles_open() - open the circles around a node
 * @c: the circles; all around the node, which is reached from outside of them, are
 *	dissolved
 * @node: the node
 * @stack: receives the other circles right below them
 * @depth: how many are on the stack
 */
void hbp_circles_open(struct hbp_circles *c, uint32_t node, uint32_t *stack,
		      size_t *depth)
{
	uint32_t circle, below;

	while ((circle = c->above[node]) != HBP_NIL) {
		for (below = c->first[circle]; below != HBP_NIL;
		     below = c->next[below]) {
			c->above[below] = HBP_NIL;
			if (below >= c->n && below != node)
				stack[(*depth)++] = below;
		}
		node = circle;
	}
}
