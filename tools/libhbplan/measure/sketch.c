// SPDX-License-Identifier: GPL-2.0-or-later
/* A network as tests show it: a tree of hosts and switches. */
#include <stdlib.h>

#include "measure/sketch.h"
#include "node.h"

/**
 * hbp_sketch_alloc() - room for a tree
 * @n_hosts: number of hosts, at least 2
 *
 * Return: a tree of @n_hosts nodes, none of which has a parent yet, to be released
 * with hbp_sketch_free(), or NULL if memory has run out.
 */
struct hbp_sketch *hbp_sketch_alloc(size_t n_hosts)
{
	struct hbp_sketch *sketch = calloc(1, sizeof(*sketch));
	size_t i;

	if (!sketch)
		return NULL;
	sketch->nodes = calloc(2 * n_hosts, sizeof(*sketch->nodes));
	if (!sketch->nodes) {
		free(sketch);
		return NULL;
	}
	sketch->n_hosts = n_hosts;
	sketch->n = n_hosts;
	for (i = 0; i < 2 * n_hosts; i++)
		sketch->nodes[i].parent = HBP_NONE;
	return sketch;
}

/**
 * hbp_sketch_free() - release a tree
 * @sketch: the tree or NULL
 */
void hbp_sketch_free(struct hbp_sketch *sketch)
{
	if (!sketch)
		return;
	free(sketch->nodes);
	free(sketch);
}

/**
 * hbp_sketch_deepen() - find depths
 * @sketch: a tree whose parents are set
 */
void hbp_sketch_deepen(struct hbp_sketch *sketch)
{
	size_t i, at;

	for (i = 0; i < sketch->n; i++) {
		sketch->nodes[i].depth = 0;
		for (at = i; at; at = sketch->nodes[at].parent)
			sketch->nodes[i].depth++;
	}
}

/**
 * hbp_sketch_path() - the way between two nodes
 * @sketch: the tree
 * @from: a node
 * @to: another one
 * @arcs: room for two more than there are nodes; receives them, but not in their order
 *
 * Return: how many there are.
 */
size_t hbp_sketch_path(const struct hbp_sketch *sketch, size_t from, size_t to,
		       size_t *arcs)
{
	const struct hbp_sketch_node *nodes = sketch->nodes;
	size_t n = 0;

	if (nodes[from].shared)
		arcs[n++] = hbp_arc_both(sketch, from);
	if (nodes[to].shared)
		arcs[n++] = hbp_arc_both(sketch, to);
	while (from != to) {
		if (nodes[from].depth >= nodes[to].depth) {
			arcs[n++] = hbp_arc(from, HBP_UP);
			from = nodes[from].parent;
		} else {
			arcs[n++] = hbp_arc(to, HBP_DOWN);
			to = nodes[to].parent;
		}
	}
	return n;
}

/**
 * hbp_sketch_rtt() - the round trip between two nodes
 * @sketch: the tree
 * @a: a node
 * @b: another one
 *
 * Return: the sum of the links' parts in microseconds.
 */
double hbp_sketch_rtt(const struct hbp_sketch *sketch, size_t a, size_t b)
{
	const struct hbp_sketch_node *nodes = sketch->nodes;
	size_t *lower;
	double us = 0;

	while (a != b) {
		lower = nodes[a].depth >= nodes[b].depth ? &a : &b;
		us += nodes[*lower].rtt_us;
		*lower = nodes[*lower].parent;
	}
	return us;
}

/**
 * hbp_sketch_below() - whether a node is on the lower side of a link
 * @sketch: the tree
 * @node: the link's lower node
 * @at: the node that is looked for
 *
 * Return: whether @at is @node or below it.
 */
bool hbp_sketch_below(const struct hbp_sketch *sketch, size_t node, size_t at)
{
	while (sketch->nodes[at].depth > sketch->nodes[node].depth)
		at = sketch->nodes[at].parent;
	return at == node;
}

/**
 * hbp_sketch_inner() - whether a link joins two switches
 * @sketch: the tree
 * @node: the link's lower node, not 0
 *
 * Return: whether it does.
 */
bool hbp_sketch_inner(const struct hbp_sketch *sketch, size_t node)
{
	return node >= sketch->n_hosts &&
	       sketch->nodes[node].parent >= sketch->n_hosts;
}

/**
 * hbp_sketch_degree() - how many links a node has
 * @sketch: the tree
 * @node: the node
 *
 * Return: how many.
 */
size_t hbp_sketch_degree(const struct hbp_sketch *sketch, size_t node)
{
	size_t i, n = node != 0;

	for (i = 1; i < sketch->n; i++)
		n += sketch->nodes[i].parent == node;
	return n;
}

/**
 * hbp_sketch_neighbour() - what a host is joined to
 * @sketch: the tree, whose hosts are leaves
 * @host: the host
 *
 * Return: a switch, or the other host where there are two and nothing else.
 */
size_t hbp_sketch_neighbour(const struct hbp_sketch *sketch, size_t host)
{
	size_t i;

	if (host)
		return sketch->nodes[host].parent;
	for (i = 1; i < sketch->n; i++)
		if (!sketch->nodes[i].parent)
			return i;
	return HBP_NONE;
}

/**
 * hbp_sketch_host_arc() - the arc of a host's own link
 * @sketch: the tree, whose hosts are leaves
 * @host: the host
 * @sends: what leaves it, or else what comes to it
 *
 * Return: the arc's number.
 */
size_t hbp_sketch_host_arc(const struct hbp_sketch *sketch, size_t host, bool sends)
{
	size_t lower = host ? host : hbp_sketch_neighbour(sketch, 0);

	return hbp_arc(lower, sends == !!host ? HBP_UP : HBP_DOWN);
}

/**
 * hbp_sketch_host_mbps() - the capacity of a host's own link
 * @sketch: the tree, whose hosts are leaves
 * @host: the host
 * @sends: what leaves it, or else what comes to it
 *
 * Return: Mbit/s; 0 where that is not known.
 */
double hbp_sketch_host_mbps(const struct hbp_sketch *sketch, size_t host, bool sends)
{
	return hbp_sketch_capacity(sketch, hbp_sketch_host_arc(sketch, host, sends))->mbps;
}

/**
 * hbp_sketch_capacity() - the capacity of an arc
 * @sketch: the tree
 * @arc: its number
 *
 * Return: owned by the tree.
 */
struct hbp_capacity *hbp_sketch_capacity(const struct hbp_sketch *sketch, size_t arc)
{
	struct hbp_sketch_node *node = &sketch->nodes[hbp_arc_node(sketch, arc)];

	if (hbp_arc_is_both(sketch, arc))
		return &node->both;
	return &node->link[arc % 2 ? HBP_DOWN : HBP_UP];
}

/**
 * hbp_sketch_contract() - make one switch of two
 * @sketch: the tree
 * @node: the lower one of two switches that are joined; the last switch gets its
 *	number
 */
void hbp_sketch_contract(struct hbp_sketch *sketch, size_t node)
{
	size_t parent = sketch->nodes[node].parent, last = sketch->n - 1, i;

	for (i = 1; i < sketch->n; i++)
		if (sketch->nodes[i].parent == node)
			sketch->nodes[i].parent = parent;
	sketch->nodes[node] = sketch->nodes[last];
	for (i = 1; i < last; i++)
		if (sketch->nodes[i].parent == last)
			sketch->nodes[i].parent = node;
	sketch->n--;
	hbp_sketch_deepen(sketch);
}

/**
 * hbp_sketch_split() - put a new switch between a switch and some of its neighbours
 * @sketch: the tree
 * @at: the switch
 * @side: those neighbours
 * @n: how many, at least 2 and fewer than @at has
 *
 * The link between the two switches is not tested, and takes no time.
 */
void hbp_sketch_split(struct hbp_sketch *sketch, size_t at, const size_t *side,
		      size_t n)
{
	struct hbp_sketch_node *nodes = sketch->nodes;
	size_t new = sketch->n++, above = nodes[at].parent, i;

	nodes[new] = (struct hbp_sketch_node){ .parent = at, .hidden = true };
	for (i = 0; i < n; i++) {
		if (side[i] != above) {
			nodes[side[i]].parent = new;
			continue;
		}
		/* The new one is the upper one, and its link that of the old one. */
		nodes[new] = nodes[at];
		nodes[at] = (struct hbp_sketch_node){ .parent = new, .hidden = true };
	}
	hbp_sketch_deepen(sketch);
}
