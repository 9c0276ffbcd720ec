// SPDX-License-Identifier: GPL-2.0-or-later
/* Hosts in the order in which a depth-first walk meets them. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "visit.h"

struct walk {
	const struct hbp_platform *platform;
	const int64_t *left;
	size_t *next;		/* of each node: the link it follows next */
	size_t *stack;
	bool *seen;
};

static size_t walk(struct walk *w, size_t root, size_t *hosts)
{
	size_t depth = 0, n = 0, at, link, to;

	w->stack[depth++] = root;
	w->seen[root] = true;
	hosts[n++] = root;
	while (depth) {
		at = w->stack[depth - 1];
		if (w->next[at] == w->platform->first[at + 1]) {
			depth--;
			continue;
		}
		link = w->next[at]++;
		to = w->platform->links[link].to;
		if (w->seen[to] || (w->left && !w->left[link]))
			continue;
		w->seen[to] = true;
		w->stack[depth++] = to;
		if (w->platform->nodes[to].host)
			hosts[n++] = to;
	}
	return n;
}

/**
 * hbp_visit() - walk a platform depth-first, neighbours in ascending order of id
 * @platform: the platform
 * @root: index of the host to begin with
 * @left: of each link, 0 if it is closed; NULL if none is
 * @hosts: receives indices of the hosts that are met, @root first
 * @n: receives how many
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_visit(const struct hbp_platform *platform, size_t root,
	      const int64_t *left, size_t *hosts, size_t *n)
{
	struct walk w = { .platform = platform, .left = left };
	int ret = 0;
	size_t i;

	w.next = calloc(platform->n, sizeof(*w.next));
	w.stack = calloc(platform->n, sizeof(*w.stack));
	w.seen = calloc(platform->n, sizeof(*w.seen));
	if (!w.next || !w.stack || !w.seen) {
		ret = -ENOMEM;
	} else {
		for (i = 0; i < platform->n; i++)
			w.next[i] = platform->first[i];
		*n = walk(&w, root, hosts);
	}
	free(w.next);
	free(w.stack);
	free(w.seen);
	return ret;
}
