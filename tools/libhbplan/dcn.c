// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who exchanges halves of a message in two sub-networks (paper 004, sections 4.1
 * to 4.7 and 6).
 */
#include <stdlib.h>

#include "dcn.h"
#include "node.h"
#include "spanning.h"

/*
 * The switch-reduced HNOW: a tree of hosts, in which the last host of a switch
 * stands for it. Children are in the order of postorder, but those with an even
 * number of hosts in their subtree come first.
 */
struct reduced {
	const struct hbp_rotation *rotation;
	const struct hbp_spanning *tree;
	size_t *instead;	/* of each switch: who stands in its place */
	size_t *top;		/* of each switch: its last host */
	size_t *parent;		/* of each host, and so on */
	size_t *size;
	size_t *first[2];	/* children with even, odd numbers of hosts */
	size_t *last[2];
	size_t *next;
};

static void free_reduced(struct reduced *r)
{
	free(r->instead);
	free(r->top);
	free(r->parent);
	free(r->size);
	free(r->first[0]);
	free(r->first[1]);
	free(r->last[0]);
	free(r->last[1]);
	free(r->next);
}

/* HBP_NONE for each, or NULL. */
static size_t *alloc_none(size_t n)
{
	size_t *array = calloc(n, sizeof(*array)), i;

	for (i = 0; array && i < n; i++)
		array[i] = HBP_NONE;
	return array;
}

static int alloc_reduced(struct reduced *r, struct hbp_error *err)
{
	size_t n = r->rotation->n;

	r->instead = alloc_none(r->tree->n);
	r->top = alloc_none(r->tree->n);
	r->parent = alloc_none(n);
	r->size = alloc_none(n);
	r->first[0] = alloc_none(n);
	r->first[1] = alloc_none(n);
	r->last[0] = alloc_none(n);
	r->last[1] = alloc_none(n);
	r->next = alloc_none(n);
	if (r->instead && r->top && r->parent && r->size && r->first[0] &&
	    r->first[1] && r->last[0] && r->last[1] && r->next)
		return 0;
	free_reduced(r);
	return hbp_nomem(err);
}

/*
 * The compact spanning tree (algorithm 4): in the place of a switch without
 * hosts comes the switch of its subtree that is last in postorder, with all that
 * is below both. A subtree without hosts goes.
 */
static void compact(struct reduced *r)
{
	const size_t *at = r->rotation->in->hnow->at;
	const struct hbp_spanning *tree = r->tree;
	size_t i, sw, up;

	for (i = 0; i < r->rotation->n; i++)
		r->top[at[r->rotation->list[i]]] = r->rotation->list[i];
	for (i = 0; i < tree->n_switches; i++) {
		sw = tree->postorder[i];
		up = tree->parent[sw];
		if (r->top[sw] != HBP_NONE)
			r->instead[sw] = sw;
		/* What comes later is later in postorder. */
		if (up != HBP_NONE && r->instead[sw] != HBP_NONE)
			r->instead[up] = r->instead[sw];
	}
}

/* The switch above one with hosts in the compact tree, HBP_NONE for its root. */
static size_t above(const struct reduced *r, size_t sw)
{
	size_t up = r->tree->parent[sw];

	while (up != HBP_NONE && r->instead[up] == sw)
		up = r->tree->parent[up];
	return up == HBP_NONE ? HBP_NONE : r->instead[up];
}

/* Parents, sizes of subtrees, and children in their new order. */
static void reduce(struct reduced *r)
{
	const size_t *at = r->rotation->in->hnow->at, *list = r->rotation->list;
	size_t i, sw, up, host, odd;

	for (i = 0; i < r->rotation->n; i++) {
		sw = at[list[i]];
		if (r->top[sw] == list[i])
			sw = above(r, sw);
		r->parent[list[i]] = sw == HBP_NONE ? HBP_NONE : r->top[sw];
		r->size[list[i]] = 1;
	}
	/* In postorder, so that sizes are known before they are added. */
	for (i = 0; i < r->rotation->n; i++) {
		host = list[i];
		up = r->parent[host];
		if (up == HBP_NONE)
			continue;
		odd = r->size[host] % 2;
		r->size[up] += r->size[host];
		if (r->first[odd][up] == HBP_NONE)
			r->first[odd][up] = host;
		else
			r->next[r->last[odd][up]] = host;
		r->last[odd][up] = host;
	}
	for (i = 0; i < r->rotation->n; i++) {
		if (r->first[0][i] == HBP_NONE)
			r->first[0][i] = r->first[1][i];
		else
			r->next[r->last[0][i]] = r->first[1][i];
	}
}

static void pair_up(struct hbp_dcns *dcns, size_t a, size_t b)
{
	dcns->partner[a] = b;
	dcns->partner[b] = a;
}

/* Step 3 of algorithm 3 for one host, when its children are done. */
static void find_partner(const struct reduced *r, size_t host,
			 struct hbp_dcns *dcns)
{
	size_t sibling = r->next[host], up = r->parent[host];

	if (dcns->partner[host] != HBP_NONE)
		return;
	if (up == HBP_NONE) {
		dcns->single = host;
		dcns->giver = r->last[1][host] != HBP_NONE ?
			      r->last[1][host] : r->last[0][host];
	} else if (sibling != HBP_NONE &&
		   dcns->side[sibling] != dcns->side[host]) {
		pair_up(dcns, host, sibling);
	} else {
		pair_up(dcns, host, up);
	}
}

/* Walks the rearranged tree in postorder. */
static void find_partners(const struct reduced *r, struct hbp_dcns *dcns)
{
	size_t host = r->rotation->list[r->rotation->n - 1];
	bool below = true;

	while (host != HBP_NONE) {
		while (below && r->first[0][host] != HBP_NONE)
			host = r->first[0][host];
		find_partner(r, host, dcns);
		below = r->next[host] != HBP_NONE;
		host = below ? r->next[host] : r->parent[host];
	}
}

/**
 * hbp_dcns_find() - divide the hosts of an HNOW, and find who exchanges
 * @rotation: the hosts in postorder, not turned
 * @dcns: filled; to be released with hbp_dcns_clear()
 * @err: receives the reason of a failure
 *
 * Odd-even partitioning (section 4.3) and the construction of DCNs (section 4.4,
 * algorithm 3) on the switch-reduced HNOW of the compact spanning tree.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_dcns_find(const struct hbp_rotation *rotation, struct hbp_dcns *dcns,
		  struct hbp_error *err)
{
	struct reduced r = {
		.rotation = rotation, .tree = rotation->in->hnow->tree
	};
	size_t i;
	int ret;

	ret = alloc_reduced(&r, err);
	if (ret)
		return ret;
	dcns->side = calloc(rotation->n, sizeof(*dcns->side));
	dcns->partner = alloc_none(rotation->n);
	dcns->single = HBP_NONE;
	dcns->giver = HBP_NONE;
	if (dcns->side && dcns->partner) {
		for (i = 0; i < rotation->n; i++)
			dcns->side[rotation->list[i]] = i % 2;
		compact(&r);
		reduce(&r);
		find_partners(&r, dcns);
	} else {
		hbp_dcns_clear(dcns);
		ret = hbp_nomem(err);
	}
	free_reduced(&r);
	return ret;
}

/**
 * hbp_dcns_clear() - release what hbp_dcns_find() has filled
 * @dcns: it
 */
void hbp_dcns_clear(struct hbp_dcns *dcns)
{
	free(dcns->side);
	free(dcns->partner);
}
