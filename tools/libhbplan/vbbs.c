// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vbbs and vbbswf: the variable bucket-based broadcasting schemes (paper 004,
 * section 3.2).
 */
#include <stdlib.h>

#include "rotation.h"

/* A row of hosts, and where its buckets begin; the last begins at its end. */
struct buckets {
	size_t n;
	size_t *start;
	size_t *heads;
	size_t count;
};

/* How often 2 has to be doubled, beginning at 1, to be at least so much. */
static unsigned int log2_up(size_t n)
{
	unsigned int steps = 0;

	while ((size_t)1 << steps < n)
		steps++;
	return steps;
}

/* The fastest type of a row, with or without its first. */
static size_t fastest(const struct hbp_rotation *rotation, const size_t *list,
		      size_t n, size_t from)
{
	size_t type = rotation->type[list[from]], i;

	for (i = from; i < n; i++)
		if (rotation->type[list[i]] < type)
			type = rotation->type[list[i]];
	return type;
}

/* Every host of a type begins a bucket, and so does the first. */
static void split(const struct hbp_rotation *rotation, const size_t *list,
		  size_t type, struct buckets *b)
{
	size_t i;

	b->count = 0;
	for (i = 0; i < b->n; i++)
		if (!i || rotation->type[list[i]] == type)
			b->start[b->count++] = i;
	b->start[b->count] = b->n;
}

static size_t longest(const struct buckets *b)
{
	size_t i, best = 0;

	for (i = 1; i < b->count; i++)
		if (b->start[i + 1] - b->start[i] >
		    b->start[best + 1] - b->start[best])
			best = i;
	return best;
}

/* Neighbours become one bucket as long as it has not more than so many hosts. */
static void merge(struct buckets *b, size_t most)
{
	size_t i, kept = 0;

	for (i = 1; i < b->count; i++)
		if (b->start[i + 1] - b->start[kept] > most)
			b->start[++kept] = b->start[i];
	b->count = kept + 1;
	b->start[b->count] = b->n;
}

/* The longest bucket with all that follows it, and what is before; or the rest. */
static void halve(struct buckets *b)
{
	size_t at = longest(b);

	b->start[1] = b->start[at ? at : 1];
	b->count = 2;
	b->start[2] = b->n;
}

/* Step 3 of algorithm 2: few enough buckets for few steps. */
static void compress(struct buckets *b)
{
	size_t at = longest(b);
	unsigned int l = log2_up(b->start[at + 1] - b->start[at]);
	unsigned int d = log2_up(b->count), z = log2_up(b->n);

	if (d + l <= z)
		return;
	if (l == z)
		halve(b);
	else
		merge(b, (size_t)1 << l);
}

/* The buckets of a row by a type, and the scheduling tree of their heads. */
static int schedule_heads(const struct hbp_rotation *rotation, size_t *list,
			  size_t type, struct buckets *b, struct hbp_tree *tree,
			  struct hbp_error *err)
{
	size_t i;

	b->start = calloc(b->n + 1, sizeof(*b->start));
	b->heads = calloc(b->n, sizeof(*b->heads));
	if (!b->start || !b->heads)
		return hbp_nomem(err);
	split(rotation, list, type, b);
	compress(b);
	for (i = 0; i < b->count; i++)
		b->heads[i] = list[b->start[i]];
	return hbp_schedule_doubling(rotation, b->heads, b->count, tree, err);
}

static void free_buckets(struct buckets *b)
{
	free(b->start);
	free(b->heads);
}

/**
 * hbp_schedule_vbbs() - the scheduling tree of variable buckets
 * @rotation: what the hosts are numbers of
 * @list: hosts, the first of which has the message; exchanged
 * @n: how many
 * @tree: receives the edges
 * @err: receives the reason of a failure
 *
 * Algorithm 2: buckets begin at the fastest hosts, and the first; recursive
 * doubling reaches their heads, and then each bucket is left to ebs.
 *
 * Return: 0 or -ENOMEM.
 */
int hbp_schedule_vbbs(const struct hbp_rotation *rotation, size_t *list, size_t n,
		      struct hbp_tree *tree, struct hbp_error *err)
{
	struct buckets b = { .n = n };
	size_t i;
	int ret;

	ret = schedule_heads(rotation, list, fastest(rotation, list, n, 0), &b,
			     tree, err);
	for (i = 0; !ret && i < b.count; i++)
		ret = hbp_schedule_ebs(rotation, &list[b.start[i]],
				       b.start[i + 1] - b.start[i], tree, err);
	free_buckets(&b);
	return ret;
}

/* Are all but the first of one type? */
static bool is_even(const struct hbp_rotation *rotation, const size_t *list,
		    size_t n)
{
	size_t i;

	for (i = 2; i < n; i++)
		if (rotation->type[list[i]] != rotation->type[list[1]])
			return false;
	return true;
}

/* As vbbs, but a bucket is split by what is the fastest behind its head. */
static int schedule_rounds(const struct hbp_rotation *rotation, size_t *list,
			   size_t n, size_t rounds, struct hbp_tree *tree,
			   struct hbp_error *err)
{
	struct buckets b = { .n = n };
	size_t i;
	int ret;

	if (!rounds || is_even(rotation, list, n))
		return hbp_schedule_ebs(rotation, list, n, tree, err);
	ret = schedule_heads(rotation, list, fastest(rotation, list, n, 1), &b,
			     tree, err);
	for (i = 0; !ret && i < b.count; i++)
		ret = schedule_rounds(rotation, &list[b.start[i]],
				      b.start[i + 1] - b.start[i], rounds - 1,
				      tree, err);
	free_buckets(&b);
	return ret;
}

static int schedule_vbbswf(const struct hbp_rotation *rotation, size_t *list,
			   size_t n, struct hbp_tree *tree, struct hbp_error *err)
{
	return schedule_rounds(rotation, list, n, rotation->n_types - 1, tree,
			       err);
}

static int vbbs_make(const struct hbp_request *rq, struct hbp_plan *plan,
		     struct hbp_error *err)
{
	return hbp_rotation_plan(rq, true, hbp_schedule_vbbs, plan, err);
}

static int vbbswf_make(const struct hbp_request *rq, struct hbp_plan *plan,
		       struct hbp_error *err)
{
	return hbp_rotation_plan(rq, true, schedule_vbbswf, plan, err);
}

/*
 * The variable bucket-based broadcasting scheme.
 *
 * Paper 004, sections 3.2.1 to 3.2.3, algorithm 2, with the sorted list of section
 * 3.1.4. Heads send to heads before they send within their bucket.
 */
const struct hbp_planner hbp_vbbs = {
	.name = "vbbs",
	.paper = "004 section 3.2",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, fastest nodes first",
	.make = vbbs_make,
};

/*
 * VBBS with some fast nodes at the front.
 *
 * Paper 004, section 3.2.4: buckets are split and compressed again, until all but
 * the head are of one type, or as often as there are types less one.
 */
const struct hbp_planner hbp_vbbswf = {
	.name = "vbbswf",
	.paper = "004 section 3.2.4",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, faster nodes first",
	.make = vbbswf_make,
};
