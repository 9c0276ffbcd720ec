// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * two-ebs and two-vbbs: broadcasting by two sub-networks (paper 004, sections 4
 * to 6).
 */
#include <stdlib.h>

#include "dcn.h"
#include "node.h"
#include "rotation.h"
#include "wormhole.h"

struct two {
	const struct hbp_input *in;
	struct hbp_rotation rotation;
	struct hbp_dcns dcns;
	size_t root;
	size_t *rows[2];	/* of the root's side, of the other; its source first */
	size_t n[2];
	struct hbp_error *err;
};

/* Deals the hosts out to their sides, in the order in which they follow the root. */
static int deal(struct two *t)
{
	const struct hbp_dcns *dcns = &t->dcns;
	size_t i, host, other, second;
	int ret;

	ret = hbp_rotation_turn(t->rotation.list, t->rotation.n, t->root, t->err);
	if (ret)
		return ret;
	for (i = 0; i < t->rotation.n; i++) {
		host = t->rotation.list[i];
		other = dcns->side[host] != dcns->side[t->root];
		t->rows[other][t->n[other]++] = host;
	}
	/* The second source: the fastest, of several the first. */
	second = t->rows[1][0];
	for (i = 1; i < t->n[1]; i++)
		if (t->rotation.type[t->rows[1][i]] < t->rotation.type[second])
			second = t->rows[1][i];
	return hbp_rotation_turn(t->rows[1], t->n[1], second, t->err);
}

static int add_edge(const struct two *t, struct hbp_tree *tree, size_t from,
		    size_t to)
{
	return hbp_tree_add(tree, t->in->members[from], t->in->members[to],
			    t->err);
}

/* Both of a pair hand on what they have to the other; the root lacks nothing. */
static int add_exchanges(const struct two *t, struct hbp_plan *plan)
{
	const struct hbp_dcns *dcns = &t->dcns;
	size_t i, other;
	int ret = 0;

	for (i = 0; !ret && i < t->rotation.n; i++) {
		if (i == t->root || i == dcns->single)
			continue;
		other = dcns->side[i] != dcns->side[t->root];
		ret = add_edge(t, &plan->trees[!other], dcns->partner[i], i);
	}
	if (ret || dcns->single == HBP_NONE || dcns->single == t->root)
		return ret;
	other = dcns->side[dcns->single] != dcns->side[t->root];
	return add_edge(t, &plan->trees[!other], dcns->giver, dcns->single);
}

static int fill(struct two *t, hbp_scheduler schedule, struct hbp_plan *plan)
{
	struct hbp_tree *trees[2];
	uint64_t half = hbp_wormhole_half(plan->message_bytes);
	size_t k;
	int ret;

	ret = deal(t);
	if (ret)
		return ret;
	for (k = 0; k < 2; k++)
		trees[k] = hbp_plan_add_tree(plan, (unsigned int)k);
	ret = add_edge(t, trees[1], t->root, t->rows[1][0]);
	for (k = 0; !ret && k < 2; k++)
		ret = schedule(&t->rotation, t->rows[k], t->n[k], trees[k],
			       t->err);
	if (!ret)
		ret = add_exchanges(t, plan);
	for (k = 0; !ret && k < 2; k++)
		trees[k]->rate_bps = hbp_wormhole_rate(t->in, trees[k], half);
	return ret;
}

static int two_make(const struct hbp_request *rq, hbp_scheduler schedule,
		    struct hbp_plan *plan, struct hbp_error *err)
{
	struct two t = { .in = rq->in, .err = err };
	int ret;

	t.root = hbp_input_find(rq->in, rq->root);
	ret = hbp_rotation_init(&t.rotation, rq->in,
				hbp_wormhole_half(rq->message_bytes), true, err);
	if (ret)
		return ret;
	ret = hbp_dcns_find(&t.rotation, &t.dcns, err);
	if (ret)
		goto out;
	t.rows[0] = calloc(t.rotation.n, sizeof(*t.rows[0]));
	t.rows[1] = calloc(t.rotation.n, sizeof(*t.rows[1]));
	ret = t.rows[0] && t.rows[1] ? fill(&t, schedule, plan) : hbp_nomem(err);
	free(t.rows[0]);
	free(t.rows[1]);
	hbp_dcns_clear(&t.dcns);
out:
	hbp_rotation_clear(&t.rotation);
	return ret;
}

static int two_ebs_make(const struct hbp_request *rq, struct hbp_plan *plan,
			struct hbp_error *err)
{
	return two_make(rq, hbp_schedule_ebs, plan, err);
}

static int two_vbbs_make(const struct hbp_request *rq, struct hbp_plan *plan,
			 struct hbp_error *err)
{
	return two_make(rq, hbp_schedule_vbbs, plan, err);
}

/*
 * Two sub-networks, each with the exchange broadcasting scheme.
 *
 * Paper 004, sections 4 to 6. The root's half of the message goes along the first
 * tree: the scheduling tree of its side, from which every host hands it on to its
 * partner on the other side. The other half goes to the second source, along the
 * scheduling tree of its side, and likewise back.
 */
const struct hbp_planner hbp_two_ebs = {
	.name = "two-ebs",
	.paper = "004 sections 4 to 6",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, halves over two sub-networks",
	.make = two_ebs_make,
};

/*
 * Two sub-networks, each with variable buckets.
 *
 * Paper 004, sections 4 to 6; as two-ebs.
 */
const struct hbp_planner hbp_two_vbbs = {
	.name = "two-vbbs",
	.paper = "004 sections 4 to 6",
	.inputs = HBP_INPUT_HNOW,
	.serves = HBP_FOR(HBP_COMPLETION),
	.objective = "completion time, halves over two sub-networks, fastest nodes first",
	.make = two_vbbs_make,
};
