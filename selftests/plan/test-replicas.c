// SPDX-License-Identifier: GPL-2.0-or-later
/* Several nodes that have the message to begin with (paper 003, section 3.2). */
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "helper.h"

#define BYTES	7500000		/* 60 Mbit */

static int try_plan(struct hbp_input *in, const char *name,
		    const uint32_t *replicas, size_t n, struct hbp_plan **plan,
		    struct hbp_error *err)
{
	struct hbp_request rq = {
		.in = in, .root = in->members[0], .message_bytes = BYTES,
		.n_replicas = n
	};

	if (n)
		memcpy(rq.replicas, replicas, n * sizeof(*replicas));
	return hbp_plan_make(hbp_planner_find(name), &rq, plan, err);
}

static struct hbp_plan *plan_with(struct hbp_input *in, const uint32_t *replicas,
				  size_t n)
{
	struct hbp_plan *plan;
	struct hbp_error err;

	if (try_plan(in, "stable", replicas, n, &plan, &err))
		tap_bail_out("%s", err.text);
	return plan;
}

/*
 * 1 is far, behind 20 Mbit/s; replica 4 is at the switch of 2 and 3, with 50. The
 * root's tree fills the 20. What is left of 3's link of 30 limits the replica's
 * first tree to 10, its own link the second to 40.
 */
static const char far[] =
	"{'hbcast':'platform','version':1,'nodes':[\n"
	"{'id':1,'kind':'host'},{'id':2,'kind':'host'},{'id':3,'kind':'host'},\n"
	"{'id':4,'kind':'host'},{'id':10,'kind':'switch'},\n"
	"{'id':11,'kind':'switch'}],'links':[\n"
	"{'from':1,'to':10,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':10,'to':11,'bandwidth_mbps':20,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':11,'bandwidth_mbps':100,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':11,'bandwidth_mbps':30,'latency_us':1,'symmetric':true},\n"
	"{'from':4,'to':11,'bandwidth_mbps':50,'latency_us':1,'symmetric':true}]}";

static bool is_tree(const struct hbp_tree *tree, uint32_t root, int64_t mbps,
		    size_t n, uint32_t parent, uint32_t child)
{
	return tree->root == root && tree->rate_bps == mbps * 1000000 &&
	       tree->n_edges == n && tree->edges[0].parent == parent &&
	       tree->edges[0].child == child;
}

static void check_far(void)
{
	struct hbp_input *in = make_input(far);
	uint32_t replica = 4;
	struct hbp_plan *plan = plan_with(in, &replica, 1), *back;
	const struct hbp_figure *f = plan->predicted->nodes;
	char *text = hbp_plan_text(plan), *again;
	struct hbp_error err;

	ok(plan->n_trees == 3 && is_tree(&plan->trees[0], 1, 20, 2, 1, 2) &&
	   is_tree(&plan->trees[1], 4, 10, 2, 4, 2) &&
	   is_tree(&plan->trees[2], 4, 40, 1, 4, 2),
	   "the root's tree, then the replica's two");
	/*
	 * 2 has 60 Mbit at 70, after its longest way, 1-10-11-2, 3 us; 3
	 * has them at 30, after 1-10-11-2-11-3, 5 us. No plan is earlier than 60 /
	 * 70 and 60 / 30 after the 2 us from 4.
	 */
	ok(plan->predicted->n == 2 && f[0].rate_bps == 70000000 &&
	   f[1].rate_bps == 30000000, "2 receives 20 + 50, 3 all that it can");
	ok(llabs(f[0].completion_ns - 857145857) <= 1 &&
	   llabs(f[1].completion_ns - 2000005000) <= 1,
	   "times are those of both sources");
	ok(f[0].bound_ns == 857144857 && f[1].bound_ns == 2000002000,
	   "bounds are those of both sources");
	if (hbp_plan_parse(text, strlen(text), "x", NULL, &back, &err))
		tap_bail_out("%s", err.text);
	again = hbp_plan_text(back);
	ok(!strcmp(text, again) && back->n_replicas == 1 &&
	   back->replicas[0] == 4 && back->trees[2].root == 4,
	   "what is written is what is read");
	free(text);
	free(again);
	hbp_plan_free(back);
	hbp_plan_free(plan);
	hbp_input_free(in);
}

/* A flow from all sources together: from one that has infinite links to them. */
static int64_t flow_of(const struct hbp_platform *p, const size_t *sources,
		       size_t n, size_t sink)
{
	struct hbp_platform *wide = hbp_platform_alloc(p->n + 1, p->n_links + n);
	struct hbp_flow *flow;
	int64_t most;
	size_t i;

	if (!wide)
		tap_bail_out("no memory");
	for (i = 0; i < p->n; i++) {
		wide->nodes[i].id = p->nodes[i].id;
		wide->nodes[i].host = p->nodes[i].host;
	}
	wide->nodes[p->n].id = 1000000;
	wide->nodes[p->n].host = true;
	wide->n_links = p->n_links + n;
	memcpy(wide->links, p->links, p->n_links * sizeof(*p->links));
	for (i = 0; i < n; i++)
		wide->links[p->n_links + i] = (struct hbp_link){
			.from = p->n, .to = sources[i],
			.bandwidth_bps = 1LL << 50
		};
	hbp_platform_finish(wide);
	flow = hbp_flow_alloc(wide);
	most = hbp_flow_max(flow, p->n, sink);
	hbp_flow_free(flow);
	hbp_platform_free(wide);
	return most;
}

struct tally {
	size_t plans, kept, flows, more, gained;
};

static void try_one(struct luck *luck, bool tree, struct tally *t)
{
	size_t n = 4 + draw_below(luck, 12), count = 1 + draw_below(luck, 2), i;
	struct hbp_input *in = random_platform(luck, n, 1 + draw_below(luck, 8),
					       tree ? 0 : 4, tree);
	const struct hbp_platform *p = in->platform;
	struct hbp_plan *plan, *alone;
	uint32_t replicas[2];
	size_t sources[3], at;
	bool kept = true, flows = true, more = true, gained = false;

	for (i = 0; i < count; i++)
		replicas[i] = in->members[1 + i];
	for (i = 0; i <= count; i++)
		sources[i] = p->hosts[i];
	plan = plan_with(in, replicas, count);
	alone = plan_with(in, NULL, 0);
	for (i = 0; i < plan->predicted->n; i++) {
		const struct hbp_figure *f = &plan->predicted->nodes[i];

		at = hbp_platform_find(p, f->id);
		kept = kept && f->rate_bps == planned_rate(plan, f->id);
		flows = flows &&
			f->rate_bps <= flow_of(p, sources, count + 1, at);
		more = more && f->rate_bps >= planned_rate(alone, f->id);
		gained = gained || f->rate_bps > planned_rate(alone, f->id);
	}
	t->plans++;
	t->kept += kept && plan->predicted->n == n - 1 - count;
	t->flows += flows;
	t->more += more;
	t->gained += gained;
	hbp_plan_free(plan);
	hbp_plan_free(alone);
	hbp_input_free(in);
}

static void check_random(void)
{
	struct tally even = { 0 }, any = { 0 };
	struct luck luck = { 51 };
	size_t round;

	for (round = 0; round < 500; round++) {
		try_one(&luck, true, &even);
		try_one(&luck, false, &any);
	}
	printf("# seed 51, %zu gain on trees, %zu elsewhere\n", even.gained,
	       any.gained);
	ok(even.kept == 500 && any.kept == 500,
	   "all trees of all sources can keep their rates (%zu, %zu)",
	   even.kept, any.kept);
	ok(even.flows == 500 && any.flows == 500,
	   "nobody exceeds the flow from all sources (%zu, %zu)", even.flows, any.flows);
	ok(even.more == 500 && even.gained > 100,
	   "symmetric trees: a replica lowers no one, and many gain (%zu)",
	   even.more);
}

/* 1, 2, 3 and 4 in a row: 3 has nothing that 1 could have sent. */
static const char row[] =
	"{'hbcast':'platform','version':1,'nodes':[{'id':1,'kind':'host'},\n"
	"{'id':2,'kind':'host'},{'id':3,'kind':'host'},{'id':4,'kind':'host'}],'links':[\n"
	"{'from':1,'to':2,'bandwidth_mbps':1,'latency_us':1,'symmetric':true},\n"
	"{'from':2,'to':3,'bandwidth_mbps':1,'latency_us':1,'symmetric':true},\n"
	"{'from':3,'to':4,'bandwidth_mbps':1,'latency_us':1,'symmetric':true}]}";

static void check_cut_off(void)
{
	static const char *const sentences[] = {
		"x: links: only replicas lead from root 1 to node 4, and they receive nothing that they could pass on: leave one of them out",
		"x: links: only replicas lead from root 1 to node 3, and they receive nothing that they could pass on: leave one of them out",
	};
	struct hbp_input *in = make_input(row);
	struct hbp_plan *plan;
	struct hbp_error err;
	uint32_t id;

	for (id = 2; id < 4; id++)
		ok(try_plan(in, "stable", &id, 1, &plan, &err) &&
		   !strcmp(err.text, sentences[3 - id]),
		   "refused: a replica %u that is in the way of others", id);
	id = 4;
	plan = plan_with(in, &id, 1);
	ok(plan->trees[0].n_edges == 2, "a replica that is not is taken");
	hbp_plan_free(plan);
	hbp_input_free(in);
}

static void check_refused(void)
{
	static const uint32_t bad[][3] = { { 7 }, { 1 }, { 4, 4 }, { 2, 3, 4 } };
	static const size_t n[] = { 1, 1, 2, 3 };
	static const char *const sentences[] = {
		"nodes: there is no host 7 to be a replica",
		"node 1 is given as a source twice",
		"node 4 is given as a source twice",
		"all nodes are sources, so that nobody is left to receive",
	};
	struct hbp_input *in = make_input(far);
	struct hbp_plan *plan;
	struct hbp_error err;
	size_t i;

	for (i = 0; i < 4; i++)
		ok(try_plan(in, "stable", bad[i], n[i], &plan, &err) &&
		   strstr(err.text, sentences[i]), "refused: %s", sentences[i]);
	ok(try_plan(in, "chain", bad[2], 1, &plan, &err) &&
	   strstr(err.text, "chain plans from one source, not from replicas"),
	   "refused: a planner that has no use for replicas");
	hbp_input_free(in);
}

int main(void)
{
	check_far();
	check_random();
	check_refused();
	check_cut_off();
	return tap_done();
}
