// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arcs that each node may be reached by: all pairs where they are listed, else
 * those of some senders. What is asked for together stands together.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"

/* Of so many nodes all senders are tried where pairs are not listed. */
#define FEW		192
/* Of more nodes twice as many senders for each, and those that there are. */
#define NEIGHBOURS	32

/* What choices are listed for. */
struct asker {
	const struct hbp_steady *s;
	size_t root;
	uint32_t *const *trees;
	size_t n_trees;
};

/**
 * hbp_choices_clear() - release what hbp_choices_list() has made
 * @c: the choices, or what is left of them if it has failed
 */
void hbp_choices_clear(struct hbp_choices *c)
{
	free(c->first);
	free(c->arcs);
	free(c->tail);
	free(c->first_use);
	free(c->rows);
	free(c->uses);
}

/* Who sends to a node in some tree, or is one of a few spread over all others. */
static void mark_tails(const struct asker *a, size_t node, bool *marked)
{
	size_t n = a->s->n, k = node < a->root ? node : node - 1, i;

	for (i = 0; i < a->n_trees; i++)
		marked[a->trees[i][k] / n] = true;
	for (i = 1; i < NEIGHBOURS; i++) {
		marked[(node + i) % n] = true;
		marked[(node + i * (n / NEIGHBOURS)) % n] = true;
	}
	marked[a->root] = true;
}

/*
 * Where pairs are not listed, those of a few senders for each node are, so that
 * there are no more than of so many nodes.
 */
static int list_few(struct hbp_choices *c, const struct asker *a)
{
	size_t n = a->s->n, node, i, k, from, end = 0, room = 0;
	size_t *into = calloc(n, sizeof(*into)), *arcs;
	bool *marked = calloc(n, sizeof(*marked));
	int ret = into && marked ? 0 : -ENOMEM;

	for (node = 0; !ret && node < n; node++) {
		memset(marked, n <= FEW, n * sizeof(*marked));
		if (n > FEW && node != a->root)
			mark_tails(a, node, marked);
		k = hbp_steady_into(a->s, node, into);
		c->first[node] = end;
		if (end + k > room) {
			room = 2 * (end + k);
			arcs = realloc(c->arcs, room * sizeof(*arcs));
			c->arcs = arcs ? arcs : c->arcs;
			ret = arcs ? 0 : -ENOMEM;
		}
		for (i = 0; !ret && i < k; i++) {
			from = into[i] / n;
			if (marked[from])
				c->arcs[end++] = into[i];
		}
	}
	c->first[n] = end;
	free(into);
	free(marked);
	return ret;
}

static int list_heads(struct hbp_choices *c, const struct asker *a)
{
	c->first = calloc(a->s->n + 2, sizeof(*c->first));
	if (!c->first)
		return -ENOMEM;
	if (a->s->switched)
		return list_few(c, a);
	c->arcs = calloc(a->s->n_arcs, sizeof(*c->arcs));
	if (!c->arcs)
		return -ENOMEM;
	hbp_steady_heads(a->s, c->first, c->arcs);
	return 0;
}

/**
 * hbp_choices_list() - list arcs by head
 * @c: to be filled; all 0 before; released with hbp_choices_clear(), also if there
 *	was no memory
 * @steady: who can send to whom
 * @root: number of the root
 * @trees: each an array of @steady->n - 1 arcs, in ascending order of heads; all
 *	these are among the choices
 * @n_trees: number of trees
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_choices_list(struct hbp_choices *c, const struct hbp_steady *steady,
		     size_t root, uint32_t *const *trees, size_t n_trees)
{
	struct asker a = { steady, root, trees, n_trees };
	size_t p, u, end = 0, n, n_uses = 0;
	struct hbp_uses of;

	if (list_heads(c, &a))
		return -ENOMEM;
	n = c->first[steady->n];
	for (p = 0; p < n; p++)
		n_uses += hbp_steady_uses(steady, c->arcs[p]).n;
	c->tail = calloc(n, sizeof(*c->tail));
	c->first_use = calloc(n + 1, sizeof(*c->first_use));
	c->rows = calloc(n_uses, sizeof(*c->rows));
	c->uses = calloc(n_uses, sizeof(*c->uses));
	if (!c->tail || !c->first_use || !c->rows || !c->uses)
		return -ENOMEM;
	for (p = 0; p < n; p++) {
		of = hbp_steady_uses(steady, c->arcs[p]);
		c->tail[p] = hbp_steady_pair(steady, c->arcs[p]).from;
		c->first_use[p] = end;
		for (u = 0; u < of.n; u++) {
			c->rows[end] = of.rows[u];
			c->uses[end++] = of.uses[u];
		}
	}
	c->first_use[n] = end;
	return 0;
}
