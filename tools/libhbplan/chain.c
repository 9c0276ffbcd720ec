// SPDX-License-Identifier: GPL-2.0-or-later
/* chain: every node sends to one other. */
#include <stdlib.h>

#include "node.h"
#include "planners.h"
#include "visit.h"

/* The root's successors in ascending order of id. */
static void order_by_id(const struct hbp_input *in, uint32_t root,
			uint32_t *ids)
{
	size_t i, n = 0;

	ids[n++] = root;
	for (i = 0; i < in->n; i++)
		if (in->members[i] != root)
			ids[n++] = in->members[i];
}

static int order_by_visit(const struct hbp_platform *platform, size_t root,
			  uint32_t *ids, struct hbp_error *err)
{
	size_t *hosts = calloc(platform->n_hosts, sizeof(*hosts));
	size_t n = 0, i;
	int ret;

	if (!hosts)
		return hbp_nomem(err);
	ret = hbp_visit(platform, root, NULL, hosts, &n) ? hbp_nomem(err) : 0;
	for (i = 0; i < n; i++)
		ids[i] = platform->nodes[hosts[i]].id;
	free(hosts);
	return ret;
}

static int chain_make(const struct hbp_request *rq, struct hbp_plan *plan,
		      struct hbp_error *err)
{
	struct hbp_tree *tree = hbp_plan_add_tree(plan, 0);
	const struct hbp_platform *platform = rq->in->platform;
	uint32_t *ids = calloc(rq->in->n, sizeof(*ids));
	int ret = 0;
	size_t i;

	if (!ids)
		return hbp_nomem(err);
	if (platform)
		ret = order_by_visit(platform,
				     hbp_platform_find(platform, rq->root), ids,
				     err);
	else
		order_by_id(rq->in, rq->root, ids);
	for (i = 1; !ret && i < rq->in->n; i++)
		ret = hbp_tree_add(tree, ids[i - 1], ids[i], err);
	free(ids);
	return ret;
}

/*
 * The chain.
 *
 * Paper 003, section 2.2 (depth-first pipeline). On a platform the hosts follow
 * each other as a depth-first walk from the root meets them, neighbours in
 * ascending order of id: on a tree of links the chain then passes each direction
 * of a link at most once, so that on symmetric links every node receives as fast
 * as the slowest link allows. A cost matrix does not tell where the nodes are:
 * there they follow each other in ascending order of id after the root.
 */
const struct hbp_planner hbp_chain = {
	.name = "chain",
	.paper = "003 section 2.2",
	.inputs = HBP_INPUT_COSTS | HBP_INPUT_PLATFORM,
	.serves = HBP_FOR(HBP_THROUGHPUT),
	.objective = "throughput: no link is used twice on a tree platform",
	.make = chain_make,
};
