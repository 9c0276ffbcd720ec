// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The spanning tree of switches, and up-before-down ways over it (paper 004,
 * section 2.2.1).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "node.h"
#include "spanning.h"

/**
 * hbp_spanning_free() - release a spanning tree
 * @tree: the tree or NULL
 */
void hbp_spanning_free(struct hbp_spanning *tree)
{
	if (!tree)
		return;
	free(tree->postorder);
	free(tree->parent);
	free(tree->level);
	free(tree->number);
	free(tree);
}

/* The switch with the most links, of several the one with the lowest id. */
static size_t pick_root(const struct hbp_platform *platform)
{
	size_t i, links, most = 0, root = HBP_NONE;

	for (i = 0; i < platform->n; i++) {
		links = platform->first[i + 1] - platform->first[i];
		if (!platform->nodes[i].host && links > most) {
			most = links;
			root = i;
		}
	}
	return root;
}

/* Breadth-first, neighbours in ascending order of id. */
static void search(const struct hbp_platform *platform,
		   struct hbp_spanning *tree, size_t root, size_t *queue)
{
	size_t head, tail = 0, link, at, to;

	tree->level[root] = 0;
	queue[tail++] = root;
	for (head = 0; head < tail; head++) {
		at = queue[head];
		for (link = platform->first[at]; link < platform->first[at + 1];
		     link++) {
			to = platform->links[link].to;
			if (platform->nodes[to].host ||
			    tree->level[to] != HBP_NONE)
				continue;
			tree->level[to] = tree->level[at] + 1;
			tree->parent[to] = at;
			queue[tail++] = to;
		}
	}
	tree->n_switches = tail;
}

/*
 * Numbers in postorder. The search meets the children of a switch in ascending
 * order and parents first, so the sizes of subtrees tell each its place: a
 * subtree ends with its root, and those of the children stand before that in
 * their order.
 */
static void put_in_postorder(struct hbp_spanning *tree, const size_t *queue,
			     size_t *size, size_t *next)
{
	size_t i, at, up;

	for (i = 0; i < tree->n_switches; i++)
		size[queue[i]] = 1;
	for (i = tree->n_switches; i-- > 1;)
		size[tree->parent[queue[i]]] += size[queue[i]];
	for (i = 0; i < tree->n_switches; i++) {
		at = queue[i];
		up = tree->parent[at];
		/* Where its subtree begins, and so the first child's. */
		next[at] = up == HBP_NONE ? 0 : next[up];
		if (up != HBP_NONE)
			next[up] += size[at];
		tree->number[at] = next[at] + size[at] - 1;
		tree->postorder[tree->number[at]] = at;
	}
}

/**
 * hbp_spanning_alloc() - find the spanning tree of a platform's switches
 * @platform: a platform in which each link has one back, with a link that a
 *	switch has
 *
 * Paper 004, sections 2.1.1 and 4.2: breadth-first from the switch of maximal
 * degree. Links to hosts count; of equal degrees the lowest id is the root.
 * Neighbours are met in ascending order of id.
 *
 * Return: the tree, to be released with hbp_spanning_free(), or NULL if memory
 * has run out.
 */
struct hbp_spanning *hbp_spanning_alloc(const struct hbp_platform *platform)
{
	struct hbp_spanning *tree = calloc(1, sizeof(*tree));
	size_t n = platform->n, i;
	size_t *queue = calloc(n, sizeof(*queue));
	size_t *size = calloc(n, sizeof(*size));
	size_t *next = calloc(n, sizeof(*next));
	bool good = tree && queue && size && next;

	if (good) {
		tree->n = n;
		tree->postorder = calloc(n, sizeof(*tree->postorder));
		tree->parent = calloc(n, sizeof(*tree->parent));
		tree->level = calloc(n, sizeof(*tree->level));
		tree->number = calloc(n, sizeof(*tree->number));
		good = tree->postorder && tree->parent && tree->level &&
		       tree->number;
	}
	if (good) {
		for (i = 0; i < n; i++) {
			tree->parent[i] = HBP_NONE;
			tree->level[i] = HBP_NONE;
		}
		search(platform, tree, pick_root(platform), queue);
		put_in_postorder(tree, queue, size, next);
	} else {
		hbp_spanning_free(tree);
		tree = NULL;
	}
	free(queue);
	free(size);
	free(next);
	return tree;
}

/* Does the way from one switch to a neighbour lead up? */
static bool leads_up(const struct hbp_spanning *tree, size_t from, size_t to)
{
	if (tree->level[from] != tree->level[to])
		return tree->level[from] > tree->level[to];
	return tree->number[from] > tree->number[to];
}

/*
 * Breadth-first over states: a switch, and whether the way there has led down.
 * Steps are one more than links, 0 for a state that has not been met.
 */
static void search_ways(const struct hbp_platform *platform,
			const struct hbp_spanning *tree, uint32_t *steps,
			size_t *queue, size_t tail)
{
	size_t head, link, at, to, state;
	bool down;

	for (head = 0; head < tail; head++) {
		at = queue[head] / 2;
		for (link = platform->first[at]; link < platform->first[at + 1];
		     link++) {
			to = platform->links[link].to;
			if (platform->nodes[to].host)
				continue;
			down = !leads_up(tree, at, to);
			state = 2 * to + down;
			if ((!down && (queue[head] & 1)) || steps[state])
				continue;
			steps[state] = steps[queue[head]] + 1;
			queue[tail++] = state;
		}
	}
}

/**
 * hbp_spanning_ways() - the shortest ways from a switch that go up before down
 * @platform: the platform
 * @tree: its spanning tree
 * @from: index of a switch in the tree
 * @links: receives the number of links for each switch in the tree
 *
 * Relaxed up-first routing: both the tree's links and cross edges may be used,
 * but none that leads up after one that leads down. A link leads up if it leads
 * to a lower level, or to a lower number in postorder on the same level.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_spanning_ways(const struct hbp_platform *platform,
		      const struct hbp_spanning *tree, size_t from,
		      uint32_t *links)
{
	uint32_t *steps = calloc(2 * tree->n, sizeof(*steps));
	size_t *queue = calloc(2 * tree->n, sizeof(*queue));
	int ret = steps && queue ? 0 : -ENOMEM;
	uint32_t up, down;
	size_t i;

	if (!ret) {
		steps[2 * from] = 1;
		queue[0] = 2 * from;
		search_ways(platform, tree, steps, queue, 1);
	}
	for (i = 0; !ret && i < tree->n; i++) {
		up = steps[2 * i];
		down = steps[2 * i + 1];
		if (up || down)
			links[i] = (up && (!down || up < down) ? up : down) - 1;
	}
	free(steps);
	free(queue);
	return ret;
}
